"""What a run and its qrels are of, for one arm: documents, chunks or facts.

document  Items are documents. A document stands where the first of its passages stands; equal ranks cannot be. Where the
          dataset has judgements they are the qrels, with their grades, and items are doc_ids, whatever the version;
          facts are not looked at, and queries without a judgement are not in the qrels. Without judgements, items are
          document versions, and relevant (1) is each in which there is a span of a required fact, of alternatives too.
chunk     Items are chunks, or where a context sends merged chunks or parents the ids of the chunks that a passage
          stands for, joined by +. Grade 2: the passage alone covers a whole fact; 1: it alone covers some span of one,
          which is what our MRR looks for. Chunks that the arm's filter keeps out are graded too.
fact      Items are the facts of the query, each where the passages down to some rank first cover it together, by the
          coverage rule of the arm; of those that come with one passage in the gold's order. All of them are relevant
          (1), so what a run of facts has to say is its recall over all of its lines, which is our recall of that list,
          and of its first n passages alone (`first`) our recall@n. A rank among facts is no rank among passages.

A run has all queries. Qrels have none without gold, as none of our means of recall has it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, Query
from spanledger.exports.items import document_names, encoded
from spanledger.exports.trec import Scored
from spanledger.gold import Fact, Gold, Judgement
from spanledger.scoring.coverage import Coverage, Passage, Rule
from spanledger.selection.context import Context

LEVELS = ("document", "chunk", "fact")
LISTS = ("candidates", "context")


@dataclass(frozen=True)
class Listed:
    """One ranked list of passages: of each its item at chunk level and its score, None where the list is a context."""

    passages: Sequence[Passage]
    names: Sequence[str]
    scores: Sequence[float | None]

    def first(self, number: int | None) -> "Listed":
        """The first passages alone; None is all."""
        return Listed(self.passages[:number], self.names[:number], self.scores[:number])


def of_candidates(rankings: Iterable[Ranking], chunks: Sequence[Chunk]) -> dict[str, Listed]:
    """The candidate lists by query."""
    return {
        r.query_id: Listed([chunks[o] for o in r.chunks], [chunks[o].chunk_id for o in r.chunks], r.scores)
        for r in rankings
    }


def of_contexts(contexts: Iterable[Context], chunks: Sequence[Chunk]) -> dict[str, Listed]:
    """The contexts by query, as they are sent."""
    found = {}
    for context in contexts:
        if context.pieces is None:
            passages: Sequence[Passage] = [chunks[o] for o in context.chunks]
            names = [chunks[o].chunk_id for o in context.chunks]
        else:
            passages = context.pieces
            names = ["+".join(chunks[o].chunk_id for o in piece.chunks) for piece in context.pieces]
        found[context.query_id] = Listed(passages, names, [None] * len(names))
    return found


@dataclass
class Exporter:
    """Runs and qrels of lists over one chunk table. `documents` are the normalised ones, `coverage` is the resolved section
    score.coverage."""

    chunks: Sequence[Chunk]
    documents: Sequence[Document]
    queries: Sequence[Query]
    golds: Sequence[Gold]
    judgements: Sequence[Judgement]
    coverage: dict[str, Any]
    _names: dict[tuple[str, str], str] = field(init=False)

    def __post_init__(self) -> None:
        self._rule = Rule(self.coverage, self.documents)
        self._table = Coverage(self.chunks, self._rule)
        self._facts = {gold.query_id: gold.facts for gold in self.golds}
        self._order = [query.query_id for query in sorted(self.queries, key=lambda query: query.order)]
        self._names = {}
        self._judged: dict[str, dict[str, int]] = {}
        for judgement in self.judgements:
            self._judged.setdefault(judgement.query_id, {})[encoded(judgement.doc_id)] = judgement.relevance

    def run(self, lists: Mapping[str, Listed], level: str, first: int | None = None) -> dict[str, list[Scored]]:
        """The items of each query, best first. `first` cuts every list to its first passages."""
        make = {"document": self._documents, "chunk": self._passages, "fact": self._covered}[level]
        return {query_id: make(query_id, lists[query_id].first(first)) for query_id in self._order}

    def qrels(self, lists: Mapping[str, Listed], level: str) -> dict[str, dict[str, int]]:
        """The grades of the relevant items of each query; of passages that are no chunks those of `lists`."""
        grade = {"document": self._judged_documents, "chunk": self._graded, "fact": self._required}[level]
        return {query_id: grade(query_id, lists.get(query_id)) for query_id in self._judged_by(level)}

    def _judged_by(self, level: str) -> list[str]:
        if level == "document" and self.judgements:
            return [query_id for query_id in self._order if query_id in self._judged]
        return [query_id for query_id in self._order if self._facts[query_id]]

    def _name(self, doc_id: str, version: str) -> str:
        if not self._names:
            keys = [document.key for document in self.documents]
            self._names = {key: encoded(key[0]) for key in keys} if self.judgements else document_names(keys)
        return self._names[doc_id, version]

    def _documents(self, query_id: str, listed: Listed) -> list[Scored]:
        found: dict[str, float | None] = {}
        for passage, score in zip(listed.passages, listed.scores, strict=True):
            found.setdefault(self._name(*passage.key), score)
        return list(found.items())

    def _passages(self, query_id: str, listed: Listed) -> list[Scored]:
        return list(zip(listed.names, listed.scores, strict=True))

    def _covered(self, query_id: str, listed: Listed) -> list[Scored]:
        """Coverage grows with the list, so the rank at which a fact is covered is found by halving."""
        coverage = Coverage(listed.passages, self._rule)
        found = []
        for place, fact in enumerate(self._facts[query_id]):
            low, high = 1, len(listed.passages)
            if not coverage.fact_covered(fact, range(high)):
                continue
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if coverage.fact_covered(fact, range(middle)) else (middle + 1, high)
            found.append((low, place, encoded(fact.fact_id)))
        return [(name, None) for _, _, name in sorted(found)]

    def _judged_documents(self, query_id: str, listed: Listed | None) -> dict[str, int]:
        if self.judgements:
            return self._judged[query_id]
        keys = {e.key for fact in self._facts[query_id] for group in fact.support for e in group}
        return dict.fromkeys((self._name(*key) for key in sorted(keys)), 1)

    def _graded(self, query_id: str, listed: Listed | None) -> dict[str, int]:
        facts = self._facts[query_id]
        grades = grades_of(facts, self._table)
        found = {self.chunks[ordinal].chunk_id: grade for ordinal, grade in sorted(grades.items())}
        if listed is not None:
            own = grades_of(facts, Coverage(listed.passages, self._rule))
            found |= {name: own.get(place, 0) for place, name in enumerate(listed.names)}
        return {name: grade for name, grade in found.items() if grade}

    def _required(self, query_id: str, listed: Listed | None) -> dict[str, int]:
        return {encoded(fact.fact_id): 1 for fact in self._facts[query_id]}


def grades_of(facts: Iterable[Fact], coverage: Coverage) -> dict[int, int]:
    """The grade of each passage that has one: 2 where it covers a whole fact on its own, else 1 where it covers a span of
    one."""
    grades: dict[int, int] = {}
    for fact in facts:
        spans = dict.fromkeys(evidence for group in fact.support for evidence in group)
        holders = dict.fromkeys(place for evidence in spans for place in coverage.holders(evidence))
        for place in holders:
            if coverage.fact_covered(fact, (place,)):
                grades[place] = 2
            elif any(coverage.span_covered(evidence, (place,)) for evidence in spans):
                grades.setdefault(place, 1)
    return grades
