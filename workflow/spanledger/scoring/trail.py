"""The part of a line of queries.jsonl that tells what was found, taken and passed over."""

from typing import Any

from spanledger.core.analyzers import analyzer
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
from spanledger.gold import Gold
from spanledger.retrieval.indexing import entry_id
from spanledger.scoring.coverage import Coverage
from spanledger.selection.context import Context


class Trail:
    """Writes candidates and contexts of one arm by chunk id, so that a reader needs no chunk table.

    `score.trail` limits the candidates: the first ones, and all that were selected or hold evidence; None is all.
    """

    def __init__(self, chunks: list[Chunk], settings: dict[str, Any], coverage: Coverage):
        self._chunks = chunks
        self._coverage = coverage
        self._limit = settings["score"]["trail"]
        self._analyse = {branch: analyzer(name) for branch, name in settings["analyzers"].items()}
        self._revision = next(iter(settings["revisions"].values()))
        self._terms: dict[tuple[str, int], frozenset[str]] = {}
        self._entries: dict[int, str] = {}

    def of(self, query: Query, gold: Gold, ranking: Ranking, context: Context) -> dict[str, Any]:
        """The fields candidate_count to skipped of a line."""
        shown = self._shown(gold, ranking, context)
        written = {ordinal for _, ordinal in shown}
        result: dict[str, Any] = {
            "candidate_count": len(ranking.chunks),
            "candidate_char": sum(self._chunks[ordinal].lengths["char"] for ordinal in ranking.chunks),
            "candidates": self._candidates(query, ranking, shown),
            "context": [self._chunks[ordinal].chunk_id for ordinal in context.chunks],
        }
        if context.pieces is not None:
            result["passages"] = [
                {
                    "doc_id": piece.doc_id,
                    "version": piece.version,
                    "spans": piece.spans,
                    "char": len(piece.body),
                    "chunks": [self._chunks[ordinal].chunk_id for ordinal in piece.chunks],
                }
                for piece in context.pieces
            ]
        result["skipped"] = [
            {"chunk_id": self._chunks[ordinal].chunk_id, "reason": run.reason, "remaining": run.remaining}
            for run in context.skipped
            for ordinal in run.chunks
            if ordinal in written
        ]
        return result

    def _shown(self, gold: Gold, ranking: Ranking, context: Context) -> list[tuple[int, int]]:
        """(rank, ordinal) of the candidates that are written."""
        numbered = list(enumerate(ranking.chunks, 1))
        if self._limit is None:
            return numbered
        evidence = (e for fact in gold.facts for group in fact.support for e in group)
        kept = {*context.chunks, *(ordinal for e in evidence for ordinal in self._coverage.holders(e))}
        return [(rank, ordinal) for rank, ordinal in numbered if rank <= self._limit or ordinal in kept]

    def _candidates(self, query: Query, ranking: Ranking, shown: list[tuple[int, int]]) -> list[dict[str, Any]]:
        asked = {branch: set(analyse(query.text)) for branch, analyse in self._analyse.items()}
        return [
            {
                "chunk_id": self._chunks[ordinal].chunk_id,
                "index_entry_id": self._entry(ordinal),
                "doc_id": self._chunks[ordinal].doc_id,
                "version": self._chunks[ordinal].version,
                "spans": self._chunks[ordinal].spans,
                "rank": rank,
                "score": ranking.scores[rank - 1],
                "matched_terms": sorted(set().union(*(terms & self._held(b, ordinal) for b, terms in asked.items()))),
                **_reasons(ranking.reasons, rank - 1),
            }
            for rank, ordinal in shown
        ]

    def _held(self, branch: str, ordinal: int) -> frozenset[str]:
        if (branch, ordinal) not in self._terms:
            self._terms[branch, ordinal] = frozenset(self._analyse[branch](self._chunks[ordinal].searched))
        return self._terms[branch, ordinal]

    def _entry(self, ordinal: int) -> str | None:
        """The id of a chunk's entry in the index; None where the index is not known."""
        if self._revision is None:
            return None
        if ordinal not in self._entries:
            self._entries[ordinal] = entry_id(self._chunks[ordinal], self._revision)
        return self._entries[ordinal]


def _reasons(columns: dict[str, Any], place: int) -> dict[str, Any]:
    """What fusion and re-ranking knew of one candidate (see `Ranking.reasons`)."""
    return {
        name: {key: values[place] for key, values in column.items()} if isinstance(column, dict) else column[place]
        for name, column in columns.items()
    }
