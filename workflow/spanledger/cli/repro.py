"""`spanledger repro`: clears up after a killed run, runs `dvc repro`, and shows the headline numbers.

On a terminal a bar shows the stages; in a log there is what DVC prints and nothing that moves.
"""

import compileall
import os
import py_compile
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from spanledger.cli.recovery import recover, renew_state
from spanledger.engine import params, plan
from spanledger.engine.guard import die_with_parent

_LIBRARY = Path(__file__).resolve().parents[1]
_FAILED = 255  # DVC's own exit status, whatever went wrong
_STAGE = re.compile(r"(Running stage|Stage) '(?P<name>[^']+)'")


def run(arguments: list[str]) -> int:
    """Runs `dvc repro` with these further arguments in the current folder; returns the exit status.

    Raises InputError for a bad params.yaml before anything is started.
    """
    experiments = list(params.load("params.yaml")["experiments"])
    stages = len(experiments) * len(plan.STAGES)
    _tell(recover(Path()))
    # Some two hundred short jobs import the library. By content, because a time stamp misses an edit in the same second.
    compileall.compile_dir(_LIBRARY, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    status = _dvc(["repro", *arguments], stages)
    if status == _FAILED and _tell(renew_state(Path())):
        status = _dvc(["repro", *arguments], stages)
    # Not arms.csv: git has that one, so a clone has it before anything was run.
    finished = [name for name in experiments if Path("results", name, "diagnostics.json").is_file()]
    if status == 0 and finished:
        from spanledger.cli.terminal import show

        return show(finished)
    return status


def _tell(lines: list[str]) -> bool:
    for line in lines:
        print(line, flush=True)
    return bool(lines)


def _dvc(arguments: list[str], stages: int) -> int:
    # The stages call snakemake and python by name: those of this environment, activated or not.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    shown = sys.stdout.isatty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dvc", *arguments],
        stdout=subprocess.PIPE if shown else None,
        stderr=subprocess.STDOUT if shown else None,
        text=True,
        encoding="utf-8",
        errors="replace",
        preexec_fn=partial(die_with_parent, os.getpid()),
    )
    try:
        if shown:
            _show(process.stdout, stages)
        return process.wait()
    except KeyboardInterrupt:  # DVC has got the signal too, and ends in order
        process.communicate()
        raise


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
