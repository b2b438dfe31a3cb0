"""What git knows: which commits' dvc.lock names a digest, and what differs from the last commit."""

import io
import subprocess
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from spanledger.core.errors import InputError
from spanledger.engine import yaml12

_LOCK = "dvc.lock"
_BELOW = f"./{_LOCK}"  # as git takes it for the file in this folder, which need not be the top of the repository


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; `date` is that of its committer, with its time zone."""

    hash: str
    date: str
    subject: str

    def told(self) -> dict[str, str]:
        """As it stands in the audit's JSON."""
        return {"hash": self.hash, "date": self.date, "subject": self.subject}


class History:
    """The commits of a project that changed dvc.lock: the ancestors of `tip` first, newest first, then all others, such
    as those of other branches and of DVC's experiments. Without git there are none."""

    def __init__(self, project: Path, tip: str = "HEAD"):
        self._project = project
        self._tip = tip
        self.lock = cache(self._lock)

    @cached_property
    def commits(self) -> list[Commit]:
        return list(dict.fromkeys([*self._ancestors, *self._log("--all")]))

    @cached_property
    def _ancestors(self) -> list[Commit]:
        return self._log(self._tip)

    def _log(self, which: str) -> list[Commit]:
        told = self._git("log", "--format=%H%x09%cI%x09%s", which, "--", _LOCK) or b""
        return [Commit(*line.split("\t", 2)) for line in told.decode("utf-8", "replace").split("\n") if line]

    def origin(self, commits: list[Commit]) -> dict[str, str] | None:
        """Where what some commits of `commits` share came from: the oldest that is an ancestor of the tip, else the newest
        of the others; None where there is none."""
        ours = [commit for commit in commits if commit in self._ancestors]
        found = ours[-1] if ours else commits[0] if commits else None
        return None if found is None else found.told()

    def naming(self, digests: set[str]) -> dict[str, list[Commit]]:
        """For each digest the commits whose dvc.lock names it, in the order of `commits`."""
        found: dict[str, list[Commit]] = {digest: [] for digest in digests}
        seen: dict[bytes, list[str]] = {}
        names = "".join(f"{commit.hash}:{_BELOW}\n" for commit in self.commits).encode()
        answer = self._git("cat-file", "--batch", given=names) or b""
        stream = io.BytesIO(answer)
        for commit in self.commits:
            header = stream.readline().strip()
            if not header or header.endswith(b" missing"):
                continue
            blob, _, length = header.split(b" ")
            data = stream.read(int(length) + 1)
            if blob not in seen:
                seen[blob] = [digest for digest in digests if digest.encode() in data]
            for digest in seen[blob]:
                found[digest].append(commit)
        return found

    def lock_text(self, commit: str) -> bytes | None:
        """The bytes of dvc.lock in a commit."""
        return self._git("show", f"{commit}:{_BELOW}")

    def _lock(self, commit: str) -> dict[str, Any]:
        """The value of dvc.lock in a commit; empty where there is none that can be read."""
        text = self.lock_text(commit)
        try:
            value = yaml12.parse(text.decode("utf-8"), _LOCK) if text else {}
        except (InputError, UnicodeDecodeError):
            return {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def head(self) -> str | None:
        """The commit that the workspace is based on."""
        told = self._git("rev-parse", "--verify", "--quiet", "HEAD")
        return told.decode().strip() if told else None

    @cached_property
    def changed_files(self) -> list[str]:
        """The tracked files that differ from the last commit, sorted."""
        told = self._git("diff", "--name-only", "--relative", "-z", "HEAD") or b""
        return sorted(filter(None, told.decode("utf-8", "surrogateescape").split("\0")))

    @cached_property
    def experiments(self) -> dict[str, str]:
        """The commit of each DVC experiment, by its name."""
        told = (self._git("for-each-ref", "--format=%(objectname) %(refname)", "refs/exps") or b"").decode()
        parts = [line.replace(" ", "/").split("/") for line in told.splitlines()]
        return {part[5]: part[0] for part in parts if len(part) == 6}

    def author(self, commit: str) -> str:
        """The name of a commit's author."""
        return (self._git("log", "-1", "--format=%an", commit) or b"").decode("utf-8", "replace").strip()

    def is_revision(self, name: str) -> bool:
        """Whether git itself knows a commit by this name."""
        return self._git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") is not None

    def _git(self, *arguments: str, given: bytes | None = None) -> bytes | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(self._project), *arguments], input=given, capture_output=True, check=False
            )
        except OSError:
            return None
        return done.stdout if done.returncode == 0 else None
