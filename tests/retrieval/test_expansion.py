"""Synonyms: one step, triggered by the query's own terms alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.analyzers import ascii_words, cjk_bigrams
from spanledger.retrieval.expansion import Synonyms

WORD = st.lists(st.sampled_from("abcde"), max_size=2).map(" ".join)
GROUPS = st.lists(st.lists(WORD, max_size=3), max_size=4)
TERMS = st.lists(st.sampled_from("abcde"), max_size=4)


def added(terms, *groups, analyse=ascii_words):
    return Synonyms(groups, analyse).added(terms)


def test_a_term_of_a_group_adds_the_others():
    assert added(["fee"], ["fee", "charge", "cost"]) == ["charge", "cost"]
    assert added(["fees"], ["fee", "charge", "cost"]) == []
    assert added([], ["fee", "charge"]) == []
    assert added(["fee"]) == []


def test_what_is_added_triggers_nothing():
    """a adds b; b alone would add c; c would add d."""
    chain = (["a", "b"], ["b", "c"], ["c", "d"])
    assert added(["a"], *chain) == ["b"]
    assert added(["a"], *chain[::-1]) == ["b"]
    assert added(["a", "b"], *chain) == ["c"]


def test_a_word_of_several_terms_triggers_when_the_query_has_all_of_them_in_any_order():
    group = ["log file", "journal"]
    assert added(["file"], group) == []
    assert added(["file", "the", "log"], group) == ["journal"]
    assert added(["journal"], group) == ["file", "log"]
    assert added(["journal", "log"], group) == ["file"]  # what the query has is not added


def test_several_groups_add_together_in_code_point_order_each_term_once():
    assert added(["b", "d"], ["b", "z", "a"], ["d", "a", "Z-1"]) == ["a", "z", "z-1"]


def test_words_without_terms_trigger_and_add_nothing():
    assert added(["a"], ["...", "b"]) == []
    assert added([], ["", "b"]) == []
    assert added(["a"], ["a", "...", ""]) == []


@pytest.mark.parametrize(
    ("terms", "expected"),
    [(cjk_bigrams("日志在哪"), ["记录"]), (cjk_bigrams("日期"), []), (cjk_bigrams("记录文件"), ["日志"])],
)
def test_words_are_read_with_the_analyzer_of_the_index(terms, expected):
    assert added(terms, ["日志", "记录"], analyse=cjk_bigrams) == expected


def test_its_length_is_the_number_of_groups_that_are_checked():
    assert len(Synonyms([["a", "b"], ["..."], []], ascii_words)) == 3
    assert len(Synonyms([], ascii_words)) == 0


@given(GROUPS, TERMS)
def test_against_a_twin(groups, terms):
    expected = set()
    for group in groups:
        words = [word.split() for word in group if word]
        if any(all(part in terms for part in word) for word in words):
            expected.update(part for word in words for part in word)
    assert added(terms, *groups) == sorted(expected - set(terms))


@given(GROUPS, TERMS, st.randoms(use_true_random=False))
def test_no_order_of_groups_words_or_terms_matters(groups, terms, rng):
    expected = added(terms, *groups)
    groups = [rng.sample(group, len(group)) for group in rng.sample(groups, len(groups))]
    assert added(rng.sample(terms, len(terms)), *groups) == expected
