"""Recursive splitting by hand, and against a twin that works on strings as LangChain does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.chunking.recursive import Recursive
from spanledger.core.units import count

SEPARATORS = ("\n\n", "\n", ".", " ", "")
TEXT = st.text(st.sampled_from("ab .\n\t日é"), max_size=60)


def cut(text, *arguments, **options):
    return [text[start:end] for start, end in Recursive(*arguments, **options).split(text)]


def twin(text, size, overlap, unit, separators):
    """The algorithm on strings, written from LangChain's documentation: split keeping separators, merge, recurse."""
    place = next((n for n, s in enumerate(separators) if s in text), len(separators) - 1)
    separator = separators[place]
    if separator == "":
        parts, further = list(text), ()
    else:
        first, *others = text.split(separator)
        parts, further = [first, *(separator + other for other in others)], separators[place + 1 :]
    chunks, waiting = [], []
    for part in filter(None, parts):
        if count(part, unit) < size:
            waiting.append(part)
            continue
        chunks += merged(waiting, size, overlap, unit)
        waiting = []
        chunks += twin(part, size, overlap, unit, further) if further else [part]
    return chunks + merged(waiting, size, overlap, unit)


def merged(parts, size, overlap, unit):
    chunks, first = [], 0
    total = lambda start, end: sum(count(part, unit) for part in parts[start:end])  # noqa: E731
    for place in range(len(parts)):
        if place > first and total(first, place + 1) > size:
            chunks.append("".join(parts[first:place]).strip())
            while total(first, place) > overlap or (total(first, place + 1) > size and total(first, place) > 0):
                first += 1
    if parts:
        chunks.append("".join(parts[first:]).strip())
    return [chunk for chunk in chunks if chunk]


@pytest.mark.parametrize(
    ("text", "size", "overlap", "chunks"),
    [
        ("", 5, 0, []),
        (" \n ", 5, 0, []),
        ("one two", 10, 0, ["one two"]),
        ("one two three", 9, 0, ["one two", "three"]),
        ("aa bb cc dd", 8, 3, ["aa bb cc", "cc dd"]),  # parts of 2, 3, 3 and 3 characters
        ("one two three four", 9, 4, ["one two", "three", "four"]),
        ("ab\n\ncd ef", 4, 0, ["ab", "cd", "ef"]),  # the second paragraph is cut by a space
        ("abcdef", 4, 2, ["abcd", "cdef"]),
        ("日志保留三十天", 3, 0, ["日志保", "留三十", "天"]),
    ],
)
def test_by_hand(text, size, overlap, chunks):
    assert cut(text, size, overlap) == chunks


def test_a_part_that_no_separator_is_left_for_stays_whole():
    assert cut("abcdefgh ij", 4, separators=(" ",)) == ["abcdefgh", "ij"]


@given(TEXT, st.integers(1, 12), st.integers(0, 12), st.sampled_from(["char", "word", "lexical", "byte"]))
def test_the_chunks_are_the_twins(text, size, overlap, unit):
    overlap = min(size, overlap)
    found = cut(text, size, overlap, unit, SEPARATORS)
    assert found == twin(text, size, overlap, unit, SEPARATORS)


@given(TEXT, st.integers(1, 12), st.integers(0, 11))
def test_nothing_but_white_space_is_left_out(text, size, overlap):
    spans = list(Recursive(size, min(size, overlap), "char", SEPARATORS).split(text))
    assert all(0 <= start < end <= len(text) and end - start <= size for start, end in spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(re.fullmatch(r"\s", text[place]) for place in set(range(len(text))) - covered)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "chunk_size must be at least 1"),
        ((4, 5), "chunk_overlap must be from 0 to chunk_size"),
        ((4, 0, "char", ()), "separators must not be empty"),
        ((4, 0, "token"), "unit 'token': expected one of"),
    ],
)
def test_values_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        Recursive(*arguments)
