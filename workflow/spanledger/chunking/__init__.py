"""Stage chunk: cuts every document by one named chunking into a table of chunks."""

from collections.abc import Callable
from typing import Any

from spanledger.chunking.document import Whole
from spanledger.chunking.paragraph import Paragraph
from spanledger.chunking.window import Window
from spanledger.core import units
from spanledger.core.files import canonical, sha256
from spanledger.core.offsets import OffsetMap
from spanledger.core.records import Chunk, Document, Element
from spanledger.core.spans import Span, SpanIndex, length, union

METHODS: dict[str, Callable[..., Any]] = {"window": Window, "paragraph": Paragraph, "document": Whole}


def chunk_documents(
    documents: list[Document], elements: list[Element], setting: dict[str, Any]
) -> tuple[list[Chunk], dict[str, Any]]:
    """The chunk table of a corpus, and its counters.

    `documents` and `elements` come from normalise, in any order; `setting` is one resolved setting of the section chunk.
    The table's order is that of the documents (position, then doc_id and version by code point) and then of the spans;
    ordinals count it from 0. Every chunk's body is checked against its document. The union of a document's chunks need
    not be the document. Counters of characters count the raw text. Raises ValueError for an unknown method or a value
    out of range.
    """
    options = dict(setting)
    name = options.pop("method")
    if name not in METHODS:
        raise ValueError(f"chunk method '{name}': expected one of {', '.join(sorted(METHODS))}")
    method = METHODS[name](**options)
    guarded: dict[tuple[str, str], list[Element]] = {}
    for element in elements:
        if element.acl is not None:
            guarded.setdefault((element.doc_id, element.version), []).append(element)
    chunks: list[Chunk] = []
    source = covered = duplicated = 0
    for document in sorted(documents, key=lambda d: d.order):
        offsets = OffsetMap(document.offsets)
        own = guarded.get(document.key, [])
        guards = SpanIndex((*element.span, number) for number, element in enumerate(own))
        raw_spans: list[Span] = []
        ids: set[str] = set()
        for span in method.split(document.text):
            raw = offsets.to_raw(span)
            acl = _acl(document, [own[number].acl for number in guards.touching(span)])
            chunk = _chunk(document, span, raw, len(chunks), name, method, acl)
            # Cuts inside one change of normalise (ﬀ to ff) may give the same raw span and body again: one chunk.
            if chunk.chunk_id not in ids:
                ids.add(chunk.chunk_id)
                chunks.append(chunk)
                raw_spans.append(raw)
        distinct = length(union(raw_spans))
        source += offsets.to_raw((0, len(document.text)))[1]
        covered += distinct
        duplicated += length(raw_spans) - distinct
    counters = {
        "documents": len(documents),
        "chunks": len(chunks),
        "source_char": source,
        "covered_char": covered,
        "duplicated_char": duplicated,
        "nobody_may_read": sum(1 for chunk in chunks if chunk.acl == ()),
    }
    return chunks, counters


def _chunk(
    document: Document, span: Span, raw: Span, ordinal: int, name: str, method: Any, acl: tuple[str, ...] | None
) -> Chunk:
    body = document.text[span[0] : span[1]]
    if not body or not 0 <= span[0] < span[1] <= len(document.text):
        raise ValueError(f"chunk method '{name}' gave span {span} in {document.key}, which has no text there")
    identity = [name, method.version, document.doc_id, document.version, [raw], sha256(body.encode())]
    lengths = {unit: units.count(body, unit) for unit in dict.fromkeys(("char", method.unit))}
    return Chunk(
        sha256(canonical(identity))[:16],
        ordinal,
        document.doc_id,
        document.version,
        (raw,),
        body,
        lengths,
        acl=acl,
    )


def _acl(document: Document, element_acls: list[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Whoever reads a chunk reads all that it was cut from, so only groups that may read every part are left; an empty
    tuple means nobody."""
    if not element_acls:
        return document.acl
    allowed = set.intersection(*map(set, element_acls))
    return tuple(sorted(allowed if document.acl is None else allowed & set(document.acl)))
