"""Sentences as chunks, by the punctuation of Chinese and English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.chunking.paragraph import paragraphs
from spanledger.chunking.piece import TextMethod
from spanledger.core import units
from spanledger.core.spans import Span

_CLOSING = r"[\"'”’」』）)\]】》]*"
# A full-width mark ends a sentence wherever it stands, with all marks that follow it; an ASCII one before white space or
# the end of the paragraph, and a full stop not after a single letter (an initial), nor after one of the abbreviations
# below, nor inside a number.
_END = re.compile(rf"([。！？；…][。！？；….!?]*|(?<![.!?])[.!?]++(?={_CLOSING}(?:\s|\Z))){_CLOSING}")
_LONGEST = 4  # characters of an abbreviation
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]|\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|cf|Fig|No|e\.g|i\.e|al))\Z")


def sentences(text: str) -> Iterator[Span]:
    """The sentences of a text as spans of it, in ascending order, each inside one paragraph.

    White space between sentences belongs to none. A sentence ends after 。！？；…, and after . ! ? where white space or
    the end of the paragraph follows, closing quotes and brackets taken in; a full stop after one letter or a common
    abbreviation ends none.
    """
    for first, last in paragraphs(text):
        start = first
        for match in _END.finditer(text, first, last):
            near = max(start, match.start() - _LONGEST)
            if match[1] == "." and _ABBREVIATION.search(text, near, match.start()):
                continue
            yield from _trimmed(text, start, match.end())
            start = match.end()
        yield from _trimmed(text, start, last)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    body = text[start:end]
    if body.strip():
        yield start + len(body) - len(body.lstrip()), end - len(body) + len(body.rstrip())


@dataclass(frozen=True, slots=True)
class Sentence(TextMethod):
    """Sentences as chunks (see `sentences`).

    Without `chunk_size` each is one. With it, neighbouring sentences of a paragraph are joined while their text, with
    what stands between them, has at most `chunk_size` units; a longer sentence stays whole. Costs one count of a chunk's
    text for each of its sentences. Raises ValueError for a chunk_size below 1.
    """

    unit: str = "char"
    chunk_size: int | None = None

    def __post_init__(self):
        if self.chunk_size is not None and self.chunk_size < 1:
            raise ValueError(f"sentence: chunk_size must be at least 1, found {self.chunk_size}")

    def split(self, text: str) -> Iterator[Span]:
        """The sentences of a text, or the joined ones, in ascending order."""
        if self.chunk_size is None:
            yield from sentences(text)
            return
        for first, last in paragraphs(text):
            current: Span | None = None
            for start, end in ((first + s, first + e) for s, e in sentences(text[first:last])):
                if current and units.count(text[current[0] : end], self.unit) <= self.chunk_size:
                    current = (current[0], end)
                    continue
                if current:
                    yield current
                current = (start, end)
            if current:
                yield current
