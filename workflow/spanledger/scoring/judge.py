"""What the context of a walk holds of a fact while it is filled, and whether it can still come to hold it."""

from collections.abc import Iterable, Sequence

from spanledger.core.records import Chunk
from spanledger.gold import Fact
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.selection.selector import Selector, Walk


class Judge:
    """Of the walks of one selector over one chunk table, by one coverage rule; `coverage` is that of the table.

    `grows` says that what a context covers it covers however much more is taken. It is so but for token_share over merged
    chunks: a term that a chunk's edge cuts off can vanish when chunks join.
    """

    def __init__(
        self, selector: Selector, rule: Rule, coverage: Coverage, chunks: Sequence[Chunk], parents: Sequence[Chunk] = ()
    ):
        self.grows = not (selector.merge and rule.name == "token_share")
        self._rule = rule
        self._coverage = coverage
        self._chunks = len(chunks)
        # What passages can hold together, by the places of chunks and after them of parents. Merged chunks hold
        # together what they hold side by side.
        self._reach = coverage
        if selector.parent:
            self._reach = Coverage([*chunks, *parents], rule)
        elif selector.merge and rule.name == "one_chunk":
            self._reach = Coverage(chunks, Rule({"rule": "span"}))

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
        places = {place for group in fact.support for evidence in group for place in self._reach.holders(evidence)}
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
        places = {self._place(walk, ordinal) for ordinal in (*near, *walk.kept)}
        return self._reach.fact_covered(fact, places)

    def _place(self, walk: Walk, ordinal: int) -> int:
        parent = walk.parent(ordinal)
        return ordinal if parent is None else self._chunks + parent.ordinal
