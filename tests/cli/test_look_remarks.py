"""What is said of looks: repeats, tuning, and queries that changed sides."""

import pytest

from spanledger.cli.look_remarks import of_ledger, of_look

QUARTER, THREE_EIGHTHS = {"share": "0.25", "seed": 0}, {"share": "0.375", "seed": 1}
# printf '0\nexact-identifier' | sha256sum, and the same with 1: 0.25 is a first digit below 4, 0.375 one below 6.
IDS = {
    "exact-identifier": "76",
    "synonym-only": "d5",
    "two-facts": "dd",
    "negation-distractor": "1e",
    "fusion-regression": "34",
    "depth-omission": "18",
    "eligibility": "d1",
    "no-answer": "8c",
}


def look(number, **changed):
    values = {"arms": ["a"], "dirty": False, "holdout": QUARTER, "parameters": "p", "dataset": "d", "code": "c"}
    return {"look": number, "time": f"day {number}", **values, "query_ids": "q", **changed}


def codes(remarks):
    return [code for code, _ in remarks]


def test_a_first_look_is_nothing_to_speak_of():
    assert list(of_look([look(1)])) == list(of_ledger([look(1)], QUARTER, IDS)) == []
    assert list(of_ledger([], QUARTER, IDS)) == list(of_ledger([], None, None)) == []


def test_a_repeat():
    ((code, message),) = of_look([look(1), look(2, parameters="p2"), look(3)])
    assert code == "repeat" and message.startswith("the same as look 1 of day 1")
    assert codes(of_look([look(1, arms=["a", "b"]), look(2, arms=["b"])])) == ["repeat"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parameters": "p2"}, []),
        ({"query_ids": "q2"}, []),
        ({"arms": ["a", "b"]}, []),
        ({"dataset": "d2"}, ["other_dataset"]),
        ({"code": "c2"}, ["other_code"]),
        ({"dirty": True}, ["repeat", "uncommitted"]),
    ],
)
def test_what_is_no_repeat(changed, said):
    assert codes(of_look([look(1), look(2, **changed)])) == said


def test_other_parameters_are_tuning():
    looks = [look(1), look(2, parameters="p2"), look(3)]
    ((code, message),) = of_ledger(looks, QUARTER, IDS)
    assert code == "tuning" and message.startswith(
        "3 looks with 2 different parameter sets: the holdout is used for tuning"
    )
    assert list(of_ledger([look(1), look(2)], QUARTER, IDS)) == []


def held(place, digits):
    return {name for name, digest in IDS.items() if digest[place] in digits}


def test_a_changed_split_counts_those_who_changed_sides():
    """From three held out to three others, of which one was held out before."""
    old, new = held(0, "0123"), held(1, "012345")
    assert old == {"negation-distractor", "fusion-regression", "depth-omission"}
    assert new == {"synonym-only", "fusion-regression", "eligibility"}
    ((code, message),) = of_ledger([look(1)], THREE_EIGHTHS, IDS)
    assert code == "split_changed"
    assert message == (
        "the split has changed since look 1 (then share 0.25, seed 0): 2 of the 3 queries of this holdout were in the "
        "development part, and 2 of the 5 queries of the development part were looked at"
    )
    # The way back: what the look at the other holdout means is said again.
    ((_, message),) = of_ledger([look(1), look(2, holdout=THREE_EIGHTHS)], QUARTER, IDS)
    assert "since look 2 (then share 0.375, seed 1): 2 of the 3" in message


def test_a_smaller_share_of_the_same_seed_has_seen_no_tuning():
    ((_, message),) = of_ledger([look(1)], {"share": "0.125", "seed": 0}, IDS)
    assert "0 of the 2 queries of this holdout were" in message and "and 1 of the 6 queries of the dev" in message


def test_a_holdout_that_is_gone():
    ((_, message),) = of_ledger([look(1)], None, IDS)
    assert message == ("there is no holdout any more: 3 of the 8 queries of the development part were looked at")
    ((_, message),) = of_ledger([look(1)], None, None)
    assert message == "there is no holdout any more: queries have changed sides between tuning and holdout"
