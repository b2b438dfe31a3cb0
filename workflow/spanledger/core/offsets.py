"""Offsets between a raw text and a text made from it, and between units of offset in one text.

An offset map is the tuple of its changes (start, end, raw_start, raw_end): half-open spans of the new text and of the raw
text that stand for each other, in ascending order. What lies between two changes is the same on both sides. A change maps
as a whole, because nothing says which of its characters became which.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from spanledger.core.spans import Span

Change = tuple[int, int, int, int]


class OffsetMap:
    """Maps spans of the new text to the raw text and back.

    A span that cuts a change is widened to hold all of it. Characters that were dropped belong to the character before
    them, at the beginning of the text to the one after: so spans that tile the new text tile the raw text. Mapping a
    span to raw and back is the identity where it cuts no change.
    """

    def __init__(self, changes: tuple[Change, ...] | None):
        self._changes = changes or ()
        self._new = [(start, end) for start, end, _, _ in self._changes]
        self._raw = [raw_start for _, _, raw_start, _ in self._changes]

    def to_raw(self, span: Span) -> Span:
        """The raw span for a non-empty span of the new text."""
        start, end = span
        place = bisect_right(self._new, start, key=lambda change: change[0])
        if start and place:
            _, change_end, raw_start, raw_end = self._changes[place - 1]
            start = raw_start if start < change_end else raw_end + start - change_end
        place = bisect_right(self._new, (end, end))
        if place:
            _, change_end, _, raw_end = self._changes[place - 1]
            end = max(raw_end, raw_end + end - change_end)
        return start, end

    def from_raw(self, span: Span) -> Span:
        """The span of the new text for a non-empty raw span; an empty one where all of it was dropped."""
        start, end = span
        place = bisect_right(self._raw, start)
        if place:
            new_start, new_end, _, raw_end = self._changes[place - 1]
            start = new_start if start < raw_end else new_end + start - raw_end
        place = bisect_left(self._raw, end)
        if place:
            _, new_end, _, raw_end = self._changes[place - 1]
            end = max(new_end, new_end + end - raw_end)
        return start, end


def changes_of(pieces: Iterable[tuple[str, str]]) -> tuple[Change, ...] | None:
    """The offset map of a text that is made piece by piece: each piece is (raw, new), in order. None: nothing changed."""
    changes: list[Change] = []
    here = raw_here = 0
    for raw, new in pieces:
        end, raw_end = here + len(new), raw_here + len(raw)
        if raw != new:
            changes.append((here, end, raw_here, raw_end))
        here, raw_here = end, raw_end
    return tuple(changes) or None


class UnitOffsets:
    """Turns offsets in another unit into code points of `text`.

    `unit` is code_point, utf16 (code units, as JavaScript and Java count) or byte (of UTF-8). `to_code_point` returns
    None for an offset inside a character or outside the text.
    """

    def __init__(self, text: str, unit: str):
        widths = {
            "code_point": lambda _: 1,
            "utf16": lambda character: 1 + (character > "\uffff"),
            "byte": lambda character: len(character.encode("utf-8", "surrogatepass")),
        }
        if unit not in widths:
            raise ValueError(f"offset unit '{unit}': expected one of {', '.join(widths)}")
        self._direct = unit == "code_point" or text.isascii()
        self._length = len(text)
        self._positions = [] if self._direct else list(accumulate(map(widths[unit], text), initial=0))

    def to_code_point(self, offset: int) -> int | None:
        if self._direct:
            return offset if 0 <= offset <= self._length else None
        place = bisect_left(self._positions, offset)
        return place if place < len(self._positions) and self._positions[place] == offset else None
