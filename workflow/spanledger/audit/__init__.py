"""The audit: from a number or a file of the results back through every stage to parameters, inputs, code and commit, with
a verdict on each link.

What a verdict rests on: dvc.lock names the MD5 of every output, and among them of every provenance record; a record names
the SHA-256 of every file that its stage read, ran and wrote. So whoever trusts a committed dvc.lock can trust the rest.
A file that is changed together with its record disagrees with dvc.lock; where dvc.lock is changed too, no commit has it.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

from spanledger.audit import parameters
from spanledger.audit.evidence import Cache, Files, Unavailable
from spanledger.audit.findings import INTACT, VERDICTS, Audit, Finding, Link
from spanledger.audit.history import History
from spanledger.audit.ledger import Ledger
from spanledger.audit.numbers import Recount, named
from spanledger.audit.stages import Stages
from spanledger.audit.target import Target, chain, parse
from spanledger.core.errors import InputError
from spanledger.engine import plan
from spanledger.snapshot import Snapshot

__all__ = ["INTACT", "VERDICTS", "Audit", "Finding", "Link", "audit"]

NUMBER, DATASET = "number", "dataset"


def audit(text: str, snapshot: Snapshot, project: Path = Path()) -> Audit:
    """Audits a target (see `target.parse`) in a snapshot of a project: all of its links, the number first and the dataset
    last, each with everything that is wrong with it.

    Raises InputError for a target that is none, an unknown experiment, arm or metric, and where nothing has run yet.
    """
    files = Files(snapshot)
    target = parse(text, _experiments(files), project)
    ledger = Ledger(files, target.experiment)
    stages = Stages(ledger, Cache(project))
    history = History(project, snapshot.commit or "HEAD")
    section = _section(ledger)
    links: list[Link] = []
    record = ledger.record("report")
    value = None
    if target.stage == "report":
        number = Link(NUMBER)
        recount = Recount(files, target.experiment, section, record.content["code"] if record else {})
        if target.metric is not None:
            value = named(target, files, section or _planned_section(ledger))
            recount.check_metric(number, target)
        else:
            recount.check_files(number, target.path)
        links.append(number)
    elif not snapshot.exists(target.path):
        links.append(Link(NUMBER))
        links[0].find("missing", target.path, "there is no such file")
    links += [stages.check(stage, section, target.arm) for stage in chain(target.stage)]
    links.append(_dataset(ledger, stages))
    if snapshot.commit is None:
        _anchor_workspace(links, ledger, history)
        _runs(links, target.experiment, project)
    else:
        _note_commits(links, ledger, history)
    return Audit(
        str(target),
        target.experiment,
        snapshot.name,
        snapshot.commit,
        links,
        value,
        _anchor(links, snapshot, history),
        _rebuild(target, snapshot, history),
        _proof(snapshot),
        history.changed_files if snapshot.commit is None else [],
        _orphans(ledger),
    )


def _experiments(files: Files) -> set[str]:
    """Those that params.yaml, dvc.lock or the results name."""
    ledger = Ledger(files, "")
    found = set(ledger.experiments or ())
    found |= {name.partition("@")[2] for name in ledger.locked if name.partition("@")[0] in plan.STAGES}
    with contextlib.suppress(Unavailable):
        found |= {path.split("/")[1] for path in files.below("results") if path.count("/") > 1}
    return found - {""}


def _section(ledger: Ledger) -> dict[str, Any] | None:
    """The experiment's section as the report's run used it."""
    record = ledger.record("report")
    return parameters.recorded_section(ledger.experiment, record.content) if record else _planned_section(ledger)


def _planned_section(ledger: Ledger) -> dict[str, Any] | None:
    """The experiment's section as params.yaml has it; None where that is not valid."""
    try:
        held = ledger.resolver.planned("report")
    except InputError:
        return None
    return {path.removeprefix(f"{ledger.experiment}."): value for path, value in held.items()}


def _dataset(ledger: Ledger, stages: Stages) -> Link:
    """The dataset's files as validate read them."""
    link = Link(DATASET)
    folder, record = ledger.dataset(), ledger.record("validate")
    if folder is None:
        link.find("never_ran", "params.yaml", "validate has not read a dataset, so there is nothing to hold it against")
        return link
    link.parameters = link.reaching = {f"experiments.{ledger.experiment}": {"dataset": folder}}
    stages.check_dataset(link, folder)
    if record is not None:
        link.outputs = dict(record.content["inputs"])
    return link


def _anchor_workspace(links: list[Link], ledger: Ledger, history: History) -> None:
    """Holds the entries of the workspace's dvc.lock against those that are committed."""
    unchanged = ledger.lock[0] and history.lock_text("HEAD") == ledger.files.read("dvc.lock")
    head = ledger.lock[0] if unchanged else history.lock("HEAD")
    naming = history.naming({md5 for link in links for path, md5 in link.locked.items() if _is_record(path)})
    around = [{key: value for key, value in held.items() if key != "stages"} for held in (ledger.lock[0], head)]
    if ledger.lock[0] and head and around[0] != around[1]:
        last = next(link for link in links if link.name in plan.STAGES)
        last.find("lock_differs", "dvc.lock", "its head is not that of the last commit's")
    for link in links:
        entry = ledger.entry(link.name)
        if entry is None:
            continue
        name = f"{link.name}@{ledger.experiment}"
        commits = naming.get(link.locked.get(ledger.record_path(link.name), ""), [])
        link.commit = history.origin(commits)
        there = (head.get("stages") or {}).get(name)
        if there == entry or any((history.lock(c.hash).get("stages") or {}).get(name) == entry for c in commits):
            continue
        if history.head is None:
            why = "this is no git repository, so nothing vouches for dvc.lock"
        elif not head:
            why = "dvc.lock is in no commit, so nothing vouches for it: commit it"
        elif there is None:
            why = f"no commit's dvc.lock has this entry of {name}: commit it, so that it can be vouched for"
        else:
            different = ", ".join(_different(entry, there)[:4])
            why = f"no commit's dvc.lock has this entry of {name}; the last commit differs in: {different}"
        link.find("uncommitted", "dvc.lock", why)


def _different(entry: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The parts in which two entries of dvc.lock differ: outputs and dependencies by their path, else the key."""
    found = []
    for key in ("outs", "deps"):
        ours, theirs = (
            {i.get("path"): i for i in held.get(key) or () if isinstance(i, dict)} for held in (entry, other)
        )
        found += [str(path) for path in {**ours, **theirs} if ours.get(path) != theirs.get(path)]
    return found + [key for key in sorted({*entry, *other} - {"outs", "deps"}) if entry.get(key) != other.get(key)]


def _note_commits(links: list[Link], ledger: Ledger, history: History) -> None:
    naming = history.naming({md5 for link in links for path, md5 in link.locked.items() if _is_record(path)})
    for link in links:
        commits = naming.get(link.locked.get(ledger.record_path(link.name), ""), [])
        link.commit = history.origin(commits)


def _is_record(path: str) -> bool:
    return "/provenance/" in path


def _anchor(links: list[Link], snapshot: Snapshot, history: History) -> dict[str, Any]:
    """The commits whose dvc.lock names the records of all stages of the chain, which with their digests name all else."""
    records = {md5 for link in links for path, md5 in link.locked.items() if _is_record(path)}
    naming = history.naming(records) if records else {}
    common = [c for c in history.commits if naming and all(c in found for found in naming.values())]
    return {
        "commit": snapshot.commit or (common[0].hash if common else None),
        "commits": [commit.told() for commit in common],
    }


def _rebuild(target: Target, snapshot: Snapshot, history: History) -> str:
    again = f"dvc repro {target.stage}@{target.experiment}"
    if snapshot.commit is None:
        return again
    if not history.is_revision(snapshot.name) and snapshot.name in history.experiments:
        return f"dvc exp apply {snapshot.name} && {again}"
    return f"git checkout {snapshot.commit} && {again}"


def _proof(snapshot: Snapshot) -> str:
    if snapshot.commit is None:
        rests = "dvc.lock as it is committed, which names every output and record; a record names all that was read"
    else:
        rests = f"dvc.lock of commit {snapshot.commit[:12]}, with the files that git and DVC's cache hold for it"
    return f"{rests}. That the code makes these bytes is shown by rebuilding with --force alone."


def _runs(links: list[Link], experiment: str, project: Path) -> None:
    """Adds what the untracked run records say of the last run here."""
    for link in links:
        path = project / ".spanledger" / "runs" / experiment / f"{link.name}.json"
        try:
            link.run = json.loads(path.read_bytes())
        except (OSError, ValueError):
            link.run = None


def _orphans(ledger: Ledger) -> list[str]:
    """Results and entries of dvc.lock of experiments that params.yaml does not name."""
    planned = ledger.experiments
    if planned is None:
        return []
    try:
        folders = {path.split("/")[1] for path in ledger.files.below("results") if path.count("/") > 1}
    except Unavailable:
        folders = set()
    made = (name.partition("@") for name in ledger.locked)
    entries = sorted(f"dvc.lock: {s}@{e}" for s, _, e in made if s in plan.STAGES and e not in planned)
    return [f"results/{name}" for name in sorted(folders - planned)] + entries
