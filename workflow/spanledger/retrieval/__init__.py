"""Stage retrieve: one ranking a query and branch, down to the branch's depth."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from spanledger.core.analyzers import analyzer
from spanledger.core.ordering import ordered, tie_ranks
from spanledger.core.plugins import Plugin, is_plugin
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
from spanledger.retrieval.expansion import Synonyms
from spanledger.retrieval.indexing import Index
from spanledger.retrieval.scorers import scorer

_NOT_OF_SCORER = ("index", "scorer", "depth", "tie", "keep_zero", "repeat_query_terms", "expand")


@dataclass(frozen=True, slots=True)
class SearchedTerm:
    """A term that a branch searches for one query: how often it is added (`times`), whether a synonym group brought it
    in, in how many eligible chunks it stands (`df`), and what the scorer makes of that (`parts`: idf for bm25)."""

    term: str
    times: int
    expanded: bool
    df: int
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one occurrence of a term in the query adds to the score of a chunk that holds the term `tf` times; `parts` is
    what the scorer makes of the chunk (tf_part for bm25)."""

    term: str
    tf: int
    value: float
    parts: dict[str, float]


class Retriever:
    """One branch over the index of one eligibility class.

    `setting` is a resolved setting of the section retrieve, `analyzer_name` that of its index, `synonym_groups` those of
    the dataset, which are used where the setting says `expand`. Query terms add their contributions in code point order,
    each once, or with `repeat_query_terms` as often as the query has it. A chunk whose score is not above 0 is no
    candidate, unless the setting says `keep_zero`.
    """

    def __init__(
        self,
        index: Index,
        ties: np.ndarray,
        analyzer_name: str,
        setting: dict[str, Any],
        synonym_groups: Iterable[Iterable[str]] = (),
    ):
        self._index = index
        self._ties = ties
        self._analyse = analyzer(analyzer_name)
        self._depth = setting["depth"]
        self._keep_zero = setting.get("keep_zero", False)
        self._repeat = setting.get("repeat_query_terms", False)
        self._synonyms = Synonyms(synonym_groups if setting.get("expand") else (), self._analyse)
        options = {name: value for name, value in setting.items() if name not in _NOT_OF_SCORER}
        self._scorer = scorer(setting["scorer"], **options)
        self._average = index.average_length
        self._lengths = np.zeros(len(ties))
        self._lengths[index.eligible] = index.lengths
        self._contributions: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def terms(self, query: Query) -> list[str]:
        """The terms that are searched, in code point order: distinct, unless the setting repeats them."""
        own = self._analyse(query.text)
        return sorted([*(own if self._repeat else set(own)), *self._synonyms.added(own)])

    def scores(self, query: Query) -> np.ndarray:
        """The score of every chunk of the table, by ordinal; 0 where it is not eligible or holds no query term."""
        totals = np.zeros(len(self._ties))
        for _, ordinals, contributions in self._added(query):
            totals[ordinals] += contributions
        return totals

    def contributions(self, query: Query, ordinal: int) -> list[Contribution]:
        """What the score of one chunk is made of, in the order in which it is added: one value after the other onto 0.0
        gives the score to the last bit. A term that the query repeats stands there as often."""
        found = []
        for term, ordinals, contributions in self._added(query):
            place = int(np.searchsorted(ordinals, ordinal))
            if place < len(ordinals) and ordinals[place] == ordinal:
                tf = self._index.postings[term][1][place]
                parts = self._scorer.of_chunk(tf, self.length(ordinal), self._average)
                found.append(Contribution(term, tf, float(contributions[place]), parts))
        return found

    def searched(self, query: Query) -> list[SearchedTerm]:
        """The terms that are searched, in code point order, each once."""
        times = Counter(self.terms(query))
        added = set(self._synonyms.added(self._analyse(query.text)))
        count = len(self._index.eligible)
        found = []
        for term, repeats in sorted(times.items()):
            df = len(self._index.postings.get(term, ((),))[0])
            found.append(SearchedTerm(term, repeats, term in added, df, self._scorer.of_term(count, df)))
        return found

    def length(self, ordinal: int) -> int:
        """The length of a chunk in terms; 0 where it is not eligible."""
        return int(self._lengths[ordinal])

    def rank(self, query: Query, cut: bool = True) -> Ranking:
        """The candidates of one query in the order of `ordering`, cut at the depth, or all of them."""
        kept = self._index.eligible if self._keep_zero else None
        return _ranked(query, self.scores(query), kept, self._ties, self._depth if cut else None)

    def count(self, query: Query) -> dict[str, int]:
        """What the query costs by the published accounting: term checks (terms times eligible chunks), contributions
        that are not zero, before the cut, checks of synonym groups and the terms that they added."""
        terms = self.terms(query)
        return {
            "term_checks": len(terms) * len(self._index.eligible),
            "nonzero_contributions": sum(len(self._index.postings.get(term, ((),))[0]) for term in terms),
            "synonym_group_checks": len(self._synonyms),
            "added_terms": len(self._synonyms.added(self._analyse(query.text))),
        }

    def _added(self, query: Query) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """(term, ordinals, contributions) in the order in which scores add them; terms without a chunk are left out."""
        for term in self.terms(query):
            if term in self._index.postings:
                yield term, *self._of_term(term)

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


class PluginRetriever:
    """A branch whose scores are those of a plugin, over the index of one eligibility class.

    The plugin is called with the query's text and the searched texts of the eligible chunks, in the order of the chunk
    table and as one tuple for all queries, and returns a number for each. Numbers have no parts, so `terms`, `searched` and
    `contributions` are empty. Options and order are those of `Retriever`; `chunks` is the whole table.
    """

    def __init__(self, index: Index, ties: np.ndarray, chunks: list[Chunk], setting: dict[str, Any]):
        self._plugin = Plugin(setting["scorer"], "scorer", setting["options"])
        self._eligible = np.array(index.eligible, dtype=np.int64)
        self._lengths = dict(zip(index.eligible, index.lengths, strict=True))
        self._passages = tuple(chunks[ordinal].searched for ordinal in index.eligible)
        self._ties = ties
        self._depth = setting["depth"]
        self._keep_zero = setting.get("keep_zero", False)
        self._last: tuple[Query | None, np.ndarray] = (None, np.zeros(len(ties)))

    def terms(self, query: Query) -> list[str]:
        return []

    def searched(self, query: Query) -> list[SearchedTerm]:
        return []

    def contributions(self, query: Query, ordinal: int) -> list[Contribution]:
        return []

    def length(self, ordinal: int) -> int:
        """The length of a chunk in terms of the index; 0 where it is not eligible."""
        return self._lengths.get(ordinal, 0)

    def scores(self, query: Query) -> np.ndarray:
        """The score of every chunk of the table, by ordinal; 0 where it is not eligible. Kept until another query."""
        if self._last[0] != query:
            totals = np.zeros(len(self._ties))
            if self._passages:
                given = f"query '{query.query_id}'"
                totals[self._eligible] = self._plugin.numbers(given, len(self._passages), query.text, self._passages)
            self._last = (query, totals)
        return self._last[1]

    def rank(self, query: Query, cut: bool = True) -> Ranking:
        """See `Retriever.rank`."""
        kept = self._eligible if self._keep_zero else None
        return _ranked(query, self.scores(query), kept, self._ties, self._depth if cut else None)

    def count(self, query: Query) -> dict[str, int]:
        """No term is searched, so the published accounting has nothing to count."""
        return dict.fromkeys(("term_checks", "nonzero_contributions", "synonym_group_checks", "added_terms"), 0)


def retriever(
    index: Index,
    ties: np.ndarray,
    chunks: list[Chunk],
    analyzer_name: str,
    setting: dict[str, Any],
    synonym_groups: Iterable[Iterable[str]] = (),
) -> Retriever | PluginRetriever:
    """The branch of a setting over the index of one eligibility class; `ties` are those of the whole table `chunks`."""
    if is_plugin(setting["scorer"]):
        return PluginRetriever(index, ties, chunks, setting)
    return Retriever(index, ties, analyzer_name, setting, synonym_groups)


def _ranked(
    query: Query, totals: np.ndarray, kept: Iterable[int] | None, ties: np.ndarray, depth: int | None
) -> Ranking:
    """The chunks of `kept` (None: those that score above 0) in the order of `ordering`, the first `depth` of them."""
    candidates = np.flatnonzero(totals > 0) if kept is None else np.array(kept, dtype=np.int64)
    best = candidates[ordered(candidates, totals[candidates], ties)][:depth]
    return Ranking(query.query_id, tuple(best.tolist()), tuple(totals[best].tolist()))


def retrieve(
    indexes: list[Index],
    chunks: list[Chunk],
    queries: list[Query],
    analyzer_name: str,
    setting: dict[str, Any],
    synonym_groups: Iterable[Iterable[str]] = (),
) -> tuple[list[Ranking], dict[str, Any]]:
    """The rankings of all queries, in the queries' order, and the counters.

    `indexes` are all classes of one eligibility and index setting. Raises ValueError for an unknown scorer, tie key or
    analyzer, and for a query that no index names.
    """
    ties = tie_ranks(chunks, setting["tie"])
    by_query = {}
    for index in indexes:
        branch = retriever(index, ties, chunks, analyzer_name, setting, synonym_groups)
        by_query.update(dict.fromkeys(index.query_ids, branch))
    rankings = []
    counters = dict.fromkeys(("term_checks", "nonzero_contributions", "synonym_group_checks", "added_terms"), 0)
    for query in sorted(queries, key=lambda q: q.order):
        if query.query_id not in by_query:
            raise ValueError(f"query '{query.query_id}' belongs to no eligibility class of the index")
        branch = by_query[query.query_id]
        rankings.append(branch.rank(query))
        for name, number in branch.count(query).items():
            counters[name] += number
    return rankings, {
        "queries": len(rankings),
        "queries_without_candidates": sum(not ranking.chunks for ranking in rankings),
        "candidates": sum(len(ranking.chunks) for ranking in rankings),
        **counters,
    }
