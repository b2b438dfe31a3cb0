"""Reading and writing the files between the stages: equal values give equal bytes, and no file is ever half written."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson


def line(record: Any) -> bytes:
    """One record as a JSON line (UTF-8, keys in the order given, floats in their shortest exact form)."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def lines(records: Iterable[Any]) -> bytes:
    """Records as JSON lines, in the order given."""
    return b"".join(map(line, records))


def document(value: Any) -> bytes:
    """One value as indented JSON with sorted keys, for files that people read and compare."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def canonical(value: Any) -> bytes:
    """The bytes that stand for a value in a hash: compact JSON with sorted keys."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha256(data: bytes) -> str:
    """The digest of some bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def file_sha256(path: str | os.PathLike) -> str:
    """The digest of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def below(path: str | os.PathLike) -> list[Path]:
    """The files that a path stands for: itself, or every file below a folder except hidden ones and Python's byte code;
    sorted."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    found = (p for p in path.rglob("*") if not p.name.startswith(".") and p.suffix != ".pyc")
    return sorted(p for p in found if "__pycache__" not in p.relative_to(path).parts and p.is_file())


def read_lines(path: str | os.PathLike) -> list[Any]:
    """The records of a JSON lines file that a stage wrote, in file order."""
    return [orjson.loads(text) for text in Path(path).read_bytes().splitlines()]


def read_document(path: str | os.PathLike) -> Any:
    """The value of a JSON file that a stage wrote."""
    return orjson.loads(Path(path).read_bytes())


def write(path: str | os.PathLike, data: bytes) -> None:
    """Writes a file as a whole: it appears under its name complete or not at all. Missing folders are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)
