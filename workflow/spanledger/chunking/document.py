"""Whole documents as chunks."""

from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.core.spans import Span


@dataclass(frozen=True, slots=True)
class Whole:
    """Each document is one chunk, of whatever length; an empty document has none."""

    version = 1
    unit = "char"

    def split(self, text: str) -> Iterator[Span]:
        """The whole text as one span."""
        if text:
            yield 0, len(text)
