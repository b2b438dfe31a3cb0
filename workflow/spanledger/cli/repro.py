"""`spanledger repro`: clears up after a killed run, runs `dvc repro`, and shows the headline numbers.

On a terminal a bar shows the stages; in a log there is what DVC prints and nothing that moves.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from spanledger.core.errors import InputError
from spanledger.engine import params, plan, yaml12
from spanledger.engine.guard import die_with_parent

_RUNNING = Path(".spanledger", "running")
_STAGE = re.compile(r"(Running stage|Stage) '(?P<name>[^']+)'")


def run(arguments: list[str]) -> int:
    """Runs `dvc repro` with these further arguments in the current folder; returns the exit status.

    Raises InputError for a bad params.yaml before anything is started.
    """
    experiments = list(params.load("params.yaml")["experiments"])
    for line in recover(Path()):
        print(line, flush=True)
    _RUNNING.parent.mkdir(exist_ok=True)
    _RUNNING.touch()
    status = _dvc(["repro", *arguments], len(experiments) * len(plan.STAGES))
    _RUNNING.unlink(missing_ok=True)
    finished = [name for name in experiments if Path("results", name, "arms.csv").is_file()]
    if status == 0 and finished:
        from spanledger.cli.terminal import show

        return show(finished)
    return status


def recover(project: Path) -> list[str]:
    """Removes what a killed DVC leaves broken and then trips over: an empty or cut dvc.lock, which the run cache makes
    good, and a cut list of its own locks. Returns a line for each."""
    done = []
    lock = project / "dvc.lock"
    if lock.is_file() and not _lock_is_whole(lock, thorough=(project / _RUNNING).exists()):
        lock.unlink()
        done.append("dvc.lock was cut short by a killed run and is removed; the run cache restores what it knew")
    owners = project / ".dvc" / "tmp" / "rwlock"
    if owners.is_file():
        try:
            json.loads(owners.read_text() or "{}")
        except ValueError:
            owners.unlink()
            done.append(f"{owners} was cut short by a killed run and is removed")
    return done


def _lock_is_whole(path: Path, thorough: bool) -> bool:
    """DVC writes the file in place. A cut one rarely ends with a line's end; where a run did not come to its end, its
    whole structure is looked at."""
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        return False
    if not thorough:
        return True
    try:
        value = yaml12.read(path)
    except InputError:
        return False
    if not isinstance(value, dict) or not isinstance(value.get("stages"), dict):
        return False
    return all(map(_stage_is_whole, value["stages"].values()))


def _stage_is_whole(stage: object) -> bool:
    if not isinstance(stage, dict) or not stage.get("cmd") or not stage.get("outs") or not stage.get("deps"):
        return False
    entries = [*stage["deps"], *stage["outs"]]
    return all(isinstance(e, dict) and re.fullmatch(r"[0-9a-f]{32}(\.dir)?", str(e.get("md5"))) for e in entries)


def _dvc(arguments: list[str], stages: int) -> int:
    command = [sys.executable, "-m", "dvc", *arguments]
    # The stages call snakemake and python by name: those of this environment, activated or not.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    if not sys.stdout.isatty():
        return subprocess.run(command, check=False, preexec_fn=die_with_parent).returncode
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console()
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting", total=stages)
        seen: set[str] = set()

        def follow(line: str) -> None:
            match = _STAGE.search(line)
            if match:
                progress.update(task, completed=len(seen), description=match["name"])
                seen.add(match["name"])
            if not match or line.startswith("Running"):
                progress.console.print(line, markup=False, highlight=False)

        return _follow(command, follow)


def _follow(command: list[str], line: Callable[[str], None]) -> int:
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        preexec_fn=die_with_parent,
    )
    for text in process.stdout:
        line(text.rstrip("\n"))
    return process.wait()
