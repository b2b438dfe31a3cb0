"""What every section of the page reads: the results of one experiment, checked against each other and put in order."""

from dataclasses import dataclass
from typing import Any

from spanledger.core.ranking import ELSEWHERE
from spanledger.core.records import Document, DocumentKey, Query
from spanledger.engine.plan import Arm, arms
from spanledger.gates import evaluate
from spanledger.gates.leaks import Leaks
from spanledger.gold import Gold
from spanledger.metrics import Counters
from spanledger.report.diagnostics import diagnostics
from spanledger.report.failures import Case, cases
from spanledger.report.frontier import frontier
from spanledger.report.judgements import Sheet
from spanledger.report.tables import ArmRow, arm_rows, by_arm, tag_rows


@dataclass(frozen=True, slots=True)
class Results:
    """One experiment, scored.

    `arms` and `table` are in the order of params.yaml, `queries` in their own order; `trails` leads from
    (arm, query_id) to a line of queries.jsonl; `documents` hold raw text; `counters` are those of each arm's stages, by
    its name. `diagnostics`, `frontier` and `tags` are those of diagnostics.py, frontier.py and `tables.tag_rows`;
    `failures` are the lost facts by failure class, `judgements` what people wrote about them; `gates` are the
    verdicts of `gates.evaluate` that need no other revision.
    """

    experiment: str
    dataset: dict[str, Any]
    section: dict[str, Any]
    arms: list[Arm]
    table: list[ArmRow]
    queries: list[Query]
    golds: dict[str, Gold]
    documents: dict[DocumentKey, Document]
    trails: dict[tuple[str, str], dict[str, Any]]
    counters: dict[str, Counters]
    diagnostics: list[dict[str, Any]]
    frontier: list[dict[str, Any]]
    tags: list[dict[str, Any]]
    failures: list[Case]
    judgements: Sheet
    gates: list[dict[str, Any]]

    @classmethod
    def of(
        cls,
        experiment: str,
        dataset: dict[str, Any],
        section: dict[str, Any],
        rows: list[dict[str, Any]],
        golds: list[Gold],
        documents: list[Document],
        queries: list[Query],
        counters: dict[str, Counters],
        leaks: dict[str, Leaks],
        judgements: Sheet | None = None,
    ) -> "Results":
        """Takes lists in any order. Raises ValueError where golds, queries and lines are not of the same queries."""
        judgements = judgements or Sheet()
        ordered = sorted(queries, key=lambda query: query.order)
        by_query = {gold.query_id: gold for gold in golds}
        names = {query.query_id for query in ordered}
        for what, held in (("golds", set(by_query)), ("lines of queries.jsonl", {row["query_id"] for row in rows})):
            if held != names:
                raise ValueError(f"{what}: expected those of the queries; they differ in '{min(held ^ names)}'")
        table = arm_rows(section, rows, counters)
        trails = {(row["arm"], row["query_id"]): row for row in rows}
        planned = arms(section)
        lost = cases((a.name for a in planned), (query.query_id for query in ordered), trails, judgements)
        return cls(
            experiment,
            dataset,
            section,
            planned,
            table,
            ordered,
            by_query,
            {document.key: document for document in documents},
            trails,
            counters,
            diagnostics(section, dataset, table, by_arm(section, rows), counters),
            frontier(table, section["report"]["primary"]["metric"]),
            tag_rows(section, rows, table),
            lost,
            judgements,
            evaluate(section, {row["arm"]: row for row in table}, leaks),
        )

    @property
    def primary(self) -> str:
        """The metric that arms are compared by: a column of the table."""
        return self.section["report"]["primary"]["metric"]

    @property
    def elsewhere(self) -> bool:
        """Whether the candidates were made by others."""
        return any(setting["scorer"] == ELSEWHERE for setting in self.section["retrieve"].values())

    @property
    def unit(self) -> str:
        """The unit of cost."""
        return self.section["score"]["cost"]["unit"]
