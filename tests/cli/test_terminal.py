"""The tables in the terminal."""

import shutil

import pytest

from spanledger import experiment
from spanledger.cli.terminal import gate_lines, show
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


def test_a_gate_is_one_line():
    verdicts = [
        {"rule": "leaks 0", "arm": None, "status": "passed", "found": "0 of 9"},
        {"rule": "mrr at least 0.5", "arm": "one", "status": "untrusted", "found": "stale"},
    ]
    assert list(gate_lines(verdicts)) == ["  passed     leaks 0: 0 of 9", "  untrusted  mrr at least 0.5 (one): stale"]


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


ARMS = """\
arm,answerable_queries,queries,facts,facts_in_index,facts_in_candidates,facts_in_context,macro_recall,cost_unit,mean_cost,\
attainable_recall_candidates,attainable_recall_index,attainable_exact_candidates,attainable_exact_index,\
random_recall_candidates,random_recall_index
a,6,8,7,7,6,4,0.5,char,80.0,0.75,1.0,6,6,0.25,0.125
b,6,8,7,7,6,5,0.625,char,90.0,0.875,1.0,5,6,0.25,0.125
c,6,8,7,7,6,5,0.625,char,99.0,0.875,1.0,6,6,,
"""


def test_recall_stands_beside_what_was_attainable(tmp_path, monkeypatch, project, capsys):
    """The line is that of the first arm with the highest macro recall."""
    shutil.copy(project / "params.yaml", tmp_path)
    folder = tmp_path / "results" / "fusion"
    folder.mkdir(parents=True)
    (folder / "arms.csv").write_text(ARMS)
    (folder / "diagnostics.json").write_text("[]")
    monkeypatch.chdir(tmp_path)
    assert show(["fusion"]) == 0
    printed = capsys.readouterr().out
    assert "context macro recall mean cost (char)" in " ".join(printed.split())
    rows = {line.split()[0]: " ".join(line.split()[4:]) for line in printed.splitlines() if line[:4] in "  a   b   c "}
    assert rows == {
        "a": "0.5000 of 0.7500 80.0",
        "b": "0.6250 of ≤ 0.8750 90.0",
        "c": "0.6250 of 0.8750 99.0",
    }
    assert (
        "  b: macro recall 0.625 of an attainable ≤ 0.875 from its candidates (exact for 5 of 6 queries, an upper bound "
        "for 1), 1.000 from the whole index (exact for 6 of 6 queries); in random order its candidates reach 0.250, the "
        "chunks of the index 0.125\n"
    ) in printed
    (folder / "arms.csv").write_text(ARMS.splitlines(keepends=True)[0] + "a,0,8,0,0,0,0,,char,80.0,,,0,0,,\n")
    assert show(["fusion"]) == 0
    printed = capsys.readouterr().out
    assert "null of null" in printed and "macro recall of" not in printed
    old = [",".join(line.split(",")[:10]) for line in ARMS.splitlines()[:2]]
    (folder / "arms.csv").write_text("\n".join(old) + "\n")
    assert show(["fusion"]) == 0
    printed = capsys.readouterr().out
    assert "0.5000" in printed and " of " not in printed.split("required facts")[1]
