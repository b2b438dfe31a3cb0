"""The ledger of a holdout: every look at it, each line bound to the one before, so that none can go unnoticed.

It is holdout/<experiment>/looks.jsonl, one JSON object a line, and belongs into git. `previous` is the SHA-256 of the line
before without its line feed (null in the first); `sha256` is that of the line's other values, as compact JSON with sorted
keys. Lines are added and never changed. What git has at HEAD must be the file's beginning: that finds looks that were cut
off at the end, which the chain alone cannot.
"""

import contextlib
import fcntl
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from spanledger.core import files
from spanledger.core.errors import InputError, Problem, raise_problems

FOLDER = Path("holdout")
Look = dict[str, Any]

# What a look says of itself, in this order; `record` adds its number, `previous` and `sha256`.
KEYS = (
    "time",  # UTC
    "commit",  # None outside git
    "dirty",  # whether tracked files differed from it, those in holdout/ apart
    "reason",
    "arms",
    "metric",  # that the arms are compared by
    "holdout",  # share and seed
    "queries",  # their number in the development part and in the holdout
    "parameters",  # digests, as are the last three
    "dataset",
    "code",
    "query_ids",
)


def path(experiment: str) -> Path:
    """Where the ledger of an experiment lies, below the project."""
    return FOLDER / experiment / "looks.jsonl"


def read(experiment: str) -> list[Look]:
    """The looks so far, oldest first. Raises InputError, with every line at fault, where the chain is broken or what git
    has is not its beginning."""
    place = path(experiment)
    data = place.read_bytes() if place.is_file() else b""
    committed = _committed(place)
    if not data.startswith(committed):
        message = "looks that git has at HEAD are missing or changed: put them back with `git checkout HEAD -- {}`"
        raise InputError([Problem(str(place), message=message.format(place))])
    return _verified(data, str(place))


def record(experiment: str, look: Look) -> list[Look]:
    """Adds a look at the end of the ledger and returns all of them. `look` has the KEYS.

    When this returns, the look is on disk; a kill at any moment before leaves the ledger as it was, or with the look.
    Raises InputError, and adds nothing, where the ledger is broken.
    """
    place = path(experiment)
    place.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(place.parent, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # the file system knows no such locks
            fcntl.flock(folder, fcntl.LOCK_EX)  # two looks at once: the second waits and follows the first
        looks = read(experiment)
        before = place.read_bytes() if looks else b""
        previous = files.sha256(before.splitlines()[-1]) if looks else None
        added = {"look": len(looks) + 1, **{key: look[key] for key in KEYS}, "previous": previous}
        added["sha256"] = files.sha256(files.canonical(added))
        files.write(place, before + files.line(added))
        os.fsync(folder)
    finally:
        os.close(folder)
    return [*looks, added]


def _verified(data: bytes, name: str) -> list[Look]:
    problems = []
    looks: list[Look] = []
    previous = None
    if data and not data.endswith(b"\n"):
        problems.append(Problem(name, data.count(b"\n") + 1, message="was cut short"))
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        look = _parsed(line)
        if look is None:
            problems.append(Problem(name, number, message="is not as the command wrote it: it was changed by hand"))
        elif look["previous"] != previous:
            message = f"does not follow line {number - 1}" if number > 1 else "is not the first look"
            problems.append(Problem(name, number, message=f"{message}: a look was changed, removed or put in"))
        looks.append(look or {})
        previous = files.sha256(line)
    raise_problems(problems)
    return looks


def _parsed(line: bytes) -> Look | None:
    """The look of a line; None where it is not to the byte what its own digest says."""
    try:
        look = orjson.loads(line)
    except ValueError:
        return None
    if not isinstance(look, dict) or list(look) != ["look", *KEYS, "previous", "sha256"]:
        return None
    rest = {key: value for key, value in look.items() if key != "sha256"}
    sound = look["sha256"] == files.sha256(files.canonical(rest)) and files.line(look) == line + b"\n"
    return look if sound else None


def _committed(place: Path) -> bytes:
    return git("show", f"HEAD:./{place.as_posix()}") or b""


def git(*arguments: str) -> bytes | None:
    """What a git command prints; None where it fails or there is no git."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def state() -> dict[str, Any]:
    """`commit` and `dirty` of the project as it is now; changes of ledgers do not count."""
    commit = git("rev-parse", "HEAD")
    if commit is None:
        return {"commit": None, "dirty": None}
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":(exclude){FOLDER}")
    return {"commit": commit.decode().strip(), "dirty": bool((changed or b"").strip())}


def described(looks: list[Look]) -> str:
    """The looks in a few words: how many, with how many different parameter sets."""
    sets = len({look["parameters"] for look in looks})
    different = f"{sets} different parameter sets" if sets > 1 else "1 parameter set"
    return f"{len(looks)} look{'s' * (len(looks) != 1)} with {different}"


def told(looks: list[Look]) -> Iterator[str]:
    """A line for each of some looks: its number, time, commit and reason."""
    for look in looks:
        commit = "" if look["commit"] is None else f", at {look['commit'][:7]}{' and changes' * look['dirty']}"
        yield f"look {look['look']}, {look['time']}{commit}: {look['reason']}"
