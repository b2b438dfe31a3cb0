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
from functools import cached_property
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
        self._kept: tuple[object, list[Context]] = (None, [])

    def of(self, facts: Sequence[Fact], pool: Collection[int], query: Query, key: object = None) -> Expected:
        """The expectation for the chunks of the pool; there must be a fact. Contexts are kept for the next query with the
        same `key`, which says that it has the same pool and may read the same parents (None: never)."""
        ways, sampled, left = Fraction(0), 0, []
        for fact in facts:
            groups, parts = self._passages.parts(fact, pool, query)
            if not groups and not self._passages.opaque:
                continue  # no choice has what the whole pool lacks
            useful = sorted({number for held in parts.values() for number in held})
            share = self._share(fact, useful, len(pool))
            if share is None:
                left.append((fact, useful))
            else:
                ways += share
        if left:
            contexts = self._contexts(pool, query, key)
            sampled = sum(self._covered(fact, useful, contexts) for fact, useful in left)
        return Expected((ways + Fraction(sampled, self._orders)) / len(facts), SAMPLED if left else EXACT)

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

    def _covered(self, fact: Fact, useful: list[int], contexts: list[Context]) -> int:
        """How many of the contexts cover the fact."""
        if not self._plain:
            return sum(self._passages.covered((fact,), context)[0] for context in contexts)
        held = ([number for number in useful if number in context.chunks] for context in contexts)
        return sum(self._passages.coverage.fact_covered(fact, chosen) for chosen in held if chosen)

    def _contexts(self, pool: Collection[int], query: Query, key: object) -> list[Context]:
        if key is not None and self._kept[0] == key:
            return self._kept[1]
        ordinals = np.array(sorted(pool), dtype=np.intp)
        orders = ordinals[np.argsort(self._places[:, ordinals], axis=1)]
        if self._plain:
            lengths = self._lengths[orders]
            shortest = int(lengths.min())
            walks = zip(orders.tolist(), lengths.tolist(), strict=True)
            contexts = [Context(query.query_id, self._walk(*walk, shortest), ()) for walk in walks]
        else:
            shelf, acl = self._passages.shelf, self._passages.acl
            lists = [Ranking(query.query_id, tuple(order), (0.0,) * len(order)) for order in orders.tolist()]
            contexts = [self._selector.select(ranking, shelf, query, acl) for ranking in lists]
        if key is not None:
            self._kept = (key, contexts)
        return contexts

    @cached_property
    def _places(self) -> np.ndarray:
        return places([chunk.chunk_id for chunk in self._passages.shelf.chunks], self._orders)

    @cached_property
    def _lengths(self) -> np.ndarray:
        return np.array([self._passages.length(chunk.ordinal) for chunk in self._passages.shelf.chunks])

    def _walk(self, order: list[int], lengths: list[int], shortest: int) -> tuple[int, ...]:
        """What a selector takes that looks at nothing but lengths. It ends where the shortest chunk does not fit any
        more, which Selector.select cannot: it says why it passes over the rest."""
        left, most = self._selector.budget, self._selector.top_k
        if left is None:
            return tuple(order[:most])
        taken: list[int] = []
        for ordinal, length in zip(order, lengths, strict=True):
            if length <= left:
                if len(taken) == most:
                    break
                taken.append(ordinal)
                left -= length
            if left < shortest:
                break
        return tuple(taken)


def places(chunk_ids: Sequence[str], orders: int) -> np.ndarray:
    """For each order (a row) the place of every chunk in it."""
    found = np.empty((orders, len(chunk_ids)), dtype=np.int32)
    for number in range(orders):
        digests = [sha256(f"{number}/{chunk_id}".encode()).digest() for chunk_id in chunk_ids]
        found[number, sorted(range(len(digests)), key=digests.__getitem__)] = np.arange(len(digests))
    return found
