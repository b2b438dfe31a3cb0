"""The parameters of a stage three times: as its run used them, as dvc.lock has them, and as params.yaml says now."""

from collections.abc import Iterator
from typing import Any

from spanledger.core.errors import InputError
from spanledger.core.files import canonical
from spanledger.engine import params, plan

Params = dict[str, Any]
_ABSENT = "nothing"


class Resolver:
    """Resolves one experiment of a params.yaml, as it is written or as dvc.lock has it, each form once."""

    def __init__(self, experiment: str, raw: Any):
        self._experiment = experiment
        self._raw = raw if isinstance(raw, dict) else {}
        self._held: dict[str, Params] = {}

    def planned(self, stage: str) -> Params:
        """The slice of params.yaml that reaches a stage, resolved. Raises InputError where the section is not valid by
        the rules of this version."""
        return self._slice(stage, self._named, self._raw.get(self._experiment))

    def locked(self, stage: str, noted: Params) -> Params:
        """The same of what dvc.lock noted for a stage; params.yaml fills in the sections that it does not read."""
        section = self._raw.get(self._experiment)
        section = dict(section) if isinstance(section, dict) else {}
        named = self._named
        for path, value in noted.items():
            place, _, part = path.partition(".")
            if place == "experiments":
                named = value
            elif not part:  # a stage that may read an optional section depends on the whole
                section = value
            else:
                section[part] = value
        return self._slice(stage, named, section)

    @property
    def _named(self) -> Any:
        named = self._raw.get("experiments")
        return named.get(self._experiment) if isinstance(named, dict) else None

    def _slice(self, stage: str, named: Any, section: Any) -> Params:
        key = repr((named, section))
        if key not in self._held:
            alone = {"experiments": {self._experiment: named}, self._experiment: section}
            self._held[key] = params.resolve(alone)
        return plan.parameters(self._experiment, self._held[key], stage)


def recorded_section(experiment: str, record: Params) -> Params | None:
    """The resolved section of an experiment as the record of its report holds it; None where it is not whole or not
    valid by the rules of this version."""
    held = record.get("parameters", {})
    section = {part: held.get(f"{experiment}.{part}") for part in plan.SECTIONS["report"]}
    section = {part: value for part, value in section.items() if value is not None or part not in plan.OPTIONAL}
    try:
        # Resolving again changes no value, and restores the order of names, which a record does not keep.
        return params.resolve({"experiments": {experiment: {"dataset": "-"}}, experiment: section})[experiment]
    except InputError:
        return None


def differences(recorded: Any, other: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """(path, value recorded, other value), both as JSON, for each place where two values differ; mappings are compared
    key by key and without their order."""
    if isinstance(recorded, dict) and isinstance(other, dict):
        for key in sorted({*recorded, *other}):
            inner = f"{path}.{key}" if path else str(key)
            if key not in recorded or key not in other:
                pair = (_shown(value[key]) if key in value else _ABSENT for value in (recorded, other))
                yield inner, *pair
            else:
                yield from differences(recorded[key], other[key], inner)
    elif canonical(recorded) != canonical(other):
        yield path, _shown(recorded), _shown(other)


def is_new(recorded: str) -> bool:
    """Whether a difference is a key that the record does not have at all."""
    return recorded == _ABSENT


def _shown(value: Any) -> str:
    return canonical(value).decode()


def reaching(section: Params, experiment: str, arm: str | None, held: Params) -> Params:
    """Those of a stage's parameters (by their path in params.yaml) that reach one arm: its own named settings, each
    under its own path, and what has no names. All of them where `arm` is None or no arm of the section."""
    if arm is None or arm not in {each.name for each in plan.arms(section)}:
        return dict(held)
    chosen = plan.arm(section, arm)
    used = plan.branches(section, chosen.fuse)
    names = {
        "chunk": {chosen.chunk, section["select"][chosen.select]["parent"]},
        "eligibility": {chosen.eligibility},
        "index": {setting["index"] for setting in used.values()},
        "retrieve": set(used),
        "fuse": {chosen.fuse},
        "select": {chosen.select},
    }
    result: Params = {}
    for path, value in held.items():
        part = path.removeprefix(f"{experiment}.")
        if part in names and isinstance(value, dict):
            result |= {f"{path}.{name}": value[name] for name in value if name in names[part]}
        elif part == "arms":
            shown = {"name": chosen.name, **{p: getattr(chosen, p) for p in ("chunk", "eligibility", "fuse", "select")}}
            result[path] = shown
        else:
            result[path] = value
    return result


def touches(path: str, held: Params) -> bool:
    """Whether a parameter is among, above or below those of `reaching`."""
    return any(path == name or path.startswith(f"{name}.") or name.startswith(f"{path}.") for name in held)
