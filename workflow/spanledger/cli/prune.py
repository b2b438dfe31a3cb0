"""Clears up after experiments that params.yaml no longer names: no DVC command does."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from spanledger.core.errors import InputError, Problem
from spanledger.engine import params, plan, yaml12


def prune(project: Path) -> Iterator[str]:
    """Removes the folders of results/ and the entries of dvc.lock that belong to no experiment; yields a line each. Stages
    that are none of the nine stay.

    Raises InputError, and removes nothing, where params.yaml is not valid or dvc.lock was cut short.
    """
    experiments = set(params.load(project / "params.yaml")["experiments"])
    lock = project / "dvc.lock"
    made = ((name, *name.partition("@")) for name in _stages(lock))
    gone = [name for name, stage, _, experiment in made if stage in plan.STAGES and experiment not in experiments]
    results = project / "results"
    for folder in sorted(results.iterdir()) if results.is_dir() else ():
        if folder.is_dir() and folder.name not in experiments:
            shutil.rmtree(folder)
            yield f"removed {folder}"
    if gone:
        from dvc.utils.serialize import modify_yaml

        with modify_yaml(str(lock)) as content:
            for name in gone:
                del content["stages"][name]
        yield from (f"removed {name} from {lock}" for name in gone)


def _stages(lock: Path) -> Iterable[str]:
    if not lock.is_file():
        return ()
    content = yaml12.read(lock)
    stages = content.get("stages") if isinstance(content, dict) else None
    if not isinstance(stages, dict):
        raise InputError([Problem(str(lock), message="was cut short by a killed run: spanledger repro mends it")])
    return stages
