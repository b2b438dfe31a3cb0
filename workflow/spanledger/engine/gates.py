"""What is wrong with the section gates of an experiment, beyond what its schema says."""

from collections.abc import Iterator
from typing import Any

from spanledger.core.bounded import NEITHER, bounded, meaning
from spanledger.core.errors import nearest
from spanledger.engine.plan import arms

_BOUNDS = ("at_least", "at_most")


def problems(experiment: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, message) for each unknown name, each bound that does not fit its metric, and each gate that bounds nothing
    or can never pass; `section` is the resolved section of the experiment."""
    names = [arm.name for arm in arms(section)]
    known = bounded(section["score"])
    for place, gate in enumerate(section["gates"]):
        field = f"{experiment}.gates[{place}]"
        if gate["arm"] is not None and gate["arm"] not in names:
            yield f"{field}.arm", f"no arm is called '{gate['arm']}': {nearest(gate['arm'], names)}"
        if (gate["metric"] is None) == (gate["loss"] is None):
            yield field, "expected either metric or loss"
        elif gate["metric"] is not None and gate["metric"] not in known:
            yield (
                f"{field}.metric",
                f"no metric that a gate may bound is called '{gate['metric']}': {_hint(gate, known)}",
            )
        else:
            yield from _range(field, gate, meaning(gate, section["score"]))
        yield from _form(field, gate)


def _hint(gate: dict[str, Any], known: dict[str, Any]) -> str:
    if gate["metric"].startswith("lost_"):
        return "a kind of loss is bounded by loss"
    return nearest(gate["metric"], known)


def _form(field: str, gate: dict[str, Any]) -> Iterator[tuple[str, str]]:
    given = [name for name in _BOUNDS if gate[name] is not None]
    if gate["baseline"] is None and gate["worse_by_at_most"] is not None:
        yield f"{field}.worse_by_at_most", "needs a baseline to compare with"
    elif gate["baseline"] is not None and gate["worse_by_at_most"] is None:
        yield f"{field}.baseline", "needs worse_by_at_most; 0 lets it be no worse at all"
    if gate["baseline"] == "workspace":
        yield f"{field}.baseline", "bounds nothing: it compares the results with themselves"
    if gate["baseline"] is not None and given:
        yield f"{field}.{given[0]}", "is no part of a comparison with a baseline: write it as a gate of its own"
    if gate["baseline"] is None and gate["worse_by_at_most"] is None and not given:
        yield field, "bounds nothing: expected at_least, at_most, or baseline and worse_by_at_most"
    if len(given) == 2 and gate["at_least"] > gate["at_most"]:
        yield field, f"nothing is at least {gate['at_least']} and at most {gate['at_most']}"


def _range(field: str, gate: dict[str, Any], metric: Any) -> Iterator[tuple[str, str]]:
    """What no value can break, and what none can reach. Only the duplication ratio can be below 0."""
    name = gate["metric"] or f"the number of facts lost to {gate['loss']}"
    least, most, worse = gate["at_least"], gate["at_most"], gate["worse_by_at_most"]
    if gate["metric"] != "duplication_ratio":
        if least is not None and least <= 0:
            yield f"{field}.at_least", f"bounds nothing: {name} is never below 0"
        if most is not None and most < 0:
            yield f"{field}.at_most", f"can never pass: {name} is never below 0"
    if metric.share:
        if least is not None and least > 1:
            yield f"{field}.at_least", f"can never pass: {name} is a share of 1"
        if most is not None and most >= 1:
            yield f"{field}.at_most", f"bounds nothing: {name} is a share of 1"
        if worse is not None and worse >= 1:
            yield f"{field}.worse_by_at_most", f"bounds nothing: {name} is a share of 1"
    if worse is not None and metric.better == NEITHER:
        yield f"{field}.worse_by_at_most", f"{name} is better neither higher nor lower, so that none is worse"
