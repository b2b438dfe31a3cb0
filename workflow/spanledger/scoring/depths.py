"""The smallest depth of one branch, above its own, at which a context covers a fact.

At each depth the candidate list gains one chunk, or one of its chunks moves up (see `Fusion.keys`). A chunk that the
context would pass over where it comes changes nothing. So the selector walks the list again only where the newcomer
would be taken, or was taken before in another place; every depth is looked at, and none is guessed.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from spanledger.core.ranking import Ranking
from spanledger.core.records import Query
from spanledger.fusion import Fusion
from spanledger.gold import Fact
from spanledger.scoring.judge import Judge
from spanledger.selection.basket import Basket
from spanledger.selection.mmr import relevance, similarity
from spanledger.selection.selector import Selector, Walk
from spanledger.selection.shelf import Shelf

Key = tuple[float, float, int]


class Deeper:
    """Asks for larger depths in one arm."""

    def __init__(self, fusion: Fusion, selector: Selector, shelf: Shelf, acl: str, judge: Judge):
        self._fusion = fusion
        self._selector = selector
        self._shelf = shelf
        self._acl = acl
        self._judge = judge

    def smallest(
        self, facts: Iterable[Fact], query: Query, lists: dict[str, Ranking], branch: str, whole: Ranking
    ) -> dict[Fact, int]:
        """The smallest depth of `branch` for each of the facts that some depth brings back.

        `lists` holds the query's ranking in each branch, cut at their own depths, none of which brings a fact back;
        `whole` is that of `branch` without a cut.
        """
        present = len(lists[branch].chunks)
        widest = self._fusion.fuse(query, {**lists, branch: whole})
        start = self._walk(widest, query)
        lost = [f for f in facts if self._possible(f, start, widest.chunks, None)]
        if not lost:
            return {}
        now = self._fusion.fuse(query, lists)
        places = {chunk: place for place, chunk in enumerate(whole.chunks)}
        keys, last = self._fusion.keys(now, places), self._fusion.keys(widest, places)
        timeline = _Timeline(self._walk(now, query), keys, self._selector, self._shelf)
        if len(lists) == 1 and not self._fusion.reranks and not self._selector.mmr:
            # all that is new comes after the walk that was made
            basket, new = timeline.walk.basket, whole.chunks[present:]
            lost = [f for f in lost if self._possible(f, timeline.walk, new, basket.remaining)]
        order = sorted((key, chunk) for chunk, key in keys.items())
        found: dict[Fact, int] = {}
        for depth, chunk in enumerate(whole.chunks[present:], present + 1):
            if not lost:
                break
            key = last[chunk]
            first = order[0][0][0] if order else None
            if chunk in keys:
                del order[bisect_left(order, (keys[chunk], chunk))]
            insort(order, (key, chunk))
            keys[chunk] = key
            if order[-1][1] == chunk and chunk not in timeline.taken and not self._selector.mmr:
                changed = timeline.append(chunk, key)
            else:
                changed = (
                    chunk in timeline.taken
                    or (self._selector.mmr is not None and order[0][0][0] != first)
                    or timeline.takes(chunk, key, -order[0][0][0])
                )
                if changed:
                    ranking = Ranking(query.query_id, tuple(c for _, c in order), tuple(-k[0] for k, _ in order))
                    timeline = _Timeline(self._walk(ranking, query), keys, self._selector, self._shelf)
            if changed:
                back = [fact for fact in lost if self._judge.covers(fact, timeline.walk)]
                found.update(dict.fromkeys(back, depth))
                lost = [fact for fact in lost if fact not in found]
        return found

    def _walk(self, ranking: Ranking, query: Query) -> Walk:
        return self._selector.walk(ranking, self._shelf, query, self._acl)

    def _possible(self, fact: Fact, walk: Walk, chunks: Iterable[int], room: int | None) -> bool:
        return self._judge.possible(fact, walk, self._judge.holders(fact, walk, chunks), room)


class _Timeline:
    """A walk from its start to its end, and the basket as it was before each take. `keys` order the candidates."""

    def __init__(self, walk: Walk, keys: dict[int, Key], selector: Selector, shelf: Shelf):
        self.walk = walk
        self.taken: list[int] = walk.kept
        self._selector = selector
        self._shelf = shelf
        self._keys: list[Key] = []
        self._values: list[float] = []
        self._baskets: list[Basket] = []
        full = selector.top_k
        while len(self.taken) != full and (ordinal := walk.next()) is not None:
            self.append(ordinal, keys[ordinal])

    def append(self, ordinal: int, key: Key) -> bool:
        """Offers the walk a candidate that comes next; says whether it was taken."""
        offer = self.walk.offer(ordinal)
        if isinstance(offer, str) or not self.walk.basket.fits(offer):
            return False
        self._keys.append(key)
        self._values.append(self.walk.value(ordinal) if self._selector.mmr else 0.0)
        self._baskets.append(self.walk.basket.copy())
        self.walk.take(ordinal, offer)
        return True

    def takes(self, ordinal: int, key: Key, first: float) -> bool:
        """Whether the walk would take a candidate of this key if it were there; `first` is the best score of all."""
        place = self._by_value(ordinal, key, first) if self._selector.mmr else bisect_right(self._keys, key)
        basket = self._baskets[place] if place < len(self._baskets) else self.walk.basket
        offer = basket.offer(ordinal, self.walk.parent(ordinal))
        return not isinstance(offer, str) and basket.fits(offer)

    def _by_value(self, ordinal: int, key: Key, first: float) -> int:
        """How many are taken before the walk comes to a candidate, by maximal marginal relevance."""
        mmr, repeated = self._selector.mmr, 0.0
        relevant = relevance(-key[0], first)
        for place, taken in enumerate(self.taken):
            value = mmr.value(relevant, repeated)
            if value > self._values[place] or (value == self._values[place] and key < self._keys[place]):
                return place
            terms = (self._shelf.terms(mmr.analyzer, one) for one in (ordinal, taken))
            repeated = max(repeated, similarity(*terms))
        return len(self.taken)
