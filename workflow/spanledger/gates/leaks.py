"""Leaks: chunks that an arm's own eligibility excludes, in its candidate lists and contexts. There must be none.

Score fails on a leak already. Here they are counted anew, query by query, from the lists, the chunk tables and the access
fields of documents and queries, so that lists which were changed afterwards are found out.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from spanledger.core import ranking
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.core.spans import covers
from spanledger.engine import plan
from spanledger.retrieval.eligibility import Eligibility
from spanledger.selection import context
from spanledger.selection.context import Context, Piece


@dataclass(frozen=True, slots=True)
class Leaks:
    """`number` of leaks among `looked_at` chunks and passages, in candidates and contexts together; `first` names the
    first one."""

    number: int
    looked_at: int
    first: str | None = None


def count(
    chunks: list[Chunk],
    documents: Iterable[Document],
    queries: Iterable[Query],
    setting: dict[str, Any],
    candidates: list[Ranking],
    contexts: list[Context],
) -> Leaks:
    """The leaks of one arm. `setting` is its resolved eligibility. A chunk must be open to the asker by its own access and
    by that of its document; a passage of several chunks too, unless chunks that are open hold all of its text.

    A list of no known query and a chunk that is not in the table are leaks. The first one is that of the first query in
    their order, its candidates before its context.
    """
    eligibility = Eligibility.of(setting)
    held = {document.key: document for document in documents}
    asked = {query.query_id: query for query in queries}
    known: dict[tuple, set[int]] = {}

    def admitted(acl: tuple[str, ...] | None, key: tuple[str, str], query: Query) -> bool:
        return all(eligibility.admits(groups, held[key], query) for groups in (acl, held[key].acl))

    def open_to(query: Query) -> set[int]:
        access = (frozenset(query.groups), frozenset(query.versions))
        if access not in known:
            known[access] = {chunk.ordinal for chunk in chunks if admitted(chunk.acl, chunk.key, query)}
        return known[access]

    def piece_leaks(piece: Piece, query: Query) -> bool:
        if admitted(piece.acl, piece.key, query):
            return False
        parts = [chunks[ordinal] for ordinal in piece.chunks if ordinal in open_to(query)]
        spans = [span for part in parts if part.key == piece.key for span in part.spans]
        return not all(covers(spans, span) for span in piece.spans)

    found, looked_at = [], 0
    for place, lists in enumerate((candidates, contexts)):
        what = ("candidates", "context")[place]
        for listed in lists:
            pieces = getattr(listed, "pieces", None) or ()
            looked_at += len(listed.chunks) + len(pieces)
            query = asked.get(listed.query_id)
            order = (query is None, query.order if query else (), listed.query_id, place)
            if query is None:
                bad = [f"query '{listed.query_id}', {what}: there is no such query"] * max(1, len(listed.chunks))
            else:
                bad = [_named(o, chunks, query, what) for o in listed.chunks if o not in open_to(query)]
                bad += [
                    f"query '{query.query_id}', {what}: a passage of {'/'.join(piece.key)}"
                    for piece in pieces
                    if piece_leaks(piece, query)
                ]
            found += [(order, message) for message in bad]
    return Leaks(len(found), looked_at, min(found, key=lambda leak: leak[0])[1] if found else None)


def _named(ordinal: int, chunks: list[Chunk], query: Query, what: str) -> str:
    known = ordinal in range(len(chunks))
    chunk = f"chunk {chunks[ordinal].chunk_id} of {'/'.join(chunks[ordinal].key)}" if known else f"no chunk {ordinal}"
    return f"query '{query.query_id}', {what}: {chunk}"


def of_files(section: dict[str, Any], read: Callable[[str], bytes]) -> dict[str, Leaks]:
    """The leaks of every arm by its name. `section` is the resolved section of an experiment; `read` gives the bytes of a
    file by its path below results/<experiment>/. Raises what `read` raises."""

    @cache
    def records(path: str) -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in read(path).splitlines()]

    @cache
    def table(path: str) -> list[Chunk]:
        return from_records(Chunk, records(path))

    documents = from_records(Document, records("validate/documents.jsonl"))
    queries = from_records(Query, records("normalise/queries.jsonl"))
    found = {}
    for arm in plan.arms(section):
        paths = plan.lists(arm)
        found[arm.name] = count(
            table(paths["chunks"]),
            documents,
            queries,
            section["eligibility"][arm.eligibility],
            ranking.from_records(records(paths["candidates"])),
            context.from_records(records(paths["contexts"])),
        )
    return found
