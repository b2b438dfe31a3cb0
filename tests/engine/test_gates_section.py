"""The section gates of params.yaml: its forms, its defaults, and every kind of fault with its place."""

import copy

import pytest

from spanledger.core.errors import InputError
from spanledger.engine import params

BASE = {
    "experiments": {"trial": {"dataset": "folder"}},
    "trial": {
        "normalise": {},
        "chunk": {"a": {"method": "document"}, "b": {"method": "paragraph"}},
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"shared": {"index": "words", "scorer": "term_overlap"}},
        "fuse": {"single": {"branches": ["shared"]}},
        "select": {"top2": {"top_k": 2}},
        "score": {"cutoffs": [1, 5]},
        "report": {},
        "arms": "grid",
    },
}
NONE = dict.fromkeys(("metric", "loss", "arm", "at_least", "at_most", "baseline", "worse_by_at_most", "min_queries"))


def resolved(*gates):
    raw = copy.deepcopy(BASE)
    raw["trial"]["gates"] = list(gates)
    return params.resolve(raw)["trial"]["gates"]


def faults(*gates):
    with pytest.raises(InputError) as caught:
        resolved(*gates)
    return [(problem.field.removeprefix("trial.gates"), problem.message) for problem in caught.value.problems]


def test_there_need_be_none():
    assert params.resolve(BASE)["trial"]["gates"] == []


def test_each_form_ends_up_with_all_of_its_values():
    recall = {"metric": "macro_recall", "at_least": 1}
    cost = {"metric": "mean_cost", "arm": "a+all+single+top2", "at_most": 240.5, "min_queries": 3.0}
    drop = {"metric": "complete_at_5", "baseline": "v1.0", "worse_by_at_most": 0}
    loss = {"loss": "crowded_out", "at_most": 0}
    found = resolved(recall, cost, drop, loss)
    assert found == [{**NONE, **gate} for gate in (recall, cost, drop, loss)]
    # 1 and 1.0 are one value for DVC, and so for the results
    assert isinstance(found[0]["at_least"], float) and isinstance(found[1]["min_queries"], int)


def test_an_unknown_name_is_told_with_the_nearest():
    found = faults(
        {"metric": "macro_recal", "at_least": 0.5},
        {"metric": "macro_recall", "arm": "a+all+single+top3", "at_least": 0.5},
        {"metric": "lost_crowded_out", "at_most": 1},
        {"metric": "macro_recall_at_3", "at_least": 0.5},
    )
    assert [field for field, _ in found] == ["[0].metric", "[1].arm", "[2].metric", "[3].metric"]
    messages = [message for _, message in found]
    assert "'macro_recal': did you mean 'macro_recall'?" in messages[0]
    assert "'a+all+single+top3': did you mean 'a+all+single+top2'? valid: a+all+single+top2, b+all" in messages[1]
    assert messages[2].endswith("a kind of loss is bounded by loss")
    assert "did you mean 'macro_recall_at_" in messages[3]
    ((field, message),) = faults({"loss": "crowded", "at_most": 1})
    assert field == "[0].loss" and "did you mean 'crowded_out'?" in message


@pytest.mark.parametrize(
    ("gate", "field", "said"),
    [
        ({"at_most": 3}, "", "expected either metric or loss"),
        ({"metric": "mrr", "loss": "demoted", "at_most": 3}, "", "expected either metric or loss"),
        ({"metric": "mrr"}, "", "bounds nothing: expected at_least, at_most, or baseline and worse_by_at_most"),
        ({"metric": "mrr", "min_queries": 3}, "", "bounds nothing: expected"),
        ({"metric": "mrr", "at_least": 0}, ".at_least", "bounds nothing: mrr is never below 0"),
        ({"metric": "mrr", "at_most": 1.0}, ".at_most", "bounds nothing: mrr is a share of 1"),
        ({"metric": "mrr", "at_least": 1.5}, ".at_least", "can never pass: mrr is a share of 1"),
        ({"metric": "mean_cost", "at_most": -1}, ".at_most", "can never pass: mean_cost is never below 0"),
        (
            {"loss": "demoted", "at_least": 0},
            ".at_least",
            "bounds nothing: the number of facts lost to demoted is never",
        ),
        ({"metric": "mrr", "at_least": 0.8, "at_most": 0.7}, "", "nothing is at least 0.8 and at most 0.7"),
        ({"metric": "mrr", "worse_by_at_most": 0.1}, ".worse_by_at_most", "needs a baseline to compare with"),
        ({"metric": "mrr", "baseline": "main"}, ".baseline", "needs worse_by_at_most; 0 lets it be no worse at all"),
        (
            {"metric": "mrr", "baseline": "main", "worse_by_at_most": 0, "at_least": 0.5},
            ".at_least",
            "is no part of a comparison with a baseline: write it as a gate of its own",
        ),
        (
            {"metric": "mrr", "baseline": "main", "worse_by_at_most": 1},
            ".worse_by_at_most",
            "bounds nothing: mrr is a share of 1",
        ),
        (
            {"metric": "empty_contexts", "baseline": "main", "worse_by_at_most": 1},
            ".worse_by_at_most",
            "empty_contexts is better neither higher nor lower, so that none is worse",
        ),
        (
            {"metric": "mrr", "baseline": "workspace", "worse_by_at_most": 0},
            ".baseline",
            "bounds nothing: it compares the results with themselves",
        ),
        ({"metric": "mrr", "at_least": "0.5"}, ".at_least", 'expected a number or null, found "0.5"'),
        ({"metric": "mrr", "at_least": True}, ".at_least", "expected a number or null, found true"),
        ({"metric": "mrr", "least": 0.5}, ".least", "unknown key: did you mean 'at_least'?"),
        ({"metric": "mrr", "at_least": 0.5, "min_queries": 0}, ".min_queries", "expected at least 1, found 0"),
        (
            {"metric": "mrr", "baseline": "main", "worse_by_at_most": -0.1},
            ".worse_by_at_most",
            "expected at least 0, found -0.1",
        ),
        ("macro_recall >= 0.5", "", "expected a mapping, found"),
    ],
)
def test_a_gate_that_asks_for_nothing_or_the_impossible_is_told(gate, field, said):
    ((found, message),) = faults(gate)
    assert found == f"[0]{field}" and said in message


def test_a_ratio_that_may_be_negative_is_bounded_by_zero_too():
    assert resolved({"metric": "duplication_ratio", "at_most": -0.5}, {"metric": "duplication_ratio", "at_least": 0})


def test_all_faults_of_all_gates_are_told_at_once():
    found = faults({"metric": "none", "arm": "none"}, {"loss": "demoted", "at_least": -1, "baseline": "main"})
    assert [field for field, _ in found] == [
        "[0]",
        "[0].arm",
        "[0].metric",
        "[1].at_least",
        "[1].at_least",
        "[1].baseline",
    ]


def test_a_gate_stands_once():
    gate = {"metric": "mrr", "at_least": 0.5}
    assert faults(gate, dict(gate))[0][1].startswith("an entry stands twice")
