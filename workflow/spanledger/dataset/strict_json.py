"""JSON from outside, read strictly: what other readers repair in silence is a fault here, with its place.

Faults of a value that could be read (a key that stands twice, a number that is none, a lone surrogate, ...) are told
with their field, and the value comes back repaired, so that the checks that follow can go on and tell the rest.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanledger.core.errors import Problem
from spanledger.engine.schema import shown

MAX_DEPTH = 100  # the writer of the stages' files stops at 254 levels
_LARGEST, _SMALLEST = 2**63 - 1, -(2**63)  # and at whole numbers of 64 bits
_BOM = b"\xef\xbb\xbf"

Fault = tuple[str, str]  # (field, message)


@dataclass(frozen=True, slots=True)
class Line:
    """One object of a JSON lines file: its line number, counted from 1, its value, and the faults found in it."""

    number: int
    value: dict[str, Any]
    faults: tuple[Fault, ...] = ()


class _Repeated(dict):
    """An object in which keys stand more than once; the last value of each is kept."""

    keys_repeated: tuple[str, ...] = ()


def parse(text: str) -> tuple[Any, list[Fault]]:
    """A JSON value, repaired, and its faults. Raises ValueError, with a message for people, for what is no JSON."""
    try:
        return repaired(json.loads(text, object_pairs_hook=_object))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise ValueError(f"is no JSON: {error.msg} at {place}") from None
    except RecursionError:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:  # int() refuses thousands of digits
        raise ValueError("is no JSON that can be read: a number has thousands of digits") from None


def repaired(value: Any) -> tuple[Any, list[Fault]]:
    """A value that was read from JSON or YAML, without what the stages' files cannot hold, and the faults it had.
    Raises RecursionError for one that is nested deeper than MAX_DEPTH levels, or holds itself."""
    faults: list[Fault] = []
    return _repaired(value, "", 0, faults), faults


def read_lines(path: Path) -> tuple[list[Line], list[Problem]]:
    """The objects of a JSON lines file in file order, and a problem for each line that is none.

    Lines end with LF or CR LF; blank ones are passed over; a byte order mark at the beginning of the file is allowed.
    A file that cannot be read gives no lines and one problem.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        return [], [Problem(str(path), message=unreadable(error))]
    lines: list[Line] = []
    problems: list[Problem] = []
    start = len(_BOM) if data.startswith(_BOM) else 0
    # Only LF ends a line: U+2028 and its like may stand in a JSON string.
    for number, line in enumerate(data[start:].split(b"\n"), 1):
        try:
            if text := line.decode("utf-8").strip(" \t\r"):
                value, faults = parse(text)
                if not isinstance(value, dict):
                    raise ValueError(f"expected one JSON object on a line, found {shown(value)}")
                lines.append(Line(number, value, tuple(faults)))
        except UnicodeDecodeError as error:
            problems.append(
                Problem(str(path), number, message=f"is no UTF-8 at byte {start + error.start} of the file")
            )
        except ValueError as error:
            problems.append(Problem(str(path), number, message=str(error)))
        start += len(line) + 1
    return lines, problems


def unreadable(error: OSError) -> str:
    """What a person needs to know of a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return (
        "is a folder, expected a file" if isinstance(error, IsADirectoryError) else f"cannot be read: {error.strerror}"
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    seen: set[str] = set()
    repeated = _Repeated(value)
    repeated.keys_repeated = tuple(key for key, _ in pairs if key in seen or seen.add(key))
    return repeated


def _repaired(value: Any, field: str, depth: int, faults: list[Fault]) -> Any:
    if isinstance(value, str):
        return _sound(value, field, faults)
    if isinstance(value, dict | list) and depth == MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        result = {}
        for key, inner in value.items():
            key = _sound(key, field, faults) if isinstance(key, str) else key
            result[key] = _repaired(inner, f"{field}.{key}" if field else str(key), depth + 1, faults)
        if isinstance(value, _Repeated):
            names = dict.fromkeys(key.encode("utf-8", "replace").decode() for key in value.keys_repeated)
            faults += [(f"{field}.{key}" if field else key, "the key stands more than once") for key in names]
        return result
    if isinstance(value, list):
        return [_repaired(inner, f"{field}[{place}]", depth + 1, faults) for place, inner in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        faults.append((field, "NaN, Infinity and numbers beyond 64 bits are not allowed"))
        return 0
    if isinstance(value, int) and not _SMALLEST <= value <= _LARGEST:
        faults.append((field, "expected a whole number of at most 64 bits"))
        return 0
    return value


def _sound(text: str, field: str, faults: list[Fault]) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = f"\\u{ord(text[error.start]):04x}"
        faults.append(
            (field, f"{code} is half a character (a lone surrogate), at character {error.start} of the string")
        )
        return text.encode("utf-8", "replace").decode("utf-8")
    return text
