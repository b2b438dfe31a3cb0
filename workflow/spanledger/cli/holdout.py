"""`spanledger holdout`: scores the queries that are held out, once it has written down that it does."""

import statistics
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spanledger.cli import current, look_remarks, looks
from spanledger.cli.look_remarks import Remark
from spanledger.core import files
from spanledger.core.errors import InputError, Problem, nearest, raise_problems
from spanledger.dataset import load
from spanledger.engine import params, plan, provenance, yaml12
from spanledger.experiment import run
from spanledger.holdout import HOLDOUT
from spanledger.metrics import measured, query_metrics
from spanledger.report import words

_FEW = 30  # answerable queries below which a gap is called uncertain


def look(experiment: str, arms: list[str], reason: str | None) -> dict[str, Any]:
    """Scores some arms (none named: all) on the holdout and records the look; the numbers exist nowhere before the ledger
    has it. Writes holdout/<experiment>/metrics.json.

    Returns what is shown: experiment, metric, look, earlier looks, arms (by name the metrics of both parts, the gap of
    the primary metric and its standard error), remarks and the files written. Raises InputError, and records nothing, for
    a bad name or reason, where nothing is held out, where the ledger is broken, and where the results of the development
    part are not those of params.yaml, the dataset and the code as they are now.
    """
    raw = yaml12.read("params.yaml")
    resolved = params.resolve(raw)
    section = _section(resolved, experiment)
    chosen = _chosen(experiment, section, arms, reason)
    looks.read(experiment)
    records = current.require(experiment, resolved)
    state = looks.state()
    dataset = load(Path(resolved["experiments"][experiment]["dataset"]))
    held = run(raw, dataset, experiment, part=HOLDOUT, arms=chosen)
    rows = [row for row in files.read_lines(Path("results", experiment, "queries.jsonl")) if row["arm"] in chosen]
    names = sorted(query.query_id for query in held.dataset.queries)
    metric = section["report"]["primary"]["metric"]
    numbers = {arm: _numbers(section, arm, rows, held.rows) for arm in chosen}
    *earlier, this = looks.record(
        experiment,
        {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            **state,
            "reason": " ".join(reason.split()),
            "arms": chosen,
            "metric": metric,
            "holdout": section["normalise"]["holdout"],
            "queries": {"development": len(dataset.queries) - len(names), "holdout": len(names)},
            "parameters": _digest(_tuned(section)),
            "dataset": _digest(
                _relative(records["validate"]["inputs"], resolved["experiments"][experiment]["dataset"])
            ),
            "code": _digest(
                {stage: [provenance.code(r), r["libraries"]] for stage, r in records.items() if stage != "report"}
            ),
            "query_ids": _digest(names),
        },
    )
    place = looks.FOLDER / experiment / "metrics.json"
    written = {"experiment": experiment, "look": this["look"], "sha256": this["sha256"], "metric": metric}
    files.write(place, files.document({**written, "arms": numbers}))
    ids = [query.query_id for query in dataset.queries]
    remarks = [
        *_uncertainty(numbers, metric),
        *look_remarks.of_look([*earlier, this]),
        *look_remarks.of_ledger([*earlier, this], section["normalise"]["holdout"], ids),
    ]
    return {
        "experiment": experiment,
        "metric": metric,
        "look": this,
        "earlier": earlier,
        "arms": numbers,
        "remarks": _coded(remarks),
        "files": [str(looks.path(experiment)), str(place)],
    }


def ledger(experiment: str) -> dict[str, Any]:
    """The looks so far with what is to be said of them: experiment, looks, remarks. Nothing is scored. Raises InputError
    for an experiment that there is not and that has no ledger, and for a broken ledger."""
    resolved = params.load("params.yaml")
    found = looks.read(experiment)
    if not found:
        _section(resolved, experiment)
    setting = resolved[experiment]["normalise"]["holdout"] if experiment in resolved["experiments"] else None
    ids = look_remarks.query_ids(experiment)
    return {
        "experiment": experiment,
        "looks": found,
        "remarks": _coded(look_remarks.of_ledger(found, setting, ids)),
    }


def _section(resolved: dict[str, Any], experiment: str) -> dict[str, Any]:
    known = resolved["experiments"]
    if experiment not in known:
        raise InputError([Problem("params.yaml", field=experiment, message=nearest(experiment, known))])
    return resolved[experiment]


def _chosen(experiment: str, section: dict[str, Any], arms: list[str], reason: str | None) -> list[str]:
    """The arms that are looked at, in their order."""
    every = [arm.name for arm in plan.arms(section)]
    problems = [
        Problem("params.yaml", field=f"{experiment}.arms.{arm}", message=f"no such arm: {nearest(arm, every)}")
        for arm in arms
        if arm not in every
    ]
    if section["normalise"]["holdout"] is None:
        message = "there is no holdout: set its share, as {share: 0.2}"
        problems.append(Problem("params.yaml", field=f"{experiment}.normalise.holdout", message=message))
    if not (reason or "").strip():
        problems.append(Problem("--reason", message="say why the holdout is looked at; the ledger keeps it"))
    elif any("\ud800" <= character <= "\udfff" for character in reason):  # bytes of the command line that are no UTF-8
        problems.append(Problem("--reason", message="expected UTF-8"))
    raise_problems(problems)
    return [arm for arm in every if arm in arms or not arms]


def _numbers(
    section: dict[str, Any], arm: str, development: Iterable[dict[str, Any]], held: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """The metrics of one arm in both parts; `gap` is the primary metric in the holdout minus that in the development part,
    `standard_error` that of the gap for queries that were drawn independently (None below two answerable ones in a
    part)."""
    metric = section["report"]["primary"]["metric"]
    parts = [[row for row in rows if row["arm"] == arm] for rows in (development, held)]
    wanted = measured(section, (row for rows in parts for row in rows))
    before, after = (query_metrics(rows, **wanted) for rows in parts)
    # Each primary metric is a mean over queries, so that of one query is its value; null where the query does not count.
    values = [[query_metrics([row], **wanted)[metric] for row in rows] for rows in parts]
    values = [[value for value in of_part if value is not None] for of_part in values]
    error = None
    if min(map(len, values)) > 1:
        error = sum(statistics.variance(of_part) / len(of_part) for of_part in values) ** 0.5
    known = before[metric] is not None and after[metric] is not None
    return {
        "development": before,
        "holdout": after,
        "gap": after[metric] - before[metric] if known else None,
        "standard_error": error,
    }


def _uncertainty(numbers: dict[str, dict[str, Any]], metric: str) -> Iterator[Remark]:
    kind = words.metric(metric)[2]
    count = next(iter(numbers.values()))["holdout"][f"{kind}_queries"]
    if not count and kind == "answerable":
        yield "no_answerable", "no query of the holdout has a required fact: there is no recall to tell"
    elif not count:
        yield "no_judged", f"no query of the holdout has judged documents: there is no {metric} to tell"
    elif count < _FEW:
        yield (
            "few",
            f"the holdout has {count} {kind} quer{'ies' if count > 1 else 'y'}: one more or less moves a "
            f"mean by up to {1 / count:.4f}, so that no gap, or one of this order, says little",
        )
    if len(numbers) > 1:
        yield (
            "choice",
            f"{len(numbers)} arms are shown: choose one by the development part, for one that is chosen here has been "
            "tuned on the holdout",
        )


def _tuned(section: dict[str, Any]) -> dict[str, Any]:
    """The parameters that make a score: those of every stage before the report. The split has its own place in a look."""
    parts = {part for stage in plan.STAGES if stage != "report" for part in plan.SECTIONS[stage]}
    normalise = {key: value for key, value in section["normalise"].items() if key != "holdout"}
    return {**{part: section[part] for part in parts}, "normalise": normalise}


def _relative(digests: dict[str, str], folder: str) -> dict[str, str]:
    return {Path(name).relative_to(folder).as_posix(): digest for name, digest in digests.items()}


def _digest(value: Any) -> str:
    return files.sha256(files.canonical(value))


def _coded(remarks: Iterable[Remark]) -> list[dict[str, str]]:
    return [{"code": code, "message": message} for code, message in remarks]
