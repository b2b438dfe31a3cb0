"""Whether the results on disk are those of params.yaml, the dataset and the code as they are now."""

from pathlib import Path
from typing import Any

import orjson

from spanledger.core import files
from spanledger.core.errors import InputError, Problem, raise_problems
from spanledger.engine import closure, plan, provenance

_WHAT = {
    "parameters": "params.yaml",
    "inputs": "what the stage reads",
    "outputs": "its outputs",
    "code": "the code",
    "libraries": "the versions of libraries",
    "tokenizers": "the tokenizers",
}


def require(experiment: str, params: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The provenance records of all stages, by stage, when each is to the letter that of a run with the resolved `params`
    now. Raises InputError with every stage that is not."""
    folder = Path("results", experiment)
    if not (folder / "diagnostics.json").is_file():
        raise InputError([Problem(str(folder), message="there are no results yet: run make repro")])
    records, problems = {}, []
    for stage in plan.STAGES:
        path = folder / "provenance" / f"{stage}.json"
        try:
            records[stage] = files.read_document(path)
            now = _now(experiment, params, stage)
        except (OSError, ValueError) as error:
            message = f"cannot be checked: {error}; run `spanledger repro` first"
            problems.append(Problem(str(path), message=message))
            continue
        differing = [what for key, what in _WHAT.items() if records[stage].get(key) != now[key]]
        if differing:
            message = f"{' and '.join(differing)} changed since; run `spanledger repro` first"
            problems.append(Problem(str(path), message=message))
    raise_problems(problems)
    return records


def _now(experiment: str, params: dict[str, Any], stage: str) -> dict[str, Any]:
    """The record as a run would write it: dvc.yaml and the rules name the same files."""
    record = provenance.record(
        experiment,
        stage,
        plan.parameters(experiment, params, stage),
        plan.reads(experiment, params, stage),
        plan.writes(experiment, stage),
        ["Snakefile", "workflow/rules/common.smk", f"workflow/rules/{stage}.smk", *closure.of_stage(stage)],
    )
    return orjson.loads(files.document(record))
