"""What the context of a walk holds of a fact while it is filled, and whether it can still come to hold it."""

from collections.abc import Iterable

from spanledger.gold import Fact
from spanledger.scoring.coverage import Coverage
from spanledger.scoring.passages import Passages
from spanledger.selection.selector import Walk


class Judge:
    """Of the walks of one selector over one chunk table, by one coverage rule; `passages` are those of both.

    `grows` says that what a context covers it covers however much more is taken. It is so but for token_share over merged
    chunks: a term that a chunk's edge cuts off can vanish when chunks join.
    """

    def __init__(self, passages: Passages):
        self.grows = not passages.opaque
        self._rule = passages.rule
        self._coverage = passages.of_chunks
        self._chunks = len(passages.shelf.chunks)
        self._reach = passages.coverage
        self._places: dict[Fact, set[int]] = {}

    def covers(self, fact: Fact, walk: Walk) -> bool:
        """Whether what was taken so far covers the fact."""
        pieces = walk.pieces()
        if pieces is None:
            return self._coverage.fact_covered(fact, set(walk.kept))
        return Coverage(pieces, self._rule).fact_covered(fact, range(len(pieces)))

    def holders(self, fact: Fact, walk: Walk, candidates: Iterable[int]) -> set[int]:
        """Those of the candidates that can have a part in covering the fact."""
        if not self.grows:
            return set(candidates)
        places = self._holding(fact)
        if walk.parents is None:
            return places.intersection(candidates)
        return {ordinal for ordinal in candidates if self._place(walk, ordinal) in places}

    def possible(self, fact: Fact, walk: Walk, pending: set[int], room: int | None) -> bool:
        """Whether the walk can still change its answer: False only where no choice among `pending`, the holders not yet
        looked at, can do so in `room` units (None: any number)."""
        basket = walk.basket
        if basket.top_k is not None and basket.taken == basket.top_k:
            return False
        near = (o for o in pending if room is None or basket.least(o, walk.parent(o)) <= room)
        if not self.grows:
            return next(near, None) is not None
        if walk.parents is None:  # a long walk asks often
            places = self._holding(fact).intersection(walk.kept).union(near)
        else:
            places = {self._place(walk, ordinal) for ordinal in (*near, *walk.kept)}
        return self._reach.fact_covered(fact, places)

    def _holding(self, fact: Fact) -> set[int]:
        """All places that can have a part in covering the fact."""
        if fact not in self._places:
            found = (self._reach.holders(evidence) for group in fact.support for evidence in group)
            self._places[fact] = set().union(*found)
        return self._places[fact]

    def _place(self, walk: Walk, ordinal: int) -> int:
        parent = walk.parent(ordinal)
        return ordinal if parent is None else self._chunks + parent.ordinal
