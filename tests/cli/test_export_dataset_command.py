"""`spanledger export-dataset` writes a whole folder or nothing."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

import spanledger.experiment
from spanledger.cli import main
from spanledger.engine import yaml12

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def results(tmp_path, monkeypatch):
    raw = yaml12.read(str(PROJECT / "params.yaml"))
    settings = {"experiments": {"fusion": {"dataset": str(PROJECT / "fixtures" / "fusion")}}, "fusion": raw["fusion"]}
    for name, data in spanledger.experiment.run(settings).files.items():
        path = tmp_path / "results" / "fusion" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    with (tmp_path / "params.yaml").open("w", encoding="utf-8") as stream:
        YAML().dump(settings, stream)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def export(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["export-dataset", *arguments])
    return ended.value.code


def test_the_folders(results, capsys):
    pytest.importorskip("pyarrow")
    assert export("fusion", "--format", "beir", "--out", "beir") == 0
    assert export("fusion", "--format", "beir", "--chunk", "passage", "--out", "chunks") == 0
    assert export("fusion", "--format", "parquet", "--out", "tables") == 0
    told = capsys.readouterr()
    assert "beir: corpus.jsonl, queries.jsonl, qrels/test.tsv" in told.out
    names = (
        "normalise/qrels.jsonl",
        "chunk/passage.jsonl",
        "queries.jsonl",
    )  # no run, so no records that vouch for them
    assert told.err.splitlines() == [
        f"warning: its chain is not intact; see: spanledger audit results/fusion/{name}" for name in names
    ]
    assert (results / "beir" / "qrels" / "test.tsv").is_file() and (results / "tables" / "rows.parquet").is_file()
    assert "expected a new or empty folder" in export("fusion", "--format", "beir", "--out", "beir")


def test_what_is_refused(results):
    assert "did you mean 'fusion'" in export("fusio", "--format", "beir", "--out", "new")
    assert "parquet has all chunkings" in export("fusion", "--format", "parquet", "--chunk", "passage", "--out", "new")
    assert "did you mean 'passage'" in export("fusion", "--format", "beir", "--chunk", "pasage", "--out", "new")
    (results / "results" / "fusion" / "normalise" / "facts.jsonl").unlink()
    assert "facts.jsonl" in export("fusion", "--format", "beir", "--out", "new")
    assert not (results / "new").exists()


@pytest.mark.parametrize("form", ["beir", "parquet"])
@pytest.mark.parametrize("line", ["{}", "[]", "1"])
def test_results_that_no_stage_wrote(results, form, line):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    with (results / "results" / "fusion" / "normalise" / "facts.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")
    told = export("fusion", "--format", form, "--out", "new")
    assert "are not what the stages write" in told and not (results / "new").exists()
