"""A project of its own for each test that runs the real dvc and snakemake.

`project` is a git and DVC project in a temporary folder: a copy of this one, with the experiment evidence_mapping alone,
that has run once. What came out is committed as a user would (dvc.lock and the small results are in git, the others in
DVC's cache). Each test may change it as it likes. `fresh_project` is the same before its first run, and `shared_project`
one for all tests of a file, which leave it as they find it.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from spanledger.engine import plan

SOURCE = Path(__file__).resolve().parents[2]
EXPERIMENT = "evidence_mapping"
IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
_YAML = YAML()
_YAML.width = 10**6
_TOLD = re.compile(
    r"^(?:Running stage '(?P<ran>[^']+)'|Stage '(?P<stage>[^']+)' (?P<fate>is cached|didn't change))", re.M
)


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit status, and all that it wrote to stdout and stderr."""

    status: int
    output: str

    @property
    def fates(self) -> dict[str, str]:
        """What DVC says that it did with each stage: 'ran', 'restored' (from its cache) or 'skipped'."""
        found = {}
        for match in _TOLD.finditer(self.output):
            fate = {"is cached": "restored", "didn't change": "skipped"}.get(match["fate"], "ran")
            found[match["ran"] or match["stage"]] = fate
        return found

    @property
    def ran(self) -> set[str]:
        """The stages that DVC says it ran."""
        return {stage for stage, fate in self.fates.items() if fate == "ran"}


@dataclass(frozen=True)
class Project:
    """A project in a temporary folder; `home` beside it holds what the tools keep for a user or a machine."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root.parent / "home"

    def environment(self, **changed: str) -> dict[str, str]:
        """All variables that a command gets: nothing of the caller's environment but where programs are found.

        PYTHONPATH, because the installed package is that of the source and not of the copy.
        """
        programs = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        return {
            "PATH": os.pathsep.join(programs),
            "PYTHONPATH": str(self.root / "workflow"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",  # two test files at a time
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "DVC_SITE_CACHE_DIR": str(self.home / "dvc-site"),
            "DVC_GLOBAL_CONFIG_DIR": str(self.home / "dvc-global"),
            "DVC_SYSTEM_CONFIG_DIR": str(self.home / "dvc-system"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            **changed,
        }

    def start(self, *command: str, environment: dict[str, str] | None = None, **options) -> subprocess.Popen:
        """Starts a command in the project; `environment` changes single variables, `options` are Popen's."""
        self.home.mkdir(exist_ok=True)
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment(**(environment or {})),
            text=True,
            encoding="utf-8",
            errors="replace",
            **{**streams, **options},
        )

    def run(self, *command: str, status: int | None = 0, environment: dict[str, str] | None = None) -> Done:
        """Runs a command to its end; any exit status but `status` fails the test (None: all are welcome)."""
        process = self.start(*command, environment=environment)
        done = Done(0, process.communicate(timeout=300)[0])
        done = Done(process.returncode, done.output)
        assert status in (None, done.status), f"{' '.join(command)} ended with {done.status}:\n{done.output}"
        return done

    def python(self, *arguments: str, **options) -> Done:
        return self.run(sys.executable, *arguments, **options)

    def spanledger(self, *arguments: str, **options) -> Done:
        return self.python("-m", "spanledger", *arguments, **options)

    def repro(self, *arguments: str, **options) -> Done:
        """`spanledger repro`; its `fates` say what happened to which stage."""
        return self.spanledger("repro", *arguments, **options)

    def dvc(self, *arguments: str, **options) -> Done:
        return self.python("-m", "dvc", *arguments, **options)

    def snakemake(self, *arguments: str, **options) -> Done:
        """A run by hand, of the whole DAG unless the arguments name targets."""
        return self.python("-m", "snakemake", *arguments, **options)

    def git(self, *arguments: str, **options) -> Done:
        return self.run("git", *IDENTITY, *arguments, **options)

    def commit(self, message: str = "Work") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replaces a text that stands exactly once in a file."""
        text = self.read(path)
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        self.write(path, text.replace(old, new))

    def narrow(self, *chunkings: str) -> None:
        """Leaves params.yaml two arms for each of these chunkings: the experiment is run in half of the time."""
        params = _YAML.load(self.read("params.yaml"))
        section = params[EXPERIMENT]
        section["chunk"] = {name: section["chunk"][name] for name in chunkings}
        section["eligibility"] = {"current": section["eligibility"]["current"]}
        del section["gates"]
        with (self.root / "params.yaml").open("w", encoding="utf-8") as stream:
            _YAML.dump(params, stream)

    @staticmethod
    def stages(*names: str, experiment: str = EXPERIMENT) -> set[str]:
        """The DVC stages of an experiment, all nine where none is named."""
        return {f"{name}@{experiment}" for name in names or plan.STAGES}

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def results(self, experiment: str = EXPERIMENT) -> dict[str, bytes]:
        """The bytes of all results of an experiment, by their path below its folder; hidden files are the engines'."""
        folder = self.root / "results" / experiment
        files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(files)}

    def copy(self, folder: Path) -> "Project":
        """A copy with its cache and all that Snakemake remembers, in a new folder; times of change are kept."""
        folder.mkdir(parents=True)
        subprocess.run(["cp", "-a", self.root, folder / "project"], check=True)
        return Project(folder / "project")


def _source(folder: Path) -> Project:
    """A git project with the files of this one as they are now, without results, and with one experiment."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=SOURCE,
        check=True,
        capture_output=True,
    ).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if name.startswith(("results/", "tests/")) or name == "dvc.lock" or not (SOURCE / name).is_file():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(SOURCE / name, folder / name)
    params = _YAML.load((folder / "params.yaml").read_text(encoding="utf-8"))
    for name in [name for name in params["experiments"] if name != EXPERIMENT]:
        del params["experiments"][name], params[name]
    with (folder / "params.yaml").open("w", encoding="utf-8") as stream:
        _YAML.dump(params, stream)
    project = Project(folder)
    project.git("init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Tester"), ("user.email", "tester@example.org")):
        project.git("config", key, value)
    project.commit("Source")
    return project


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The folder of the two projects that tests get copies of, fresh/ and ran/; pytest-xdist's workers share it."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    with _alone(folder / "templates.lock"):
        templates = folder / "templates"
        if not templates.is_dir():
            made = folder / "templates-in-work"
            fresh = _source(made / "fresh" / "project")
            project = fresh.copy(made / "ran")
            assert project.repro().ran == project.stages()
            project.commit("First run")
            made.rename(templates)
    return templates


@pytest.fixture(scope="session")
def template(templates: Path) -> Project:
    """The project that has run once, which others are copies of: to be read only."""
    return Project(templates / "ran" / "project")


@pytest.fixture(scope="module")
def shared_project(templates: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that has run once, for all tests of a file: each must leave it as it was."""
    return Project(templates / "ran" / "project").copy(tmp_path_factory.mktemp("shared") / "ran")


@pytest.fixture
def project(templates: Path, tmp_path: Path) -> Project:
    """A project that has run once; the test may change it."""
    return Project(templates / "ran" / "project").copy(tmp_path / "ran")


@pytest.fixture
def fresh_project(templates: Path, tmp_path: Path) -> Project:
    """A project before its first run; the test may change it."""
    return Project(templates / "fresh" / "project").copy(tmp_path / "fresh")
