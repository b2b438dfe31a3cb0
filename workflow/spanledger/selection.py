"""Stage select: which candidates make the context of a query, and why the others do not."""

from dataclasses import dataclass
from typing import Any

from spanledger.core import units
from spanledger.core.records import Chunk
from spanledger.ranking import Ranking

OUTSIDE_TOP_K = "outside-top-k"
DOES_NOT_FIT = "does-not-fit"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A run of neighbouring candidates that were passed over for one reason, with what was left of the budget then
    (in the selector's unit; None without a budget)."""

    reason: str
    remaining: int | None
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What would be sent: `chunks` are ordinals in the order of the candidates; `skipped` are the other candidates, in
    the same order."""

    query_id: str
    chunks: tuple[int, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """Walks the candidates in order and keeps each that fits.

    At most `top_k` chunks (None: any number), and at most `budget` units of `unit` in their bodies together (None: any
    length). A chunk is kept whole or not at all; one that does not fit is passed over and the walk goes on. Overlap is
    paid for each time. Costs one pass over the candidates. Raises ValueError without a limit or for one below 1.
    """

    top_k: int | None = None
    budget: int | None = None
    unit: str | None = None

    def __post_init__(self):
        if self.top_k is None and self.budget is None:
            raise ValueError("select: expected top_k, budget or both")
        for name in ("top_k", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"select: {name} must be at least 1, found {value}")
        if (self.budget is None) != (self.unit is None):
            raise ValueError("select: budget and unit belong together")

    def select(self, ranking: Ranking, sizes: list[int]) -> Context:
        """The context of one query; `sizes` holds each chunk's length in the selector's unit, by ordinal."""
        kept: list[int] = []
        skipped: list[tuple[str, int | None, list[int]]] = []
        remaining = self.budget
        for ordinal in ranking.chunks:
            if self.top_k is not None and len(kept) == self.top_k:
                reason = OUTSIDE_TOP_K
            elif remaining is not None and sizes[ordinal] > remaining:
                reason = DOES_NOT_FIT
            else:
                kept.append(ordinal)
                if remaining is not None:
                    remaining -= sizes[ordinal]
                continue
            if skipped and skipped[-1][:2] == (reason, remaining):
                skipped[-1][2].append(ordinal)
            else:
                skipped.append((reason, remaining, [ordinal]))
        runs = tuple(Skipped(reason, left, tuple(ordinals)) for reason, left, ordinals in skipped)
        return Context(ranking.query_id, tuple(kept), runs)


def lengths(chunks: list[Chunk], unit: str | None) -> list[int]:
    """The length of every chunk's body in a unit, by ordinal; empty without a unit."""
    if unit is None:
        return []
    return [chunk.lengths[unit] if unit in chunk.lengths else units.count(chunk.body, unit) for chunk in chunks]


def select(
    candidates: list[Ranking], chunks: list[Chunk], setting: dict[str, Any]
) -> tuple[list[Context], dict[str, Any]]:
    """The contexts of all queries, in the queries' order, and the counters. Every context is checked against its limits
    before it is believed; raises ValueError where one breaks them."""
    selector = Selector(**setting)
    sizes = lengths(chunks, selector.unit)
    contexts = [selector.select(ranking, sizes) for ranking in candidates]
    for context in contexts:
        if selector.budget is not None and sum(sizes[o] for o in context.chunks) > selector.budget:
            raise ValueError(f"select: the context of query '{context.query_id}' is over its budget")
    counters = {
        "queries": len(contexts),
        "empty_contexts": sum(not context.chunks for context in contexts),
        "selected": sum(len(context.chunks) for context in contexts),
        "skipped": {
            reason: sum(len(run.chunks) for context in contexts for run in context.skipped if run.reason == reason)
            for reason in (DOES_NOT_FIT, OUTSIDE_TOP_K)
        },
    }
    return contexts, counters


def to_records(contexts: list[Context]) -> list[dict[str, Any]]:
    """Contexts as JSON records, one a query."""
    return [
        {
            "query_id": context.query_id,
            "chunks": context.chunks,
            "skipped": [
                {"reason": run.reason, "remaining": run.remaining, "chunks": run.chunks} for run in context.skipped
            ],
        }
        for context in contexts
    ]


def from_records(records: list[dict[str, Any]]) -> list[Context]:
    """The inverse of `to_records`."""
    return [
        Context(
            record["query_id"],
            tuple(record["chunks"]),
            tuple(Skipped(r["reason"], r["remaining"], tuple(r["chunks"])) for r in record["skipped"]),
        )
        for record in records
    ]
