"""Each thing that lenient JSON readers let pass, with its place."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.errors import Problem
from spanledger.dataset import strict_json
from spanledger.dataset.strict_json import Line, parse, read_lines

NUMBER = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_sound_json_is_read_as_it_stands(value):
    assert parse(json.dumps(value)) == (value, [])


@pytest.mark.parametrize(
    ("text", "value", "field", "message"),
    [
        ('{"a": 1, "a": 2}', {"a": 2}, "a", "stands more than once"),
        (
            '{"x": [{"a": 1}, {"b": 0, "a": 1, "a": 1}]}',
            {"x": [{"a": 1}, {"b": 0, "a": 1}]},
            "x[1].a",
            "more than once",
        ),
        ('{"a": {"b": NaN}}', {"a": {"b": 0}}, "a.b", "NaN"),
        ("[1, -Infinity]", [1, 0], "[1]", "Infinity"),
        ('{"a": 1e999}', {"a": 0}, "a", "64 bits"),
        ('{"a": 9223372036854775808}', {"a": 0}, "a", "64 bits"),
        ('{"a": "x\\udc00y"}', {"a": "x?y"}, "a", "\\udc00 is half a character (a lone surrogate), at character 1"),
        ('{"a": {"\\ud83d": 1}}', {"a": {"?": 1}}, "a", "\\ud83d is half a character"),
    ],
)
def test_faults_are_told_and_repaired(text, value, field, message):
    found, faults = parse(text)
    assert found == value
    assert [fault[0] for fault in faults] == [field]
    assert message in faults[0][1]


def test_all_faults_of_a_value_are_told():
    assert len(parse('{"a": NaN, "b": ["\\ud800", 1e999], "c": 1, "c": 2}')[1]) == 4


def test_the_limits_are_allowed():
    assert parse("[9223372036854775807, -9223372036854775808, 1.7976931348623157e308]")[1] == []
    assert parse('"\\ud83d\\ude00"') == ("😀", [])
    assert parse("[" * 100 + "]" * 100)[1] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "is no JSON: Expecting property name enclosed in double quotes at column 9"),
        ('{"a":\n 1\n "b"}', "is no JSON: Expecting ',' delimiter at line 3, column 2"),
        ("[" * 101 + "]" * 101, "is nested deeper than 100 levels"),
        ("[" * 100_000, "is nested deeper than 100 levels"),
        ("1" * 5000, "a number has thousands of digits"),
    ],
)
def test_what_is_no_json_is_refused(text, message):
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_a_value_that_holds_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(RecursionError):
        strict_json.repaired(value)


def write(folder, data):
    path = folder / "x.jsonl"
    path.write_bytes(data)
    return path


def test_bug_case_9_a_byte_order_mark_hides_no_record(tmp_path):
    path = write(tmp_path, b'\xef\xbb\xbf{"id": "a"}\n{"id": "b"}\n')
    assert read_lines(path) == ([Line(1, {"id": "a"}), Line(2, {"id": "b"})], [])


def test_line_ends_and_blank_lines(tmp_path):
    path = write(tmp_path, '{"a": "x\u2028y"}\r\n\r\n \t\n\n{"b": 2}'.encode())
    assert read_lines(path) == ([Line(1, {"a": "x\u2028y"}), Line(5, {"b": 2})], [])


def test_bad_lines_are_all_told_and_the_others_read(tmp_path):
    path = write(tmp_path, b'\xef\xbb\xbf{"a": 1}\n[1]\n{"b": "\xff"}\n{"c": 3\n{"d": NaN}\n"x"\n')
    lines, problems = read_lines(path)
    assert lines[0] == Line(1, {"a": 1})
    assert (lines[1].number, lines[1].value, len(lines[1].faults), len(lines)) == (5, {"d": 0}, 1, 2)
    file = str(path)
    assert problems == [
        Problem(file, 2, message="expected one JSON object on a line, found [1]"),
        Problem(file, 3, message="is no UTF-8 at byte 23 of the file"),  # 3 + 9 + 4 bytes, then {"b": " are 7
        Problem(file, 4, message="is no JSON: Expecting ',' delimiter at column 8"),
        Problem(file, 6, message='expected one JSON object on a line, found "x"'),
    ]


def test_files_that_cannot_be_read(tmp_path):
    assert read_lines(tmp_path / "none") == ([], [Problem(str(tmp_path / "none"), message="no such file")])
    assert read_lines(tmp_path) == ([], [Problem(str(tmp_path), message="is a folder, expected a file")])


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.floats(), max_size=3), max_size=4))
def test_every_line_is_read_or_told(tmp_path_factory, values):
    path = write(tmp_path_factory.mktemp("lines"), "\n".join(map(json.dumps, values)).encode())
    lines, problems = read_lines(path)
    assert not problems
    assert [line.number for line in lines] == list(range(1, len(values) + 1))
    for line, value in zip(lines, values, strict=True):
        strange = [key for key, inner in value.items() if isinstance(inner, float) and not math.isfinite(inner)]
        assert [field for field, _ in line.faults] == strange
