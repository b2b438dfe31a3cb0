"""The lines of runs and qrels: their order survives readers that look at scores alone, in single precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.exports.trec import qrels_lines, run_lines, strictly_decreasing


def test_the_lines_of_a_run():
    lists = {"q1": [("c", 1.5), ("a", 0.5)], "none": [], "q 2": [("b", 3.0)]}
    assert run_lines(lists, "tag") == ["q1 Q0 c 1 1.5 tag", "q1 Q0 a 2 0.5 tag", "q%202 Q0 b 1 3 tag"]


def test_a_list_without_scores_counts_down_to_one():
    assert run_lines({"q": [("b", None), ("a", 7.0), ("c", None)]}, "t") == [
        "q Q0 b 1 3 t",
        "q Q0 a 2 2 t",
        "q Q0 c 3 1 t",
    ]


def test_the_lines_of_qrels_name_every_query():
    assert qrels_lines({"q1": {"b": 2, "a": 0}, "q 2": {}}) == ["q1 0 b 2", "q1 0 a 0", "q%202 0 - 0"]


def test_equal_scores_go_down_by_the_smallest_step():
    # Single precision has 23 bits of fraction: below 2 the step is 2**-23, below 1 it is 2**-24.
    assert strictly_decreasing([2.0, 2.0, 1.0, 1.0]) == ["2", "1.99999988", "1", "0.99999994"]
    assert [float(text) for text in strictly_decreasing([2.0, 2.0])] == pytest.approx([2, 2 - 2**-23], abs=1e-8)


def test_scores_that_only_double_precision_tells_apart():
    first, second = strictly_decreasing([1.0 + 2**-40, 1.0])
    assert np.float32(first) > np.float32(second)


@given(st.lists(st.floats(allow_nan=False, width=64), max_size=40))
def test_any_scores_in_any_order_decrease_strictly(scores):
    """A re-ranker's scores need not decrease with the rank; the rank is what counts."""
    read = [np.float32(text) for text in strictly_decreasing(scores)]
    assert all(np.isfinite(read))
    assert all(a > b for a, b in zip(read, read[1:], strict=False))


@given(st.lists(st.integers(-1000, 1000), unique=True, max_size=40))
def test_scores_that_decrease_already_stay(scores):
    scores = sorted(map(float, scores), reverse=True)
    assert [float(text) for text in strictly_decreasing(scores)] == scores
