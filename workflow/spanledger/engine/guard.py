"""Guards of a run against what neither engine notices: orphans of a killed run, stale locks, edits in the middle, and
outputs that Snakemake did not make."""

import ctypes
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spanledger.core.files import canonical, file_sha256, sha256, write

_LEDGER = Path(".snakemake", "spanledger")
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Has the kernel kill this process when its parent dies, so that no job of a killed run goes on writing (Linux;
    elsewhere it does nothing)."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the call
        os.kill(os.getpid(), signal.SIGKILL)


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
