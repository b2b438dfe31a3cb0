"""What stands around a piece of evidence in its document: elements, the rest of a table or of a code block, titles."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spanledger.core.offsets import OffsetMap
from spanledger.core.records import Document, DocumentKey, Element
from spanledger.core.spans import Span, SpanIndex
from spanledger.gold import Evidence

TABLE = ("table_header", "table_row")
CODE = ("code",)
_HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Part:
    """An element with its raw span, and its normalised text."""

    element: Element
    span: Span
    text: str


class Structure:
    """The elements of a corpus by place. `documents` and `elements` come from normalise, in any order."""

    def __init__(self, documents: Iterable[Document], elements: Iterable[Element]):
        self._documents = {document.key: document for document in documents}
        maps: dict[DocumentKey, OffsetMap] = {}
        self._parts: dict[DocumentKey, list[Part]] = {}
        for element in sorted(elements, key=lambda e: e.order):
            key = element.doc_id, element.version
            if element.span[0] < element.span[1]:  # normalise may have dropped all of an element's text
                offsets = maps.setdefault(key, OffsetMap(self._documents[key].offsets))
                text = self._documents[key].text[slice(*element.span)]
                self._parts.setdefault(key, []).append(Part(element, offsets.to_raw(element.span), text))
        self._indexes = {
            key: SpanIndex((*part.span, place) for place, part in enumerate(parts))
            for key, parts in self._parts.items()
        }
        self._by_id = {part.element.element_id: part for parts in self._parts.values() for part in parts}
        self._headers: dict[str, Part] = {}
        for parts in self._parts.values():
            self._headers |= _headers(parts, self._by_id)
        self._headings = {
            key: [part for part in parts if part.element.kind == _HEADING] for key, parts in self._parts.items()
        }

    def document(self, key: DocumentKey) -> Document:
        """That document version, with its normalised text."""
        return self._documents[key]

    def touching(self, key: DocumentKey, span: Span) -> list[Part]:
        """The elements that share a character with a raw span, in the order of the document."""
        index = self._indexes.get(key)
        return [self._parts[key][place] for place in sorted(index.touching(span))] if index else []

    def belonging(self, evidence: Evidence, kinds: Sequence[str]) -> list[Part]:
        """The elements of these kinds that hold some of the evidence, and the headers of those that are table rows."""
        held = [part for part in self.touching(evidence.key, evidence.span) if part.element.kind in kinds]
        headers = (self._headers.get(part.element.element_id) for part in held)
        every = [*held, *(header for header in headers if header is not None)]
        return list({part.element.element_id: part for part in every}.values())

    def titles(self, evidence: Evidence) -> list[str]:
        """What stands above the evidence: the title of its document (`title` of its metadata, else its id), the titles
        of its sections, and the last heading in front of it."""
        named = self._documents[evidence.key].metadata.get("title")
        titles = [named if isinstance(named, str) and named else evidence.doc_id]
        for part in self.touching(evidence.key, evidence.span):
            titles += part.element.section_path
        heading = self._heading(evidence.key, evidence.span[0])
        if heading is not None:
            titles.append(heading.text)
        return list(dict.fromkeys(titles))

    def topics(self, key: DocumentKey, spans: Iterable[Span]) -> int | None:
        """How many sections raw spans touch, None for a document without elements. A section is a distinct section
        path; where the document has none, what stands under one heading; without headings a table or an element."""
        if key not in self._parts:
            return None
        parts = {part.element.element_id: part for span in spans for part in self.touching(key, span)}
        if any(part.element.section_path for part in self._parts[key]):
            return len({part.element.section_path for part in parts.values()})
        if self._headings[key]:
            return len({self._heading(key, part.span[0]) for part in parts.values()})
        return len({self._headers.get(name, part).element.element_id for name, part in parts.items()})

    def _heading(self, key: DocumentKey, place: int) -> Part | None:
        """The last heading at or in front of a raw place."""
        headings = self._headings.get(key, [])
        found = bisect_right(headings, place, key=lambda part: part.span[0])
        return headings[found - 1] if found else None

    def text(self, evidence: Evidence) -> str:
        """The normalised text of the evidence; empty where normalise dropped all of it."""
        document = self._documents[evidence.key]
        start, end = OffsetMap(document.offsets).from_raw(evidence.span)
        return document.text[start:end]

    def around(self, key: DocumentKey, place: int, width: int = 16) -> str:
        """The normalised text on both sides of a raw place, which is marked by ¦; lines are joined by spaces."""
        document = self._documents[key]
        here = OffsetMap(document.offsets).from_raw((place, place + 1))[0]
        before, after = document.text[max(0, here - width) : here], document.text[here : here + width]
        return " ".join(f"{before}¦{after}".split())


def _headers(parts: list[Part], by_id: dict[str, Part]) -> dict[str, Part]:
    """The header of each table row of a document by the row's id: the element that it names, else the first of the run
    of neighbouring table elements of its section."""
    found: dict[str, Part] = {}
    first: Part | None = None
    for before, part in pairwise([None, *parts]):
        element = part.element
        if element.kind not in TABLE:
            first = None
            continue
        same = before is not None and before.element.section_path == element.section_path
        first = first if first is not None and same else part
        header = by_id.get(element.header_id) if element.header_id is not None else first
        if header is not None and header is not part:
            found[element.element_id] = header
    return found
