"""Maximal marginal relevance."""

from collections.abc import Callable
from dataclasses import dataclass

from spanledger.core.analyzers import analyzer
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk


@dataclass(frozen=True, slots=True)
class MaximalMarginalRelevance:
    """Takes next the candidate with the greatest weight * relevance - (1 - weight) * similarity.

    Relevance is the candidate's score divided by the first one's (0 where that is not above 0). Similarity is the
    greatest Jaccard index of its distinct terms and those of a chunk in the context already, 0 while that is empty.
    Ties go to the better rank. Costs one comparison of term sets for each candidate and chunk taken. Source: Carbonell
    and Goldstein, The Use of MMR, Diversity-Based Reranking (SIGIR 1998). Raises ValueError for a weight outside [0, 1].
    """

    weight: float
    analyzer: str

    def __post_init__(self):
        if not 0 <= self.weight <= 1:
            raise ValueError(f"mmr: weight must be from 0 to 1, found {self.weight}")
        analyzer(self.analyzer)

    def order(self, ranking: Ranking, terms: Callable[[int], frozenset[str]]) -> "Order":
        """The candidates of one query, to be asked for one at a time."""
        return Order(self.weight, ranking, terms)

    def terms_of(self, chunks: list[Chunk]) -> Callable[[int], frozenset[str]]:
        """The distinct terms of a chunk's body, by ordinal, worked out once each."""
        known: dict[int, frozenset[str]] = {}
        analyse = analyzer(self.analyzer)

        def terms(ordinal: int) -> frozenset[str]:
            if ordinal not in known:
                known[ordinal] = frozenset(analyse(chunks[ordinal].body))
            return known[ordinal]

        return terms


class Order:
    """Gives the candidates in the order of maximal marginal relevance to what was taken so far."""

    def __init__(self, weight: float, ranking: Ranking, terms: Callable[[int], frozenset[str]]):
        top = ranking.scores[0] if ranking.scores and ranking.scores[0] > 0 else 0.0
        self._weight = weight
        self._terms = terms
        self._left = list(ranking.chunks)
        self._relevance = dict(zip(ranking.chunks, (s / top if top else 0.0 for s in ranking.scores), strict=True))
        self._similarity = dict.fromkeys(ranking.chunks, 0.0)

    def __iter__(self) -> "Order":
        return self

    def __next__(self) -> int:
        if not self._left:
            raise StopIteration
        best = max(self._left, key=self._value)  # the first of equals, and the list keeps the order of ranks
        self._left.remove(best)
        return best

    def take(self, ordinal: int) -> None:
        """Says that a candidate is in the context now."""
        taken = self._terms(ordinal)
        for other in self._left:
            both = len(taken & self._terms(other))
            either = len(taken) + len(self._terms(other)) - both
            self._similarity[other] = max(self._similarity[other], both / either if either else 0.0)

    def _value(self, ordinal: int) -> float:
        return self._weight * self._relevance[ordinal] - (1 - self._weight) * self._similarity[ordinal]
