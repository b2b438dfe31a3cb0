"""What an ablation costs against a full run: wall time of `dvc repro` in a fresh copy of the project.

python benchmarks/rerun.py [REPEATS]: cold run, a changed budget (re-runs select, score, report), nothing changed; medians,
and the ratios to the cold run of the same repeat.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def copy(folder: Path, left_out: str | None = "dvc.lock") -> dict[str, str]:
    """A fresh copy of the tracked files but one as a repository of its own, and the environment to run it in."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True).stdout.split(b"\0")
    for name in (os.fsdecode(n) for n in names if n):
        if name != left_out and (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, folder / name)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    site = str(folder / ".dvc" / "tmp" / "site")
    return {**os.environ, "PATH": path, "PYTHONPATH": str(folder / "workflow"), "DVC_SITE_CACHE_DIR": site}


def seconds(folder: Path, environment: dict[str, str]) -> float:
    """The wall time of one `dvc repro` of the experiment evidence_mapping."""
    stages = [f"report@{name}" for name in ("evidence_mapping",)]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "dvc", "repro", "-q", *stages],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - start


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    rows = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            environment = copy(folder)
            cold = seconds(folder, environment)
            params = folder / "params.yaml"
            text = params.read_text(encoding="utf-8")
            params.write_text(text.replace("{budget: 240, unit: char}", "{budget: 230, unit: char}"), encoding="utf-8")
            rows.append((cold, seconds(folder, environment), seconds(folder, environment)))
    for place, name in enumerate(("cold run", "changed budget", "nothing changed")):
        times = statistics.median(row[place] for row in rows)
        ratio = statistics.median(row[place] / row[0] for row in rows)
        print(f"{name:16} {times:7.2f} s   {ratio:5.2f} of the cold run")


if __name__ == "__main__":
    main()
