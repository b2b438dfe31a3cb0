"""Texts that are cut as one: what is joined, and the way back to the spans of the document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, element
from spanledger.chunking.piece import Stream, apart, runs

PARTS = st.lists(st.integers(0, 20), max_size=8, unique=True).map(
    lambda cuts: list(zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False))
)
TEXT = "".join(map(chr, range(97, 117)))  # 20 letters, each once


def test_parts_are_joined_by_lf_and_lead_back():
    stream = Stream("abcdefghij", [(0, 2), (4, 5), (7, 10)])
    assert stream.text == "ab\ne\nhij"
    assert stream.spans_of((0, 8)) == ((0, 2), (4, 5), (7, 10))
    assert stream.spans_of((1, 4)) == ((1, 2), (4, 5))
    assert stream.spans_of((3, 4)) == ((4, 5),)
    assert stream.spans_of((6, 7)) == ((8, 9),)
    assert stream.spans_of((2, 3)) == ()  # the joining LF alone
    assert stream.spans_of((2, 5)) == ((4, 5),)  # with an LF on each side


def test_nothing_joined_is_nothing():
    assert Stream("abc", []).text == ""
    assert Stream("abc", []).spans_of((0, 9)) == ()


@given(PARTS, st.tuples(st.integers(0, 24), st.integers(0, 24)))
def test_what_a_span_of_the_stream_says_stands_in_the_document(parts, span):
    stream = Stream(TEXT, parts)
    wanted = stream.text[span[0] : span[1]]
    found = stream.spans_of(span)
    assert "".join(TEXT[start:end] for start, end in found) == wanted.replace("\n", "")
    assert "\n".join(TEXT[start:end] for start, end in found) == wanted.strip("\n")
    assert all(any(a <= start < end <= b for a, b in parts) for start, end in found)


def test_neighbours_are_elements_with_white_space_alone_between_them():
    text = "one\n\ntwo, three four"
    spans = [(0, 3), (5, 8), (10, 15), (16, 20)]
    assert [text[slice(*span)] for span in spans] == ["one", "two", "three", "four"]
    parts = [element(str(place), span) for place, span in enumerate(spans)]
    assert runs(document(text=text), parts) == [(0, 8), (10, 20)]
    assert runs(document(text=text), parts[1:]) == [(5, 8), (10, 20)]
    assert runs(document(text=text), [parts[0], parts[3]]) == [(0, 3), (16, 20)]
    assert runs(document(text=text), []) == []


def test_elements_that_touch_are_neighbours():
    parts = [element("0", (0, 2)), element("1", (2, 4))]
    assert runs(document(text="abcd"), parts) == [(0, 4)]


def test_apart_leaves_out_what_holds_no_text_and_refuses_an_overlap():
    empty, first, second = element("0", (1, 1)), element("1", (0, 2)), element("2", (2, 4))
    assert apart("x", [first, empty, second]) == [first, second]
    with pytest.raises(ValueError, match="x: elements 1 and 3 overlap"):
        apart("x", [first, element("3", (1, 4))])
