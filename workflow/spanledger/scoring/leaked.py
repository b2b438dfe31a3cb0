"""Leaks: chunks and passages of one query that an arm's own eligibility excludes. A run that has one fails."""

from collections.abc import Container, Mapping, Sequence

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, DocumentKey, Query
from spanledger.core.spans import covers
from spanledger.retrieval.eligibility import Eligibility
from spanledger.selection.context import Context, Piece


def leaked(
    query: Query,
    eligible: Container[int],
    ranking: Ranking,
    context: Context,
    chunks: Sequence[Chunk],
    documents: Mapping[DocumentKey, Document],
    eligibility: Eligibility,
) -> list[tuple[str, str]]:
    """(candidates or context, what leaked) for each leak: candidates first, in their order. `eligible` are the ordinals of
    the chunks that the query may see."""
    found = [
        (place, f"chunk {chunks[ordinal].chunk_id} of {chunks[ordinal].key}")
        for place, ordinals in (("candidates", ranking.chunks), ("context", context.chunks))
        for ordinal in ordinals
        if ordinal not in eligible
    ]
    found += [
        ("context", f"a passage of {piece.key}")
        for piece in context.pieces or ()
        if not eligibility.admits(piece.acl, documents[piece.key], query) and not _made_of(piece, eligible, chunks)
    ]
    return [(place, f"leak: {what} is not eligible") for place, what in found]


def _made_of(piece: Piece, eligible: Container[int], chunks: Sequence[Chunk]) -> bool:
    """Whether a passage holds nothing but text of its eligible chunks: an asker of two groups may read chunks that neither
    group may read alone."""
    parts = [chunks[ordinal] for ordinal in piece.chunks if ordinal in eligible]
    held = [span for part in parts if part.key == piece.key for span in part.spans]
    return all(covers(held, span) for span in piece.spans)
