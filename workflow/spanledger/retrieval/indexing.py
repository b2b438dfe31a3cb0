"""Stage index: postings and term statistics, over eligible chunks alone."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanledger.core.analyzers import analyzer
from spanledger.core.files import canonical, read_lines, sha256
from spanledger.core.records import Chunk, Document, Query
from spanledger.retrieval.eligibility import Eligibility


@dataclass(frozen=True, slots=True)
class Index:
    """The index of one eligibility class.

    `eligible` holds the ordinals of its chunks, ascending, and `lengths` their lengths in terms of the analyzer, in the
    same order. `postings` leads from a term to (ordinals, term frequencies), both in ascending order of ordinal; terms
    are in code point order. Chunks without terms count in N and in the average length.
    """

    name: str
    query_ids: tuple[str, ...]
    eligible: list[int]
    lengths: list[int]
    postings: dict[str, tuple[list[int], list[int]]]

    @property
    def average_length(self) -> float | None:
        """Terms a chunk; None where nothing is eligible."""
        return sum(self.lengths) / len(self.lengths) if self.lengths else None


def entry_id(chunk: Chunk, index_revision: str) -> str:
    """The identity of a chunk in an index: it changes with the chunk, with the text that is searched (titles, a table
    header), with the index's revision and with the groups that may read it."""
    identity = [chunk.chunk_id, sha256(chunk.searched.encode()), index_revision, chunk.acl]
    return sha256(canonical(identity))[:16]


def build_indexes(
    chunks: list[Chunk],
    documents: list[Document],
    queries: list[Query],
    eligibility: dict[str, Any],
    setting: dict[str, Any],
) -> tuple[list[Index], dict[str, Any]]:
    """One index for each eligibility class of the queries, in the order of `Eligibility.classes`, and the counters.

    `eligibility` and `setting` are resolved settings of the sections eligibility and index. Raises ValueError for an
    unknown analyzer.
    """
    rule = Eligibility.of(eligibility)
    analyse = analyzer(setting["analyzer"])
    by_key = {document.key: document for document in documents}
    frequencies: dict[int, Counter[str]] = {}
    indexes = []
    for group in rule.classes(queries):
        eligible = rule.eligible(chunks, by_key, group.queries[0])
        for ordinal in eligible:
            if ordinal not in frequencies:
                frequencies[ordinal] = Counter(analyse(chunks[ordinal].searched))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for ordinal in eligible:
            for term, frequency in frequencies[ordinal].items():
                ordinals, counts = postings.setdefault(term, ([], []))
                ordinals.append(ordinal)
                counts.append(frequency)
        lengths = [frequencies[ordinal].total() for ordinal in eligible]
        members = tuple(query.query_id for query in group.queries)
        indexes.append(Index(group.name, members, eligible, lengths, dict(sorted(postings.items()))))
    counters = {
        "chunks": len(chunks),
        "classes": [
            {
                "name": index.name,
                "queries": len(index.query_ids),
                "eligible": len(index.eligible),
                "excluded": len(chunks) - len(index.eligible),
                "terms": sum(index.lengths),
                "vocabulary": len(index.postings),
                "average_length": index.average_length,
            }
            for index in indexes
        ],
    }
    return indexes, counters


def to_records(index: Index) -> list[dict[str, Any]]:
    """An index as the lines of its file: what it is over first, then a line a term."""
    head = {
        "name": index.name,
        "query_ids": index.query_ids,
        "eligible": index.eligible,
        "lengths": index.lengths,
    }
    terms = [{"term": t, "chunks": chunks, "tf": counts} for t, (chunks, counts) in index.postings.items()]
    return [head, *terms]


def from_records(records: list[dict[str, Any]]) -> Index:
    """The inverse of `to_records`."""
    head, *terms = records
    postings = {record["term"]: (record["chunks"], record["tf"]) for record in terms}
    return Index(head["name"], tuple(head["query_ids"]), head["eligible"], head["lengths"], postings)


def read(folder: Path) -> list[Index]:
    """The indexes of a folder that the index stage wrote, in the order of the classes' numbers."""
    paths = sorted(folder.glob("class-*.jsonl"), key=lambda path: int(path.stem.removeprefix("class-")))
    return [from_records(read_lines(path)) for path in paths]
