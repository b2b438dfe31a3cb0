"""Stage report: the headline numbers, the table of arms and the page."""

from typing import Any

from spanledger.core import files
from spanledger.core.records import Document, Query
from spanledger.gold import Gold
from spanledger.report import page, tables
from spanledger.report.results import Results


def report(
    experiment: str,
    section: dict[str, Any],
    dataset_summary: dict[str, Any],
    rows: list[dict[str, Any]],
    golds: list[Gold],
    documents: list[Document],
    queries: list[Query],
) -> dict[str, bytes]:
    """The report's files by name: metrics.json (headline numbers), arms.csv and report.html.

    `section` is the resolved section of the experiment; `dataset_summary` holds the dataset's name and, where it has
    them, its description, language and licence; `rows` are the lines of queries.jsonl; `documents` hold raw text. The
    lists may come in any order: the same values give the same bytes. Raises ValueError where rows, golds, queries and
    arms do not belong together, and KeyError for a document that is missing.
    """
    results = Results.of(experiment, dataset_summary, section, rows, golds, documents, queries)
    return {
        "metrics.json": files.document(tables.headline(experiment, results.table, results.primary)),
        "arms.csv": tables.arms_csv(results.table),
        "report.html": page.render(results),
    }
