"""`spanledger score-run` writes a whole folder or nothing."""

from pathlib import Path

import pytest

from spanledger.cli import main

PROJECT = Path(__file__).resolve().parents[2]
NAMES = {
    "arms.csv",
    "metrics.json",
    "report.html",
    "queries.jsonl",
    "provenance.json",
    "diagnostics.json",
    "gates.json",
}


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(PROJECT)


def score(path, out, *more):
    with pytest.raises(SystemExit) as ended:
        main(["score-run", str(path), "--experiment", "fusion", "--out", str(out), "--arm", "rrf-d4", *more])
    return ended.value.code


def test_the_folder_and_what_is_said(tmp_path, capsys):
    run = tmp_path / "theirs.run"
    run.write_text("nobody Q0 nothing 1 1 t\n", encoding="utf-8")
    out = tmp_path / "out"
    assert "no question is called 'nobody'" in score(run, out)
    assert not out.exists() and [path.name for path in tmp_path.iterdir()] == ["theirs.run"]
    run.write_bytes(b"")
    assert score(run, out) == 0
    assert {path.name for path in out.iterdir()} >= NAMES
    shown = capsys.readouterr().out
    assert "0 entries for 0 of 8 questions" in shown and "scored with no candidates: 8" in shown
    assert "macro_recall: 0.0" in shown and "report.html" in shown
    assert "expected a new or empty folder" in score(run, out)
