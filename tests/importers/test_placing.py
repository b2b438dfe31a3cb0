"""Spans of a source checked against its text, and where their text stands instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.importers.placing import Misplaced, Placing, similar

TEXT = "aé😀b"  # 4 code points, 5 UTF-16 code units, 8 bytes


def refused(placing, *span):
    with pytest.raises(Misplaced) as caught:
        placing.span(*span)
    return caught.value


@pytest.mark.parametrize(
    ("unit", "start", "end", "span"),
    [
        ("code_point", 1, 3, (1, 3)),
        ("utf16", 1, 4, (1, 3)),
        ("utf16", 4, 5, (3, 4)),
        ("byte", 1, 7, (1, 3)),
        ("byte", 7, 8, (3, 4)),
    ],
)
def test_a_span_in_each_unit(unit, start, end, span):
    placing = Placing(TEXT, unit)
    text = TEXT[slice(*span)]
    assert placing.span(start, end, None) == placing.span(start, end, text) == placing.span(start, None, text) == span


@pytest.mark.parametrize(
    ("unit", "start", "end", "reason"),
    [
        ("byte", 2, 8, "offset 2 lies inside a character: offsets count bytes of UTF-8"),
        ("byte", 0, 5, "offset 5 lies inside a character: offsets count bytes of UTF-8"),
        ("utf16", 3, 5, "offset 3 lies inside a character: offsets count UTF-16 code units"),
        ("utf16", 0, 3, "offset 3 lies inside a character: offsets count UTF-16 code units"),
        ("byte", 0, 9, "the span lies outside the document, which has 8 bytes of UTF-8"),
        ("utf16", 6, 7, "the span lies outside the document, which has 5 UTF-16 code units"),
        ("code_point", -1, 2, "the span lies outside the document, which has 4 characters"),
        ("code_point", 2, 2, "the span is empty"),
        ("code_point", 3, 1, "the span is empty"),
    ],
)
def test_offsets_that_are_no_place(unit, start, end, reason):
    assert refused(Placing(TEXT, unit), start, end, None).reason == reason


@pytest.mark.parametrize(
    ("text", "start", "end", "gold", "hint", "nearest"),
    [
        # cases 7 and 8 of the faults that others had: offsets made on another form of the text are told, never moved
        ("a\r\nbb\r\nccc\r\n", 5, 8, "ccc", "if CR LF counts as one character", 7),
        ("cafe\u0301 noir", 5, 9, "noir", "in Unicode form NFC", 6),
        ("\u01d6 noir", 4, 8, "noir", "in Unicode form NFD", 2),
        ("\ufeffalpha beta", 6, 10, "beta", "without the byte order mark", 7),
        ("😀 beta", 3, 7, "beta", "if offsets count UTF-16 code units", 2),
        ("é beta", 3, 7, "beta", "if offsets count bytes of UTF-8", 2),
    ],
)
def test_in_which_other_form_a_text_would_stand_at_its_offset(text, start, end, gold, hint, nearest):
    fault = refused(Placing(text), start, end, gold)
    assert fault.reason == f"the text does not stand at the offset; it does {hint}"
    assert (fault.nearest, fault.found, fault.similar) == (nearest, text[start:end], None)


def test_the_nearest_occurrence_is_told_in_the_unit_of_the_source():
    placing = Placing("é b é b", "byte")
    assert refused(placing, 5, 6, "b").nearest == 3  # é b é is bytes 0, 3 and 5
    assert refused(placing, 7, 8, "b").nearest == 8


def test_where_the_text_occurs_nowhere_the_most_similar_place_is_told():
    placing = Placing("é. The quick brown fox jumps.", "byte")
    fault = refused(placing, 0, 1, "the quick brawn fox")
    assert fault.nearest is None
    assert fault.similar == {"start": 4, "end": 23, "text": "The quick brown fox", "similarity": 0.95}


def test_a_quote_must_be_unique_or_name_its_occurrence():
    placing = Placing("ab abab")
    assert placing.quote("b a") == (1, 4)
    assert [placing.quote("ab", number) for number in (1, 2, 3)] == [(0, 2), (3, 5), (5, 7)]
    for quote, occurrence, reason in [
        ("ab", None, "the quote occurs 3 times in the document (at 0, 3, 5): name one by occurrence"),
        ("ab", 4, "the quote occurs 3 times in the document (at 0, 3, 5), so there is no occurrence 4"),
        ("ab", 0, "the quote occurs 3 times in the document (at 0, 3, 5), so there is no occurrence 0"),
        ("b a", 2, "the quote occurs 1 time in the document (at 1), so there is no occurrence 2"),
        ("zz", None, "the quote does not occur in the document"),
        ("", None, "the quote is empty"),
    ]:
        with pytest.raises(Misplaced) as caught:
            placing.quote(quote, occurrence)
        assert caught.value.reason == reason


def test_overlapping_occurrences_count():
    assert [Placing("aaa").quote("aa", number) for number in (1, 2)] == [(0, 2), (1, 3)]


@pytest.mark.parametrize(
    ("part", "text", "found"),
    [
        ("It's “new”", 'say: it’s "new" today', (5, 15)),
        ("two  words", "x two\nwords", None),
        ("one two three four", "zero one\ttwo\nthree four five", (5, 23)),
        ("abc", "xyz", None),
        ("", "xyz", None),
        ("a", "", None),
    ],
)
def test_similar_ignores_case_white_space_and_typography(part, text, found):
    place = similar(part, text)
    if found is None:
        assert place is None or place[1] < 1
    else:
        assert place == (found, 1.0)


@given(st.text("ab é😀\r\n", max_size=20), st.integers(-2, 22), st.text("ab é😀\r\n", max_size=4))
def test_a_span_is_either_exact_or_refused(text, start, gold):
    for unit, encoding, width in (("code_point", "utf-32-le", 4), ("utf16", "utf-16-le", 2), ("byte", "utf-8", 1)):
        here = text.encode(encoding)[: start * width] if start >= 0 else None
        try:
            before = None if here is None or len(here) != start * width else here.decode(encoding)
        except UnicodeDecodeError:
            before = None
        stands = before is not None and gold != "" and text.startswith(gold, len(before))
        placing = Placing(text, unit)
        if stands:
            assert placing.span(start, None, gold) == (len(before), len(before) + len(gold))
        else:
            fault = refused(placing, start, None, gold)
            assert (fault.nearest is not None) == (gold != "" and gold in text)


@given(st.text("abc ", max_size=12), st.text("abc ", max_size=30))
def test_similar_tells_a_span_of_the_text(part, text):
    found = similar(part, text)
    if found:
        (start, end), share = found
        assert 0 <= start < end <= len(text)
        assert 0.6 <= share <= 1
