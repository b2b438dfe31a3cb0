"""Normalisation against `unicodedata` and `str.replace`, and the way back to the raw text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, element
from spanledger.core.offsets import OffsetMap
from spanledger.normalise import Policy, normalise_documents, normalise_elements

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
# Letters, marks of several combining classes, Hangul parts, marks that hide in compatibility forms, line ends.
TRICKY = (
    "ae=ｶアΑᾼ가각ﬀ½Å①"
    "\u0301\u0327\u0338\u0345\u0323\u093c\u3099\u0344\u0f73\u0340\u05b0\u034f"
    "\u1100\u1161\u11a8\uff9e\uff9f\u09c7\u09be\u0dd9\u0dcf\u1111"
    "\r\n \u200b\u200d\u2060\ufeff😀\u2028\u00a0\u212b"
)
TEXT = st.text(st.sampled_from(TRICKY) | st.characters(codec="utf-8"), max_size=14)
POLICY = st.builds(
    Policy,
    newlines=st.sampled_from(["keep", "lf"]),
    bom=st.sampled_from(["keep", "drop"]),
    zero_width=st.sampled_from(["keep", "drop"]),
    unicode=st.sampled_from(["keep", *FORMS]),
)


def slowly(raw, policy):
    """What the policy says, one replacement after the other. Newlines come first: a zero-width character between CR and
    LF keeps them apart, as it does in the raw text."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n") if policy.newlines == "lf" else raw
    mark, rest = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    if policy.zero_width == "drop":
        rest = "".join(character for character in rest if character not in ZERO_WIDTH)
    text = rest if policy.bom == "drop" else mark + rest
    return text if policy.unicode == "keep" else unicodedata.normalize(policy.unicode, text)


@given(TEXT, POLICY)
def test_the_text_is_what_the_policy_says(raw, policy):
    assert policy.apply(raw)[0] == slowly(raw, policy)


@given(TEXT, POLICY)
def test_nothing_changed_means_no_map_and_the_same_text(raw, policy):
    text, changes = policy.apply(raw)
    assert (changes is None) == (text == raw)


@given(TEXT, POLICY)
def test_what_lies_between_two_changes_is_the_same_on_both_sides(raw, policy):
    text, changes = policy.apply(raw)
    here = raw_here = 0
    for start, end, raw_start, raw_end in (*(changes or ()), (len(text), len(text), len(raw), len(raw))):
        assert text[here:start] == raw[raw_here:raw_start]
        assert start <= end and raw_start <= raw_end
        here, raw_here = end, raw_end


@given(TEXT, POLICY)
def test_a_span_that_cuts_no_change_goes_to_raw_and_back(raw, policy):
    text, changes = policy.apply(raw)
    offsets = OffsetMap(changes)
    inside = {place for start, end, _, _ in changes or () for place in range(start + 1, end)}
    edges = [place for place in range(len(text) + 1) if place not in inside]
    for number, start in enumerate(edges):
        for end in edges[number + 1 :]:
            assert offsets.from_raw(offsets.to_raw((start, end))) == (start, end)


@given(TEXT, POLICY)
def test_the_tiles_between_changes_tile_the_raw_text(raw, policy):
    text, changes = policy.apply(raw)
    inside = {place for start, end, _, _ in changes or () for place in range(start + 1, end)}
    edges = [place for place in range(len(text) + 1) if place not in inside]
    tiles = [OffsetMap(changes).to_raw(tile) for tile in zip(edges, edges[1:], strict=False)]
    if tiles:
        assert [start for start, _ in tiles] + [len(raw)] == [0] + [end for _, end in tiles]


@given(TEXT, st.sampled_from(FORMS), TEXT)
def test_a_change_never_spreads_over_plain_letters(before, form, after):
    """Whatever stands around them, x and y keep places of their own: no text falls back to one change for the whole."""
    raw = f"{before}xyz{after}"
    text, changes = Policy(unicode=form).apply(raw)
    place = len(unicodedata.normalize(form, before))
    assert text[place : place + 2] == "xy"
    assert OffsetMap(changes).to_raw((place, place + 2)) == (len(before), len(before) + 2)


def test_changes_are_no_larger_than_what_composes():
    raw = "cafe\u0301 noir, cafe\u0301 noir"
    text, changes = Policy(unicode="NFC").apply(raw)
    assert text == "café noir, café noir"
    assert changes == ((3, 4, 3, 5), (14, 15, 15, 17))
    assert OffsetMap(changes).to_raw((5, 9)) == (6, 10)


def test_a_mark_that_only_the_compatibility_form_shows_is_put_in_order():
    """The half-width voiced mark becomes U+3099 (class 8), and U+0338 (class 1) moves in front of it, onto the =."""
    text, changes = Policy(unicode="NFKC").apply("a=\uff9e\u0338b")
    assert text == unicodedata.normalize("NFKC", "a=\uff9e\u0338b")
    assert changes == ((1, 3, 1, 4),)


def test_hangul_parts_compose_though_none_is_a_combining_mark():
    assert Policy(unicode="NFC").apply("x\u1100\u1161\u11a8y\uac00\u11a8") == ("x각y각", ((1, 2, 1, 4), (3, 4, 5, 7)))


def test_a_composition_that_the_walk_does_not_foresee_is_still_exact_if_coarse(monkeypatch):
    monkeypatch.setattr("spanledger.normalise._separable", lambda run, character, form: True)
    assert Policy(unicode="NFC").apply("ae\u0301b") == ("aéb", ((0, 3, 0, 4),))


def test_newlines_bom_and_zero_width():
    assert Policy(newlines="lf").apply("a\r\nbb\rc\n") == ("a\nbb\nc\n", ((1, 2, 1, 3), (4, 5, 5, 6)))
    assert Policy(bom="drop").apply("\ufeffalpha\ufeff beta") == ("alpha\ufeff beta", ((0, 0, 0, 1),))
    assert Policy(zero_width="drop").apply("\ufeffalpha\ufeff beta") == ("\ufeffalpha beta", ((6, 6, 6, 7),))
    both = Policy(bom="drop", zero_width="drop").apply("\ufeffal\u200bpha")
    assert both == ("alpha", ((0, 0, 0, 1), (2, 2, 3, 4)))
    assert Policy().apply("\ufeffa\r\nb\u200b") == ("\ufeffa\r\nb\u200b", None)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"newlines": "crlf"}, "normalise.newlines: expected keep or lf, found 'crlf'"),
        ({"bom": "strip"}, "normalise.bom: expected keep or drop, found 'strip'"),
        ({"zero_width": "lf"}, "normalise.zero_width: expected keep or drop, found 'lf'"),
        ({"unicode": "nfc"}, "normalise.unicode: expected keep, NFC, NFD, NFKC, NFKD, found 'nfc'"),
    ],
)
def test_an_unknown_value_is_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        Policy(**setting)


def test_documents_keep_their_raw_digest_and_order_and_elements_follow_their_text():
    raw = [document("b", "a\r\nbb\r\nccc"), document("a", "plain")]
    elements = [element("second", (7, 10), "b"), element("first", (3, 5), "b"), element("only", (0, 5), "a")]
    documents = normalise_documents(raw, Policy(newlines="lf"))
    assert [(d.doc_id, d.text, d.offsets) for d in documents] == [
        ("b", "a\nbb\nccc", ((1, 2, 1, 3), (4, 5, 5, 7))),
        ("a", "plain", None),
    ]
    # printf 'a\nbb\nccc' | sha256sum
    assert documents[0].text_sha256 == "348c5d201c5eea24878f5cba60264f0140693687cc881f3ecd1bd903c3e4f698"
    assert [d.raw_sha256 for d in documents] == [d.raw_sha256 for d in raw]
    moved = normalise_elements(elements, documents, Policy(newlines="lf"))
    assert [(e.element_id, e.span) for e in moved] == [("second", (5, 8)), ("first", (2, 4)), ("only", (0, 5))]


def test_titles_above_an_element_are_normalised_as_the_text_is():
    policy = Policy(zero_width="drop", unicode="NFKC")
    raw = [document("a", "ﬁne\u200b\n\nx")]
    titles = ("ﬁne\u200b", "Cafe\u0301")
    (moved,) = normalise_elements(
        [element("e", (6, 7), "a", section_path=titles)], normalise_documents(raw, policy), policy
    )
    assert (moved.span, moved.section_path) == ((6, 7), ("fine", "Café"))
