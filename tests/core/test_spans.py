"""Spans against sets of positions, the slow and obvious way to say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.spans import SpanIndex, check, covers, gaps, length, overlap, union

SPAN = st.tuples(st.integers(0, 25), st.integers(0, 25))
REAL_SPAN = st.tuples(st.integers(0, 25), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def positions(*spans):
    return {place for start, end in spans for place in range(start, end)}


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], []),
        ([(0, 64), (65, 128)], [(0, 64), (65, 128)]),
        ([(64, 128), (0, 64)], [(0, 128)]),  # touching spans join
        ([(0, 9), (2, 4), (8, 12)], [(0, 12)]),
        ([(3, 3), (7, 5)], []),  # empty and reversed spans hold nothing
        ([(0, 2), (5, 5), (2, 3)], [(0, 3)]),
    ],
)
def test_union_by_hand(spans, expected):
    assert union(spans) == expected


@given(st.lists(SPAN))
def test_union_holds_the_same_positions_in_maximal_disjoint_spans(spans):
    merged = union(spans)
    assert positions(*merged) == positions(*spans)
    assert all(start < end for start, end in merged)
    assert all(first[1] < second[0] for first, second in zip(merged, merged[1:], strict=False))
    assert length(merged) == len(positions(*spans))


@given(st.lists(REAL_SPAN))
def test_length_counts_a_position_once_for_each_span_that_holds_it(spans):
    assert length(spans) == sum(len(positions(span)) for span in spans)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 64), (64, 128)], True),
        ([(0, 64), (65, 128)], False),  # one missing character fails
        ([(0, 64)], False),
        ([(40, 90)], True),
        ([(41, 90)], False),
        ([(40, 89)], False),
        ([(60, 128), (0, 10), (30, 61)], True),
        ([], False),
    ],
)
def test_covers_by_hand(spans, expected):
    assert covers(spans, (40, 90)) is expected


@given(st.lists(SPAN), REAL_SPAN)
def test_covers_is_set_inclusion(spans, target):
    assert covers(spans, target) == (positions(target) <= positions(*spans))


@given(SPAN, SPAN)
def test_overlap_is_a_common_position(first, second):
    assert overlap(first, second) == bool(positions(first) & positions(second))


@given(st.lists(SPAN), SPAN)
def test_span_index_finds_all_that_share_a_position(spans, target):
    index = SpanIndex((start, end, label) for label, (start, end) in enumerate(spans))
    sharing = sorted((*span, label) for label, span in enumerate(spans) if positions(span) & positions(target))
    assert index.touching(target) == [label for _, _, label in sharing]


def test_span_index_looks_past_a_long_span_that_starts_early():
    index = SpanIndex([(0, 100, 7), (1, 2, 8), (3, 4, 9), (50, 60, 1)])
    assert index.touching((55, 56)) == [7, 1]
    assert index.touching((99, 120)) == [7]
    assert index.touching((100, 120)) == []
    assert index.touching((4, 5)) == [7]  # (3, 4) only touches


@given(st.lists(SPAN, max_size=5), st.integers(0, 25))
def test_check_wants_ascending_disjoint_spans_inside_the_limit(spans, limit):
    flat = [place for span in spans for place in range(*span)]
    expected = bool(spans) and all(s < e for s, e in spans) and flat == sorted(set(flat)) and flat[-1] < limit
    assert check(spans, limit) == expected


@given(st.lists(SPAN, max_size=6), REAL_SPAN)
def test_gaps_are_the_positions_that_are_missing(spans, target):
    found = gaps(spans, target)
    assert positions(*found) == positions(target) - positions(*spans)
    assert found == union(found)
    assert (found == []) == covers(spans, target)
