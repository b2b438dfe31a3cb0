"""What people judged about lost facts: a CSV of one line for each lost fact and automatic class.

UTF-8 with a byte order mark (a spreadsheet shows Chinese right only with one; reading does without), commas, quotes
after RFC 4180, CR LF. A cell that a spreadsheet would take for a formula is written with an apostrophe in front, which
reading takes away again. Columns that people add are kept.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from spanledger.core.errors import InputError, Problem, nearest, raise_problems
from spanledger.core.failures import CLASSES

KEY = ("query_id", "fact_id", "class")
WRITTEN = ("judgement", "note")
COLUMNS = (*KEY, "other_classes", "arms", "why", "question", "evidence", *WRITTEN)

# What begins a formula in some spreadsheet, full-width forms and control characters included; any apostrophes in front
# are counted, so that taking one away always gives back what was written.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_LARGEST_CELL = 2**24  # characters

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns and rows of a file, in its order; every row has every column."""

    columns: tuple[str, ...] = COLUMNS
    rows: tuple[Row, ...] = ()

    def by_key(self) -> dict[tuple[str, ...], Row]:
        """The rows by query, fact and automatic class."""
        return {key_of(row): row for row in self.rows}


def key_of(row: Row) -> tuple[str, ...]:
    """Query, fact and automatic class."""
    return tuple(row[name] for name in KEY)


def is_written(row: Row) -> bool:
    """Whether a person wrote anything into a row."""
    return any(value for name, value in row.items() if name not in COLUMNS or name in WRITTEN)


def read(path: Path) -> Sheet:
    """The sheet of a file; an empty one where there is none. Raises InputError with all problems, by line and column."""
    return parse(path.read_bytes(), str(path)) if path.is_file() else Sheet()


def parse(data: bytes, name: str) -> Sheet:
    """A sheet from the bytes of a file that is called `name` in messages. Raises InputError (see `read`)."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        told = f"byte {error.start} is not UTF-8: save it as CSV UTF-8"
        raise InputError([Problem(name, line, message=told)]) from None
    lines = _lines(text, name)
    header_line, header = next(lines, (1, []))
    columns = tuple(cell.strip() for cell in header)
    raise_problems(_header_problems(name, header_line, columns))
    rows: list[Row] = []
    problems: list[Problem] = []
    first_line: dict[tuple[str, ...], int] = {}
    for line, cells in lines:
        if len(cells) != len(columns):
            problems.append(Problem(name, line, message=f"expected {len(columns)} cells, found {len(cells)}"))
            continue
        row = dict(zip(columns, map(unguarded, cells), strict=True))
        row["judgement"] = row["judgement"].strip()
        problems += (Problem(name, line, field=field, message=told) for field, told in _row_problems(row, first_line))
        first_line.setdefault(key_of(row), line)
        rows.append(row)
    raise_problems(problems)
    return Sheet(columns, tuple(rows))


def _lines(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins; empty ones left out."""
    limit = csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError([Problem(name, line, message=f"no CSV from here: {error}")]) from None
    finally:
        csv.field_size_limit(limit)


def _header_problems(name: str, line: int, columns: tuple[str, ...]) -> Iterator[Problem]:
    required = (*KEY, *WRITTEN)
    if len(columns) <= 1 and any(mark in "".join(columns) for mark in ";\t"):
        yield Problem(name, line, message="expected commas between the columns, found semicolons or tabs")
        return
    for column in required:
        if column not in columns:
            yield Problem(name, line, field=column, message=f"there is no such column; found: {', '.join(columns)}")
    for column in dict.fromkeys(columns):
        if columns.count(column) > 1:
            yield Problem(name, line, field=column, message=f"{columns.count(column)} columns have this name")


def _row_problems(row: Row, first_line: dict[tuple[str, ...], int]) -> Iterator[tuple[str, str]]:
    for field in KEY:
        if not row[field]:
            yield field, "is empty"
    if all(row[field] for field in KEY) and key_of(row) in first_line:
        yield "class", f"line {first_line[key_of(row)]} has the same query, fact and class"
    if row["judgement"] and row["judgement"] not in CLASSES:
        yield "judgement", f"'{row['judgement']}' is no class: {nearest(row['judgement'], CLASSES)}"


def merge(old: Sheet, found: Iterable[Row]) -> tuple[Sheet, list[Row]]:
    """The new sheet, and its rows that no longer apply.

    `found` are the rows of the present results. What people wrote in `old` is kept: with the row of the same key, else,
    where that is gone, in the old row, which stands at the end without arms. Rows in which nobody wrote go.
    """
    own = [name for name in old.columns if name not in COLUMNS]
    before = old.by_key()
    rows = []
    for row in found:
        known = before.pop(key_of(row), {})
        rows.append({**row, **{name: known.get(name, "") for name in (*WRITTEN, *own)}})
    empty = dict.fromkeys(COLUMNS, "")
    stale = [{**empty, **row, "arms": ""} for row in before.values() if is_written(row)]
    return Sheet((*COLUMNS, *own), (*rows, *stale)), stale


def render(sheet: Sheet) -> bytes:
    """The bytes of a sheet; `parse` gives it back."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(guarded, sheet.columns))
    writer.writerows([guarded(row[name]) for name in sheet.columns] for row in sheet.rows)
    return text.getvalue().encode("utf-8-sig")


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """The inverse of `guarded`; any other cell stays as it is."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
