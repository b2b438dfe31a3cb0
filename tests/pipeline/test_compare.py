"""`spanledger compare` on a project that real git and DVC keep: a revision, a DVC experiment and the workspace, which has
another gold."""

import json
import shutil

import pytest

from spanledger.cli.compare import NOT_COMPARABLE, compare
from spanledger.core.errors import InputError

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
ARM = "overlap+current+single+top2"
QUERIES = f"fixtures/{NAME}/queries.jsonl"


@pytest.fixture(scope="module")
def history(shared_project):
    """HEAD has the bundled settings, the experiment `shorter` an overlap of 45; the workspace asks one fact less, and
    there is a branch named like an arm."""
    project = shared_project
    project.dvc("exp", "run", "--temp", "--name", "shorter", "--set-param", f"{NAME}.chunk.overlap.chunk_overlap=45")
    project.git("branch", f"{NAME}/{ARM}", "HEAD")
    queries = [json.loads(line) for line in project.read(QUERIES).splitlines()]
    for query in queries:
        if query["query_id"] == "two-facts":
            del query["facts"][1]
    project.write(QUERIES, "".join(json.dumps(query) + "\n" for query in queries))
    project.repro()
    return project


@pytest.fixture
def told(history, monkeypatch, capsys):
    """Runs compare in the project: gives its exit status and what it printed, parsed where that is JSON."""
    monkeypatch.chdir(history.root)

    def run(*arguments, **options):
        status = compare(*arguments, **options)
        output = capsys.readouterr().out
        return status, json.loads(output) if options.get("as_json") else output

    return run


def test_a_revision_and_an_experiment(told):
    status, found = told("HEAD", "shorter", as_json=True)
    (part,) = found["experiments"]
    overlap = {"key_a": "chunk.overlap.chunk_overlap", "key_b": "chunk.overlap.chunk_overlap", "a": 60, "b": 45}
    assert (status, part["experiment"], part["parameters"]) == (0, NAME, [overlap])
    assert (len(part["arms"]), part["only_in_a"], part["only_in_b"]) == (12, [], [])
    by_arm = {arm["a"]["arm"]: arm for arm in part["arms"]}
    assert all(
        (arm["code"], arm["libraries"], arm["dataset"], arm["refusals"]) == ([], [], [], []) for arm in part["arms"]
    )
    recall, cost = by_arm[ARM]["metrics"]
    assert (recall["a"], recall["b"], recall["better"], recall["worse"]) == (pytest.approx(5 / 6), 1, 1, 0)
    assert (recall["comparisons"], recall["attainable_p"], recall["verdict"]) == (12, 1, "too_few_queries")
    assert (cost["metric"], cost["a"], cost["b"]) == ("mean_cost", 162.5, 118.25)
    assert by_arm["fixed+all+single+top2"]["questions"]["changes"] == []
    (change,) = by_arm[ARM]["questions"]["changes"]
    assert (change["query_id"], change["outcome"], change["gained"][0]["cause"]) == ("two-facts", "won", "crowded_out")

    status, text = told("HEAD", "shorter")
    assert status == 0 and max(map(len, text.splitlines())) < 150 and "\x1b" not in text
    assert "chunk.overlap.chunk_overlap   60   45" in text
    assert "4 of 12 arms answer some question otherwise" in text
    assert "too few queries to conclude anything" in text and "Holm" in text


def test_one_arm_in_full(told):
    status, text = told("HEAD", "shorter", arm=ARM)
    assert status == 0
    assert "won    two-facts: logs retention export format" in text
    assert "+ logs-export-json: A lacks it, crowded out by repeats" in text
    assert told(f"HEAD:{NAME}/{ARM}", "shorter")[1] == text
    back = told("shorter", f"HEAD:{NAME}/{ARM}", as_json=True)[1]["experiments"][0]["arms"][0]
    there = told("HEAD", "shorter", NAME, ARM, as_json=True)[1]["experiments"][0]["arms"][0]
    assert [m["difference"] for m in back["metrics"]] == [-m["difference"] for m in there["metrics"]]
    assert len(there["metrics"]) == 16


def test_two_arms_with_other_gold_are_refused_first(told):
    status, text = told("HEAD", "workspace", arm=ARM)
    assert status == NOT_COMPARABLE
    head, workspace, verdict, reason, *rest = text.splitlines()
    assert (head[:1], workspace[:1], verdict) == ("A", "B", "NOT COMPARABLE")
    assert "gold differ" in reason and "--common" in reason
    assert "macro_recall" not in text and "dataset: gold differ" in rest
    status, found = told("HEAD", "workspace", as_json=True)
    assert (status, found["comparable"]) == (NOT_COMPARABLE, False)
    assert {len(arm["metrics"]) for arm in found["experiments"][0]["arms"]} == {0}


def test_the_common_questions_of_other_gold(told):
    status, found = told("HEAD", "workspace", arm=ARM, common=True, as_json=True)
    (arm,) = found["experiments"][0]["arms"]
    assert (status, arm["dataset"], arm["queries"]["left_out"]) == (0, ["gold"], ["two-facts"])
    assert (arm["queries"]["answerable"], arm["metrics"][0]["a"], arm["metrics"][0]["b"]) == (2, 1, 1)
    assert "left out: two-facts" in told("HEAD", "workspace", arm=ARM, common=True)[1]


def test_an_arm_goes_before_a_branch_of_its_name(told):
    found = told(f"{NAME}/{ARM}", f"{NAME}/fixed+current+single+top2", as_json=True)[1]
    assert (found["a"]["commit"], found["b"]["commit"]) == (None, None)
    assert told(f"refs/heads/{NAME}/{ARM}", "HEAD", as_json=True)[1]["a"]["commit"] is not None


def test_results_that_are_older_than_params(told, history):
    params = history.read("params.yaml")
    history.edit("params.yaml", "top2: {top_k: 2}", "top2: {top_k: 1}")
    try:
        text = told(f"{NAME}/{ARM}", f"{NAME}/fixed+current+single+top2")[1]
    finally:
        history.write("params.yaml", params)
    assert f"note: params.yaml has other settings than results/{NAME} was made with: make repro" in text


def test_scores_that_were_changed_by_hand_are_refused(told, history):
    path = history.root / "results" / NAME / "score" / f"{ARM}.jsonl"
    kept = path.read_bytes()
    shutil.copy(path, path.with_suffix(".kept"))
    path.unlink()  # DVC may have linked it to its cache
    path.write_bytes(kept.replace(b'"char":2', b'"char":1'))
    try:
        status, text = told(f"{NAME}/{ARM}", f"{NAME}/fixed+current+single+top2")
    finally:
        path.with_suffix(".kept").replace(path)
    assert status == NOT_COMPARABLE and f"the scores of {NAME}/{ARM}" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shortr", "HEAD"), "did you mean 'shorter'"),
        ((f"{NAME}/{ARM}x", "HEAD"), f"no such arm: did you mean '{ARM}'"),
        ((f"{NAME}x/{ARM}", "HEAD"), f"no experiment with results is called '{NAME}x': did you mean '{NAME}'"),
        ((ARM, "HEAD"), f"an arm is named with its experiment: {NAME}/{ARM}"),
        ((f"HEAD:{NAME}/{ARM}x", "workspace"), f"HEAD:results/{NAME}: {ARM}x: no such arm: did you mean '{ARM}'"),
        (("HEAD:nothing/x", "workspace"), "HEAD:results: nothing: there are no results of it"),
        (("HEAD", "workspace", NAME + "x"), f"not in both: did you mean '{NAME}'"),
        (("HEAD", "workspace", None, ARM + "x"), f"not in both: did you mean '{ARM}'"),
        ((f"{NAME}/{ARM}", "HEAD", NAME), "--experiment and --arm go with revisions"),
    ],
)
def test_unknown_names(told, arguments, message):
    with pytest.raises(InputError) as raised:
        told(*arguments)
    assert message in str(raised.value)


def test_the_command(history):
    done = history.spanledger("compare", "HEAD", "workspace", "--arm", ARM, "--common", "--json")
    assert json.loads(done.output)["comparable"] is True
    assert "NOT COMPARABLE" in history.spanledger("compare", "HEAD", "workspace", status=NOT_COMPARABLE).output
    done = history.spanledger("compare", "HAED", "workspace", status=1)
    assert "is no git revision and no DVC experiment" in done.output and "Traceback" not in done.output
