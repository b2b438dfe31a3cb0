"""Puts an imported dataset under DVC, so that experiments in other folders (queued, temporary) find it."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

_REASONS = 5  # as many are told of each kind


def track(folder: Path, report: dict[str, Any]) -> int:
    """Runs `dvc add` on a dataset folder inside a DVC project, and prints what the import read, kept, merged and
    rejected, how often for which reason, and which documents only some versions have; returns DVC's exit status. A folder
    outside a project is left as it is."""
    for name in ("read", "kept", "merged", "rejected"):
        counts = {what: n if isinstance(n, int) else len(n) for what, n in sorted(report[name].items())}
        print(f"{name + ':':10}{', '.join(f'{count} {what}' for what, count in counts.items())}")
    if left_out := report.get("left_out"):
        print(f"left out: {', '.join(f'{count} {what}' for what, count in sorted(left_out.items()))}")
    if versions := report.get("notes", {}).get("versions"):
        print(f"versions: {_versions(versions)}")
    for what, entries in sorted(report["rejected"].items()):
        reasons = Counter(re.sub(r"(?<![\w-])\d+", "N", entry["reason"]) for entry in entries)
        told = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
        for reason, count in told[:_REASONS]:
            print(f"{'':10}{count} {what}: {reason}")
        if len(told) > _REASONS:
            print(f"{'':10}{sum(count for _, count in told[_REASONS:])} {what}: for other reasons, see the report")
    print(f"report:   {folder / 'import_report.json'}")
    if not Path(".dvc").is_dir() or Path.cwd() not in folder.resolve().parents:
        return 0
    return subprocess.run([sys.executable, "-m", "dvc", "add", "--quiet", str(folder)], check=False).returncode


def _versions(found: dict[str, Any]) -> str:
    """How the versions of the documents differ."""
    only: dict[str, list[str]] = {}
    for doc_id, versions in found["not_in_all"].items():
        only.setdefault(", ".join(versions), []).append(doc_id)
    told = [f"{found['in_all']} documents in all, {found['unchanged']} of them unchanged; current: {found['current']}"]
    for versions, documents in sorted(only.items()):
        more = f" and {len(documents) - _REASONS} more" if len(documents) > _REASONS else ""
        told.append(f"only in {versions}: {', '.join(documents[:_REASONS])}{more}")
    return f"\n{'':10}".join(told)
