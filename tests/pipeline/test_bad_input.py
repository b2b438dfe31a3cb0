"""A broken dataset or params.yaml in a real run: all problems are told, nothing is half written, and good results stay."""

import json

import pytest

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
DOCUMENTS = f"fixtures/{NAME}/documents.jsonl"
FACTS = f"fixtures/{NAME}/queries.jsonl"


def files_of(project):
    """Everything in the project but what the engines note for themselves and Python's byte code."""
    engines = {".git", ".dvc", ".snakemake", ".spanledger"}
    paths = (path for path in project.root.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {
        path.relative_to(project.root).as_posix()
        for path in paths
        if not engines & set(path.relative_to(project.root).parts) and path.suffix != ".pyc"
    }


class TestDataset:
    def break_it(self, project):
        """Three faults in two files."""
        project.edit(DOCUMENTS, '{"doc_id": "retry-guide"', '{"colour": "red", "doc_id": "retry-guide"')
        project.edit(FACTS, '"start": 100, "end": 178', '"start": 101, "end": 178')
        project.edit(FACTS, '{"query_id": "two-facts", "position": 1', '{"query_id": "two-facts", "positoin": 1')

    def test_all_problems_are_told_and_the_results_wait_for_the_repair(self, project):
        results, lock, files = project.results(), project.read("dvc.lock"), files_of(project)
        self.break_it(project)
        done = project.repro(status=255)  # DVC's own exit status for a stage that failed
        for place, what in (
            (f"{DOCUMENTS}:2: document 'retry-guide'", "colour: unknown key"),
            (f"{FACTS}:1: query 'boundary-condition': facts[0].support[0][0]", "(100, 178)"),
            (f"{FACTS}:2: query 'two-facts': positoin", "did you mean 'position'?"),
        ):
            (line,) = [line for line in done.output.splitlines() if place in line]
            assert what in line
        assert "3 problems found" in done.output
        assert "Traceback" not in done.output
        assert done.fates == {f"validate@{NAME}": "ran"}

        left = {path: data for path, data in results.items() if not path.startswith(("validate/", "provenance/v"))}
        assert project.results() == left
        assert project.read("dvc.lock") == lock
        assert files_of(project) < files

        project.git("checkout", "--quiet", "--", "fixtures")
        assert project.repro().ran == set()
        assert project.results() == results
        assert project.git("status", "--porcelain").output == ""

    def test_by_hand_it_is_the_same(self, project):
        self.break_it(project)
        done = project.snakemake("--cores", "2", status=1)
        assert "3 problems found" in done.output and f"{FACTS}:2: query 'two-facts': positoin" in done.output
        assert "Traceback" not in done.output
        assert [path for path in project.results() if path.startswith("validate/")] == []

    def test_a_dataset_that_is_not_there(self, project):
        project.edit("params.yaml", f"dataset: fixtures/{NAME}", "dataset: fixtures/evidence")
        done = project.repro(status=255)
        assert "fixtures/evidence" in done.output and "Traceback" not in done.output
        assert done.ran == set()


class TestParams:
    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            (
                "chunk_overlap: 60}",
                "chunk_overlap: -1, tails: keep}",
                [
                    "2 problems",
                    "chunk.overlap.chunk_overlap: ",
                    "chunk.overlap.tails: unknown key: did you mean 'tail'?",
                ],
            ),
            ("{branches: [shared_terms]}", "{branches: [shared]}", ["fuse.single.branches[0]", "'shared_terms'"]),
            ("  arms: grid", "  arms: [", ["params.yaml:", "is no YAML"]),
            ("    top2:", "    size:", ["select.size: the name 'size' is not allowed"]),
        ],
        ids=["values", "reference", "yaml", "ignored-by-dvc"],
    )
    def test_nothing_starts(self, old, new, told, project):
        results, lock = project.results(), project.read("dvc.lock")
        project.edit("params.yaml", old, new)
        done = project.repro(status=1)
        assert done.output.startswith("spanledger: ") and "Traceback" not in done.output
        for text in told:
            assert text in done.output
        assert done.fates == {}
        assert (project.results(), project.read("dvc.lock")) == (results, lock)

    def test_under_dvc_alone_the_stage_that_it_concerns_fails(self, project):
        """DVC knows nothing of the rules: Snakemake refuses, and the outputs of this stage alone are gone."""
        results = project.results()
        project.edit("params.yaml", "chunk_overlap: 60", "chunk_overlap: 600")
        done = project.dvc("repro", status=255)
        assert "chunk.overlap.chunk_overlap: must be below chunk_size (120), found 600" in done.output
        assert "Traceback" not in done.output
        assert done.ran == {f"chunk@{NAME}"}
        assert set(results) - set(project.results()) == {
            path for path in results if path.startswith("chunk/") or path == "provenance/chunk.json"
        }
        project.edit("params.yaml", "chunk_overlap: 600", "chunk_overlap: 60")
        assert project.dvc("repro").ran == set()
        assert project.results() == results

    def test_other_commands_tell_it_too(self, shared_project):
        kept = shared_project.read("params.yaml")
        try:
            shared_project.edit("params.yaml", "budget: 240", "budget: -1")
            for command in (["table"], ["prune"], ["add-experiment", "x", "--dataset", f"fixtures/{NAME}"]):
                done = shared_project.spanledger(*command, status=1)
                assert done.output.startswith("spanledger: ") and "select.chars240.budget" in done.output
        finally:
            shared_project.write("params.yaml", kept)


class TestImport:
    def test_nothing_is_written(self, shared_project, tmp_path):
        source = tmp_path / "broken.json"
        question = {"id": "q", "question": "Who?", "answers": [{"text": "nobody", "answer_start": "here"}]}
        source.write_text(json.dumps({"data": [{"paragraphs": [{"context": "Somebody.", "qas": [question]}]}]}))
        done = shared_project.spanledger("import", "squad", str(source), "--out", "datasets/broken", status=1)
        assert "answer_start" in done.output and "Traceback" not in done.output
        assert not (shared_project.root / "datasets").exists()
        assert shared_project.git("status", "--porcelain").output == ""
