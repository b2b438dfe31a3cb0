"""The headline numbers of the results on disk, as tables in the terminal."""

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from spanledger.cli import look_remarks, looks
from spanledger.core import files
from spanledger.core.document_measures import is_document_measure
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.failures import CLASSES
from spanledger.engine import params
from spanledger.report.attainment import attainable, sentence
from spanledger.report.tables import best

_LOG_WIDTH = 200
_ATTAINABLE = "attainable_recall_candidates"


def show(experiments: list[str]) -> int:
    """Prints a table for each experiment (none named: all of params.yaml) and the paths of their reports; returns 0.

    Raises InputError for an unknown name and where there are no results yet.
    """
    resolved = params.load("params.yaml")
    known = resolved["experiments"]
    unknown = [name for name in experiments if name not in known]
    if unknown:
        raise InputError(Problem("params.yaml", field=name, message=nearest(name, known)) for name in unknown)
    console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
    for name in experiments or known:
        folder = Path("results", name)
        if not (folder / "diagnostics.json").is_file():
            raise InputError([Problem(str(folder), message="there are no results yet: run make repro")])
        with (folder / "arms.csv").open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        console.print(_table(name, rows))
        diagnostics = files.read_document(folder / "diagnostics.json")
        looked = _looks(name, resolved[name]["normalise"]["holdout"])
        for line in (*_attainable(rows), *_warnings(diagnostics), *looked):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        for line in _lost(folder / "failures.csv"):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        if (folder / "gates.json").is_file():  # results of an earlier version have none
            for line in _gates(files.read_document(folder / "gates.json")):
                console.print(line, markup=False, highlight=False, soft_wrap=True)
        console.print(f"report: {folder / 'report.html'}", highlight=False, soft_wrap=True)
    return 0


def _table(name: str, rows: list[dict[str, str]]) -> Table:
    first = rows[0]
    over = f"{first['answerable_queries']} answerable of {first['queries']} queries, {first['facts']} required facts"
    if int(first.get("judged_queries") or 0):
        over += f"; {first['judged_queries']} judged, {first['unjudged_queries']} not"
    table = Table(title=f"{name}: {over}", box=box.SIMPLE, title_justify="left", title_style="bold")
    table.add_column("arm", overflow="fold")
    counted = "recoverable" in first  # how many lost facts one larger limit brings back; older results lack it
    judged = [name for name in first if is_document_measure(name)]
    facts = int(first["facts"]) or not judged
    headings = ["facts in index", "candidates", "context", *(["come back"] if counted else []), "macro recall"]
    for heading in (*(headings if facts else []), *judged, f"mean cost ({first['cost_unit']})"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        of_facts = [
            *(f"{row[f'facts_in_{point}']}/{row['facts']}" for point in ("index", "candidates", "context")),
            *([f"{row['recoverable']}/{int(row['facts']) - int(row['facts_in_context'])}"] if counted else []),
            _recall(row),
        ]
        measured = (_number(row[name], 4) for name in judged)
        table.add_row(row["arm"], *(of_facts if facts else []), *measured, _number(row["mean_cost"], 1))
    return table


def _gates(verdicts: list[dict]) -> Iterator[str]:
    failed = any(verdict["status"] == "failed" for verdict in verdicts)
    yield f"gates{' (a failed one fails `spanledger gate`, and not this run)' if failed else ''}:"
    yield from gate_lines(verdicts)


def gate_lines(verdicts: list[dict]) -> Iterator[str]:
    """A line for each gate: its status, what it asks for, and what was found."""
    for verdict in verdicts:
        about = f" ({verdict['arm']})" if verdict["arm"] else ""
        yield f"  {verdict['status']:<9}  {verdict['rule']}{about}: {verdict['found']}"


def _recall(row: dict[str, str]) -> str:
    """Macro recall, of what was attainable; without it where the results are older than that column."""
    recall = _number(row["macro_recall"], 4)
    return f"{recall} of {attainable(_typed(row), 'candidates', 4)}" if _ATTAINABLE in row else recall


def _attainable(rows: list[dict[str, str]]) -> Iterator[str]:
    """What stands behind the second number of macro recall, and what the highest recall is out of."""
    typed = [_typed(row) for row in rows]
    highest, arms = best(typed, "macro_recall")
    if highest is None or _ATTAINABLE not in rows[0]:
        return
    yield "  macro recall of: what the best choice of the same candidates could reach within the limits of the selector"
    yield "  " + next(f"{row['arm']}: {sentence(row)}" for row in typed if row["arm"] == arms[0])


def _typed(row: dict[str, str]) -> dict[str, Any]:
    """The columns of arms.csv that the words for attainable recall read, as numbers."""
    shares = ("macro_recall", *(n for n in row if n.startswith(("attainable_recall", "random_recall"))))
    counts = ("answerable_queries", *(n for n in row if n.startswith("attainable_exact")))
    return {
        "arm": row["arm"],
        **{name: float(row[name]) if row[name] else None for name in shares},
        **{name: int(row[name]) for name in counts},
    }


def _warnings(diagnostics: list[dict]) -> Iterator[str]:
    """A line for each code: its first warning, and of how many further arms it is said, with other figures."""
    by_code: dict[str, list[dict]] = {}
    for diagnostic in diagnostics:
        by_code.setdefault(diagnostic["code"], []).append(diagnostic)
    for code, found in by_code.items():
        arms = found[0]["arms"]
        about = f" ({arms[0]})" if len(arms) == 1 else ""
        more = f"; {len(found) - 1} more in the report" if len(found) > 1 else ""
        yield f"  {code}: {found[0]['message']}{about}{more}"


def _lost(path: Path) -> Iterator[str]:
    """How many facts were lost to which primary failure class, all arms together; nothing where none was, or in
    results from before it was counted."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as stream:
        counted = Counter(row["class"] for row in csv.DictReader(stream) if row["class"])
    if counted:
        told = ", ".join(f"{counted[name]} {name}" for name in CLASSES if counted[name])
        yield f"  lost, all arms together: {told}; see the report"


def _looks(experiment: str, setting: dict[str, Any] | None) -> Iterator[str]:
    """Whether the holdout was looked at, and what that means for the present numbers; none of its own."""
    if setting is None and not looks.path(experiment).is_file():
        return
    try:
        found = looks.read(experiment)
    except InputError as error:
        yield from (f"  looks: {problem}" for problem in error.problems)
        return
    if found:
        yield f"  looks: {looks.described(found)} at the holdout; spanledger holdout {experiment} --looks lists them"
        for code, message in look_remarks.of_ledger(found, setting, look_remarks.query_ids(experiment)):
            yield f"  {code}: {message}"


def _number(text: str, digits: int) -> str:
    return f"{float(text):.{digits}f}" if text else "null"
