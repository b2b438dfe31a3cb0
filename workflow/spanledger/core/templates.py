"""Templates of a passage: text with placeholders in braces, {{ and }} for braces themselves."""

from collections.abc import Iterator
from functools import cache
from string import Formatter

from spanledger.core.errors import nearest

PLACEHOLDERS = {
    "body": "the passage's text",
    "heading": "the lines that stand in front of the body in its retrieval text, with their line end; empty without any",
    "title": "the `title` of the document's metadata; empty without one",
    "doc_id": "the document's id",
    "version": "the document's version",
    "rank": "the passage's place in the context, from 1",
}


@cache
def parts(template: str) -> tuple[tuple[str, str | None], ...]:
    """Literal text and the name of the placeholder behind it, None behind the last text. Raises ValueError with every
    fault of the template (see `faults`)."""
    if found := list(faults(template)):
        raise ValueError("; ".join(found))
    return tuple((literal, name) for literal, name, _, _ in Formatter().parse(template))


def faults(template: str) -> Iterator[str]:
    """What is wrong with a template, in words: braces that stand alone, unknown placeholders with the nearest valid one,
    anything beside a name in the braces, and no {body}."""
    try:
        parsed = list(Formatter().parse(template))
    except ValueError:
        yield "a brace stands alone: expected {placeholder}, or {{ and }} for braces themselves"
        return
    names = {}
    for _, name, spec, conversion in parsed:
        if name is not None:
            names[name] = None
            if name in PLACEHOLDERS and (spec or conversion):
                yield f"placeholder '{name}': expected the name alone in the braces, without a format"
    for name in names:
        if name not in PLACEHOLDERS:
            yield f"unknown placeholder '{name}': {nearest(name, PLACEHOLDERS)}"
    if "body" not in names:
        yield "lacks {body}, the passage's text"
