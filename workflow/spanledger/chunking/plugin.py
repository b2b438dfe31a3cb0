"""A chunker of the user's own: a function of a text that gives spans of it, or strings that are searched in it."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from spanledger.chunking.piece import Piece
from spanledger.chunking.placing import Fragment, place
from spanledger.core.plugins import Plugin, index_of, shown
from spanledger.core.records import Document, Element
from spanledger.core.spans import Span


class PluginChunker:
    """`def FUNCTION(text, **options)` of a plugin; `name` is plugins.MODULE:FUNCTION, `unit` what counters measure its
    chunks in.

    It returns the chunks of a document's (normalised) text in their order: pairs (start, end), half-open in code points,
    which must be whole numbers inside the text, not empty, ascending by start and then end, and none twice; or strings,
    which are placed (see `placing`). Raises InputError for anything else, and for a mix of both.
    """

    version = 1

    def __init__(self, name: str, unit: str = "char", options: dict[str, Any] | None = None):
        self.unit = unit
        self._plugin = Plugin(name, "chunker", options or {})
        self._counted = dict.fromkeys(("fragments", "not_placed", "ambiguous"), 0)
        self._strings = False

    @property
    def counters(self) -> dict[str, int]:
        """What became of strings (see `placing.Placed`), summed over the documents so far; nothing without any."""
        return self._counted if self._strings else {}

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        """The chunks of a document; elements are no part of what a plugin is given."""
        given = f"document '{document.doc_id}' {document.version}"
        found = self._plugin.items(given, document.text)
        return (Piece((span,)) for span in self._spans(given, document.text, found))

    def _spans(self, given: str, text: str, found: list[Any]) -> tuple[Span, ...]:
        if found and all(isinstance(item, str) for item in found):
            placed = place(text, map(Fragment, found))
            self._strings = True
            for name in self._counted:
                self._counted[name] += getattr(placed, name)
            return placed.spans
        spans = tuple(self._span(given, text, number, item) for number, item in enumerate(found))
        for number, (before, span) in enumerate(pairwise(spans), 1):
            if span <= before:
                raise self._plugin.error(
                    f"expected spans in ascending order, none twice, for {given}, found {span} at place {number} after "
                    f"{before}"
                )
        return spans

    def _span(self, given: str, text: str, number: int, item: Any) -> Span:
        pair = item if isinstance(item, tuple | list) and len(item) == 2 else (None, None)
        start, end = map(index_of, pair)
        if start is None or end is None:
            raise self._plugin.error(
                f"expected pairs (start, end) of whole numbers, or strings alone, for {given}, found {shown(item)} at "
                f"place {number}"
            )
        if not 0 <= start < end <= len(text):
            raise self._plugin.error(
                f"expected a span that is not empty and inside the {len(text)} characters of {given}, found "
                f"({start}, {end}) at place {number}"
            )
        return start, end
