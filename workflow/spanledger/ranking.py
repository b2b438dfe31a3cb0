"""The total order of a ranking: score descending, then a tie key ascending, compared by code point.

document    the tuple (doc_id, version, start of the first span, end of the last)
id_version  the string doc_id/version, then the ordinal
position    the ordinal in the chunk table
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spanledger.records import Chunk

TIES = ("document", "id_version", "position")


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query's candidates, best first: `chunks` are ordinals of the chunk table, each once, and `scores` theirs."""

    query_id: str
    chunks: tuple[int, ...]
    scores: tuple[float, ...]


def tie_ranks(chunks: list[Chunk], tie: str) -> np.ndarray:
    """For each ordinal its place in the order of the tie key. Raises ValueError for an unknown key."""
    if tie not in TIES:
        raise ValueError(f"tie '{tie}': expected one of {', '.join(TIES)}")
    keys = {
        "document": lambda c: (c.doc_id, c.version, c.spans[0][0], c.spans[-1][1], c.ordinal),
        "id_version": lambda c: (f"{c.doc_id}/{c.version}", c.ordinal),
        "position": lambda c: c.ordinal,
    }
    ranks = np.empty(len(chunks), dtype=np.int64)
    for place, chunk in enumerate(sorted(chunks, key=keys[tie])):
        ranks[chunk.ordinal] = place
    return ranks


def ordered(ordinals: np.ndarray, scores: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """The places of `ordinals` in the order above; `ties` as `tie_ranks` gives them. Cutting the result to its first k
    never changes which those are."""
    return np.lexsort((ties[ordinals], -scores))


def to_records(rankings: list[Ranking]) -> list[dict[str, Any]]:
    """Rankings as JSON records, one a query: ordinals and scores as two lists, best first."""
    return [{"query_id": r.query_id, "chunks": r.chunks, "scores": r.scores} for r in rankings]


def from_records(records: list[dict[str, Any]]) -> list[Ranking]:
    """The inverse of `to_records`."""
    return [Ranking(r["query_id"], tuple(r["chunks"]), tuple(r["scores"])) for r in records]
