"""docs/reference.md, written from the schemas: every key of params.yaml and of the dataset files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spanledger.core.files import write
from spanledger.engine import schema

_HEAD = """\
# Reference

Written by `make sync` from `workflow/schemas/`; a test holds it to them.
"""
_PARTS = {
    "params": (
        "params.yaml",
        "The sections of an experiment. Every section of named settings may hold `defaults`, which its settings inherit. "
        "A key that is not listed, a name that no setting bears and a setting that no arm uses are errors.",
    ),
    "dataset": ("The files of a dataset", "One JSON object a line in the .jsonl files; dataset.yaml is YAML 1.2."),
}


def text() -> str:
    """The text of docs/reference.md."""
    lines = [_HEAD]
    for name, (title, introduction) in _PARTS.items():
        lines += [f"## {title}\n", f"{introduction}\n"]
        definitions = schema.load(name)["$defs"]
        for part, definition in definitions.items():
            if any(definition.get("properties", {}).values()):
                lines += _table(part, definition, definitions)
    return "\n".join(lines)


def _table(part: str, definition: dict[str, Any], definitions: dict[str, Any]) -> Iterator[str]:
    yield f"### {part.replace('_', ' ')}\n"
    yield f"{definition['description']}\n"
    yield "| key | values | default | meaning |\n|---|---|---|---|"
    for key, rule, required in _keys(definition, definitions):
        default = f"`{_json(rule['default'])}`" if "default" in rule else "required" if required else ""
        yield f"| `{key}` | {_values(rule)} | {default} | {rule.get('description', '')} |"
    yield ""


def _keys(
    definition: dict[str, Any], definitions: dict[str, Any], prefix: str = ""
) -> Iterator[tuple[str, dict, bool]]:
    for key, rule in definition["properties"].items():
        if "$ref" in rule:
            rule = {**definitions[rule["$ref"].rsplit("/", 1)[1]], **rule}
        if not rule:  # checked by the definition that this one refines
            continue
        yield prefix + key, rule, key in definition.get("required", ())
        if "properties" in rule and "$ref" not in rule:
            yield from _keys(rule, definitions, f"{prefix}{key}.")


def _values(rule: dict[str, Any]) -> str:
    if choices := rule.get("enum", rule.get("else", {}).get("enum")):
        return ", ".join(f"`{_json(choice)}`" for choice in choices)
    if "const" in rule:
        return f"`{_json(rule['const'])}`"
    if "anyOf" in rule and "expected" in rule:
        return rule["expected"]
    kinds = rule.get("type", "")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    bounds = [f"{word} {rule[name]}" for name, word in (("minimum", "from"), ("maximum", "to")) if name in rule]
    return " ".join([" or ".join(kinds), *bounds])


def _json(value: Any) -> str:
    return value if isinstance(value, str) and value.isprintable() and value else json.dumps(value)


def sync(project: Path) -> bool:
    """Writes docs/reference.md where it differs from the schemas; returns whether it did."""
    path = project / "docs" / "reference.md"
    if path.is_file() and path.read_text(encoding="utf-8") == text():
        return False
    write(path, text().encode())
    return True
