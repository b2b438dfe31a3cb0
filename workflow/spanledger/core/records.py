"""What the stages pass on: documents, elements, queries and chunks. Gold has a module of its own that the stages from
chunk to select never import.

Every order among documents, elements and queries is that of their `order` functions, never that of a file's lines.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from spanledger.core.spans import Span

DocumentKey = tuple[str, str]  # (doc_id, version)


@dataclass(frozen=True, slots=True)
class Document:
    """One immutable version of a document.

    `text` is raw after validate and normalised after normalise; `text_sha256` is the digest of its UTF-8 bytes.
    `offsets` leads from the text to the raw text (see `offsets.OffsetMap`); None is the identity. `acl` holds the
    groups that may read it, None everyone. `position` is its place where some order of documents matters, else None.
    """

    doc_id: str
    version: str
    text: str
    text_sha256: str
    raw_sha256: str
    current: bool = True
    visibility: str = "public"
    acl: tuple[str, ...] | None = None
    position: int | None = None
    offsets: tuple[tuple[int, int, int, int], ...] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> DocumentKey:
        return self.doc_id, self.version

    @property
    def order(self) -> tuple:
        return (self.position is None, self.position or 0, self.doc_id, self.version)


@dataclass(frozen=True, slots=True)
class Element:
    """A part of one document: `span` in code points of the document's text, a `kind`, the titles above it
    (`section_path`), the groups that may read it, and for a table row the `header_id` of its header."""

    element_id: str
    doc_id: str
    version: str
    span: Span
    kind: str = "paragraph"
    section_path: tuple[str, ...] = ()
    acl: tuple[str, ...] | None = None
    header_id: str | None = None
    labels: dict[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> tuple:
        return (self.doc_id, self.version, self.span, self.element_id)


@dataclass(frozen=True, slots=True)
class Query:
    """A question as retrieval may see it: no facts, no tags. `groups` are the asker's; `versions` are those it asks
    about (none: the current ones)."""

    query_id: str
    text: str
    groups: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    position: int | None = None

    @property
    def order(self) -> tuple:
        return (self.position is None, self.position or 0, self.query_id)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one chunking makes of a document.

    `ordinal` counts from 0 in the order of the chunk table, which is that of the documents and then of the spans.
    `spans` are raw; `body` is their normalised text, joined by LF; `retrieval_text` is what is searched (None: the
    body). `lengths` counts the body in each unit that the chunking used, characters always.
    """

    chunk_id: str
    ordinal: int
    doc_id: str
    version: str
    spans: tuple[Span, ...]
    body: str
    lengths: dict[str, int]
    retrieval_text: str | None = None
    acl: tuple[str, ...] | None = None

    @property
    def key(self) -> DocumentKey:
        return self.doc_id, self.version

    @property
    def searched(self) -> str:
        return self.body if self.retrieval_text is None else self.retrieval_text

    @property
    def heading(self) -> str:
        """The lines that are searched in front of the body, with their line end; empty without any."""
        return self.searched.removesuffix(self.body)


Record = TypeVar("Record", Document, Element, Query, Chunk)


def to_record(item: Record) -> dict[str, Any]:
    """A dataclass as the dictionary that is written, fields in their declared order."""
    return {f.name: getattr(item, f.name) for f in fields(item)}


def from_record(kind: type[Record], record: dict[str, Any]) -> Record:
    """The inverse of `to_record` after a round trip through JSON: lists become tuples again."""
    return kind(**{name: _tuples(value) for name, value in record.items()})


def from_records(kind: type[Record], records: Iterable[dict[str, Any]]) -> list[Record]:
    """`from_record` for a whole file."""
    return [from_record(kind, record) for record in records]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
