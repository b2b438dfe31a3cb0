"""Rankings as the stages pass them on. Their order is that of `ordering`."""

from dataclasses import dataclass, field
from typing import Any

ELSEWHERE = "elsewhere"  # the scorer of rankings that were made by others


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query's candidates, best first: `chunks` are ordinals of the chunk table, each once, and `scores` theirs.

    `reasons` holds what fusion and re-ranking knew of each candidate, as columns in the same order: `ranks` (branch to
    ranks, None where it has none), `rank_before`, `score_before`, `features` (name to numbers).
    """

    query_id: str
    chunks: tuple[int, ...]
    scores: tuple[float, ...]
    reasons: dict[str, Any] = field(default_factory=dict)


def to_records(rankings: list[Ranking]) -> list[dict[str, Any]]:
    """Rankings as JSON records, one a query: ordinals and scores as two lists, best first."""
    return [
        {
            "query_id": r.query_id,
            "chunks": r.chunks,
            "scores": r.scores,
            **({"reasons": r.reasons} if r.reasons else {}),
        }
        for r in rankings
    ]


def from_records(records: list[dict[str, Any]]) -> list[Ranking]:
    """The inverse of `to_records`."""
    return [Ranking(r["query_id"], tuple(r["chunks"]), tuple(r["scores"]), r.get("reasons", {})) for r in records]
