"""A holdout in a real run: what it re-runs, that nothing of it is in any result, and the explicit look."""

import json

import pytest

from spanledger import experiment
from spanledger.engine import plan, yaml12

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
FACTS = f"fixtures/{NAME}/queries.jsonl"
KEEP = "normalise: {newlines: keep, unicode: keep}"
# printf '0\ncurrent-version' | sha256sum begins with 66, those of the other three with 8 or more.
HALF = "normalise: {newlines: keep, unicode: keep, holdout: {share: 0.5}}"
# With seed 1 they begin with 57, d1, 3a and 2c, in the order of the dataset.
OTHER = HALF.replace("0.5", "0.5, seed: 1")
AFTER_INDEX = ("index", "retrieve", "fuse", "select", "score", "report")


def test_a_split_and_another_one(project):
    before = project.results()
    project.edit("params.yaml", KEEP, HALF)
    done = project.repro()
    assert "held_out: development part: 3 of 4 queries; holdout not shown" in done.output
    after = project.results()
    assert done.ran == project.stages("normalise", *AFTER_INDEX)
    assert {
        path for path in before if path.startswith(("validate/", "chunk/")) and before[path] != after[path]
    } == set()

    made = experiment.run(yaml12.read(project.root / "params.yaml"), project.root / f"fixtures/{NAME}").files
    written = {path: data for path, data in after.items() if not path.startswith("provenance/")}
    assert sorted(made) == sorted(written)
    assert [path for path in made if made[path] != written[path]] == []

    secrets = (b"current-version", b"current logs retention policy", b"current-retention-7-days")
    assert all(secret in after["validate/queries.jsonl"] + after["validate/facts.jsonl"] for secret in secrets)
    later = [path for path in after if not path.startswith("validate/")]
    assert [path for path in later if any(secret in after[path] for secret in secrets)] == []

    project.edit("params.yaml", HALF, OTHER)
    assert project.repro().ran == project.stages("normalise", *AFTER_INDEX)
    rows = map(json.loads, project.results()["queries.jsonl"].splitlines())
    assert {row["query_id"] for row in rows} == {"two-facts"}

    # The text and the gold of what is held out reach validate and normalise, and their results end there.
    project.edit(FACTS, "current logs retention policy", "current policy on logs")
    project.edit(FACTS, '"fact_id": "current-retention-7-days"', '"fact_id": "retention-now"')
    assert project.repro().ran == project.stages("validate", "normalise")


def test_no_query_is_left(project):
    """With seed 2 all four begin with 1, 2, 3 or 6: 0.5 holds out all of them."""
    before = project.results()
    project.edit("params.yaml", KEEP, HALF.replace("0.5", "0.5, seed: 2"))
    done = project.repro(status=255)
    message = "normalise.holdout.share: 0.5 with seed 2 holds out all of the 4 queries"
    assert message in done.output and "Traceback" not in done.output
    assert done.ran == project.stages("normalise")
    kept = {path: data for path, data in before.items() if not path.startswith(("normalise/", "provenance/n"))}
    assert project.results() == kept


def test_a_look(project):
    project.edit("params.yaml", KEEP, HALF)
    refused = project.spanledger("holdout", NAME, "--reason", "Too early", status=1).output
    assert f"results/{NAME}/provenance/normalise.json: params.yaml changed since" in refused
    assert "Traceback" not in refused and not (project.root / "holdout").exists()
    project.repro()
    project.commit("A holdout")
    arm = "overlap+current+single+top2"
    done = project.spanledger("holdout", NAME, "--arm", arm, "--reason", "Before the release", "--json")
    found = json.loads(done.output)
    commit = project.git("rev-parse", "HEAD").output.strip()
    assert (found["look"]["commit"], found["look"]["dirty"]) == (commit, False)
    assert (found["arms"][arm]["holdout"]["queries"], found["arms"][arm]["development"]["queries"]) == (1, 3)
    # Git is to have the ledger, and nothing depends on it.
    assert project.git("status", "--porcelain").output == "?? holdout/\n"
    project.commit("Looked")
    assert project.repro().fates == dict.fromkeys(project.stages(*plan.STAGES), "skipped")
    project.write(f"holdout/{NAME}/looks.jsonl", "")
    cut = project.spanledger("holdout", NAME, "--looks", status=1).output
    assert "looks that git has at HEAD are missing or changed" in cut and "Traceback" not in cut
    assert project.spanledger("holdout", NAME, status=1).output.startswith("spanledger: 1 problem found:")
