"""How sure a paired difference is. Every function treats B - A as it treats A - B, with the signs turned.

Randomisation: Smucker, Allan and Carterette, "A comparison of statistical significance tests for information retrieval
evaluation", CIKM 2007. If the two arms were the same, each query's difference could have had either sign; p is the share
of all assignments of signs whose mean is at least as far from 0 as the one that was observed. Drawn assignments: p is
(1 + hits) / (1 + draws), which is never 0 (Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology
9(1), 2010).
Sign test: Conover, "Practical Nonparametric Statistics", 1999, section 3.4; ties are left out.
Interval: the percentile bootstrap over queries, Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
Correction: Holm, Scandinavian Journal of Statistics 6(2), 1979.

What is drawn comes from the raw 64-bit words of PCG64 with a fixed seed, a stream that numpy promises to keep, and is
summed as integers: the same numbers on every machine. Differences whose common denominator is above 2**_FINEST (of
character counts, of logarithms) are rounded to multiples of its inverse before, which moves no mean by more than that.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm

import numpy as np

ALPHA = Fraction(1, 20)
SEED = 2007
ASSIGNMENTS = 100_000
RESAMPLES = 10_000
LEVEL = Fraction(95, 100)

_EXACT_WORK = 2**20  # additions that all assignments together may take
_LIMB = 30  # bits: a sum of 2**23 limbs is exact in a float64
_FINEST = 58  # bits of the denominator: differences up to 1 are two limbs then
_BLOCK = 2**22  # numbers in memory at a time


@dataclass(frozen=True, slots=True)
class Randomisation:
    """The two-sided p of a randomisation test. `assignments` is how many were drawn, None where all were counted."""

    p: Fraction
    assignments: int | None


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval of a mean difference."""

    low: float
    high: float


def sign_test(better: int, worse: int) -> Fraction:
    """The exact two-sided p of so many queries that are better and worse, if either were as likely; 1 without any."""
    n, fewer = better + worse, min(better, worse)
    return min(Fraction(1), Fraction(2 * sum(comb(n, k) for k in range(fewer + 1)), 2**n))


def attainable_p(queries: int) -> Fraction:
    """The smallest p that either test can give for so many queries that differ: all of them in one direction."""
    return Fraction(1, 2 ** (queries - 1)) if queries else Fraction(1)


def randomisation_test(differences: Iterable[Fraction]) -> Randomisation:
    """The paired randomisation test of a mean or total difference.

    All assignments are counted where the sums that they can reach are few enough (for counts of facts, with hundreds of
    queries), else ASSIGNMENTS of them are drawn. Which it is, and what is drawn, depends on the sizes of the differences
    and on neither their order nor their signs.
    """
    scaled, _ = _integers([d for d in differences if d])
    sizes = sorted(map(abs, scaled))
    observed = abs(sum(scaled))
    reached = _all_sums(sizes)
    if reached is not None:
        hits = sum(count for total, count in reached.items() if abs(total) >= observed)
        return Randomisation(Fraction(hits, 2 ** len(sizes)), None)
    hits = sum(int((abs(totals) >= observed).sum()) for totals in _drawn_sums(sizes))
    return Randomisation(Fraction(hits + 1, ASSIGNMENTS + 1), ASSIGNMENTS)


def bootstrap_interval(differences: Sequence[Fraction], weights: Sequence[int] | None = None) -> Interval | None:
    """The LEVEL interval of sum(differences) / sum(weights) over RESAMPLES resamples of the queries, each a query's
    difference with its weight (1 where none are given; all above 0). None for fewer than two queries.

    The order of the queries is that of the draw: give them in one order, whichever arm comes first.
    """
    n = len(differences)
    if n < 2:
        return None
    scaled, denominator = _integers(differences)
    totals = _picked_sums(scaled)
    parts = [n] * RESAMPLES if weights is None else _picked_sums(weights)
    means = sorted(total / (part * denominator) for total, part in zip(totals, parts, strict=True))
    tail = int(RESAMPLES * (1 - LEVEL) / 2)
    return Interval(means[tail], means[-1 - tail])


def holm(values: Sequence[Fraction]) -> list[Fraction]:
    """The p values of several comparisons at once, adjusted, in the order given."""
    adjusted = [Fraction(1)] * len(values)
    highest = Fraction(0)
    for place, index in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        highest = max(highest, min(Fraction(1), values[index] * (len(values) - place)))
        adjusted[index] = highest
    return adjusted


def _integers(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """The values times their common denominator, and that."""
    denominator = lcm(*(Fraction(value).denominator for value in values))
    if denominator > 2**_FINEST:
        denominator = 2**_FINEST
    return [round(value * denominator) for value in values], denominator


def _all_sums(sizes: Sequence[int]) -> dict[int, int] | None:
    """How many assignments of signs reach each sum; None where counting them takes too long."""
    reached, work = {0: 1}, 0
    for size, count in sorted(Counter(sizes).items()):
        work += len(reached) * (count + 1)
        if work > _EXACT_WORK:
            return None
        ways = [(size * (count - 2 * negative), comb(count, negative)) for negative in range(count + 1)]
        extended: dict[int, int] = {}
        for total, number in reached.items():
            for step, way in ways:
                extended[total + step] = extended.get(total + step, 0) + number * way
        reached = extended
    return reached


def _drawn_sums(sizes: Sequence[int]) -> Iterator[np.ndarray]:
    """The sums of ASSIGNMENTS drawn assignments of signs, in blocks: a query's sign is negative where its bit is set."""
    whole, words = sum(sizes), -(-len(sizes) // 64)
    rows = max(1, _BLOCK // (64 * words))
    stream = np.random.PCG64(SEED)
    limbs = _limbs(sizes)
    for start in range(0, ASSIGNMENTS, rows):
        block = min(rows, ASSIGNMENTS - start)
        raw = stream.random_raw(block * words).astype("<u8").view(np.uint8).reshape(block, 8 * words)
        bits = np.unpackbits(raw, axis=1, bitorder="little", count=len(sizes)).astype(np.float64)
        yield whole - 2 * _joined([bits @ limb for limb in limbs])


def _picked_sums(values: Sequence[int]) -> list[int]:
    """For each resample the exact sum of the values that it picks."""
    least, n = min(values), len(values)
    limbs = _limbs([value - least for value in values])
    rows = max(1, _BLOCK // n)
    sums: list[int] = []
    for start in range(0, RESAMPLES, rows):
        drawn = _resamples(n, start, min(rows, RESAMPLES - start))
        sums += (least * n + int(total) for total in _joined([limb[drawn].sum(axis=1) for limb in limbs]))
    return sums


@lru_cache(maxsize=8)
def _resamples(n: int, start: int, rows: int) -> np.ndarray:
    """Some of the RESAMPLES rows of n places from 0 to n - 1: the upper 32 bits of a word times n, over 2**32."""
    raw = np.random.PCG64(SEED).advance(start * n).random_raw(rows * n) >> np.uint64(32)
    return ((raw * np.uint64(n)) >> np.uint64(32)).astype(np.int32).reshape(rows, n)


def _limbs(values: Sequence[int]) -> list[np.ndarray]:
    """Natural numbers in pieces of so few bits that sums of them are exact in any order."""
    length = max(value.bit_length() for value in values)
    shifts = range(0, max(length, 1), _LIMB)
    return [np.array([(value >> shift) % 2**_LIMB for value in values], dtype=np.float64) for shift in shifts]


def _joined(sums: Sequence[np.ndarray]) -> np.ndarray:
    """The sums of the numbers from the sums of their pieces: whole numbers, exact whatever the type."""
    if len(sums) == 1:
        return sums[0]
    exact = [[int(part) << (_LIMB * place) for part in parts] for place, parts in enumerate(sums)]
    return np.array([sum(parts) for parts in zip(*exact, strict=True)], dtype=object)
