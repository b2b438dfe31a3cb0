"""YAML 1.2 as DVC reads it, and every fault of a file as an InputError."""

import datetime
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.errors import InputError
from spanledger.engine.yaml12 import read


@pytest.fixture
def parse(tmp_path):
    def parsed(text):
        path = tmp_path / "file.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(path)

    return parsed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("no", "no"),
        ("true", True),
        ("010", 10),
        ("0o10", 8),
        ("0x10", 16),
        ("1e-3", 0.001),
        ("1e3", 1000.0),
        ("12:30", "12:30"),
        ("~", None),
        ("", None),
        (".5", 0.5),
        ("'010'", "010"),
        ("2020-01-31", datetime.date(2020, 1, 31)),
    ],
)
def test_scalars_are_those_of_yaml_1_2(parse, text, value):
    found = parse(f"key: {text}")["key"]
    assert found == value
    assert type(found) is type(value)


def test_mappings_keep_their_order_and_aliases_are_filled_in(parse):
    value = parse("b: &x {z: 1, y: 2}\na: *x\nc: {<<: *x, w: 3}\n")
    assert value == {"b": {"z": 1, "y": 2}, "a": {"z": 1, "y": 2}, "c": {"z": 1, "y": 2, "w": 3}}
    assert list(value) == ["b", "a", "c"]


def test_a_byte_order_mark_is_no_part_of_the_first_key(parse):
    assert parse(b"\xef\xbb\xbfa: 1\n") == {"a": 1}


def test_an_empty_file_is_null(parse):
    assert parse("") is None


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", ":3", 'found duplicate key "a"'),
        ("x: {a: 1,\n  a: 2}\n", ":2", 'found duplicate key "a"'),
        ("a: [1,\n", ":2", "is no YAML"),
        ("a: 1\n\tb: 2\n", ":2", "is no YAML"),
        ("a: *missing\n", ":1", "found undefined alias 'missing'"),
        ("---\na: 1\n---\nb: 2\n", ":3", "found another document"),
        ("a: !!python/object:os.system x\n", ":1", "could not determine a constructor"),
        ("? {a: 1}\n: 2\n", ":1", "found unhashable key"),
        ("a: 2020-13-45\n", "", "is no YAML: month must be in 1..12"),
        ("a: !!int x\n", "", "is no YAML: invalid literal"),
        (b"a: \xff\n", "", "is no UTF-8 at byte 3"),
        (b"a: \x00\n", "", "is no YAML"),
        ("a: &x {b: *x}\n", "", "an anchor stands inside its own value"),
        ("a: &x [[*x]]\n", "", "an anchor stands inside its own value"),
        ("a: " + "[" * 500 + "]" * 500, "", "is nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(parse, tmp_path, text, place, message):
    with pytest.raises(InputError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{tmp_path / 'file.yaml'}{place}: ")
    assert message in problem.message
    assert "\n" not in problem.message


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "file").write_text("a: 1")
    for path, message in (
        (tmp_path / "none.yaml", "no such file"),
        (tmp_path, "no such file"),
        (tmp_path / "file" / "inside", "cannot be read: Not a directory"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read(path)
        assert caught.value.problems[0].file == os.fspath(path)


@given(st.text(st.sampled_from("ab:- \n{}[]&*!?|>'\"#,%@0.e~<"), max_size=25) | st.binary(max_size=12))
def test_any_text_is_read_or_told(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        read(path)
    except InputError as error:
        assert error.problems


def test_what_dvc_does_not_take_is_refused_where_dvc_reads_it_too(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text("a: {b: c:d}\n")
    assert read(path) == {"a": {"b": "c:d"}}  # it is YAML 1.2
    with pytest.raises(InputError, match=":1: is no YAML: found unexpected ':'"):
        read(path, for_dvc=True)
