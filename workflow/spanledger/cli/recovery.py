"""What a killed DVC leaves behind and then trips over, and how to do without.

DVC writes dvc.lock and its list of who works on what in place, so that a kill cuts them short. Objects and entries of its
cache appear whole or not at all; what it had half written stays there under another name.
"""

import contextlib
import fcntl
import json
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
from ruamel.yaml import YAML, YAMLError

from spanledger.core.files import write
from spanledger.engine import plan

_ENTRY = re.compile(rb"^  (?=\S)", re.MULTILINE)


def recover(project: Path) -> list[str]:
    """Removes what a killed DVC left broken; all that is lost is in DVC's cache. Returns a line for each thing done.

    Does nothing while a DVC holds its lock of the project: then nothing is left behind.
    """
    if not (project / ".dvc").is_dir():
        return []
    with _held(project / ".dvc" / "tmp" / "lock") as held:
        if not held:
            return []
        done = [
            *_mend_lock(project / "dvc.lock"),
            *_mend_owners(project / ".dvc" / "tmp" / "rwlock"),
            *_mend_run_cache(project / ".dvc" / "cache" / "runs"),
        ]
        for left in (project / "results").glob("*/.*.tmp"):  # DVC tries there which kinds of links it can make
            left.unlink()
        return done


@contextlib.contextmanager
def _held(lock: Path) -> Iterator[bool]:
    lock.parent.mkdir(exist_ok=True)
    with lock.open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True


def _mend_lock(lock: Path) -> Iterator[str]:
    """Cuts dvc.lock back to its last whole entry. All before the last one is whole, since a cut takes the end."""
    if not lock.is_file():
        return
    data = lock.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    entries = [match.start() for match in _ENTRY.finditer(whole, whole.find(b"\nstages:") + 1)]
    if entries and not _is_whole(whole[entries[-1] :]):
        whole = whole[: entries.pop()]
    if entries and whole == data:
        return
    if entries:
        write(lock, whole)
    else:
        lock.unlink()
    yield f"{lock} was cut short by a killed run; the stages that it lacks come from the run cache"


def _is_whole(entry: bytes) -> bool:
    try:
        ((name, stage),) = YAML(typ="safe", pure=True).load(entry.decode()).items()
    except (YAMLError, ValueError, AttributeError):
        return False
    if not isinstance(stage, dict) or "cmd" not in stage or None in stage.values():
        return False
    if name.partition("@")[0] not in plan.STAGES:
        return True  # a stage of the user's own, which may have no outputs
    # Each entry ends with its outputs. DVC notices by itself that one is missing, but not that one is incomplete.
    return bool(stage.get("outs")) and all(map(_is_complete, stage["outs"]))


def _is_complete(output: object) -> bool:
    if not isinstance(output, dict) or not {"path", "hash", "md5", "size"} <= output.keys():
        return False
    return "nfiles" in output or not str(output["md5"]).endswith(".dir")


def _mend_owners(owners: Path) -> Iterator[str]:
    """Takes dead processes out of DVC's list of who is at work on what, or empties one that cannot be read. DVC does so
    itself with the dead, but would wait forever for one whose process id another has got by now."""
    if not owners.is_file():
        return
    written = owners.stat().st_mtime
    try:
        lists = {"write": {}, "read": {}, **json.loads(owners.read_bytes())}
        read = {path: [one for one in some if _lives(one, written)] for path, some in lists["read"].items()}
        live = {
            "write": {path: one for path, one in lists["write"].items() if _lives(one, written)},
            "read": {path: some for path, some in read.items() if some},
        }
    except (ValueError, TypeError, LookupError, AttributeError):
        write(owners, b"{}")
        yield f"{owners} was cut short by a killed run and is emptied"
        return
    if live != lists:
        write(owners, json.dumps(live).encode())


def _lives(owner: dict[str, Any], written: float) -> bool:
    try:
        process = psutil.Process(owner["pid"])
        # DVC notes its arguments beside its id. They tell where the time, which is exact to a second only, does not.
        last = " ".join(process.cmdline()).split(" ")[-1]
        return process.create_time() <= written and last == owner["cmd"].split(" ")[-1]
    except psutil.Error:
        return False


def _mend_run_cache(runs: Path) -> Iterator[str]:
    """Removes half-written entries, which DVC would take for its newest, and folders without an entry, over which it
    fails."""
    for folder in runs.glob("*/*"):
        broken = list(folder.glob("*.tmp"))
        # A queued experiment may be writing there at this very moment, and be done in the next.
        if (broken or not any(folder.iterdir())) and time.time() - folder.stat().st_mtime < 1:
            time.sleep(1)
        for left in broken:
            left.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not empty
            folder.rmdir()
            yield f"{folder} was left empty by a killed run and is removed"


def renew_state(project: Path) -> list[str]:
    """Has DVC begin a new database of file hashes where it cannot read its own any more; it holds nothing that cannot
    be worked out again. Returns a line if it was so."""
    if not _state_is_broken(project):
        return []
    # DVC finds the database by the time of this file, and makes both anew.
    (project / ".dvc" / "tmp" / "btime").unlink(missing_ok=True)
    return ["DVC's database of file hashes was broken; it makes a new one"]


def _state_is_broken(project: Path) -> bool:
    from dvc.exceptions import DvcException
    from dvc.repo import Repo

    try:
        with Repo(str(project)) as repo:
            for database in (repo.state.hashes, repo.state.links):
                with contextlib.closing(sqlite3.connect(Path(database.directory, "cache.db"))) as connection:
                    if connection.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                        return True
    except DvcException:
        return False
    except sqlite3.DatabaseError as error:
        return not isinstance(error, sqlite3.OperationalError)  # that one says that it is in use
    return False
