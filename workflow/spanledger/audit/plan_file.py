"""dvc.yaml: what DVC would run for a stage, and what it would depend on, against what dvc.lock says was run."""

from typing import Any

from spanledger.audit.findings import Link
from spanledger.audit.ledger import Ledger

_FILE = "dvc.yaml"
_KEYS = {"deps": ("deps",), "outs": ("outs", "metrics", "plots")}


def check(link: Link, ledger: Ledger, stage: str) -> None:
    """Finds a command, dependency, parameter or output that dvc.yaml and a stage's entry in dvc.lock do not share."""
    entry, do = ledger.entry(stage), ledger.planned(stage)
    if entry is None:
        return
    if not do:
        link.find("code_changed", _FILE, ledger.files.yaml(_FILE)[1] or f"has no stage {stage}")
        return
    dataset = ledger.dataset() or ""

    def filled(text: Any) -> str:
        return str(text).replace("${key}", ledger.experiment).replace("${item.dataset}", dataset)

    if filled(do.get("cmd")).split() != str(entry.get("cmd")).split():
        link.find("code_changed", _FILE, "the stage's command is not the one that dvc.lock has")
    sides = {"params": ({filled(name) for name in do.get("params") or ()}, set(ledger.noted(stage)))}
    for key, kinds in _KEYS.items():
        items = [item for kind in kinds for item in do.get(kind) or ()]
        now = {filled(next(iter(item)) if isinstance(item, dict) and item else item) for item in items}
        sides[key] = now, set(ledger.outs(stage) if key == "outs" else ledger.deps(stage))
    for key, (now, then) in sides.items():
        for name in sorted(now ^ then):
            link.find(
                "code_changed", _FILE, f"{name} is among the {key} of {_FILE if name in now else 'dvc.lock'} alone"
            )
