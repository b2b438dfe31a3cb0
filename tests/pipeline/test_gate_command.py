"""`spanledger gate` on a project that real git and DVC keep: what CI sees."""

import json

import pytest

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
ARM = "overlap+current+single+chars240"
BELOW = f"{{metric: macro_recall, arm: {ARM}, baseline: main, worse_by_at_most: 0.1, min_queries: 3}}"


def gated(project, *gates):
    """Replaces the gates of params.yaml."""
    lines = project.read("params.yaml").splitlines()
    kept = lines[: lines.index("  gates:")]
    project.write("params.yaml", "\n".join([*kept, "  gates:", *(f"    - {gate}" for gate in gates), ""]))


def judged(project, status):
    """The verdicts after the leaks, and those."""
    found = json.loads(project.spanledger("gate", "--json", status=status).output)
    assert found["status"] == status
    leaks, *others = found["experiments"][NAME]
    return leaks, others


def test_the_bundled_gates_pass_and_repro_shows_them(shared_project):
    done = shared_project.spanledger("table")
    assert "passed     leaks 0: 0 of 192 chunks and passages in 12 arms" in done.output
    assert "passed     macro_recall_index at least 1: lowest 1 (fixed+all+single+chars240)\n" in done.output
    assert shared_project.spanledger("gate").output.endswith("4 gates: 4 passed\n")
    assert json.loads(shared_project.results()["gates.json"])[0]["rule"] == "leaks 0"
    assert shared_project.git("status", "--porcelain").output == ""


def test_a_change_that_makes_recall_worse_fails_here_and_in_a_clone_without_the_cache(project, tmp_path):
    gated(project, BELOW)
    # another gate makes no result stale
    _, (verdict,) = judged(project, 0)
    assert verdict["found"] == "0.8333 against 0.8333"

    project.edit("params.yaml", "budget: 240", "budget: 60")
    leaks, (verdict,) = judged(project, 2)
    assert leaks["status"] == verdict["status"] == "untrusted"
    why = "the results were made with other parameters than params.yaml has (select): run make repro"
    assert verdict["not_passed"][0]["reason"] == why
    assert f"the results cannot be trusted: {why}" in project.spanledger("gate", status=2).output

    # a failed gate does not fail the run
    gated(project, BELOW, f"{{metric: macro_recall, arm: {ARM}, at_least: 0.5}}")
    done = project.repro()
    assert "gates (a failed one fails `spanledger gate`, and not this run):" in done.output
    assert f"failed     macro_recall at least 0.5 ({ARM}): 0 is below 0.5" in done.output
    assert f"deferred   macro_recall at most 0.1 below main ({ARM}): needs `spanledger gate`" in done.output
    leaks, verdicts = judged(project, 1)
    assert leaks["found"].startswith("0 of ")
    assert verdicts[0]["found"] == "0 against 0.8333: worse by 0.8333"

    project.git("checkout", "--quiet", "-b", "change")
    project.commit("Smaller budget")
    project.git("clone", "--quiet", ".", str(tmp_path / "clone" / "project"))
    clone = type(project)(tmp_path / "clone" / "project")
    clone.git("branch", "main", "origin/main")
    leaks, again = judged(clone, 1)
    assert again == verdicts
    assert leaks["status"] == "passed" and leaks["found"].startswith("not counted again")


def test_what_cannot_be_judged_ends_with_2(project):
    few = BELOW.replace(", min_queries: 3", "")
    unknown = BELOW.replace("main", "mian")
    gated(project, few, unknown)
    _, (first, second) = judged(project, 2)
    assert first["found"] == "3 answerable queries are too few: min_queries is 30"
    assert "mian: is no git revision and no DVC experiment: did you mean 'main'?" in second["found"]
    assert "did you mean 'evidence_mapping'?" in project.spanledger("gate", "evidence_maping", status=2).output

    # the baseline has another dataset
    gated(project, BELOW)
    project.edit(f"fixtures/{NAME}/queries.jsonl", "R-17 wait seconds", "R-17 wait how many seconds")
    assert f"changed since the results were made: fixtures/{NAME}" in project.spanledger("gate", status=2).output
    project.repro()
    _, (verdict,) = judged(project, 2)
    assert verdict["found"] == "main has another dataset"

    # its results were not made anew after its parameters changed
    project.git("checkout", "--quiet", "--", "fixtures")
    project.edit("params.yaml", "top_k: 2", "top_k: 3")
    project.commit("Parameters without results")
    project.git("branch", "stale")
    project.repro()
    gated(project, BELOW.replace("main", "stale"))
    _, (verdict,) = judged(project, 2)
    assert verdict["found"].startswith("at stale: results/evidence_mapping/arms.csv is not the one") or verdict[
        "found"
    ].startswith("at stale: the results were made with other parameters than params.yaml has (select)")


def test_results_that_were_changed_by_hand_are_not_trusted_and_a_leak_fails(project):
    place = f"results/{NAME}/arms.csv"
    text = project.read(place)
    project.write(place, text.replace(f"{ARM},overlap", f"{ARM},overlapped"))
    leaks, _ = judged(project, 2)
    assert leaks["not_passed"][0]["reason"] == f"{place} is not the one that dvc.lock names: run make repro"

    project.write(place, text)
    lists = project.root / "results" / NAME / "fuse" / "fixed" / "current" / "single.jsonl"
    chunks = [json.loads(line) for line in project.read(f"results/{NAME}/chunk/fixed.jsonl").splitlines()]
    old = next(chunk["ordinal"] for chunk in chunks if chunk["version"] == "v1")
    first, *others = map(json.loads, lists.read_text(encoding="utf-8").splitlines())
    first["chunks"][0] = old
    lists.chmod(0o644)
    lists.write_text("\n".join(map(json.dumps, [first, *others])) + "\n", encoding="utf-8")
    leaks, _ = judged(project, 1)
    # one list, and two selectors that read it
    assert leaks["found"].startswith("2 of 192 chunks and passages in 12 arms; the first: query 'boundary-condition'")
    lists.write_text("{", encoding="utf-8")
    leaks, _ = judged(project, 2)
    assert "the lists of its candidates and contexts cannot be read" in leaks["not_passed"][0]["reason"]
