"""Stage fuse: one candidate list a query, from the rankings of one or more branches, re-ranked or not."""

from collections.abc import Mapping
from typing import Any

from spanledger.core.ordering import tie_ranks
from spanledger.core.plugins import FORM, is_plugin
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
from spanledger.fusion.plugin import PluginReranker
from spanledger.fusion.rrf import ReciprocalRankFusion
from spanledger.fusion.rules import RuleReranker

METHODS = ("single", "rrf")
RERANKERS = {"rule": RuleReranker}


def fuse(
    branches: dict[str, list[Ranking]], chunks: list[Chunk], queries: list[Query], setting: dict[str, Any]
) -> tuple[list[Ranking], dict[str, Any]]:
    """The candidate lists of all queries, in the queries' order, and the counters.

    `branches` leads from the name of each branch of the setting to its rankings, all over the chunk table `chunks`. A
    chunk that several branches found is one candidate. The method single passes its one branch as it is. Raises
    ValueError where the branches do not match the setting or a query, and for a value out of range.
    """
    fusion = Fusion(setting, chunks)
    found_by = _by_query(branches, queries, setting)
    asked = sorted(queries, key=lambda q: q.order)
    candidates = [fusion.fuse(query, found_by[query.query_id]) for query in asked]
    visits = 0 if setting["method"] == "single" else sum(len(r.chunks) for rs in branches.values() for r in rs)
    found = sum(len(ranking.chunks) for ranking in candidates)
    return candidates, {
        "queries": len(candidates),
        "candidates": found,
        "candidate_char": sum(chunks[o].lengths["char"] for ranking in candidates for o in ranking.chunks),
        "rank_visits": visits,
        "merged_duplicates": visits - found if visits else 0,
        "rule_evaluations": found if fusion.reranks else 0,
    }


class Fusion:
    """One setting of the section fuse over one chunk table. Raises ValueError for a method, a re-ranker or a number of
    branches that is not possible, and for a value out of range."""

    def __init__(self, setting: dict[str, Any], chunks: list[Chunk]):
        if setting["method"] not in METHODS:
            raise ValueError(f"fuse: method '{setting['method']}': expected one of {', '.join(METHODS)}")
        if setting["method"] == "single" and len(setting["branches"]) != 1:
            raise ValueError(f"fuse: method 'single' takes one branch, found {len(setting['branches'])}")
        self._chunks = chunks
        self._rrf = ReciprocalRankFusion(setting["k"]) if setting["method"] == "rrf" else None
        self._ties = tie_ranks(chunks, setting["tie"]) if self._rrf else None
        self._reranker = reranker_of(setting)

    @property
    def reranks(self) -> bool:
        """Whether there is a re-ranker."""
        return self._reranker is not None

    @property
    def is_opaque(self) -> bool:
        """Whether what a candidate gets may depend on the others: a plugin sees all of them."""
        return isinstance(self._reranker, PluginReranker)

    def merge(self, branches: dict[str, Ranking]) -> Ranking:
        """The list of one query, from its ranking in each branch, as it is before re-ranking."""
        first = next(iter(branches.values()))
        return self._rrf.merge(first.query_id, branches, self._ties) if self._rrf else first

    def keys(self, ranking: Ranking, places: Mapping[int, int]) -> dict[int, tuple[float, float, int]]:
        """What orders the candidates of a list, ascending. Keys of lists of one query compare, whatever the depths of
        their branches, because a candidate's scores never depend on the others, unless the fusion
        `is_opaque`. `places` are those of the candidates in the ranking of a single branch."""
        before = ranking.reasons.get("score_before", ranking.scores)
        ties = places if self._ties is None else self._ties.tolist()
        return {c: (-s, -b, ties[c]) for c, s, b in zip(ranking.chunks, ranking.scores, before, strict=True)}

    def fuse(self, query: Query, branches: dict[str, Ranking]) -> Ranking:
        """The candidates of one query, from its ranking in each branch."""
        merged = self.merge(branches)
        return self._reranker.rerank(merged, query, self._chunks) if self._reranker else merged


def reranker_of(setting: dict[str, Any]) -> RuleReranker | PluginReranker | None:
    """The re-ranker of a setting, or None."""
    if setting.get("rerank") is None:
        return None
    options = dict(setting["rerank"])
    method = options.pop("method")
    if is_plugin(method):
        return PluginReranker(method, **options)
    if method not in RERANKERS:
        raise ValueError(f"re-ranker '{method}': expected one of {', '.join(sorted(RERANKERS))}, or {FORM}")
    for words in ("constraint_words", "navigation_words"):
        options[words] = tuple(options[words])
    return RERANKERS[method](**options)


def _by_query(
    branches: dict[str, list[Ranking]], queries: list[Query], setting: dict[str, Any]
) -> dict[str, dict[str, Ranking]]:
    """Each query's rankings by branch."""
    if list(branches) != list(setting["branches"]):
        raise ValueError(f"fuse: expected the branches {setting['branches']}, found {list(branches)}")
    order = [query.query_id for query in sorted(queries, key=lambda q: q.order)]
    for name, rankings in branches.items():
        if [ranking.query_id for ranking in rankings] != order:
            raise ValueError(f"fuse: branch '{name}' has not one ranking for each query, in their order")
    return {
        query_id: {name: rankings[place] for name, rankings in branches.items()} for place, query_id in enumerate(order)
    }
