"""The project at a point of its history, on a project that real git and DVC keep."""

import shutil

import pytest

from spanledger.core.errors import InputError
from spanledger.snapshot import open_snapshot

ROWS = "results/evidence_mapping/queries.jsonl"
ARMS = "results/evidence_mapping/arms.csv"


def test_a_revision_has_what_the_workspace_had_then(project):
    then = {path: (project.root / path).read_bytes() for path in (ROWS, ARMS, "params.yaml")}
    for path in then:
        (project.root / path).unlink()
    head = open_snapshot("HEAD", project.root)
    assert {path: head.read(path) for path in then} == then
    assert head.commit == project.run("git", "rev-parse", "HEAD").output.strip()
    assert not open_snapshot(None, project.root).exists(ROWS)
    assert head.lock["score@evidence_mapping"]["outs"][1]["path"] == ROWS


def test_both_kinds_list_the_same_files(shared_project):
    head, workspace = open_snapshot("HEAD", shared_project.root), open_snapshot("workspace", shared_project.root)
    for folder in ("results/evidence_mapping/chunk", "fixtures/evidence_mapping"):
        assert head.below(folder) == workspace.below(folder) != []
    assert head.lock == workspace.lock
    assert head.below("results/nothing") == workspace.below("results/nothing") == []
    assert head.below(ROWS) == workspace.below(ROWS) == []


def test_an_experiment_is_found_by_its_name(project):
    project.dvc("exp", "run", "--temp", "-n", "smaller", "-S", "evidence_mapping.chunk.fixed.chunk_size=90")
    smaller = open_snapshot("smaller", project.root)
    assert b"chunk_size: 90" in smaller.read("params.yaml")
    assert smaller.read(ROWS) != open_snapshot(None, project.root).read(ROWS)
    with pytest.raises(InputError, match="did you mean 'smaller'"):
        open_snapshot("smaler", project.root)


def test_a_file_that_was_never_there_and_one_that_left_the_cache_are_told_apart(project):
    head = open_snapshot("HEAD", project.root)
    with pytest.raises(InputError, match="HEAD:results/none.json: no such file in this revision"):
        head.read("results/none.json")
    with pytest.raises(InputError, match="results: no such file"):
        head.read("results")
    digest = head.lock["score@evidence_mapping"]["outs"][1]["md5"]
    cached = project.root / ".dvc" / "cache" / "files" / "md5" / digest[:2] / digest[2:]
    cached.unlink()
    with pytest.raises(InputError, match="is not in DVC's cache: `dvc fetch --all-commits`"):
        open_snapshot("HEAD", project.root).read(ROWS)
    shutil.rmtree(project.root / ".dvc" / "cache")  # the lists of folders are there too
    shutil.rmtree(project.home / "dvc-site", ignore_errors=True)
    folder = "results/evidence_mapping/chunk"
    for ask, path in (("read", f"{folder}/fixed.jsonl"), ("below", folder)):
        with pytest.raises(InputError, match="is not in DVC's cache"):
            getattr(open_snapshot("HEAD", project.root), ask)(path)


@pytest.mark.parametrize("name", ["no-such-thing", "-h", "HEAD:params.yaml"])
def test_a_name_that_is_no_commit_is_told(shared_project, name):
    with pytest.raises(InputError, match="is no git revision and no DVC experiment"):
        open_snapshot(name, shared_project.root)
