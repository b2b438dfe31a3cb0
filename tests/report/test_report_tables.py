import csv
import io
import json
import random

import pytest

from spanledger.report.tables import arm_rows, best, headline, tag_rows, to_csv

SETTINGS = [
    (chunk, eligibility, "single", select)
    for chunk in ("fixed", "overlap", "paragraph")
    for eligibility in ("all", "current")
    for select in ("chars240", "top2")
]
# Published: macro recall of the 12 arms. Worked by hand from the texts: the characters of the four contexts, in the order
# boundary-condition, two-facts, current-version, no-evidence (which is not answerable).
MACRO_RECALL = [1 / 3, 1 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 5 / 6, 5 / 6, 1 / 3, 2 / 3, 2 / 3, 1]
CONTEXTS = [
    *[(170, 213, 240, 240)] * 2,
    *[(170, 213, 120, 0)] * 2,
    *[(170, 240, 240, 240)] * 2,
    *[(170, 240, 240, 0)] * 2,
    (50, 211, 238, 238),
    (293, 211, 238, 238),
    (50, 211, 185, 0),
    (293, 211, 185, 0),
]


def line(arm, query_id, covered, required, cost=0, tags=(), candidates=0):
    """A line of queries.jsonl with `covered` facts in the context and the others lost to outside_top_k."""
    facts = [
        {"fact_id": f"f{n}", "index": True, "candidates": True, "context": n < covered}
        | {"cause": None if n < covered else "outside_top_k", "needed": None}
        for n in range(required)
    ]
    return {
        "arm": arm,
        "query_id": query_id,
        "candidate_count": candidates,
        "candidate_char": 10 * candidates,
        "context": [],
        "facts": facts,
        "covered": {"index": required, "candidates": required, "context": covered},
        "required": required,
        "covered_at": {"1": covered},
        "first_rank": 2 if covered else None,
        "best_single": min(1, required),
        "attainable": {pool: {"facts": required, "kind": "exact"} for pool in ("candidates", "index")},
        "random": None,
        "no_answer": None if required else "absent",
        "tags": list(tags),
        "not_current": 0,
        "cost": {"char": cost, "unique_char": cost, "duplicate_char": 0},
    }


def counted(chunks=4):
    """Counters of an arm with two branches over one index of `chunks` chunks of 5 characters, of a source of 12."""
    work = {"term_checks": 3, "nonzero_contributions": 2, "synonym_group_checks": 1, "added_terms": 0}
    return {
        ("chunk", "c"): {"chunks": chunks, "chunk_units": 5 * chunks, "source_units": 12, "inside_predecessor": 1},
        ("index", "i"): {
            "classes": [{"eligible": chunks, "terms": 7, "queries": 2}, {"eligible": 1, "terms": 1, "queries": 1}]
        },
        ("retrieve", "a"): work,
        ("retrieve", "b"): work,
        ("fuse", "f"): {"rank_visits": 9, "merged_duplicates": 4, "rule_evaluations": 0},
        ("select", "s"): {},
    }


COUNTERS = {"first": counted(), "second": counted(6)}


def two_arms():
    return {
        "score": {"cost": {"unit": "char"}, "cutoffs": [1], "span_metrics": [], "document_metrics": ["AP"]},
        "report": {"primary": {"metric": "macro_recall"}},
        "arms": [
            {"name": name, "chunk": "c", "eligibility": "e", "fuse": "f", "select": "s"} for name in ("second", "first")
        ],
    }


def test_rows_of_evidence_mapping(evidence_mapping):
    arguments = evidence_mapping.arguments
    table = arm_rows(arguments["section"], evidence_mapping.rows, arguments["counters"])
    assert [row["arm"] for row in table] == ["+".join(names) for names in SETTINGS]
    assert [tuple(row[part] for part in ("chunk", "eligibility", "fuse", "select")) for row in table] == SETTINGS
    assert [row["macro_recall"] for row in table] == MACRO_RECALL
    assert [row["mean_cost"] for row in table] == [sum(costs) / 4 for costs in CONTEXTS]
    assert [row["mean_cost_answerable"] for row in table] == [sum(costs[:3]) / 3 for costs in CONTEXTS]
    assert {row["facts"] for row in table} == {4} and {row["answerable_queries"] for row in table} == {3}
    # the two windows of overlap that two-facts and current-version keep share 60 characters; with `all` the windows of
    # the old version that current-version and no-evidence keep do
    assert [row["mean_duplicate_char"] for row in table] == [0, 0, 0, 0, 45, 45, 30, 30, 0, 0, 0, 0]
    # with `all`, current-version and no-evidence each keep two chunks of the old version
    assert [row["chunks_not_current"] for row in table] == [4, 4, 0, 0] * 3
    assert [row["empty_contexts"] for row in table] == [0, 0, 1, 1] * 3


def test_rows_do_not_depend_on_the_order_of_lines(evidence_mapping):
    section, counters = (evidence_mapping.arguments[name] for name in ("section", "counters"))
    shuffled = random.Random(1).sample(evidence_mapping.rows, len(evidence_mapping.rows))
    assert shuffled != evidence_mapping.rows
    assert arm_rows(section, shuffled, counters) == arm_rows(section, evidence_mapping.rows, counters)
    table = arm_rows(section, shuffled, counters)
    assert tag_rows(section, shuffled, table) == tag_rows(section, evidence_mapping.rows, table)


def test_arms_stand_in_the_order_of_the_section():
    table = arm_rows(two_arms(), [line("first", "q", 1, 1), line("second", "q", 0, 1)], COUNTERS)
    assert [(row["arm"], row["macro_recall"]) for row in table] == [("second", 0.0), ("first", 1.0)]


def test_each_arm_has_the_counters_of_its_own_stages():
    table = arm_rows(two_arms(), [line("first", "q", 1, 1, candidates=3), line("second", "q", 0, 1)], COUNTERS)
    assert [row["chunks"] for row in table] == [6, 4]
    assert [row["duplication_ratio"] for row in table] == [18 / 12, 8 / 12]
    assert [row["smallest_index"] for row in table] == [1, 1]
    assert [row["index_records"] for row in table] == [6 * 2 + 1, 4 * 2 + 1]
    assert [(row["index_terms"], row["term_checks"], row["rank_visits"]) for row in table] == [(15, 6, 9)] * 2
    assert [row["mean_candidate_char"] for row in table] == [0, 30]


def test_a_query_counts_under_each_of_its_tags():
    lines = [
        *(line("first", "q", 1, 1, 10, ("b", "a")), line("first", "r", 0, 2, 20, ("a",)), line("first", "s", 0, 0, 60)),
        *(line("second", "q", 0, 1, 5, ("b", "a")), line("second", "r", 1, 2, 7, ("a",)), line("second", "s", 0, 0)),
    ]
    rows = tag_rows(two_arms(), lines, [])
    shown = [(row["arm"], row["tag"], row["queries"], row["macro_recall"], row["mean_cost"]) for row in rows]
    assert shown == [
        ("second", "a", 2, 0.25, 6),
        ("second", "b", 1, 0, 5),
        ("first", "a", 2, 0.5, 15),
        ("first", "b", 1, 1, 10),
    ]


def test_without_tags_a_row_stands_for_all_queries_of_an_arm():
    lines = [line("first", "q", 1, 2, 10), line("second", "q", 2, 2, 30)]
    table = arm_rows(two_arms(), lines, COUNTERS)
    first, second = tag_rows(two_arms(), lines, table)[::-1]
    assert (first["arm"], first["tag"], first["macro_recall"], first["mean_cost"]) == ("first", None, 0.5, 10)
    tagged = [{**row, "tags": ["t"]} for row in lines]
    assert [{**row, "tag": None} for row in tag_rows(two_arms(), tagged, table)] == [second, first]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line("third", "q", 1, 1)], "query 'q' names the arm 'third'"),
        ([line("first", "q", 1, 1)], "only one has query 'q'"),
        ([line("first", "q", 1, 1), line("second", "q", 1, 1), line("first", "q", 1, 1)], "arm 'first': two lines"),
    ],
)
def test_lines_that_do_not_fit_the_section_are_refused(lines, message):
    with pytest.raises(ValueError, match=message):
        arm_rows(two_arms(), lines, COUNTERS)


def test_csv_has_a_column_for_every_number_and_ends_lines_with_lf(evidence_mapping):
    data = evidence_mapping.files()["arms.csv"]
    assert data.endswith(b"\n") and b"\r" not in data and data.count(b"\n") == 13
    header, *lines = csv.reader(io.StringIO(data.decode()))
    assert header == [
        *("arm", "chunk", "eligibility", "fuse", "select", "queries", "answerable_queries"),
        *("no_answer_queries", "facts"),
        *("facts_in_index", "facts_in_candidates", "facts_in_context"),
        *("macro_recall_index", "macro_recall_candidates", "macro_recall", "complete_queries", "complete_rate"),
        *("macro_recall_at_1", "complete_at_1", "complete_at_1_ceiling"),
        *("attainable_recall_candidates", "attainable_recall_index"),
        *("attainable_exact_candidates", "attainable_exact_index"),
        *("random_recall_candidates", "random_recall_index", "random_exact_candidates", "random_exact_index"),
        *("mrr", "char_precision", "char_recall", "char_iou", "char_recall_candidates", "precision_omega"),
        "no_answer_accuracy",
        *("cost_unit", "mean_cost", "mean_cost_answerable", "mean_context_chunks", "mean_candidate_char"),
        *("mean_duplicate_char", "empty_contexts", "chunks_not_current"),
        *("lost_ineligible", "lost_not_chunked", "lost_not_matched", "lost_below_depth", "lost_not_retrieved"),
        *(
            "lost_demoted",
            "lost_crowded_out",
            "lost_does_not_fit",
            "lost_outside_top_k",
            "lost_not_chosen",
            "recoverable",
        ),
        *("chunks", "duplication_ratio", "chunks_inside_predecessor", "strings_not_placed"),
        *("smallest_index", "index_records", "index_terms"),
        *("term_checks", "nonzero_contributions", "synonym_group_checks", "added_terms"),
        *("rank_visits", "merged_duplicates", "rule_evaluations"),
    ]
    recalls = [dict(zip(header, fields, strict=True))["macro_recall"] for fields in lines]
    assert recalls[:3] == ["0.3333333333333333", "0.3333333333333333", "0.6666666666666666"]
    assert [float(text) for text in recalls] == MACRO_RECALL


def test_a_mean_over_nothing_is_an_empty_field_and_null():
    table = arm_rows(two_arms(), [line("first", "q", 0, 0, 7), line("second", "q", 0, 0)], COUNTERS)
    fields = next(iter(csv.DictReader(io.StringIO(to_csv(table).decode()))))
    assert fields["macro_recall"] == fields["mean_cost_answerable"] == ""
    assert fields["mean_cost"] == "0.0"
    assert headline("x", table, two_arms())["x"]["first"] == {"macro_recall": None, "mean_cost": 7.0}
    assert best(table, "macro_recall") == (None, [])


def test_metrics_hold_the_headline_alone(evidence_mapping):
    metrics = json.loads(evidence_mapping.files()["metrics.json"])
    assert list(metrics) == ["evidence_mapping"] and len(metrics["evidence_mapping"]) == 12
    assert metrics["evidence_mapping"]["paragraph+current+single+top2"] == {"macro_recall": 1.0, "mean_cost": 172.25}


def test_best_names_every_arm_that_has_the_highest_value():
    table = [{"arm": name, "m": value} for name, value in (("a", 0.5), ("b", 0.7), ("c", None), ("d", 0.7))]
    assert best(table, "m") == (0.7, ["b", "d"])
