"""What is written about the stages of an experiment: dvc.lock, dvc.yaml, params.yaml and the provenance records."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spanledger.audit.evidence import Files, Unavailable
from spanledger.audit.parameters import Resolver

FIELDS = ("parameters", "inputs", "outputs", "code", "libraries")  # of a record, each a mapping


@dataclass(frozen=True, slots=True)
class Record:
    """A stage's provenance record. `sound`: its bytes are those that dvc.lock names, so what it says can be relied on as
    far as dvc.lock can."""

    content: dict[str, Any]
    sound: bool


class Ledger:
    """What is written of one experiment in one snapshot."""

    def __init__(self, files: Files, experiment: str):
        self.files = files
        self.experiment = experiment
        self._records: dict[str, Record | None] = {}

    @property
    def lock(self) -> tuple[dict[str, Any], str]:
        """dvc.lock as a whole, and why it is empty: a file that is not there has no entries, and one that is no
        dvc.lock cannot be read."""
        value, why = self.files.yaml("dvc.lock")
        if isinstance(value, dict) and isinstance(value.get("stages"), dict):
            return value, ""
        return {}, f"dvc.lock cannot be read: {why or 'has no stages'}" if self.files.snapshot.exists(
            "dvc.lock"
        ) else ""

    @property
    def locked(self) -> dict[str, Any]:
        """The stages of dvc.lock by name."""
        return self.lock[0].get("stages", {})

    @cached_property
    def resolver(self) -> Resolver:
        """The experiment's parameters as params.yaml and dvc.lock have them."""
        return Resolver(self.experiment, self.params[0])

    @property
    def params(self) -> tuple[Any, str]:
        """params.yaml as it is written, and why there is none."""
        return self.files.yaml("params.yaml")

    @cached_property
    def experiments(self) -> set[str] | None:
        """The experiments that params.yaml names; None where it cannot be read."""
        named = self.params[0].get("experiments") if isinstance(self.params[0], dict) else None
        return set(named) if isinstance(named, dict) else None

    def planned(self, stage: str) -> dict[str, Any]:
        """What dvc.yaml says of a stage, before names are filled in; empty where it says nothing."""
        value = self.files.yaml("dvc.yaml")[0]
        for key in ("stages", stage, "do"):
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def entry(self, stage: str) -> dict[str, Any] | None:
        """A stage's entry in dvc.lock."""
        entry = self.locked.get(f"{stage}@{self.experiment}")
        return entry if isinstance(entry, dict) else None

    def outs(self, stage: str) -> dict[str, dict[str, Any]]:
        """What dvc.lock says of each output of a stage, its record among them, by path."""
        return by_path((self.entry(stage) or {}).get("outs"))

    def noted(self, stage: str) -> dict[str, Any]:
        """The parameters that dvc.lock noted for a stage, as they were written, by their path in params.yaml."""
        value: Any = self.entry(stage)
        for key in ("params", "params.yaml"):
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def record_path(self, stage: str) -> str:
        """Where the stage's record lies."""
        return f"results/{self.experiment}/provenance/{stage}.json"

    def record(self, stage: str) -> Record | None:
        """The stage's record; None where there is none that can be read."""
        if stage not in self._records:
            self._records[stage] = self._read_record(stage)
        return self._records[stage]

    def _read_record(self, stage: str) -> Record | None:
        path = self.record_path(stage)
        try:
            content = json.loads(self.files.read(path))
        except (Unavailable, ValueError):
            return None
        if not isinstance(content, dict) or not all(isinstance(content.get(name), dict) for name in FIELDS):
            return None
        return Record(content, self.outs(stage).get(path, {}).get("md5") == self.files.md5(path))

    def deps(self, stage: str) -> dict[str, dict[str, Any]]:
        """What dvc.lock says of each file and folder that a stage depends on, by path."""
        return by_path((self.entry(stage) or {}).get("deps"))

    def dataset(self) -> str | None:
        """The dataset folder that validate read, by dvc.lock or else its record; None where neither says."""
        record = self.record("validate")
        for held in (self.noted("validate"), record.content["parameters"] if record else {}):
            setting = held.get(f"experiments.{self.experiment}")
            if isinstance(setting, dict) and isinstance(setting.get("dataset"), str):
                return setting["dataset"]
        return None

    def in_git(self, stage: str, path: str) -> bool:
        """Whether git holds an output, and not DVC's cache."""
        do = self.planned(stage)
        kept = (item for kind in ("metrics", "plots") for item in do.get(kind) or () if isinstance(item, dict))
        names = (
            name for item in kept for name, how in item.items() if isinstance(how, dict) and how.get("cache") is False
        )
        return path in (name.replace("${key}", self.experiment) for name in names)


def by_path(entries: Any) -> dict[str, dict[str, Any]]:
    """The entries of a list in dvc.lock by their path; a digest is text, whatever YAML takes it for."""
    found = entries if isinstance(entries, list) else []
    named = (entry for entry in found if isinstance(entry, dict) and isinstance(entry.get("path"), str))
    return {entry["path"]: {**entry, **({"md5": str(entry["md5"])} if "md5" in entry else {})} for entry in named}
