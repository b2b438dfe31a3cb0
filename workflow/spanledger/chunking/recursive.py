"""Recursive splitting by a list of separators, as LangChain's RecursiveCharacterTextSplitter does it, with exact places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.chunking.piece import TextMethod
from spanledger.core import units
from spanledger.core.spans import Span

SEPARATORS = ("\n\n", "\n", " ", "")


@dataclass(frozen=True, slots=True)
class Recursive(TextMethod):
    """Cuts at the first separator that the text holds, and again, by those after it, what is not below `chunk_size`.

    A separator stays at the start of the part behind it; the empty one cuts between any two characters. Neighbouring
    parts below `chunk_size` are joined while the sum of their lengths is at most that; the next chunk starts again with
    the last parts whose lengths sum to at most `chunk_overlap`. A part that no separator is left for is a chunk, however
    long it is. White space at the ends of a chunk is left out, and a chunk of nothing else too.

    The length of a joined chunk is the sum of its parts' lengths, each counted alone, so its own may differ where units
    merge over a border (tokens, words). Costs one count a part and level.

    Source: RecursiveCharacterTextSplitter of langchain-text-splitters with keep_separator, whose chunks these are; there
    they are strings that are searched for afterwards. Raises ValueError unless 0 <= chunk_overlap <= chunk_size and for a
    list without separators.
    """

    chunk_size: int
    chunk_overlap: int = 0
    unit: str = "char"
    separators: tuple[str, ...] = SEPARATORS

    def __post_init__(self):
        units.check(self.unit)
        if self.chunk_size < 1:
            raise ValueError(f"recursive: chunk_size must be at least 1, found {self.chunk_size}")
        if not 0 <= self.chunk_overlap <= self.chunk_size:
            raise ValueError(
                f"recursive: chunk_overlap must be from 0 to chunk_size ({self.chunk_size}), found {self.chunk_overlap}"
            )
        if not self.separators:
            raise ValueError("recursive: separators must not be empty")

    def split(self, text: str) -> Iterator[Span]:
        """The chunks of a text, in its order; those of two levels never overlap."""
        return self._split(text, (0, len(text)), tuple(self.separators))

    def _split(self, text: str, span: Span, separators: tuple[str, ...]) -> Iterator[Span]:
        held = (n for n, separator in enumerate(separators) if separator in text[span[0] : span[1]])
        place = next(held, len(separators) - 1)
        further = separators[place + 1 :] if separators[place] else ()
        small: list[tuple[Span, int]] = []
        for part in _parts(text, span, separators[place]):
            size = units.count(text[part[0] : part[1]], self.unit)
            if size < self.chunk_size:
                small.append((part, size))
                continue
            yield from self._joined(text, small)
            small = []
            if further:
                yield from self._split(text, part, further)
            else:
                yield part
        yield from self._joined(text, small)

    def _joined(self, text: str, parts: list[tuple[Span, int]]) -> Iterator[Span]:
        current: list[tuple[Span, int]] = []
        total = 0
        for part, size in parts:
            if current and total + size > self.chunk_size:
                yield from _trimmed(text, current)
                while total > self.chunk_overlap or (total + size > self.chunk_size and total > 0):
                    total -= current.pop(0)[1]
            current.append((part, size))
            total += size
        yield from _trimmed(text, current)


def _parts(text: str, span: Span, separator: str) -> Iterator[Span]:
    """The parts of a span, each but the first beginning with the separator; together they are the span."""
    start, end = span
    if not separator:
        cuts = range(start + 1, end)
    else:
        cuts = (m.start() for m in re.compile(re.escape(separator)).finditer(text, start, end))
    for cut in cuts:
        if cut > start:
            yield start, cut
        start = cut
    if start < end:
        yield start, end


def _trimmed(text: str, parts: list[tuple[Span, int]]) -> Iterator[Span]:
    if parts:
        start, end = parts[0][0][0], parts[-1][0][1]
        body = text[start:end]
        if body.strip():
            yield start + len(body) - len(body.lstrip()), end - len(body) + len(body.rstrip())
