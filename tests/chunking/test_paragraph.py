"""Paragraphs against a twin that goes line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.chunking.paragraph import Paragraph
from spanledger.chunking.window import Window
from spanledger.core.units import UNITS, count

TEXT = st.text(st.sampled_from("ab \t\r\n\u3000\u2028\x0b\u200b") | st.sampled_from("\r\n"), max_size=30)


def lines(text):
    """(start, end, end of the terminator) of each line."""
    found, start = [], 0
    while start < len(text):
        end = next((place for place in range(start, len(text)) if text[place] in "\r\n"), len(text))
        after = end + 2 if text[end : end + 2] == "\r\n" else min(end + 1, len(text))
        found.append((start, end, after))
        start = after
    return found


def slow_paragraphs(text):
    runs = [[]]
    for start, end, _ in lines(text):
        if text[start:end].isspace() or start == end:
            runs.append([])
        else:
            runs[-1].append((start, end))
    return [(run[0][0], run[-1][1]) for run in runs if run]


@given(TEXT)
def test_the_paragraphs_are_those_of_the_twin(text):
    assert list(Paragraph().split(text)) == slow_paragraphs(text)


@given(TEXT)
def test_every_promise(text):
    spans = list(Paragraph().split(text))
    inside = {place for start, end in spans for place in range(start, end)}
    assert not "".join(c for place, c in enumerate(text) if place not in inside).strip()  # all that is lost is blank
    assert all(first[1] < second[0] for first, second in zip(spans, spans[1:], strict=False))
    starts, ends = {start for start, _, _ in lines(text)}, {end for _, end, _ in lines(text)}
    for start, end in spans:
        assert start in starts and end in ends  # whole lines, nothing trimmed
        assert text[end - 1] not in "\r\n"  # the last line's terminator is outside


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\r\n \t\n", []),
        ("one", ["one"]),
        ("one\n", ["one"]),
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("one\r\ntwo\r\n\r\nthree\r\n", ["one\r\ntwo", "three"]),
        ("one\rtwo\r\rthree", ["one\rtwo", "three"]),
        ("one\r\n \t\u3000\r\ntwo", ["one", "two"]),  # white space only is blank
        ("  one  \n\t two \n\n", ["  one  \n\t two "]),  # nothing is trimmed
        ("one\n\r\ntwo", ["one", "two"]),
        ("one\n\rtwo", ["one", "two"]),  # LF, then CR: two terminators with an empty line between
        ("one\u2028\u2028two\x0b\x0bthree", ["one\u2028\u2028two\x0b\x0bthree"]),  # only LF, CR and CR LF end a line
    ],
)
def test_by_hand(text, expected):
    assert [text[start:end] for start, end in Paragraph().split(text)] == expected


@given(TEXT | st.text(st.sampled_from("ab.日é \n"), max_size=30), st.sampled_from(UNITS), st.integers(1, 6), st.data())
def test_a_paragraph_that_is_too_long_is_cut_into_its_own_windows(text, unit, chunk_size, data):
    overlap = data.draw(st.integers(0, chunk_size - 1))
    expected = []
    for start, end in slow_paragraphs(text):
        if count(text[start:end], unit) <= chunk_size:
            expected.append((start, end))
        else:
            windows = Window(unit, chunk_size, overlap).split(text[start:end])
            expected += [(start + first, start + last) for first, last in windows]
    assert list(Paragraph(unit, chunk_size, overlap).split(text)) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("char", 5, 0), ["abcde", "fgh", "xy", "12345"]),  # the tail fgh joins nothing, though xy would fit
        (("char", 5, 2), ["abcde", "defgh", "xy", "12345"]),
        (("char", 4, 0), ["abcd", "efgh", "xy", "1234", "5"]),
        (("char", 8, 7), ["abcdefgh", "xy", "12345"]),
        (("word", 1, 0), ["abcdefgh", "xy", "12345"]),
    ],
)
def test_long_paragraphs_by_hand(arguments, expected):
    text = "abcdefgh\n\nxy\n\n12345\n"
    assert [text[start:end] for start, end in Paragraph(*arguments).split(text)] == expected


def test_windows_never_reach_over_a_blank_line():
    text = "aaa bbb\nccc\n\nddd"
    assert [text[start:end] for start, end in Paragraph("word", 2, 1).split(text)] == ["aaa bbb", "bbb\nccc", "ddd"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("char", 0, 0), "chunk_size must be at least 1, found 0"),
        (("char", 4, 4), r"chunk_overlap must be at least 0 and below chunk_size \(4\), found 4"),
        (("token", 4, 0), "unit 'token'"),
    ],
)
def test_what_cannot_work_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Paragraph(*arguments)
