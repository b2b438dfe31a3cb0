"""What an arm's selector covers of chunks in random order: of the whole index, the floor of retrieval, which a ranking
without information would reach; of the candidates, what their own order is worth.

A random order is every order of the chunks with equal probability. Maximal marginal relevance is an order of its own and
is left out. Where the selector takes the first `top_k` chunks and looks at nothing else, the expected recall is worked out
(`exact`); for a fact that more than `FEW` chunks cover jointly, and for every other selector, it is the mean over some
orders (`sampled`). These are fixed: order n is that of the SHA-256 of "n/chunk_id". They serve all queries of an arm.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from math import comb

import numpy as np

from spanledger.core.ranking import Ranking
from spanledger.core.records import Query
from spanledger.gold import Fact
from spanledger.scoring.bounds import EXACT
from spanledger.scoring.passages import Passages
from spanledger.selection.context import Context

SAMPLED = "sampled"
FEW = 8


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
        self._plain = not changed
        self._places: np.ndarray | None = None
        self._kept: tuple[object, list[Context]] = (None, [])

    def of(self, facts: Sequence[Fact], pool: Collection[int], query: Query, key: object = None) -> Expected:
        """The expectation for the chunks of the pool; there must be a fact. Contexts are kept for the next query with the
        same `key`, which says that it has the same pool and may read the same parents (None: never)."""
        closed = [self._probability(fact, pool, query) for fact in facts]
        left = [fact for fact, probability in zip(facts, closed, strict=True) if probability is None]
        covered = sum((p for p in closed if p is not None), Fraction(0))
        if left:
            contexts = self._contexts(pool, query, key)
            covered += Fraction(sum(sum(self._passages.covered(left, one)) for one in contexts), self._orders)
        return Expected(covered / len(facts), SAMPLED if left else EXACT)

    def _probability(self, fact: Fact, pool: Collection[int], query: Query) -> Fraction | None:
        """That the context covers a fact; None where it is not worked out.

        Of n chunks k are taken, every k of them with equal probability. The a chunks that cover the fact alone are all
        missed with probability C(n - a, k) / C(n, k). Of the r others that have a part in it some set of j covers it: that
        these j are taken, none of the other r - j and none of the a, has the probability C(n - a - r, k - j) / C(n, k).
        """
        groups, parts = self._passages.parts(fact, pool, query)
        if not groups and not self._passages.opaque:
            return Fraction(0)  # no choice has what the whole pool lacks
        if not self._plain or self._selector.budget is not None:
            return None
        coverage, size = self._passages.coverage, len(pool)
        taken = min(self._selector.top_k, size)
        useful = sorted({number for evidence in parts for number in parts[evidence]})
        alone = {number for number in useful if coverage.fact_covered(fact, (number,))}
        rest = [number for number in useful if number not in alone]
        if len(rest) > FEW:
            return None
        ways = comb(size, taken) - comb(size - len(alone), taken)
        for members in range(2, min(len(rest), taken) + 1):
            jointly = sum(coverage.fact_covered(fact, chosen) for chosen in combinations(rest, members))
            ways += jointly * comb(size - len(useful), taken - members)
        return Fraction(ways, comb(size, taken))

    def _contexts(self, pool: Collection[int], query: Query, key: object) -> list[Context]:
        if key is not None and self._kept[0] == key:
            return self._kept[1]
        if self._places is None:
            self._places = places([chunk.chunk_id for chunk in self._passages.shelf.chunks], self._orders)
        ordinals = np.array(sorted(pool), dtype=np.intp)
        orders = ordinals[np.argsort(self._places[:, ordinals], axis=1)].tolist()
        if self._plain:
            shortest = min(map(self._passages.length, pool), default=0)
            contexts = [Context(query.query_id, self._walk(order, shortest), ()) for order in orders]
        else:
            shelf, acl = self._passages.shelf, self._passages.acl
            lists = [Ranking(query.query_id, tuple(order), (0.0,) * len(order)) for order in orders]
            contexts = [self._selector.select(ranking, shelf, query, acl) for ranking in lists]
        if key is not None:
            self._kept = (key, contexts)
        return contexts

    def _walk(self, order: list[int], shortest: int) -> tuple[int, ...]:
        """What a selector takes that looks at nothing but lengths. It ends where the shortest chunk does not fit any
        more, which Selector.select cannot: it says why it passes over the rest."""
        left, most = self._selector.budget, self._selector.top_k
        taken: list[int] = []
        for ordinal in order:
            if len(taken) == most or (left is not None and left < shortest):
                break
            if left is not None:
                length = self._passages.length(ordinal)
                if length > left:
                    continue
                left -= length
            taken.append(ordinal)
        return tuple(taken)


def places(chunk_ids: Sequence[str], orders: int) -> np.ndarray:
    """For each order (a row) the place of every chunk in it."""
    found = np.empty((orders, len(chunk_ids)), dtype=np.int32)
    for number in range(orders):
        digests = [sha256(f"{number}/{chunk_id}".encode()).digest() for chunk_id in chunk_ids]
        found[number, sorted(range(len(digests)), key=digests.__getitem__)] = np.arange(len(digests))
    return found
