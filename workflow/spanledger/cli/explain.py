"""`spanledger explain`: the trail of one question, in the terminal or as JSON."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console, RenderableType

from spanledger.cli.explain_words import clean
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.engine import params, yaml12
from spanledger.explain.overview import all_arms, all_queries
from spanledger.explain.results import ResultsFolder
from spanledger.explain.trail import trail
from spanledger.snapshot import open_snapshot

_LOG_WIDTH = 100
_VALUE = 40  # cells of such a parameter's value
_TOLD = 3  # parameters that are named where the results are older than params.yaml


def explain(
    experiment: str,
    arm: str | None = None,
    query: str | None = None,
    depth: int = 10,
    revision: str | None = None,
    project: Path = Path(),
) -> dict[str, Any]:
    """What the results say: the trail of a query through an arm; without an arm, where there are several, what all of
    them made of it; without a query, all queries. docs/explain.md lists the keys.

    `depth` is how many entries of a list are told at least (see `trail`); `revision` is a git revision or a DVC
    experiment, None the workspace. Raises InputError for an unknown name, and for results that are missing or mixed.
    """
    if depth < 0:
        raise InputError([Problem("--depth", message=f"expected a number from 0, found {depth}")])
    snapshot = open_snapshot(revision, project)
    place = "params.yaml" if snapshot.commit is None else f"{snapshot.name}:params.yaml"
    wanted = params.resolve(yaml12.parse(snapshot.read("params.yaml").decode("utf-8-sig"), place), place)
    if experiment not in wanted["experiments"]:
        message = nearest(experiment, wanted["experiments"])
        raise InputError([Problem(place, record=f"experiment '{experiment}'", message=message)])
    results = ResultsFolder(experiment, snapshot)
    arms = results.arms if arm is None else [results.arm(arm)]
    if query is None:
        told = all_queries(results, arms)
    elif len(arms) > 1:
        told = all_arms(results, query)
    else:
        told = trail(results.run(arms[0], results.query(query)), depth)
    head = {"kind": told.pop("kind"), "experiment": experiment, "revision": snapshot.commit}
    return {**head, "outdated": results.outdated(wanted), **told}


def show(told: dict[str, Any], as_json: bool) -> int:
    """Prints an explanation; returns 0."""
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return 0
    console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
    for part in _parts(told):
        console.print(part, highlight=False)
    return 0


def _parts(told: dict[str, Any]) -> Iterable[RenderableType]:
    from rich.text import Text

    from spanledger.cli.explain_overview import arms_side_by_side, list_of_queries
    from spanledger.cli.explain_trail import whole_trail

    views = {"trail": whole_trail, "arms": arms_side_by_side, "queries": list_of_queries}
    for warning in [*outdated(told["outdated"]), *told["warnings"]]:
        yield Text(f"! {warning}", style="yellow")
    yield from views[told["kind"]](told)


def outdated(fields: list[dict[str, Any]]) -> list[str]:
    """One line where results are older than params.yaml; none where they are not."""
    if not fields:
        return []
    named = [f"{f['field']} was {_value(f['results'])}, is {_value(f['params'])}" for f in fields[:_TOLD]]
    more = f" and {len(fields) - _TOLD} more" if len(fields) > _TOLD else ""
    return [f"made with other parameters than params.yaml has now ({'; '.join(named)}{more}): make repro renews them"]


def _value(value: Any) -> str:
    return clean(orjson.dumps(value).decode(), _VALUE)
