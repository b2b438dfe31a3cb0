"""The fraction that a float stands for."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.gates.exact import exact


@pytest.mark.parametrize(
    ("number", "fraction"),
    [
        (0.7, Fraction(7, 10)),
        (0.1, Fraction(1, 10)),
        (1 / 3, Fraction(1, 3)),
        (0.8333333333333334, Fraction(5, 6)),
        (215.75, Fraction(863, 4)),
        (216.66666666666666, Fraction(650, 3)),
        (-0.005194805194805195, Fraction(-2, 385)),
        (1e-9, Fraction(1, 10**9)),
        (245.0, Fraction(245)),
        (0, Fraction(0)),
        (0.0, Fraction(0)),
        (3, Fraction(3)),
        (2**63, Fraction(2**63)),
    ],
)
def test_a_number_is_the_fraction_that_a_person_would_take_it_for(number, fraction):
    assert exact(number) == fraction


@given(st.fractions(0, 1, max_denominator=2**26))
def test_a_share_comes_back_as_it_was_before_it_was_rounded(value):
    assert exact(float(value)) == value


@given(st.integers(0, 10**7), st.integers(0, 7))
def test_a_decimal_of_seven_digits_is_that_decimal(digits, places):
    assert exact(float(f"{digits}e-{places}")) == Fraction(digits, 10**places)


@given(st.floats(0, 1e6, allow_subnormal=False))
def test_it_rounds_to_the_number_and_none_below_its_denominator_does(number):
    found = exact(number)
    assert float(found) == number
    if 1 < found.denominator <= 3000:
        for denominator in range(1, found.denominator):
            assert float(Fraction(round(Fraction(number) * denominator), denominator)) != number
