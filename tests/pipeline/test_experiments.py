"""DVC's own tools on a project: experiments with changed parameters, comparisons, plots, and a remote."""

import csv
import io
import json

import pytest

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
OVERLAP = f"{NAME}.chunk.overlap.chunk_overlap"
ARM = "overlap+current+single+top2"
AFTER_CHUNK = ("chunk", "index", "retrieve", "fuse", "select", "score", "report")
HIDDEN = "Snakefile|results|workflow|fixtures|requirements|Created|State|Executor|rev|typ"


def shown(project, hidden=HIDDEN):
    """The table of `dvc exp show` with what changed between the experiments, by experiment."""
    options = ("--only-changed", "--hide-workspace", "--drop", hidden, "--csv")
    rows = csv.DictReader(io.StringIO(project.dvc("exp", "show", *options).output))
    return {row.pop("Experiment"): row for row in rows}


def test_one_experiment_in_the_workspace(project):
    """The change of params.yaml is the value alone."""
    before = project.read("params.yaml")
    done = project.dvc("exp", "run", "--name", "small", "--set-param", f"{NAME}.select.chars240.budget=119")
    assert done.ran == project.stages("select", "score", "report")
    assert project.read("params.yaml").split() == before.replace("240,", "119,").split()
    assert json.loads(project.results()["metrics.json"]) != {}

    diff = json.loads(project.dvc("params", "diff", "--json").output)
    assert diff == {"params.yaml": {f"{NAME}.select.chars240.budget": {"old": 240, "new": 119, "diff": -121}}}
    diff = json.loads(project.dvc("metrics", "diff", "--json").output)[f"results/{NAME}/metrics.json"]
    assert {name.split(".")[1].split("+")[-1] for name in diff} == {"chars240"}
    assert "119" in project.dvc("params", "diff").output
    for command in ("show", "diff"):
        project.dvc("plots", command, *(["HEAD"] if command == "diff" else []), "--out", "dvc_plots")
        page = project.read("dvc_plots/index.html")
        assert "mean_cost" in page and "macro_recall" in page and ARM.replace("top2", "chars240") in page
    assert {line[3:] for line in project.git("status", "--porcelain").output.splitlines()} == {
        "dvc.lock",
        "params.yaml",
        f"results/{NAME}/arms.csv",
        f"results/{NAME}/frontier.csv",
        f"results/{NAME}/metrics.json",
    }


def test_a_sweep_beside_the_workspace(project):
    """One experiment in a temporary folder, then several from the queue; one of them has been made before."""
    before = project.results()
    done = project.dvc("exp", "run", "--temp", "--name", "alone", "-S", f"{OVERLAP}=30")
    assert done.ran == project.stages(*AFTER_CHUNK)
    project.dvc("exp", "run", "--queue", "--name", "sweep", "-S", f"{OVERLAP}=30,45")
    try:
        project.dvc("exp", "run", "--run-all")
    finally:
        project.dvc("queue", "stop", status=None)

    assert project.results() == before
    assert project.git("status", "--porcelain").output == ""
    table = shown(project)
    values = {name: row[OVERLAP] for name, row in table.items()}
    assert sorted(values) == ["", "alone", "sweep-1", "sweep-2"]
    assert [values[name] for name in ("", "alone", "sweep-1", "sweep-2")] == ["60", "30", "30", "45"]
    columns = {name for row in table.values() for name in row}
    assert {name.split(".")[1].split("+")[0] for name in columns} == {"overlap", "chunk"} and len(columns) == 9
    metric = f"{NAME}.{ARM}.macro_recall"
    assert table["sweep-1"] == table["alone"] and table["alone"][metric] == table[""][metric]
    assert (float(table[""][metric]), float(table["sweep-2"][metric])) == (pytest.approx(5 / 6), 1.0)
    few = shown(project, f"{HIDDEN}|.*(mean_cost|chars240)")
    assert {len(row) for row in few.values()} == {3}

    # What the experiment made comes back without a run.
    project.dvc("exp", "apply", "sweep-2")
    assert project.repro().ran == set()
    assert project.results()["metrics.json"] != before["metrics.json"]


def test_results_travel_by_a_remote(project, tmp_path):
    project.dvc("remote", "add", "--default", "store", str(tmp_path / "store"))
    project.commit("Remote")
    project.dvc("push")
    project.git("clone", "--quiet", ".", str(tmp_path / "clone" / "project"))
    clone = type(project)(tmp_path / "clone" / "project")
    assert clone.results().keys() == {"metrics.json", "arms.csv", "frontier.csv"}
    clone.dvc("pull")
    assert clone.results() == project.results()
    assert clone.repro().fates == dict.fromkeys(clone.stages(), "skipped")
    assert clone.git("status", "--porcelain").output == ""
