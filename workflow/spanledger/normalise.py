"""Stage normalise: the text that is chunked, made from the raw text under a declared policy, with the way back.

Gold stays in raw spans, and so do the spans of chunks; only text that is split and searched is normalised.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from spanledger.core.files import sha256
from spanledger.core.offsets import OffsetMap, changes_of
from spanledger.core.records import Document, Element

_KEEP = "keep"
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


@dataclass(frozen=True, slots=True)
class Policy:
    """What normalise changes; `keep` leaves the text as it is.

    newlines    lf: CR LF and a lone CR become LF
    bom         drop: U+FEFF at the very beginning goes
    zero_width  drop: U+200B to U+200D, U+2060 and a U+FEFF that is not at the very beginning go
    unicode     NFC, NFD, NFKC or NFKD, after the other three
    """

    newlines: str = _KEEP
    bom: str = _KEEP
    zero_width: str = _KEEP
    unicode: str = _KEEP

    def __post_init__(self):
        for name, valid in (("newlines", "lf"), ("bom", "drop"), ("zero_width", "drop")):
            if getattr(self, name) not in (_KEEP, valid):
                raise ValueError(f"normalise.{name}: expected keep or {valid}, found '{getattr(self, name)}'")
        if self.unicode not in (_KEEP, *_FORMS):
            raise ValueError(f"normalise.unicode: expected keep, {', '.join(_FORMS)}, found '{self.unicode}'")

    @classmethod
    def of(cls, setting: dict[str, Any]) -> "Policy":
        """From the resolved section normalise, which holds more than what is done to texts."""
        return cls(**{f.name: setting[f.name] for f in fields(cls)})

    def apply(self, raw: str) -> tuple[str, tuple[tuple[int, int, int, int], ...] | None]:
        """The normalised text, and the changes that lead back to `raw` (see `offsets`)."""
        pieces = list(self._replaced(raw))
        text = "".join(new for _, new in pieces)
        if self.unicode != _KEEP and not unicodedata.is_normalized(self.unicode, text):
            pieces = list(_composed(pieces, self.unicode))
            expected = unicodedata.normalize(self.unicode, text)
            text = "".join(new for _, new in pieces)
            if text != expected:  # a composition across pieces that the walk did not foresee: exact, if coarse
                pieces, text = [(raw, expected)], expected
        return text, changes_of(pieces)

    def _replaced(self, raw: str) -> Iterator[tuple[str, str]]:
        patterns = []
        if self.newlines != _KEEP:
            patterns.append(r"\r\n?")
        if self.bom != _KEEP:
            patterns.append(r"\A\ufeff")
        if self.zero_width != _KEEP:
            patterns.append(rf"(?!\A\ufeff)[{_ZERO_WIDTH}]")
        here = 0
        for match in re.finditer("|".join(patterns), raw) if patterns else ():
            if here < match.start():
                yield raw[here : match.start()], raw[here : match.start()]
            yield match[0], "\n" if match[0].startswith("\r") else ""
            here = match.end()
        if here < len(raw):
            yield raw[here:], raw[here:]


def _composed(pieces: list[tuple[str, str]], form: str) -> Iterator[tuple[str, str]]:
    """Splits pieces into the smallest runs that normalise on their own, and normalises each."""
    raw_run = run = ""
    for raw, new in pieces:
        for raw_part, character in zip(raw, new, strict=True) if raw == new else [(raw, new)]:
            if run and character and _separable(run, character, form):
                yield raw_run, unicodedata.normalize(form, run)
                raw_run = run = ""
            raw_run, run = raw_run + raw_part, run + character
    if raw_run:
        yield raw_run, unicodedata.normalize(form, run)


def _separable(run: str, character: str, form: str) -> bool:
    if run[-1].isascii() and character.isascii():
        return True
    decomposed = unicodedata.normalize("NFKD" if form in ("NFKC", "NFKD") else "NFD", character)
    if unicodedata.combining(decomposed[0]):
        return False
    both = unicodedata.normalize(form, run + character)
    return both == unicodedata.normalize(form, run) + unicodedata.normalize(form, character)


def normalise_documents(documents: list[Document], policy: Policy) -> list[Document]:
    """Every document with its normalised text, the text's digest and the map back to raw; order kept."""
    result = []
    for document in documents:
        text, offsets = policy.apply(document.text)
        result.append(replace(document, text=text, text_sha256=sha256(text.encode()), offsets=offsets))
    return result


def normalise_elements(elements: list[Element], documents: list[Document], policy: Policy) -> list[Element]:
    """Every element with its span moved from the raw to the normalised text of its document, and the titles above it, which
    are searched too, normalised as that text; order kept."""
    maps = {document.key: OffsetMap(document.offsets) for document in documents}
    result = []
    for element in elements:
        span = maps[element.doc_id, element.version].from_raw(element.span)
        titles = tuple(policy.apply(title)[0] for title in element.section_path)
        result.append(replace(element, span=span, section_path=titles))
    return result
