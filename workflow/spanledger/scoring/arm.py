"""The lines of queries.jsonl: one query of one arm each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from spanledger.core.errors import InputError, Problem
from spanledger.core.ordering import tie_ranks
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, DocumentKey, Element, Query
from spanledger.fusion import Fusion
from spanledger.gold import Evidence, Fact, Gold, Judgement
from spanledger.retrieval import PluginRetriever, Retriever, retriever
from spanledger.retrieval.eligibility import Eligibility, EligibilityClass
from spanledger.retrieval.indexing import Index
from spanledger.scoring.baselines import Baselines
from spanledger.scoring.cost import Cost
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.scoring.failures import Classifier, Loss
from spanledger.scoring.judge import Judge
from spanledger.scoring.leaked import leaked
from spanledger.scoring.loss import cause_after_candidates, cause_before_candidates, cause_without_index
from spanledger.scoring.measured import Measured
from spanledger.scoring.needed import Counterfactuals, before_retrieval
from spanledger.scoring.outdated import Outdated
from spanledger.scoring.passages import Passages
from spanledger.scoring.structure import Structure
from spanledger.scoring.terms import Terms
from spanledger.scoring.trail import Trail
from spanledger.selection.context import Context
from spanledger.selection.plugin import selector_of
from spanledger.selection.shelf import Shelf

CHECKPOINTS = ("index", "candidates", "context")


@dataclass(frozen=True)
class Tables:
    """What an arm was run on. `indexes` and `rankings` lead from the name of each of its branches to the indexes of its
    eligibility classes and to its rankings; `parents` is the table of its selector's parents; `elements` tell why facts
    were lost; `judgements` are of documents.

    `searched` is false of lists that were made elsewhere: there are no indexes, and rankings are not looked at. `complete`
    is false where it is not known what could have been found: the table holds only what some list has.
    """

    chunks: list[Chunk]
    documents: list[Document]
    queries: list[Query]
    golds: list[Gold]
    indexes: dict[str, list[Index]]
    rankings: dict[str, list[Ranking]] = field(default_factory=dict)
    synonym_groups: Iterable[Iterable[str]] = ()
    parents: list[Chunk] | None = None
    elements: Iterable[Element] = ()
    judgements: Iterable[Judgement] = ()
    searched: bool = True
    complete: bool = True


class ArmScorer:
    """Scores the queries of one arm. `settings` are its resolved settings, as `plan.arm_settings` gives them."""

    def __init__(self, arm: str, tables: Tables, settings: dict[str, Any]):
        self._arm = arm
        self._tables = tables
        self._settings = settings
        self._chunks = tables.chunks
        self._documents = {document.key: document for document in tables.documents}
        self._queries = {query.query_id: query for query in tables.queries}
        self._golds = {gold.query_id: gold for gold in tables.golds}
        self._order = [query.query_id for query in sorted(tables.queries, key=lambda q: q.order)]
        self._rule = Rule(settings["score"]["coverage"], tables.documents)
        self._coverage = Coverage(tables.chunks, self._rule)
        self._eligibility = Eligibility.of(settings["eligibility"])
        self._selector = selector_of(settings["select"])
        self._shelf = Shelf(tables.chunks, tables.documents, tables.parents)
        self._structure = Structure(tables.documents, tables.elements)
        self._outdated = Outdated(tables.chunks, tables.documents, self._structure)
        terms = Terms(settings, tables.synonym_groups)
        self._failures = Classifier(
            tables.chunks,
            self._coverage,
            self._structure,
            self._eligibility,
            terms,
            tables.searched,
            tables.complete,
        )
        first = next(iter(settings["analyzers"].values()))
        self._cost = Cost(settings["score"]["cost"], first, self._selector.rendering, self._shelf)
        acl = self._eligibility.acl
        passages = Passages(self._shelf, tables.parents, self._selector.limits, self._rule, self._coverage, acl)
        self._baselines = Baselines(passages, tables.documents, settings["score"]["random_orders"])
        self._cutoffs = settings["score"]["cutoffs"]
        self._measured = Measured(settings["score"], tables.chunks, tables.documents, self._coverage, tables.judgements)
        self._trail = Trail(tables.chunks, settings, self._coverage)
        self._retrievers: dict[tuple[str, str], Retriever | PluginRetriever] = {}
        self._last_matched: tuple[str, set[int]] = ("", set())
        found = tables.rankings if tables.searched else {}
        self._branch_lists = {n: {r.query_id: r for r in rankings} for n, rankings in found.items()}
        self._fusion = Fusion(settings["fuse"], tables.chunks)
        self._counterfactuals = Counterfactuals(
            self._fusion, self._selector, self._shelf, self._eligibility.acl, Judge(passages)
        )

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
                found = leaked(query, eligible, ranking, context, self._chunks, self._documents, self._eligibility)
                leaks += [Problem(self._arm, 0, f"query '{query.query_id}'", *leak) for leak in found]
                rows[query.query_id] = self._row(query, group, eligible, ranking, context)
        if leaks:
            raise InputError(leaks)
        return [rows[query_id] for query_id in self._order]

    def _row(
        self, query: Query, group: EligibilityClass, eligible: set[int], ranking: Ranking, context: Context
    ) -> dict[str, Any]:
        gold = self._golds[query.query_id]
        passages = context.pieces if context.pieces is not None else [self._chunks[o] for o in context.chunks]
        sent = Coverage(passages, self._rule)
        places = range(len(passages))
        facts = [
            {
                "fact_id": fact.fact_id,
                "index": self._coverage.fact_covered(fact, eligible) if self._tables.complete else None,
                "candidates": self._coverage.fact_covered(fact, set(ranking.chunks)),
                "context": sent.fact_covered(fact, places),
            }
            for fact in gold.facts
        ]
        lost = [(fact, found) for fact, found in zip(gold.facts, facts, strict=True) if not found["context"]]
        deeper = self._depths([fact for fact, _ in lost], query, group)
        kept = partial(sent.span_covered, places=places)
        for found in facts:
            found.update(cause=None, needed=None, failures=[])
        for fact, found in lost:
            found["cause"] = self._cause(fact, found, query, group, eligible, ranking, context)
            needed = {**self._counterfactuals.limits(fact, query, ranking), **deeper.get(fact, {})}
            if found["index"] is False:
                needed |= self._before_retrieval(fact, query)
            if unknown := self._counterfactuals.unknown(found["cause"], self._settings["branches"]):
                needed["unknown"] = unknown
            found["needed"] = needed or None
            loss = Loss(fact, found["cause"], query, eligible, set(ranking.chunks), context, passages, kept)
            found["failures"] = self._failures.classes(loss)
        near = [fact for fact, found in lost if found["candidates"]]
        outdated = self._outdated.of(query, passages, ranking, near, partial(self._covered_from, query=query))
        covered = {point: sum(bool(fact[point]) for fact in facts) for point in CHECKPOINTS}
        if not self._tables.complete:
            covered["index"] = None
        source, unique = sent.source_lengths(places)
        return {
            "arm": self._arm,
            "query_id": query.query_id,
            **self._trail.of(query, gold, ranking, context),
            "facts": facts,
            "covered": covered,
            "required": len(facts),
            "recall": covered["context"] / len(facts) if facts else None,
            "covered_at": {
                str(n): self._covered(gold.facts, sent, range(min(n, len(passages)))) for n in self._cutoffs
            },
            "first_rank": self._first_rank(gold.facts, sent, len(passages)),
            "best_single": self._best_single(gold.facts, eligible) if self._tables.complete else None,
            **self._baselines.of(
                gold.facts,
                ranking,
                eligible if self._tables.complete else None,
                query,
                group.name,
                covered["context"],
            ),
            **self._measured.of(gold, passages, sent, ranking, eligible if self._tables.complete else None),
            "no_answer": gold.no_answer,
            "tags": gold.tags,
            "not_current": sum(not self._documents[passage.key].current for passage in passages),
            **({} if outdated is None else {"outdated": outdated}),
            "cost": {
                self._cost.unit: self._cost.of(passages),
                "unique_char": unique,
                "duplicate_char": source - unique,
            },
        }

    def _cause(
        self,
        fact: Fact,
        found: dict[str, Any],
        query: Query,
        group: EligibilityClass,
        eligible: set[int],
        ranking: Ranking,
        context: Context,
    ) -> str:
        if not found["candidates"] and not self._tables.complete:
            return cause_without_index(fact, lambda evidence: self._readable(evidence, query))
        if not found["candidates"]:
            return cause_before_candidates(
                fact,
                self._coverage,
                eligible,
                range(len(self._chunks)),
                lambda key: self._admits(key, query),
                (lambda: self._matched(query, group)) if self._tables.searched else None,
            )

        lists = self._lists(query)
        others = list(lists.values()) if len(lists) > 1 else []
        if self._fusion.reranks:
            others.append(self._fusion.merge(lists))
        taken = partial(self._covered_from, facts=[fact], query=query)
        return cause_after_candidates(
            fact,
            self._coverage,
            self._chunks,
            self._selector,
            ranking,
            context,
            others,
            lambda other: bool(taken(other)),
        )

    def _covered_from(self, ranking: Ranking, facts: Iterable[Fact], query: Query) -> list[Fact]:
        """Those of some facts that the arm's selector covers from another list."""
        again = self._selector.select(ranking, self._shelf, query, self._eligibility.acl)
        if again.pieces is None:
            return [fact for fact in facts if self._coverage.fact_covered(fact, set(again.chunks))]
        sent = Coverage(again.pieces, self._rule)
        return [fact for fact in facts if sent.fact_covered(fact, range(len(again.pieces)))]

    def _lists(self, query: Query) -> dict[str, Ranking]:
        """The query's ranking in each branch."""
        return {branch: lists[query.query_id] for branch, lists in self._branch_lists.items()}

    def _depths(self, lost: list[Fact], query: Query, group: EligibilityClass) -> dict[Fact, dict[str, Any]]:
        if not lost or not self._tables.searched:
            return {}
        wholes = {
            branch: self._retriever(branch, group.name).rank(query, cut=False)
            for branch, setting in self._settings["branches"].items()
            if setting["depth"] is not None
        }
        return self._counterfactuals.depths(lost, query, self._lists(query), wholes)

    def _before_retrieval(self, fact: Fact, query: Query) -> dict[str, Any]:
        every = range(len(self._chunks))

        def against(evidence: Evidence) -> Iterator[str]:
            document = self._documents[evidence.key]
            yield from self._eligibility.against(document.acl, document, query)
            readable = [
                o
                for o in self._coverage.holders(evidence)
                if "acl"
                not in self._eligibility.against(self._chunks[o].acl, self._documents[self._chunks[o].key], query)
            ]
            if self._coverage.span_covered(evidence, every) and not self._coverage.span_covered(evidence, readable):
                yield "acl"

        return before_retrieval(fact, self._coverage, every, against)

    def _covered(self, facts: Iterable[Fact], coverage: Coverage, places: range) -> int:
        return sum(coverage.fact_covered(fact, places) for fact in facts)

    def _first_rank(self, facts: Iterable[Fact], sent: Coverage, passages: int) -> int | None:
        """The place in the context of the first passage that covers a span of some fact on its own, from 1."""
        spans = [evidence for fact in facts for group in fact.support for evidence in group]
        for place in range(passages):
            if any(sent.span_covered(evidence, (place,)) for evidence in spans):
                return place + 1
        return None

    def _best_single(self, facts: Iterable[Fact], eligible: set[int]) -> int:
        """The most facts that any one eligible chunk covers on its own."""
        alone: dict[int, int] = {}
        for fact in facts:
            holders = {o for group in fact.support for evidence in group for o in self._coverage.holders(evidence)}
            for ordinal in holders & eligible:
                if self._coverage.fact_covered(fact, (ordinal,)):
                    alone[ordinal] = alone.get(ordinal, 0) + 1
        return max(alone.values(), default=0)

    def _admits(self, key: DocumentKey, query: Query) -> bool:
        document = self._documents[key]
        return self._eligibility.admits(document.acl, document, query)

    def _readable(self, evidence: Evidence, query: Query) -> bool:
        """Whether the filter lets the query have every part of the text."""
        document = self._documents[evidence.key]
        parts = self._structure.touching(evidence.key, evidence.span)
        acls = [document.acl, *(part.element.acl for part in parts)]
        return all(self._eligibility.admits(acl, document, query) for acl in acls)

    def _matched(self, query: Query, group: EligibilityClass) -> set[int]:
        """The chunks that score above 0 in some branch of the arm; kept for the other facts of the same query."""
        if self._last_matched[0] != query.query_id:
            matched: set[int] = set()
            for branch in self._settings["branches"]:
                scores = self._retriever(branch, group.name).scores(query)
                matched.update((scores > 0).nonzero()[0].tolist())
            self._last_matched = (query.query_id, matched)
        return self._last_matched[1]

    def _retriever(self, branch: str, group: str) -> Retriever | PluginRetriever:
        if (branch, group) not in self._retrievers:
            setting, name = self._settings["branches"][branch], self._settings["analyzers"][branch]
            (index,) = (index for index in self._tables.indexes[branch] if index.name == group)
            ties = tie_ranks(self._chunks, setting["tie"])
            self._retrievers[branch, group] = retriever(
                index, ties, self._chunks, name, setting, self._tables.synonym_groups
            )
        return self._retrievers[branch, group]
