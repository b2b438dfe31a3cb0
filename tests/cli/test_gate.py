"""`spanledger gate` without git: what makes two records comparable. tests/pipeline has the command on real projects."""

import json

import pytest

from spanledger.cli import gate
from spanledger.cli.on_record import OnRecord
from spanledger.core.errors import InputError, Problem
from spanledger.engine import params

ROW = {"queries": 40, "answerable_queries": 40, "facts": 50, "macro_recall": 0.75}
GATES = """
  gates:
    - {metric: macro_recall, baseline: main, worse_by_at_most: 0}
"""
TEXT = """
experiments:
  trial: {dataset: folder}
trial:
  normalise: {}
  chunk: {whole: {method: document}}
  eligibility: {all: {}}
  index: {words: {analyzer: ascii_words}}
  retrieve: {shared: {index: words, scorer: term_overlap}}
  fuse: {single: {branches: [shared]}}
  select: {one: {top_k: 1}}
  score: {}
  report: {}
  arms: [{name: a, chunk: whole, eligibility: all, fuse: single, select: one}]
"""


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """Writes a params.yaml and judges its experiment, with what is on record in the workspace and at main."""

    def judged(own, main, text=TEXT + GATES):
        (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(gate, "open_snapshot", opened)
        monkeypatch.setattr(gate, "on_record", lambda snapshot, experiment: {None: own, "main": main}[snapshot])
        monkeypatch.setattr(gate, "_leaks", lambda *arguments: gate._NOT_COUNTED)
        return gate.judge(params.load("params.yaml")["trial"], "trial")

    def opened(name=None):
        if name == "gone":
            raise InputError([Problem("gone", message="is no git revision")])
        return name

    return judged


def record(text=TEXT, datasets=("folder", "validated"), **row):
    section = params.resolve(params.yaml12.parse(text, "params.yaml"))["trial"]
    return OnRecord({"a": {**ROW, **row}}, section, frozenset(datasets))


def test_the_same_measure_of_the_same_queries_is_compared(trial):
    assert [verdict["status"] for verdict in trial(record(), record())] == ["passed", "passed"]
    assert trial(record(), record(macro_recall=0.8))[1]["found"] == "0.75 against 0.8: worse by 0.05"


def test_a_dataset_is_the_same_by_its_folder_or_by_what_validate_made_of_it(trial):
    for datasets in (("folder", "other"), ("other", "validated")):
        assert trial(record(), record(datasets=datasets))[1]["status"] == "passed"
    assert trial(record(), record(datasets=("other", "another")))[1]["found"] == "main has another dataset"


def test_another_holdout_holds_out_other_queries(trial):
    held = TEXT.replace("normalise: {}", "normalise: {holdout: {share: 0.2, seed: 1}}")
    (_, verdict) = trial(record(), record(held))
    assert (verdict["status"], verdict["found"]) == ("untrusted", "main holds out other queries")
    assert trial(record(held), record(held.replace("0.2", "0.20")), held + GATES)[1]["status"] == "passed"


def test_what_is_wrong_with_a_record_is_told_on_its_side(trial):
    for own, main, reason in (
        (OnRecord(untrusted="stale"), record(), "stale: run make repro"),
        (record(), OnRecord(untrusted="stale"), "at main: stale"),
    ):
        verdicts = trial(own, main)
        assert verdicts[1]["not_passed"][0]["reason"] == reason
        assert gate.gates.status(verdicts) == 2
    gone = TEXT + GATES.replace("main", "gone")
    assert trial(record(), record(), gone)[1]["found"] == "gone: is no git revision"


def test_the_exit_status_and_the_lines(trial, capsys):
    trial(record(macro_recall=0.5), record())
    assert gate.gate([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "trial:",
        f"  passed     leaks 0: {gate._NOT_COUNTED}",
        "  failed     macro_recall at most 0 below main: 0.5 against 0.75: worse by 0.25",
        "2 gates: 1 failed, 1 passed",
    ]
    assert gate.gate(["trial"], as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["status"] == 1
    assert gate.gate(["trail"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "did you mean 'trial'? valid: trial" in printed.err
