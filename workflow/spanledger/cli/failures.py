"""`spanledger failures`: why facts were lost, in the terminal, and the sheet in which people judge it."""

import sys
import textwrap
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from spanledger import gold
from spanledger.core import files
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.failures import CLASSES
from spanledger.core.records import Document, Query, from_records
from spanledger.engine import params, plan
from spanledger.report import judgements, words
from spanledger.report.failures import Case, cases, counts, sheet_rows, stale

_LOG_WIDTH = 100


def run(experiment: str, out: Path | None) -> int:
    """Prints the lost facts of an experiment's results on disk by class; with `out`, writes the sheet there or brings the
    one that is there up to date. Returns 0.

    Raises InputError for an unknown name, where there are no results or ones from before there were classes, and for a
    sheet that is not valid, which is then left as it is.
    """
    known = params.load("params.yaml")["experiments"]
    if experiment not in known:
        raise InputError([Problem("params.yaml", field=experiment, message=nearest(experiment, known))])
    place = Path(plan.judgements(experiment))
    sheet = judgements.read(out or place)
    folder = Path("results", experiment)
    rows = _rows(folder / "queries.jsonl")
    queries = sorted(
        from_records(Query, files.read_lines(folder / "normalise/queries.jsonl")), key=lambda query: query.order
    )
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    trails = {(row["arm"], row["query_id"]): row for row in rows}
    found = cases(arms, [query.query_id for query in queries], trails, sheet)
    if out is not None:
        golds = {g.query_id: g for g in gold.from_records(files.read_lines(folder / "normalise/facts.jsonl"))}
        documents = from_records(Document, files.read_lines(folder / "validate/documents.jsonl"))
        merged, _ = judgements.merge(sheet, sheet_rows(found, queries, golds, {d.key: d for d in documents}))
        files.write(out, judgements.render(merged))
    console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
    _show(console, experiment, counts(arms, trails), found)
    for line in _told(found, stale(sheet, found), out, place):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise InputError([Problem(str(path.parent), message="there are no results yet: run make repro")])
    rows = files.read_lines(path)
    if any("failures" not in fact for row in rows for fact in row["facts"]):
        raise InputError([Problem(str(path), message="was made before there were failure classes: run make repro")])
    return rows


def _show(console: Console, experiment: str, lost: dict[str, dict[str, int]], found: list[Case]) -> None:
    seen = [name for name in CLASSES if any(counted[name] for counted in lost.values())]
    if not seen:
        console.print(f"{experiment}: no arm lost a fact", markup=False, highlight=False)
        return
    facts = len({(case.query_id, case.fact_id) for case in found})
    title = f"{experiment}: {facts} fact{'s' * (facts != 1)} lost by some arm, by failure class"
    console.print(title, markup=False, highlight=False, style="bold")
    table = Table(box=box.SIMPLE)
    table.add_column("arm", overflow="fold")
    for number, _ in enumerate(seen, 1):
        table.add_column(f"[{number}]".replace("[", "\\["), justify="right", no_wrap=True)
    for arm, counted in lost.items():
        table.add_row(arm, *(str(counted[name]) for name in seen))
    console.print(table)
    for number, name in enumerate(seen, 1):
        _, _, fix, side_effect = words.FAILURES[name]
        total = sum(counted[name] for counted in lost.values())
        console.print(f"[{number}] {name}, {total} over all arms", markup=False, highlight=False, style="bold")
        for label, text in (("fix", fix), ("but", side_effect)):
            told = textwrap.fill(
                f"{label}: {text}", console.width - 1, initial_indent="    ", subsequent_indent=" " * 9
            )
            console.print(told, markup=False, highlight=False)


def _told(found: list[Case], gone: list[judgements.Row], out: Path | None, place: Path) -> list[str]:
    judged = [case for case in found if case.judgement]
    lines = []
    if judged:
        agreed = sum(case.agrees is True for case in judged)
        lines.append(f"judged: {len(judged)} of {len(found)} lines, {agreed} as the rules have it")
    for row in gone:
        named = ", ".join(row[name] for name in judgements.KEY)
        lines.append(f"no longer applies: {named} (judged {row['judgement'] or 'nothing'})")
    if out is not None:
        lines.append(f"{len(found)} line{'s' * (len(found) != 1)} to judge in {out}")
        if out.absolute() != place.absolute():
            lines.append(f"the report reads {place}")
    elif found and not judged:
        lines.append(f"to judge them: spanledger failures {place.stem} --out")
    return lines
