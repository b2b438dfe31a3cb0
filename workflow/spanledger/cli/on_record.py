"""The results of an experiment on record at a snapshot, and whether they may be taken for those of that snapshot.

The record is dvc.lock: it binds the table of arms, which git holds, to the parameters, the dataset and the code that made
it. So a fresh clone can judge without DVC's cache.
"""

import csv
import io
import json
import posixpath
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from hashlib import md5
from pathlib import Path
from typing import Any

from spanledger.core.errors import InputError
from spanledger.engine import params, plan, yaml12
from spanledger.gates import Row
from spanledger.snapshot import Snapshot

_SHOWN = 3  # paths in a message


@dataclass(frozen=True, slots=True)
class OnRecord:
    """`rows` are those of arms.csv by arm, `section` the resolved section of the experiment. `untrusted` says why these
    are not its results; None where they are. `datasets` are digests of the dataset: two of the same content share one."""

    rows: dict[str, Row] = field(default_factory=dict)
    section: dict[str, Any] = field(default_factory=dict)
    datasets: frozenset[str] = frozenset()
    untrusted: str | None = None


def on_record(snapshot: Snapshot, experiment: str) -> OnRecord:
    """What is on record of an experiment. Whatever is missing, changed by hand or made of something else than what the
    snapshot has is told in `untrusted`; nothing is raised."""
    try:
        raw = yaml12.parse(snapshot.read("params.yaml").decode("utf-8"), "params.yaml")
        section = params.resolve(raw).get(experiment)
        lock = snapshot.lock
    except (InputError, UnicodeDecodeError) as error:
        return OnRecord(untrusted=_told(error))
    if section is None:
        return OnRecord(untrusted="params.yaml has no such experiment")
    stages = {stage: lock.get(f"{stage}@{experiment}") for stage in plan.STAGES}
    missing = [stage for stage, entry in stages.items() if entry is None]
    if missing:
        return OnRecord(section=section, untrusted=f"dvc.lock has no results of {', '.join(missing)}")
    place = f"results/{experiment}/arms.csv"
    try:
        data = snapshot.read(place)
    except InputError as error:
        return OnRecord(section=section, untrusted=_told(error))
    files = _Files(snapshot)
    problems = [*_changed(place, data, stages), *_other_parameters(experiment, raw, stages)]
    changed = sorted(set(_other_inputs(files, stages)))
    if changed:
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        problems.append(f"changed since the results were made: {', '.join(changed[:_SHOWN])}{more}")
    if problems:
        return OnRecord(section=section, untrusted="; ".join(problems))
    dataset = posixpath.normpath(raw["experiments"][experiment]["dataset"])
    return OnRecord(_rows(data), section, _datasets(dataset, stages["validate"]))


def _told(error: Exception) -> str:
    return str(error.problems[0]) if isinstance(error, InputError) else f"params.yaml is no UTF-8: {error}"


def _rows(data: bytes) -> dict[str, Row]:
    return {
        row["arm"]: {name: _value(text) for name, text in row.items()}
        for row in csv.DictReader(io.StringIO(data.decode("utf-8")))
    }


def _value(text: str) -> Any:
    """A field of the table: an int, a float, None where it is empty, or else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None


def _changed(place: str, data: bytes, stages: dict[str, Any]) -> Iterator[str]:
    recorded = {out["path"]: out.get("md5") for out in stages["report"]["outs"]}
    if md5(data, usedforsecurity=False).hexdigest() != recorded.get(place):
        yield f"{place} is not the one that dvc.lock names"


def _other_parameters(experiment: str, raw: dict[str, Any], stages: dict[str, Any]) -> Iterator[str]:
    """Parameters that differ from those of params.yaml; the gates themselves made no result."""
    found = set()
    for entry in stages.values():
        for key, value in entry.get("params", {}).get("params.yaml", {}).items():
            if key == experiment:
                parts = ({*value, *raw[experiment]}) - {"gates"}
                found |= {part for part in parts if value.get(part) != raw[experiment].get(part)}
            elif _at(raw, key) != value:
                found.add(key.removeprefix(f"{experiment}."))
    if found:
        yield f"the results were made with other parameters than params.yaml has ({', '.join(sorted(found))})"


def _at(value: Any, key: str) -> Any:
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _other_inputs(files: "_Files", stages: dict[str, Any]) -> Iterator[str]:
    """The paths of results that a stage read in another state than the stage that makes them left them in, and of code
    and data that are not those of the snapshot."""
    made = {out["path"]: out.get("md5") for entry in stages.values() for out in entry["outs"]}
    seen: dict[str, str] = {}
    for entry in stages.values():
        for dependency in entry["deps"]:
            path, digest = dependency["path"], dependency.get("md5")
            now = made[path] if path in made else seen.setdefault(path, files.digest(path))
            if now is not None and now != digest:
                yield path


def _datasets(folder: str, validate: dict[str, Any]) -> frozenset[str]:
    """Digests of the dataset as a folder and as what validate made of it: a folder may gain a note, and validate a field,
    and it is the same dataset as long as one of them stays."""
    folders = [dependency["md5"] for dependency in validate["deps"] if dependency["path"] == folder]
    return frozenset([*folders, *(out["md5"] for out in validate["outs"] if out["path"].endswith("/validate"))])


class _Files:
    """The digests that DVC gives to the files and folders of a snapshot."""

    def __init__(self, snapshot: Snapshot):
        self._snapshot = snapshot

    def digest(self, path: str) -> str | None:
        """None for a result that is not on disk: what DVC's cache has is what dvc.lock says. A folder that DVC keeps has
        the digest of its .dvc file where it is not at hand itself; what is gone has the empty text."""
        result = path.startswith("results/")
        if result and (self._snapshot.commit is not None or not self._snapshot.exists(path)):
            return None
        names = self._below(path)
        if names:
            entries = [{"md5": self._md5(f"{path}/{name}"), "relpath": name} for name in sorted(names)]
            return f"{md5(json.dumps(entries, sort_keys=True).encode(), usedforsecurity=False).hexdigest()}.dir"
        if self._snapshot.exists(f"{path}.dvc"):
            (out,) = yaml12.parse(self._snapshot.read(f"{path}.dvc").decode("utf-8"), f"{path}.dvc")["outs"]
            return out["md5"]
        try:
            return self._md5(path)
        except InputError:
            return ""

    def _md5(self, path: str) -> str:
        return md5(self._snapshot.read(path), usedforsecurity=False).hexdigest()

    def _below(self, folder: str) -> list[str]:
        """The files below a folder, hidden ones too, as DVC counts them; none where it is no folder."""
        if self._snapshot.commit is None:
            found = [p.relative_to(folder).as_posix() for p in Path(folder).rglob("*") if p.is_file()]
        else:
            listed = subprocess.run(
                ["git", "ls-tree", "-r", "-z", "--name-only", self._snapshot.commit, "--", f"{folder}/"],
                capture_output=True,
                text=True,
                check=True,
            )
            found = [name.removeprefix(f"{folder}/") for name in listed.stdout.split("\0") if name]
        return [name for name in found if not any(fnmatch(p, i) for p in name.split("/") for i in self._ignored)]

    @cached_property
    def _ignored(self) -> list[str]:
        if not self._snapshot.exists(".dvcignore"):
            return []
        lines = self._snapshot.read(".dvcignore").decode("utf-8").splitlines()
        return [line.strip("/ ") for line in lines if line.strip() and not line.startswith("#")]
