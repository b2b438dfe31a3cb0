"""The project at a point of its history: the workspace, a git revision, or a DVC experiment.

Files that git holds are read from the commit, those that DVC holds from its cache (or its remote) by the dvc.lock of that
commit. A name is looked up as a git revision first, then as that of a DVC experiment.
"""

import subprocess
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.files import below
from spanledger.engine import yaml12

WORKSPACE = "workspace"
_LOCK = "dvc.lock"


class Snapshot(Protocol):
    """Paths are relative to the project, with `/`, whatever the system."""

    name: str  # as the user gave it
    commit: str | None  # None: the workspace

    @property
    def lock(self) -> dict[str, Any]:
        """The stages of dvc.lock, by name; empty where there is no dvc.lock."""

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises InputError, which says what to do, where it is not there or cannot be had."""

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder; its bytes need not be at hand."""

    def below(self, folder: str) -> list[str]:
        """The files below a folder, hidden ones left out, sorted by path; none where there is no such folder."""


def open_snapshot(name: str | None = None, project: Path = Path()) -> Snapshot:
    """The workspace (None or `workspace`), or the commit that a git revision or a DVC experiment names.

    Raises InputError for a name that is neither, with the nearest experiments, branches and tags.
    """
    if name is None or name == WORKSPACE:
        return Workspace(project)
    commit = None if name.startswith("-") else _git(project, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if commit is None:
        commit = _experiment(project, name)
    return Revision(project, name, commit)


class Workspace:
    """The files on disk, tracked or not."""

    name = WORKSPACE
    commit = None

    def __init__(self, project: Path = Path()):
        self._project = project

    @cached_property
    def lock(self) -> dict[str, Any]:
        return _stages(yaml12.read(self._project / _LOCK)) if self.exists(_LOCK) else {}

    def read(self, path: str) -> bytes:
        try:
            return (self._project / path).read_bytes()
        except OSError as error:
            raise InputError([Problem(path, message=f"cannot be read: {error.strerror}")]) from None

    def exists(self, path: str) -> bool:
        return (self._project / path).exists()

    def below(self, folder: str) -> list[str]:
        if not (self._project / folder).is_dir():
            return []
        return sorted(path.relative_to(self._project).as_posix() for path in below(self._project / folder))


class Revision:
    """A commit, with the outputs that its dvc.lock names."""

    def __init__(self, project: Path, name: str, commit: str):
        self._project = project
        self.name = name
        self.commit = commit

    @cached_property
    def lock(self) -> dict[str, Any]:
        if not self.exists(_LOCK):
            return {}
        return _stages(yaml12.parse(self.read(_LOCK).decode("utf-8"), f"{self.name}:{_LOCK}"))

    def read(self, path: str) -> bytes:
        try:
            return self._of_dvc(path, self._files.read_bytes)
        except IsADirectoryError:
            raise InputError([self._no_file(path)]) from None
        except OSError:
            raise InputError([self._not_cached(path) if self.exists(path) else self._no_file(path)]) from None

    def exists(self, path: str) -> bool:
        return self._of_dvc(path, self._files.exists)

    def below(self, folder: str) -> list[str]:
        if not self._of_dvc(folder, self._files.isdir):
            return []
        found = (path.lstrip("/") for path in self._of_dvc(folder, self._files.find))
        parts = len(Path(folder).parts)
        return sorted(path for path in found if not any(p.startswith(".") for p in Path(path).parts[parts:]))

    def _of_dvc(self, path: str, ask: Callable[[str], Any]) -> Any:
        """What DVC answers; raises InputError where the list of a folder's files is not in its cache."""
        from dvc_data.index import DataIndexDirError

        try:
            return ask(path)
        except DataIndexDirError:
            raise InputError([self._not_cached(path)]) from None

    def _no_file(self, path: str) -> Problem:
        return Problem(f"{self.name}:{path}", message="no such file in this revision")

    def _not_cached(self, path: str) -> Problem:
        message = f"is not in DVC's cache: `dvc fetch --all-commits`, or make it again at {self.commit[:7]}"
        return Problem(f"{self.name}:{path}", message=message)

    @cached_property
    def _files(self) -> Any:
        from dvc.api import DVCFileSystem  # half a second

        return DVCFileSystem(url=str(self._project.resolve()), rev=self.commit)


def _experiment(project: Path, name: str) -> str:
    found: dict[str, set[str]] = {}
    for line in (_git(project, "for-each-ref", "--format=%(refname) %(objectname)", "refs/exps") or "").splitlines():
        reference, commit = line.rsplit(" ", 1)
        parts = reference.split("/")
        if len(parts) == 5:  # refs/exps/01/234abc.../name: DVC's own have other places
            found.setdefault(parts[4], set()).add(commit)
    commits = found.get(name, set())
    if len(commits) == 1:
        return commits.pop()
    if commits:
        listed = ", ".join(sorted(commit[:7] for commit in commits))
        raise InputError([Problem(name, message=f"is the name of several experiments; give one's commit: {listed}")])
    names = (_git(project, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags") or "").splitlines()
    message = f"is no git revision and no DVC experiment: {nearest(name, {*found, *names, WORKSPACE})}"
    raise InputError([Problem(name, message=message)])


def _stages(lock: Any) -> dict[str, Any]:
    stages = lock.get("stages") if isinstance(lock, dict) else None
    return stages if isinstance(stages, dict) else {}


def _git(project: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
