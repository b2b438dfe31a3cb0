"""Paragraphs as chunks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.core.spans import Span

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Each maximal run of non-blank lines is a chunk, of whatever length.

    A line ends with LF, CR LF or CR; one of white space only is blank. The terminator of the last line is outside the
    chunk, those between its lines are inside, and nothing is trimmed.
    """

    version = 1
    unit = "char"

    def split(self, text: str) -> Iterator[Span]:
        """The paragraphs of a text as spans of it, in ascending order."""
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
