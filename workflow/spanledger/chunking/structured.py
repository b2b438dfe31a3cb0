"""Chunks that keep to a document's structure."""

from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.chunking.paragraph import paragraphs
from spanledger.chunking.piece import Piece, apart
from spanledger.chunking.window import Window
from spanledger.core import units
from spanledger.core.records import Document, Element

_FAMILIES = {"code": "code", "table_header": "table", "table_row": "table"}  # every other kind is prose


@dataclass(frozen=True, slots=True)
class Structured:
    """Neighbouring elements with the same groups, section and family (prose, code or table) are joined by LF while they
    have at most `chunk_size` units together.

    An element that is longer on its own is cut into windows of `chunk_size` with `chunk_overlap` (see `Window`), and its
    tail joins nothing. In front of the body are searched the titles of the section, one a line, and then the header of
    a table row where it is not in the chunk itself. A document without elements is taken as paragraphs without a
    section. Text outside of elements is in no chunk. Raises ValueError unless 0 <= chunk_overlap < chunk_size, and for
    elements that overlap.
    """

    unit: str
    chunk_size: int
    chunk_overlap: int
    version = 1

    def __post_init__(self):
        Window(self.unit, self.chunk_size, self.chunk_overlap)

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        """The chunks of a document in the order of their elements."""
        parts = apart("structured", elements) or [
            Element(str(place), document.doc_id, document.version, span)
            for place, span in enumerate(paragraphs(document.text))
        ]
        headers = {element.element_id: document.text[slice(*element.span)] for element in elements}
        window = Window(self.unit, self.chunk_size, self.chunk_overlap)
        gathered: list[Element] = []
        for element in parts:
            start, end = element.span
            if units.count(document.text[start:end], self.unit) > self.chunk_size:
                yield from self._gathered(gathered, headers)
                gathered = []
                for first, last in window.split(document.text[start:end]):
                    yield Piece(((start + first, start + last),), self._heading([element], headers))
                continue
            if gathered and not self._joins(document, gathered, element):
                yield from self._gathered(gathered, headers)
                gathered = []
            gathered.append(element)
        yield from self._gathered(gathered, headers)

    def _joins(self, document: Document, gathered: list[Element], element: Element) -> bool:
        last = gathered[-1]
        if (last.acl, last.section_path, _family(last)) != (element.acl, element.section_path, _family(element)):
            return False
        body = "\n".join(document.text[slice(*part.span)] for part in [*gathered, element])
        return units.count(body, self.unit) <= self.chunk_size

    def _gathered(self, gathered: list[Element], headers: dict[str, str]) -> Iterator[Piece]:
        if gathered:
            yield Piece(tuple(element.span for element in gathered), self._heading(gathered, headers))

    def _heading(self, gathered: list[Element], headers: dict[str, str]) -> tuple[str, ...]:
        present = {element.element_id for element in gathered}
        wanted = dict.fromkeys(e.header_id for e in gathered if e.header_id is not None and e.header_id not in present)
        return (*gathered[0].section_path, *(headers[header] for header in wanted if headers[header]))


def _family(element: Element) -> str:
    return _FAMILIES.get(element.kind, "prose")
