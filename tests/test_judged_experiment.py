"""An experiment over questions with facts, with judgements alone, without an answer and with nothing."""

import csv
import io
import json
import shutil

import pytest

import dataset_folder
from builders import document, evidence, fact, gold, query
from spanledger import experiment
from spanledger.cli.add_experiment import Windows, add
from spanledger.cli.terminal import show
from spanledger.comparison.arms import compare_arms
from spanledger.comparison.sides import DATASET, Experiment, Side
from spanledger.core.files import sha256
from spanledger.dataset import Dataset
from spanledger.engine import params
from spanledger.gold import Judgement

DOCUMENTS = [document("one", "alpha beta"), document("two", "beta gamma"), document("three", "delta")]
QUERIES = [
    query("facts", "alpha"),
    query("judged", "beta gamma"),
    query("both", "delta"),
    query("silent", "zeta"),
    query("nothing", "omega"),
]
GOLDS = [
    gold("facts", fact("f", [evidence(0, 5, "one")])),
    gold("judged"),
    gold("both", fact("f", [evidence(0, 5, "three")])),
    gold("silent", no_answer="absent"),
    gold("nothing"),
]
JUDGEMENTS = [Judgement("judged", "one", 1), Judgement("judged", "three", 2), Judgement("both", "three", 1)]
SECTION = {
    "normalise": {},
    "chunk": {"words": {"method": "window", "unit": "word", "chunk_size": 1}, "whole": {"method": "document"}},
    "eligibility": {"all": {}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {"shared": {"index": "words", "scorer": "term_overlap"}},
    "fuse": {"single": {"branches": ["shared"]}},
    "select": {"top1": {"top_k": 1}},
    "score": {"document_metrics": ["RR", "R@2", "nDCG@2"]},
    "report": {"primary": {"metric": "RR"}},
    "arms": "grid",
}
SETTINGS = {"experiments": {"x": {"dataset": "in-memory"}}, "x": SECTION}


def ran(judgements=JUDGEMENTS, golds=GOLDS, **changed):
    summary = {"name": "trial", "queries": len(QUERIES)}
    held = Dataset(DOCUMENTS, [], QUERIES, list(golds), (), summary, list(judgements))
    return experiment.run({**SETTINGS, "x": {**SECTION, **changed}}, held)


def table(results):
    return {row["arm"]: row for row in csv.DictReader(io.StringIO(results.files["arms.csv"].decode()))}


def test_each_kind_of_question_counts_in_its_own_means():
    results = ran()
    # "beta gamma" finds two and then one (both by whole documents: two shares two terms): 1/2; "delta" finds three: 1
    for arm in ("words+all+single+top1", "whole+all+single+top1"):
        row = table(results)[arm]
        counts = ("queries", "answerable_queries", "no_answer_queries", "judged_queries", "unjudged_queries")
        assert [row[name] for name in counts] == ["5", "2", "1", "2", "3"]
        assert (row["no_answer_accuracy"], row["macro_recall"]) == ("1.0", "1.0")
    whole = table(results)["whole+all+single+top1"]
    assert (whole["RR"], whole["R@2"]) == ("0.75", "0.75")
    # the chunks beta (one), beta (two), gamma (two) all share one term, in the order of their documents
    assert table(results)["words+all+single+top1"]["RR"] == "1.0"
    held = json.loads(results.files["metrics.json"])["x"]["whole+all+single+top1"]
    assert (held["RR"], held["R@2"]) == (0.75, 0.75)
    lines = {(row["arm"].split("+")[0], row["query_id"]): row for row in results.rows}
    assert lines["whole", "judged"]["documents"]["RR"] == 0.5
    assert lines["whole", "nothing"]["documents"] is None and lines["whole", "facts"]["documents"] is None
    codes = {one["code"]: one["message"] for one in json.loads(results.files["diagnostics.json"])}
    assert codes["unjudged"].startswith("3 of 5 queries have no judgements")
    assert "1 of 1 no-answer queries" in codes["refusals"]


def test_no_judgements_leave_no_trace():
    plain = ran([], report={})
    assert not any("documents" in row for row in plain.rows)
    columns = list(table(plain)["whole+all+single+top1"])
    assert not {"RR", "R@2", "judged_queries", "unjudged_queries"} & set(columns)
    assert b"judged" not in plain.files["metrics.json"] and b"nDCG@2" not in plain.files["metrics.json"]
    assert "Documents" not in plain.files["report.html"].decode().split("What the columns mean")[0]


def test_a_primary_metric_without_judgements_is_null():
    results = ran([])
    assert table(results)["whole+all+single+top1"]["RR"] == ""
    assert "null, because no question is judged." in results.files["report.html"].decode()


def test_the_page_names_the_judged_questions():
    page = ran().files["report.html"].decode()
    assert "Highest RR: <strong" in page
    assert "Measures of documents are the mean over the 2 judged questions; the other 3 count in none of them." in page
    assert "Up: RR over 2 judged questions." in page
    assert "2 judged</span>" in page


def test_judgements_alone_are_a_table_without_facts(tmp_path, monkeypatch, capsys):
    results = ran(golds=[gold(one.query_id) for one in QUERIES])
    (tmp_path / "params.yaml").write_text(json.dumps(SETTINGS))
    folder = tmp_path / "results" / "x"
    folder.mkdir(parents=True)
    for name in ("arms.csv", "diagnostics.json", "gates.json"):
        (folder / name).write_bytes(results.files[name])
    monkeypatch.chdir(tmp_path)
    assert show(["x"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "x: 0 answerable of 5 queries, 0 required facts; 2 judged, 3 not" in said
    assert "arm RR R@2 nDCG@2 mean cost (char)" in said
    assert "whole+all+single+top1 0.7500 0.7500" in said
    assert "macro recall" not in said


def sides(results):
    section = params.resolve(SETTINGS)["x"]
    digests = {part: sha256(results.files[f"validate/{file}"]) for part, file in DATASET.items()}
    found = Experiment("x", "results/x", section, digests, QUERIES, GOLDS, "RR")
    return [Side(found, found.arm(arm), [r for r in results.rows if r["arm"] == arm]) for arm in found.arms]


def test_arms_are_compared_by_documents_over_the_judged_queries():
    whole, words = sides(ran())
    found = compare_arms(whole, words)
    assert (found.primary, found.difference("RR").queries) == ("RR", 2)
    assert (found.difference("RR").a, found.difference("RR").b) in ((0.75, 1), (1, 0.75))
    assert found.difference("RR").over == "judged"


def test_other_judgements_are_not_compared():
    (whole, _), (_, words) = sides(ran()), sides(ran(JUDGEMENTS[:2]))
    found = compare_arms(whole, words)
    assert [reason.code for reason in found.refusals] == ["questions"]
    assert "judgements differ" in found.refusals[0].message
    found = compare_arms(whole, words, common=True)
    assert found.trusted and found.primary == "macro_recall"
    assert not {"RR", "R@2"} & {difference.metric for difference in found.differences}


@pytest.mark.parametrize(("facts", "metric"), [([], "nDCG@10"), ([dataset_folder.span(0, 1)], "macro_recall")])
def test_an_experiment_is_compared_by_the_gold_that_its_dataset_has(tmp_path, project, facts, metric):
    shutil.copy(project / "params.yaml", tmp_path)
    folder = dataset_folder.write(
        tmp_path / "set",
        [dataset_folder.document("text")],
        [dataset_folder.query(*facts)],
        qrels=[dataset_folder.judgement()],
    )
    add(tmp_path / "params.yaml", "new", folder, Windows(None, (9,), (0,), 5, 3, 9))
    assert params.load(tmp_path / "params.yaml")["new"]["report"]["primary"]["metric"] == metric
