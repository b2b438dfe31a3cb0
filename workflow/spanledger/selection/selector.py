"""The selector: which candidates make a context, in which order, in what form, and why the others do not."""

from dataclasses import dataclass
from functools import partial
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
    merge       chunks of one document version that overlap or touch become one passage, at the place of the first: the
                text of their spans together, joined by LF where there is a gap. Overlap is paid once, and each
                candidate's fit is worked out with the merged text; top_k counts what is taken before merging.

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
        order = self.mmr.order(ranking, partial(shelf.terms, self.mmr.analyzer)) if self.mmr else iter(ranking.chunks)
        kept: list[int] = []
        skipped: list[tuple[str, int | None, list[int]]] = []
        for ordinal in order:
            parent = self.parent_of(shelf, ordinal, query, acl)
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

    def parent_of(self, shelf: Shelf, ordinal: int, query: Query, acl: str) -> Chunk | None:
        """What a candidate is given as: its parent; None where it stands for itself (see `Selector`)."""
        parent = shelf.parent(ordinal) if self.parent else None
        if parent and acl == "asker" and parent.acl is not None and set(parent.acl).isdisjoint(query.groups):
            return None
        return parent


@dataclass(frozen=True, slots=True)
class _Passage:
    """What is sent as one, for these (chunk or parent, candidate); `length` in the selector's unit."""

    key: DocumentKey
    spans: tuple[Span, ...]
    body: str
    members: tuple[tuple[Chunk, int], ...]
    length: int = 0


class _Basket:
    """The context while it is filled."""

    def __init__(self, selector: Selector, shelf: Shelf):
        self._selector = selector
        self._shelf = shelf
        self._passages: list[_Passage] = []  # in the order of the first candidate of each
        self._taken = 0
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
        if self._selector.redundancy == "drop" and self._holds(chunk):
            return REDUNDANT
        if self._selector.top_k is not None and self._taken == self._selector.top_k:
            return OUTSIDE_TOP_K
        touched = self._touched(chunk) if self._selector.merge else []
        merged = self._merged(touched, chunk, ordinal) if touched else None
        cost = merged.length - sum(p.length for p in touched) if merged else self._length(ordinal, parent)
        if self._selector.budget is not None and cost > self.remaining:
            return DOES_NOT_FIT
        passage = merged or _Passage(chunk.key, chunk.spans, chunk.body, ((chunk, ordinal),), cost)
        if parent:
            self._parents.add(parent.ordinal)
        place = self._passages.index(touched[0]) if touched else len(self._passages)
        left = [p for p in self._passages if p not in touched]
        self._passages = [*left[:place], passage, *left[place:]]
        self._taken += 1
        self._used += cost
        return None

    def _holds(self, chunk: Chunk) -> bool:
        held = [span for passage in self._passages if passage.key == chunk.key for span in passage.spans]
        return all(covers(held, span) for span in chunk.spans)

    def _touched(self, chunk: Chunk) -> list[_Passage]:
        return [p for p in self._passages if p.key == chunk.key and _touch(p.spans, chunk.spans)]

    def _length(self, ordinal: int, parent: Chunk | None) -> int:
        unit = self._selector.unit
        if unit is None:
            return 0
        if parent is None:
            return self._shelf.length(ordinal, unit)
        return parent.lengths[unit] if unit in parent.lengths else units.count(parent.body, unit)

    def _merged(self, touched: list[_Passage], chunk: Chunk, ordinal: int) -> _Passage:
        spans = union([*chunk.spans, *(span for passage in touched for span in passage.spans)])
        body = self._shelf.text(chunk.key, spans)
        length = units.count(body, self._selector.unit) if self._selector.unit else 0
        members = (*(member for passage in touched for member in passage.members), (chunk, ordinal))
        return _Passage(chunk.key, tuple(spans), body, members, length)

    def pieces(self) -> tuple[Piece, ...]:
        """What is sent: parents, or merged chunks."""
        return tuple(
            Piece(
                *passage.key,
                passage.spans,
                passage.body,
                _common([chunk.acl for chunk, _ in passage.members]),
                tuple(ordinal for _, ordinal in passage.members),
            )
            for passage in self._passages
        )


def _touch(spans: tuple[Span, ...], others: tuple[Span, ...]) -> bool:
    """Whether some two of the spans overlap or touch."""
    return any(a[0] <= b[1] and b[0] <= a[1] for a in spans for b in others)


def _common(acls: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The groups that may read every part."""
    closed = [set(acl) for acl in acls if acl is not None]
    return tuple(sorted(set.intersection(*closed))) if closed else None
