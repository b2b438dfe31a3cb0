"""Units of length, against what can be counted by hand or by splitting."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.units import UNITS, Atoms, count

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
