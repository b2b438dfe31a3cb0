"""Stage retrieve: one ranking a query and branch, down to the branch's depth."""

from typing import Any

import numpy as np

from spanledger.analyzers import analyzer
from spanledger.core.records import Chunk, Query
from spanledger.indexing import Index
from spanledger.ordering import ordered, tie_ranks
from spanledger.ranking import Ranking
from spanledger.scorers import scorer

_NOT_OF_SCORER = ("index", "scorer", "depth", "tie")


class Retriever:
    """One branch over the index of one eligibility class.

    `setting` is a resolved setting of the section retrieve, `analyzer_name` that of its index. Distinct query terms add
    their contributions in code point order; a chunk whose score is not above 0 is no candidate.
    """

    def __init__(self, index: Index, ties: np.ndarray, analyzer_name: str, setting: dict[str, Any]):
        self._index = index
        self._ties = ties
        self._analyse = analyzer(analyzer_name)
        self._depth = setting["depth"]
        options = {name: value for name, value in setting.items() if name not in _NOT_OF_SCORER}
        self._scorer = scorer(setting["scorer"], **options)
        self._average = index.average_length
        self._lengths = np.zeros(len(ties))
        self._lengths[index.eligible] = index.lengths
        self._contributions: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def terms(self, query: Query) -> list[str]:
        """The distinct terms of the query, in code point order."""
        return sorted(set(self._analyse(query.text)))

    def scores(self, query: Query) -> np.ndarray:
        """The score of every chunk of the table, by ordinal; 0 where it is not eligible or holds no query term."""
        totals = np.zeros(len(self._ties))
        for term in self.terms(query):
            if term in self._index.postings:
                ordinals, contributions = self._of_term(term)
                totals[ordinals] += contributions
        return totals

    def rank(self, query: Query) -> Ranking:
        """The candidates of one query in the order of `ordering`, cut at the depth."""
        totals = self.scores(query)
        candidates = np.flatnonzero(totals > 0)
        best = candidates[ordered(candidates, totals[candidates], self._ties)[: self._depth]]
        return Ranking(query.query_id, tuple(best.tolist()), tuple(totals[best].tolist()))

    def count(self, query: Query) -> tuple[int, int]:
        """Term checks (terms times eligible chunks) and contributions that are not zero, before the cut."""
        terms = self.terms(query)
        held = sum(len(self._index.postings[term][0]) for term in terms if term in self._index.postings)
        return len(terms) * len(self._index.eligible), held

    def _of_term(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        if term not in self._contributions:
            ordinals, counts = (np.array(column) for column in self._index.postings[term])
            self._contributions[term] = (
                ordinals,
                self._scorer.contributions(
                    counts.astype(np.float64),
                    self._lengths[ordinals],
                    len(self._index.eligible),
                    self._average,
                ),
            )
        return self._contributions[term]


def retrieve(
    indexes: list[Index], chunks: list[Chunk], queries: list[Query], analyzer_name: str, setting: dict[str, Any]
) -> tuple[list[Ranking], dict[str, Any]]:
    """The rankings of all queries, in the queries' order, and the counters.

    `indexes` are all classes of one eligibility and index setting. Raises ValueError for an unknown scorer, tie key or
    analyzer, and for a query that no index names.
    """
    ties = tie_ranks(chunks, setting["tie"])
    by_query = {}
    for index in indexes:
        retriever = Retriever(index, ties, analyzer_name, setting)
        by_query.update(dict.fromkeys(index.query_ids, retriever))
    rankings = []
    checks = contributions = 0
    for query in sorted(queries, key=lambda q: q.order):
        if query.query_id not in by_query:
            raise ValueError(f"query '{query.query_id}' belongs to no eligibility class of the index")
        retriever = by_query[query.query_id]
        rankings.append(retriever.rank(query))
        checked, held = retriever.count(query)
        checks, contributions = checks + checked, contributions + held
    counters = {
        "queries": len(rankings),
        "queries_without_candidates": sum(not ranking.chunks for ranking in rankings),
        "candidates": sum(len(ranking.chunks) for ranking in rankings),
        "term_checks": checks,
        "nonzero_contributions": contributions,
    }
    return rankings, counters
