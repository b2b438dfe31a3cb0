"""The TREC run of one arm, read from the results of a snapshot."""

from pathlib import Path
from typing import Any

import orjson

from spanledger.audit import audit, parameters
from spanledger.audit.evidence import Files, Unavailable
from spanledger.audit.findings import Audit
from spanledger.audit.history import History
from spanledger.audit.ledger import Ledger
from spanledger.core import ranking
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.engine import plan
from spanledger.exports import ir_metadata, trec
from spanledger.snapshot import Snapshot


def arm_run(
    snapshot: Snapshot, experiment: str, name: str, project: Path = Path(), head: bool = True
) -> tuple[bytes, Audit]:
    """The candidates of an arm at chunk level as a TREC run, with its ir_metadata in comment lines in front unless `head`
    is false; and the audit of the file that they come from.

    Raises InputError for an unknown experiment or arm, and where the arm has not run.
    """
    ledger = Ledger(Files(snapshot), experiment)
    section, arm = _planned(ledger, experiment, name)
    candidates = f"results/{experiment}/fuse/{arm.chunk}/{arm.eligibility}/{arm.fuse}.jsonl"
    audited = audit(candidates, snapshot, project)
    rankings = ranking.from_records(_lines(ledger, candidates))
    ids = [chunk["chunk_id"] for chunk in _lines(ledger, f"results/{experiment}/chunk/{arm.chunk}.jsonl")]
    tag = f"{experiment}.{arm.name}"
    lines = trec.run_lines(rankings, ids, tag)
    if head:
        records = _records(ledger)
        (dataset,) = _values(ledger, f"results/{experiment}/validate/dataset.json")
        commit = audited.link("fuse").commit
        if commit is not None:
            author = History(project, snapshot.commit or "HEAD").author(commit["hash"])
            commit = {"hash": commit["hash"], "author": author}
        told = ir_metadata.metadata(tag, experiment, section, arm, records, dataset, commit)
        lines = [*ir_metadata.header(told), *lines]
    return "".join(f"{line}\n" for line in lines).encode(), audited


def _planned(ledger: Ledger, experiment: str, name: str) -> tuple[dict[str, Any], plan.Arm]:
    """The section that the arm ran with: that of the report's record, else of params.yaml."""
    known = ledger.experiments or set()
    record = ledger.record("report")
    section = parameters.recorded_section(experiment, record.content) if record else None
    if section is None:
        if experiment not in known:
            raise InputError([Problem("params.yaml", field=experiment, message=nearest(experiment, known))])
        held = ledger.resolver.planned("report")
        section = {path.removeprefix(f"{experiment}."): value for path, value in held.items()}
    arms = {arm.name: arm for arm in plan.arms(section)}
    if name not in arms:
        message = f"no arm is called '{name}': {nearest(name, arms)}"
        raise InputError([Problem("params.yaml", field=f"{experiment}.arms", message=message)])
    return section, arms[name]


def _records(ledger: Ledger) -> dict[str, dict[str, Any]]:
    stages = plan.STAGES[: plan.STAGES.index("fuse") + 1]
    found = {stage: ledger.record(stage) for stage in stages}
    missing = [ledger.record_path(stage) for stage, record in found.items() if record is None]
    if missing:
        raise InputError(Problem(path, message="there is no record that can be read: `dvc repro`") for path in missing)
    return {stage: record.content for stage, record in found.items()}


def _lines(ledger: Ledger, path: str) -> list[Any]:
    return _values(ledger, path, lines=True)


def _values(ledger: Ledger, path: str, lines: bool = False) -> list[Any]:
    try:
        data = ledger.files.read(path)
        return [orjson.loads(text) for text in (data.splitlines() if lines else [data])]
    except Unavailable as error:
        raise InputError([Problem(path, message=str(error))]) from None
    except ValueError:
        raise InputError([Problem(path, message="is no JSON: `dvc repro` makes it again")]) from None
