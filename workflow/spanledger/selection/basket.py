"""The context of one query while it is filled."""

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from spanledger.core.records import Chunk, DocumentKey
from spanledger.core.spans import Span, covers, length, union
from spanledger.selection.context import OUTSIDE_TOP_K, PARENT_IN_CONTEXT, REDUNDANT, Piece
from spanledger.selection.measure import Measure, Sent
from spanledger.selection.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Passage:
    """What is sent as one, for these (chunk or parent, candidate)."""

    key: DocumentKey
    spans: tuple[Span, ...]
    body: str
    members: tuple[tuple[Chunk, int], ...]

    @property
    def doc_id(self) -> str:
        return self.key[0]

    @property
    def version(self) -> str:
        return self.key[1]

    @property
    def heading(self) -> str:
        """That of the chunk it begins with."""
        chunk, _ = min(self.members, key=lambda member: (member[0].spans, member[0].ordinal))
        return chunk.heading


class Offer(NamedTuple):
    """What taking a candidate would do: what the context grows by in the selector's unit (0 without one; where words or
    tokens join it may be less than 0), the passages of the context that it would be merged with, into what (None: with
    none), and the context's length as `Measure.total` has it, a passage at a time from the first that is new."""

    cost: int
    touched: list[Passage]
    merged: Passage | None
    sent: tuple[Sent, ...]


_ALONE: list[Passage] = []


class Basket:
    """Takes candidates as the rules of its selector say (see `Selector`). `top_k` and `budget` may be changed on the way,
    by who wants to know what another limit would have done."""

    def __init__(
        self,
        shelf: Shelf,
        top_k: int | None,
        budget: int | None,
        measure: Measure | None,
        drops_redundant: bool,
        merges: bool,
    ):
        self.top_k = top_k
        self.budget = budget
        self.taken = 0
        self._shelf = shelf
        self._measure = measure
        self._drops_redundant = drops_redundant
        self._merges = merges
        # In the order of the first candidate of each, and the context up to each; never changed in place: copies share it.
        self._passages: list[Passage] = []
        self._sent: list[Sent] = [measure.empty] if measure else []
        self._weight = 0  # of the chunks and parents that were taken
        self.used = measure.total(measure.empty) if measure else 0
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

    def refusal(self, ordinal: int, parent: Chunk | None) -> str | None:
        """Why a candidate is passed over whatever the budget; None where it is not."""
        if parent and parent.ordinal in self._parents:
            return PARENT_IN_CONTEXT
        if self._drops_redundant and self._holds(parent or self._shelf.chunks[ordinal]):
            return REDUNDANT
        if self.top_k is not None and self.taken == self.top_k:
            return OUTSIDE_TOP_K
        return None

    def too_long(self, ordinal: int, parent: Chunk | None) -> bool:
        """Whether a candidate cannot fit, as far as lengths tell that are known without the text; False is no claim."""
        if self.budget is None or self._merges:
            return False
        weight = self._measure.weight(parent or self._shelf.chunks[ordinal])
        return self._measure.floor + self._weight + weight > self.budget

    def offer(self, ordinal: int, parent: Chunk | None) -> Offer | str:
        """What taking a candidate would do, whatever the budget, or why it is passed over whatever the budget."""
        refusal = self.refusal(ordinal, parent)
        if refusal is not None:
            return refusal
        chunk = parent or self._shelf.chunks[ordinal]
        touched = self._touched(chunk) if self._merges else _ALONE
        merged = self._merged(touched, chunk, ordinal) if touched else None
        if self._measure is None:
            return Offer(0, touched, merged, ())
        place = self._passages.index(touched[0]) if touched else len(self._passages)
        sent, grown = self._sent[place], []
        for passage in (merged or chunk, *(p for p in self._passages[place:] if p not in touched)):
            sent = self._measure.add(sent, passage)
            grown.append(sent)
        return Offer(self._measure.total(sent) - self.used, touched, merged, tuple(grown))

    def take(self, ordinal: int, parent: Chunk | None, offer: Offer) -> None:
        """Takes a candidate; `offer` is what `offer` has just said of it."""
        chunk = parent or self._shelf.chunks[ordinal]
        passage = offer.merged or Passage(chunk.key, chunk.spans, chunk.body, ((chunk, ordinal),))
        if parent:
            self._parents |= {parent.ordinal}
        place = self._passages.index(offer.touched[0]) if offer.touched else len(self._passages)
        left = [p for p in self._passages if p not in offer.touched]
        self._passages = [*left[:place], passage, *left[place:]]
        self.taken += 1
        if self._measure:
            self._sent = [*self._sent[: place + 1], *offer.sent]
            self.used += offer.cost
            self._weight += self._measure.weight(chunk)

    def least(self, ordinal: int, parent: Chunk | None) -> int:
        """A number of units that the context grows by at least, from what it is now, until this candidate is in it.

        Where chunks are merged units may join, and line feeds between spans, separators and what a template adds vanish.
        But characters and bytes of raw text that the context does not hold are never fewer than they are.
        """
        measure = self._measure
        if measure is None:
            return 0
        if not self._merges:
            return measure.floor + self._weight + measure.weight(parent or self._shelf.chunks[ordinal]) - self.used
        chunk = self._shelf.chunks[ordinal]
        if measure.unit not in ("char", "byte") or not self._shelf.raw:
            return -self.used
        held = union([span for p in self._passages if p.key == chunk.key for span in p.spans])
        new = length(union([*held, *chunk.spans])) - length(held)
        if measure.rendering.apart:
            return new - sum(len(p.spans) - 1 for p in self._passages)
        spans: dict[DocumentKey, list[Span]] = {}
        for p in self._passages:
            spans.setdefault(p.key, []).extend(p.spans)
        return measure.total(measure.empty) + sum(length(union(s)) for s in spans.values()) + new - self.used

    def _holds(self, chunk: Chunk) -> bool:
        held = [span for passage in self._passages if passage.key == chunk.key for span in passage.spans]
        return all(covers(held, span) for span in chunk.spans)

    def _touched(self, chunk: Chunk) -> list[Passage]:
        return [p for p in self._passages if p.key == chunk.key and _touch(p.spans, chunk.spans)]

    def _merged(self, touched: list[Passage], chunk: Chunk, ordinal: int) -> Passage:
        spans = union([*chunk.spans, *(span for passage in touched for span in passage.spans)])
        body = self._shelf.text(chunk.key, spans)
        members = (*(member for passage in touched for member in passage.members), (chunk, ordinal))
        return Passage(chunk.key, tuple(spans), body, members)

    def pieces(self) -> tuple[Piece, ...]:
        """What is sent: parents, or merged chunks."""
        return tuple(
            Piece(
                *passage.key,
                passage.spans,
                passage.body,
                _common([chunk.acl for chunk, _ in passage.members]),
                tuple(ordinal for _, ordinal in passage.members),
                passage.heading,
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
