"""The results of one experiment as a snapshot has them, for those who write them in other forms."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from spanledger.audit import parameters
from spanledger.audit.evidence import Files, Unavailable
from spanledger.audit.findings import Audit
from spanledger.audit.ledger import Ledger
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.engine import plan
from spanledger.snapshot import Snapshot


@contextmanager
def vouched_for(audited: Audit) -> Iterator[None]:
    """Where the chain behind results is not intact they may have any shape: what comes of that is raised as InputError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if audited.intact:
            raise
        message = f"these results are not what the stages write ({type(error).__name__}): spanledger audit tells which"
        raise InputError([Problem(str(audited.target), message=message)]) from None


class Stored:
    """Reads results/<experiment>/ in a snapshot. `section` is the one that the experiment ran with: that of the report's
    record, else of params.yaml. What is not there, or cannot be read, raises InputError, an unknown experiment at once."""

    def __init__(self, snapshot: Snapshot, experiment: str):
        self.experiment = experiment
        self._ledger = Ledger(Files(snapshot), experiment)
        self.section = self._section()

    def _section(self) -> dict[str, Any]:
        record = self._ledger.record("report")
        section = parameters.recorded_section(self.experiment, record.content) if record else None
        if section is not None:
            return section
        known = self._ledger.experiments or set()
        if self.experiment not in known:
            raise InputError([Problem("params.yaml", field=self.experiment, message=nearest(self.experiment, known))])
        held = self._ledger.resolver.planned("report")
        return {path.removeprefix(f"{self.experiment}."): value for path, value in held.items()}

    def arm(self, name: str) -> plan.Arm:
        """The arm of that name."""
        arms = {arm.name: arm for arm in plan.arms(self.section)}
        if name not in arms:
            message = f"no arm is called '{name}': {nearest(name, arms)}"
            raise InputError([Problem("params.yaml", field=f"{self.experiment}.arms", message=message)])
        return arms[name]

    def records(self, last: str) -> dict[str, dict[str, Any]]:
        """The provenance records of the stages from validate to `last`, by stage."""
        stages = plan.STAGES[: plan.STAGES.index(last) + 1]
        found = {stage: self._ledger.record(stage) for stage in stages}
        missing = [self._ledger.record_path(stage) for stage, record in found.items() if record is None]
        if missing:
            message = "there is no record that can be read: `dvc repro`"
            raise InputError(Problem(path, message=message) for path in missing)
        return {stage: record.content for stage, record in found.items()}

    def path(self, name: str) -> str:
        """A file of the results, as the project names it."""
        return f"results/{self.experiment}/{name}"

    def lines(self, name: str) -> list[Any]:
        """The records of a JSON lines file."""
        return self.values(name, lines=True)

    def values(self, name: str, lines: bool = False) -> list[Any]:
        """The values of a JSON lines file, or the one of a JSON file."""
        path = self.path(name)
        try:
            data = self._ledger.files.read(path)
            return [orjson.loads(text) for text in (data.splitlines() if lines else [data])]
        except Unavailable as error:
            raise InputError([Problem(path, message=str(error))]) from None
        except ValueError:
            raise InputError([Problem(path, message="is no JSON: `dvc repro` makes it again")]) from None
