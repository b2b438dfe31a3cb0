"""Finds the place that a span or a quote names in a text, and says what is wrong where it names none."""

import unicodedata
from collections.abc import Iterator
from functools import cached_property

from spanledger.core import files
from spanledger.core.offsets import UnitOffsets
from spanledger.core.spans import Span
from spanledger.engine.schema import shown

_COUNTED = {"code_point": "characters", "utf16": "UTF-16 code units", "byte": "bytes of UTF-8"}


class AnchorError(Exception):
    """A span or quote that names no place: what a person reads of it, and the key (start, end, text, ...) at fault."""

    def __init__(self, key: str, message: str):
        super().__init__(message)
        self.key = key


class AnchorText:
    """A text whose places are named by offsets in `unit` (code_point, utf16 or byte), or by what stands there.

    Offsets come in and stand in messages in `unit`; spans go out in code points, half-open.
    """

    def __init__(self, text: str, unit: str = "code_point"):
        self.text = text
        self._unit = unit

    def span(self, start: int, end: int, text: str | None = None, sha256: str | None = None) -> Span:
        """The span from `start` to `end`. Raises AnchorError where it is empty, outside the text, cuts a character,
        or does not hold the stated `text` or a text with the stated digest."""
        first, last = (self._offsets.to_code_point(int(offset)) for offset in (start, end))
        if end <= start:
            raise AnchorError("end", f"must be greater than start ({start}), found {end}{self._elsewhere(text, start)}")
        nowhere = {key: offset for key, offset, place in (("start", start, first), ("end", end, last)) if place is None}
        if nowhere:
            message = "; ".join(map(self._no_place, nowhere.values())) + self._elsewhere(text, start)
            raise AnchorError(next(iter(nowhere)), message)
        found = self.text[first:last]
        if text is not None and found != text:
            message = f"{shown(text)} does not stand at ({start}, {end}): found {shown(found)}"
            raise AnchorError("text", message + self._elsewhere(text, start))
        if sha256 is not None and files.sha256(found.encode("utf-8")) != sha256.lower():
            message = f"is not the digest of what stands at ({start}, {end}): found {shown(found)}"
            raise AnchorError("sha256", f"{message}, its digest is {files.sha256(found.encode('utf-8'))}")
        return first, last

    def quote(self, quote: str, within: Span | None = None) -> Span:
        """The one place of `quote` in the text, or in the span `within` of it. Occurrences may overlap; raises
        AnchorError where there is none or more than one."""
        start, end = within or (0, len(self.text))
        places = list(occurrences(quote, self.text, start, end))
        if len(places) == 1:
            return places[0], places[0] + len(quote)
        where = "element" if within else "document"
        if places:
            shown_places = ", ".join(str(self.in_unit(place)) for place in places[:5])
            more = ", ..." if len(places) > 5 else ""
            message = (
                f"{shown(quote)} occurs {len(places)} times in the {where} (at {shown_places}{more}), expected once"
            )
            raise AnchorError("quote", message)
        message = f"{shown(quote)} occurs 0 times in the {where}, expected once"
        if _folded(quote) in _folded(self.text[start:end]):
            message += "; it would with other line ends or in another Unicode form, but a quote must be exact"
        raise AnchorError("quote", message)

    def nearest(self, text: str, start: int) -> Span | None:
        """The occurrence of `text` nearest to the offset `start`, in `unit`; of two that are equally near the first."""
        here = self._code_points_before(max(start, 0))
        places = {self.text.rfind(text, 0, here + len(text)), self.text.find(text, here)} - {-1}
        if not places or not text:
            return None
        place = min(places, key=lambda place: (abs(place - here), place))
        return self.in_unit(place), self.in_unit(place + len(text))

    def in_unit(self, place: int) -> int:
        """An offset in code points as an offset in `unit`."""
        if self._unit == "utf16":
            return len(self.text[:place].encode("utf-16-le")) // 2
        return len(self.text[:place].encode("utf-8")) if self._unit == "byte" else place

    def _code_points_before(self, offset: int) -> int:
        if self._unit == "utf16":
            return len(self.text.encode("utf-16-le")[: 2 * offset].decode("utf-16-le", "ignore"))
        if self._unit == "byte":
            return len(self.text.encode("utf-8")[:offset].decode("utf-8", "ignore"))
        return offset

    @cached_property
    def _offsets(self) -> UnitOffsets:
        return UnitOffsets(self.text, self._unit)

    def _no_place(self, offset: int) -> str:
        length = self.in_unit(len(self.text))
        if 0 <= offset <= length:
            return f"{offset} lies inside a character: offsets count {_COUNTED[self._unit]} here"
        return f"{offset} lies outside the text, which has {length} {_COUNTED[self._unit]}"

    def _elsewhere(self, text: str | None, start: int) -> str:
        if not text:
            return ""
        place = self.nearest(text, start)
        return f"; it stands at {place}" if place else "; it stands nowhere in the document"


def occurrences(part: str, text: str, start: int, end: int) -> Iterator[int]:
    """Where `part` begins in text[start:end], ascending, in code points of `text`; occurrences may overlap."""
    place = text.find(part, start, end)
    while place >= 0:
        yield place
        place = text.find(part, place + 1, end)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
