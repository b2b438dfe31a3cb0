"""Checks values against the JSON Schemas of workflow/schemas; messages name the field and the nearest valid name."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from spanledger.core.errors import nearest

FOLDER = Path(__file__).resolve().parents[2] / "schemas"
_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    # Python's $ also matches in front of a last newline, the $ of JSON Schema does not.
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


_Validator = validators.extend(Draft202012Validator, {"pattern": _pattern})


@cache
def load(name: str) -> dict[str, Any]:
    """The schema in workflow/schemas/<name>.schema.json."""
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


@cache
def _validator(name: str, part: str) -> Any:
    schema = load(name)
    if part:
        schema = {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return _Validator(schema)


def problems(value: Any, name: str, part: str = "") -> Iterator[tuple[str, str]]:
    """(field, message) for each way in which `value` breaks a schema, or the `part` of it in $defs; in field order."""
    found = [found for error in _validator(name, part).iter_errors(value) for found in _told(error)]
    yield from sorted(set(found))


def defaults(value: dict[str, Any], name: str, part: str) -> dict[str, Any]:
    """A mapping with the defaults of its definition filled in, at every depth, keys in the schema's order. A whole number
    is an int, though JSON Schema lets it be written as 120.0."""
    return _filled(value, load(name)["$defs"][part], load(name)["$defs"])


def _filled(value: dict[str, Any], definition: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    result = {}
    for key, rule in definition["properties"].items():
        rule = definitions[rule["$ref"].rsplit("/", 1)[1]] if "$ref" in rule else rule
        if key in value or "default" in rule:
            item = value.get(key, rule.get("default"))
            if isinstance(item, float) and "integer" in rule.get("type", ()):
                item = int(item)
            if isinstance(item, int) and "number" in rule.get("type", ()):
                item = float(item)  # 1 and 1.0 are one value, for DVC too
            result[key] = _filled(item, rule, definitions) if "properties" in rule and isinstance(item, dict) else item
    return result


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    # "expected" is an annotation of our own: what a schema asks for, where the keyword alone would say too little
    if error.validator in ("type", "not", "anyOf", "pattern") and "expected" in error.schema:
        whole = error.validator != "type" and isinstance(error.instance, dict)
        found = "" if whole else f", found {shown(error.instance)}"
        yield path(error), f"expected {error.schema['expected']}{found}"
        return
    if error.validator in ("anyOf", "oneOf") and error.context and error.validator_value[0].get("const") != "grid":
        required = [option["required"][0] for option in error.validator_value if "required" in option]
        if len(required) == len(error.validator_value):
            yield path(error), f"expected {' or '.join(required)}"
            return
    if error.context:
        for inner in _of_its_kind(error.context):
            yield from _told(inner)
        return
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        valid = error.schema["properties"]
        for key in error.instance:
            if key not in valid:
                yield ".".join(filter(None, (path(error), str(key)))), f"unknown key: {nearest(key, valid)}"
        return
    yield path(error), _message(error)


def _of_its_kind(context: list[ValidationError]) -> list[ValidationError]:
    """The errors of those alternatives that the value has the right type for; all where there is none."""
    other = {e.relative_schema_path[0] for e in context if e.validator in ("type", "const") and not e.relative_path}
    return [e for e in context if e.relative_schema_path[0] not in other] or context


def path(error: ValidationError) -> str:
    """The place of an error as a person writes it: a.b[0].c."""
    text = ""
    for part in error.absolute_path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    if error.validator == "propertyNames":
        text += f".{error.instance}" if text else str(error.instance)
    return text


def _message(error: ValidationError) -> str:
    found = f"found {shown(error.instance)}"
    rule = error.validator_value
    match error.validator:
        case "type":
            kinds = [rule] if isinstance(rule, str) else rule
            return f"expected {' or '.join(_KINDS[kind] for kind in kinds)}, {found}"
        case "enum":
            valid = [shown(choice) for choice in rule]
            if isinstance(error.instance, str):
                return (
                    f"unknown value '{error.instance}': {nearest(error.instance, [c for c in rule if c is not None])}"
                )
            return f"expected one of {', '.join(valid)}, {found}"
        case "const":
            return f"expected {shown(rule)}, {found}"
        case "minimum":
            return f"expected at least {rule}, {found}"
        case "maximum":
            return f"expected at most {rule}, {found}"
        case "minLength" | "minItems" | "minProperties":
            return f"must not be empty, {found}" if rule == 1 else f"expected at least {rule}, {found}"
        case "maxItems":
            return f"expected at most {rule} entr{'y' if rule == 1 else 'ies'}, {found}"
        case "uniqueItems":
            return f"an entry stands twice, {found}"
        case "pattern":
            return f"expected letters, digits, _ and - (in an arm's name + too), {found}"
        case "required":
            missing = sorted(set(rule) - set(error.instance))
            return f"lacks {', '.join(missing)}"
        case "dependentRequired":
            return error.message.replace(" is a dependency of ", " is needed beside ")
    return error.message


def shown(value: Any) -> str:
    """A value as it stands in a message: JSON, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except TypeError:  # a key that JSON does not have, such as a date
        text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
