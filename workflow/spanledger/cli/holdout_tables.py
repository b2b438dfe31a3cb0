"""What `spanledger holdout` shows in the terminal."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spanledger.cli import holdout, looks
from spanledger.core.errors import InputError, Problem

_LOG_WIDTH = 100
_SHOWN = 5  # earlier looks that are told with a new one


def show(experiment: str, arms: list[str], reason: str | None, only_looks: bool, as_json: bool) -> int:
    """Looks at the holdout, or lists the looks so far, and prints it; returns 0. Raises InputError as `holdout` does, and
    where a list of looks is asked for with arms or a reason."""
    if only_looks and (arms or reason is not None):
        raise InputError([Problem("--looks", message="lists the looks so far and takes neither --arm nor --reason")])
    found = holdout.ledger(experiment) if only_looks else holdout.look(experiment, arms, reason)
    if as_json:
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return 0
    console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
    if only_looks and not found["looks"]:
        print(f"{experiment}: nobody has looked at the holdout")
        return 0
    console.print(_title(found), style="bold", markup=False, highlight=False, soft_wrap=True)
    console.print(_list(found) if only_looks else _scores(found))
    for line in _lines(found, only_looks):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def _title(found: dict[str, Any]) -> str:
    if "looks" in found:
        return f"{found['experiment']}: {looks.described(found['looks'])}"
    first = next(iter(found["arms"].values()))
    sizes = {part: first[part] for part in ("development", "holdout")}
    over = ", ".join(f"{part} {n['answerable_queries']} answerable of {n['queries']}" for part, n in sizes.items())
    return f"{found['experiment']}: {found['metric']} and cost ({first['holdout']['cost_unit']}); queries: {over}"


def _scores(found: dict[str, Any]) -> Table:
    table = _table("arm")
    for heading in ("development", "holdout", "gap", "± s.e.", "cost dev.", "cost held"):
        table.add_column(heading, justify="right", no_wrap=True)
    for arm, numbers in found["arms"].items():
        before, after = numbers["development"], numbers["holdout"]
        table.add_row(
            arm,
            *(_number(part[found["metric"]], ".4f") for part in (before, after)),
            _number(numbers["gap"], "+.4f"),
            _number(numbers["standard_error"], ".4f"),
            *(_number(part["mean_cost"], ".1f") for part in (before, after)),
        )
    return table


def _list(found: dict[str, Any]) -> Table:
    table = _table("look", "time", "commit")
    for heading in ("share, seed", "queries", "arms", "parameters"):
        table.add_column(heading, no_wrap=True)
    table.add_column("reason", overflow="fold")
    for look in found["looks"]:
        split = look["holdout"]
        table.add_row(
            str(look["look"]),
            look["time"].removesuffix("+00:00"),
            "" if look["commit"] is None else look["commit"][:7] + "*" * look["dirty"],
            f"{split['share']}, {split['seed']}",
            str(look["queries"]["holdout"]),
            str(len(look["arms"])),
            look["parameters"][:8],
            Text(look["reason"]),
        )
    return table


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _lines(found: dict[str, Any], only_looks: bool) -> Iterator[str]:
    yield from (f"  {remark['code']}: {remark['message']}" for remark in found["remarks"])
    if only_looks:
        return
    yield from _before(found["earlier"])
    ledger, metrics = found["files"]
    yield f"look {found['look']['look']} is recorded in {ledger}: commit it. Numbers: {metrics}"


def _before(earlier: list[looks.Look]) -> Iterable[str]:
    if not earlier:
        return ["first look at this holdout"]
    more = len(earlier) - _SHOWN
    return [
        f"looked at before: {looks.described(earlier)}",
        *([f"  {more} more: --looks"] if more > 0 else []),
        *(f"  {line}" for line in looks.told(earlier[-_SHOWN:])),
    ]


def _number(value: float | None, form: str) -> str:
    return "null" if value is None else f"{value:{form}}"
