"""The stage: one list a query, from one branch as it is or from several merged, re-ranked or not, with what it cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, query
from spanledger.core.ranking import Ranking
from spanledger.fusion import Fusion, fuse, reranker_of

BODIES = ["alpha", "beta R-7", "alpha beta", "overview", "gamma"]
CHUNKS = [chunk(place, body, f"d{place}") for place, body in enumerate(BODIES)]
QUERIES = [query("q1", "alpha beta"), query("q2", "gamma")]
BRANCH = [Ranking("q1", (3, 1), (2.0, 1.0)), Ranking("q2", (), ())]
OTHER = [Ranking("q1", (1, 2, 0), (9.0, 8.0, 7.0)), Ranking("q2", (4,), (1.0,))]
SINGLE = {"branches": ["words"], "method": "single", "rerank": None}
RRF = {"branches": ["words", "more"], "method": "rrf", "k": 60, "tie": "document", "rerank": None}
RULE = {
    "method": "rule",
    "analyzer": "ascii_words",
    "weights": {"query_term": 1, "identifier": 4, "number": 1, "constraint": 1, "navigation": -4},
    "constraint_words": ["only", "never", "unless"],
    "navigation_words": ["overview", "guide", "glossary", "index"],
}


def test_a_single_branch_passes_as_it_is():
    candidates, counters = fuse({"words": BRANCH}, CHUNKS, QUERIES, SINGLE)
    assert candidates == BRANCH
    assert counters == {
        "queries": 2,
        "candidates": 2,
        "candidate_char": 8 + 8,
        "rank_visits": 0,
        "merged_duplicates": 0,
        "rule_evaluations": 0,
    }


def test_two_branches_by_hand():
    """Chunk 1 is second in one and first in the other; 3 and 1 lead, 2 and 0 were found once each."""
    candidates, counters = fuse({"words": BRANCH, "more": OTHER}, CHUNKS, QUERIES, RRF)
    first, second = candidates
    assert first.chunks == (1, 3, 2, 0)
    assert first.scores == (1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63)
    assert first.reasons == {"ranks": {"words": (2, 1, None, None), "more": (1, None, 2, 3)}}
    assert (second.query_id, second.chunks, second.scores) == ("q2", (4,), (1 / 61,))
    assert counters == {
        "queries": 2,
        "candidates": 5,
        "candidate_char": 8 + 8 + 10 + 5 + 5,
        "rank_visits": 2 + 3 + 1,  # every rank of every branch is looked at once
        "merged_duplicates": 1,
        "rule_evaluations": 0,
    }


def test_a_re_ranked_list_holds_the_same_candidates_and_says_where_they_stood():
    """1: one term; 3: a navigation word; 2: two terms; 0: one term, behind 1 as before."""
    setting = {**RRF, "rerank": RULE}
    candidates, counters = fuse({"words": BRANCH, "more": OTHER}, CHUNKS, QUERIES, setting)
    first = candidates[0]
    assert (first.chunks, first.scores) == ((2, 1, 0, 3), (2.0, 1.0, 1.0, -4.0))
    assert first.reasons["rank_before"] == (3, 1, 4, 2)
    assert first.reasons["score_before"] == (1 / 62, 1 / 62 + 1 / 61, 1 / 63, 1 / 61)
    assert first.reasons["ranks"] == {"words": (None, 2, None, 1), "more": (2, 1, 3, None)}
    assert (counters["rule_evaluations"], counters["candidates"], counters["rank_visits"]) == (5, 5, 6)
    alone = {"words": BRANCH[0], "more": OTHER[0]}
    assert Fusion(setting, CHUNKS).merge(alone) == fuse({"words": BRANCH, "more": OTHER}, CHUNKS, QUERIES, RRF)[0][0]
    assert Fusion(setting, CHUNKS).fuse(QUERIES[0], alone) == first


def test_a_single_branch_may_be_re_ranked_and_visits_no_rank():
    setting = {**SINGLE, "rerank": RULE}
    (first, second), counters = fuse({"words": BRANCH}, CHUNKS, QUERIES, setting)
    assert (first.chunks, first.scores) == ((1, 3), (1.0, -4.0))
    assert first.reasons["score_before"] == (1.0, 2.0)
    assert second.chunks == ()
    assert [counters[name] for name in ("rule_evaluations", "rank_visits", "merged_duplicates")] == [2, 0, 0]


def test_lists_stand_in_the_queries_order_and_each_query_has_its_own_terms():
    queries = [query("q1", "overview", position=1), query("q2", "gamma", position=0)]
    branch = [Ranking("q2", (3, 4), (2.0, 1.0)), Ranking("q1", (4, 3), (2.0, 1.0))]
    candidates, _ = fuse({"words": branch}, CHUNKS, queries[::-1], {**SINGLE, "rerank": RULE})
    assert [(r.query_id, r.chunks, r.scores) for r in candidates] == [
        ("q2", (4, 3), (1.0, -4.0)),
        ("q1", (4, 3), (0.0, 1 - 4)),
    ]


def test_no_re_ranker_and_the_one_of_a_setting():
    assert reranker_of({}) is None
    assert reranker_of({"rerank": None}) is None
    assert reranker_of({"rerank": RULE}).navigation_words == ("overview", "guide", "glossary", "index")
    with pytest.raises(ValueError, match="re-ranker 'model': expected one of rule"):
        reranker_of({"rerank": {**RULE, "method": "model"}})


@pytest.mark.parametrize(
    ("branches", "setting", "message"),
    [
        ({"other": BRANCH}, SINGLE, r"expected the branches \['words'\], found \['other'\]"),
        ({}, SINGLE, "expected the branches"),
        ({"more": BRANCH, "words": BRANCH}, RRF, "expected the branches"),
        ({"words": BRANCH, "more": OTHER}, {**RRF, "method": "single"}, "takes one branch, found 2"),
        ({"words": BRANCH}, {**SINGLE, "method": "sum"}, "method 'sum': expected one of single, rrf"),
        ({"words": BRANCH[:1]}, SINGLE, "branch 'words' has not one ranking for each query, in their order"),
        ({"words": BRANCH, "more": OTHER[::-1]}, RRF, "branch 'more' has not one ranking for each query"),
        ({"words": [*BRANCH, Ranking("q3", (), ())]}, SINGLE, "has not one ranking for each query"),
        ({"words": BRANCH, "more": OTHER}, {**RRF, "k": -1}, "k must be at least 0, found -1"),
        ({"words": BRANCH, "more": OTHER}, {**RRF, "tie": "none"}, "tie 'none'"),
    ],
)
def test_what_does_not_fit_together_is_refused(branches, setting, message):
    with pytest.raises(ValueError, match=message):
        fuse(branches, CHUNKS, QUERIES, setting)


LISTS = st.lists(
    st.permutations(range(5)).flatmap(lambda order: st.integers(0, 5).map(lambda n: order[:n])), max_size=3
)


@given(LISTS.filter(lambda lists: len(lists) > 1), st.sampled_from([None, RULE]))
def test_candidates_are_what_some_branch_found_each_once(lists, rerank):
    names = [f"branch{place}" for place in range(len(lists))]
    branches = {
        n: [Ranking("q1", tuple(found), tuple(9.0 - p for p in range(len(found))))]
        for n, found in zip(names, lists, strict=True)
    }
    setting = {**RRF, "branches": names, "rerank": rerank}
    (merged,), counters = fuse(branches, CHUNKS, QUERIES[:1], setting)
    assert sorted(merged.chunks) == sorted(set().union(*lists))
    assert counters["candidates"] + counters["merged_duplicates"] == sum(map(len, lists)) == counters["rank_visits"]
    assert counters["candidate_char"] == sum(len(BODIES[place]) for place in set().union(*lists))
    assert counters["rule_evaluations"] == (len(merged.chunks) if rerank else 0)
