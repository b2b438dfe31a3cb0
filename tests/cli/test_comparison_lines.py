"""What a comparison says in the terminal, sentence by sentence."""

from dataclasses import replace
from fractions import Fraction

import pytest

from spanledger.cli import comparison_lines as lines
from spanledger.comparison.measures import Difference
from spanledger.comparison.parameters import ParameterDifference
from spanledger.comparison.questions import FactChange, QuestionChange
from spanledger.comparison.significance import Interval, Randomisation


def difference(n, better, worse, p, comparisons=1):
    sign = 1 if better >= worse else -1
    interval = Interval(-0.125, 0.5)
    randomisation = Randomisation(Fraction(p), None)
    sides = (Fraction(1, 2), Fraction(1, 2) + Fraction(sign, 8), Fraction(sign, 8))
    counts = (better, n - better - worse, worse)
    return Difference(
        "mrr", "answerable", n, *sides, *counts, Fraction(1), randomisation, interval, Fraction(p), comparisons
    )


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            difference(5, 5, 0, "1/16"),
            "mrr: too few queries to conclude anything: over 5 of them the smallest p that can come out is 0.0625.",
        ),
        (
            difference(7, 5, 0, "1/16", 4),
            "mrr: too few queries to conclude anything: over 7 of them the smallest p that can come out is 0.0625 (with "
            "Holm's correction for 4 arms).",
        ),
        (difference(40, 9, 0, "1/256"), "mrr: B is better: p = 0.0039."),
        (difference(40, 1, 9, "1/50000"), "mrr: B is worse: p = <0.0001."),
        (
            difference(40, 2, 1, "1"),
            "mrr: no difference shown over 40 queries: p = 1.0000; 3 differ, too few for a p below 0.2500.",
        ),
        (difference(40, 9, 8, "7/8"), "mrr: no difference shown over 40 queries: p = 0.8750."),
    ],
)
def test_verdicts(found, sentence):
    assert lines.verdict(found) == sentence


def test_figures():
    found = difference(40, 9, 8, "7/8")
    assert lines.figures(found) == ("0.5000", "0.6250", "+0.1250", "[-0.1250, +0.5000]")
    assert lines.figures(replace(found, metric="mean_cost", interval=None)) == ("0.5", "0.6", "+0.1", "-")
    assert lines.counts(found) == "9/23/8"
    assert lines.p_of(replace(found, randomisation=Randomisation(Fraction(1, 3), 100_000))) == "~0.3333"
    nothing = replace(found, a=None, b=None, difference=None, randomisation=None, interval=None)
    assert (lines.figures(nothing), lines.p_of(nothing)) == (("null", "null", "null", "-"), "null")


def test_keys_and_values():
    def key(a, b):
        return lines.key(ParameterDifference(a, b, 1, 2))

    assert key("chunk", "chunk") == "chunk"
    assert key("fuse.a.rerank.method", "fuse.b.rerank.method") == "fuse.(a | b).rerank.method"
    assert key(None, "fuse.b.k") == key("fuse.b.k", None) == "fuse.b.k"
    assert lines.value_text({"depth": 4, "expand": None, "on": True, "of": ["a", 0.5]}) == (
        "{depth: 4, expand: null, on: true, of: [a, 0.5]}"
    )
    assert lines.value_text(["\n\n", "", " ", "."]) == r'["\n\n", "", " ", .]'


def test_a_question():
    gained = FactChange("f1", "does_not_fit", {"budget": 145, "depth": {"original": 7}}, None, 2)
    missed = FactChange("f2", "not_matched", None, 1, 3)
    change = QuestionChange("q", "Why?", "traded", 2, 1, 1, None, 2, (gained,), (missed,))
    assert list(lines.question(change)) == [
        "  traded q: Why?",
        "         1 -> 1 of 2 facts, first rank none -> 2",
        "         + f1: A lacks it, did not fit (needed budget 145, depth original 7); evidence met at rank none -> 2",
        "         - f2: B lacks it, no shared term; evidence met at rank 1 -> 3",
    ]
