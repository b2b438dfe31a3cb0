"""Guards of a run against what neither engine notices: orphans of a killed run, stale locks, edits in the middle, and
outputs that Snakemake did not make."""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spanledger.core.files import canonical, file_sha256, sha256, write

_LEDGER = Path(".snakemake", "spanledger")
_PR_SET_PDEATHSIG = 1
_STARTER = "SPANLEDGER_STARTER"


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


def start_jobs() -> None:
    """Tells the processes that this one will start who started them."""
    os.environ[_STARTER] = str(os.getpid())


def die_with_snakemake() -> None:
    """The same for a job: it dies with the Snakemake that started it, if one did, dead before this call or not."""
    die_with_parent(int(os.environ[_STARTER]) if _STARTER in os.environ else None)


def dvc_that_makes(output: str) -> int | None:
    """The process id of the DVC that is making an output, by DVC's own list in the current folder; None where that says
    nothing."""
    try:
        writers = json.loads(Path(".dvc", "tmp", "rwlock").read_bytes())["write"]
        return next((writer["pid"] for path, writer in writers.items() if path.endswith(f"/{output}")), None)
    except (OSError, ValueError, KeyError):
        return None


def drop_stale_lock(folder: Path) -> None:
    """Removes Snakemake's lock of a killed run; keeps it while another Snakemake lives in this folder."""
    locks = folder / ".snakemake" / "locks"
    if not locks.is_dir() or not any(locks.iterdir()) or _other_snakemake(folder):
        return
    for lock in locks.iterdir():
        lock.unlink(missing_ok=True)


def _other_snakemake(folder: Path) -> bool:
    import psutil

    own = {os.getpid(), *(process.pid for process in psutil.Process().parents())}
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        if process.info["pid"] in own or process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        try:
            command = (process.info["cmdline"] or [])[:3]
            if any("snakemake" in Path(part).name for part in command) and Path(process.cwd()).samefile(folder):
                return True
        except (psutil.Error, OSError):
            continue
    return False


def fingerprint(values: Any, paths: Iterable[str | os.PathLike]) -> str:
    """A digest of some values and of the files' contents; a missing file has one too."""
    digests = {str(path): file_sha256(path) if Path(path).is_file() else None for path in paths}
    return sha256(canonical([values, digests]))


def note_made(record: Path) -> None:
    """Notes that Snakemake made the outputs that this provenance record describes, here and now."""
    write(_LEDGER / _entry(record), file_sha256(record).encode())


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
