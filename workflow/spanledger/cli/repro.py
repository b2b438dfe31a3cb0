"""`spanledger repro`: clears up after a killed run, runs `dvc repro`, and shows the headline numbers.

Experiments without results are first made side by side, each by one of several `dvc repro`, since DVC runs one stage at a
time; an ordinary `dvc repro` then looks at everything. On a terminal a bar shows the stages; in a log there is what DVC
prints and nothing that moves.
"""

import compileall
import contextlib
import os
import py_compile
import re
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from threading import Thread

import psutil

from spanledger.cli.recovery import recover, renew_state
from spanledger.engine import params, plan
from spanledger.engine.guard import die_with_parent

_LIBRARY = Path(__file__).resolve().parents[1]
_FAILED = 255  # DVC's own exit status, whatever went wrong
_STAGE = re.compile(r"(Running stage|Stage) '(?P<name>[^']+)'")


def run(arguments: list[str]) -> int:
    """Runs `dvc repro` with these further arguments in the current folder; returns the exit status.

    Shown are the experiments that targets among them name (score@NAME), or else all. Raises InputError for a bad
    params.yaml before anything is started.
    """
    experiments = list(params.load("params.yaml")["experiments"])
    stages = len(experiments) * len(plan.STAGES)
    _tell(recover(Path()))
    # Some two hundred short jobs import the library. By content, because a time stamp misses an edit in the same second.
    compileall.compile_dir(_LIBRARY, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    groups = [] if arguments else _side_by_side(experiments)
    if groups:
        status = _dvc([["--wait-for-lock", "repro", *targets] for targets in groups], stages)
        if status < 0:
            return status
        # A stage that failed is told again, as the last thing, by the run that counts.
    status = _dvc([["repro", *arguments]], stages)
    if status == _FAILED and _tell(renew_state(Path())):
        status = _dvc([["repro", *arguments]], stages)
    # Not arms.csv: git has that one, so a clone has it before anything was run.
    asked = {argument.partition("@")[2] for argument in arguments}.intersection(experiments) or experiments
    finished = [name for name in experiments if name in asked and Path("results", name, "diagnostics.json").is_file()]
    if status == 0 and finished:
        from spanledger.cli.terminal import show

        return show(finished)
    return status


def _tell(lines: list[str]) -> bool:
    for line in lines:
        print(line, flush=True)
    return bool(lines)


def _side_by_side(experiments: list[str]) -> list[list[str]]:
    """DVC targets of the experiments that have no results yet, dealt out to as many runs as there are cores; none where
    that would be one run."""
    cold = [name for name in experiments if not Path("results", name, "provenance", "report.json").is_file()]
    runs = min(len(cold), os.cpu_count() or 1)
    return [[f"report@{name}" for name in cold[first::runs]] for first in range(runs)] if runs > 1 else []


def _dvc(runs: list[list[str]], stages: int) -> int:
    """Runs DVC with each of these arguments, all at the same time; returns an exit status of those that did not succeed,
    that of a killed one first."""
    # The stages call snakemake and python by name: those of this environment, activated or not.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    shown = sys.stdout.isatty()
    reader, writer = os.pipe() if shown else (None, None)
    command = [sys.executable, "-m", "dvc"]
    options = {"stdout": writer, "stderr": writer, "preexec_fn": partial(die_with_parent, os.getpid())}
    processes = [psutil.Popen([*command, *arguments], **options) for arguments in runs]
    watch = Thread(target=psutil.wait_procs, args=(processes,), kwargs={"callback": partial(_end_all, processes)})
    watch.start()
    try:
        if shown:
            os.close(writer)
            with os.fdopen(reader, encoding="utf-8", errors="replace") as lines:
                _show(lines, stages)
    finally:  # an interrupt has reached DVC too, which ends in order
        watch.join()
    return min(process.returncode or 0 for process in processes) or max(process.returncode for process in processes)


def _end_all(processes: list[psutil.Popen], ended: psutil.Popen) -> None:
    """Ends all when one was killed: it may have cut dvc.lock short, and another would build on what is left."""
    if ended.returncode < 0:
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def _show(lines: Iterable[str], stages: int) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(), transient=True) as progress:
        task = progress.add_task("starting", total=stages)
        seen: set[str] = set()
        for line in lines:
            match = _STAGE.search(line)
            if match:
                progress.update(task, completed=len(seen), description=match["name"])
                seen.add(match["name"])
            if not match or line.startswith("Running"):
                progress.console.print(line.rstrip("\n"), markup=False, highlight=False)
