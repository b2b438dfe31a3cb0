"""Windows against a slow twin that tries every window, and against the promises of the docstring one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, element
from spanledger.chunking.window import Window
from spanledger.core.units import UNITS, count

TEXT = st.text(st.sampled_from("ab1 \n,日é😀"), max_size=30)
SIZES = st.integers(1, 9).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


def pieces(text, unit):
    """(start, end, width) of each piece that is never cut."""
    if unit in ("char", "byte"):
        return [(i, i + 1, 1 if unit == "char" else len(c.encode())) for i, c in enumerate(text)]
    found, start = [], None
    for place, character in enumerate(text + " "):
        ascii_word = character.isascii() and (character.isalnum() or character == "_")
        joins = not character.isspace() if unit == "word" else ascii_word
        if start is not None and not joins:
            found.append((start, place, 1))
            start = None
        if joins and start is None:
            start = place
        elif not joins and unit == "lexical" and not character.isspace():
            found.append((place, place + 1, 1))
    return found


def slow_windows(text, unit, size, overlap, tail):
    """The same windows, found by trying all ends and all starts and summing widths anew each time."""
    atoms = pieces(text, unit)

    def width(first, last):
        return sum(atoms[place][2] for place in range(first, last))

    spans, first, reached = [], 0, 0
    while first < len(atoms):
        last = max(end for end in range(first + 1, len(atoms) + 1) if end == first + 1 or width(first, end) <= size)
        if tail == "keep" or last > reached:
            spans.append((atoms[first][0], atoms[last - 1][1]))
        if last == len(atoms) and tail == "drop":
            break
        reached = last
        # The window's end, where the next one looks back from: past the end of the text for a last window that is kept.
        missing = size - width(first, last) if last == len(atoms) else 0
        first = min(
            start
            for start in range(first + 1, last + 1)
            if start == max(last, first + 1) or width(start, last) + missing <= overlap
        )
    return spans


@given(TEXT, st.sampled_from(UNITS), SIZES, st.sampled_from(["drop", "keep"]))
def test_the_windows_are_those_of_the_twin(text, unit, sizes, tail):
    found = list(Window(unit, *sizes, tail).split(text))
    assert found == slow_windows(text, unit, *sizes, tail)


@given(st.text(st.sampled_from("ab1 \n"), max_size=40), SIZES, st.sampled_from(["drop", "keep"]))
def test_the_char_path_and_the_path_over_atoms_agree(text, sizes, tail):
    """On ASCII text a byte is a character, and bytes take the general path."""
    assert list(Window("char", *sizes, tail).split(text)) == list(Window("byte", *sizes, tail).split(text))


@given(TEXT, st.sampled_from(UNITS), SIZES)
def test_every_promise(text, unit, sizes):
    size, overlap = sizes
    atoms = pieces(text, unit)
    windows = list(Window(unit, size, overlap).split(text))
    assert bool(windows) == bool(atoms)
    starts, ends = {start for start, _, _ in atoms}, {end for _, end, _ in atoms}
    for start, end in windows:
        assert start in starts and end in ends
        assert count(text[start:end], unit) <= size or (start, end) in {(a, b) for a, b, _ in atoms}
    held = {atom for atom in atoms if any(start <= atom[0] and atom[1] <= end for start, end in windows)}
    assert held == set(atoms)
    for (start, end), (next_start, next_end) in zip(windows, windows[1:], strict=False):
        assert start < next_start and end < next_end  # each brings something new
        shared = count(text[next_start:end], unit) if next_start < end else 0
        assert shared <= overlap
        if unit != "byte":
            assert shared == overlap  # where atoms are of one length the stated overlap is the real one
    if windows:
        assert windows[0][0] == atoms[0][0]
        assert [end == atoms[-1][1] for _, end in windows] == [False] * (len(windows) - 1) + [True]


@given(TEXT, st.sampled_from(["char", "word", "lexical"]), SIZES)
def test_a_kept_tail_goes_on_until_the_start_has_passed_the_end(text, unit, sizes):
    size, overlap = sizes
    atoms = pieces(text, unit)
    dropped, kept = (list(Window(unit, size, overlap, tail).split(text)) for tail in ("drop", "keep"))
    assert kept[: len(dropped)] == dropped
    assert [start for start, _ in kept] == [start for start, _, _ in atoms[:: size - overlap]]
    assert all(end == atoms[-1][1] for _, end in kept[len(dropped) :])


@pytest.mark.parametrize(
    ("size", "overlap", "tail", "expected"),
    [
        (5, 2, "drop", [(0, 5), (3, 8), (6, 10)]),
        (5, 2, "keep", [(0, 5), (3, 8), (6, 10), (9, 10)]),
        (5, 0, "drop", [(0, 5), (5, 10)]),
        (5, 0, "keep", [(0, 5), (5, 10)]),
        (10, 5, "drop", [(0, 10)]),
        (10, 5, "keep", [(0, 10), (5, 10)]),
        (99, 98, "drop", [(0, 10)]),
        (1, 0, "drop", [(place, place + 1) for place in range(10)]),
    ],
)
def test_characters_by_hand(size, overlap, tail, expected):
    assert list(Window("char", size, overlap, tail).split("abcdefghij")) == expected


def test_words_by_hand():
    """White space at the edges belongs to no window, white space between two words to the window that holds both."""
    text = "  one  two\nthree four "
    assert [text[start:end] for start, end in Window("word", 2, 1).split(text)] == [
        "one  two",
        "two\nthree",
        "three four",
    ]


def test_a_window_that_would_lie_inside_its_predecessor_is_dropped_in_the_middle_too():
    """5 bytes hold a and one emoji; 4 bytes back is the emoji, and no other fits beside it: it would stand alone."""
    text = "a😀😀b"
    assert list(Window("byte", 5, 4).split(text)) == [(0, 2), (2, 4)]
    assert list(Window("byte", 5, 4, "keep").split(text)) == [(0, 2), (1, 2), (2, 4), (3, 4)]


def by_access(text, parts, *arguments):
    """The windows of a text, whose parts are (start, end, acl), as tuples of the texts of their spans."""
    elements = [element(str(place), (start, end), acl=acl) for place, (start, end, acl) in enumerate(parts)]
    pieces = Window(*arguments, group_by=("document", "acl")).pieces(document(text=text), elements)
    return [tuple(text[start:end] for start, end in piece.spans) for piece in pieces]


def test_what_the_same_groups_may_read_is_cut_as_one_text_in_order_of_first_appearance():
    """x reads aaa and ccc, which are no neighbours: aaa LF ccc; y reads bbb and, further on, ddd."""
    text = "aaa bbb ccc ddd"
    parts = [(0, 3, ("x",)), (4, 7, ("y",)), (8, 11, ("x",)), (12, 15, ("y",))]
    assert by_access(text, parts, "char", 5, 0) == [("aaa", "c"), ("cc",), ("bbb", "d"), ("dd",)]
    assert by_access(text, parts, "char", 4, 1) == [("aaa",), ("ccc",), ("bbb",), ("ddd",)]  # an LF counts
    assert by_access(text, parts, "char", 9, 0) == [("aaa", "ccc"), ("bbb", "ddd")]
    assert by_access(text, parts, "word", 1, 0) == [("aaa",), ("ccc",), ("bbb",), ("ddd",)]
    assert by_access(text, [(0, 3, None), (4, 7, ()), (8, 11, None)], "char", 9, 0) == [("aaa", "ccc"), ("bbb",)]


def test_neighbours_of_one_group_keep_what_stands_between_them():
    text = "aaa\n\nbbb cc."
    parts = [(0, 3, ("x",)), (5, 8, ("x",)), (9, 11, None)]
    assert by_access(text, parts, "char", 99, 0) == [("aaa\n\nbbb",), ("cc",)]
    assert by_access(text, parts, "char", 6, 2) == [("aaa\n\nb",), ("\nbbb",), ("cc",)]


def test_text_outside_of_elements_is_left_out_and_a_document_without_any_is_cut_as_a_whole():
    text = "head aaa tail"
    assert by_access(text, [(5, 8, None)], "char", 99, 0) == [("aaa",)]
    assert by_access(text, [], "char", 8, 0) == [("head aaa",), (" tail",)]


def test_a_window_of_a_joining_lf_alone_is_none():
    text = "a.b"
    parts = [(0, 1, None), (2, 3, None)]
    assert by_access(text, parts, "char", 1, 0) == [("a",), ("b",)]


@given(
    st.text(st.sampled_from("ab1. \n日"), max_size=24),
    st.lists(st.tuples(st.integers(0, 24), st.sampled_from([None, ("x",), ("y",), ("x", "y")])), max_size=8),
    st.sampled_from(UNITS),
    SIZES,
)
def test_no_window_crosses_what_other_groups_may_read(text, cuts, unit, sizes):
    places = sorted({min(place, len(text)) for place, _ in cuts})
    parts = [(a, b, acl) for a, b, (_, acl) in zip(places, places[1:], cuts, strict=False)][::2]
    elements = [element(str(place), (a, b), acl=acl) for place, (a, b, acl) in enumerate(parts)]
    pieces = list(Window(unit, *sizes, group_by=("document", "acl")).pieces(document(text=text), elements))
    if not parts:
        assert [piece.spans for piece in pieces] == [(span,) for span in Window(unit, *sizes).split(text)]
        return
    order = list(dict.fromkeys(acl for _, _, acl in parts))
    seen = []
    for piece in pieces:
        held = {place for span in piece.spans for place in range(*span)}
        groups = {acl for a, b, acl in parts if held.intersection(range(a, b))}
        assert len(groups) <= 1  # none: white space between two neighbours
        seen += [order.index(acl) for acl in groups]
        outside = held - {place for a, b, _ in parts for place in range(a, b)}
        assert not "".join(text[place] for place in outside).strip()
        body = "\n".join(text[a:b] for a, b in piece.spans)
        assert count(body, unit) <= sizes[0] or len(held) == 1
    assert seen == sorted(seen)  # group by group
    words = {place for a, b, _ in parts for place in range(a, b) if text[place].strip()}
    assert words <= {place for piece in pieces for span in piece.spans for place in range(*span)}


@pytest.mark.parametrize("unit", UNITS)
def test_an_empty_text_has_no_window(unit):
    assert list(Window(unit, 4, 2).split("")) == []
    assert list(Window(unit, 4, 2, "keep").split("")) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("char", 4, 4), r"chunk_overlap must be at least 0 and below chunk_size \(4\), found 4"),
        (("char", 4, 5), "found 5: the window would never advance"),
        (("char", 4, -1), "chunk_overlap must be at least 0"),
        (("char", 0, 0), "chunk_size must be at least 1, found 0"),
        (("char", -3, -4), "chunk_size must be at least 1, found -3"),
        (("token", 4, 0), "unit 'token': expected one of char, word, lexical, byte"),
        (("char", 4, 0, "cut"), "tail 'cut': expected drop or keep"),
        (("char", 4, 0, "drop", ("acl",)), r"group_by \['acl'\]: expected \[document\] or \[document, acl\]"),
    ],
)
def test_what_cannot_work_is_refused_before_any_text_is_read(arguments, message):
    with pytest.raises(ValueError, match=message):
        Window(*arguments)
