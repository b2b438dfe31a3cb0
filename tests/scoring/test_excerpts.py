"""Span-level metrics by hand, and against sets of characters."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.gold import Evidence, Fact
from spanledger.scoring import excerpts
from spanledger.scoring.excerpts import span_metrics

KEY = ("d", "1")


def fact(*groups):
    return Fact("f", tuple(tuple(Evidence(*KEY, span) for span in group) for group in groups))


def near_of(chunks):
    def near(evidence, touching):
        start, end = evidence.span
        reach = 1 if touching else 0
        return [
            (KEY, spans) for spans in chunks if any(s < end + reach and start - reach < e and s < e for s, e in spans)
        ]

    return near


def measured(facts, passages, chunks, touching=False):
    counted = span_metrics(facts, [(KEY, spans) for spans in passages], near_of(chunks), touching)
    return [f(counted) for f in (excerpts.precision, excerpts.recall, excerpts.iou, excerpts.precision_omega)]


def test_by_hand():
    chunks = [((0, 10),), ((10, 20),), ((20, 30),)]
    # the excerpt [5,15) is 10 characters; the first chunk holds 5 of them, the first two all of them
    assert measured([fact([(5, 15)])], [chunks[0]], chunks) == [
        Fraction(5, 10), Fraction(5, 10), Fraction(5, 15), Fraction(10, 20)
    ]  # fmt: skip
    assert measured([fact([(5, 15)])], chunks, chunks)[:3] == [Fraction(10, 30), 1, Fraction(10, 30)]


def test_repeats_in_the_context_cost_precision_and_iou_and_count_once_as_evidence():
    assert measured([fact([(0, 4)])], [((0, 8),), ((0, 8),)], [((0, 8),)]) == [
        Fraction(4, 16), 1, Fraction(4, 16), Fraction(4, 8)
    ]  # fmt: skip


def test_a_chunk_that_only_touches_counts_in_the_published_kind_alone():
    chunks = [((0, 10),), ((10, 20),)]
    assert measured([fact([(0, 10)])], [], chunks)[3] == 1
    assert measured([fact([(0, 10)])], [], chunks, touching=True)[3] == Fraction(1, 2)


def test_of_alternatives_the_one_that_is_there_most_counts():
    either = fact([(0, 10)], [(20, 24)])
    assert measured([either], [((20, 23),)], [((20, 24),)])[:2] == [1, Fraction(3, 4)]
    assert measured([either], [], [((20, 24),)])[1] == 0


def test_nothing_retrieved_has_no_precision_and_no_facts_have_no_metrics():
    assert measured([fact([(0, 3)])], [], [])[0] is None
    assert measured([fact([(0, 3)])], [], [])[1:] == [0, 0, 0]
    assert span_metrics([], [], near_of([])) is None


SPAN = st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(
    st.lists(st.lists(SPAN, min_size=1, max_size=2), min_size=1, max_size=3),
    st.lists(SPAN, max_size=4),
    st.lists(SPAN, max_size=5),
    st.booleans(),
)
def test_sets_of_characters_give_the_same(groups, passages, chunks, touching):
    facts = [fact(group) for group in groups]
    found = measured(facts, [(span,) for span in passages], [(span,) for span in chunks], touching)
    excerpt = {place for group in groups for span in group for place in range(*span)}
    sent = [place for span in passages for place in range(*span)]
    shared = len(excerpt & set(sent))
    assert found[0] == (Fraction(shared, len(sent)) if sent else None)
    assert found[1] == Fraction(shared, len(excerpt))
    assert found[2] == Fraction(shared, len(sent) + len(excerpt) - shared)
    spans = [span for group in groups for span in group]
    if touching:
        near = [(s, e) for s, e in chunks if any(max(s, a) <= min(e, b) for a, b in spans)]
    else:
        near = [(s, e) for s, e in chunks if set(range(s, e)) & excerpt]
    union = {place for span in near for place in range(*span)}
    assert found[3] == (Fraction(len(union & excerpt), len(union)) if union else 0)


@pytest.mark.parametrize("name", ["other"])
def test_evidence_of_another_document_is_apart(name):
    other = Fact("f", ((Evidence(name, "1", (0, 5)),),))
    counted = span_metrics([other], [(KEY, ((0, 5),))], lambda *_: [])
    assert (counted["shared"], counted["excerpts"], counted["retrieved"]) == (0, 5, 5)
