"""Metrics of an arm, as aggregates of its lines in queries.jsonl.

Means are exact: they are summed as fractions and rounded once, so that no order of the queries can change a digit. A mean
over nothing is None. Recall is over the queries with at least one required fact; cost is over all queries, and over
these beside it.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from spanledger.scoring.loss import CAUSES

CHECKPOINTS = ("index", "candidates", "context")


def mean(values: Iterable[int | Fraction]) -> Fraction | None:
    """The exact arithmetic mean; None where there is no value."""
    values = list(values)
    return sum(values, Fraction(0)) / len(values) if values else None


def macro_recall(rows: list[dict[str, Any]], checkpoint: str = "context") -> Fraction | None:
    """The mean over answerable queries of covered / required facts at a checkpoint; None without such a query."""
    return mean(Fraction(row["covered"][checkpoint], row["required"]) for row in rows if row["required"])


def arm_metrics(rows: list[dict[str, Any]], unit: str) -> dict[str, Any]:
    """The metrics of one arm from its lines of queries.jsonl; `unit` is the unit of cost.

    Keys and order are those of the columns of arms.csv after the arm's settings.
    """
    answerable = [row for row in rows if row["required"]]
    lost = [fact["cause"] for row in rows for fact in row["facts"] if fact["cause"]]
    return {
        "queries": len(rows),
        "answerable_queries": len(answerable),
        "facts": sum(row["required"] for row in rows),
        **{f"facts_in_{point}": sum(row["covered"][point] for row in rows) for point in CHECKPOINTS},
        "macro_recall_index": _rounded(macro_recall(rows, "index")),
        "macro_recall_candidates": _rounded(macro_recall(rows, "candidates")),
        "macro_recall": _rounded(macro_recall(rows)),
        "complete_queries": sum(row["covered"]["context"] == row["required"] for row in answerable),
        "cost_unit": unit,
        "mean_cost": _rounded(mean(row["cost"][unit] for row in rows)),
        "mean_cost_answerable": _rounded(mean(row["cost"][unit] for row in answerable)),
        "mean_context_chunks": _rounded(mean(len(row["context"]) for row in rows)),
        "mean_duplicate_char": _rounded(mean(row["cost"]["duplicate_char"] for row in rows)),
        "empty_contexts": sum(not row["context"] for row in rows),
        "chunks_not_current": sum(row["not_current"] for row in rows),
        **{f"lost_{cause}": lost.count(cause) for cause in CAUSES},
    }


def _rounded(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
