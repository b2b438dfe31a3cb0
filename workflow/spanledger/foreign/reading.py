"""Reads what another retriever found: a TREC run, or spans as CSV or JSON lines. Every fault of the file is noted."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanledger.core.errors import nearest
from spanledger.core.spans import Span
from spanledger.engine.schema import shown
from spanledger.importers.sources import Sources

TREC, SPANS = "trec", "spans"
FORMATS = (TREC, SPANS)
JSON_LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")
_NEEDED, _OPTIONAL = ("query_id", "doc_id", "start", "end"), ("version", "score", "rank")
_SHAPE = {
    **{"query_id": (str, int), "doc_id": (str, int), "version?": (str, int)},
    **{"start?": (int,), "end?": (int,), "spans?": [[(int,)]], "score?": (int, float), "rank?": (int,)},
}
_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One retrieved thing as the file has it, and on which line: of a TREC run an `item`; of spans a document, its version
    where it is given, and ascending spans in whatever unit the file counts."""

    line: int
    query_id: str
    item: str
    version: str | None = None
    spans: tuple[Span, ...] = ()
    score: float | None = None
    rank: int | None = None


def format_of(path: Path) -> str:
    """The format of a file by the ending of its name: .csv, .tsv, .jsonl and .ndjson hold spans, gzipped or not."""
    return SPANS if path.name.lower().removesuffix(".gz").endswith((*JSON_LINES, *TABLES)) else TREC


def read(sources: Sources, path: Path, form: str) -> list[Entry]:
    """The entries of a file, in the order of its lines. What is at fault is left out and noted in `sources`.

    A TREC run has the columns query_id, Q0, item, rank, score and tag, separated by white space; lines that begin with #
    are comments. Spans have query_id, doc_id, start and end, and may have version, score and rank; JSON lines may have
    `spans`, a list of [start, end], for a passage of several. A score or a rank is given in all lines or in none.
    """
    if form == TREC:
        return _trec(sources, path)
    plain = path.name.lower().removesuffix(".gz")
    rows = _json_rows(sources, path) if plain.endswith(JSON_LINES) else _table_rows(sources, path)
    entries = [_entry(line, row) for line, row in rows]
    for name in ("score", "rank"):
        given = [getattr(entry, name) is not None for entry in entries]
        if any(given) and not all(given):
            line = entries[given.index(False)].line
            sources.problem(path, f"expected a {name} in all lines or in none", line, field=name)
    return entries


def _trec(sources: Sources, path: Path) -> list[Entry]:
    entries = []
    for number, line in enumerate((sources.text(path) or "").split("\n"), 1):
        cells = line.split()
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) != _COLUMNS:
            sources.problem(path, f"expected 6 columns (query_id Q0 item rank score tag), found {len(cells)}", number)
            continue
        query_id, _, item, rank, score, _ = cells
        values = (_whole(sources, path, number, "rank", rank), _number(sources, path, number, "score", score))
        if None not in values:
            entries.append(Entry(number, query_id, item, None, (), values[1], values[0]))
    return entries


def _whole(sources: Sources, path: Path, line: int, field: str, text: str) -> int | None:
    if text.isascii() and text.removeprefix("-").isdigit():
        return int(text)
    sources.problem(path, f"expected a whole number, found {shown(text)}", line, field=field)
    return None


def _number(sources: Sources, path: Path, line: int, field: str, text: str) -> float | None:
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    sources.problem(path, f"expected a finite number, found {shown(text)}", line, field=field)
    return None


def _table_rows(sources: Sources, path: Path) -> list[tuple[int, dict[str, Any]]]:
    found = []
    for line, row in sources.table(path, _NEEDED, _OPTIONAL):
        start, end = (_whole(sources, path, line, name, row[name].strip()) for name in ("start", "end"))
        value: dict[str, Any] = {"query_id": row["query_id"], "doc_id": row["doc_id"], "start": start, "end": end}
        if row.get("version"):
            value["version"] = row["version"]
        for name, parse in (("rank", _whole), ("score", _number)):
            if row.get(name, "").strip():
                value[name] = parse(sources, path, line, name, row[name].strip())
        if None not in value.values():
            found.append((line, value))
    return found


def _json_rows(sources: Sources, path: Path) -> list[tuple[int, dict[str, Any]]]:
    found = []
    known = [key.removesuffix("?") for key in _SHAPE]
    for line, row in sources.json_lines(path, _SHAPE):
        faults = [(key, f"unknown key: {nearest(key, known)}") for key in row if key not in known]
        if ("spans" in row) == ("start" in row or "end" in row) or ("start" in row) != ("end" in row):
            faults.append(("spans", "expected either start and end, or spans"))
        faults += [
            (f"spans[{place}]", f"expected [start, end], found {shown(span)}")
            for place, span in enumerate(row.get("spans", ()))
            if len(span) != 2
        ]
        if not math.isfinite(row.get("score", 0)):
            faults.append(("score", f"expected a finite number, found {shown(row['score'])}"))
        for field, message in faults:
            sources.problem(path, message, line, field=field)
        if not faults:
            found.append((line, row))
    return found


def _entry(line: int, row: dict[str, Any]) -> Entry:
    spans = tuple((s, e) for s, e in row["spans"]) if "spans" in row else ((row["start"], row["end"]),)
    version = str(row["version"]) if "version" in row else None
    score = float(row["score"]) if "score" in row else None
    return Entry(line, str(row["query_id"]), str(row["doc_id"]), version, spans, score, row.get("rank"))
