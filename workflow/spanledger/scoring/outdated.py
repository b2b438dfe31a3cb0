"""Outdated text in a context: which passages are of old versions, and which facts are lost to them.

A passage is outdated for a question when its document version is neither current nor one that the question asks about. It
displaces a fact when the context lacks the fact, and the same selector, over the same candidates without the chunks of
outdated versions, takes what covers it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, DocumentKey, Query
from spanledger.gold import Evidence, Fact
from spanledger.scoring.coverage import Passage
from spanledger.scoring.structure import Structure


class Outdated:
    """Of one corpus. `chunks` is the chunk table of an arm."""

    def __init__(self, chunks: list[Chunk], documents: Iterable[Document], structure: Structure):
        self._chunks = chunks
        self._structure = structure
        self._old: set[DocumentKey] = set()
        self._current: dict[str, list[str]] = defaultdict(list)
        for document in sorted(documents, key=lambda document: document.order):
            if document.current:
                self._current[document.doc_id].append(document.version)
            else:
                self._old.add(document.key)

    def of(
        self,
        query: Query,
        passages: Sequence[Passage],
        ranking: Ranking,
        lost: Sequence[Fact],
        covered_from: Callable[[Ranking, Sequence[Fact]], list[Fact]],
    ) -> dict[str, Any] | None:
        """The field `outdated` of a line of queries.jsonl; None where no passage is outdated.

        `passages` are those of the context in its order; `lost` the facts that the candidates cover and the context does
        not; `covered_from` runs the selector over a list and gives those of some facts that its context covers. The field
        holds the `passages`: for each its `place` in the context (from 1), document, version, the `current` versions of
        the document (none: it is gone) and whether all of its text stands in one of them word for word (`unchanged`); and
        `displaced`, the ids of the facts that come back without outdated candidates.
        """
        old = {key for key in self._old if key[1] not in query.versions} if query.versions else self._old
        found = [self._passage(place, one) for place, one in enumerate(passages, 1) if one.key in old]
        if not found:
            return None
        back: list[Fact] = []
        if lost:
            kept = [place for place, ordinal in enumerate(ranking.chunks) if self._chunks[ordinal].key not in old]
            chunks, scores = (tuple(column[place] for place in kept) for column in (ranking.chunks, ranking.scores))
            back = covered_from(Ranking(ranking.query_id, chunks, scores), lost)
        return {"passages": found, "displaced": [fact.fact_id for fact in back]}

    def _passage(self, place: int, passage: Passage) -> dict[str, Any]:
        doc_id, version = passage.key
        texts = [self._structure.text(Evidence(doc_id, version, span)) for span in passage.spans]
        current = self._current.get(doc_id, [])
        now = [self._structure.document((doc_id, one)).text for one in current]
        return {
            "place": place,
            "doc_id": doc_id,
            "version": version,
            "current": current,
            "unchanged": any(all(part in text for part in texts) for text in now),
        }
