"""Paired differences over lines of any shape."""

from dataclasses import replace
from fractions import Fraction
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from spanledger.comparison import significance
from spanledger.comparison.measures import difference, measures
from spanledger.comparison.questions import evidence_rank
from spanledger.gold import Evidence, Fact
from spanledger.metrics import macro_recall, mean, mrr


@st.composite
def paired_lines(draw):
    """The lines of a few queries for two arms."""
    pairs = []
    for number in range(draw(st.integers(0, 6))):
        required = draw(st.integers(0, 3))

        def line(number=number, required=required):
            return {
                "query_id": f"q{number}",
                "required": required,
                "covered": {p: draw(st.integers(0, required)) for p in ("index", "candidates", "context")},
                "covered_at": {"1": draw(st.integers(0, required))},
                "no_answer": None if required else "absent",
                "documents": draw(st.sampled_from([None, {"AP": 0.25}, {"AP": 1.0}])),
                "first_rank": draw(st.none() | st.integers(1, 9)),
                "candidate_count": draw(st.integers(0, 2)),
                "cost": {"char": draw(st.integers(0, 300))},
            }

        pairs.append((line(), line()))
    return pairs


@mock.patch.object(significance, "RESAMPLES", 100)
@given(paired_lines())
def test_both_sides_and_the_mirror(pairs):
    for measure in measures("char", [1], documents=["AP"]):
        found = difference(measure, pairs)
        back = difference(measure, [(b, a) for a, b in pairs])
        interval = found.interval and replace(found.interval, low=-found.interval.high, high=-found.interval.low)
        assert back == replace(
            found,
            a=found.b,
            b=found.a,
            difference=None if found.difference is None else -found.difference,
            better=found.worse,
            worse=found.better,
            interval=interval,
        )
        assert found.better + found.equal + found.worse == found.queries
        assert difference(measure, pairs[::-1]) == found
        if found.queries:
            assert found.b - found.a == found.difference
            assert found.randomisation.p >= found.attainable_p_of_differing or found.better + found.worse == 0
    by_name = {m.name: difference(m, pairs) for m in measures("char", [1], documents=["AP"])}
    after = [b for _, b in pairs]
    assert by_name["macro_recall"].b == macro_recall(after) and by_name["mrr"].b == mrr(after)
    assert by_name["mean_cost"].b == mean(row["cost"]["char"] for row in after)
    facts = sum(row["required"] for row in after)
    covered = sum(row["covered"]["context"] for row in after)
    assert by_name["micro_recall"].b == (Fraction(covered, facts) if facts else None)


def test_the_rank_at_which_evidence_is_met():
    """Group one needs two spans, met at 4 and 2; group two one, met at 3: the second is met first."""

    def at(rank, start, end, doc="d"):
        return {"rank": rank, "doc_id": doc, "version": "v1", "spans": [[start, end]]}

    row = {"candidates": [at(1, 0, 10, "other"), at(2, 50, 60), at(3, 20, 30), at(4, 9, 11)]}
    first = (Evidence("d", "v1", (10, 20)), Evidence("d", "v1", (59, 70)))
    second = (Evidence("d", "v1", (25, 40)),)
    assert evidence_rank(Fact("f", (first, second)), row) == 3
    assert evidence_rank(Fact("f", (first,)), row) == 4
    assert evidence_rank(Fact("f", ((Evidence("d", "v1", (30, 50)),),)), row) is None  # touched at neither end
    assert evidence_rank(Fact("f", ((Evidence("d", "v2", (0, 90)),), second)), row) == 3
