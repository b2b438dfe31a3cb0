"""A project folder with results in it, as the pipeline leaves them, from a run in memory."""

from pathlib import Path

import orjson

from spanledger.core.files import document, sha256, write
from spanledger.engine import params, plan, yaml12
from spanledger.experiment import run

PROJECT = Path(__file__).resolve().parents[2]


def make_project(folder: Path, experiment: str, change=None, dataset: Path | None = None) -> Path:
    """Runs one experiment of params.yaml, its section altered by `change`, and writes params.yaml, its results and their
    provenance below a folder."""
    every = yaml12.read(PROJECT / "params.yaml")
    raw = {"experiments": {experiment: every["experiments"][experiment]}, experiment: every[experiment]}
    if change:
        change(raw[experiment])
    resolved = params.resolve(raw)
    place = f"results/{experiment}"
    found = run(raw, dataset or PROJECT / "fixtures" / experiment).files
    for name, data in found.items():
        write(folder / place / name, data)
    digests = {f"{place}/{name}": sha256(data) for name, data in found.items()}

    def below(paths):
        return {p: d for p, d in digests.items() if any(p == path or p.startswith(f"{path}/") for path in paths)}

    for stage in plan.STAGES:
        record = {
            "parameters": plan.parameters(experiment, resolved, stage),
            "inputs": below(plan.reads(experiment, resolved, stage)),
            "outputs": below(plan.writes(experiment, stage)),
        }
        write(folder / place / "provenance" / f"{stage}.json", document(record))
    write(folder / "params.yaml", orjson.dumps(raw))
    return folder
