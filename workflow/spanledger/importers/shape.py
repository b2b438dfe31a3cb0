"""The shape that a foreign value must have, and how a value differs from it.

A shape is a mapping of keys (a key with ? may be missing; other keys are of no concern, formats are often extended), a list
with the shape of its items, or a tuple of types, of which those of objects and lists stand for all that they hold.
"""

import re
from collections.abc import Iterator
from typing import Any

from spanledger.engine.schema import shown

_NAMES = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    type(None): "null",
    float: "a number",
    dict: "an object",
}


def malformed(value: Any, shape: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(JSON path, message) for each place where a value differs from a shape."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield path, f"expected an object, found {shown(value)}"
            return
        for key, inner in shape.items():
            name = key.removesuffix("?")
            field = f"{path}.{name}" if path else name
            if name in value:
                yield from malformed(value[name], inner, field)
            elif name == key:
                yield field, "is missing"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield path, f"expected a list, found {shown(value)}"
            return
        for number, item in enumerate(value):
            yield from malformed(item, shape[0], f"{path}[{number}]")
    elif not isinstance(value, shape) or (isinstance(value, bool) and bool not in shape):
        yield path, f"expected {' or '.join(_NAMES[kind] for kind in shape)}, found {shown(value)}"


def concerns(path: str, shape: Any) -> bool:
    """Whether a JSON path leads to something that the shape names; what it does not may hold anything."""
    for part in re.findall(r"\[\d+\]|[^.\[\]]+", path):
        if isinstance(shape, list) and part.startswith("["):
            shape = shape[0]
        elif isinstance(shape, dict) and (part in shape or f"{part}?" in shape):
            shape = shape.get(part, shape.get(f"{part}?"))
        else:
            return isinstance(shape, tuple) and (dict in shape or list in shape)
    return True
