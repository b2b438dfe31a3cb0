"""Contexts: the walk that goes on, what is left of the budget, and why a candidate was passed over."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk
from spanledger.core import files
from spanledger.core.ranking import Ranking
from spanledger.selection import Context, Selector, Skipped, from_records, lengths, select, to_records

SIZES = st.lists(st.integers(0, 9), max_size=8)
LIMIT = st.none() | st.integers(1, 12)


def choose(sizes, order=None, **limits):
    order = range(len(sizes)) if order is None else order
    ranking = Ranking("q", tuple(order), tuple(1.0 for _ in order))
    unit = "char" if limits.get("budget") else None
    return Selector(unit=unit, **limits).select(ranking, sizes)


def test_what_does_not_fit_is_passed_over_and_the_walk_goes_on():
    context = choose([50, 60, 30, 25, 20], budget=100)
    assert context.chunks == (0, 2, 4)
    assert context.skipped == (
        Skipped("does-not-fit", 50, (1,)),
        Skipped("does-not-fit", 20, (3,)),
    )


def test_an_exact_fit_is_kept_and_then_nothing_is_left():
    context = choose([60, 40, 1], budget=100)
    assert context.chunks == (0, 1)
    assert context.skipped == (Skipped("does-not-fit", 0, (2,)),)


def test_one_unit_too_many_does_not_fit():
    assert choose([101, 100], budget=100).chunks == (1,)
    assert choose([101], budget=100).skipped == (Skipped("does-not-fit", 100, (0,)),)


def test_top_k_counts_what_was_kept():
    context = choose([1, 1, 1, 1], top_k=2)
    assert context.chunks == (0, 1)
    assert context.skipped == (Skipped("outside-top-k", None, (2, 3)),)


def test_with_both_limits_a_candidate_that_does_not_fit_takes_no_place():
    context = choose([8, 9, 2, 1, 50], top_k=3, budget=11)
    assert context.chunks == (0, 2, 3)
    assert context.skipped == (Skipped("does-not-fit", 3, (1,)), Skipped("outside-top-k", 0, (4,)))
    context = choose([8, 2, 9, 1], top_k=2, budget=100)
    assert context.skipped == (Skipped("outside-top-k", 90, (2, 3)),)


def test_the_candidates_order_counts_not_the_table_s():
    context = choose([10, 10, 10], order=(2, 0, 1), budget=20)
    assert context.chunks == (2, 0)
    assert context.skipped == (Skipped("does-not-fit", 0, (1,)),)


def test_a_larger_budget_may_lose_what_a_smaller_one_held():
    """The walk is not monotone: with 3 more units the second candidate fits and takes the place of the third."""
    assert choose([5, 6, 4], budget=9).chunks == (0, 2)
    assert choose([5, 6, 4], budget=11).chunks == (0, 1)
    assert choose([5, 6, 4], budget=15).chunks == (0, 1, 2)


@given(SIZES, LIMIT, LIMIT)
def test_every_promise(sizes, top_k, budget):
    if top_k is None and budget is None:
        top_k = 1
    context = choose(sizes, top_k=top_k, budget=budget)
    assert len(context.chunks) <= (top_k or len(sizes))
    assert budget is None or sum(sizes[o] for o in context.chunks) <= budget
    skipped = [(ordinal, run.reason, run.remaining) for run in context.skipped for ordinal in run.chunks]
    assert sorted([*context.chunks, *(ordinal for ordinal, _, _ in skipped)]) == list(range(len(sizes)))
    assert [ordinal for ordinal, _, _ in skipped] == sorted(ordinal for ordinal, _, _ in skipped)
    for ordinal, reason, remaining in skipped:
        before = [kept for kept in context.chunks if kept < ordinal]
        left = None if budget is None else budget - sum(sizes[kept] for kept in before)
        assert remaining == left
        assert reason == ("outside-top-k" if len(before) == top_k else "does-not-fit")
        assert reason == "outside-top-k" or sizes[ordinal] > left


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "expected top_k, budget or both"),
        ({"top_k": 0}, "top_k must be at least 1, found 0"),
        ({"budget": 0, "unit": "char"}, "budget must be at least 1, found 0"),
        ({"budget": 9}, "budget and unit belong together"),
        ({"top_k": 9, "unit": "char"}, "budget and unit belong together"),
    ],
)
def test_a_selector_without_a_real_limit_is_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        Selector(**limits)


def test_lengths_are_those_of_the_bodies_in_the_selectors_unit():
    chunks = [chunk(0, "one two é"), chunk(1, "three", retrieval_text="title three")]
    assert lengths(chunks, "char") == [9, 5]
    assert lengths(chunks, "word") == [3, 1]
    assert lengths(chunks, "byte") == [10, 5]
    assert lengths(chunks, None) == []


def test_a_length_that_the_chunking_counted_is_not_counted_again():
    known = chunk(0, "one two")
    known.lengths["word"] = 7
    assert lengths([known], "word") == [7]


def test_the_stage():
    chunks = [chunk(0, "aaaa"), chunk(1, "bbbbbb"), chunk(2, "cc")]
    candidates = [Ranking("q1", (1, 0, 2), (3.0, 2.0, 1.0)), Ranking("q2", (), ()), Ranking("q3", (1,), (1.0,))]
    contexts, counters = select(candidates, chunks, {"top_k": None, "budget": 9, "unit": "char"})
    assert contexts == [
        Context("q1", (1, 2), (Skipped("does-not-fit", 3, (0,)),)),
        Context("q2", (), ()),
        Context("q3", (1,), ()),
    ]
    assert counters == {
        "queries": 3,
        "empty_contexts": 1,
        "selected": 3,
        "skipped": {"does-not-fit": 1, "outside-top-k": 0},
    }
    _, counters = select(candidates, chunks, {"top_k": 1, "budget": None, "unit": None})
    assert counters["skipped"] == {"does-not-fit": 0, "outside-top-k": 2}


def test_a_context_over_its_budget_is_not_believed(monkeypatch):
    monkeypatch.setattr(Selector, "select", lambda self, ranking, sizes: Context(ranking.query_id, ranking.chunks, ()))
    with pytest.raises(ValueError, match="the context of query 'q' is over its budget"):
        select([Ranking("q", (0, 1), (1.0, 1.0))], [chunk(0, "aaaa"), chunk(1, "b")], {"budget": 4, "unit": "char"})


@given(SIZES, LIMIT)
def test_contexts_survive_their_file(sizes, budget):
    contexts = [choose(sizes, top_k=3, budget=budget), choose([], top_k=1)]
    written = files.lines(to_records(contexts))
    assert from_records([orjson.loads(line) for line in written.splitlines()]) == contexts
