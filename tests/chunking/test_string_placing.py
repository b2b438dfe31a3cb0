"""Where the strings of a splitter stand in its text."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.chunking.placing import Fragment, Placed, place


def placed(text, *strings):
    return place(text, map(Fragment, strings))


@pytest.mark.parametrize(
    ("text", "strings", "spans", "not_placed", "ambiguous"),
    [
        ("one two", ["one", "two"], [(0, 3), (4, 7)], 0, 0),
        ("one\n\ntwo", ["one", "two"], [(0, 3), (5, 8)], 0, 0),
        ("one  two", ["one two"], [], 1, 0),  # white space was collapsed
        ("a b a b", ["a b", "b a", "a b"], [(0, 3), (2, 5), (4, 7)], 0, 0),  # overlap
        ("A. B. A. C.", ["A.", "B.", "A.", "C."], [(0, 2), (3, 5), (6, 8), (9, 11)], 0, 0),  # the order tells which A
        ("A. B. A. C.", ["A.", "C."], [(0, 2), (9, 11)], 0, 1),  # either A would do
        ("a ab", ["a", "a ab"], [(0, 1), (0, 4)], 0, 0),  # the second one begins with the first
        ("ab a", ["ab", "a"], [(0, 2), (3, 4)], 0, 0),  # and not the other way round
        ("ab", ["ab", "a"], [(0, 2)], 1, 0),
        ("aaa", ["aa", "aa"], [(0, 2), (1, 3)], 0, 0),  # never the same place twice
        ("aaaa", ["aa", "aa"], [(0, 2), (1, 3)], 0, 2),
        ("one two", ["two", "one"], [(4, 7)], 1, 0),  # against the order
        ("one x two", ["one", "Y", "two"], [(0, 3), (6, 9)], 1, 0),
        ("one", ["", "one", ""], [(0, 3)], 0, 0),
        ("", ["a"], [], 1, 0),
        ("", [], [], 0, 0),
        ("𐐷a𐐷b", ["𐐷b", "b"], [(2, 4), (3, 4)], 0, 0),  # code points, not UTF-16
    ],
)
def test_by_hand(text, strings, spans, not_placed, ambiguous):
    given_ = sum(map(bool, strings))
    assert placed(text, *strings) == Placed(tuple(spans), given_, not_placed, ambiguous)


def test_a_span_of_the_splitter_is_believed_where_the_string_stands_there():
    text = "ab ab ab"
    assert place(text, [Fragment("ab", (3, 5))]) == Placed(((3, 5),), 1, 0, 0)  # no search, no doubt
    assert place(text, [Fragment("ab", (3, 5)), Fragment("ab", (0, 2))]).spans == ((3, 5), (0, 2))
    assert place(text, [Fragment("ab", (4, 6))]) == Placed(((0, 2),), 1, 0, 1)  # searched, as if there were none
    assert place(text, [Fragment("ab", (6, 9))]).spans == ((0, 2),)
    assert place(text, [Fragment("ab", (-2, 0)), Fragment("cd", (0, 2))]) == Placed(((0, 2),), 2, 1, 1)
    assert place(text, [Fragment("ab", (3, 5)), Fragment("ab")]).spans == ((3, 5), (6, 8))


def every_place(text, string):
    return [(n, n + len(string)) for n in range(len(text)) if text.startswith(string, n)]


def every_placing(text, strings):
    """Each way to place all of the strings so that their spans ascend."""
    ways = product(*(every_place(text, string) for string in strings))
    return [way for way in ways if all(a < b for a, b in pairwise(way))]


@given(st.text("ab ", max_size=10), st.lists(st.text("ab ", min_size=1, max_size=3), max_size=4))
def test_like_all_ways_to_place_them(text, strings):
    found = placed(text, *strings)
    kept, last = [], (-1, -1)
    for string in strings:  # no string is passed over that could be placed
        place = next((span for span in every_place(text, string) if span > last), None)
        if place is not None:
            kept.append(string)
            last = place
    ways = every_placing(text, kept)
    assert found.spans == min(ways)
    assert (found.fragments, found.not_placed) == (len(strings), len(strings) - len(kept))
    assert found.ambiguous == sum(len({way[number] for way in ways}) > 1 for number in range(len(kept)))


@given(st.text("ab\n", min_size=1, max_size=30), st.data())
def test_pieces_of_a_text_are_placed_on_text_that_is_theirs(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
    strings = [text[a:b] for a, b in pairwise(cuts)]
    found = placed(text, *strings)
    assert found.not_placed == 0
    assert [text[slice(*span)] for span in found.spans] == strings
