"""The metrics that a gate may bound: which way each is better, over which queries it is taken, and what it rests on.

A metric that is better neither higher nor lower may be bounded, but not compared with a baseline.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spanledger.core.causes import CAUSES
from spanledger.core.span_measures import PUBLISHED

HIGHER, LOWER, NEITHER = "higher", "lower", "neither"
QUERIES, ANSWERABLE, UNANSWERABLE = "queries", "answerable queries", "no-answer queries"
JUDGED = "judged queries"
PRIMARY = (
    "macro_recall",
    "macro_recall_candidates",
    "macro_recall_index",
    "complete_rate",
    "mrr",
)  # compare arms by one
FACTS, COST, COUNTS = "coverage", "cost", "counts"


@dataclass(frozen=True, slots=True)
class Bounded:
    """One column of arms.csv: the side on which it is better, the queries that it is taken over, whether it rests on the
    coverage rule, on the definition of cost or on neither, and whether it is a share of 1."""

    better: str
    queries: str = QUERIES
    rests_on: str = COUNTS
    share: bool = False


_RECALL = Bounded(HIGHER, ANSWERABLE, FACTS, share=True)
_FACTS = Bounded(HIGHER, ANSWERABLE, FACTS)
_SEARCHED = Bounded(NEITHER, ANSWERABLE)
_WORK = Bounded(LOWER)
_SIZE = Bounded(NEITHER)
_METRICS = {
    **dict.fromkeys(("macro_recall_index", "macro_recall_candidates", "macro_recall", "complete_rate"), _RECALL),
    **dict.fromkeys(("complete_at_1_ceiling", "mrr"), _RECALL),
    **dict.fromkeys(("facts_in_index", "facts_in_candidates", "facts_in_context", "complete_queries"), _FACTS),
    **dict.fromkeys(("attainable_recall_candidates", "attainable_recall_index"), _RECALL),
    **dict.fromkeys(
        ("random_recall_candidates", "random_recall_index"), Bounded(NEITHER, ANSWERABLE, FACTS, share=True)
    ),
    **{f"{kind}_exact_{pool}": _SEARCHED for kind in ("attainable", "random") for pool in ("candidates", "index")},
    "recoverable": Bounded(NEITHER, ANSWERABLE, FACTS),
    "no_answer_accuracy": Bounded(HIGHER, UNANSWERABLE, share=True),
    "mean_cost": Bounded(LOWER, rests_on=COST),
    "mean_cost_answerable": Bounded(LOWER, ANSWERABLE, COST),
    **dict.fromkeys(("mean_candidate_char", "mean_duplicate_char", "mean_context_chunks", "chunks_not_current"), _WORK),
    **dict.fromkeys(("duplication_ratio", "chunks_inside_predecessor", "index_records", "index_terms"), _WORK),
    "strings_not_placed": _WORK,
    **dict.fromkeys(("term_checks", "nonzero_contributions", "synonym_group_checks"), _WORK),
    **dict.fromkeys(("rank_visits", "rule_evaluations"), _WORK),
    **dict.fromkeys(("empty_contexts", "chunks", "smallest_index", "added_terms", "merged_duplicates"), _SIZE),
}
_LOSSES = {f"lost_{cause}": Bounded(LOWER, ANSWERABLE, FACTS) for cause in CAUSES}


def bounded(score: Mapping[str, Any]) -> dict[str, Bounded]:
    """The metrics by name; `score` is that section, resolved. Losses are bounded by their cause instead."""
    at = {f"{metric}_at_{n}": _RECALL for n in score["cutoffs"] for metric in ("macro_recall", "complete")}
    spans = {
        name: Bounded(NEITHER if name == PUBLISHED else HIGHER, ANSWERABLE, share=True)
        for name in score["span_metrics"]
    }
    return {**_METRICS, **at, **spans, **dict.fromkeys(score["document_metrics"], Bounded(HIGHER, JUDGED, share=True))}


def column(gate: dict[str, str | None]) -> str:
    """The column of arms.csv that a gate is about."""
    return gate["metric"] if gate["loss"] is None else f"lost_{gate['loss']}"


def meaning(gate: Mapping[str, Any], score: Mapping[str, Any]) -> Bounded:
    """What is known of the column that a gate is about. Raises KeyError for a metric that gates may not bound."""
    return {**bounded(score), **_LOSSES}[column(gate)]
