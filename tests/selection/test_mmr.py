"""Maximal marginal relevance against a twin that works every value out anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, query
from spanledger.core.ranking import Ranking
from spanledger.selection.mmr import MaximalMarginalRelevance
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf


def choose(weight, bodies, scores, order=None, analyzer="ascii_words", **limits):
    chunks = [chunk(place, body) for place, body in enumerate(bodies)]
    order = tuple(range(len(bodies)) if order is None else order)
    unit = "char" if limits.get("budget") else None
    selector = Selector(unit=unit, mmr=MaximalMarginalRelevance(weight, analyzer), **limits)
    return selector.select(Ranking("q", order, tuple(scores)), Shelf(chunks), query())


def slowly(weight, bodies, scores, order, top_k):
    """(taken, passed over): the best of those left is looked at, one after the other."""
    top = scores[0] if scores and scores[0] > 0 else 0.0
    left, taken, passed = list(order), [], []
    while left:

        def value(ordinal):
            relevance = scores[order.index(ordinal)] / top if top else 0.0
            mine, similarity = set(bodies[ordinal].split()), 0.0
            for other in taken:
                its = set(bodies[other].split())
                if mine | its:
                    similarity = max(similarity, len(mine & its) / len(mine | its))
            return weight * relevance - (1 - weight) * similarity

        best = max(left, key=lambda ordinal: (value(ordinal), -order.index(ordinal)))
        left.remove(best)
        (taken if len(taken) < top_k else passed).append(best)
    return taken, passed


BODIES = st.lists(st.lists(st.sampled_from("abcde"), max_size=4).map(" ".join), max_size=7)


@given(BODIES, st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]), st.integers(1, 7), st.data())
def test_the_walk_is_that_of_the_twin(bodies, weight, top_k, data):
    order = data.draw(st.permutations(range(len(bodies))))
    scores = sorted(data.draw(st.lists(st.integers(0, 4), min_size=len(bodies), max_size=len(bodies))), reverse=True)
    context = choose(weight, bodies, map(float, scores), order, top_k=top_k)
    taken, passed = slowly(weight, bodies, scores, list(order), top_k)
    assert list(context.chunks) == taken
    assert [ordinal for run in context.skipped for ordinal in run.chunks] == passed
    assert {run.reason for run in context.skipped} <= {"outside-top-k"}


def test_by_hand():
    """0 leads. 1 repeats it: 0.5 * 0.9 - 0.5 * 1. 2 shares one of three terms: 0.5 * 0.5 - 0.5 / 3. 3 shares none: 0.05."""
    bodies, scores = ["a b", "b a", "a c", "d"], [10.0, 9.0, 5.0, 1.0]
    assert choose(0.5, bodies, scores, top_k=4).chunks == (0, 2, 3, 1)
    assert choose(1.0, bodies, scores, top_k=4).chunks == (0, 1, 2, 3)
    assert choose(0.0, bodies, scores, top_k=4).chunks == (0, 3, 2, 1)


def test_similarity_is_to_what_was_taken_not_to_what_was_passed_over():
    """1 does not fit and so counts for nothing: 2, which repeats it, follows before 3, which repeats 0."""
    bodies, scores = ["a b", "c c c c c c", "c", "a b"], [4.0, 3.0, 2.0, 2.0]
    context = choose(0.5, bodies, scores, budget=7)
    assert context.chunks == (0, 2, 3)
    assert [run.chunks for run in context.skipped] == [(1,)]


def test_equal_values_keep_the_order_of_ranks():
    assert choose(0.5, ["a", "b", "c"], [1.0] * 3, order=(2, 0, 1), top_k=3).chunks == (2, 0, 1)
    assert choose(0.0, ["a", "b", "b", "c"], [3.0, 2.0, 1.0, 0.5], order=(3, 1, 2, 0), top_k=4).chunks == (3, 1, 0, 2)


def test_candidates_that_score_nothing_have_no_relevance_and_texts_without_terms_no_likeness():
    assert choose(0.5, ["a", "a", "b"], [0.0] * 3, top_k=3).chunks == (0, 2, 1)
    assert choose(0.5, ["...", "...", "a"], [2.0, 2.0, 1.0], top_k=3).chunks == (0, 1, 2)


def test_the_terms_are_those_of_the_analyzer():
    bodies, scores = ["日志一", "日志二", "规则三"], [3.0, 3.0, 2.5]
    assert choose(0.5, bodies, scores, top_k=2, analyzer="cjk_bigrams").chunks == (0, 2)  # one of three pairs is shared
    assert choose(0.5, bodies, scores, top_k=2, analyzer="ascii_words").chunks == (0, 1)  # which sees no term at all


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(ValueError, match="mmr: weight must be from 0 to 1"):
        MaximalMarginalRelevance(weight, "ascii_words")


def test_an_unknown_analyzer_is_refused():
    with pytest.raises(ValueError, match="analyzer 'words'"):
        MaximalMarginalRelevance(0.5, "words")
