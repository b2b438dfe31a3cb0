"""Maximal marginal relevance."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

from spanledger.core.analyzers import analyzer
from spanledger.core.ranking import Ranking


@dataclass(frozen=True, slots=True)
class MaximalMarginalRelevance:
    """Takes next the candidate with the greatest weight * relevance - (1 - weight) * similarity.

    Relevance is the candidate's score divided by the first one's (0 where that is not above 0). Similarity is the
    greatest Jaccard index of its distinct terms and those of a chunk in the context already, 0 while that is empty.
    Ties go to the better rank. Costs a sort of the candidates and one comparison of term sets with each of them for
    each chunk taken. Source: Carbonell and Goldstein, The Use of MMR, Diversity-Based Reranking (SIGIR 1998). Raises
    ValueError for a weight outside [0, 1].
    """

    weight: float
    analyzer: str

    def __post_init__(self):
        if not 0 <= self.weight <= 1:
            raise ValueError(f"mmr: weight must be from 0 to 1, found {self.weight}")
        analyzer(self.analyzer)

    def value(self, relevance: float, similarity: float) -> float:
        """What candidates are compared by."""
        return self.weight * relevance - (1 - self.weight) * similarity

    def order(self, ranking: Ranking, terms: Callable[[int], frozenset[str]]) -> "Order":
        """The candidates of one query, to be asked for one at a time; `terms` gives a chunk's by its ordinal."""
        return Order(self, ranking, terms)


def relevance(score: float, first: float) -> float:
    """A candidate's score divided by that of the first one."""
    return score / first if first > 0 else 0.0


def similarity(terms: frozenset[str], others: frozenset[str]) -> float:
    """The Jaccard index of two sets of terms; 0 of two empty ones."""
    both = len(terms & others)
    either = len(terms) + len(others) - both
    return both / either if either else 0.0


class Order:
    """Gives the candidates in the order of maximal marginal relevance to what was taken so far."""

    def __init__(self, rule: MaximalMarginalRelevance, ranking: Ranking, terms: Callable[[int], frozenset[str]]):
        first = ranking.scores[0] if ranking.scores else 0.0
        self._rule = rule
        self._terms = terms
        self._left = dict.fromkeys(ranking.chunks)  # in the order of ranks
        self._queue: list[int] = []  # those left, worst first, until the next one is taken
        self._relevance = {c: relevance(s, first) for c, s in zip(ranking.chunks, ranking.scores, strict=True)}
        self._similarity = dict.fromkeys(ranking.chunks, 0.0)

    def copy(self) -> "Order":
        """One that has come as far, and goes its own way from here."""
        other = copy(self)
        other._left, other._queue, other._similarity = dict(self._left), [*self._queue], dict(self._similarity)
        return other

    def __iter__(self) -> "Order":
        return self

    def __next__(self) -> int:
        if not self._left:
            raise StopIteration
        if not self._queue:
            self._queue = sorted(self._left, key=self.value, reverse=True)  # equals keep the order of ranks
            self._queue.reverse()
        best = self._queue.pop()
        del self._left[best]
        return best

    def take(self, ordinal: int) -> None:
        """Says that a candidate is in the context now."""
        taken = self._terms(ordinal)
        for other in self._left:
            self._similarity[other] = max(self._similarity[other], similarity(taken, self._terms(other)))
        self._queue = []

    def parts(self, ordinal: int) -> dict[str, float]:
        """The same with what it is made of: relevance, similarity, value. It stands still from the candidate's turn on."""
        relevance, similar = self._relevance[ordinal], self._similarity[ordinal]
        return {"relevance": relevance, "similarity": similar, "value": self._rule.value(relevance, similar)}

    def value(self, ordinal: int) -> float:
        """What a candidate that was not taken is compared by now."""
        return self._rule.value(self._relevance[ordinal], self._similarity[ordinal])
