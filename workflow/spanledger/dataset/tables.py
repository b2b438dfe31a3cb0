"""The JSON lines files of a dataset: each line read strictly and checked alone against its schema."""

import difflib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanledger.core.errors import Problem, nearest
from spanledger.dataset import strict_json
from spanledger.engine import schema

_LISTED = 20  # a message does not list more valid ids than this
_COMPARED = 1000  # nor look for the nearest one among more


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a dataset file. `name` is what messages call it: its kind and its ids."""

    file: str
    line: int
    name: str
    value: dict[str, Any]

    def problem(self, field: str, message: str) -> Problem:
        """A fault of this record."""
        return Problem(self.file, self.line, self.name, field, message)


@dataclass(frozen=True, slots=True)
class Table:
    """One file of a dataset. `rows` passed the schema; `broken` did not, and only tell which ids are no dangling ones.
    `problems` are those of the file and of single records. `read` is False where the file is not readable at all."""

    rows: list[Row]
    broken: list[Row]
    problems: list[Problem]
    read: bool = True


def read(folder: Path, name: str, part: str, ids: tuple[str, ...]) -> Table:
    """The table in `folder`/`name`, whose records follow the schema's `part` and are named by the keys `ids`."""
    path = folder / name
    lines, problems = strict_json.read_lines(path)
    rows: list[Row] = []
    broken: list[Row] = []
    for line in lines:
        row = Row(str(path), line.number, _name(part, line.value, ids), line.value)
        faults = list(line.faults)
        told = {field for field, _ in faults}
        faults += [fault for fault in schema.problems(line.value, "dataset", part) if fault[0] not in told]
        problems += [row.problem(*fault) for fault in faults]
        (broken if faults else rows).append(row)
    return Table(rows, broken, problems, read=all(p.line for p in problems))


def unique(rows: list[Row], ids: tuple[str, ...], problems: list[Problem]) -> dict[Any, Row]:
    """The rows by id (a tuple where it takes several keys), the first of each; every later one is a problem."""
    found: dict[Any, Row] = {}
    for row in rows:
        key = tuple(row.value[name] for name in ids)
        first = found.setdefault(key if len(key) > 1 else key[0], row)
        if first is not row:
            problems.append(row.problem(ids[0], f"stands twice: line {first.line} has the same {' and '.join(ids)}"))
    return found


def repeated_positions(rows: Collection[Row]) -> Iterator[Problem]:
    """A problem for each row whose position an earlier row has."""
    first: dict[int, Row] = {}
    for row in rows:
        position = row.value.get("position")
        holder = first.setdefault(position, row)
        if position is not None and holder is not row:
            yield row.problem("position", f"{position} is the position of {holder.name} too (line {holder.line})")


def positions(rows: Collection[Row]) -> Iterator[Problem]:
    """Faults of positions that all rows have, or none, and no two the same."""
    without = [row for row in rows if "position" not in row.value]
    if 0 < len(without) < len(rows):
        count = f"{len(rows) - len(without)} of {len(rows)} records have one"
        yield without[0].problem("position", f"expected a position for all records or for none: {count}")
    yield from repeated_positions(rows)


def unknown(name: str, valid: Collection[str]) -> str:
    """The end of a message about an unknown id: the nearest one, and all where they are few."""
    # ids may hold line ends, which would break up the message
    name, valid = repr(name)[1:-1], [repr(other)[1:-1] for other in valid]
    if len(valid) <= _LISTED:
        return nearest(name, valid)
    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.5) if len(valid) <= _COMPARED else []
    return f"did you mean '{close[0]}'?" if close else f"there are {len(valid)} others"


def _name(part: str, value: dict[str, Any], ids: tuple[str, ...]) -> str:
    # repr, because an id may hold a line end
    return " ".join([part, *(repr(value[name]) for name in ids if isinstance(value.get(name), str))])
