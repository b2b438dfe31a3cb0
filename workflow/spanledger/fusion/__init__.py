"""Stage fuse: one candidate list a query, from the rankings of one or more branches, re-ranked or not."""

from typing import Any

from spanledger.core.ordering import tie_ranks
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
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
    merged, visits = _merged(branches, chunks, queries, setting)
    reranker = reranker_of(setting)
    by_id = {query.query_id: query for query in queries}
    candidates = [reranker.rerank(r, by_id[r.query_id], chunks) for r in merged] if reranker else merged
    found = sum(len(ranking.chunks) for ranking in candidates)
    return candidates, {
        "queries": len(candidates),
        "candidates": found,
        "candidate_char": sum(chunks[o].lengths["char"] for ranking in candidates for o in ranking.chunks),
        "rank_visits": visits,
        "merged_duplicates": visits - found if visits else 0,
        "rule_evaluations": found if reranker else 0,
    }


def before_reranking(
    branches: dict[str, list[Ranking]], chunks: list[Chunk], queries: list[Query], setting: dict[str, Any]
) -> list[Ranking]:
    """The candidate lists as they are without the setting's re-ranker."""
    return _merged(branches, chunks, queries, setting)[0]


def reranker_of(setting: dict[str, Any]) -> RuleReranker | None:
    """The re-ranker of a setting, or None."""
    if setting.get("rerank") is None:
        return None
    options = dict(setting["rerank"])
    method = options.pop("method")
    if method not in RERANKERS:
        raise ValueError(f"re-ranker '{method}': expected one of {', '.join(sorted(RERANKERS))}")
    for words in ("constraint_words", "navigation_words"):
        options[words] = tuple(options[words])
    return RERANKERS[method](**options)


def _merged(
    branches: dict[str, list[Ranking]], chunks: list[Chunk], queries: list[Query], setting: dict[str, Any]
) -> tuple[list[Ranking], int]:
    """The merged lists, and how many ranks were looked at to make them."""
    if list(branches) != list(setting["branches"]):
        raise ValueError(f"fuse: expected the branches {setting['branches']}, found {list(branches)}")
    order = [query.query_id for query in sorted(queries, key=lambda q: q.order)]
    for name, rankings in branches.items():
        if [ranking.query_id for ranking in rankings] != order:
            raise ValueError(f"fuse: branch '{name}' has not one ranking for each query, in their order")
    if setting["method"] == "single":
        if len(branches) != 1:
            raise ValueError(f"fuse: method 'single' takes one branch, found {len(branches)}")
        return next(iter(branches.values())), 0
    if setting["method"] != "rrf":
        raise ValueError(f"fuse: method '{setting['method']}': expected one of {', '.join(METHODS)}")
    method = ReciprocalRankFusion(setting["k"])
    ties = tie_ranks(chunks, setting["tie"])
    merged = [
        method.merge(query_id, {name: rankings[place] for name, rankings in branches.items()}, ties)
        for place, query_id in enumerate(order)
    ]
    return merged, sum(len(ranking.chunks) for rankings in branches.values() for ranking in rankings)
