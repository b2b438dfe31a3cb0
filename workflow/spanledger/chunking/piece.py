"""What a chunking method gives: the spans of one chunk, and what is searched in front of its body."""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from spanledger.core.records import Document, Element
from spanledger.core.spans import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk to be: spans of the document's (normalised) text, ascending and disjoint; the body is their text, joined
    by LF. `heading` holds lines that are searched in front of the body and are no part of it."""

    spans: tuple[Span, ...]
    heading: tuple[str, ...] = ()


class TextMethod(ABC):
    """A chunking method that looks at the text alone: each span of `split` is a chunk."""

    version = 1

    @abstractmethod
    def split(self, text: str) -> Iterator[Span]:
        """The chunks of a text as spans of it, in the order of the chunk table."""

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        """The chunks of a document; `elements` are its own, in order of their spans."""
        return (Piece((span,)) for span in self.split(document.text))


def apart(method: str, elements: Iterable[Element]) -> list[Element]:
    """The elements of a document that hold text: normalise may have dropped all of another's. They come in order of their
    spans; raises ValueError where two of them overlap."""
    held = [element for element in elements if element.span[0] < element.span[1]]
    for before, after in pairwise(held):
        if before.span[1] > after.span[0]:
            raise ValueError(f"{method}: elements {before.element_id} and {after.element_id} overlap")
    return held


class Stream:
    """Parts of a document's text that are cut as one text: joined by LF where they are not neighbours already.

    Parts are ascending and disjoint. `text` is the joined text, `spans_of` leads from a span of it to the spans of the
    document that it was made from; a joining LF belongs to none.
    """

    def __init__(self, text: str, parts: Iterable[Span]):
        self._parts = list(parts)
        self._starts: list[int] = []
        pieces: list[str] = []
        here = 0
        for start, end in self._parts:
            self._starts.append(here)
            pieces.append(text[start:end])
            here += end - start + 1
        self.text = "\n".join(pieces)

    def spans_of(self, span: Span) -> tuple[Span, ...]:
        """The spans of the document, ascending; empty where the span holds joining LF alone."""
        found = []
        nearest = max(0, bisect_right(self._starts, span[0]) - 1)
        for number in range(nearest, bisect_left(self._starts, span[1])):
            (start, end), place = self._parts[number], self._starts[number]
            first, last = max(span[0], place), min(span[1], place + end - start)
            if first < last:
                found.append((start + first - place, start + last - place))
        return tuple(found)


def runs(document: Document, elements: list[Element]) -> list[Span]:
    """Neighbouring elements as one span each, with what separates them in the document; `elements` in order of their
    spans, a subset of the document's. Two elements are neighbours when there is nothing but white space between them."""
    found: list[Span] = []
    for element in elements:
        start, end = element.span
        if found and not document.text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
