"""Metrics as exact fractions of hand-made lines."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger import metrics
from spanledger.core.causes import CAUSES
from spanledger.metrics import (
    complete_at,
    complete_at_1_ceiling,
    complete_rate,
    counter_metrics,
    macro_recall,
    macro_recall_at,
    mean,
    measured,
    mrr,
    no_answer_accuracy,
    query_metrics,
)

EXACT = ("exact", "exact")


def attainable(candidates, index, *kinds):
    return {
        "candidates": {"facts": candidates, "kind": kinds[0]},
        "index": {"facts": index, "kind": kinds[1]},
    }


def random_order(candidates, index):
    return {
        "candidates": {"recall": candidates, "kind": "exact"},
        "index": {"recall": index, "kind": "sampled"},
    }


def line(required=0, index=0, candidates=0, context=0, causes=(), cost=0, chunks=0, duplicate=0, old=0, **rest):
    return {
        "required": required,
        "covered": {"index": index, "candidates": candidates, "context": context},
        "covered_at": {str(n): covered for n, covered in rest.get("at", {}).items()},
        "first_rank": rest.get("first"),
        "best_single": rest.get("best", 0),
        "attainable": attainable(*rest.get("attainable", (required, required)), *rest.get("kinds", EXACT)),
        "random": None if required == 0 else random_order(*rest.get("random", (0.0, 0.0))),
        "no_answer": rest.get("no_answer", None if required else "absent"),
        "candidate_count": rest.get("count", 0),
        "candidate_char": rest.get("read", 0),
        "facts": [{"cause": cause, "needed": rest.get("needed", {}).get(cause)} for cause in causes],
        "context": ["id"] * chunks,
        "not_current": old,
        "cost": {"char": cost, "unique_char": cost - duplicate, "duplicate_char": duplicate},
    }


def arm_metrics(rows, cutoffs=()):
    return query_metrics(rows, "char", list(cutoffs))


ROW = st.integers(0, 4).flatmap(
    lambda required: st.builds(
        line,
        required=st.just(required),
        index=st.integers(0, required),
        candidates=st.integers(0, required),
        context=st.integers(0, required),
        cost=st.integers(0, 999),
        chunks=st.integers(0, 3),
        first=st.none() | st.integers(1, 9),
        best=st.integers(0, required),
        count=st.integers(0, 3),
        at=st.fixed_dictionaries({1: st.integers(0, required), 3: st.integers(0, required)}),
    )
)


def test_means_are_exact():
    assert mean([1, 2, 4]) == Fraction(7, 3)
    assert mean([Fraction(1, 3)] * 3) == Fraction(1, 3)
    assert mean([Fraction(1, 10)] * 3) == Fraction(1, 10)  # which no sum of floats gives
    assert mean(iter([0])) == 0


def test_a_mean_over_nothing_is_none():
    assert mean([]) is None
    assert macro_recall([]) is None
    assert macro_recall([line(), line()]) is None


def test_recall_is_over_the_queries_with_facts_at_each_checkpoint():
    rows = [line(2, 2, 2, 1), line(3, 3, 1, 0), line(), line(1, 1, 1, 1)]
    assert macro_recall(rows) == Fraction(1, 2)  # (1/2 + 0 + 1) / 3
    assert macro_recall(rows, "candidates") == Fraction(7, 9)  # (1 + 1/3 + 1) / 3
    assert macro_recall(rows, "index") == 1


def test_recall_and_completeness_at_a_cutoff_are_over_the_queries_with_facts():
    rows = [line(2, at={1: 1, 3: 2}), line(3, at={1: 0, 3: 1}), line(at={1: 0, 3: 0}), line(1, at={1: 1, 3: 1})]
    assert macro_recall_at(rows, 1) == Fraction(1, 2)  # (1/2 + 0 + 1) / 3
    assert macro_recall_at(rows, 3) == Fraction(7, 9)  # (1 + 1/3 + 1) / 3
    assert complete_at(rows, 1) == Fraction(1, 3)  # all or nothing a query
    assert complete_at(rows, 3) == Fraction(2, 3)


def test_complete_rate_is_the_share_of_queries_with_all_of_their_facts():
    assert complete_rate([line(2, context=2), line(3, context=2), line()]) == Fraction(1, 2)
    assert complete_rate([line(1, context=0)]) == 0


def test_the_ceiling_is_the_share_of_queries_that_one_chunk_can_answer():
    rows = [line(2, best=2), line(2, best=1), line(1, best=1), line(3, best=0), line(best=0)]
    assert complete_at_1_ceiling(rows) == Fraction(2, 4)


def test_mrr_is_the_mean_of_one_over_the_first_place_and_0_where_there_is_none():
    assert mrr([line(1, first=1), line(1, first=4), line(2), line()]) == Fraction(5, 12)  # (1 + 1/4 + 0) / 3


def test_no_answer_accuracy_is_the_rate_of_empty_lists_among_queries_that_have_no_answer():
    rows = [line(count=0), line(count=3), line(count=1), line(1, count=0), line(1, count=2)]
    assert no_answer_accuracy(rows) == Fraction(1, 3)
    assert no_answer_accuracy([line(count=0)]) == 1


def test_a_query_without_facts_that_does_not_say_why_is_no_no_answer_query():
    judged = {**line(count=0), "no_answer": None}
    assert no_answer_accuracy([judged]) is None
    assert no_answer_accuracy([judged, line(count=1)]) == 0
    found = arm_metrics([judged, line(count=1), line(1)])
    assert [found[n] for n in ("queries", "answerable_queries", "no_answer_queries")] == [3, 1, 1]


def section(primary="macro_recall", gates=()):
    score = {
        "cost": {"unit": "char"},
        "cutoffs": [],
        "span_metrics": ["char_recall"],
        "document_metrics": ["AP", "P@1"],
    }
    return {"score": score, "report": {"primary": {"metric": primary}}, "gates": [{"metric": name} for name in gates]}


def test_measures_of_documents_are_means_over_the_judged_queries_and_the_others_are_counted():
    rows = [{**line(), "documents": {"AP": value, "P@1": 0.5}} for value in (0.25, 1.0)]
    rows += [{**line(), "documents": None}] * 3
    found = query_metrics(rows, "char", (), documents=("AP", "P@1"))
    assert [found[n] for n in ("judged_queries", "unjudged_queries", "AP", "P@1")] == [2, 3, 0.625, 0.5]
    found = query_metrics(rows[2:], "char", (), documents=("AP",))
    assert [found[n] for n in ("judged_queries", "unjudged_queries", "AP")] == [0, 3, None]


def test_measures_of_documents_have_columns_where_there_are_judgements_or_one_is_asked_for():
    assert measured(section(), [line(), line()])["documents"] is None
    assert "judged_queries" not in arm_metrics([line()])
    for asked, rows in (
        (section(), [line(), {**line(), "documents": None}]),
        (section("AP"), [line()]),
        (section(gates=["mrr", "P@1"]), []),
    ):
        assert measured(asked, rows)["documents"] == ["AP", "P@1"]


def test_span_metrics_are_means_over_the_answerable_queries():
    def counted(shared):
        return {"context": {"retrieved": 8, "evidence": 4, "shared": shared}}

    rows = [
        {**line(1), "characters": counted(3)},
        {**line(1), "characters": counted(0)},
        {**line(), "characters": None},
    ]
    found = query_metrics(rows, "char", (), spans=("char_precision", "char_recall", "char_iou"))
    # (3/8 + 0) / 2, (3/4 + 0) / 2, (3/9 + 0) / 2
    assert [found[n] for n in ("char_precision", "char_recall", "char_iou")] == [0.1875, 0.375, float(Fraction(1, 6))]
    assert query_metrics([rows[2]], "char", (), spans=("char_recall",))["char_recall"] is None


@pytest.mark.parametrize(
    "metric",
    [
        macro_recall,
        complete_rate,
        complete_at_1_ceiling,
        mrr,
        lambda rows: macro_recall_at(rows, 1),
        lambda rows: complete_at(rows, 1),
    ],
)
def test_no_metric_of_facts_exists_without_a_query_that_has_some(metric):
    assert metric([]) is None
    assert metric([line(), line()]) is None
    assert metric([line(), line(1, at={1: 0})]) == 0


def test_no_answer_accuracy_does_not_exist_where_every_query_has_facts():
    assert no_answer_accuracy([line(1, count=0)]) is None
    assert no_answer_accuracy([]) is None


def test_an_arm_by_hand():
    rows = [
        line(
            *(2, 2, 2, 1, [None, "crowded_out"], 240, 2, 60),
            **{"at": {1: 0, 2: 1}, "first": 2, "best": 1, "count": 9, "read": 500},
            **{"attainable": (1, 2), "kinds": ("exact", "upper_bound"), "random": (0.5, 0.25)},
        ),
        line(1, 1, 0, 0, ["not_matched"], 100, 1, old=1, at={1: 0, 2: 0}, best=1, count=4, read=300, attainable=(0, 1)),
        line(cost=51, chunks=1, old=1, at={1: 0, 2: 0}, count=1, read=51),
        line(1, 1, 1, 1, [None], 10, 1, at={1: 1, 2: 1}, first=1, best=1, count=2, read=49, random=(1.0, 0.125)),
        line(at={1: 0, 2: 0}),
    ]
    expected = {
        "queries": 5,
        "answerable_queries": 3,
        "no_answer_queries": 2,
        "facts": 4,
        "facts_in_index": 4,
        "facts_in_candidates": 3,
        "facts_in_context": 2,
        "macro_recall_index": 1.0,
        "macro_recall_candidates": float(Fraction(2, 3)),
        "macro_recall": 0.5,
        "complete_queries": 1,
        "complete_rate": float(Fraction(1, 3)),
        "macro_recall_at_1": float(Fraction(1, 3)),
        "macro_recall_at_2": 0.5,
        "complete_at_1": float(Fraction(1, 3)),
        "complete_at_2": float(Fraction(1, 3)),
        "complete_at_1_ceiling": float(Fraction(2, 3)),
        "attainable_recall_candidates": 0.5,  # (1/2 + 0 + 1) / 3
        "attainable_recall_index": 1.0,
        "attainable_exact_candidates": 3,
        "attainable_exact_index": 2,
        "random_recall_candidates": 0.5,  # (0.5 + 0 + 1) / 3
        "random_recall_index": 0.125,  # (0.25 + 0 + 0.125) / 3
        "random_exact_candidates": 3,
        "random_exact_index": 0,
        "mrr": 0.5,  # (1/2 + 0 + 1) / 3
        "no_answer_accuracy": 0.5,
        "cost_unit": "char",
        "mean_cost": 80.2,
        "mean_cost_answerable": float(Fraction(350, 3)),
        "mean_context_chunks": 1.0,
        "mean_candidate_char": 180.0,
        "mean_duplicate_char": 12.0,
        "empty_contexts": 1,
        "chunks_not_current": 2,
        **{f"lost_{cause}": 0 for cause in CAUSES},
        "lost_crowded_out": 1,
        "lost_not_matched": 1,
        "recoverable": 0,
    }
    found = arm_metrics(rows, [1, 2])
    assert found == expected
    assert list(found) == list(expected)  # the order of the columns
    assert {name for name in expected if "_at_" not in name} < set(arm_metrics(rows))


def test_without_a_random_baseline_its_recall_is_null():
    found = arm_metrics([{**line(2, 2), "random": None}, line()])
    assert (found["random_recall_candidates"], found["random_recall_index"]) == (None, None)
    assert (found["random_exact_candidates"], found["random_exact_index"]) == (0, 0)
    assert found["attainable_recall_index"] == 1.0


def test_without_an_answerable_query_recall_is_null_and_never_0():
    found = arm_metrics([line(cost=7, chunks=1)])
    assert [found[name] for name in ("macro_recall_index", "macro_recall_candidates", "macro_recall")] == [None] * 3
    assert found["mean_cost_answerable"] is None
    assert found["mean_cost"] == 7.0
    assert found["complete_queries"] == 0
    assert [found[name] for name in ("complete_rate", "complete_at_1_ceiling", "mrr")] == [None] * 3
    assert arm_metrics([])["mean_cost"] is None


def test_a_recall_of_nothing_held_is_0_and_not_null():
    assert arm_metrics([line(1)])["macro_recall"] == 0.0


@given(st.lists(ROW, max_size=12), st.randoms(use_true_random=False))
def test_no_order_of_the_queries_changes_a_digit(rows, rng):
    expected = arm_metrics(rows, [1, 3])
    rng.shuffle(rows)
    assert arm_metrics(rows, [1, 3]) == expected


@given(st.lists(ROW, min_size=1, max_size=12))
def test_recall_is_the_nearest_float_to_the_exact_mean(rows):
    answerable = [row for row in rows if row["required"]]
    found = arm_metrics(rows)["macro_recall"]
    if not answerable:
        assert found is None
        return
    whole = math.lcm(*(row["required"] for row in answerable)) * len(answerable)
    units = sum(row["covered"]["context"] * (whole // len(answerable) // row["required"]) for row in answerable)
    assert found == units / whole  # a quotient of two integers is rounded once
    assert 0 <= found <= 1


@given(st.lists(ROW, min_size=1, max_size=12))
def test_shares_are_from_0_to_1_and_complete_is_never_above_recall(rows):
    found = arm_metrics(rows, [1, 3])
    names = [name for name in found if name.startswith(("macro_recall", "complete_", "mrr", "no_answer_a"))]
    assert all(found[name] is None or 0 <= found[name] <= 1 for name in names if name != "complete_queries")
    for complete, recall in (("complete_rate", "macro_recall"), ("complete_at_1", "macro_recall_at_1")):
        assert found[complete] is None or found[complete] <= found[recall]


def counters(fuse=None, chunk=None, classes=((4, 40, 2), (3, 30, 1)), branches=1):
    """The counters of an arm; a class is (eligible chunks, terms, queries)."""
    groups = [{"eligible": eligible, "terms": terms, "queries": queries} for eligible, terms, queries in classes]
    work = {"term_checks": 10, "nonzero_contributions": 7, "synonym_group_checks": 3, "added_terms": 2, "candidates": 5}
    return {
        ("chunk", "c"): {"chunks": 6, "source_units": 50, "chunk_units": 65, "inside_predecessor": 1, **(chunk or {})},
        ("index", "i"): {"chunks": 6, "classes": groups},
        **{("retrieve", f"b{n}"): {name: (n + 1) * number for name, number in work.items()} for n in range(branches)},
        ("fuse", "f"): {"rank_visits": 8, "merged_duplicates": 3, "rule_evaluations": 5, **(fuse or {})},
        ("select", "s"): {"selected": 9},
    }


def test_what_the_stages_counted_by_hand():
    expected = {
        "chunks": 6,
        "duplication_ratio": 0.3,  # (65 - 50) / 50
        "chunks_inside_predecessor": 1,
        "strings_not_placed": 0,
        "smallest_index": 3,
        "index_records": 4 * 2 + 3 * 1,  # by the published accounting, once a query
        "index_terms": 40 * 2 + 30 * 1,
        "term_checks": 10,
        "nonzero_contributions": 7,
        "synonym_group_checks": 3,
        "added_terms": 2,
        "rank_visits": 8,
        "merged_duplicates": 3,
        "rule_evaluations": 5,
    }
    assert counter_metrics(counters()) == expected
    assert list(counter_metrics(counters())) == list(expected)


def test_work_of_retrieval_is_summed_over_the_branches():
    found = counter_metrics(counters(branches=3))
    names = ("term_checks", "nonzero_contributions", "synonym_group_checks", "added_terms")
    assert [found[name] for name in names] == [10 * 6, 7 * 6, 3 * 6, 2 * 6]


def test_an_arm_with_two_indexes_counts_both():
    both = {**counters(), ("index", "j"): {"chunks": 6, "classes": [{"eligible": 2, "terms": 9, "queries": 3}]}}
    found = counter_metrics(both)
    assert (found["smallest_index"], found["index_records"], found["index_terms"]) == (2, 11 + 6, 110 + 27)


def test_no_source_has_no_duplication_ratio_and_no_class_no_smallest_index():
    assert counter_metrics(counters(chunk={"source_units": 0, "chunk_units": 0}))["duplication_ratio"] is None
    found = counter_metrics(counters(classes=()))
    assert (found["smallest_index"], found["index_records"], found["index_terms"]) == (None, 0, 0)


def test_a_ratio_is_rounded_once():
    found = counter_metrics(counters(chunk={"source_units": 3, "chunk_units": 4}))
    assert found["duplication_ratio"] == 1 / 3
    assert metrics.rounded(Fraction(1, 3)) == 1 / 3 and metrics.rounded(None) is None


def test_a_lost_fact_is_recoverable_by_a_limit_and_not_by_another_filter():
    ways = {"does_not_fit": {"budget": 9, "top_k": 3}, "below_depth": {"depth": {"words": 7}}}
    others = {"ineligible": {"eligibility": ["acl"]}, "not_chunked": {"chunk": []}}
    rows = [
        line(4, 4, 2, 0, [*ways, *others], needed={**ways, **others}),
        line(2, 2, 2, 1, [None, "outside_top_k"], needed={"outside_top_k": {"top_k": 8}}),
        line(1, 1, 1, 0, ["demoted"]),
    ]
    assert arm_metrics(rows)["recoverable"] == 3
    assert arm_metrics([])["recoverable"] == 0


def test_what_is_not_known_of_an_index_is_null_and_the_rest_stands():
    rows = [line(2, 0, 2, 1, at={1: 1}, causes=["does_not_fit"]), line(1, 0, 1, 1, at={1: 1})]
    for row in rows:
        row["covered"]["index"] = row["best_single"] = row["attainable"]["index"] = row["random"]["index"] = None
    found = arm_metrics(rows, [1])
    unknown = (
        "facts_in_index",
        "macro_recall_index",
        "complete_at_1_ceiling",
        "attainable_recall_index",
        "random_recall_index",
    )
    assert [found[name] for name in unknown] == [None] * 5
    assert found["attainable_exact_index"] == found["random_exact_index"] == 0
    assert (found["facts_in_context"], found["macro_recall"], found["attainable_exact_candidates"]) == (2, 0.75, 2)
    counters = {("chunk", "c"): {"chunks": 1, "chunk_units": 1, "source_units": 1, "inside_predecessor": 0}}
    counters |= {
        ("retrieve", "run"): {},
        ("fuse", "run"): dict.fromkeys(("rank_visits", "merged_duplicates", "rule_evaluations"), 0),
    }
    counted = counter_metrics(counters)
    assert counted["smallest_index"] is counted["index_records"] is counted["term_checks"] is None
    counters["index", "run"] = {"classes": [{"eligible": 3, "queries": 2, "terms": None}]}
    counted = counter_metrics(counters)
    assert (counted["smallest_index"], counted["index_records"], counted["index_terms"]) == (3, 6, None)
