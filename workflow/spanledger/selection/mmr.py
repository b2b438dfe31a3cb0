"""Maximal marginal relevance."""

from collections.abc import Callable, Iterator
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

    def order(self, ranking: Ranking, terms: Callable[[int], frozenset[str]]) -> "Order":
        """The candidates of one query, to be asked for one at a time; `terms` gives a chunk's by its ordinal."""
        return Order(self.weight, ranking, terms)


class Order:
    """Gives the candidates in the order of maximal marginal relevance to what was taken so far."""

    def __init__(self, weight: float, ranking: Ranking, terms: Callable[[int], frozenset[str]]):
        top = ranking.scores[0] if ranking.scores and ranking.scores[0] > 0 else 0.0
        self._weight = weight
        self._terms = terms
        self._left = dict.fromkeys(ranking.chunks)  # in the order of ranks
        self._queue: Iterator[int] | None = None  # those left, best first, until the next one is taken
        self._relevance = dict(zip(ranking.chunks, (s / top if top else 0.0 for s in ranking.scores), strict=True))
        self._similarity = dict.fromkeys(ranking.chunks, 0.0)

    def __iter__(self) -> "Order":
        return self

    def __next__(self) -> int:
        if not self._left:
            raise StopIteration
        if self._queue is None:
            self._queue = iter(sorted(self._left, key=self._value, reverse=True))  # equals keep the order of ranks
        best = next(self._queue)
        del self._left[best]
        return best

    def take(self, ordinal: int) -> None:
        """Says that a candidate is in the context now."""
        taken = self._terms(ordinal)
        for other in self._left:
            both = len(taken & self._terms(other))
            either = len(taken) + len(self._terms(other)) - both
            self._similarity[other] = max(self._similarity[other], both / either if either else 0.0)
        self._queue = None

    def parts(self, ordinal: int) -> dict[str, float]:
        """What a candidate's place in the order was made of when it was given, or is made of now."""
        relevance, similarity = self._relevance[ordinal], self._similarity[ordinal]
        return {"relevance": relevance, "similarity": similarity, "value": self._value(ordinal)}

    def _value(self, ordinal: int) -> float:
        return self._weight * self._relevance[ordinal] - (1 - self._weight) * self._similarity[ordinal]
