"""Stage score: what each arm's contexts hold of the gold, where the rest was lost, and what the context cost."""

from collections.abc import Container
from typing import Any

from spanledger import selection
from spanledger.analyzers import analyzer
from spanledger.core.errors import InputError, Problem
from spanledger.core.records import Chunk, Document, DocumentKey, Query
from spanledger.coverage import Coverage
from spanledger.eligibility import Eligibility, EligibilityClass
from spanledger.gold import Gold
from spanledger.indexing import Index
from spanledger.loss import cause_after_candidates, cause_before_candidates
from spanledger.ordering import tie_ranks
from spanledger.ranking import Ranking
from spanledger.retrieval import Retriever
from spanledger.selection import Context, Selector


class ArmScorer:
    """Scores the queries of one arm.

    `arm` names it; `chunks`, `documents`, `queries` and `golds` are whole tables; `indexes` leads from the name of each
    branch to the indexes of its eligibility classes; `settings` holds the arm's resolved settings: eligibility, select,
    score, branches (name to retrieve setting) and analyzers (branch name to analyzer name).
    """

    def __init__(
        self,
        arm: str,
        chunks: list[Chunk],
        documents: list[Document],
        queries: list[Query],
        golds: list[Gold],
        indexes: dict[str, list[Index]],
        settings: dict[str, Any],
    ):
        self._arm = arm
        self._chunks = chunks
        self._documents = {document.key: document for document in documents}
        self._queries = {query.query_id: query for query in queries}
        self._golds = {gold.query_id: gold for gold in golds}
        self._order = [query.query_id for query in sorted(queries, key=lambda q: q.order)]
        self._indexes = indexes
        self._settings = settings
        self._coverage = Coverage(chunks)
        self._eligibility = Eligibility.of(settings["eligibility"])
        self._selector = Selector(**settings["select"])
        self._sizes = selection.lengths(chunks, self._selector.unit)
        self._unit = settings["score"]["cost"]["unit"]
        self._costs = selection.lengths(chunks, self._unit)
        self._trail = settings["score"]["trail"]
        self._analyse = {name: analyzer(chosen) for name, chosen in settings["analyzers"].items()}
        self._terms: dict[tuple[str, int], frozenset[str]] = {}
        self._retrievers: dict[tuple[str, str], Retriever] = {}

    def score(self, candidates: list[Ranking], contexts: list[Context]) -> list[dict[str, Any]]:
        """The lines of queries.jsonl for this arm, in the queries' order.

        Raises InputError when a candidate or a context holds a chunk that the arm's own eligibility excludes (a leak),
        and ValueError when the candidates or contexts are not one for each query.
        """
        ranked = {ranking.query_id: ranking for ranking in candidates}
        chosen = {context.query_id: context for context in contexts}
        if set(ranked) != set(self._order) or set(chosen) != set(self._order):
            raise ValueError(f"arm '{self._arm}': expected one candidate list and one context for each query")
        rows = {}
        leaks: list[Problem] = []
        for group in self._eligibility.classes(self._queries.values()):
            eligible = set(self._eligibility.eligible(self._chunks, self._documents, group.queries[0]))
            for query in group.queries:
                ranking, context = ranked[query.query_id], chosen[query.query_id]
                leaks += self._leaks(query, eligible, ranking, context)
                rows[query.query_id] = self._row(query, group, eligible, ranking, context)
        if leaks:
            raise InputError(leaks)
        return [rows[query_id] for query_id in self._order]

    def _row(
        self, query: Query, group: EligibilityClass, eligible: set[int], ranking: Ranking, context: Context
    ) -> dict[str, Any]:
        gold = self._golds[query.query_id]
        pools = {"index": eligible, "candidates": set(ranking.chunks), "context": set(context.chunks)}
        facts = []
        for fact in gold.facts:
            held = {point: self._coverage.fact_covered(fact, pool) for point, pool in pools.items()}
            cause = None
            if not held["candidates"]:
                cause = cause_before_candidates(
                    fact,
                    self._coverage,
                    eligible,
                    range(len(self._chunks)),
                    lambda key: self._admits(key, query),
                    lambda: self._matched(query, group),
                )
            elif not held["context"]:
                cause = cause_after_candidates(
                    fact, self._coverage, self._chunks, ranking, context, self._selector, self._sizes
                )
            facts.append({"fact_id": fact.fact_id, **held, "cause": cause})
        covered = {point: sum(fact[point] for fact in facts) for point in pools}
        source, unique = self._coverage.source_lengths(context.chunks)
        shown = self._shown(gold, ranking, context)
        return {
            "arm": self._arm,
            "query_id": query.query_id,
            "candidate_count": len(ranking.chunks),
            "candidates": self._candidates(query, ranking, shown),
            "context": [self._chunks[ordinal].chunk_id for ordinal in context.chunks],
            "skipped": self._skipped(context, {ordinal for _, ordinal in shown}),
            "facts": facts,
            "covered": covered,
            "required": len(facts),
            "recall": covered["context"] / len(facts) if facts else None,
            "no_answer": gold.no_answer,
            "tags": gold.tags,
            "not_current": sum(not self._documents[self._chunks[o].key].current for o in context.chunks),
            "cost": {
                self._unit: sum(self._costs[ordinal] for ordinal in context.chunks),
                "unique_char": unique,
                "duplicate_char": source - unique,
            },
        }

    def _shown(self, gold: Gold, ranking: Ranking, context: Context) -> list[tuple[int, int]]:
        """(rank, ordinal) of the candidates that are written: the first ones, and all that were selected or hold
        evidence."""
        numbered = list(enumerate(ranking.chunks, 1))
        if self._trail is None:
            return numbered
        evidence = (e for fact in gold.facts for group in fact.support for e in group)
        kept = {*context.chunks, *(ordinal for e in evidence for ordinal in self._coverage.holders(e))}
        return [(place, ordinal) for place, ordinal in numbered if place <= self._trail or ordinal in kept]

    def _candidates(self, query: Query, ranking: Ranking, shown: list[tuple[int, int]]) -> list[dict[str, Any]]:
        asked = {branch: set(analyse(query.text)) for branch, analyse in self._analyse.items()}
        return [
            {
                "chunk_id": self._chunks[ordinal].chunk_id,
                "doc_id": self._chunks[ordinal].doc_id,
                "version": self._chunks[ordinal].version,
                "spans": self._chunks[ordinal].spans,
                "rank": rank,
                "score": ranking.scores[rank - 1],
                "matched_terms": sorted(set().union(*(terms & self._held(b, ordinal) for b, terms in asked.items()))),
            }
            for rank, ordinal in shown
        ]

    def _held(self, branch: str, ordinal: int) -> frozenset[str]:
        if (branch, ordinal) not in self._terms:
            self._terms[branch, ordinal] = frozenset(self._analyse[branch](self._chunks[ordinal].searched))
        return self._terms[branch, ordinal]

    def _skipped(self, context: Context, shown: Container[int]) -> list[dict[str, Any]]:
        return [
            {"chunk_id": self._chunks[ordinal].chunk_id, "reason": run.reason, "remaining": run.remaining}
            for run in context.skipped
            for ordinal in run.chunks
            if ordinal in shown
        ]

    def _leaks(self, query: Query, eligible: set[int], ranking: Ranking, context: Context) -> list[Problem]:
        return [
            Problem(
                self._arm,
                record=f"query '{query.query_id}'",
                field=place,
                message=f"leak: chunk {self._chunks[o].chunk_id} of {self._chunks[o].key} is not eligible",
            )
            for place, ordinals in (("candidates", ranking.chunks), ("context", context.chunks))
            for o in ordinals
            if o not in eligible
        ]

    def _admits(self, key: DocumentKey, query: Query) -> bool:
        document = self._documents[key]
        return self._eligibility.admits(document.acl, document, query)

    def _matched(self, query: Query, group: EligibilityClass) -> set[int]:
        """The chunks that score above 0 in some branch of the arm."""
        matched: set[int] = set()
        for branch, setting in self._settings["branches"].items():
            if (branch, group.name) not in self._retrievers:
                (index,) = (i for i in self._indexes[branch] if i.name == group.name)
                ties = tie_ranks(self._chunks, setting["tie"])
                name = self._settings["analyzers"][branch]
                self._retrievers[branch, group.name] = Retriever(index, ties, name, setting)
            scores = self._retrievers[branch, group.name].scores(query)
            matched.update((scores > 0).nonzero()[0].tolist())
        return matched
