"""Which parameters differ between two arms, or between two experiments as a whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spanledger.comparison.sides import Experiment, Side
from spanledger.engine import plan
from spanledger.engine.params import NAMED_SECTIONS

Named = list[tuple[str, dict[str, Any]]]  # the settings of one section, each with its name
_CHOICES = ("chunk", "eligibility", "fuse", "select")


@dataclass(frozen=True, slots=True)
class ParameterDifference:
    """A parameter with two values. `key_a` and `key_b` are its dotted paths in the section of params.yaml on either side
    (they differ where the arms use settings of different names), None on a side that has no such setting or key; `a` and
    `b` are the values. The choice of a setting itself has the section as its key, as chunk."""

    key_a: str | None
    key_b: str | None
    a: Any
    b: Any

    def mirrored(self) -> "ParameterDifference":
        return ParameterDifference(self.key_b, self.key_a, self.b, self.a)


def arm_differences(a: Side, b: Side) -> list[ParameterDifference]:
    """The parameters that reach the two arms' scores and differ, in the order of the stages.

    Settings are held against those of the same name, then those that are left, in the order of use.
    """
    found: list[ParameterDifference] = []
    used_a, used_b = _used(a.experiment.section, a.arm), _used(b.experiment.section, b.arm)
    for part in used_a:
        if part in _CHOICES and getattr(a.arm, part) != getattr(b.arm, part):
            found.append(ParameterDifference(part, part, getattr(a.arm, part), getattr(b.arm, part)))
        found += _named_differences(part, used_a[part], used_b[part])
    return found


def section_differences(a: Experiment, b: Experiment) -> list[ParameterDifference]:
    """All parameters that differ between two runs of an experiment; settings that only one has are told as a whole."""
    found: list[ParameterDifference] = []
    for part in _keys(list(a.section), list(b.section)):
        before, after = a.section.get(part, {}), b.section.get(part, {})  # an older revision may lack a part
        if part not in NAMED_SECTIONS:
            found += _differences(part, part, before, after)
            continue
        for name in sorted(before.keys() | after.keys()):
            key = f"{part}.{name}"
            if name in before and name in after:
                found += _differences(key, key, before[name], after[name])
            elif name in before:
                found.append(ParameterDifference(key, None, before[name], None))
            else:
                found.append(ParameterDifference(None, key, None, after[name]))
    return found


def file_differences(a: dict[str, str] | None, b: dict[str, str] | None) -> list[str]:
    """The names under which two mappings of digests or versions differ, sorted; none where one is not known."""
    if a is None or b is None:
        return []
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def _used(section: dict[str, Any], arm: plan.Arm) -> dict[str, Named]:
    """The settings that reach an arm's scores, by section; one that has no name stands under an empty one."""
    branches = plan.branches(section, arm.fuse)
    indexes = dict.fromkeys(setting["index"] for setting in branches.values())
    select = section["select"][arm.select]
    chunkings = dict.fromkeys(name for name in (arm.chunk, select.get("parent")) if name is not None)
    return {
        "normalise": [("", section["normalise"])],
        "chunk": [(name, section["chunk"][name]) for name in chunkings],
        "eligibility": [(arm.eligibility, section["eligibility"][arm.eligibility])],
        "index": [(name, section["index"][name]) for name in indexes],
        "retrieve": list(branches.items()),
        "fuse": [(arm.fuse, section["fuse"][arm.fuse])],
        "select": [(arm.select, select)],
        "score": [("", section["score"])],
    }


def _named_differences(part: str, a: Named, b: Named) -> Iterator[ParameterDifference]:
    left_a, left_b = dict(a), dict(b)
    common = sorted(left_a.keys() & left_b.keys())
    pairs = [(name, name) for name in common]
    rest_a, rest_b = ([name for name in left if name not in common] for left in (left_a, left_b))
    pairs += zip(rest_a, rest_b, strict=False)
    for name_a, name_b in pairs:
        yield from _differences(_key(part, name_a), _key(part, name_b), left_a[name_a], left_b[name_b])
    for name in rest_a[len(rest_b) :]:
        yield ParameterDifference(_key(part, name), None, left_a[name], None)
    for name in rest_b[len(rest_a) :]:
        yield ParameterDifference(None, _key(part, name), None, left_b[name])


def _key(part: str, name: str) -> str:
    return f"{part}.{name}" if name else part


def _differences(key_a: str, key_b: str, a: Any, b: Any) -> Iterator[ParameterDifference]:
    if not (isinstance(a, dict) and isinstance(b, dict)):
        if a != b:
            yield ParameterDifference(key_a, key_b, a, b)
        return
    for key in _keys(list(a), list(b)):
        if key in a and key in b:
            yield from _differences(f"{key_a}.{key}", f"{key_b}.{key}", a[key], b[key])
        elif key in a:
            yield ParameterDifference(f"{key_a}.{key}", None, a[key], None)
        else:
            yield ParameterDifference(None, f"{key_b}.{key}", None, b[key])


def _keys(a: list[str], b: list[str]) -> list[str]:
    """The keys of both in an order that agrees with each."""
    return sorted({*a, *b}) if a != b else a
