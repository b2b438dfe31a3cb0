"""Stage report: the headline numbers, the table of arms and the page."""

from typing import Any

from spanledger.core import files
from spanledger.core.records import Document, Query
from spanledger.gates.leaks import Leaks
from spanledger.gold import Gold
from spanledger.metrics import Counters
from spanledger.report import failures, page, tables
from spanledger.report.frontier import COLUMNS
from spanledger.report.judgements import Sheet
from spanledger.report.results import Results


def report(
    experiment: str,
    section: dict[str, Any],
    dataset_summary: dict[str, Any],
    rows: list[dict[str, Any]],
    golds: list[Gold],
    documents: list[Document],
    queries: list[Query],
    counters: dict[str, Counters],
    leaks: dict[str, Leaks],
    judgements: Sheet | None = None,
) -> dict[str, bytes]:
    """The report's files by name: metrics.json (headline numbers), arms.csv, tags.csv (the metrics by tag of the
    queries), frontier.csv (cost against recall), failures.csv (the lost facts with their classes), diagnostics.json,
    gates.json (the verdicts of `gates.evaluate`, those with a baseline deferred) and report.html.

    `section` is the resolved section of the experiment; `dataset_summary` holds the dataset's name, where it has them
    its description, language and licence, and where queries are held out the number of all `queries`; `rows` are the
    lines of queries.jsonl; `documents` hold raw text; `counters` are the stages' of each arm, by (stage, setting), by
    its name, and `leaks` those of each arm; `judgements` are people's. The lists may come in any order: the same values
    give the same bytes. Raises ValueError where rows, golds, queries and arms do not belong together, and KeyError for a
    document that is missing.
    """
    results = Results.of(
        experiment, dataset_summary, section, rows, golds, documents, queries, counters, leaks, judgements
    )
    arms, query_ids = [arm.name for arm in results.arms], [query.query_id for query in results.queries]
    return {
        "metrics.json": files.document(tables.headline(experiment, results.table, section)),
        "arms.csv": tables.to_csv(results.table),
        "tags.csv": tables.to_csv(results.tags),
        "frontier.csv": tables.to_csv(results.frontier or [dict.fromkeys(COLUMNS)]),
        "failures.csv": tables.to_csv(failures.table(arms, query_ids, results.trails, results.failures)),
        "diagnostics.json": files.document(results.diagnostics),
        "gates.json": files.document(results.gates),
        "report.html": page.render(results),
    }
