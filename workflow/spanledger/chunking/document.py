"""Whole documents as chunks."""

from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.chunking.piece import TextMethod
from spanledger.core.spans import Span


@dataclass(frozen=True, slots=True)
class Whole(TextMethod):
    """Each document is one chunk, of whatever length; an empty document has none."""

    unit = "char"

    def split(self, text: str) -> Iterator[Span]:
        """The whole text as one span."""
        if text:
            yield 0, len(text)
