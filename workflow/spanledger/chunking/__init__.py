"""Stage chunk: cuts every document by one named chunking into a table of chunks."""

import statistics
from collections.abc import Callable
from typing import Any

from spanledger.chunking.adapters import Chonkie, LangChain, Semchunk
from spanledger.chunking.document import Whole
from spanledger.chunking.paragraph import Aggregate, Paragraph
from spanledger.chunking.piece import Piece
from spanledger.chunking.plugin import PluginChunker
from spanledger.chunking.recursive import Recursive
from spanledger.chunking.sentence import Sentence
from spanledger.chunking.structured import Structured
from spanledger.chunking.window import Window
from spanledger.core import units
from spanledger.core.files import canonical, sha256
from spanledger.core.offsets import OffsetMap
from spanledger.core.plugins import FORM, is_plugin
from spanledger.core.records import Chunk, Document, DocumentKey, Element
from spanledger.core.spans import Span, SpanIndex, check, covers, length, union

METHODS: dict[str, Callable[..., Any]] = {
    "window": Window,
    "paragraph": Paragraph,
    "aggregate": Aggregate,
    "sentence": Sentence,
    "recursive": Recursive,
    "structured": Structured,
    "document": Whole,
    "langchain": LangChain,
    "chonkie": Chonkie,
    "semchunk": Semchunk,
}


def chunk_documents(
    documents: list[Document], elements: list[Element], setting: dict[str, Any]
) -> tuple[list[Chunk], dict[str, Any]]:
    """The chunk table of a corpus, and its counters.

    `documents` and `elements` come from normalise, in any order; `setting` is one resolved setting of the section chunk.
    The table's order is that of the documents (position, then doc_id and version by code point) and then of the spans;
    ordinals count it from 0. Every chunk's body is checked against its document. The union of a document's chunks need
    not be the document. Counters of characters count the raw text; of methods that give strings they say how many could
    not be placed (see `placing`). Raises ValueError for an unknown method or a value out of range, and InputError for a
    fault of a plugin or of another library.
    """
    options = dict(setting)
    name = options.pop("method")
    if name not in METHODS and not is_plugin(name):
        raise ValueError(f"chunk method '{name}': expected one of {', '.join(sorted(METHODS))}, or {FORM}")
    method = PluginChunker(name, **options) if is_plugin(name) else METHODS[name](**options)
    return cut(documents, elements, name, method)


def cut(
    documents: list[Document], elements: list[Element], name: str, method: Any
) -> tuple[list[Chunk], dict[str, Any]]:
    """`chunk_documents` by a method that is at hand already, whose chunks are known by `name`."""
    parts: dict[DocumentKey, list[Element]] = {}
    for element in sorted(elements, key=lambda e: e.order):
        parts.setdefault((element.doc_id, element.version), []).append(element)
    chunks: list[Chunk] = []
    source = covered = duplicated = units_of_source = 0
    for document in sorted(documents, key=lambda d: d.order):
        offsets = OffsetMap(document.offsets)
        own = parts.get(document.key, [])
        guarded = [element for element in own if element.acl is not None]
        guards = SpanIndex((*element.span, number) for number, element in enumerate(guarded))
        raw_spans: list[Span] = []
        ids: set[str] = set()
        units_of_source += units.count(document.text, method.unit)
        for piece in method.pieces(document, own):
            held = {number for span in piece.spans for number in guards.touching(span)}
            acl = _acl(document, [guarded[number].acl for number in held])
            chunk = _chunk(document, piece, offsets, len(chunks), name, method, acl)
            # Cuts inside one change of normalise (ﬀ to ff) may give the same raw span and body again: one chunk.
            if chunk.chunk_id not in ids:
                ids.add(chunk.chunk_id)
                chunks.append(chunk)
                raw_spans.extend(chunk.spans)
        distinct = length(union(raw_spans))
        source += offsets.to_raw((0, len(document.text)))[1]
        covered += distinct
        duplicated += length(raw_spans) - distinct
    lengths = [chunk.lengths[method.unit] for chunk in chunks]
    counters = {
        "documents": len(documents),
        "chunks": len(chunks),
        "source_char": source,
        "covered_char": covered,
        "duplicated_char": duplicated,
        "nobody_may_read": sum(1 for chunk in chunks if chunk.acl == ()),
        "inside_predecessor": sum(map(_inside, chunks, chunks[1:])),
        "with_heading": sum(chunk.retrieval_text is not None for chunk in chunks),
        "unit": method.unit,
        "source_units": units_of_source,
        "chunk_units": sum(lengths),
        "shortest": min(lengths, default=None),
        "median": statistics.median_low(lengths) if lengths else None,
        "longest": max(lengths, default=None),
        **getattr(method, "counters", {}),
    }
    return chunks, counters


def _inside(before: Chunk, chunk: Chunk) -> bool:
    """Whether a chunk lies wholly inside the one before it."""
    return before.key == chunk.key and all(covers(before.spans, span) for span in chunk.spans)


def _chunk(
    document: Document,
    piece: Piece,
    offsets: OffsetMap,
    ordinal: int,
    name: str,
    method: Any,
    acl: tuple[str, ...] | None,
) -> Chunk:
    if not check(piece.spans, len(document.text)):
        raise ValueError(
            f"chunk method '{name}' gave the spans {list(piece.spans)} in {document.key}: expected spans that are not "
            f"empty, ascending, disjoint and inside the {len(document.text)} characters of its text"
        )
    body = "\n".join(document.text[start:end] for start, end in piece.spans)
    raw = tuple(offsets.to_raw(span) for span in piece.spans)
    identity = [name, method.version, document.doc_id, document.version, raw, sha256(body.encode())]
    lengths = {unit: units.count(body, unit) for unit in dict.fromkeys(("char", method.unit))}
    return Chunk(
        sha256(canonical(identity))[:16],
        ordinal,
        document.doc_id,
        document.version,
        raw,
        body,
        lengths,
        retrieval_text="\n".join([*piece.heading, body]) if piece.heading else None,
        acl=acl,
    )


def _acl(document: Document, element_acls: list[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Whoever reads a chunk reads all that it was cut from, so only groups that may read every part are left; an empty
    tuple means nobody."""
    if not element_acls:
        return document.acl
    allowed = set.intersection(*map(set, element_acls))
    return tuple(sorted(allowed if document.acl is None else allowed & set(document.acl)))
