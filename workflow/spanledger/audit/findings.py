"""What an audit says: verdicts, findings, the links of a chain and the chain as a whole."""

from dataclasses import dataclass, field
from typing import Any

# From what is worst to what may be wanted, each with the words that a reader sees.
VERDICTS = {
    "changed": "changed on disk",
    "cache_corrupt": "corrupt in DVC's cache",
    "missing": "missing",
    "never_ran": "never ran",
    "number_differs": "number differs",
    "record_disagrees": "record and dvc.lock disagree",
    "lock_differs": "dvc.lock differs",
    "inputs_changed": "inputs changed since",
    "code_changed": "code changed since",
    "parameters_differ": "parameters differ",
    "libraries_differ": "library versions differ",
    "uncommitted": "not committed",
}
INTACT = "intact"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a link: a key of VERDICTS, the file or parameter that it is about, and the reason."""

    verdict: str
    path: str
    reason: str


@dataclass
class Link:
    """One link of a chain: the number itself, a stage, or the dataset.

    `parameters` are the resolved ones that the stage's record holds, by their path in params.yaml, and `reaching` those
    among them that reach the number (all of them where the target is no metric of one arm). `inputs`, `outputs` and
    `code` lead from each file to its SHA-256, `locked` from each output to the MD5 that dvc.lock names, as the record
    and dvc.lock say. `commit` is the oldest commit whose dvc.lock names this record. `run` says when and where the stage
    ran here; it is no evidence. `notes` are facts that break nothing.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    reaching: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    libraries: dict[str, str] = field(default_factory=dict)
    locked: dict[str, str] = field(default_factory=dict)
    commit: dict[str, str] | None = None
    run: dict[str, Any] | None = None
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def find(self, verdict: str, path: str, reason: str) -> None:
        """Adds a finding, once."""
        finding = Finding(verdict, path, reason)
        if finding not in self.findings:
            self.findings.append(finding)

    @property
    def verdicts(self) -> list[str]:
        """The verdicts of the findings, each once, in the order of VERDICTS; [INTACT] where there is none."""
        held = {finding.verdict for finding in self.findings}
        return [verdict for verdict in VERDICTS if verdict in held] or [INTACT]

    def told(self) -> dict[str, Any]:
        """The link as JSON has it."""
        return {
            "link": self.name,
            "verdicts": self.verdicts,
            "findings": [{"verdict": f.verdict, "path": f.path, "reason": f.reason} for f in self.findings],
            "notes": self.notes,
            "parameters": self.parameters,
            "reaching": self.reaching,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "code": self.code,
            "libraries": self.libraries,
            "dvc_lock": self.locked,
            "commit": self.commit,
            "run": self.run,
        }


@dataclass
class Audit:
    """The chain from a target back to the dataset.

    `target` as it was understood, `snapshot` the name of the workspace, revision or experiment, `commit` its commit
    (None: the workspace). `value` is the number of a metric as it stands in the tables. `anchor` says which commits'
    dvc.lock names the records of the whole chain, `rebuild` is the command that makes it anew, `proof` what the verdict
    rests on. `changed_files` are those that git sees changed in the workspace, `orphans` what belongs to no experiment.
    """

    target: str
    experiment: str
    snapshot: str
    commit: str | None
    links: list[Link]
    value: Any = None
    anchor: dict[str, Any] = field(default_factory=dict)
    rebuild: str = ""
    proof: str = ""
    changed_files: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    @property
    def intact(self) -> bool:
        """Whether no link has a finding."""
        return not any(link.findings for link in self.links)

    def link(self, name: str) -> Link:
        """The link of that name; raises KeyError where the chain has none."""
        return {link.name: link for link in self.links}[name]

    def told(self) -> dict[str, Any]:
        """The audit as JSON has it: everything that is known, and every digest."""
        return {
            "target": self.target,
            "experiment": self.experiment,
            "snapshot": self.snapshot,
            "commit": self.commit,
            "value": self.value,
            "verdict": INTACT if self.intact else "not intact",
            "links": [link.told() for link in self.links],
            "anchor": self.anchor,
            "rebuild": self.rebuild,
            "proof": self.proof,
            "changed_files": self.changed_files,
            "orphans": self.orphans,
        }
