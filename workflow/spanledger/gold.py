"""Gold: the facts that a query requires and the spans that support them. Of the stages, only validate, normalise,
score and report import this module."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spanledger.core.records import DocumentKey
from spanledger.core.spans import Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """One raw span of one document version, in code points of the text as it stands in the dataset."""

    doc_id: str
    version: str
    span: Span

    @property
    def key(self) -> DocumentKey:
        return self.doc_id, self.version


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the context must contain: any of its groups (OR), and of a group every span (AND)."""

    fact_id: str
    support: tuple[tuple[Evidence, ...], ...]


@dataclass(frozen=True, slots=True)
class Gold:
    """What one query requires. A query without facts says in `no_answer` why: absent or unauthorized."""

    query_id: str
    facts: tuple[Fact, ...]
    no_answer: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant a document is to a query, in any of its versions; relevant from 1 on. A second kind of gold beside
    facts, and never mixed with them."""

    query_id: str
    doc_id: str
    relevance: int


def to_records(golds: Iterable[Gold]) -> list[dict[str, Any]]:
    """Gold as it is written to facts.jsonl, one record a query, in the order given."""
    return [
        {
            "query_id": gold.query_id,
            "facts": [
                {
                    "fact_id": fact.fact_id,
                    "support": [
                        [
                            {"doc_id": e.doc_id, "version": e.version, "start": e.span[0], "end": e.span[1]}
                            for e in group
                        ]
                        for group in fact.support
                    ],
                }
                for fact in gold.facts
            ],
            "no_answer": gold.no_answer,
            "tags": gold.tags,
        }
        for gold in golds
    ]


def from_records(records: Iterable[dict[str, Any]]) -> list[Gold]:
    """The inverse of `to_records`, for facts.jsonl."""
    return [
        Gold(
            record["query_id"],
            tuple(
                Fact(
                    fact["fact_id"],
                    tuple(
                        tuple(Evidence(e["doc_id"], e["version"], (e["start"], e["end"])) for e in group)
                        for group in fact["support"]
                    ),
                )
                for fact in record["facts"]
            ),
            record["no_answer"],
            tuple(record["tags"]),
        )
        for record in records
    ]


def judgements_to_records(judgements: Iterable[Judgement]) -> list[dict[str, Any]]:
    """Judgements as they are written to qrels.jsonl, in the order given."""
    return [{"query_id": j.query_id, "doc_id": j.doc_id, "relevance": j.relevance} for j in judgements]


def judgements_from_records(records: Iterable[dict[str, Any]]) -> list[Judgement]:
    """The inverse of `judgements_to_records`, for qrels.jsonl."""
    return [Judgement(record["query_id"], record["doc_id"], record["relevance"]) for record in records]


def judgements_of(judgements: Iterable[Judgement], query_ids: Iterable[str]) -> list[Judgement]:
    """Those of some queries, in the order given."""
    kept = set(query_ids)
    return [judgement for judgement in judgements if judgement.query_id in kept]
