"""Leaks: chunks that an arm's own eligibility excludes, in its candidate lists and contexts. There must be none.

Score fails on a leak already. Here they are counted anew from the files: the lists, the chunk tables, and the access fields
of documents and queries. Who may read what is stated here once more, on purpose, and nothing of the code that searches is
used, so that neither a mistake in it nor lists that were changed afterwards can hide a leak.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.core.spans import covers
from spanledger.engine import plan

Record = dict[str, Any]


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
    setting: Record,
    candidates: list[Record],
    contexts: list[Record],
) -> Leaks:
    """The leaks of one arm. `setting` is its resolved eligibility; `candidates` and `contexts` are lines of the files of
    fuse and select.

    A chunk must be open to the asker by its own access and by that of its document; a passage of several chunks too,
    unless chunks that are open hold all of its text. A list of no known query and a chunk that is not in the table are
    leaks. The first one is that of the first query in their order, its candidates before its context.
    """
    held = {document.key: document for document in documents}
    asked = {query.query_id: query for query in queries}
    known: dict[tuple, set[int]] = {}

    def open_to(query: Query) -> set[int]:
        access = (frozenset(query.groups), frozenset(query.versions))
        if access not in known:
            known[access] = {c.ordinal for c in chunks if _admitted(c.acl, held[c.key], query, setting)}
        return known[access]

    def is_leak(piece: Record, query: Query) -> bool:
        key = piece["doc_id"], piece["version"]
        if _admitted(piece["acl"], held[key], query, setting):
            return False
        parts = [chunks[ordinal] for ordinal in piece["chunks"] if ordinal in open_to(query)]
        spans = [span for part in parts if part.key == key for span in part.spans]
        return not all(covers(spans, span) for span in piece["spans"])

    found, looked_at = [], 0
    for place, what, lists in ((0, "candidates", candidates), (1, "context", contexts)):
        for listed in lists:
            pieces = listed.get("pieces", ())
            looked_at += len(listed["chunks"]) + len(pieces)
            query = asked.get(listed["query_id"])
            if query is None:
                bad = ["there is no such query"] * max(1, len(listed["chunks"]))
            else:
                bad = [_named(ordinal, chunks) for ordinal in listed["chunks"] if ordinal not in open_to(query)]
                bad += [
                    f"a passage of {piece['doc_id']}/{piece['version']}" for piece in pieces if is_leak(piece, query)
                ]
            order = (query is None, query.order if query else (), listed["query_id"], place)
            found += [(order, f"query '{listed['query_id']}', {what}: {message}") for message in bad]
    return Leaks(len(found), looked_at, min(found, key=lambda leak: leak[0])[1] if found else None)


def _admitted(acl: Iterable[str] | None, document: Document, query: Query, setting: Record) -> bool:
    """Whether an eligibility setting lets a query see a part of a document that is open to the groups `acl`."""
    versions = setting.get("versions", "all")
    if versions == "asked" and query.versions:
        version = document.version in query.versions
    else:
        version = versions == "all" or document.current
    visible = setting.get("visibility") is None or document.visibility in setting["visibility"]
    guards = [] if setting.get("acl", "ignore") == "ignore" else [acl, document.acl]
    return version and visible and all(guard is None or set(guard) & set(query.groups) for guard in guards)


def _named(ordinal: int, chunks: list[Chunk]) -> str:
    if ordinal not in range(len(chunks)):
        return f"no chunk {ordinal}"
    return f"chunk {chunks[ordinal].chunk_id} of {'/'.join(chunks[ordinal].key)}"


def of_files(section: Record, read: Callable[[str], bytes]) -> dict[str, Leaks]:
    """The leaks of every arm by its name. `section` is the resolved section of an experiment; `read` gives the bytes of a
    file by its path below results/<experiment>/. Raises what `read` raises."""

    @cache
    def records(path: str) -> list[Record]:
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
            records(paths["candidates"]),
            records(paths["contexts"]),
        )
    return found
