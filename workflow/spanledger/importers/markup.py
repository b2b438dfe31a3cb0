"""The blocks of a Markdown text, by the CommonMark parser markdown-it-py with tables: each whole lines of the text as it
stands, whatever its line ends."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from spanledger.core.spans import Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")  # CommonMark's line ends, and no other
_ENDING = "\r\n"
_KINDS = {"paragraph_open": "paragraph", "heading_open": "heading", "html_block": "html"}
_CODE = ("fence", "code_block")
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Block:
    """One block. `span` is half-open, in code points: it begins where a line begins and ends before a line end. `kind` is
    front_matter, heading, paragraph, code, html, table_header (with the line of dashes below it), table_row or other;
    `section` holds the titles above it, without markup, the outermost first, and for a heading its own last. `header` is
    the place, in the list of blocks, of a table row's header."""

    kind: str
    span: Span
    section: tuple[str, ...] = ()
    header: int | None = None


def blocks(text: str) -> list[Block]:
    """The blocks of a text, ascending and disjoint.

    A block in a list or a quotation has its lines with all that stands in front: the item's bullet, the >. Only headings
    outside of both make sections. A byte order mark is in no block; front matter is what stands between a first line ---
    and the next --- or `...`. Lines that hold letters or digits and belong to nothing else (definitions of links) are
    `other`, so that no word of the text is outside of blocks.
    """
    lines = _lines(text)
    front = _front_matter(text, lines)
    begin = lines[front - 1][1] if front else lines[0][0]
    found: list[Block] = [Block("front_matter", (lines[0][0], _end(text, lines[front - 1])))] if front else []
    taken = front
    section: list[tuple[int, str]] = []
    header = None
    for kind, first, last, title in _leaves(_parser().parse(text[begin:])):
        first, last = max(first + front, taken), min(last + front, len(lines))
        if title is not None:
            level, name = title
            section = [entry for entry in section if entry[0] < level] + [(level, name)]
        path = tuple(name for _, name in section if name)
        found += _others(text, lines, taken, first, found[-1].section if found else ())
        taken = max(taken, last)
        span = _trimmed(text, lines, first, last)
        if span is None:
            continue
        header = len(found) if kind == "table_header" else header
        found.append(Block(kind, span, path, header if kind == "table_row" else None))
    found += _others(text, lines, taken, len(lines), found[-1].section if found else ())
    return found


def title(found: list[Block]) -> str:
    """The title of a document: that of its first heading of a section; empty where it has none."""
    return next((block.section[0] for block in found if block.kind == "heading" and block.section), "")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _lines(text: str) -> list[Span]:
    """The lines with their ends; those of a byte order mark begin after it."""
    lines = [match.span() for match in _LINE.finditer(text)]
    if len(lines) > 1 and lines[-1][0] == lines[-1][1]:
        lines.pop()
    if text.startswith("\ufeff"):
        lines[0] = (1, lines[0][1])
    return lines


def _front_matter(text: str, lines: list[Span]) -> int:
    """How many lines it has; 0 where there is none."""
    if text[slice(*lines[0])].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 2) if text[slice(*line)].rstrip() in ("---", "..."))
    return next(ends, 0)


def _leaves(tokens: list[Token]) -> Iterator[tuple[str, int, int, tuple[int, str] | None]]:
    """(kind, first line, line after the last, (level, title) of a heading that makes a section)."""
    in_head = False
    for place, token in enumerate(tokens):
        if token.type in ("thead_open", "thead_close"):
            in_head = token.nesting == 1
        if token.map is None:
            continue
        first, last = token.map
        if token.type == "heading_open":
            made = (int(token.tag[1:]), _plain(tokens[place + 1])) if token.level == 0 else None
            yield "heading", first, last, made
        elif token.type in _KINDS:
            yield _KINDS[token.type], first, last, None
        elif token.type in _CODE:
            yield "code", first, last, None
        elif token.type == "tr_open":
            yield ("table_header", first, last + 1, None) if in_head else ("table_row", first, last, None)


def _plain(token: Token) -> str:
    """Inline text without markup, on one line."""
    parts = (" " if part.type.endswith("break") else part.content for part in token.children or ())
    kept = (part for part, child in zip(parts, token.children or (), strict=True) if child.type != "html_inline")
    return " ".join("".join(kept).split())


def _others(text: str, lines: list[Span], first: int, last: int, section: tuple[str, ...]) -> Iterator[Block]:
    """What is left of the lines from `first` to `last`: runs of lines that are not blank, where they have a word."""
    run: list[int] = []
    for number in [*range(first, last), None]:
        if number is not None and text[slice(*lines[number])].strip():
            run.append(number)
            continue
        span = _trimmed(text, lines, run[0], run[-1] + 1) if run else None
        if span is not None and any(character.isalnum() for character in text[slice(*span)]):
            yield Block(OTHER, span, section)
        run = []


def _trimmed(text: str, lines: list[Span], first: int, last: int) -> Span | None:
    """The span of some lines without blank ones at both ends and without the last line end; None where all are blank."""
    held = [number for number in range(first, last) if text[slice(*lines[number])].strip()]
    return (lines[held[0]][0], _end(text, lines[held[-1]])) if held else None


def _end(text: str, line: Span) -> int:
    """Where a line ends, in front of its terminator."""
    return line[0] + len(text[slice(*line)].rstrip(_ENDING))
