"""Checks that a foreign span stands where it says, and finds where its text stands instead. Nothing is ever moved."""

import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property
from itertools import islice
from typing import Any

from spanledger.core.offsets import UnitOffsets
from spanledger.core.spans import Span
from spanledger.dataset.anchors import AnchorText, occurrences

UNITS = {"code_point": "code points", "utf16": "UTF-16 code units", "byte": "bytes of UTF-8"}
_ALIKE = 0.6  # a text that shares fewer of its characters with a quote is of no help in finding it
_COMPARED = 2000  # characters of a quote that are compared; the comparison takes the square of it
_TYPOGRAPHIC = str.maketrans("‘’‚“”„–—‑", "'''\"\"\"---")


class Misplaced(Exception):
    """A span that names no place, or not the one of its text. Offsets are those of the source; `found` is what stands
    at the offset, `nearest` where the text does stand, and `similar` what comes closest where it stands nowhere."""

    def __init__(self, reason: str, offset: int | None, found: str, nearest: int | None, similar: dict | None):
        super().__init__(reason)
        self.reason, self.offset, self.found, self.nearest, self.similar = reason, offset, found, nearest, similar


class Placing:
    """A text into which spans of a source point, with offsets in `unit` (code_point, utf16 or byte). `name` is what
    messages call it."""

    def __init__(self, text: str, unit: str = "code_point", name: str = "document"):
        self.text, self._unit, self._name = text, unit, name
        self._anchors = AnchorText(text, unit)
        self._other_units: dict[str, UnitOffsets] = {}

    def span(self, start: int, end: int | None, text: str | None) -> Span:
        """The span in code points, half-open. `end` or `text` may be None, not both. Raises Misplaced where an offset lies
        inside a character or outside the text, where nothing is between them, or where another text stands there."""
        first = self._offsets.to_code_point(start)
        if end is None:
            last = None if first is None or first + len(text) > len(self.text) else first + len(text)
        else:
            last = self._offsets.to_code_point(end)
        if text == "":
            raise self._misplaced("the text is empty", start, end, text)
        if text is not None and first is not None and last is not None and self.text[first:last] == text:
            return first, last
        if text is not None and first is not None and self.text.startswith(text, first):
            right = self._anchors.in_unit(first + len(text))
            raise self._misplaced(f"the text stands at the offset, but ends at {right}, not {end}", start, end, text)
        if text is not None and (hint := self._hint(start, text)):
            raise self._misplaced(f"the text does not stand at the offset; it does {hint}", start, end, text)
        length = self._anchors.in_unit(len(self.text))
        for offset, place in ((start, first), (end, last)):
            if place is None and offset is not None and 0 <= offset <= length:
                reason = f"offset {offset} lies inside a character: offsets count {UNITS[self._unit]}"
                raise self._misplaced(reason, start, end, text)
        if first is None or last is None:
            counted = "characters" if self._unit == "code_point" else UNITS[self._unit]
            raise self._misplaced(
                f"the span lies outside the {self._name}, which has {length} {counted}", start, end, text
            )
        if last <= first:
            raise self._misplaced("the span is empty", start, end, text)
        if text is not None:
            raise self._misplaced("the text does not stand at the offset", start, end, text)
        return first, last

    def quote(self, quote: str, occurrence: int | None = None) -> Span:
        """The place of `quote`, which must be the only one, or the `occurrence`-th (from 1; occurrences may overlap).
        Raises Misplaced where there is none, or too many, or too few."""
        places = list(occurrences(quote, self.text, 0, len(self.text))) if quote else []
        if occurrence is None and len(places) == 1:
            return places[0], places[0] + len(quote)
        if occurrence is not None and 1 <= occurrence <= len(places):
            place = places[occurrence - 1]
            return place, place + len(quote)
        if not places:
            reason = f"the quote does not occur in the {self._name}" if quote else "the quote is empty"
            raise Misplaced(reason, None, "", None, self._similar(quote) if quote else None)
        told = ", ".join(map(str, places[:5])) + (", ..." if len(places) > 5 else "")
        count = f"{len(places)} time{'s' * (len(places) != 1)}"
        reason = f"the quote occurs {count} in the {self._name} (at {told})"
        asked = ": name one by occurrence" if occurrence is None else f", so there is no occurrence {occurrence}"
        raise Misplaced(reason + asked, None, "", places[0], None)

    def rejected(self, reason: str, start: int, text: str) -> Misplaced:
        """What is told of a span that is rejected for a reason of its own."""
        return self._misplaced(reason, start, None, text)

    @cached_property
    def _offsets(self) -> UnitOffsets:
        return UnitOffsets(self.text, self._unit)

    def _misplaced(self, reason: str, start: int, end: int | None, text: str | None) -> Misplaced:
        nearest = self._anchors.nearest(text, start) if text else None
        similar = self._similar(text) if text and not nearest else None
        return Misplaced(reason, start, self._found(start, end, text), nearest[0] if nearest else None, similar)

    def _found(self, start: int, end: int | None, text: str | None) -> str:
        """What stands at the offset, cut at the text's ends; nothing where the offset is no place."""
        first = self._offsets.to_code_point(start)
        if first is None:
            return ""
        last = None if end is None else self._offsets.to_code_point(end)
        return self.text[first : first + len(text or "") if last is None else last]

    def _hint(self, start: int, text: str) -> str | None:
        """In what other way of counting the text would stand at the offset."""
        for unit, name in UNITS.items():
            if unit != self._unit:
                offsets = self._other_units.setdefault(unit, UnitOffsets(self.text, unit))
                place = offsets.to_code_point(start)
                if place is not None and self.text.startswith(text, place):
                    return f"if offsets count {name}"
        if start < 0:
            return None
        for changed, part, hint in self._changed(text):
            offset = UnitOffsets(changed, self._unit).to_code_point(start) if changed != self.text else None
            if offset is not None and changed.startswith(part, offset):
                return hint
        return None

    def _changed(self, text: str):
        yield self.text.replace("\r\n", "\n"), text.replace("\r\n", "\n"), "if CR LF counts as one character"
        yield self.text.removeprefix("\ufeff"), text, "without the byte order mark"
        for form in ("NFC", "NFD"):
            yield unicodedata.normalize(form, self.text), unicodedata.normalize(form, text), f"in Unicode form {form}"

    def _similar(self, text: str) -> dict[str, Any] | None:
        found = similar(text, self.text)
        if found is None:
            return None
        (start, end), share = found
        place = {"start": self._anchors.in_unit(start), "end": self._anchors.in_unit(end)}
        return {**place, "text": self.text[start:end], "similarity": share}


def similar(part: str, text: str) -> tuple[Span, float] | None:
    """Where in `text` something most like `part` stands, and how like it is: twice the characters in common over those of
    both, in two digits, case, kinds of white space and of quotation marks apart. None where nothing is alike."""
    sought, searched = _folded(part[:_COMPARED]), _folded(text)
    gram = min(8, max(2, len(sought) // 2))
    width = max(len(sought) // 4, gram)
    votes: Counter[int] = Counter()
    for offset in range(0, len(sought) - gram + 1, max(1, len(sought) // 64)):
        for place in islice(occurrences(sought[offset : offset + gram], searched, 0, len(searched)), 64):
            votes[(place - offset) // width] += 1
    if not votes:
        return None
    best = max(votes, key=lambda bucket: (votes[bucket] + votes[bucket + 1], -bucket))
    from_, to = max(0, (best - 1) * width), (best + 2) * width + len(sought)
    blocks = SequenceMatcher(None, sought, searched[from_:to], autojunk=False).get_matching_blocks()[:-1]
    if not blocks:
        return None
    start, end = from_ + blocks[0].b, from_ + blocks[-1].b + blocks[-1].size
    share = 2 * sum(block.size for block in blocks) / (len(sought) + end - start)
    return ((start, end), round(share, 2)) if share >= _ALIKE else None


def _folded(text: str) -> str:
    """The text, character by character, without what people see as the same."""
    text = text.translate(_TYPOGRAPHIC)
    lower = text.lower()
    text = lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return "".join(" " if c.isspace() else c for c in text)
