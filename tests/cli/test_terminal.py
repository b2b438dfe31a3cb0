"""The tables in the terminal."""

import shutil

import pytest

from spanledger import experiment
from spanledger.cli.terminal import show
from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.engine import params


def test_tables_of_git_alone_are_no_results(tmp_path, monkeypatch, project):
    """A clone has arms.csv before anything was run; the warnings and the page come with a run."""
    shutil.copy(project / "params.yaml", tmp_path)
    folder = tmp_path / "results" / "fusion"
    folder.mkdir(parents=True)
    (folder / "arms.csv").write_text("arm\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="there are no results yet: run make repro"):
        show(["fusion"])


def test_a_table_says_how_many_lost_facts_come_back(tmp_path, monkeypatch, project, capsys):
    """By one larger limit: the export fact by its budget, the rule that shares no term by none. A table that was written
    before this was counted is shown all the same."""
    every = params.load(project / "params.yaml")
    made = experiment.run(every, load(project / "fixtures" / "evidence_mapping"), "evidence_mapping").files
    shutil.copy(project / "params.yaml", tmp_path)
    folder = tmp_path / "results" / "evidence_mapping"
    folder.mkdir(parents=True)
    for name in ("arms.csv", "diagnostics.json"):
        (folder / name).write_bytes(made[name])
    monkeypatch.chdir(tmp_path)

    def shown(arm):
        show(["evidence_mapping"])
        return next(line for line in capsys.readouterr().out.splitlines() if line.strip().startswith(arm)).split()[1:]

    assert shown("overlap+current+single+chars240")[:4] == ["4/4", "4/4", "3/4", "1/1"]
    assert shown("fixed+current+single+top2")[:4] == ["4/4", "3/4", "3/4", "0/1"]
    header, *lines = made["arms.csv"].decode().splitlines()
    place = header.split(",").index("recoverable")
    older = [",".join(line.split(",")[:place] + line.split(",")[place + 1 :]) for line in (header, *lines)]
    (folder / "arms.csv").write_text("\n".join(older) + "\n")
    assert shown("overlap+current+single+chars240")[:4] == ["4/4", "4/4", "3/4", "0.8333"]
