"""Paragraphs as chunks, whole, split where they are too long, or joined while they are short."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.chunking.piece import Piece, TextMethod, apart
from spanledger.chunking.window import Window
from spanledger.core import units
from spanledger.core.records import Document, Element
from spanledger.core.spans import Span

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


def paragraphs(text: str) -> Iterator[Span]:
    """The maximal runs of non-blank lines, as spans of the text, in ascending order.

    A line ends with LF, CR LF or CR; one of white space only is blank. The terminator of the last line is outside the
    span, those between its lines are inside, and nothing is trimmed.
    """
    start = end = None
    for match in _LINE.finditer(text):
        if match[1].strip():
            start = match.start(1) if start is None else start
            end = match.end(1)
        elif start is not None:
            yield start, end
            start = None
    if start is not None:
        yield start, end


@dataclass(frozen=True, slots=True)
class Paragraph(TextMethod):
    """Each paragraph is a chunk (see `paragraphs`).

    Without `chunk_size` it is one of whatever length. With it, a paragraph of more units is cut into windows of
    `chunk_size` units with `chunk_overlap` (see `Window`), whose tail joins nothing. Raises ValueError unless
    0 <= chunk_overlap < chunk_size.
    """

    unit: str = "char"
    chunk_size: int | None = None
    chunk_overlap: int = 0

    def __post_init__(self):
        if self.chunk_size is not None:
            Window(self.unit, self.chunk_size, self.chunk_overlap)

    def split(self, text: str) -> Iterator[Span]:
        """The paragraphs of a text, or their windows, in ascending order of start."""
        for start, end in paragraphs(text):
            body = text[start:end]
            if self.chunk_size is None or units.count(body, self.unit) <= self.chunk_size:
                yield start, end
                continue
            for first, last in Window(self.unit, self.chunk_size, self.chunk_overlap).split(body):
                yield start + first, start + last


@dataclass(frozen=True, slots=True)
class Aggregate(TextMethod):
    """Neighbouring elements, or paragraphs where a document has no elements, joined while they fit.

    A chunk reaches from the start of its first part to the end of its last; the next part is taken in while that text
    has at most `chunk_size` units of `unit`. A part that is longer on its own stays whole. Chunks never overlap. Raises
    ValueError for a chunk_size below 1, and for elements that overlap.
    """

    unit: str
    chunk_size: int

    def __post_init__(self):
        if self.chunk_size < 1:
            raise ValueError(f"aggregate: chunk_size must be at least 1, found {self.chunk_size}")

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        """The joined elements of a document, or what `split` gives without any."""
        parts = [element.span for element in apart("aggregate", elements)] or list(paragraphs(document.text))
        return (Piece((span,)) for span in self._joined(document.text, parts))

    def split(self, text: str) -> Iterator[Span]:
        """The joined paragraphs of a text, in ascending order."""
        return self._joined(text, list(paragraphs(text)))

    def _joined(self, text: str, parts: list[Span]) -> Iterator[Span]:
        current: Span | None = None
        for start, end in parts:
            if current and units.count(text[current[0] : end], self.unit) <= self.chunk_size:
                current = (current[0], end)
                continue
            if current:
                yield current
            current = (start, end)
        if current:
            yield current
