"""What fits into a context: the limits of a selector, for any choice among the passages of a pool."""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable
from dataclasses import replace
from operator import itemgetter

from spanledger.core import units
from spanledger.core.offsets import OffsetMap
from spanledger.core.ranking import Ranking
from spanledger.core.records import Document, DocumentKey, Query
from spanledger.core.spans import Span, covers, length, union
from spanledger.core.tokenizers import is_tokenizer
from spanledger.scoring.passages import Passages
from spanledger.selection.context import Context

_UNBOUNDED = 2**63


class Room:
    """Says of a set of passages whether the selector can take all of them, in some order.

    `fits` holds for every set that the selector can take and for every subset of one, so that a search may grow sets and
    turn back at the first that does not fit. `exact` says that it holds for no other set:

    - chunks and parents whose lengths add up in the text that is sent (`Passages.adds_up`): any order will do. With
      redundancy drop there must be an order in which none is held by those before it; taking away, again and again, one
      that the others do not hold finds it, backwards.
    - chunks and parents whose lengths do not add up, as tokens of joined text may be fewer than those of its parts: what
      each adds at least is summed. `fits` then admits too much, and only a run of the selector tells.
    - merged chunks sent apart, in characters or bytes: the selector's own measure of the set, which no further chunk can
      make smaller, because a gap that is filled costs at least the LF that it had.
    - merged chunks sent apart, in words or lexical units: a cut word that is joined again counts once, so a further chunk
      can make the whole shorter. The words of the document that the set has a part of are counted instead: no context
      that holds the set has fewer. `fits` then admits too much.
    - merged chunks in one text: a further chunk can join two passages and save a separator. The characters of their
      documents are counted, in other units nothing. `fits` then admits too much.
    """

    def __init__(self, passages: Passages, documents: Iterable[Document]):
        self._passages = passages
        self._selector = passages.selector
        self._documents = {document.key: document for document in documents}
        self._peels = self._selector.redundancy == "drop" and not passages.joins
        self._unlimited = replace(
            self._selector, top_k=_UNBOUNDED, budget=None, unit=None, mmr=None, redundancy="keep", parent=None
        )
        self._unordered = replace(self._selector, mmr=None)
        self._atoms: dict[DocumentKey, list[Span]] = {}
        self._grounds: dict[int, list[Span]] = {}
        rendering, by_characters = self._selector.rendering, self._selector.unit in ("char", "byte")
        self._apart = rendering.apart
        around = (rendering.header or "") + (rendering.footer or "")
        self._around = units.count(around, self._selector.unit) if self._selector.merge and by_characters else 0
        if self._selector.budget is None:
            self.exact = True
        elif self._selector.merge:
            self.exact = self._apart and by_characters
        else:
            self.exact = passages.adds_up

    @property
    def allowance(self) -> int | None:
        """What the budget leaves for what `used` counts; None without a budget."""
        if self._selector.merge and self._selector.budget is not None:
            return self._selector.budget - self._around
        return self._passages.allowance

    @property
    def adds_up(self) -> bool:
        """Whether `used` of a set is the sum of its passages' lengths, and nothing but length and number matters."""
        return not self._selector.merge and not self._peels

    def fits(self, chosen: frozenset[int]) -> bool:
        if self._selector.top_k is not None and len(chosen) > self._selector.top_k:
            return False
        if self.allowance is not None and self.used(chosen) > self.allowance:
            return False
        return not self._peels or self._peel(chosen)

    def used(self, chosen: Iterable[int]) -> int:
        """What the set takes of the `allowance` at least; exactly that where `exact`."""
        if not self._selector.merge:
            return sum(map(self._passages.length, chosen))
        if self.exact:
            order = tuple(sorted(chosen))
            context = self._unlimited.select(
                Ranking("", order, (0.0,) * len(order)), self._passages.shelf, Query("", "")
            )
            return sum(units.count(piece.body, self._selector.unit) for piece in context.pieces)
        by_document: dict[DocumentKey, list[Span]] = {}
        for number in chosen:
            by_document.setdefault(self._passages.every[number].key, []).extend(self._ground(number))
        return sum(length(union(spans)) for spans in by_document.values())

    def shares(self, useful: Iterable[int]) -> dict[int, tuple[int, int]]:
        """For each of these passages a fraction (numerator, denominator) of the `allowance`, such that the fractions of any
        set of them add up to no more than the set takes.

        Where lengths add up, the length. Where chunks are merged, what a chunk holds of its document (in characters or
        words of the document, a byte budget too: a character has at least one) divided by the number of the given chunks
        that have some of it in common: a place of the document that n chunks hold gets at most n times 1/n.
        """
        if not self._selector.merge:
            return {number: (self._passages.length(number), 1) for number in useful}
        grounds = {number: (self._passages.every[number].key, self._ground(number)) for number in useful}
        shares = {}
        for number, (key, spans) in grounds.items():
            others = (more for other, more in grounds.values() if other == key)
            meeting = sum(length(union([*spans, *more])) < length(spans) + length(more) for more in others)
            shares[number] = length(spans), max(1, meeting)
        return shares

    def run(self, chosen: Iterable[int], pool: Container[int], query: Query) -> Context:
        """The context that the selector itself makes of the set, offered in the order of the chunk table; a parent by the
        first chunk of the pool that it is given for."""
        order = tuple(sorted({self._passages.offered(number, pool, query) for number in chosen}))
        return self._unordered.select(
            Ranking(query.query_id, order, (0.0,) * len(order)), self._passages.shelf, query, self._passages.acl
        )

    def _peel(self, chosen: frozenset[int]) -> bool:
        left = {number: self._passages.every[number] for number in chosen}
        while left:
            for number, passage in left.items():
                held = [s for n, other in left.items() if n != number and other.key == passage.key for s in other.spans]
                if not all(covers(held, span) for span in passage.spans):
                    break
            else:
                return False
            del left[number]
        return True

    def _ground(self, number: int) -> list[Span]:
        """The places of its document that a chunk holds: characters, or numbers of words or lexical units. None for a
        chunk that was cut inside a changed piece of the text, of which its raw spans tell too much, and none for what any
        further text may join otherwise: tokens, and words that are sent in one text with others."""
        if number not in self._grounds:
            chunk = self._passages.every[number]
            document = self._documents[chunk.key]
            offsets = OffsetMap(document.offsets)
            spans = [offsets.from_raw(span) for span in chunk.spans]
            by_words = self._selector.unit in ("word", "lexical")
            unknown = is_tokenizer(self._selector.unit or "") or (by_words and not self._apart)
            if length(spans) + len(spans) - 1 != len(chunk.body) or unknown:
                spans = []
            elif by_words:
                if chunk.key not in self._atoms:
                    self._atoms[chunk.key] = units.Atoms(document.text, self._selector.unit).spans
                atoms = self._atoms[chunk.key]
                spans = [
                    (bisect_right(atoms, start, key=itemgetter(1)), bisect_left(atoms, end, key=itemgetter(0)))
                    for start, end in spans
                ]
            self._grounds[number] = union(spans)
        return self._grounds[number]
