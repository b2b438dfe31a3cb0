"""Where strings that a splitter gave stand in the text that it split. Nothing is placed where it does not stand.

A tool that returns strings has lost their places. Strings are placed from the first to the last, each at its first
occurrence behind the one placed before, in the order of spans: it starts later, or at the same place and ends later. One
that does not occur there, because the tool changed its white space or anything else, is not placed, and is in no chunk.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spanledger.core.spans import Span


@dataclass(frozen=True, slots=True)
class Fragment:
    """A string of a splitter, with the span that the splitter names for it, half-open in code points (None: none)."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """`spans` are the places of the strings, in their order; of `fragments` strings `not_placed` have none, and
    `ambiguous` have one, but could stand elsewhere too."""

    spans: tuple[Span, ...]
    fragments: int
    not_placed: int
    ambiguous: int


def place(text: str, fragments: Iterable[Fragment]) -> Placed:
    """Places the strings of a splitter in its text.

    A span that the splitter names is taken where the string stands there; else the string is searched. Empty strings are
    no chunks and left out of all counts. A string is ambiguous when the same rule, applied from the last string to the
    first, finds another place for it: then there are at least two ways to place all of them in their order. One with a span
    of its own never is.
    """
    given = [fragment for fragment in fragments if fragment.text]
    first = _forwards(text, given)
    last = _backwards(text, given, first)
    spans = tuple(span for span in first if span is not None)
    ambiguous = sum(span != other for span, other in zip(first, last, strict=True))
    return Placed(spans, len(given), len(given) - len(spans), ambiguous)


def stands(text: str, fragment: Fragment) -> bool:
    """Whether a string stands in the text at the span that the splitter names for it."""
    if fragment.span is None:
        return False
    start, end = fragment.span
    return 0 <= start <= end <= len(text) and text[start:end] == fragment.text


def _forwards(text: str, fragments: Sequence[Fragment]) -> list[Span | None]:
    found: list[Span | None] = []
    last = (0, 0)
    for fragment in fragments:
        span = fragment.span if stands(text, fragment) else _first(text, fragment.text, last)
        last = span or last
        found.append(span)
    return found


def _first(text: str, string: str, last: Span) -> Span | None:
    """The first place of a string behind that of another one, in the order of spans."""
    start = text.find(string, last[0])
    if start == last[0] and start + len(string) <= last[1]:
        start = text.find(string, last[0] + 1)
    return None if start < 0 else (start, start + len(string))


def _backwards(text: str, fragments: Sequence[Fragment], first: Sequence[Span | None]) -> list[Span | None]:
    """The last places of those that have a first one."""
    found: list[Span | None] = []
    following = (len(text), len(text) + 1)
    for fragment, span in zip(reversed(fragments), reversed(first), strict=True):
        if span is not None:
            if not stands(text, fragment):
                span = _last(text, fragment.text, span, following)
            following = span
        found.append(span)
    return found[::-1]


def _last(text: str, string: str, first: Span, following: Span) -> Span:
    """The last place of a string in front of another one; `first` is its first, beyond which there is none to find where
    a splitter's own spans are out of order."""
    start = text.rfind(string, first[0], following[0] + len(string))
    if start == following[0] and start + len(string) >= following[1]:
        start = text.rfind(string, first[0], following[0] + len(string) - 1)
    return first if start < 0 else (start, start + len(string))
