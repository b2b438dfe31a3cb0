"""Metrics of an arm, as aggregates of its lines in queries.jsonl and of its stages' counters.

Means are exact: they are summed as fractions and rounded once, so that no order of the queries can change a digit. A mean
or a rate over nothing is None. Recall is over the queries with at least one required fact; cost is over all queries, and
over these beside it. Measures of documents are over the judged queries, those of a dataset with judgements that have one.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from spanledger.core.causes import CAUSES
from spanledger.core.span_measures import span_measure

CHECKPOINTS = ("index", "candidates", "context")
POOLS = ("candidates", "index")  # what a choice or a random order is made of
LIMITS = ("budget", "top_k", "depth")  # what may bring a lost fact back by itself where it is larger
Row = dict[str, Any]
Counters = dict[tuple[str, str], dict[str, Any]]  # by (stage, name of the setting)


def mean(values: Iterable[int | Fraction]) -> Fraction | None:
    """The exact arithmetic mean; None where there is no value."""
    values = list(values)
    return sum(values, Fraction(0)) / len(values) if values else None


def macro_recall(rows: list[Row], checkpoint: str = "context") -> Fraction | None:
    """The mean over answerable queries of covered / required facts at a checkpoint; None without such a query, and where
    it is not known what the index covers."""
    if any(row["covered"][checkpoint] is None for row in rows):
        return None
    return mean(Fraction(row["covered"][checkpoint], row["required"]) for row in rows if row["required"])


def macro_recall_at(rows: list[Row], cutoff: int) -> Fraction | None:
    """The same of the first `cutoff` passages of the context."""
    return mean(Fraction(row["covered_at"][str(cutoff)], row["required"]) for row in rows if row["required"])


def complete_rate(rows: list[Row]) -> Fraction | None:
    """The share of answerable queries with all of their facts in the context."""
    return mean(int(row["covered"]["context"] == row["required"]) for row in rows if row["required"])


def complete_at(rows: list[Row], cutoff: int) -> Fraction | None:
    """The share of answerable queries with all of their facts in the first `cutoff` passages: all or nothing a query."""
    return mean(int(row["covered_at"][str(cutoff)] == row["required"]) for row in rows if row["required"])


def complete_at_1_ceiling(rows: list[Row]) -> Fraction | None:
    """The share of answerable queries for which any one chunk of the index covers all facts: what no ranking of these
    chunks can exceed at the first place."""
    if any(row["best_single"] is None for row in rows):
        return None
    return mean(int(row["best_single"] == row["required"]) for row in rows if row["required"])


def attainable_recall(rows: list[Row], pool: str) -> Fraction | None:
    """The macro recall that the best choice of chunks of the pool for each query could have under the arm's limits: no
    more than that where some query has an upper bound alone."""
    if any(row["attainable"][pool] is None for row in rows):
        return None
    return mean(Fraction(row["attainable"][pool]["facts"], row["required"]) for row in rows if row["required"])


def random_recall(rows: list[Row], pool: str) -> Fraction | None:
    """The expected macro recall of the pool's chunks in random order; None without a random baseline."""
    held = [row["random"] and row["random"][pool] for row in rows if row["required"]]
    return None if None in held else mean(Fraction(random["recall"]) for random in held)


def mrr(rows: list[Row]) -> Fraction | None:
    """The mean over answerable queries of 1 / the place in the context of the first passage that covers a span of some
    fact on its own; 0 where none does."""
    places = (row["first_rank"] for row in rows if row["required"])
    return mean(Fraction(1, place) if place else Fraction(0) for place in places)


def no_answer_accuracy(rows: list[Row]) -> Fraction | None:
    """The rate of empty candidate lists among the no-answer queries, those that say so. It tests lexical overlap with the
    question and nothing else: such a query is never counted as a correct refusal."""
    return mean(int(row["candidate_count"] == 0) for row in rows if row["no_answer"])


def span_metric(rows: list[Row], name: str) -> Fraction | None:
    """The mean over answerable queries of one of score.span_metrics (see `core.span_measures`); None where one
    of them is not known."""
    values = [span_measure(name, row["characters"]) for row in rows if row["required"]]
    return None if None in values else mean(values)


def document_metric(rows: list[Row], name: str) -> Fraction | None:
    """The mean over judged queries of one of score.document_metrics (see `scoring.documents`)."""
    return mean(Fraction(row["documents"][name]) for row in rows if row.get("documents") is not None)


def measured(section: dict[str, Any], rows: Iterable[Row]) -> dict[str, Any]:
    """What `query_metrics` is to work out of these lines, all of an experiment's: its keyword arguments. Measures of
    documents are among them where there are judgements, or where the section asks for one by name."""
    score = section["score"]
    wanted = {section["report"]["primary"]["metric"], *(gate["metric"] for gate in section.get("gates", ()))}
    judged = any("documents" in row for row in rows) or not wanted.isdisjoint(score["document_metrics"])
    return {
        "unit": score["cost"]["unit"],
        "cutoffs": score["cutoffs"],
        "spans": score["span_metrics"],
        "documents": score["document_metrics"] if judged else None,
    }


def query_metrics(
    rows: list[Row],
    unit: str,
    cutoffs: Iterable[int],
    spans: Iterable[str] = (),
    documents: Iterable[str] | None = None,
) -> dict[str, Any]:
    """The metrics of some lines of one arm; `unit` is that of cost, `cutoffs`, `spans` (span_metrics) and `documents`
    (document_metrics; None: there are no judgements) those of the section score."""
    answerable = [row for row in rows if row["required"]]
    facts = [fact for row in rows for fact in row["facts"] if fact["cause"]]
    lost = [fact["cause"] for fact in facts]
    return {
        "queries": len(rows),
        "answerable_queries": len(answerable),
        "no_answer_queries": sum(bool(row["no_answer"]) for row in rows),
        "facts": sum(row["required"] for row in rows),
        **{f"facts_in_{point}": _sum(row["covered"][point] for row in rows) for point in CHECKPOINTS},
        "macro_recall_index": rounded(macro_recall(rows, "index")),
        "macro_recall_candidates": rounded(macro_recall(rows, "candidates")),
        "macro_recall": rounded(macro_recall(rows)),
        "complete_queries": sum(row["covered"]["context"] == row["required"] for row in answerable),
        "complete_rate": rounded(complete_rate(rows)),
        **{f"macro_recall_at_{n}": rounded(macro_recall_at(rows, n)) for n in cutoffs},
        **{f"complete_at_{n}": rounded(complete_at(rows, n)) for n in cutoffs},
        "complete_at_1_ceiling": rounded(complete_at_1_ceiling(rows)),
        **{f"attainable_recall_{pool}": rounded(attainable_recall(rows, pool)) for pool in POOLS},
        **{f"attainable_exact_{pool}": _exact(answerable, "attainable", pool) for pool in POOLS},
        **{f"random_recall_{pool}": rounded(random_recall(rows, pool)) for pool in POOLS},
        **{f"random_exact_{pool}": _exact(answerable, "random", pool) for pool in POOLS},
        "mrr": rounded(mrr(rows)),
        **{name: rounded(span_metric(rows, name)) for name in spans},
        **({} if documents is None else _documents(rows, documents)),
        "no_answer_accuracy": rounded(no_answer_accuracy(rows)),
        "cost_unit": unit,
        "mean_cost": rounded(mean(row["cost"][unit] for row in rows)),
        "mean_cost_answerable": rounded(mean(row["cost"][unit] for row in answerable)),
        "mean_context_chunks": rounded(mean(len(row["context"]) for row in rows)),
        "mean_candidate_char": rounded(mean(row["candidate_char"] for row in rows)),
        "mean_duplicate_char": rounded(mean(row["cost"]["duplicate_char"] for row in rows)),
        "empty_contexts": sum(not row["context"] for row in rows),
        "chunks_not_current": sum(row["not_current"] for row in rows),
        **{f"lost_{cause}": lost.count(cause) for cause in CAUSES},
        "recoverable": sum(any(name in (fact["needed"] or {}) for name in LIMITS) for fact in facts),
    }


def _documents(rows: list[Row], names: Iterable[str]) -> dict[str, Any]:
    judged = sum(row.get("documents") is not None for row in rows)
    return {
        "judged_queries": judged,
        "unjudged_queries": len(rows) - judged,
        **{name: rounded(document_metric(rows, name)) for name in names},
    }


def _exact(rows: list[Row], baseline: str, pool: str) -> int:
    """How many of the queries have a baseline that is exact."""
    held = (row[baseline] and row[baseline][pool] for row in rows)
    return sum(found is not None and found["kind"] == "exact" for found in held)


def _times(terms: int | None, queries: int) -> int | None:
    return None if terms is None else terms * queries


def _sum(values: Iterable[int | None]) -> int | None:
    """The sum; None where a value is not known."""
    values = list(values)
    return None if None in values else sum(values)


def counter_metrics(counters: Counters) -> dict[str, Any]:
    """What an arm's stages counted: its chunks, its index by the published accounting (records and terms times queries),
    and the work of retrieval and fusion, summed over branches. What a stage did not count, because it did not run here, is
    None."""
    stages: dict[str, list[dict[str, Any]]] = {}
    for (stage, _), counted in counters.items():
        stages.setdefault(stage, []).append(counted)
    (chunk,), (fuse,) = stages["chunk"], stages["fuse"]
    classes = None
    if "index" in stages:
        classes = [group for counted in stages["index"] for group in counted["classes"]]
    source = chunk["source_units"]
    return {
        "chunks": chunk["chunks"],
        "duplication_ratio": rounded(Fraction(chunk["chunk_units"] - source, source)) if source else None,
        "chunks_inside_predecessor": chunk["inside_predecessor"],
        "strings_not_placed": chunk.get("not_placed", 0),
        "smallest_index": min((group["eligible"] for group in classes or ()), default=None),
        "index_records": None if classes is None else sum(group["eligible"] * group["queries"] for group in classes),
        "index_terms": None if classes is None else _sum(_times(group["terms"], group["queries"]) for group in classes),
        **{
            name: _sum(counted.get(name) for counted in stages["retrieve"])
            for name in ("term_checks", "nonzero_contributions", "synonym_group_checks", "added_terms")
        },
        **{name: fuse[name] for name in ("rank_visits", "merged_duplicates", "rule_evaluations")},
    }


def rounded(value: Fraction | None) -> float | None:
    """A fraction as the nearest float; None stays None."""
    return None if value is None else float(value)
