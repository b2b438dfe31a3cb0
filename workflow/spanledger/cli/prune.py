"""Clears up after experiments that params.yaml no longer names: no DVC command does."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from spanledger.engine import params, yaml12


def prune(project: Path) -> Iterator[str]:
    """Removes the folders of results/ and the entries of dvc.lock that belong to no experiment; yields a line each."""
    experiments = set(params.load(project / "params.yaml")["experiments"])
    results = project / "results"
    for folder in sorted(results.iterdir()) if results.is_dir() else ():
        if folder.is_dir() and folder.name not in experiments:
            shutil.rmtree(folder)
            yield f"removed {folder}"
    lock = project / "dvc.lock"
    if not lock.is_file():
        return
    gone = [name for name in yaml12.read(lock)["stages"] if name.partition("@")[2] not in experiments]
    if gone:
        from dvc.utils.serialize import modify_yaml

        with modify_yaml(str(lock)) as content:
            for name in gone:
                del content["stages"][name]
        yield from (f"removed {name} from {lock}" for name in gone)
