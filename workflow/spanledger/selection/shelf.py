"""What a selector takes from: the chunk table, the texts that chunks were cut from, and the parents of chunks."""

from spanledger.core.analyzers import analyzer
from spanledger.core.offsets import OffsetMap
from spanledger.core.records import Chunk, Document, DocumentKey
from spanledger.core.spans import Span, SpanIndex, covers
from spanledger.selection.measure import Measure
from spanledger.selection.rendering import Rendering


class Shelf:
    """Answers a selector's questions about the chunks of one table.

    `documents` are the normalised ones and are needed where chunks are merged or a template has titles; `parents` is the
    table that parents are taken from, None without any.
    """

    def __init__(self, chunks: list[Chunk], documents: list[Document] = (), parents: list[Chunk] | None = None):
        self.chunks = chunks
        self._documents = {document.key: document for document in documents}
        self._parents = parents
        self.raw = all(document.offsets is None for document in documents)  # whether texts are as in the dataset
        self._measures: dict[tuple[Rendering, str], Measure] = {}
        self._terms: dict[tuple[str, int], frozenset[str]] = {}
        self._parent_of: dict[int, Chunk | None] = {}
        triples: dict[DocumentKey, list[tuple[int, int, int]]] = {}
        for parent in parents or ():
            triples.setdefault(parent.key, []).extend((s, e, parent.ordinal) for s, e in parent.spans)
        self._parent_spans = {key: SpanIndex(found) for key, found in triples.items()}

    def measure(self, rendering: Rendering, unit: str) -> Measure:
        """What counts contexts of these chunks and parents; one for each rendering and unit."""
        if (rendering, unit) not in self._measures:
            chunks = [*self.chunks, *(self._parents or ())]
            self._measures[rendering, unit] = Measure(rendering, unit, chunks, self.title)
        return self._measures[rendering, unit]

    def title(self, key: DocumentKey) -> str:
        """The `title` of a document's metadata; empty without one, or where it is no text."""
        title = self._documents[key].metadata.get("title") if key in self._documents else None
        return title if isinstance(title, str) else ""

    def terms(self, analyzer_name: str, ordinal: int) -> frozenset[str]:
        """The distinct terms of a chunk's body."""
        if (analyzer_name, ordinal) not in self._terms:
            self._terms[analyzer_name, ordinal] = frozenset(analyzer(analyzer_name)(self.chunks[ordinal].body))
        return self._terms[analyzer_name, ordinal]

    def parent(self, ordinal: int) -> Chunk | None:
        """The first parent, by ordinal, that holds all of the chunk; None where there is none."""
        if ordinal not in self._parent_of:
            self._parent_of[ordinal] = self._find_parent(self.chunks[ordinal])
        return self._parent_of[ordinal]

    def _find_parent(self, chunk: Chunk) -> Chunk | None:
        if chunk.key not in self._parent_spans:
            return None
        for ordinal in sorted(set(self._parent_spans[chunk.key].touching(chunk.spans[0]))):
            if all(covers(self._parents[ordinal].spans, span) for span in chunk.spans):
                return self._parents[ordinal]
        return None

    def text(self, key: DocumentKey, spans: list[Span]) -> str:
        """The normalised text of raw spans of a document, joined by LF."""
        document = self._documents[key]
        offsets = OffsetMap(document.offsets)
        return "\n".join(document.text[slice(*offsets.from_raw(span))] for span in spans)
