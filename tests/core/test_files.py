"""Bytes of files: equal values, equal bytes, and whole or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core import files

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def test_a_line_keeps_the_order_of_keys_and_writes_utf8():
    assert files.line({"b": 1, "a": (2, [])}) == b'{"b":1,"a":[2,[]]}\n'
    assert files.line("日\u2028\n") == b'"\xe6\x97\xa5\xe2\x80\xa8\\n"\n'
    assert files.line(0.1) == b"0.1\n"
    assert files.lines([1, "x", None]) == b'1\n"x"\nnull\n'
    assert files.lines([]) == b""


def test_a_document_is_indented_and_sorted_by_key():
    assert files.document({"b": 1, "a": [2]}) == b'{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n'


@given(st.dictionaries(TEXT, VALUE, min_size=2, max_size=4))
def test_canonical_bytes_and_documents_do_not_depend_on_the_order_of_keys(value):
    turned = dict(reversed(value.items()))
    assert files.canonical(turned) == files.canonical(value)
    assert files.document(turned) == files.document(value)
    assert b"\n" not in files.canonical(value)


def test_digests():
    """printf abc | sha256sum"""
    assert files.sha256(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(st.lists(VALUE, max_size=4))
def test_lines_are_read_back_as_they_were_written(tmp_path_factory, records):
    path = tmp_path_factory.getbasetemp() / "lines.jsonl"
    files.write(path, files.lines(records))
    assert files.read_lines(path) == records
    files.write(path, files.document(records))
    assert files.read_document(path) == records
    assert files.file_sha256(path) == files.sha256(path.read_bytes())


def test_a_file_is_written_as_a_whole_and_its_folders_are_made(tmp_path):
    path = tmp_path / "one" / "two" / "file"
    files.write(path, b"first")
    files.write(path, b"second")
    assert path.read_bytes() == b"second"
    assert [p.name for p in path.parent.iterdir()] == ["file"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    files.write(path, b"old")

    def full(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"


def test_below_lists_a_file_itself_and_a_folder_s_files_without_hidden_ones(tmp_path):
    for name in ("b/2", "b/1", "a", ".hidden", "b/.partial"):
        files.write(tmp_path / name, b"")
    assert [p.relative_to(tmp_path).as_posix() for p in files.below(tmp_path)] == ["a", "b/1", "b/2"]
    assert files.below(tmp_path / "a") == [tmp_path / "a"]
