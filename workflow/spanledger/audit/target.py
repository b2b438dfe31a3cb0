"""What an audit is asked about: a file of the results, or one metric of one arm."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from spanledger.core.errors import InputError, Problem, nearest
from spanledger.engine import plan


@dataclass(frozen=True, slots=True)
class Target:
    """`path` is the file or folder below results/ (of a metric: none), `stage` the last stage of its chain."""

    experiment: str
    stage: str
    path: str | None = None
    arm: str | None = None
    metric: str | None = None

    def __str__(self) -> str:
        return self.path or f"{self.experiment}/{self.arm}/{self.metric}"


def parse(text: str, experiments: set[str], project: Path = Path()) -> Target:
    """The target that a user names: a path (relative to the project, with or without ./, or absolute), or
    `experiment/arm/metric`.

    `experiments` are those that have results or are planned. Raises InputError for what is neither, and for a file that no
    stage writes.
    """
    path = _path(text, project)
    if path.parts[:1] == ("results",):
        return _file(text, path, experiments)
    parts = text.split("/")
    if len(parts) != 3 or not all(parts):
        hint = "a file below results/, or experiment/arm/metric as in evidence_mapping/an-arm/macro_recall"
        raise InputError([Problem(text, message=f"expected {hint}")])
    experiment, arm, metric = parts
    _known(text, experiment, experiments)
    return Target(experiment, "report", arm=arm, metric=metric)


def _path(text: str, project: Path) -> PurePosixPath:
    path = Path(text)
    if path.is_absolute() and path.is_relative_to(project.resolve()):
        path = path.relative_to(project.resolve())
    return PurePosixPath(*(part for part in path.parts if part != "."))


def _file(text: str, path: PurePosixPath, experiments: set[str]) -> Target:
    if ".." in path.parts or len(path.parts) < 2:
        raise InputError([Problem(text, message="expected a file below results/EXPERIMENT/")])
    experiment, rest = path.parts[1], "/".join(path.parts[2:])
    _known(text, experiment, experiments)
    if not rest or rest == "provenance":
        return Target(experiment, "report", path.as_posix())
    for stage in plan.STAGES:
        for written in (*plan.WRITES[stage], f"provenance/{stage}.json"):
            if rest == written or rest.startswith(f"{written}/"):
                return Target(experiment, stage, path.as_posix())
    written = {name for names in plan.WRITES.values() for name in names}
    raise InputError([Problem(text, message=f"no stage writes this: {nearest(path.parts[2], written)}")])


def _known(text: str, experiment: str, experiments: set[str]) -> None:
    if experiment not in experiments:
        message = f"no experiment is called '{experiment}': {nearest(experiment, experiments)}"
        raise InputError([Problem(text, message=message)])


def chain(stage: str) -> list[str]:
    """The stages that a stage's outputs rest on, itself first, back to validate: each before those that it reads."""
    reached = {stage}
    for name in reversed(plan.STAGES):
        if name in reached:
            reached.update(reader for reader in plan.STAGES if _reads(name, reader))
    return [name for name in reversed(plan.STAGES) if name in reached]


def producer(experiment: str, path: str) -> str | None:
    """The stage that writes a file of the results; None for a file of a dataset."""
    rest = path.removeprefix(f"results/{experiment}/")
    for stage, names in plan.WRITES.items():
        if rest != path and any(rest == name or rest.startswith(f"{name}/") for name in names):
            return stage
    return None


def _reads(stage: str, other: str) -> bool:
    """Whether a stage reads a file that another one writes."""
    return any(
        read == written or read.startswith(f"{written}/")
        for read in plan.READS[stage]
        for written in plan.WRITES[other]
    )
