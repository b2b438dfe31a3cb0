"""Guards of a run against what neither engine notices: orphans of a killed run, another run, edits in the middle, and
outputs that Snakemake did not make."""

import ctypes
import fcntl
import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spanledger.core.files import canonical, file_sha256, sha256, write

STARTER = "SPANLEDGER_STARTER"  # the environment variable that tells a job the process id of its Snakemake

_LEDGER = Path(".snakemake", "spanledger")
_PR_SET_PDEATHSIG = 1


def die_with_parent(starter: int | None = None) -> None:
    """Has the kernel kill this process when its parent dies, so that none of a killed run goes on writing (Linux;
    elsewhere it does nothing). Where the process `starter`, the parent or one above it, has died before this call,
    this process ends at once."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if starter is not None and not _is_above(starter):
        os.kill(os.getpid(), signal.SIGKILL)


def _is_above(process: int) -> bool:
    if os.getppid() == process:
        return True
    import psutil

    return any(parent.pid == process for parent in psutil.Process().parents())


def environment() -> str:
    """What a job of this Snakemake finds in its environment, as assignments of a shell. One thread of linear algebra: no
    job has use for more, and starting them is half of what importing numpy costs."""
    return f"PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 {STARTER}={os.getpid()}"


def die_with_snakemake() -> None:
    """Has a job die with the Snakemake that started it (see die_with_parent); a script run by hand has none."""
    die_with_parent(int(os.environ[STARTER]) if STARTER in os.environ else None)


def is_orphan(output: str) -> bool:
    """Whether the DVC that started this process to make an output is dead, by DVC's own list, in the current folder, of
    who is at work on what. Where that cannot be read, it is not."""
    try:
        writers = json.loads(Path(".dvc", "tmp", "rwlock").read_bytes()).get("write", {})
        makers = [writer["pid"] for path, writer in writers.items() if path.endswith(f"/{output}")]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    return not any(map(_is_above, makers))


def claim(folder: Path, shared: bool) -> bool:
    """Marks this Snakemake as alive in a folder until it ends, however it ends. Returns whether it may work there: one that
    shares (DVC starts them, and keeps apart what they write) beside others that do, any other one alone. Where the
    file system knows no such locks, it may.

    Runs of DVC's go without Snakemake's own lock: two that begin or end at once trip over it. Of a killed run by hand it
    stays behind, and is removed here: where a run is alone, no other has a lock.
    """
    mark = folder / _LEDGER / "alive"
    mark.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(mark, os.O_RDWR | os.O_CREAT)  # never closed: that ends the claim
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    for lock in () if shared else (folder / ".snakemake" / "locks").glob("*.lock"):
        lock.unlink(missing_ok=True)
    return True


def fingerprint(values: Any, paths: Iterable[str | os.PathLike]) -> str:
    """A digest of some values and of the files' contents; a missing file has one too."""
    digests = {str(path): file_sha256(path) if Path(path).is_file() else None for path in paths}
    return sha256(canonical([values, digests]))


def disown(record: Path) -> None:
    """Takes back the note on a provenance record: its outputs are no longer Snakemake's for sure."""
    (_LEDGER / _entry(record)).unlink(missing_ok=True)


def forget(record: Path) -> None:
    """To be called before jobs of a stage run: takes back the note on its provenance record, and the record with it.
    Else, after a kill, DVC could put back outputs and record of the note, and Snakemake would take them for its last."""
    disown(record)
    record.unlink(missing_ok=True)


def note_made(record: Path, data: bytes) -> None:
    """Notes that Snakemake makes the outputs that this provenance record describes, here and now. To be called before
    the record is written: a kill in between leaves a note too many, and not a record that looks like another's."""
    write(_LEDGER / _entry(record), sha256(data).encode())


def not_made_here(records: Iterable[Path]) -> list[Path]:
    """Those provenance records whose outputs Snakemake did not make in this folder, or that changed since: its
    memory of their parameters is missing or wrong."""
    foreign = []
    for record in records:
        entry = _LEDGER / _entry(record)
        if record.is_file() and not (entry.is_file() and entry.read_text() == file_sha256(record)):
            foreign.append(record)
    return foreign


def _entry(record: Path) -> str:
    return record.as_posix().replace("/", "~")
