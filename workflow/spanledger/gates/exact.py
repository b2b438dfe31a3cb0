"""The exact value of a number that was written as a float.

Every metric is a fraction that was rounded once, and so is a bound in params.yaml. Both stand for the simplest fraction
that rounds to them: 0.7 is 7/10, and 0.8333333333333334 is 5/6. That is the fraction which was rounded wherever it is at
most 1 and its denominator at most 2**26: two of these are farther apart than a float can be off.
"""

import math
from fractions import Fraction


def exact(number: int | float) -> Fraction:
    """The fraction with the smallest denominator, and then the smallest numerator, of all that round to this float."""
    if number < 0:
        return -exact(-number)
    if isinstance(number, int) or number == 0:
        return Fraction(number)
    below, above = Fraction(math.nextafter(number, 0)), Fraction(math.nextafter(number, math.inf))
    return _simplest((below + Fraction(number)) / 2, (above + Fraction(number)) / 2)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The simplest fraction strictly between two that are not below 0."""
    whole = math.floor(low)
    if whole + 1 < high:
        return Fraction(whole + 1)
    rest = high - whole  # at most 1
    if low == whole:
        return whole + Fraction(1, math.floor(1 / rest) + 1)
    return whole + 1 / _simplest(1 / rest, 1 / (low - whole))
