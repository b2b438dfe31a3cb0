"""What the arguments of `spanledger compare` name: an arm, or a whole snapshot.

`workspace` is the workspace. `REVISION:EXPERIMENT/ARM` is an arm of a git revision or DVC experiment. `EXPERIMENT/ARM` is
an arm of the workspace where it has one, before anything else of that name. All else is a git revision and then a DVC
experiment; write refs/heads/NAME for a branch that is named like an arm.
"""

from dataclasses import dataclass

from spanledger.comparison.load import experiment_names, load_experiment
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.snapshot import WORKSPACE, Snapshot, open_snapshot


@dataclass(frozen=True, slots=True)
class Target:
    """A snapshot, and an experiment and arm of it where the argument names them."""

    text: str
    snapshot: Snapshot
    experiment: str | None = None
    arm: str | None = None


def target(text: str) -> Target:
    """What an argument names, in the project of the current folder. Raises InputError, with the nearest names, where it
    is nothing; whether a named revision has the named arm is not looked up."""
    workspace = open_snapshot(WORKSPACE)
    if text == WORKSPACE:
        return Target(text, workspace)
    place, slash, arm = text.rpartition("/")
    revision, colon, experiment = place.rpartition(":")
    if slash and colon:
        return Target(text, open_snapshot(revision), experiment, arm)
    known = experiment_names(workspace)
    if place in known and arm in load_experiment(workspace, place).arms:
        return Target(text, workspace, place, arm)
    try:
        return Target(text, open_snapshot(text))
    except InputError:
        if place in known:
            load_experiment(workspace, place).arm(arm)
        if slash:
            message = f"is no revision, and no experiment with results is called '{place}': {nearest(place, known)}"
            raise InputError([Problem(text, message=message)]) from None
        homes = [name for name in known if text in load_experiment(workspace, name).arms]
        if homes:
            message = f"is no revision; an arm is named with its experiment: {homes[0]}/{text}"
            raise InputError([Problem(text, message=message)]) from None
        raise
