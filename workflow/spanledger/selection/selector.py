"""The selector: which candidates make a context, in which order, in what form, and why the others do not."""

from dataclasses import dataclass
from typing import Any

from spanledger.core import units
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, DocumentKey, Query
from spanledger.core.spans import Span, covers, union
from spanledger.selection.context import (
    DOES_NOT_FIT,
    OUTSIDE_TOP_K,
    PARENT_IN_CONTEXT,
    REDUNDANT,
    Context,
    Piece,
    Skipped,
)
from spanledger.selection.mmr import MaximalMarginalRelevance
from spanledger.selection.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Selector:
    """Walks the candidates and takes each that fits.

    At most `top_k` passages (None: any number), and at most `budget` units of `unit` in them together (None: any
    length). A passage is taken whole or not at all; one that does not fit is passed over and the walk goes on. Overlap
    is paid for each time.

    redundancy  drop: a candidate is passed over when the context holds all of its source characters already. One look
                at the context's spans of its document a candidate.
    mmr         the walk goes by maximal marginal relevance instead of rank (see `mmr`).
    parent      the passage is the chunk's parent, a chunk of another chunking that holds all of it, given once: a
                candidate whose parent is there is passed over. A chunk without a parent, or with one that the asker may
                not read, stands for itself. Parents come in the order of their best candidate.
    merge       chunks of one document version that overlap or touch become one passage, at the place of the first, and
                overlap is paid once; what is taken counts as passages before merging. Each candidate's fit is worked
                out with the merged text.

    Raises ValueError without a limit, for one below 1, and for parent and merge together.
    """

    top_k: int | None = None
    budget: int | None = None
    unit: str | None = None
    redundancy: str = "keep"
    mmr: MaximalMarginalRelevance | None = None
    parent: str | None = None
    merge: bool = False

    def __post_init__(self):
        if self.top_k is None and self.budget is None:
            raise ValueError("select: expected top_k, budget or both")
        for name in ("top_k", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"select: {name} must be at least 1, found {value}")
        if (self.budget is None) != (self.unit is None):
            raise ValueError("select: budget and unit belong together")
        if self.redundancy not in ("keep", "drop"):
            raise ValueError(f"select: redundancy '{self.redundancy}': expected keep or drop")
        if self.parent and self.merge:
            raise ValueError("select: parent and merge exclude each other")

    @classmethod
    def of(cls, setting: dict[str, Any]) -> "Selector":
        """The selector of a resolved setting of the section select."""
        mmr = setting.get("mmr")
        return cls(**{**setting, "mmr": None if mmr is None else MaximalMarginalRelevance(**mmr)})

    def select(self, ranking: Ranking, shelf: Shelf, query: Query, acl: str = "ignore") -> Context:
        """The context of one query. `acl` is that of its eligibility: with `asker` a parent is given only to those who
        may read it."""
        basket = _Basket(self, shelf)
        order = self.mmr.order(ranking, self.mmr.terms_of(shelf.chunks)) if self.mmr else iter(ranking.chunks)
        kept: list[int] = []
        skipped: list[tuple[str, int | None, list[int]]] = []
        for ordinal in order:
            parent = self._parent(shelf, ordinal, query, acl)
            reason = basket.take(ordinal, parent)
            if reason is None:
                kept.append(ordinal)
                if self.mmr:
                    order.take(ordinal)
            elif skipped and skipped[-1][:2] == (reason, basket.remaining):
                skipped[-1][2].append(ordinal)
            else:
                skipped.append((reason, basket.remaining, [ordinal]))
        runs = tuple(Skipped(reason, left, tuple(ordinals)) for reason, left, ordinals in skipped)
        return Context(ranking.query_id, tuple(kept), runs, basket.pieces() if self.parent or self.merge else None)

    def _parent(self, shelf: Shelf, ordinal: int, query: Query, acl: str) -> Chunk | None:
        parent = shelf.parent(ordinal) if self.parent else None
        if parent and acl == "asker" and parent.acl is not None and set(parent.acl).isdisjoint(query.groups):
            return None
        return parent


class _Basket:
    """The context while it is filled."""

    def __init__(self, selector: Selector, shelf: Shelf):
        self._selector = selector
        self._shelf = shelf
        self._taken: list[tuple[Chunk, int]] = []  # the passage and the candidate that it was taken for
        self._spans: dict[DocumentKey, list[Span]] = {}
        self._used = 0
        self._parents: set[int] = set()

    @property
    def remaining(self) -> int | None:
        return None if self._selector.budget is None else self._selector.budget - self._used

    def take(self, ordinal: int, parent: Chunk | None) -> str | None:
        """Takes a candidate, or says why not."""
        chunk = parent or self._shelf.chunks[ordinal]
        if parent and parent.ordinal in self._parents:
            return PARENT_IN_CONTEXT
        held = self._spans.get(chunk.key, [])
        if self._selector.redundancy == "drop" and all(covers(held, span) for span in chunk.spans):
            return REDUNDANT
        if self._selector.top_k is not None and len(self._taken) == self._selector.top_k:
            return OUTSIDE_TOP_K
        if self._selector.budget is not None:
            cost = self._cost(ordinal, parent, held)
            if cost > self.remaining:
                return DOES_NOT_FIT
            self._used += cost
        if parent:
            self._parents.add(parent.ordinal)
        self._taken.append((chunk, ordinal))
        self._spans[chunk.key] = [*held, *chunk.spans]
        return None

    def _cost(self, ordinal: int, parent: Chunk | None, held: list[Span]) -> int:
        unit = self._selector.unit
        if parent:
            return parent.lengths[unit] if unit in parent.lengths else units.count(parent.body, unit)
        if not self._selector.merge or not held:
            return self._shelf.length(ordinal, unit)
        chunk = self._shelf.chunks[ordinal]
        return self._merged_length(chunk.key, [*held, *chunk.spans]) - self._merged_length(chunk.key, held)

    def _merged_length(self, key: DocumentKey, spans: list[Span]) -> int:
        return sum(units.count(self._shelf.text(key, [span]), self._selector.unit) for span in union(spans))

    def pieces(self) -> tuple[Piece, ...]:
        """What is sent: parents as they are, or merged chunks."""
        if not self._selector.merge:
            return tuple(
                Piece(chunk.doc_id, chunk.version, chunk.spans, chunk.body, chunk.acl, (ordinal,))
                for chunk, ordinal in self._taken
            )
        found: dict[tuple[DocumentKey, Span], list[tuple[Chunk, int]]] = {}
        for chunk, ordinal in self._taken:
            for merged in union(self._spans[chunk.key]):
                if any(merged[0] <= start and end <= merged[1] for start, end in chunk.spans):
                    found.setdefault((chunk.key, merged), []).append((chunk, ordinal))
        return tuple(
            Piece(
                *key, (span,), self._shelf.text(key, [span]), _common([c.acl for c, _ in of]), tuple(o for _, o in of)
            )
            for (key, span), of in found.items()
        )


def _common(acls: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The groups that may read every part."""
    closed = [set(acl) for acl in acls if acl is not None]
    return tuple(sorted(set.intersection(*closed))) if closed else None
