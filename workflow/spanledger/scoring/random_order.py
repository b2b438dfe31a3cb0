"""What an arm's selector covers of chunks in random order: of the whole index, the floor of retrieval, which a ranking
without information would reach; of the candidates, what their own order is worth.

A random order is every order of the chunks with equal probability. Maximal marginal relevance is an order of its own and
is left out. Where the selector takes the first `top_k` chunks and looks at nothing else, the expected recall is worked out
(`exact`), but for a fact that more than FEW chunks cover jointly; and so it is under a budget where the pool has no more
than FEW chunks and their lengths add up in the text that is sent. In all other cases it is the mean over some orders
(`sampled`). These are fixed: order n is that of the SHA-256 of "n/chunk_id". They serve all queries of an arm.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from math import comb, lcm

import numpy as np

from spanledger.core.ranking import Ranking
from spanledger.core.records import Query
from spanledger.gold import Fact
from spanledger.scoring.bounds import EXACT
from spanledger.scoring.passages import Passages
from spanledger.selection.context import Context

SAMPLED = "sampled"
FEW = 8

Weighed = tuple[tuple[int, ...] | Context, int]  # the passages of a context by number, where they tell what it covers


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected covered facts / required facts, and how it was found: exact or sampled."""

    recall: Fraction
    kind: str


class RandomOrder:
    """Expected recall for the queries of one arm; `orders` is the number of orders of a sampled mean, at least 1."""

    def __init__(self, passages: Passages, orders: int):
        self._passages = passages
        self._selector = replace(passages.selector, mmr=None)
        self._orders = orders
        changed = passages.selector.parent or passages.selector.merge or passages.selector.redundancy == "drop"
        self._plain = not changed and passages.adds_up
        self._kept: tuple[object, list[Weighed]] = (None, [])

    def of(self, facts: Sequence[Fact], pool: Collection[int], query: Query, key: object = None) -> Expected:
        """The expectation for the chunks of the pool; there must be a fact. Contexts are kept for the next query with the
        same `key`, which says that it has the same pool and may read the same parents (None: never)."""
        covered, left = Fraction(0), []
        for fact in facts:
            groups, parts = self._passages.parts(fact, pool, query)
            if not groups and not self._passages.opaque:
                continue  # no choice has what the whole pool lacks
            useful = sorted({number for held in parts.values() for number in held})
            share = self._share(fact, useful, len(pool))
            if share is None:
                left.append((fact, useful))
            else:
                covered += share
        kind = EXACT
        if left:
            small = self._plain and len(pool) <= FEW
            kind = EXACT if small else SAMPLED
            wanted = {number for _, useful in left for number in useful}
            contexts = self._all(pool) if small else self._sample(pool, query, wanted, key)
            covered += sum(self._covered(fact, useful, contexts) for fact, useful in left)
        return Expected(covered / len(facts), kind)

    def _share(self, fact: Fact, useful: list[int], size: int) -> Fraction | None:
        """The share of all contexts that cover a fact, of a pool of that size in which the useful chunks have a part in
        it; None where it is not worked out.

        Of n chunks k are taken, every k of them as often. The a chunks that cover the fact alone are all missed by
        C(n - a, k) of the C(n, k) contexts. Of the r others, these j and no others of them, and none of the a, are taken
        by C(n - a - r, k - j) contexts, for each set of j that covers the fact jointly.
        """
        if not self._plain or self._selector.budget is not None:
            return None
        coverage, taken = self._passages.coverage, min(self._selector.top_k, size)
        rest = [number for number in useful if not coverage.fact_covered(fact, (number,))]
        if len(rest) > FEW:
            return None
        ways = comb(size, taken) - comb(size - len(useful) + len(rest), taken)
        for members in range(2, min(len(rest), taken) + 1):
            jointly = sum(coverage.fact_covered(fact, chosen) for chosen in combinations(rest, members))
            ways += jointly * comb(size - len(useful), taken - members)
        return Fraction(ways, comb(size, taken))

    def _covered(self, fact: Fact, useful: list[int], contexts: list[Weighed]) -> Fraction:
        """How much of the weight of the contexts is of those that cover the fact."""
        found = 0
        for taken, weight in contexts:
            if isinstance(taken, Context):
                (held,) = self._passages.covered((fact,), taken)
            else:
                chosen = [number for number in useful if number in taken]
                held = bool(chosen) and self._passages.coverage.fact_covered(fact, chosen)
            found += weight * held
        return Fraction(found, sum(weight for _, weight in contexts))

    def _all(self, pool: Collection[int]) -> list[Weighed]:
        """All contexts of a selector that looks at nothing but lengths, weighed by their probability.

        What was passed over fits no more, for less and less is left. So the next chunk to be taken is any of those that
        are not in the context and fit, with equal probability.
        """
        whole = lcm(*range(1, len(pool) + 1))  # of which each of so many that fit gets an equal part
        open_sets, done = {frozenset[int](): whole ** len(pool)}, []
        while open_sets:
            grown: dict[frozenset[int], int] = {}
            for taken, weight in open_sets.items():
                left = self._passages.allowance - sum(map(self._passages.length, taken))
                fitting = [n for n in pool if n not in taken and self._passages.length(n) <= left]
                if not fitting or len(taken) == self._selector.top_k:
                    done.append((tuple(taken), weight))
                    continue
                for number in fitting:
                    more = taken | {number}
                    grown[more] = grown.get(more, 0) + weight // len(fitting)
            open_sets = grown
        return done

    def _sample(self, pool: Collection[int], query: Query, wanted: set[int], key: object) -> list[Weighed]:
        """The contexts of the fixed orders, each of weight 1. Without a key only those of the `wanted` passages matter."""
        if key is not None and self._kept[0] == key:
            return self._kept[1]
        ordinals = np.array(sorted(pool), dtype=np.intp)
        rows = np.arange(self._orders)[:, np.newaxis]
        orders = self._chunks_at[rows, np.sort(self._places[:, ordinals], axis=1)]
        if self._plain:
            weighed = [(taken, 1) for taken in self._by_length(orders)]
        else:
            pending = set(pool)
            if key is None and not self._passages.opaque:
                pending = self._passages.candidates(wanted, pool)
            weighed = [(self._walk(tuple(order), pending, query), 1) for order in orders.tolist()]
        if key is not None:
            self._kept = (key, weighed)
        return weighed

    def _walk(self, order: tuple[int, ...], pending: set[int], query: Query) -> tuple[int, ...] | Context:
        """What the selector takes of an order, until none of the pending chunks is left that could be taken."""
        ranking = Ranking(query.query_id, order, (0.0,) * len(order))
        walk = self._selector.walk(ranking, self._passages.shelf, query, self._passages.acl)
        left, basket = set(pending), walk.basket
        while left and (ordinal := walk.next()) is not None:
            left.discard(ordinal)
            if walk.put(ordinal) is not None:
                continue
            if basket.taken == basket.top_k:
                break
            if len(left) <= FEW and basket.budget is not None:
                least = min((basket.least(other, walk.parent(other)) for other in left), default=0)
                if least > basket.remaining:
                    break
        if self._passages.opaque:
            return Context(query.query_id, tuple(walk.kept), (), walk.pieces())
        return tuple(self._passages.number(ordinal, query) for ordinal in walk.kept)

    @cached_property
    def _places(self) -> np.ndarray:
        return places([chunk.chunk_id for chunk in self._passages.shelf.chunks], self._orders)

    @cached_property
    def _chunks_at(self) -> np.ndarray:
        """For each order (a row) the chunk at every place."""
        return np.argsort(self._places, axis=1)

    @cached_property
    def _lengths(self) -> np.ndarray:
        return np.array([self._passages.length(chunk.ordinal) for chunk in self._passages.shelf.chunks])

    def _by_length(self, orders: np.ndarray) -> Iterator[tuple[int, ...]]:
        """What a selector takes of each order that looks at nothing but lengths: all until one does not fit, and of the
        others those that still do. Selector.walk takes the same, a step at a time."""
        most, budget = self._selector.top_k, self._passages.allowance
        if budget is None:
            yield from map(tuple, orders[:, :most].tolist())
            return
        lengths = self._lengths[orders]
        used, shortest = lengths.cumsum(axis=1), int(lengths.min())
        for row, first in enumerate((used <= budget).sum(axis=1).tolist()):
            taken = orders[row, :first].tolist()
            left = budget - (int(used[row, first - 1]) if first else 0)
            fitting = np.flatnonzero(lengths[row, first:] <= left).tolist() if left >= shortest else []
            for place in fitting:
                length = int(lengths[row, first + place])
                if length <= left:
                    taken.append(int(orders[row, first + place]))
                    left -= length
            yield tuple(taken[:most])


def places(chunk_ids: Sequence[str], orders: int) -> np.ndarray:
    """For each order (a row) the place of every chunk in it."""
    found = np.empty((orders, len(chunk_ids)), dtype=np.int32)
    for number in range(orders):
        digests = [sha256(f"{number}/{chunk_id}".encode()).digest() for chunk_id in chunk_ids]
        found[number, sorted(range(len(digests)), key=digests.__getitem__)] = np.arange(len(digests))
    return found
