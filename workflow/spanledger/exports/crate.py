"""An RO-Crate of a chain: its files with their digests, the workflow, and each stage as an action with its parameters.

It follows the profiles Process Run Crate and Workflow Run Crate. Its dates are those of the commit that names the chain and
of the run records, never that of the export, so the same chain makes the same bytes.
"""

import importlib.util
import json
import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from spanledger.audit.evidence import Files, Unavailable
from spanledger.audit.findings import Audit, Link
from spanledger.core.errors import InputError, Problem
from spanledger.core.files import document, sha256
from spanledger.engine import closure, plan
from spanledger.snapshot import Snapshot

_PROFILES = (
    ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"),
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0"),
)
_WORKFLOW = "dvc.yaml"
_ALWAYS = (_WORKFLOW, "dvc.lock", "params.yaml", "requirements.lock", "LICENSE")
_UNDATED = (
    "1970-01-01T00:00:00+00:00"  # an RO-Crate must have a date, and this chain is in no commit and has no run record
)
_KINDS = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv",
    ".html": "text/html",
    ".yaml": "application/yaml",
    ".py": "text/x-python",
}


def ready(folder: Path) -> None:
    """Raises InputError where no crate can be written: the folder holds something, or ro-crate-py is not installed."""
    if importlib.util.find_spec("rocrate") is None:
        raise InputError([Problem("--crate", message="needs ro-crate-py: pip install '.[export]'")])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError([Problem(str(folder), message="expected a new or empty folder")])


def write_crate(audited: Audit, snapshot: Snapshot, folder: Path) -> None:
    """Writes the crate of an audited chain into a new or empty folder, which appears as a whole: the bytes of every file
    that is at hand, those that are changed too (audit.json in the crate says which), and ro-crate-metadata.json.

    Raises InputError as `ready` does.
    """
    ready(folder)
    from rocrate.rocrate import ROCrate

    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    _Crate(ROCrate(), audited, Files(snapshot)).write(partial)
    if folder.exists():
        folder.rmdir()
    partial.rename(folder)


class _Crate:
    def __init__(self, crate: Any, audited: Audit, files: Files):
        from rocrate.model.contextentity import ContextEntity

        self._context = ContextEntity
        self._crate = crate
        self._audited = audited
        self._read = files.read
        self._files: dict[str, Any] = {}

    def write(self, folder: Path) -> None:
        audited, root = self._audited, self._crate.root_dataset
        for path in sorted({*_ALWAYS, *(path for link in audited.links for path in _paths(link))}):
            self._add_file(path)
        root["name"] = f"Provenance of {audited.target}"
        root["description"] = (
            f"{audited.target} in {audited.snapshot}, with all that made it; rebuild: {audited.rebuild}"
        )
        root["datePublished"] = _date(audited)
        root["conformsTo"] = [self._entity(*profile) for profile in self._profiles()]
        if "LICENSE" in self._files:
            root["license"] = self._files["LICENSE"]
        self._workflow()
        actions = [self._action(link) for link in reversed(audited.links) if link.name in plan.STAGES]
        root["mentions"] = actions
        if not audited.target.startswith("results/") and actions:
            number = {"@type": "PropertyValue", "name": audited.target, "value": _scalar(audited.value)}
            actions[-1].append_to("result", self._entity("#number", number))
        told = audited.told()
        for link in told["links"]:
            del link["run"]  # it names the host
        about = {"name": "The audit of this chain", "encodingFormat": "application/json", "about": {"@id": "./"}}
        self._crate.add_file(BytesIO(document(told)), "audit.json", properties=about)
        self._crate.write(folder)

    def _profiles(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for url, name, number in _PROFILES:
            yield url, {"@type": "CreativeWork", "name": name, "version": number}

    def _entity(self, name: str, properties: dict[str, Any]) -> Any:
        return self._crate.dereference(name) or self._crate.add(self._context(self._crate, name, properties=properties))

    def _add_file(self, path: str) -> None:
        try:
            data = self._read(path)
        except Unavailable:
            return
        kind = _KINDS.get(Path(path).suffix, "text/plain")
        properties: dict[str, Any] = {"name": path, "sha256": sha256(data), "contentSize": str(len(data))}
        properties["encodingFormat"] = kind
        if path == _WORKFLOW:
            properties["@type"] = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
        elif kind == "text/x-python" or path.endswith(("Snakefile", ".smk")):
            properties["@type"] = ["File", "SoftwareSourceCode"]
        self._files[path] = self._crate.add_file(BytesIO(data), path, properties=properties)

    def _workflow(self) -> None:
        workflow = self._files.get(_WORKFLOW)
        if workflow is None:
            return
        language = {"@type": "ComputerLanguage", "name": "DVC", "url": "https://dvc.org/"}
        workflow["programmingLanguage"] = self._entity("#dvc", language)
        workflow["hasPart"] = [file for path, file in self._files.items() if path.endswith(("Snakefile", ".smk"))]
        self._crate.root_dataset["mainEntity"] = workflow

    def _action(self, link: Link) -> Any:
        script = closure.script(link.name).relative_to(closure.PROJECT).as_posix()
        instrument = self._files.get(script) or self._files.get(_WORKFLOW)
        if script in self._files:
            instrument["softwareRequirements"] = [self._library(*library) for library in link.libraries.items()]
        properties: dict[str, Any] = {
            "@type": "CreateAction",
            "name": f"{link.name}@{self._audited.experiment}",
            "description": "; ".join(link.verdicts),
            "object": [*self._held(link.inputs), *self._parameters(link)],
            "result": self._held(link.outputs),
        }
        if instrument is not None:
            properties["instrument"] = instrument
        if link.run and link.run.get("time"):
            properties["endTime"] = link.run["time"]
        return self._entity(f"#{link.name}", properties)

    def _library(self, name: str, number: str) -> Any:
        kind = {"@type": "SoftwareApplication", "name": name, "version": number}
        return self._entity(f"#library/{name}/{number}", kind)

    def _held(self, digests: dict[str, str]) -> list[Any]:
        return [self._files[path] for path in sorted(digests) if path in self._files]

    def _parameters(self, link: Link) -> list[Any]:
        found = []
        for path, value in _leaves(link.parameters):
            kind = {"@type": "PropertyValue", "name": path, "value": _scalar(value)}
            found.append(self._entity(f"#{link.name}/{path}", kind))
        return found


def _paths(link: Link) -> set[str]:
    records = {path for path in link.locked if "/provenance/" in path}
    return {*link.inputs, *link.outputs, *link.code, *records}


def _date(audited: Audit) -> str:
    commits = [commit for commit in audited.anchor["commits"] if audited.commit in (None, commit["hash"])]
    commits = commits or audited.anchor["commits"]
    runs = [link.run["time"] for link in audited.links if link.run and link.run.get("time")]
    return commits[0]["date"] if commits else max(runs, default=_UNDATED)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of everything below a mapping that is no mapping itself, or an empty one; sorted by path."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(value[key], f"{path}.{key}" if path else key)
    else:
        yield path, value


def _scalar(value: Any) -> Any:
    """A value as schema.org has it: text, number or boolean; the others as JSON."""
    return value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False, sort_keys=True)
