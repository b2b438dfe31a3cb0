"""A comparison as it is printed: the bundled experiment fusion, written out as the pipeline does."""

import pytest

from spanledger.cli.compare import NOT_COMPARABLE, compare
from spanledger.core import files
from spanledger.dataset import load
from spanledger.engine import params, plan, yaml12
from spanledger.experiment import run

NAME = "fusion"


@pytest.fixture(scope="module")
def folder(tmp_path_factory, project):
    """A project with the results of one experiment, and no git: files and provenance, the digests of the code left out."""
    folder = tmp_path_factory.mktemp("project")
    raw = {**yaml12.read(project / "params.yaml")}
    raw = {"experiments": {NAME: raw["experiments"][NAME]}, NAME: raw[NAME]}
    files.write(folder / "params.yaml", files.document(raw))
    results = run(raw, load(project / "fixtures" / NAME), NAME)
    written = {f"results/{NAME}/{path}": data for path, data in results.files.items()}
    for path, data in written.items():
        files.write(folder / path, data)
    for stage in plan.STAGES:
        record = {
            "parameters": plan.parameters(NAME, params.resolve(raw), stage),
            "outputs": {path: files.sha256(data) for path, data in written.items()},
            "code": {},
            "inputs": {},
            "libraries": {},
        }
        files.write(folder / f"results/{NAME}/provenance/{stage}.json", files.document(record))
    return folder


@pytest.fixture
def printed(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def run(a, b):
        status = compare(f"{NAME}/{a}", f"{NAME}/{b}")
        return status, capsys.readouterr().out

    return run


def test_it_fits_in_100_columns_without_colours(printed):
    status, text = printed("bm25-d4", "rrf-rule-d4")
    assert status == 0 and "\x1b" not in text
    tables = [
        line for line in text.splitlines() if "  " in line.strip() and not line.startswith(("  ", "b/e/w", "A ", "B "))
    ]
    assert len(tables) > 15 and max(map(len, tables)) <= 100


def test_values_in_brackets_are_no_markup(printed):
    text = printed("rrf-d4", "rrf-d4-unfiltered")[1]
    assert "eligibility.(public_current | open).visibility   [public]         null" in text
    assert "[original_d4]" in printed("bm25-d4", "rrf-d4")[1]


def test_figures_verdict_and_questions(printed):
    lines = printed("rrf-d4", "rrf-rule-d4")[1].splitlines()
    (recall,) = (line.split() for line in lines if line.startswith("macro_recall "))
    assert recall[:5] == ["macro_recall", "7", "0.6429", "1.0000", "+0.3571"] and recall[7:] == [
        "3/4/0",
        "0.2500",
        "0.2500",
    ]
    verdict = "macro_recall: no difference shown over 7 queries: p = 0.2500; 3 differ, too few for a p below 0.2500."
    assert verdict in lines
    assert "Of 7 answerable questions B wins 3 and loses 0; 4 have the same facts." in lines
    shown = [line[9:].split(":")[0] for line in lines if line.startswith("  won ")]
    assert shown == ["two-facts", "fusion-regression", "depth-omission"]


def test_an_arm_with_itself(printed):
    status, text = printed("rrf-d4", "rrf-d4")
    assert status == 0 and "parameters: the same" in text and "the same: dataset, code, libraries" in text
    assert "B wins 0 and loses 0; 7 have the same facts." in text


def test_changed_scores_come_first(printed, folder):
    path = folder / "results" / NAME / "score" / "rrf-d4.jsonl"
    kept = path.read_bytes()
    path.write_bytes(kept + b"\n")
    try:
        status, text = printed("rrf-d4", "rrf-rule-d4")
    finally:
        path.write_bytes(kept)
    assert status == NOT_COMPARABLE and text.splitlines()[2] == "NOT COMPARABLE"
    assert "macro_recall" not in text and "fuse.(rrf_d4 | rrf_rule_d4).rerank" in text
