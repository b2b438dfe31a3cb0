"""Reads the sides of a comparison from the workspace, a git revision or a DVC experiment."""

from typing import Any

import orjson

from spanledger.comparison.sides import DATASET, Experiment, Side
from spanledger.core import records
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.files import sha256
from spanledger.core.records import Query
from spanledger.engine import params, plan, provenance, yaml12
from spanledger.gold import from_records
from spanledger.snapshot import Snapshot

_SCORED = plan.STAGES[: plan.STAGES.index("score") + 1]

_NOTHING = {"judgements": sha256(b"")}  # what results of an earlier version hold, which have no file of them


def experiment_names(snapshot: Snapshot) -> list[str]:
    """The experiments of a snapshot's params.yaml that have results, in the order of the file."""
    raw = _params(snapshot)
    names = raw.get("experiments") if isinstance(raw, dict) else None
    return [name for name in names or () if snapshot.exists(_provenance(name, "score"))]


def load_experiment(snapshot: Snapshot, name: str) -> Experiment:
    """An experiment as its provenance tells it. Raises InputError for one without results, known or not."""
    known = experiment_names(snapshot)
    if name not in known:
        message = f"there are no results of it: {nearest(name, known)}"
        raise InputError([Problem(_place(snapshot, "results"), field=name, message=message)])
    stages = {stage: _json(snapshot, _provenance(name, stage)) for stage in _SCORED}
    section: dict[str, Any] = {}
    code: dict[str, str] = {}
    libraries: dict[str, str] = {}
    for record in stages.values():
        section |= {key.removeprefix(f"{name}."): value for key, value in record["parameters"].items()}
        code |= provenance.code(record)
        libraries |= record["libraries"]
    del section[f"experiments.{name}"]
    written = stages["validate"]["outputs"]
    return Experiment(
        name,
        _place(snapshot, f"results/{name}"),
        section,
        {
            part: written.get(f"results/{name}/validate/{file}", _NOTHING.get(part, ""))
            for part, file in DATASET.items()
        },
        records.from_records(Query, _lines(snapshot, f"results/{name}/validate/{DATASET['queries']}")),
        from_records(_lines(snapshot, f"results/{name}/validate/{DATASET['gold']}")),
        _primary(snapshot, name),
        code,
        libraries,
        snapshot.commit is None and _differs(section, name, snapshot),
    )


def load_side(snapshot: Snapshot, experiment: Experiment, arm: str) -> Side:
    """An arm of an experiment of this snapshot, with its lines. Raises InputError for an unknown arm."""
    chosen = experiment.arm(arm)
    path = f"results/{experiment.name}/score/{arm}.jsonl"
    data = snapshot.read(path)
    intact = _json(snapshot, _provenance(experiment.name, "score"))["outputs"].get(path) == sha256(data)
    return Side(experiment, chosen, [orjson.loads(line) for line in data.splitlines()] if intact else [], intact)


def _provenance(experiment: str, stage: str) -> str:
    return f"results/{experiment}/provenance/{stage}.json"


def _place(snapshot: Snapshot, path: str) -> str:
    return path if snapshot.commit is None else f"{snapshot.name}:{path}"


def _json(snapshot: Snapshot, path: str) -> Any:
    return _parsed(snapshot, path, snapshot.read(path))


def _lines(snapshot: Snapshot, path: str) -> list[Any]:
    return [_parsed(snapshot, path, line) for line in snapshot.read(path).splitlines()]


def _parsed(snapshot: Snapshot, path: str, data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        message = f"is not what a stage wrote: {error}"
        raise InputError([Problem(_place(snapshot, path), message=message)]) from None


def _params(snapshot: Snapshot) -> Any:
    text = snapshot.read("params.yaml").decode("utf-8-sig", errors="replace")
    return yaml12.parse(text, _place(snapshot, "params.yaml"))


def _primary(snapshot: Snapshot, name: str) -> str:
    """The metric that the report compares arms by; the default's where the report has not been made."""
    path = _provenance(name, "report")
    if not snapshot.exists(path):
        return Experiment.primary
    return _json(snapshot, path)["parameters"][f"{name}.report"]["primary"]["metric"]


def _differs(section: dict[str, Any], name: str, snapshot: Snapshot) -> bool:
    """Whether params.yaml has other settings than those that were used."""
    now = params.resolve(_params(snapshot))[name]
    return any(now[part] != value for part, value in section.items())
