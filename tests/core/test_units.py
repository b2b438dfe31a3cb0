"""Units of length, against what can be counted by hand or by splitting."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spanledger.core import units
from spanledger.core.units import UNITS, Atoms, count

CL100K = "tiktoken/cl100k_base"

TEXT = st.text(st.sampled_from("ab_9 \n\t日本,.é😀\u3000-") | st.characters(codec="utf-8"), max_size=40)


@pytest.mark.parametrize(
    ("unit", "expected"),
    # "R-17: é日本 ok_1\n" is 15 characters; é takes 2 bytes, 日 and 本 take 3 each
    [("char", 15), ("word", 3), ("lexical", 8), ("byte", 20)],
)
def test_count_by_hand(unit, expected):
    assert count("R-17: é日本 ok_1\n", unit) == expected


@pytest.mark.parametrize("unit", UNITS)
def test_nothing_counts_nothing(unit):
    assert count("", unit) == 0
    assert Atoms("", unit).spans == []
    assert Atoms("", unit).before == [0]


def test_atoms_by_hand():
    text = "R-17: é日 ok_1"
    assert [text[start:end] for start, end in Atoms(text, "word").spans] == ["R-17:", "é日", "ok_1"]
    assert [text[start:end] for start, end in Atoms(text, "lexical").spans] == ["R", "-", "17", ":", "é", "日", "ok_1"]
    assert Atoms("é日x", "char").spans == Atoms("é日x", "byte").spans == [(0, 1), (1, 2), (2, 3)]
    assert Atoms("é日x", "byte").before == [0, 2, 5, 6]
    assert Atoms("é日x", "char").before == [0, 1, 2, 3]


@given(TEXT)
def test_units_agree_with_other_ways_to_count(text):
    assert count(text, "char") == len(list(text))
    assert count(text, "byte") == len(text.encode("utf-8"))
    assert count(text, "word") == len(text.split())
    runs_and_others = re.sub("[A-Za-z0-9_]+", "x", text)
    assert count(text, "lexical") == sum(not character.isspace() for character in runs_and_others)


@given(TEXT, st.sampled_from(UNITS))
def test_atoms_are_ascending_disjoint_and_leave_out_white_space_alone(text, unit):
    atoms = Atoms(text, unit)
    assert all(start < end for start, end in atoms.spans)
    assert all(first[1] <= second[0] for first, second in zip(atoms.spans, atoms.spans[1:], strict=False))
    inside = {place for start, end in atoms.spans for place in range(start, end)}
    left_out = "".join(character for place, character in enumerate(text) if place not in inside)
    assert not left_out.strip()
    assert unit not in ("char", "byte") or not left_out


@given(TEXT, st.sampled_from(UNITS))
def test_every_run_of_atoms_counts_what_before_says(text, unit):
    atoms = Atoms(text, unit)
    for first in range(len(atoms.spans)):
        for last in range(first, len(atoms.spans)):
            body = text[atoms.spans[first][0] : atoms.spans[last][1]]
            assert count(body, unit) == atoms.before[last + 1] - atoms.before[first]
    assert atoms.before[-1] == count(text, unit)


def test_an_unknown_unit_is_refused():
    for function in (count, Atoms):
        with pytest.raises(ValueError, match="unit 'token': expected one of char, word, lexical, byte"):
            function("text", "token")


PARTS = st.text(st.sampled_from("abst1 2\n\r\t.,'\"_-(éſ日。，\u00a0\u0301\x1c\u2028"), max_size=7)


@given(PARTS, PARTS, PARTS, PARTS, st.sampled_from([*UNITS, CL100K]))
@example("a.", "\n", "\n", "b", CL100K)
@example("", "he'", "s", "", CL100K)
@example(" ", "\n", " ", "\na", CL100K)
def test_where_texts_separate_their_counts_add_up_whatever_stands_around_them(before, left, right, after, unit):
    if units.separates(left, right, unit):
        whole = units.count(before + left + right + after, unit)
        assert whole == units.count(before + left, unit) + units.count(right + after, unit)


def test_what_separates():
    def kinds(left, right):
        return [unit for unit in ("char", "byte", "word", "lexical", CL100K) if units.separates(left, right, unit)]

    assert kinds("one", "two") == ["char", "byte"]
    assert kinds("one.", "two") == ["char", "byte", "lexical"]
    assert kinds("one\n\n", "two") == kinds("one", " two") == ["char", "byte", "word", "lexical", CL100K]
    assert kinds("one\n", "\ntwo") == kinds("one\n", " \ntwo") == kinds("one ", "two")
    assert kinds("one ", "two") == ["char", "byte", "word", "lexical"]
    assert (
        kinds("[", "1")
        == kinds("1", "]")
        == kinds("one", ".")
        == kinds("日", "。")
        == ["char", "byte", "lexical", CL100K]
    )
    assert kinds("", "two") == kinds("one", "") == []


def test_where_texts_join_fewer_tokens_are_counted():
    # by the table of cl100k_base "hello" is 15339, " world" 1917, ".\n\n" 382, "\n\n" 271, "." 13
    assert [units.count(text, CL100K) for text in ("hel", "lo", "hello")] == [1, 1, 1]
    assert [units.count(text, CL100K) for text in ("hello.", "\n\n", "hello.\n\n")] == [2, 1, 2]
    assert not units.separates("hel", "lo", CL100K)
    assert not units.separates("hello.", "\n\n", CL100K)
