"""What it saves to make experiments side by side: wall time of all experiments of params.yaml without results.

python benchmarks/side_by_side.py [REPEATS]: in fresh copies of the project `dvc repro`, then `spanledger repro`, which ends
with a `dvc repro` of its own; medians, and the ratio within the same repeat.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rerun import copy


def seconds(module: str) -> float:
    """The wall time of one run in a fresh copy, with the committed dvc.lock and an empty cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = copy(folder, left_out=None)
        start = time.perf_counter()
        command = [sys.executable, "-m", module, "repro"]
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return time.perf_counter() - start


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    rows = [(seconds("dvc"), seconds("spanledger")) for _ in range(repeats)]
    for place, name in enumerate(("dvc repro", "side by side")):
        times = statistics.median(row[place] for row in rows)
        ratio = statistics.median(row[place] / row[0] for row in rows)
        print(f"{name:16} {times:7.2f} s   {ratio:5.2f} of dvc repro")


if __name__ == "__main__":
    main()
