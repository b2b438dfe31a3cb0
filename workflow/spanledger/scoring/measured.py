"""The fields characters and documents of a line of queries.jsonl."""

from collections.abc import Iterable, Sequence
from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document
from spanledger.gold import Gold, Judgement
from spanledger.scoring.coverage import Coverage, Passage
from spanledger.scoring.documents import DocumentMeasures
from spanledger.scoring.excerpts import Excerpts


class Measured:
    """Of one arm: `score` is that section, resolved, `coverage` that of the chunk table; `documents` are normalised."""

    def __init__(
        self,
        score: dict[str, Any],
        chunks: Sequence[Chunk],
        documents: Iterable[Document],
        coverage: Coverage,
        judgements: Iterable[Judgement],
    ):
        spans = score["span_metrics"]
        self._chunks = chunks
        self._excerpts = Excerpts(chunks, documents, coverage, spans) if spans else None
        self._documents = DocumentMeasures(score["document_metrics"], judgements)

    def of(
        self, gold: Gold, passages: Sequence[Passage], sent: Coverage, ranking: Ranking, eligible: set[int] | None
    ) -> dict[str, Any]:
        """`characters` where span metrics are wanted, None for a query without facts; `documents` where there are
        judgements, None for a query without any. `sent` is the coverage of the context's `passages`; `eligible` are the
        chunks of the index, None where it is not known."""
        found: dict[str, Any] = {}
        if self._excerpts:
            found["characters"] = self._excerpts.of(gold.facts, passages, sent, ranking.chunks, eligible)
        if self._documents.judged:
            found["documents"] = self._documents.of(gold.query_id, (self._chunks[o].doc_id for o in ranking.chunks))
        return found
