"""Paragraphs against a twin that goes line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.chunking.paragraph import Paragraph

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
