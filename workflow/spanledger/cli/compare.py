"""`spanledger compare`: two arms, or the arms of two snapshots of the project."""

import sys
from dataclasses import dataclass, replace
from typing import Any

from spanledger.cli.targets import Target, target
from spanledger.comparison.arms import ArmComparison, compare_arms, compared_at_once
from spanledger.comparison.load import experiment_names, load_experiment, load_side
from spanledger.comparison.measures import MEAN_COST
from spanledger.comparison.parameters import ParameterDifference, section_differences
from spanledger.comparison.record import arm_record, parameter_record, statistics
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.files import document

NOT_COMPARABLE = 2


@dataclass(frozen=True)
class ExperimentComparison:
    """An experiment of two snapshots: `parameters` that differ in its section as a whole, the arms that only one of them
    has, and those of both, in A's order. Two arms that were named themselves have no such frame: `whole` is False."""

    name: str
    whole: bool
    parameters: list[ParameterDifference]
    only_in_a: list[str]
    only_in_b: list[str]
    arms: list[ArmComparison]


def compare(
    a: str, b: str, experiment: str | None = None, arm: str | None = None, common: bool = False, as_json: bool = False
) -> int:
    """Prints what differs from A to B; returns 0, or NOT_COMPARABLE where some arms must not be held against each other.

    A and B are those of `targets.target`; where only one of them names an arm, it is the same arm of the other. Raises
    InputError for names that are not known.
    """
    before, after = target(a), target(b)
    if before.arm is None and after.arm is None:
        found = _snapshots(before, after, experiment, arm, common)
    elif experiment or arm:
        raise InputError([Problem("compare", message="--experiment and --arm go with revisions, not with two arms")])
    else:
        found = [_arms(before, after, common)]
    trusted = all(comparison.trusted for part in found for comparison in part.arms)
    if as_json:
        sys.stdout.buffer.write(document(_record(before, after, found, trusted)))
    else:
        from spanledger.cli.comparison_tables import show

        show(before, after, found)
    return 0 if trusted else NOT_COMPARABLE


def _arms(before: Target, after: Target, common: bool) -> ExperimentComparison:
    named = before if before.arm is not None else after
    sides = []
    for side in (before, after):
        experiment = load_experiment(side.snapshot, side.experiment or named.experiment)
        sides.append(load_side(side.snapshot, experiment, side.arm or named.arm))
    return ExperimentComparison(named.experiment, False, [], [], [], [compare_arms(*sides, common=common)])


def _snapshots(
    before: Target, after: Target, experiment: str | None, arm: str | None, common: bool
) -> list[ExperimentComparison]:
    names_a, names_b = experiment_names(before.snapshot), experiment_names(after.snapshot)
    names = [name for name in names_a if name in names_b]
    place = f"{before.text} and {after.text}"
    if experiment is not None and experiment not in names:
        raise InputError([Problem(place, field=experiment, message=f"not in both: {nearest(experiment, names)}")])
    if not names:
        held = "; ".join(
            f"{side.text}: {', '.join(found) or 'none'}" for side, found in ((before, names_a), (after, names_b))
        )
        raise InputError([Problem(place, message=f"no experiment has results in both ({held})")])
    loaded = {
        name: (load_experiment(before.snapshot, name), load_experiment(after.snapshot, name))
        for name in ([experiment] if experiment else names)
    }
    if arm is not None:
        homes = [name for name, both in loaded.items() if all(arm in side.arms for side in both)]
        if len(homes) != 1:
            arms = {name for both in loaded.values() for name in both[0].arms if name in both[1].arms}
            message = (
                f"not in both: {nearest(arm, arms)}" if not homes else f"name one by --experiment: {', '.join(homes)}"
            )
            raise InputError([Problem(place, field=arm, message=message)])
        loaded = {homes[0]: loaded[homes[0]]}
    found = []
    for name, (one, other) in loaded.items():
        chosen = [each for each in one.arms if each in other.arms] if arm is None else [arm]
        comparisons = [
            compare_arms(
                load_side(before.snapshot, one, each),
                load_side(after.snapshot, other, each),
                common,
                None if arm else (MEAN_COST,),
            )
            for each in chosen
        ]
        found.append(
            ExperimentComparison(
                name,
                arm is None,
                section_differences(one, other),
                [each for each in one.arms if each not in other.arms],
                [each for each in other.arms if each not in one.arms],
                comparisons,
            )
        )
    return _corrected(found)


def _corrected(found: list[ExperimentComparison]) -> list[ExperimentComparison]:
    """Corrected for the number of all arms that are compared, in whichever experiment."""
    corrected = iter(compared_at_once([comparison for part in found for comparison in part.arms]))
    return [replace(part, arms=[next(corrected) for _ in part.arms]) for part in found]


def _record(before: Target, after: Target, found: list[ExperimentComparison], trusted: bool) -> dict[str, Any]:
    return {
        **{
            side: {"target": named.text, "snapshot": named.snapshot.name, "commit": named.snapshot.commit}
            for side, named in (("a", before), ("b", after))
        },
        "comparable": trusted,
        "statistics": statistics(),
        "experiments": [
            {
                "experiment": part.name,
                "parameters": [parameter_record(difference) for difference in part.parameters],
                "only_in_a": part.only_in_a,
                "only_in_b": part.only_in_b,
                "arms": [arm_record(comparison) for comparison in part.arms],
            }
            for part in found
        ],
    }
