"""The context of one query while it is filled."""

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from spanledger.core import units
from spanledger.core.records import Chunk, DocumentKey
from spanledger.core.spans import Span, covers, length, union
from spanledger.selection.context import OUTSIDE_TOP_K, PARENT_IN_CONTEXT, REDUNDANT, Piece
from spanledger.selection.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Passage:
    """What is sent as one, for these (chunk or parent, candidate); `length` in the selector's unit."""

    key: DocumentKey
    spans: tuple[Span, ...]
    body: str
    members: tuple[tuple[Chunk, int], ...]
    length: int = 0


class Offer(NamedTuple):
    """What taking a candidate would do: what it costs in the selector's unit (0 without one), and the passages of the
    context that it would be merged with, into what (None: with none)."""

    cost: int
    touched: list[Passage]
    merged: Passage | None


_ALONE: list[Passage] = []


class Basket:
    """Takes candidates as the rules of its selector say (see `Selector`). `top_k` and `budget` may be changed on the way,
    by who wants to know what another limit would have done."""

    def __init__(
        self, shelf: Shelf, top_k: int | None, budget: int | None, unit: str | None, drops_redundant: bool, merges: bool
    ):
        self.top_k = top_k
        self.budget = budget
        self.used = 0
        self.taken = 0
        self._shelf = shelf
        self._unit = unit
        self._drops_redundant = drops_redundant
        self._merges = merges
        self._passages: list[
            Passage
        ] = []  # in the order of the first candidate of each; never changed in place: copies share it
        self._parents: frozenset[int] = frozenset()

    def copy(self) -> "Basket":
        """One that is filled alike, and goes its own way from here."""
        return copy(self)

    @property
    def remaining(self) -> int | None:
        return None if self.budget is None else self.budget - self.used

    def fits(self, offer: Offer) -> bool:
        """Whether what remains of the budget is enough for it."""
        return self.budget is None or offer.cost <= self.budget - self.used

    def offer(self, ordinal: int, parent: Chunk | None) -> Offer | str:
        """What taking a candidate would do, whatever the budget, or why it is passed over whatever the budget."""
        chunk = parent or self._shelf.chunks[ordinal]
        if parent and parent.ordinal in self._parents:
            return PARENT_IN_CONTEXT
        if self._drops_redundant and self._holds(chunk):
            return REDUNDANT
        if self.top_k is not None and self.taken == self.top_k:
            return OUTSIDE_TOP_K
        touched = self._touched(chunk) if self._merges else _ALONE
        if not touched:
            return Offer(self.length(ordinal, parent), touched, None)
        merged = self._merged(touched, chunk, ordinal)
        return Offer(merged.length - sum(p.length for p in touched), touched, merged)

    def take(self, ordinal: int, parent: Chunk | None, offer: Offer) -> None:
        """Takes a candidate; `offer` is what `offer` has just said of it."""
        chunk = parent or self._shelf.chunks[ordinal]
        passage = offer.merged or Passage(chunk.key, chunk.spans, chunk.body, ((chunk, ordinal),), offer.cost)
        if parent:
            self._parents |= {parent.ordinal}
        place = self._passages.index(offer.touched[0]) if offer.touched else len(self._passages)
        left = [p for p in self._passages if p not in offer.touched]
        self._passages = [*left[:place], passage, *left[place:]]
        self.taken += 1
        self.used += offer.cost

    def least(self, ordinal: int, parent: Chunk | None) -> int:
        """A number of units that the context grows by at least, from what it is now, until this candidate is in it.

        Where chunks are merged it is 0 or less: units may join, and line feeds between spans vanish. But characters and
        bytes of raw text that the context does not hold are never fewer than they are.
        """
        if not self._merges:
            return self.length(ordinal, parent)
        chunk = self._shelf.chunks[ordinal]
        if self._unit not in ("char", "byte") or not self._shelf.raw:
            return -self.used
        held = union([span for p in self._passages if p.key == chunk.key for span in p.spans])
        line_feeds = sum(len(p.spans) - 1 for p in self._passages)
        return length(union([*held, *chunk.spans])) - length(held) - line_feeds

    def _holds(self, chunk: Chunk) -> bool:
        held = [span for passage in self._passages if passage.key == chunk.key for span in passage.spans]
        return all(covers(held, span) for span in chunk.spans)

    def _touched(self, chunk: Chunk) -> list[Passage]:
        return [p for p in self._passages if p.key == chunk.key and _touch(p.spans, chunk.spans)]

    def length(self, ordinal: int, parent: Chunk | None) -> int:
        """The length of a candidate's passage by itself, in the selector's unit; 0 without one."""
        unit = self._unit
        if unit is None:
            return 0
        if parent is None:
            return self._shelf.length(ordinal, unit)
        return parent.lengths[unit] if unit in parent.lengths else units.count(parent.body, unit)

    def _merged(self, touched: list[Passage], chunk: Chunk, ordinal: int) -> Passage:
        spans = union([*chunk.spans, *(span for passage in touched for span in passage.spans)])
        body = self._shelf.text(chunk.key, spans)
        length = units.count(body, self._unit) if self._unit else 0
        members = (*(member for passage in touched for member in passage.members), (chunk, ordinal))
        return Passage(chunk.key, tuple(spans), body, members, length)

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
