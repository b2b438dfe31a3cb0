"""params.yaml: read, checked and resolved, so that every setting holds all of its values."""

import math
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from spanledger.core import templates, units
from spanledger.core.bounded import PRIMARY
from spanledger.core.document_measures import document_measure
from spanledger.core.errors import InputError, Problem, nearest, raise_problems
from spanledger.core.plugins import is_plugin
from spanledger.core.span_measures import PUBLISHED
from spanledger.core.tokenizers import is_tokenizer, tokenizer
from spanledger.engine import gates, plugins, schema, yaml12
from spanledger.engine.plan import arms

NAMED_SECTIONS = ("chunk", "eligibility", "index", "retrieve", "fuse", "select")
# The key that decides which others a setting has, and its value where it is not given.
_VARIANT = {
    "chunk": ("method", None),
    "retrieve": ("scorer", None),
    "fuse": ("method", "single"),
    "select": ("method", "walk"),
}
# A plugin's setting has the keys of this other one too, with their defaults, so that who reads settings need not ask.
_ALIKE = {"retrieve": "retrieve_term_overlap", "select": "select_walk"}
_DEFAULTS = "defaults"
# A key that means nothing without another one: what defaults say of it does not apply to a setting without the other.
_NEEDS = {"chunk": {"chunk_overlap": "chunk_size"}, "select": {"unit": "budget"}}
# DVC's run cache leaves out keys of these names at any depth, so a changed value would bring back the old result.
_IGNORED_BY_DVC = ("size", "nfiles")

Params = dict[str, Any]


def load(path: str | os.PathLike = "params.yaml") -> Params:
    """The resolved params.yaml.

    {"experiments": {name: {"dataset": folder}}, name: sections, ...}: in the sections `defaults` are inherited, and what
    is not given has the schema's default. Settings stand in the order of their names, digits as numbers; lists keep theirs.
    Raises InputError with every problem, those of plugins that are not there or do not take their options too.
    """
    resolved = resolve(yaml12.read(path, for_dvc=True), str(path))
    found = (p for name in resolved["experiments"] for p in plugins.problems(name, resolved[name]))
    raise_problems(Problem(str(path), field=field, message=message) for field, message in found)
    return resolved


def resolve(raw: Any, file: str = "params.yaml") -> Params:
    """The resolved form of a params.yaml that is already in memory; `file` is named in the messages."""
    if not isinstance(raw, dict):
        raise InputError([Problem(file, message=f"expected a mapping, found {schema.shown(raw)}")])
    found: list[tuple[str, str]] = []
    merged = {name: _bare(_inherit(name, section, found)) for name, section in raw.items()}
    found += schema.problems(merged, "params")
    found += _unfit(merged)
    if isinstance(merged.get("experiments"), dict):
        found += _sections(merged)
    raise_problems(Problem(file, field=field, message=message) for field, message in found)
    resolved = {name: section if name == "experiments" else _fill(section) for name, section in merged.items()}
    for name in resolved["experiments"]:
        found += _references(name, resolved[name])
    raise_problems(Problem(file, field=field, message=message) for field, message in found)
    return resolved


def _inherit(name: str, section: Any, found: list[tuple[str, str]]) -> Any:
    if name == "experiments" or not isinstance(section, dict):
        return section
    return {
        part: _with_defaults(f"{name}.{part}", part, settings, found)
        if part in NAMED_SECTIONS and isinstance(settings, dict) and _DEFAULTS in settings
        else settings
        for part, settings in section.items()
    }


def _bare(section: Any) -> Any:
    """A section without the keys that `_setting` adds to a plugin's settings: a resolved one can be resolved again."""
    if not isinstance(section, dict):
        return section
    found = dict(section)
    for part, alike in _ALIKE.items():
        if isinstance(section.get(part), dict):
            added = schema.defaults({}, "params", alike)
            found[part] = {name: _without(setting, added, part) for name, setting in section[part].items()}
    return found


def _without(setting: Any, added: dict[str, Any], part: str) -> Any:
    if not isinstance(setting, dict) or not _definition(setting, part).endswith("_plugin"):
        return setting
    own = _known(setting, part)
    return {
        key: value
        for key, value in setting.items()
        if key in own or key not in added or (type(value), value) != (type(added[key]), added[key])
    }


def _with_defaults(place: str, part: str, settings: dict[str, Any], found: list[tuple[str, str]]) -> dict[str, Any]:
    shared = settings[_DEFAULTS]
    own = {name: setting for name, setting in settings.items() if name != _DEFAULTS}
    if not isinstance(shared, dict):
        found.append((f"{place}.{_DEFAULTS}", f"expected a mapping, found {schema.shown(shared)}"))
        return own
    unused = set(shared)
    merged = {}
    for name, setting in own.items():
        if isinstance(setting, dict):
            both = {**shared, **setting}
            idle = {key for key, other in _NEEDS.get(part, {}).items() if both.get(other) is None}
            known = _known(both, part) - idle
            unused -= known
            setting = {key: value for key, value in both.items() if key in known or key in setting}
        merged[name] = setting
    every = _every_key(part)
    for key in unused:
        hint = "" if key in every else f": {nearest(key, every)}"
        found.append((f"{place}.{_DEFAULTS}.{key}", f"no setting takes this key{hint}"))
    return merged


def _known(setting: dict[str, Any], part: str) -> set[str]:
    definition = schema.load("params")["$defs"].get(_definition(setting, part))
    return set(definition["properties"]) if definition else _every_key(part)


def _every_key(part: str) -> set[str]:
    definitions = schema.load("params")["$defs"]
    names = [
        name for name in definitions if name == part or name.startswith(f"{part}_") and not name.endswith("_section")
    ]
    return {key for name in names for key in definitions[name].get("properties", {})}


def _definition(setting: dict[str, Any], part: str) -> str:
    if part not in _VARIANT:
        return part
    chosen = setting.get(*_VARIANT[part])
    return f"{part}_plugin" if is_plugin(chosen) else f"{part}_{chosen}"


def _unfit(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """What a schema cannot say: names that DVC ignores, and numbers that cannot be written as JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            field = f"{place}.{key}" if place else str(key)
            if key in _IGNORED_BY_DVC:
                yield field, f"the name '{key}' is not allowed: DVC's run cache ignores it; use another, as chunk_size"
            yield from _unfit(inner, field)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unfit(inner, f"{place}[{number}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield place, f"expected a finite number, found {schema.shown(value)}"
    elif isinstance(value, int | float) and abs(value) >= 2**63:
        yield place, f"expected a number below 2**63, found {schema.shown(value)}"


def _sections(merged: dict[str, Any]) -> Iterator[tuple[str, str]]:
    names = set(merged["experiments"])
    if "experiments" in names:
        yield "experiments.experiments", "no experiment can have the name of the list itself"
    for name in sorted(names - set(merged), key=str):
        yield f"experiments.{name}", f"no section of this name: {nearest(name, set(merged) - {'experiments'})}"
    for name in sorted(set(merged) - names - {"experiments"}, key=str):
        yield str(name), f"a section that experiments does not name: {nearest(name, names)}"


def _fill(section: dict[str, Any]) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for part in schema.load("params")["$defs"]["experiment"]["properties"]:
        value = section.get(part)
        if part == "gates":
            filled[part] = [schema.defaults(gate, "params", "gate") for gate in value or ()]
        elif part in NAMED_SECTIONS:
            names = sorted(value, key=lambda name: (_natural(name), name))
            filled[part] = {name: _setting(value[name], part) for name in names}
        else:
            filled[part] = value if part == "arms" else schema.defaults(value, "params", part)
    for name, setting in filled["fuse"].items():
        if (rerank := section["fuse"][name].get("rerank")) is not None:
            kind = "plugin" if is_plugin(rerank["method"]) else "rule"
            setting["rerank"] = _with_plain_options(schema.defaults(rerank, "params", f"rerank_{kind}"))
    coverage = section["score"].get("coverage", {})
    rule = "token_share" if coverage.get("rule") == "token_share" else "span"
    filled["score"]["coverage"] = schema.defaults(coverage, "params", f"coverage_{rule}")
    holdout = filled["normalise"]["holdout"]
    if holdout is not None:  # 0.2, "0.20" and 2e-1 are one value
        holdout["share"] = f"{Decimal(str(holdout['share'])).normalize():f}"
    for setting in filled["select"].values():
        if setting["budget"] is not None and setting["unit"] is None:
            setting["unit"] = "char"
    return filled


def _setting(value: dict[str, Any], part: str) -> dict[str, Any]:
    definition = _definition(value, part)
    filled = _with_plain_options(schema.defaults(value, "params", definition))
    if definition.endswith("_plugin") and part in _ALIKE:
        filled = {**schema.defaults({}, "params", _ALIKE[part]), **filled}
    return filled


def _with_plain_options(setting: dict[str, Any]) -> dict[str, Any]:
    return {**setting, "options": _plain(setting["options"])} if "options" in setting else setting


def _plain(value: Any) -> Any:
    """A value of the options in the one form that DVC takes it for: it sees no order of names, and no 1 against 1.0."""
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _natural(name: str) -> list[tuple[int, str]]:
    """The order of named settings: by code point, runs of digits as numbers. It is not that of the file, because DVC does
    not see when a mapping is put in another order."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _references(name: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _tokenizers(name, section)
    yield from _metrics(name, section)
    for chunking, setting in section["chunk"].items():
        chunk_size, overlap = setting.get("chunk_size"), setting.get("chunk_overlap", 0)
        if overlap and (chunk_size is None or overlap >= chunk_size):
            bound = "needs a chunk_size" if chunk_size is None else f"must be below chunk_size ({chunk_size})"
            yield f"{name}.chunk.{chunking}.chunk_overlap", f"{bound}, found {overlap}"
    yield from _rendered(name, section)
    for selector, setting in section["select"].items():
        if setting["top_k"] is None and setting["budget"] is None:
            yield f"{name}.select.{selector}", "expected a number for top_k or budget"
        elif setting["budget"] is None and setting["unit"] is not None:
            yield f"{name}.select.{selector}.unit", "counts the budget, and there is none"
        if setting["parent"] is not None:
            yield from _reference(f"{name}.select.{selector}.parent", setting["parent"], section["chunk"])
            if setting["merge"]:
                yield f"{name}.select.{selector}.merge", "parent and merge exclude each other"
    for branch, setting in section["retrieve"].items():
        yield from _reference(f"{name}.retrieve.{branch}.index", setting["index"], section["index"])
    for fusion, setting in section["fuse"].items():
        for place, branch in enumerate(setting["branches"]):
            yield from _reference(f"{name}.fuse.{fusion}.branches[{place}]", branch, section["retrieve"])
    if section["arms"] != "grid":
        for place, arm in enumerate(section["arms"]):
            for part in ("chunk", "eligibility", "fuse", "select"):
                yield from _reference(f"{name}.arms[{place}].{part}", arm[part], section[part])
        seen: dict[str, int] = {}
        for place, arm in enumerate(section["arms"]):
            if seen.setdefault(arm["name"], place) != place:
                yield f"{name}.arms[{place}].name", f"'{arm['name']}' is the name of arms[{seen[arm['name']]}] too"
    if arms(section):
        yield from _unused(name, section)
        yield from gates.problems(name, section)
    else:
        yield f"{name}.arms", "no arm: chunk, eligibility, fuse and select need a setting each"


def _tokenizers(place: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in section.items():
        if isinstance(value, dict):
            yield from _tokenizers(f"{place}.{key}", value)
        elif key == "unit" and isinstance(value, str) and is_tokenizer(value) and (missing := _missing(value)):
            yield f"{place}.{key}", missing


def _rendered(name: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Templates with a fault, a context that cannot fit, and a cost that is not of what is sent."""
    cost = section["score"]["cost"]["text"]
    for selector, setting in section["select"].items():
        place = f"{name}.select.{selector}"
        for fault in templates.faults(setting["template"]) if setting["template"] is not None else ():
            yield f"{place}.template", fault
        around, budget = (setting["header"] or "") + (setting["footer"] or ""), setting["budget"]
        if around and budget is not None and not (is_tokenizer(setting["unit"]) and _missing(setting["unit"])):
            length = units.count(around, setting["unit"])
            if length > budget:
                yield f"{place}.budget", f"header and footer alone have {length} units, found {budget}"
        declared = [key for key in ("separator", "template", "header", "footer") if setting[key] is not None]
        if declared and cost == "retrieval":
            yield (
                f"{name}.score.cost.text",
                f"'retrieval' counts what select.{selector} does not send: it declares the text of a context "
                f"({', '.join(declared)}), which cost counts; expected body, with {{heading}} in a template",
            )


def _missing(name: str) -> str | None:
    """Why a tokenizer cannot be had; None where it can."""
    try:
        tokenizer(name)
    except ValueError as error:
        return str(error)
    return None


def _metrics(name: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    score, metric = section["score"], section["report"]["primary"]["metric"]
    for place, measure in enumerate(score["document_metrics"]):
        try:
            document_measure(measure)
        except ValueError as error:
            yield f"{name}.score.document_metrics[{place}]", str(error)
    known = [*PRIMARY, *(m for m in score["span_metrics"] if m != PUBLISHED), *score["document_metrics"]]
    if metric not in known:
        yield f"{name}.report.primary.metric", f"no arms can be compared by '{metric}': {nearest(metric, known)}"


def _reference(field: str, wanted: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if wanted not in section:
        yield field, f"no setting is called '{wanted}': {nearest(wanted, section)}"


def _unused(name: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    used: dict[str, set[str]] = {part: set() for part in NAMED_SECTIONS}
    for arm in arms(section):
        for part in ("chunk", "eligibility", "fuse", "select"):
            used[part].add(getattr(arm, part))
    for selector in used["select"] & set(section["select"]):
        used["chunk"].add(section["select"][selector]["parent"])
    for fusion in used["fuse"] & set(section["fuse"]):
        used["retrieve"].update(section["fuse"][fusion]["branches"])
    for branch in used["retrieve"] & set(section["retrieve"]):
        used["index"].add(section["retrieve"][branch]["index"])
    for part in NAMED_SECTIONS:
        for setting in section[part]:
            if setting not in used[part]:
                yield f"{name}.{part}.{setting}", "no arm uses this setting"
