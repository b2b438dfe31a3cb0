"""Metrics as exact fractions of hand-made lines."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from spanledger.metrics import arm_metrics, macro_recall, mean
from spanledger.scoring.loss import CAUSES


def line(required=0, index=0, candidates=0, context=0, causes=(), cost=0, chunks=0, duplicate=0, old=0):
    return {
        "required": required,
        "covered": {"index": index, "candidates": candidates, "context": context},
        "facts": [{"cause": cause} for cause in causes],
        "context": ["id"] * chunks,
        "not_current": old,
        "cost": {"char": cost, "unique_char": cost - duplicate, "duplicate_char": duplicate},
    }


ROW = st.integers(0, 4).flatmap(
    lambda required: st.builds(
        line,
        required=st.just(required),
        index=st.integers(0, required),
        candidates=st.integers(0, required),
        context=st.integers(0, required),
        cost=st.integers(0, 999),
        chunks=st.integers(0, 3),
    )
)


def test_means_are_exact():
    assert mean([1, 2, 4]) == Fraction(7, 3)
    assert mean([Fraction(1, 3)] * 3) == Fraction(1, 3)
    assert mean([Fraction(1, 10)] * 3) == Fraction(1, 10)  # which no sum of floats gives
    assert mean(iter([0])) == 0


def test_a_mean_over_nothing_is_none():
    assert mean([]) is None
    assert macro_recall([]) is None
    assert macro_recall([line(), line()]) is None


def test_recall_is_over_the_queries_with_facts_at_each_checkpoint():
    rows = [line(2, 2, 2, 1), line(3, 3, 1, 0), line(), line(1, 1, 1, 1)]
    assert macro_recall(rows) == Fraction(1, 2)  # (1/2 + 0 + 1) / 3
    assert macro_recall(rows, "candidates") == Fraction(7, 9)  # (1 + 1/3 + 1) / 3
    assert macro_recall(rows, "index") == 1


def test_an_arm_by_hand():
    rows = [
        line(2, 2, 2, 1, [None, "crowded_out"], cost=240, chunks=2, duplicate=60),
        line(1, 1, 0, 0, ["not_matched"], cost=100, chunks=1, old=1),
        line(cost=51, chunks=1, old=1),
        line(1, 1, 1, 1, [None], cost=10, chunks=1),
        line(),
    ]
    assert arm_metrics(rows, "char") == {
        "queries": 5,
        "answerable_queries": 3,
        "facts": 4,
        "facts_in_index": 4,
        "facts_in_candidates": 3,
        "facts_in_context": 2,
        "macro_recall_index": 1.0,
        "macro_recall_candidates": float(Fraction(2, 3)),
        "macro_recall": 0.5,
        "complete_queries": 1,
        "cost_unit": "char",
        "mean_cost": 80.2,
        "mean_cost_answerable": float(Fraction(350, 3)),
        "mean_context_chunks": 1.0,
        "mean_duplicate_char": 12.0,
        "empty_contexts": 1,
        "chunks_not_current": 2,
        **{f"lost_{cause}": 0 for cause in CAUSES},
        "lost_crowded_out": 1,
        "lost_not_matched": 1,
    }


def test_without_an_answerable_query_recall_is_null_and_never_0():
    found = arm_metrics([line(cost=7, chunks=1)], "char")
    assert [found[name] for name in ("macro_recall_index", "macro_recall_candidates", "macro_recall")] == [None] * 3
    assert found["mean_cost_answerable"] is None
    assert found["mean_cost"] == 7.0
    assert found["complete_queries"] == 0
    assert arm_metrics([], "char")["mean_cost"] is None


def test_a_recall_of_nothing_held_is_0_and_not_null():
    assert arm_metrics([line(1)], "char")["macro_recall"] == 0.0


@given(st.lists(ROW, max_size=12), st.randoms(use_true_random=False))
def test_no_order_of_the_queries_changes_a_digit(rows, rng):
    expected = arm_metrics(rows, "char")
    rng.shuffle(rows)
    assert arm_metrics(rows, "char") == expected


@given(st.lists(ROW, min_size=1, max_size=12))
def test_recall_is_the_nearest_float_to_the_exact_mean(rows):
    answerable = [row for row in rows if row["required"]]
    found = arm_metrics(rows, "char")["macro_recall"]
    if not answerable:
        assert found is None
        return
    whole = math.lcm(*(row["required"] for row in answerable)) * len(answerable)
    units = sum(row["covered"]["context"] * (whole // len(answerable) // row["required"]) for row in answerable)
    assert found == units / whole  # a quotient of two integers is rounded once
    assert 0 <= found <= 1
