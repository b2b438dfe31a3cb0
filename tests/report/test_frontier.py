"""The frontier of cost and recall against a twin that compares every pair of arms, and the elbow by hand."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.report.frontier import COLUMNS, frontier


def rows_of(*points):
    """(cost, value) of arms called a, b, c, ... in this order."""
    return [{"arm": chr(97 + n), "mean_cost": cost, "recall": value} for n, (cost, value) in enumerate(points)]


def found(*points):
    return {row["arm"]: row for row in frontier(rows_of(*points), "recall")}


def elbows(*points):
    return "".join(arm for arm, row in found(*points).items() if row["elbow"])


def on_frontier(*points):
    return "".join(arm for arm, row in found(*points).items() if row["on_frontier"])


def test_by_hand():
    """b costs as much as a and finds less; d costs more than c and finds as much; the others form the frontier."""
    points = [(100.0, 0.5), (100.0, 0.25), (200.0, 0.75), (300.0, 0.75), (400.0, 1.0)]
    assert frontier(rows_of(*points), "recall") == [
        _row("a", 100.0, 0.5, 1, None),
        _row("b", 100.0, 0.25, 0, None),
        _row("c", 200.0, 0.75, 1, 0.0025, elbow=1),  # scaled (1/3, 1/2): a sixth above the chord
        _row("d", 300.0, 0.75, 0, None),
        _row("e", 400.0, 1.0, 1, 0.00125),
    ]


def _row(arm, cost, value, on, gain, elbow=0):
    return dict(zip(COLUMNS, (arm, cost, value, on, gain, elbow), strict=True))


def test_rows_stand_by_cost_then_by_falling_value_then_in_the_order_of_the_table():
    points = [(2.0, 0.5), (1.0, 0.1), (2.0, 0.9), (1.0, 0.1), (0.5, 0.9)]
    assert [row["arm"] for row in frontier(rows_of(*points), "recall")] == ["e", "b", "d", "c", "a"]


def test_an_arm_without_a_value_or_a_cost_is_left_out():
    assert list(found((1.0, None), (2.0, 0.5), (None, 0.5))) == ["b"]
    assert frontier(rows_of((1.0, None)), "recall") == []
    assert frontier([], "recall") == []


def test_equal_points_are_on_the_frontier_together():
    points = [(1.0, 0.25), (2.0, 0.75), (2.0, 0.75), (9.0, 1.0)]
    assert on_frontier(*points) == "abcd"
    assert [found(*points)[arm]["marginal_gain"] for arm in "abcd"] == [None, 0.5, 0.5, 0.25 / 7]
    assert elbows(*points) == "bc"


def test_marginal_gain_is_over_the_frontier_arm_before_it():
    points = [(10.0, 0.5), (20.0, 0.5), (30.0, 1.0)]
    assert [found(*points)[arm]["marginal_gain"] for arm in "abc"] == [None, None, 0.025]  # not over b


@pytest.mark.parametrize(
    "points",
    [[], [(1.0, 0.5)], [(1.0, 0.5), (2.0, 0.75)], [(1.0, 0.5), (2.0, 0.5), (3.0, 0.25)], [(1.0, 0.5), (1.0, 0.5)] * 2],
)
def test_fewer_than_three_different_points_on_the_frontier_have_no_elbow(points):
    assert elbows(*points) == ""


def test_the_elbow_is_the_point_farthest_above_the_chord():
    """Scaled: (0, 0) (0.1, 0.5) (0.5, 0.9) (1, 1): heights 0.4 and 0.4, so the cheaper one; then the higher one."""
    assert elbows((0.0, 0.0), (10.0, 0.5), (50.0, 0.9), (100.0, 1.0)) == "b"
    assert elbows((0.0, 0.0), (10.0, 0.5), (50.0, 0.92), (100.0, 1.0)) == "c"
    # what costs more than all and finds less than the end is not on the frontier and moves no scale
    assert elbows((0.0, 0.0), (10.0, 0.5), (50.0, 0.9), (100.0, 1.0), (1000.0, 0.99)) == "b"


def test_points_on_or_below_the_chord_are_no_elbow():
    assert elbows((0.0, 0.0), (1.0, 0.5), (2.0, 1.0)) == ""
    assert elbows((0.0, 0.0), (1.0, 0.25), (2.0, 1.0)) == ""
    assert elbows((1.0, 0.1), (2.0, 0.2), (3.0, 0.3)) == ""  # 0.2 - 0.1 and 0.3 - 0.2 are no equal floats
    assert elbows((0.0, 0.0), (1.0, 0.25), (2.0, 0.9), (4.0, 1.0)) == "c"


def test_heights_that_are_equal_but_for_a_last_bit_are_equal():
    """Scaled (1/3, 2/3) and (2/3, 1 - 1e-16): both a third above the chord."""
    assert elbows((0.0, 0.1), (1.0, 0.3), (2.0, 0.4), (3.0, 0.4000000000000001)) == "b"


POINT = st.tuples(st.integers(0, 6).map(float), st.none() | st.integers(0, 6).map(lambda n: n / 8))


@given(st.lists(POINT, max_size=8))
def test_the_frontier_is_what_no_other_arm_beats(points):
    rows = frontier(rows_of(*points), "recall")
    kept = [(cost, value) for cost, value in points if value is not None]
    assert sorted((row["mean_cost"], row["value"]) for row in rows) == sorted(kept)
    for row in rows:
        cost, value = row["mean_cost"], row["value"]
        beaten = any(c <= cost and v >= value and (c, v) != (cost, value) for c, v in kept)
        assert row["on_frontier"] == int(not beaten)
        before = [
            (c, v) for c, v in kept if c < cost and not any(a <= c and b >= v and (a, b) != (c, v) for a, b in kept)
        ]
        if beaten or not before:
            assert row["marginal_gain"] is None
        else:
            c, v = max(before)
            assert row["marginal_gain"] == (value - v) / (cost - c) > 0


@given(st.lists(POINT, max_size=8))
def test_the_elbow_against_exact_fractions(points):
    rows = frontier(rows_of(*points), "recall")
    ends = sorted({(row["mean_cost"], row["value"]) for row in rows if row["on_frontier"]})
    expected = None
    if len(ends) >= 3:
        (x0, y0), (x1, y1) = ends[0], ends[-1]

        def height(point):
            return Fraction(point[1] - y0) / Fraction(y1 - y0) - Fraction(point[0] - x0) / Fraction(x1 - x0)

        best = max(ends, key=lambda point: (height(point), -point[0]))
        expected = best if height(best) > 0 else None
    assert {(row["mean_cost"], row["value"]) for row in rows if row["elbow"]} == ({expected} if expected else set())


@given(st.lists(POINT, max_size=6), st.randoms(use_true_random=False))
def test_no_order_of_the_arms_changes_a_number(points, rng):
    rows = rows_of(*points)
    expected = {row["arm"]: row for row in frontier(rows, "recall")}
    assert {row["arm"]: row for row in frontier(rng.sample(rows, len(rows)), "recall")} == expected
