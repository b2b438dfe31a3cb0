"""Puts an imported dataset under DVC, so that experiments in other folders (queued, temporary) find it."""

import subprocess
import sys
from pathlib import Path
from typing import Any


def track(folder: Path, report: dict[str, Any]) -> int:
    """Runs `dvc add` on a dataset folder inside a DVC project, and prints what the import read, kept, merged and
    rejected; returns DVC's exit status. A folder outside a project is left as it is."""
    for name in ("read", "kept", "merged", "rejected"):
        counts = {what: n if isinstance(n, int) else len(n) for what, n in sorted(report[name].items())}
        print(f"{name + ':':10}{', '.join(f'{count} {what}' for what, count in counts.items())}")
    print(f"report:   {folder / 'import_report.json'}")
    if not Path(".dvc").is_dir() or Path.cwd() not in folder.resolve().parents:
        return 0
    return subprocess.run([sys.executable, "-m", "dvc", "add", "--quiet", str(folder)], check=False).returncode
