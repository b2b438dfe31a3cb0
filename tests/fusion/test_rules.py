"""The re-ranker of rules, feature by feature."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, query
from spanledger.core.ranking import Ranking
from spanledger.fusion.rules import FEATURES, RuleReranker

WEIGHTS = {"query_term": 1, "identifier": 4, "number": 1, "constraint": 1, "navigation": -4}
WORDS = {
    "constraint_words": ("only", "never", "unless"),
    "navigation_words": ("overview", "guide", "glossary", "index"),
}


def reranker(weights=WEIGHTS, analyzer="ascii_words", **words):
    return RuleReranker(analyzer=analyzer, weights=weights, **{**WORDS, **words})


def reranked(asked, bodies, order=None, scores=None, **rest):
    chunks = [chunk(place, body) for place, body in enumerate(bodies)]
    order = tuple(range(len(bodies)) if order is None else order)
    ranking = Ranking("q", order, scores or tuple(9.0 - place for place in range(len(order))))
    return reranker(**rest).rerank(ranking, query("q", asked), chunks)


@pytest.mark.parametrize(
    ("asked", "body", "features", "score"),
    [
        # query_term, identifier, number, constraint, navigation
        ("refund fee", "Refund the refund.", (1, 0, 0, 0, 0), 1),  # a term counts once
        ("refund fee", "fee and REFUND", (2, 0, 0, 0, 0), 2),
        ("refund fee", "refunds", (0, 0, 0, 0, 0), 0),
        ("what is R-17", "see r-17", (1, 1, 0, 0, 0), 5),  # an identifier is a term of the query too
        ("R-17 R-18 r-17", "R-18, R-17", (2, 2, 0, 0, 0), 10),
        ("what is R-17", "r-170 and R-1", (0, 0, 0, 0, 0), 0),
        ("code", "R-17", (0, 0, 0, 0, 0), 0),  # an identifier that is not asked about is none
        ("v2 24-hour a-b-1 1-a", "v2 24-hour a-b-1 1-a", (4, 0, 0, 0, 0), 4),  # letters, one hyphen, digits
        ("r-17-b r-17th", "r-17-b r-17th", (2, 0, 0, 0, 0), 2),  # and nothing else
        ("x", "after 30 days", (0, 0, 1, 0, 0), 1),
        ("x", "30 of 30 in 2024", (0, 0, 1, 0, 0), 1),  # once
        ("x", "R-17 24-hour v2 3rd", (0, 0, 0, 0, 0), 0),  # a number stands alone
        ("x", "3.5", (0, 0, 1, 0, 0), 1),  # two terms of digits
        ("30", "30", (1, 0, 1, 0, 0), 2),
        ("x", "Only if, unless never", (0, 0, 0, 1, 0), 1),
        ("only", "only", (1, 0, 0, 1, 0), 2),
        ("x", "commonly", (0, 0, 0, 0, 0), 0),
        ("x", "An overview and index", (0, 0, 0, 0, 1), -4),
        ("x", "guides, overview-page, indexes", (0, 0, 0, 0, 0), 0),  # whole terms
        ("R-17 fee", "Guide: R-17 only, fee 5", (2, 1, 1, 1, 1), 2 + 4 + 1 + 1 - 4),
        ("x", "", (0, 0, 0, 0, 0), 0),
        ("", "fee 5", (0, 0, 1, 0, 0), 1),
    ],
)
def test_features_by_hand(asked, body, features, score):
    found = reranked(asked, [body])
    assert tuple(found.reasons["features"][name][0] for name in FEATURES) == features
    assert found.scores == (score,)


def test_weights_are_those_of_the_setting_and_a_feature_without_one_counts_nothing():
    weights = {"query_term": 0.5, "number": -2, "constraint": 0.25}
    found = reranked("R-17 fee", ["Guide: R-17 only, fee 5"], weights=weights)
    assert found.scores == (2 * 0.5 - 2 + 0.25,)
    assert reranked("R-17", ["R-17"], weights={}).scores == (0.0,)


def test_words_are_those_of_the_setting():
    found = reranked("x", ["solely", "only", "menu"], constraint_words=("solely",), navigation_words=("menu",))
    assert dict(zip(found.chunks, found.scores, strict=True)) == {0: 1.0, 1: 0.0, 2: -4.0}


def test_the_body_is_read_with_the_analyzer_of_the_setting_and_titles_are_not_read():
    found = reranked("退款规则", ["申请退款", "r-17"], analyzer="cjk_bigrams")
    assert dict(zip(found.chunks, found.scores, strict=True)) == {0: 1.0, 1: 1.0}  # 退款; 17 is a number here
    titled = [chunk(0, "body", retrieval_text="fee\nbody")]
    found = reranker().rerank(Ranking("q", (0,), (1.0,)), query("q", "fee"), titled)
    assert found.scores == (0.0,)


def test_equal_scores_keep_their_order_and_reasons_go_with_their_candidates():
    ranking = Ranking("q", (2, 0, 3, 1), (4.0, 3.0, 2.0, 1.0), {"ranks": {"a": (1, 2, None, 3), "b": (None, 1, 2, 3)}})
    chunks = [chunk(0, "fee"), chunk(1, "fee 5"), chunk(2, "none"), chunk(3, "fee")]
    found = reranker().rerank(ranking, query("q", "fee"), chunks)
    assert (found.query_id, found.chunks, found.scores) == ("q", (1, 0, 3, 2), (2.0, 1.0, 1.0, 0.0))
    assert found.reasons["ranks"] == {"a": (3, 2, None, 1), "b": (3, 1, 2, None)}
    assert found.reasons["rank_before"] == (4, 2, 3, 1)
    assert found.reasons["score_before"] == (1.0, 3.0, 2.0, 4.0)
    assert found.reasons["features"]["query_term"] == (1, 1, 1, 0)
    assert found.reasons["features"]["number"] == (1, 0, 0, 0)


def test_an_empty_list_stays_empty():
    found = reranked("fee", [])
    assert (found.chunks, found.scores) == ((), ())


BODY = st.lists(st.sampled_from(["fee", "r-17", "5", "only", "guide", "x-y", "other"]), max_size=5).map(" ".join)


@given(
    st.lists(BODY, max_size=6),
    BODY,
    st.randoms(use_true_random=False),
    st.fixed_dictionaries({name: st.integers(-5, 5) for name in FEATURES}),
)
def test_the_order_is_by_weighted_sum_then_by_the_rank_before_and_nothing_comes_or_goes(bodies, asked, rng, weights):
    order = rng.sample(range(len(bodies)), len(bodies))
    found = reranked(asked, bodies, order, weights=weights)
    assert sorted(found.chunks) == list(range(len(bodies)))

    def value(body):
        terms, wanted = body.split(), set(asked.split())
        common = [term for term in wanted if term in terms]
        return (
            weights["query_term"] * len(common)
            + weights["identifier"] * common.count("r-17")
            + weights["number"] * ("5" in terms)
            + weights["constraint"] * ("only" in terms)
            + weights["navigation"] * ("guide" in terms)
        )

    expected = sorted(order, key=lambda place: (-value(bodies[place]), order.index(place)))
    assert list(found.chunks) == expected
    assert list(found.scores) == [value(bodies[place]) for place in expected]
    assert found.reasons["rank_before"] == tuple(order.index(place) + 1 for place in expected)


def test_expansion_has_no_say_in_what_was_asked():
    """The features read the query as it stands: a synonym that retrieval added is no query term."""
    assert reranked("fee", ["charge"]).scores == (0.0,)


def test_an_unknown_feature_or_analyzer_is_refused():
    with pytest.raises(
        ValueError, match="no feature length, terms; they are query_term, identifier, number, constraint"
    ):
        reranker({"terms": 1, "length": 2, "number": 1})
    with pytest.raises(ValueError, match="analyzer 'words'"):
        reranker(analyzer="words")
