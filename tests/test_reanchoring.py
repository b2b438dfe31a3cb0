"""What becomes of evidence in another version of its document, by hand and for any texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.gold import Evidence, Fact, Gold
from spanledger.reanchor import CONTEXT, anchor, difference, reanchor

ROW = "The limit is five.\n"  # 18 characters without its line end: long enough to be sure of


def of(old, quote, new, occurrence=1, name="d", others=()):
    """The anchor of a quote of the document d, version 1; `new` is its text in version 2 (None: it is gone)."""
    start = -1
    for _ in range(occurrence):
        start = old.index(quote, start + 1)
    texts = {**({} if new is None else {name: ("2", new)}), **{key: ("2", text) for key, text in others}}
    return anchor(Evidence("d", "1", (start, start + len(quote))), old, texts)


def place(found):
    return (found.status, None if found.new is None else (found.new.doc_id, found.new.version, found.new.span))


def test_unchanged_is_the_same_text_at_the_same_offset():
    found = of("intro\n" + ROW + "end", "The limit is five.", "INTRO\n" + ROW + "another end")
    assert place(found) == ("unchanged", ("d", "2", (6, 24)))
    assert found.how == "same offset, same text"


def test_the_only_place():
    found = of(ROW, "The limit is five.", "More.\n\n" + ROW)
    assert place(found) == ("moved", ("d", "2", (7, 25)))
    assert found.how == "the only place"


def test_a_short_text_needs_its_neighbours():
    assert place(of("timeout: 32 seconds", "32", "the timeout: 32 seconds")) == ("moved", ("d", "2", (13, 15)))
    wrong = of("timeout: 32 seconds", "32", "timeout: 64 seconds, for Python 3.32 as well")
    assert place(wrong) == ("ambiguous", None)
    assert [p.span for p in wrong.places] == [(34, 36)]
    assert wrong.how.startswith("it occurs 1 time, and its neighbours do not tell where it belongs: 1 characters")


def test_one_of_several_places_is_picked_by_its_neighbours_alone():
    old = "# Reading files\n" + ROW + "\n# Writing files\n" + ROW + "Never more.\n"
    new = "# Writing files\n" + ROW + "Never more.\n# Appending\n" + ROW + "# Reading files\n" + ROW + "Sometimes.\n"
    # of the place under Writing agree the 16 characters in front and 13 behind, "\nNever more.\n"; of that under Reading
    # "ing files\n" and "\n"
    found = of(old, "The limit is five.", new, occurrence=2)
    assert place(found) == ("moved", ("d", "2", (16, 34)))
    assert found.how == "by its neighbours: 29 characters agree against 11 at the next best of 3 places"


def test_the_last_one_left_of_several_is_not_taken_for_another():
    old = "# One\n\n" + ROW + "\n# Two\n\n" + ROW
    found = of(old, "The limit is five.", "# One more\n\n" + ROW.strip() + " Or six.", occurrence=2)
    assert place(found) == ("ambiguous", None)


def test_equal_neighbours_are_no_evidence():
    found = of("a\n" + ROW + "b", "The limit is five.", "xx\n" + ROW + ROW + "y\n" + ROW)
    assert place(found) == ("ambiguous", None)
    assert [p.span for p in found.places] == [(3, 21), (22, 40), (43, 61)]


def test_the_same_offset_is_not_enough_where_another_place_is_more_alike():
    old = "first: 10 apples\nother: 10 pears.\n"
    new = "other: 10 pears.\nfirst: 10 apples\n"
    found = of(old, "10", new)
    assert place(found) == ("moved", ("d", "2", (24, 26)))


def test_changed_tells_the_nearest_text():
    old = "Use it.\nThe reload flag uses watchgod.\nEnd.\n"
    found = of(old, "The reload flag uses watchgod.", "Use it.\nNew.\nThe reload flag uses watchfiles.\nThe end.\n")
    assert place(found) == ("changed", None)
    assert found.nearest.place == Evidence("d", "2", (13, 45))
    assert found.nearest.difference == "The reload flag uses [-watchgod-]{+watchfiles+}."
    # "The reload flag uses watch" and "." are common, and one more character of god / files is not: 27 of 30 and 32
    assert found.nearest.similarity == round(2 * 27 / 62, 2)


def test_other_line_ends_are_a_change_that_is_named():
    old = "One line of text\nand another line.\n"
    found = of(old, "One line of text\nand another line.", old.replace("\n", "\r\n"))
    assert (found.status, found.how) == ("changed", "the same words with other white space or line ends")
    assert found.nearest.place.span == (0, 35)


def test_a_good_part_in_one_piece_is_a_trace():
    old = "It is fast, but not compatible with PyPy, and requires compilation on Windows and elsewhere."
    found = of(old, old, "Intro. It is slow, but not compatible with PyPy. Nothing else.")
    assert found.status == "changed"
    start, end = found.nearest.place.span
    assert (
        ", but not compatible with PyPy" in "Intro. It is slow, but not compatible with PyPy. Nothing else."[start:end]
    )


def test_gone_in_three_ways():
    assert place(of(ROW, "The limit is five.", "Something of no likeness")) == ("gone", None)
    assert of(ROW, "The limit is five.", None).how == "the document is gone, and no other one holds the text"
    other = of(ROW, "The limit is five.", "Nothing", others=[("e", "x\n" + ROW)])
    assert (place(other), other.places) == (("gone", None), (Evidence("e", "2", (2, 20)),))


def test_a_document_that_is_gone_may_live_on_under_another_name():
    found = of(ROW, "The limit is five.", None, others=[("new/d", "Intro\n" + ROW), ("z", "")])
    assert place(found) == ("moved", ("new/d", "2", (6, 24)))
    assert found.how == "the only place in new/d, because its own document is gone"
    twice = of(ROW, "The limit is five.", None, others=[("a", "1\n" + ROW + "2"), ("b", "3\n" + ROW + "4")])
    assert (place(twice), [p.doc_id for p in twice.places]) == (("ambiguous", None), ["a", "b"])


def test_a_fact_is_what_became_of_its_worst_piece():
    old = {("d", "1"): "Alpha is the first letter. Beta is the second letter."}
    new = {"d": ("2", "Now: Alpha is the first letter. Gamma is a third one.")}
    alpha, beta = Evidence("d", "1", (0, 26)), Evidence("d", "1", (27, 53))
    gold = Gold("q", (Fact("a", ((alpha,),)), Fact("both", ((alpha, beta),)), Fact("either", ((alpha,), (beta,)))))
    found = reanchor([gold], old, new)
    assert [(fact.fact_id, fact.status) for fact in found][0] == ("a", "moved")
    assert found[0].fact == Fact("a", ((Evidence("d", "2", (5, 31)),),))
    assert [fact.fact for fact in found[1:]] == [None, None]
    assert found[1].status == found[2].status != "moved"
    assert [one.status for one in found[1].anchors[0]] == ["moved", found[1].status]


def test_a_difference_is_told_word_by_word():
    assert difference("a b c", "a x c") == "a [-b-]{+x+} c"
    assert difference("a\n\nb", "b") == "[-a -]b"
    assert difference("", "new") == "{+new+}"
    long = "word " * 20
    assert difference(long + "old", long + "new") == f"{long[:24]}…{long[-24:]}[-old-]{{+new+}}"


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_a_text_of_its_own_is_found_wherever_it_goes(before, after, now_before, now_after):
    quote = "⟦a text that occurs once⟧"
    old, new = before + quote + after, now_before + quote + now_after
    found = anchor(Evidence("d", "1", (len(before), len(before) + len(quote))), old, {"d": ("2", new)})
    assert found.status == ("unchanged" if len(before) == len(now_before) else "moved")
    assert found.new == Evidence("d", "2", (len(now_before), len(now_before) + len(quote)))


WORDS = st.lists(st.sampled_from(["a", "b", " ", "\n", "the limit is five"]), max_size=30).map("".join)


@given(st.data(), WORDS.filter(bool), WORDS)
def test_what_is_kept_has_the_same_text_and_what_is_not_has_a_reason(data, old, new):
    start = data.draw(st.integers(0, len(old) - 1))
    end = data.draw(st.integers(start + 1, len(old)))
    quote = old[start:end]
    found = anchor(Evidence("d", "1", (start, end)), old, {"d": ("2", new), "e": ("2", old)})
    assert (found.new is not None) == (found.status in ("unchanged", "moved"))
    assert (quote in new) == (found.status in ("unchanged", "moved", "ambiguous"))
    if found.new is not None:
        assert new[slice(*found.new.span)] == quote
        assert (found.status == "unchanged") == (found.new.span == (start, end))
    if found.nearest is not None:
        first, last = found.nearest.place.span
        assert 0 <= first < last <= len(new)
        assert found.status == "changed"


@given(WORDS.filter(bool), st.data())
def test_in_an_unchanged_document_nothing_changes(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = anchor(Evidence("d", "1", (start, end)), text, {"d": ("2", text)})
    assert place(found) == ("unchanged", ("d", "2", (start, end)))


@pytest.mark.parametrize("size", [0, CONTEXT, CONTEXT + 50])
def test_neighbours_count_as_far_as_is_said(size):
    filler = "".join(chr(0x4E00 + n) for n in range(size))
    found = of(f"{filler}7", "7", f"x{filler}7")
    # all of the neighbours in front, up to the limit, and the common end of both texts, which counts as 8
    assert place(found) == ("moved", ("d", "2", (size + 1, size + 2)))
