"""Verdicts on hand-made rows of the table of arms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger import gates
from spanledger.engine import schema
from spanledger.gates import Baseline, evaluate, status
from spanledger.gates.leaks import Leaks
from spanledger.metrics import macro_recall, rounded

SCORE = {
    "cutoffs": [1],
    "span_metrics": ["char_recall"],
    "document_metrics": ["nDCG@10"],
    "coverage": {"rule": "span"},
    "cost": {"unit": "char", "text": "body"},
}
COUNTS = {"queries": 50, "answerable_queries": 40, "no_answer_queries": 7, "judged_queries": 20, "facts": 60}
CLEAN = {"one": Leaks(0, 5), "two": Leaks(0, 6)}


def section(*wanted):
    arms = [{"name": n, "chunk": "c", "eligibility": "e", "fuse": "f", "select": "s"} for n in ("one", "two")]
    return {"arms": arms, "score": SCORE, "gates": [schema.defaults(gate, "params", "gate") for gate in wanted]}


def rows(one, two=None, **rest):
    return {"one": {**COUNTS, **one, **rest}, "two": {**COUNTS, **(one if two is None else two), **rest}}


def verdict(gate, held, **rest):
    leaks, found = evaluate(section(gate), held, CLEAN, **rest)
    assert leaks["status"] == ("untrusted" if rest.get("untrusted") else "passed")
    return found


def recall(value, **rest):
    return rows({"macro_recall": value}, **rest)


@pytest.mark.parametrize(
    ("bound", "value", "expected"),
    [
        ({"at_least": 0.7}, float(Fraction(7, 10)), "passed"),
        ({"at_least": 0.7}, float(Fraction(699_999, 1_000_000)), "failed"),
        ({"at_least": 0.3}, 0.1 + 0.2, "passed"),  # 0.30000000000000004 is above
        ({"at_most": 0.3}, 0.1 + 0.2, "failed"),
        ({"at_least": 1}, 1.0, "passed"),
        ({"at_most": 0.7}, 0.7, "passed"),
        ({"at_most": 0.7}, 0.7000001, "failed"),
        ({"at_least": 0.5, "at_most": 0.7}, 0.6, "passed"),
        ({"at_least": 0.5, "at_most": 0.7}, 0.4, "failed"),
        ({"at_least": 0.5, "at_most": 0.7}, 0.8, "failed"),
        # a third is above the decimal, and the number as it stands in arms.csv is a third
        ({"at_least": 0.3333}, 1 / 3, "passed"),
        ({"at_least": 0.8333333333333334}, 5 / 6, "passed"),
        ({"at_most": 0.3333333}, 1 / 3, "failed"),
    ],
)
def test_a_bound_holds_to_the_last_digit(bound, value, expected):
    assert verdict({"metric": "macro_recall", **bound}, recall(value))["status"] == expected


def test_every_arm_is_meant_where_none_is_named():
    held = rows({"mean_cost": 240.0}, {"mean_cost": 240.5})
    found = verdict({"metric": "mean_cost", "at_most": 240}, held)
    assert found["rule"] == "mean_cost at most 240" and found["arm"] is None and found["arms"] == 2
    assert found["status"] == "failed" and found["found"] == "1 of 2 arms: highest 240.5 (two)"
    assert found["not_passed"] == [
        {"arm": "two", "status": "failed", "value": "240.5", "reason": "240.5 is above 240"},
    ]
    assert verdict({"metric": "mean_cost", "arm": "one", "at_most": 240}, held) == {
        **{"rule": "mean_cost at most 240", "arm": "one", "status": "passed", "found": "240"},
        **{"arms": 1, "not_passed": []},
    }


def test_a_gate_that_passes_shows_the_arm_nearest_to_its_bound():
    held = rows({"macro_recall": 0.9}, {"macro_recall": 0.75})
    assert verdict({"metric": "macro_recall", "at_least": 0.7}, held)["found"] == "lowest 0.75 (two)"
    assert verdict({"metric": "macro_recall", "at_most": 0.95}, held)["found"] == "highest 0.9 (one)"


def test_a_value_just_beside_its_bound_is_shown_with_all_digits():
    found = verdict({"metric": "macro_recall", "arm": "one", "at_least": 0.7}, recall(0.69999))
    assert found["found"] == "0.69999 is below 0.7"


def test_losses_are_bounded_by_their_cause():
    held = rows({"lost_crowded_out": 2}, {"lost_crowded_out": 3})
    gate = {"loss": "crowded_out", "at_most": 2}
    assert verdict({**gate, "arm": "one"}, held)["status"] == "passed"
    found = verdict(gate, held)
    assert (found["rule"], found["status"]) == ("facts lost to crowded_out at most 2", "failed")
    assert found["found"] == "1 of 2 arms: highest 3 (two)"


def test_null_fails_and_says_why_and_never_passes():
    held = recall(None, answerable_queries=0)
    for bound in ({"at_least": 0.1}, {"at_most": 0.9}, {"baseline": "main", "worse_by_at_most": 0.5}):
        gate = {"metric": "macro_recall", "arm": "one", **bound}
        found = verdict(gate, held, baseline=lambda name: Baseline(held, SCORE))
        assert found["status"] == "failed"
        assert found["not_passed"][0]["reason"] == "is null: there are no answerable queries to take it over"
    found = verdict(
        {"metric": "no_answer_accuracy", "at_least": 0.5}, rows({"no_answer_accuracy": None}, no_answer_queries=0)
    )
    assert found["not_passed"][0]["reason"] == "is null: there are no no-answer queries to take it over"
    found = verdict({"metric": "duplication_ratio", "at_most": 0.5}, rows({"duplication_ratio": None}))
    assert (found["status"], found["not_passed"][0]["reason"]) == ("failed", "is null: it has no value here")


def test_leaks_are_a_gate_of_every_experiment():
    (found,) = evaluate(section(), {}, CLEAN)
    assert found == {
        **{"rule": "leaks 0", "arm": None, "status": "passed", "arms": 2, "not_passed": []},
        "found": "0 of 11 chunks and passages in 2 arms",
    }
    (found,) = evaluate(section(), {}, {**CLEAN, "two": Leaks(3, 6, "query 'q', context: chunk c of d/v1")})
    assert found["status"] == "failed" and status([found]) == 1
    assert (
        found["found"] == "3 of 11 chunks and passages in 2 arms; the first: query 'q', context: chunk c of d/v1 (two)"
    )
    assert [(entry["arm"], entry["value"]) for entry in found["not_passed"]] == [("two", "3")]
    (found,) = evaluate(section(), {}, "not counted again")
    assert (found["status"], found["found"]) == ("passed", "not counted again")


BELOW = {"metric": "macro_recall", "baseline": "main", "worse_by_at_most": 0.02, "min_queries": 5}


def against(now, before, gate=BELOW, score=SCORE, **changed):
    other = Baseline({name: {**row, **changed} for name, row in before.items()}, score)
    return verdict(gate, now, baseline=lambda name: {"main": other}[name])


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        (0.88, 0.9, "passed"),
        (0.8799999, 0.9, "failed"),
        (0.9, 0.7, "passed"),
        (1 / 3, 1 / 3 + 0.02, "passed"),
    ],
)
def test_recall_may_fall_by_so_much_and_no_more(now, before, expected):
    assert 0.9 - 0.88 > 0.02  # in floats
    assert against(recall(now), recall(before))["status"] == expected


@pytest.mark.parametrize(("now", "expected"), [(250.0, "passed"), (250.25, "failed"), (100.0, "passed")])
def test_cost_may_rise_by_so_much_and_no_more(now, expected):
    gate = {"metric": "mean_cost", "arm": "one", "baseline": "main", "worse_by_at_most": 10}
    found = against(rows({"mean_cost": now}), rows({"mean_cost": 240.0}), gate)
    assert (found["rule"], found["status"]) == ("mean_cost at most 10 above main", expected)
    if expected == "failed":
        assert found["found"] == "250.25 against 240: worse by 10.25"


def test_losses_are_compared_too():
    gate = {"loss": "crowded_out", "baseline": "main", "worse_by_at_most": 0}
    same, more = rows({"lost_crowded_out": 2}), rows({"lost_crowded_out": 3})
    assert against(same, same, gate)["status"] == against(same, more, gate)["status"] == "passed"
    assert against(more, same, gate)["found"] == "2 of 2 arms: worst 3 against 2 (one)"


def test_a_baseline_waits_for_spanledger_gate():
    found = verdict(BELOW, recall(0.7))
    assert (found["status"], found["found"]) == ("deferred", "2 of 2 arms: needs `spanledger gate`")
    assert found["rule"] == "macro_recall at most 0.02 below main"


def reason(found):
    assert found["status"] == "untrusted" and status([found]) == 2
    return found["not_passed"][0]["reason"]


def test_what_cannot_be_compared_is_not_trusted():
    good = recall(0.7)
    assert reason(against(good, {"one": good["one"]})) == "the baseline has no such arm: valid: one"
    assert reason(against(good, good, queries=49)) == "the baseline has 49 queries, not 50"
    assert reason(against(good, good, facts=61)) == "the baseline has 61 facts, not 60"
    assert reason(against(good, recall(None))) == "the baseline has no value of macro_recall"
    assert "another coverage" in reason(against(good, good, score={**SCORE, "coverage": {"rule": "one_chunk"}}))
    assert against(good, good, score={**SCORE, "cost": {"unit": "word"}})["status"] == "passed"
    cost = {"metric": "mean_cost", "baseline": "main", "worse_by_at_most": 0}
    held = rows({"mean_cost": 9.0})
    assert "another cost" in reason(against(held, held, cost, score={**SCORE, "cost": {"unit": "word"}}))
    away = verdict(BELOW, good, baseline=lambda name: Baseline(untrusted=f"{name} has another dataset"))
    assert reason(away) == "main has another dataset"


def test_results_that_cannot_be_trusted_pass_no_gate_and_fail_none():
    found = verdict({"metric": "macro_recall", "at_least": 0.9}, recall(0.5), untrusted="stale")
    assert reason(found) == "stale" and found["found"] == gates.STALE
    assert reason(verdict({"metric": "macro_recall", "at_least": 0.9}, {})) == "has no results"


@pytest.mark.parametrize(
    ("count", "given", "expected"), [(29, None, "untrusted"), (30, None, "passed"), (29, 29, "passed")]
)
def test_a_comparison_over_few_queries_is_not_trusted(count, given, expected):
    gate = {**BELOW, "min_queries": given}
    found = against(recall(0.7, answerable_queries=count), recall(0.7, answerable_queries=count), gate)
    assert found["status"] == expected
    if expected == "untrusted":
        assert reason(found) == "29 answerable queries are too few: min_queries is 30"


def test_queries_are_counted_as_the_metric_takes_them():
    over = {"mean_cost": 50, "macro_recall": 40, "char_recall": 40, "no_answer_accuracy": 7, "nDCG@10": 20}
    for metric, count in over.items():
        held = rows({metric: 0.5})
        assert verdict({"metric": metric, "at_most": 0.5, "min_queries": count}, held)["status"] == "passed"
        assert verdict({"metric": metric, "at_most": 0.5, "min_queries": count + 1}, held)["status"] == "untrusted"


def test_a_failure_stands_whatever_else_cannot_be_judged():
    for found, expected in (
        ([], 0),
        (["passed"], 0),
        (["passed", "untrusted"], 2),
        (["passed", "deferred"], 2),
        (["untrusted", "failed", "passed"], 1),
    ):
        assert status([{"status": one} for one in found]) == expected
    # within one gate too
    before = recall(0.9)
    del before["one"]
    found = against(recall(0.5), before)
    assert found["status"] == "failed" and found["found"] == "1 of 2 arms: worst 0.5 against 0.9 (two)"
    assert [entry["status"] for entry in found["not_passed"]] == ["untrusted", "failed"]


LINES = st.lists(
    st.integers(0, 6).flatmap(lambda required: st.tuples(st.just(required), st.integers(0, required))),
    min_size=1,
    max_size=30,
)
DECIMALS = st.integers(1, 10_000).map(lambda digits: (digits / 10_000, Fraction(digits, 10_000)))


def table(lines):
    """What arms.csv has of these (required, covered), and macro recall as a fraction."""
    made = [{"required": required, "covered": {"context": covered}} for required, covered in lines]
    shares = [Fraction(covered, required) for required, covered in lines if required]
    row = {"queries": len(lines), "answerable_queries": len(shares), "facts": sum(required for required, _ in lines)}
    value = sum(shares, Fraction(0)) / len(shares) if shares else None
    return {**row, "macro_recall": rounded(macro_recall(made))}, value


@given(LINES, DECIMALS)
def test_a_threshold_is_compared_as_fractions_are(lines, decimal):
    row, value = table(lines)
    number, bound = decimal
    held = {"one": row, "two": row}
    least = verdict({"metric": "macro_recall", "at_least": number}, held)["status"]
    most = verdict({"metric": "macro_recall", "at_most": number}, held)["status"]
    assert least == ("passed" if value is not None and value >= bound else "failed")
    assert most == ("passed" if value is not None and value <= bound else "failed")


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30), DECIMALS)
def test_a_difference_is_compared_as_fractions_are(lines, decimal):
    now, value = table([(required, min(required, one)) for required, one, _ in lines])
    before, old = table([(required, min(required, other)) for required, _, other in lines])
    number, bound = decimal
    gate = {"metric": "macro_recall", "baseline": "main", "worse_by_at_most": number, "min_queries": 1}
    found = against({"one": now, "two": now}, {"one": before, "two": before}, gate)
    assert found["status"] == ("passed" if old - value <= bound else "failed")
