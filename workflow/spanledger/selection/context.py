"""The context of a query, as select passes it on."""

from dataclasses import dataclass
from typing import Any

from spanledger.core.records import DocumentKey
from spanledger.core.spans import Span

OUTSIDE_TOP_K = "outside-top-k"
DOES_NOT_FIT = "does-not-fit"
REDUNDANT = "redundant"
PARENT_IN_CONTEXT = "parent-in-context"
NOT_CHOSEN = "not-chosen"  # by a plugin, whose reasons are its own
REASONS = (DOES_NOT_FIT, OUTSIDE_TOP_K, REDUNDANT, PARENT_IN_CONTEXT)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A run of neighbouring candidates that were passed over for one reason, with what was left of the budget then
    (in the selector's unit; None without a budget)."""

    reason: str
    remaining: int | None
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """One passage of a context that is not simply a chunk: raw spans of one document version, their text, the groups that
    may read it (None: everyone), the candidates that it stands for, and the heading of the parent, or of the chunk that
    it begins with."""

    doc_id: str
    version: str
    spans: tuple[Span, ...]
    body: str
    acl: tuple[str, ...] | None
    chunks: tuple[int, ...]
    heading: str = ""

    @property
    def key(self) -> DocumentKey:
        return self.doc_id, self.version


@dataclass(frozen=True, slots=True)
class Context:
    """What would be sent.

    `chunks` are the selected candidates as ordinals, in the order in which they were taken; `skipped` are the other
    candidates, in the order in which they were looked at. `pieces` is what is sent, in order, where a selector merges
    chunks or gives their parents; None where it is the chunks themselves.
    """

    query_id: str
    chunks: tuple[int, ...]
    skipped: tuple[Skipped, ...]
    pieces: tuple[Piece, ...] | None = None


def to_records(contexts: list[Context]) -> list[dict[str, Any]]:
    """Contexts as JSON records, one a query."""
    return [
        {
            "query_id": context.query_id,
            "chunks": context.chunks,
            "skipped": [
                {"reason": run.reason, "remaining": run.remaining, "chunks": run.chunks} for run in context.skipped
            ],
            **({} if context.pieces is None else {"pieces": [_piece(piece) for piece in context.pieces]}),
        }
        for context in contexts
    ]


def from_records(records: list[dict[str, Any]]) -> list[Context]:
    """The inverse of `to_records`."""
    return [
        Context(
            record["query_id"],
            tuple(record["chunks"]),
            tuple(Skipped(r["reason"], r["remaining"], tuple(r["chunks"])) for r in record["skipped"]),
            tuple(map(_read_piece, record["pieces"])) if "pieces" in record else None,
        )
        for record in records
    ]


def _piece(piece: Piece) -> dict[str, Any]:
    names = ("doc_id", "version", "spans", "body", "acl", "chunks", "heading")
    return {name: getattr(piece, name) for name in names}


def _read_piece(record: dict[str, Any]) -> Piece:
    spans = tuple((start, end) for start, end in record["spans"])
    acl = None if record["acl"] is None else tuple(record["acl"])
    chunks = tuple(record["chunks"])
    return Piece(record["doc_id"], record["version"], spans, record["body"], acl, chunks, record.get("heading", ""))
