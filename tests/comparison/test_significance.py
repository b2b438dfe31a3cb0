"""How sure a paired difference is: figures worked out by hand, and twins that count or draw in the plain way."""

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanledger.comparison import significance
from spanledger.comparison.significance import (
    ASSIGNMENTS,
    Interval,
    attainable_p,
    bootstrap_interval,
    holm,
    randomisation_test,
    sign_test,
)

DIFFERENCES = st.lists(st.fractions(min_value=-3, max_value=3, max_denominator=12), max_size=9)


def every_assignment(differences):
    """The p of the randomisation test by its definition."""
    observed = abs(sum(differences))
    signs = list(product((1, -1), repeat=len(differences)))
    totals = (sum(s * d for s, d in zip(row, differences, strict=True)) for row in signs)
    return Fraction(sum(abs(total) >= observed for total in totals), len(signs))


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1), (1, 0, 1), (5, 0, Fraction(1, 16)), (0, 6, Fraction(1, 32)), (8, 2, Fraction(112, 1024)), (3, 3, 1)],
)
def test_sign_test_by_hand(better, worse, p):
    """8 against 2: 2 * (1 + 10 + 45) / 2**10."""
    assert sign_test(better, worse) == p


def test_randomisation_by_hand():
    """The eight sums of 1, 1 and 2 with any signs are 4 and -4 once, 0 twice, 2 and -2 twice each."""
    assert randomisation_test([Fraction(1), Fraction(1), Fraction(2)]).p == Fraction(2, 8)
    assert randomisation_test([Fraction(1), Fraction(-1), Fraction(2)]).p == Fraction(6, 8)
    assert randomisation_test([]).p == randomisation_test([Fraction(0)] * 4).p == 1


@given(DIFFERENCES)
def test_randomisation_is_every_assignment_counted(differences):
    found = randomisation_test(differences)
    assert found.p == every_assignment(differences)
    assert found.assignments is None
    assert found.p >= attainable_p(sum(d != 0 for d in differences))


@given(DIFFERENCES)
def test_of_one_size_the_two_tests_are_one(differences):
    signs = [Fraction((d > 0) - (d < 0)) for d in differences]
    assert randomisation_test(signs).p == sign_test(signs.count(1), signs.count(-1))


def test_hundreds_of_queries_are_counted_not_drawn():
    """700 halves and 300 thirds, by a twin that adds one query at a time to a float distribution."""
    differences = [Fraction(1, 2)] * 390 + [Fraction(-1, 2)] * 310 + [Fraction(1, 3)] * 140 + [Fraction(-1, 3)] * 160
    chances = np.ones(1)
    for d in differences:
        step = int(abs(d) * 6)
        moved = np.zeros(len(chances) + 2 * step)
        moved[: len(chances)] += chances / 2
        moved[2 * step :] += chances / 2
        chances = moved
    sums = np.arange(len(chances)) - len(chances) // 2
    found = randomisation_test(differences)
    assert found.assignments is None
    assert float(found.p) == pytest.approx(chances[abs(sums) >= abs(int(sum(differences) * 6))].sum(), rel=1e-9)


def test_drawn_assignments_come_near_the_exact_p(monkeypatch):
    differences = [Fraction(k, 60) * (-1) ** (k % 3 == 0) for k in range(1, 16)]
    exact = every_assignment(differences)
    monkeypatch.setattr(significance, "_EXACT_WORK", 0)
    found = randomisation_test(differences)
    assert found.assignments == ASSIGNMENTS
    spread = sqrt(exact * (1 - exact) / ASSIGNMENTS)
    assert 0.02 < exact < 0.5 and abs(found.p - exact) < 4 * spread
    assert (found.p * (ASSIGNMENTS + 1)).denominator == 1
    for other in ([-d for d in differences], differences[::-1]):
        assert randomisation_test(other) == found


def test_drawn_assignments_are_summed_exactly(monkeypatch):
    """A huge common denominator: 1/2 and 1/2 cancel in half of the draws, and 2**-90 never tips the scale the wrong way."""
    monkeypatch.setattr(significance, "_EXACT_WORK", 0)
    tiny = Fraction(1, 2**90)
    hits = randomisation_test([Fraction(1, 2), Fraction(1, 2) + tiny]).p * (ASSIGNMENTS + 1) - 1
    assert abs(hits - ASSIGNMENTS / 2) < 4 * sqrt(ASSIGNMENTS / 4)
    assert randomisation_test([Fraction(1, 2), -Fraction(1, 2) - tiny]).p == 1


def test_drawn_p_is_never_0(monkeypatch):
    monkeypatch.setattr(significance, "_EXACT_WORK", 0)
    assert randomisation_test([Fraction(1)] * 200).p == Fraction(1, ASSIGNMENTS + 1)


def test_smallest_attainable_p():
    assert [attainable_p(n) for n in (0, 1, 5, 6)] == [1, 1, Fraction(1, 16), Fraction(1, 32)]


def drawn(n):
    """The first resamples by the rule that the module states, one word at a time."""
    stream = np.random.PCG64(significance.SEED)
    return [[(int(stream.random_raw()) >> 32) * n >> 32 for _ in range(n)] for _ in range(significance.RESAMPLES)]


def test_bootstrap_by_its_definition():
    differences = [Fraction(1), Fraction(-1, 2), Fraction(1, 3), Fraction(0), Fraction(2)]
    weights = [1, 2, 3, 1, 2]
    rows = drawn(5)
    means = sorted(sum(differences[i] for i in row) / 5 for row in rows)
    ratios = sorted(sum(differences[i] for i in row) / sum(weights[i] for i in row) for row in rows)
    assert bootstrap_interval(differences) == Interval(float(means[250]), float(means[-251]))
    assert bootstrap_interval(differences, weights) == Interval(float(ratios[250]), float(ratios[-251]))


def test_bootstrap_of_many_queries_is_near_the_normal_interval():
    """400 queries, half of them 1 better: the mean is 0.5, its standard error 0.5 / 20."""
    found = bootstrap_interval([Fraction(k % 2) for k in range(400)])
    assert found.low == pytest.approx(0.5 - 1.96 / 40, abs=0.004)
    assert found.high == pytest.approx(0.5 + 1.96 / 40, abs=0.004)


@settings(max_examples=20)
@given(st.lists(st.fractions(min_value=-3, max_value=3, max_denominator=12), min_size=2, max_size=6))
def test_bootstrap_mirrors(differences):
    found, mirrored = bootstrap_interval(differences), bootstrap_interval([-d for d in differences])
    assert (found.low, found.high) == (-mirrored.high, -mirrored.low)
    assert float(min(differences)) <= found.low <= found.high <= float(max(differences))


def test_bootstrap_does_not_depend_on_the_blocks(monkeypatch):
    differences = [Fraction(k, 7) for k in range(-9, 20)]
    found = bootstrap_interval(differences)
    monkeypatch.setattr(significance, "_BLOCK", 1000)
    assert bootstrap_interval(differences) == found


@pytest.mark.parametrize("differences", [[], [Fraction(1)]])
def test_no_interval_of_fewer_than_two_queries(differences):
    assert bootstrap_interval(differences) is None


def test_holm_by_hand():
    """.01 * 4, .03 * 3, .04 * 2 (raised to .09), .5: the example of a step-down in any order."""
    values = [Fraction(4, 100), Fraction(1, 100), Fraction(1, 2), Fraction(3, 100)]
    assert holm(values) == [Fraction(9, 100), Fraction(4, 100), Fraction(1, 2), Fraction(9, 100)]
    assert holm([]) == []
    assert holm([Fraction(3, 5), Fraction(3, 5)]) == [1, 1]


@given(st.lists(st.fractions(min_value=0, max_value=1, max_denominator=40), min_size=1, max_size=7))
def test_holm_rejects_what_the_step_down_rejects(values):
    """By its definition: go through p in order and stop at the first above alpha / (number left)."""
    adjusted = holm(values)
    for alpha in (Fraction(1, 20), Fraction(1, 3)):
        rejected, left = set(), len(values)
        for index in sorted(range(len(values)), key=lambda i: values[i]):
            if values[index] * left > alpha:
                break
            rejected.add(index)
            left -= 1
        assert rejected == {index for index, p in enumerate(adjusted) if p <= alpha}


@given(st.lists(st.fractions(-1, 1, max_denominator=10**7), min_size=1, max_size=9))
def test_differences_of_character_counts_are_rounded_and_none_of_the_figures_shows_it(values):
    """Against every assignment of signs, in exact fractions."""
    observed, sizes = abs(sum(values)), [value for value in values if value]
    signed = [sum(s * v for s, v in zip(signs, sizes, strict=True)) for signs in product((1, -1), repeat=len(sizes))]
    found = randomisation_test(values)
    assert found.assignments is None
    # sums that are equal but for rounding may fall on either side
    near = Fraction(len(values), 2**58)
    assert Fraction(sum(abs(total) >= observed + near for total in signed), len(signed)) <= found.p
    assert found.p <= Fraction(sum(abs(total) >= observed - near for total in signed), len(signed))
