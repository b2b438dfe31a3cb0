"""Spans and quotes in one text, against a twin that looks at every place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.dataset.anchors import AnchorError, AnchorText

TEXT = st.text(st.sampled_from("aabé😀\r\n"), max_size=12)
PART = st.text(st.sampled_from("aabé😀\r\n"), min_size=1, max_size=3)
UNITS = ("code_point", "utf16", "byte")


def width(text, unit):
    return {"code_point": len(text), "utf16": len(text.encode("utf-16-le")) // 2, "byte": len(text.encode())}[unit]


def places(part, text):
    return [place for place in range(len(text)) if text[place : place + len(part)] == part]


def fault(call, *arguments):
    with pytest.raises(AnchorError) as caught:
        call(*arguments)
    return caught.value.key, str(caught.value)


@given(TEXT, st.integers(-1, 30), st.integers(-1, 30), st.sampled_from(UNITS))
def test_a_span_is_found_where_both_ends_lie_between_characters(text, start, end, unit):
    offsets = {width(text[:place], unit): place for place in range(len(text) + 1)}
    if start < end and start in offsets and end in offsets:
        assert AnchorText(text, unit).span(start, end) == (offsets[start], offsets[end])
    else:
        key, message = fault(AnchorText(text, unit).span, start, end)
        wrong = "end" if end <= start or start in offsets else "start"
        assert key == wrong
        if end > start:
            inside = 0 <= (start if wrong == "start" else end) <= width(text, unit)
            assert ("inside a character" if inside else "outside the text") in message


@given(TEXT, PART, st.none() | st.tuples(st.integers(0, 12), st.integers(0, 12)))
def test_a_quote_is_found_where_it_occurs_once(text, part, within):
    start, end = within or (0, len(text))
    found = [place for place in places(part, text) if start <= place and place + len(part) <= end]
    if len(found) == 1:
        assert AnchorText(text).quote(part, within) == (found[0], found[0] + len(part))
    else:
        key, message = fault(AnchorText(text).quote, part, within)
        assert (key, f"occurs {len(found)} times" in message) == ("quote", True)


@given(TEXT, PART, st.integers(0, 40), st.sampled_from(UNITS))
def test_the_nearest_place(text, part, start, unit):
    here = max(place for place in range(len(text) + 1) if width(text[:place], unit) <= start)
    here = start if unit == "code_point" else here
    near = min(places(part, text), key=lambda place: (abs(place - here), place), default=None)
    expected = None if near is None else (width(text[:near], unit), width(text[: near + len(part)], unit))
    assert AnchorText(text, unit).nearest(part, start) == expected


def test_bug_case_7_gold_made_on_lf_text_does_not_match_a_text_with_cr_lf():
    text = AnchorText("a\r\nbb\r\nccc\r\n")
    assert text.span(7, 10, "ccc") == (7, 10)
    message = '"ccc" does not stand at (5, 8): found "\\r\\nc"; it stands at (7, 10)'
    assert fault(text.span, 5, 8, "ccc") == ("text", message)


def test_bug_case_8_a_quote_after_a_combining_mark():
    text = AnchorText("cafe\u0301 noir")
    assert text.quote("noir") == (6, 10)
    key, message = fault(text.quote, "caf\u00e9 noir")
    assert message.startswith(
        '"café noir" occurs 0 times in the document, expected once; it would with other line ends'
    )


def test_places_in_messages_count_in_the_unit_of_the_dataset():
    text = "é😀 b😀 b"  # b is at 3 and 6 of 7; in UTF-16 at 4 and 8 of 9; in bytes at 7 and 13 of 14
    assert "(at 3, 6)" in fault(AnchorText(text).quote, "b")[1]
    assert "(at 4, 8)" in fault(AnchorText(text, "utf16").quote, "b")[1]
    assert "(at 7, 13)" in fault(AnchorText(text, "byte").quote, "b")[1]
    assert fault(AnchorText(text, "byte").span, 12, 13, "b")[1].endswith("it stands at (13, 14)")
    assert fault(AnchorText(text, "utf16").span, 2, 9, "b") == (
        "start",
        "2 lies inside a character: offsets count UTF-16 code units here; it stands at (4, 5)",
    )
    assert "has 14 bytes of UTF-8" in fault(AnchorText(text, "byte").span, 0, 15)[1]


def test_only_some_of_many_places_are_told():
    assert fault(AnchorText("a" * 9).quote, "aa") == (
        "quote",
        '"aa" occurs 8 times in the document (at 0, 1, 2, 3, 4, ...), expected once',
    )


def test_the_digest_of_what_stands_at_a_span():
    digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"  # of foo
    assert AnchorText("a foo").span(2, 5, sha256=digest) == (2, 5)
    assert AnchorText("a foo").span(2, 5, sha256=digest.upper()) == (2, 5)
    key, message = fault(AnchorText("a foo").span, 0, 1, None, digest)
    assert key == "sha256"
    assert message.startswith('is not the digest of what stands at (0, 1): found "a", its digest is ca978112')


def test_both_ends_are_told():
    assert fault(AnchorText("abc").span, 7, 9)[1] == (
        "7 lies outside the text, which has 3 characters; 9 lies outside the text, which has 3 characters"
    )
    assert fault(AnchorText("abc").span, 2, 2, "b")[1] == "must be greater than start (2), found 2; it stands at (1, 2)"
    assert fault(AnchorText("abc").span, 0, 1, "x")[1].endswith("it stands nowhere in the document")
