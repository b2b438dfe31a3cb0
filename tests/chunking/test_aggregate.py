"""Joined parts against a twin that tries every way to end a chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, element
from spanledger.chunking.paragraph import Aggregate, Paragraph
from spanledger.core.units import UNITS, count

TEXT = st.text(st.sampled_from("ab .日é\n"), max_size=30)


def bodies(text, parts, unit, chunk_size):
    elements = [element(str(place), span) for place, span in enumerate(parts)]
    pieces = Aggregate(unit, chunk_size).pieces(document(text=text), elements)
    return [text[start:end] for piece in pieces for start, end in piece.spans]


def slowly(text, parts, unit, chunk_size):
    """Each chunk ends as late as it may: of all ends with a text that fits, the last; else after its first part."""
    spans, first = [], 0
    while first < len(parts):
        fitting = [
            last
            for last in range(first, len(parts))
            if all(count(text[parts[first][0] : parts[i][1]], unit) <= chunk_size for i in range(first + 1, last + 1))
        ]
        spans.append((parts[first][0], parts[fitting[-1]][1]))
        first = fitting[-1] + 1
    return spans


@given(TEXT, st.sampled_from(UNITS), st.integers(1, 12))
def test_the_chunks_are_those_of_the_twin(text, unit, chunk_size):
    parts = list(Paragraph().split(text))
    expected = slowly(text, parts, unit, chunk_size)
    assert list(Aggregate(unit, chunk_size).split(text)) == expected
    assert bodies(text, parts, unit, chunk_size) == [text[start:end] for start, end in expected]
    assert bodies(text, [], unit, chunk_size) == [text[start:end] for start, end in expected]  # paragraphs without any
    assert all(before[1] < after[0] for before, after in zip(expected, expected[1:], strict=False))


@given(TEXT, st.sampled_from(UNITS), st.integers(1, 12))
def test_a_chunk_of_several_parts_fits_and_no_part_is_cut(text, unit, chunk_size):
    parts = list(Paragraph().split(text))
    for start, end in Aggregate(unit, chunk_size).split(text):
        held = [part for part in parts if start <= part[0] and part[1] <= end]
        assert (held[0][0], held[-1][1]) == (start, end)
        assert len(held) == 1 or count(text[start:end], unit) <= chunk_size


TEXT_BY_HAND = "aaaa\n\nbb\n\ncc\n\nddddddddd\n\ne"  # paragraphs of 4, 2, 2, 9 and 1, two characters between them


@pytest.mark.parametrize(
    ("chunk_size", "expected"),
    [
        (1, ["aaaa", "bb", "cc", "ddddddddd", "e"]),  # what is longer on its own stays whole
        (6, ["aaaa", "bb\n\ncc", "ddddddddd", "e"]),
        (8, ["aaaa\n\nbb", "cc", "ddddddddd", "e"]),  # 4 + 2 + 2; the white space between counts
        (11, ["aaaa\n\nbb", "cc", "ddddddddd", "e"]),  # 12 would be needed
        (12, ["aaaa\n\nbb\n\ncc", "ddddddddd\n\ne"]),
    ],
)
def test_paragraphs_by_hand(chunk_size, expected):
    text = TEXT_BY_HAND
    assert [text[start:end] for start, end in Aggregate("char", chunk_size).split(text)] == expected


def test_elements_come_before_paragraphs_and_what_lies_between_two_of_a_chunk_is_in_it():
    text = "one, two - three"
    parts = [(0, 3), (5, 8), (11, 16)]
    assert bodies(text, parts, "char", 8) == ["one, two", "three"]
    assert bodies(text, parts, "word", 4) == ["one, two - three"]  # the dash is a word
    assert bodies(text, parts, "word", 3) == ["one, two", "three"]
    assert bodies(text, parts[1:], "word", 9) == ["two - three"]  # text before the first element is left out


def test_an_empty_text_has_none():
    assert list(Aggregate("char", 3).split(" \n\n ")) == []


def test_a_size_below_1_is_refused():
    with pytest.raises(ValueError, match="aggregate: chunk_size must be at least 1, found 0"):
        Aggregate("char", 0)
