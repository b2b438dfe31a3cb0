"""Which stages a change re-runs, as DVC tells it, and which changes are refused."""

import json
import re
import time

import pytest
from tokenizers import Regex, Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split

from spanledger.engine import plan

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
FACTS = f"fixtures/{NAME}/queries.jsonl"
DOCUMENTS = f"fixtures/{NAME}/documents.jsonl"
AFTER_CHUNK = ("chunk", "index", "retrieve", "fuse", "select", "score", "report")
# A stage's script, held up at its beginning until the test lets it go on.
HELD = """\
def main() -> None:
    import time

    Path("started").touch()
    while not Path("go-on").exists():
        time.sleep(0.01)
"""


def edited(project, path, old, new):
    """The stages that `spanledger repro` runs after an edit; every other one is skipped or only restored."""
    project.edit(path, old, new)
    return project.repro().ran


class TestWhatRuns:
    def test_a_chunking_and_the_way_back(self, project):
        before = project.results()
        ran = edited(project, "params.yaml", "chunk_overlap: 60", "chunk_overlap: 30")
        assert ran == project.stages(*AFTER_CHUNK)
        after = project.results()
        changed = {path for path in before if before[path] != after[path]}
        assert "chunk/overlap.jsonl" in changed and "arms.csv" in changed
        assert not any(path.startswith(("chunk/fixed", "chunk/paragraph", "select/fixed")) for path in changed)

        project.edit("params.yaml", "chunk_overlap: 30", "chunk_overlap: 60")
        back = project.repro()
        assert back.fates == {
            **dict.fromkeys(project.stages("validate", "normalise"), "skipped"),
            **dict.fromkeys(project.stages(*AFTER_CHUNK), "restored"),
        }
        assert project.results() == before
        assert project.git("status", "--porcelain").output == ""

    def test_a_selector(self, project):
        ran = edited(project, "params.yaml", "budget: 240", "budget: 300")
        assert ran == project.stages("select", "score", "report")

    def test_a_judgement(self, project):
        """What a person writes about a lost fact makes the report anew; what is no judgement is told, and nothing lost."""
        sheet = f"judgements/{NAME}.csv"
        project.spanledger("failures", NAME, "--out")
        assert project.repro().ran == project.stages("report")
        before = project.results()
        ran = edited(project, sheet, "Export format: JSON lines.,,", "Export format: JSON lines.,missing_title,标题")
        assert ran == project.stages("report")
        after = project.results()
        changed = {"failures.csv", "report.html", "provenance/report.json"}
        assert {path for path in after if after[path] != before[path]} == changed
        assert "标题" in after["report.html"].decode()
        project.edit(sheet, "missing_title,标题", "missing_titel,标题")
        done = project.repro(status=255)
        line = project.read(sheet).split("missing_titel")[0].count("\n") + 1
        assert f"{sheet}:{line}: judgement: 'missing_titel' is no class: did you mean 'missing_title'?" in done.output
        assert "Traceback" not in done.output

    def test_a_tokenizer_file(self, project):
        """What counts lengths decides where text is cut: words are one token, then every character is."""

        def words(pattern):
            made = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
            made.pre_tokenizer = Split(Regex(pattern), "isolated")
            made.save(str(project.root / "tokenizers" / "mine.json"))

        words(r"\s+")
        project.narrow("overlap")
        project.edit(
            "params.yaml", "overlap: {method: window, unit: char, ", "overlap: {method: window, unit: tokenizer/mine, "
        )
        assert project.repro().ran == project.stages(*AFTER_CHUNK)
        before = project.results()
        digest = json.loads(before["provenance/chunk.json"])["tokenizers"]["tokenizer/mine"]
        words(".")
        assert {f"{stage}@{NAME}" for stage in ("chunk", "select", "score")} <= project.repro().ran
        after = project.results()
        assert after["chunk/overlap.jsonl"] != before["chunk/overlap.jsonl"]
        assert json.loads(after["provenance/chunk.json"])["tokenizers"]["tokenizer/mine"] != digest
        (project.root / "tokenizers" / "mine.json").write_text("{}")
        done = project.repro(status=1)
        assert "unit 'tokenizer/mine': tokenizers/mine.json is no tokenizer file" in done.output
        assert "Traceback" not in done.output

    def test_nothing_and_a_comment_and_spaces(self, project):
        """And byte code that Python leaves beside the sources."""
        assert edited(project, "params.yaml", "experiments:\n", "# Four questions.\nexperiments:   # all\n") == set()
        project.edit("params.yaml", "{top_k: 2}", "{ top_k:   2 }")
        done = project.repro(environment={"PYTHONDONTWRITEBYTECODE": ""})
        assert done.fates == dict.fromkeys(project.stages(), "skipped")
        project.run("python", "workflow/scripts/chunk.py", "--help", environment={"PYTHONDONTWRITEBYTECODE": ""})
        assert list(project.root.glob("workflow/spanledger/engine/__pycache__/*.pyc"))
        assert project.repro().ran == set()

    def test_a_fact(self, project):
        ran = edited(project, FACTS, '"fact_id": "logs-kept-7-days"', '"fact_id": "logs-kept-a-week"')
        assert ran == project.stages("validate", "normalise", "score", "report")
        assert b"logs-kept-a-week" in project.results()["queries.jsonl"]

    def test_a_document(self, project):
        ran = edited(project, DOCUMENTS, "Records stay seven days.", "Records stay seven days. No export format.")
        assert ran == project.stages()

    def test_code_whose_change_changes_no_output_re_runs_its_stages_alone(self, project):
        before = project.results()
        ran = edited(project, "workflow/spanledger/retrieval/expansion.py", "from", "# Nothing new.\nfrom")
        assert ran == project.stages("index", "retrieve", "score")
        changed = {path for path, data in project.results().items() if data != before[path]}
        assert changed == {f"provenance/{stage}.json" for stage in ("index", "retrieve", "score")}

    def test_a_target_runs_alone(self, project):
        project.edit("params.yaml", "chunk_overlap: 60", "chunk_overlap: 30")
        done = project.repro("--single-item", f"chunk@{NAME}")
        assert done.fates == {f"chunk@{NAME}": "ran"}

    def test_from_another_folder(self, project):
        """DVC then names the stage ../dvc.yaml:fuse@evidence_mapping."""
        before = project.results()
        project.run("bash", "-c", f"cd docs && python -m dvc repro -f -s ../dvc.yaml:fuse@{NAME}")
        assert project.results() == before


class TestEditsInTheMiddle:
    """DVC notes parameters and code when a stage is over: a change in the middle would be noted with the old result."""

    def held(self, project, stage, edit):
        """Runs one stage and calls `edit` once its first job is under way."""
        script = f"workflow/scripts/{stage}.py"
        project.edit(script, "def main() -> None:\n", HELD)
        process = project.start("python", "-m", "dvc", "repro", "--single-item", f"{stage}@{NAME}")
        try:
            deadline = time.monotonic() + 60
            while not (project.root / "started").exists():
                assert process.poll() is None and time.monotonic() < deadline, process.communicate()[0]
                time.sleep(0.02)
            edit()
            (project.root / "go-on").touch()
            output = process.communicate(timeout=60)[0]
        finally:
            process.kill()
        return process.returncode, output

    def test_edits_that_do_not_concern_the_stage_are_welcome(self, project):
        def edit():
            project.edit("params.yaml", "  fuse:\n", "  fuse:  # one branch\n")
            project.edit(
                "workflow/spanledger/retrieval/scorers/bm25.py", "import numpy", "# Nothing new.\nimport numpy"
            )
            project.edit(FACTS, "R-17 wait seconds", "R-17 wait")

        lock = project.read("dvc.lock")
        status, output = self.held(project, "fuse", edit)
        assert status == 0, output
        assert project.read("dvc.lock") != lock

    @pytest.mark.parametrize(
        ("stage", "path", "old", "new"),
        [
            ("fuse", "params.yaml", "{index: words, scorer: term_overlap}", "{index: words, scorer: bm25}"),
            ("fuse", "params.yaml", "evidence_mapping:\n", "evidence_mapping:\n  unheard: of\n"),
            ("fuse", "workflow/spanledger/fusion/rrf.py", "import math", "# Nothing.\nimport math"),
            ("validate", FACTS, "R-17 wait seconds", "R-17 wait"),
        ],
        ids=["params", "broken-params", "code", "dataset"],
    )
    def test_any_other_edit_fails_the_stage(self, stage, path, old, new, project):
        lock = project.read("dvc.lock")
        status, output = self.held(project, stage, lambda: project.write(path, project.read(path).replace(old, new, 1)))
        assert status != 0
        assert "changed while this run was under way" in output and "Run again" in output
        assert project.read("dvc.lock") == lock
        if path != "params.yaml":  # Snakemake remembers parameters, and would not see that the others came too late
            assert f"provenance/{stage}.json" in project.snakemake("--dry-run", status=1).output


class TestSnakemakeByHand:
    def test_a_run_after_dvc_knows_what_is_stale(self, project):
        assert "Nothing to be done" in project.snakemake("--cores", "2").output
        text = project.read(FACTS).replace("R-17 wait seconds", "R-17 wait")
        project.write(FACTS, text)  # in place: the folder's own time stays
        dry = project.snakemake("--dry-run", "--cores", "2").output
        assert re.search(r"reason: Updated input files: .*queries\.jsonl", dry)

    def test_results_from_elsewhere_are_refused_unless_all_is_made_anew(self, project):
        """As in a clone after `dvc pull`: Snakemake has no memory of what the results were made with."""
        project.run("rm", "-r", ".snakemake")
        refused = project.snakemake("--cores", "2", status=1).output
        assert "these results were not made by snakemake in this folder" in refused
        assert f"results/{NAME}/provenance/chunk.json" in refused
        assert "dvc repro" in refused and "--forceall" in refused
        before = project.results()
        target = f"results/{NAME}/provenance/validate.json"
        assert "rule validate" in project.snakemake("--cores", "2", "--forceall", target).output
        assert project.results() == before
        still = project.snakemake("--dry-run", status=1).output
        assert re.findall(r"provenance/(\w+)\.json", still) == list(plan.STAGES[1:])

    def test_results_that_dvc_restored_are_refused(self, project):
        """Snakemake remembers other parameters than those that they were made with."""
        project.edit("params.yaml", "budget: 240", "budget: 300")
        project.dvc("repro", f"select@{NAME}")
        project.edit("params.yaml", "budget: 300", "budget: 240")
        assert project.dvc("repro", f"select@{NAME}").fates[f"select@{NAME}"] == "restored"
        refused = project.snakemake("--cores", "2", status=1).output
        assert re.findall(r"provenance/(\w+)\.json", refused) == ["select"]

    @pytest.mark.parametrize("option", ["--config", "--configfile"])
    def test_parameters_by_another_way_are_refused(self, option, shared_project, tmp_path):
        (tmp_path / "config.json").write_text(json.dumps({"depth": 3}))
        value = "depth=3" if option == "--config" else str(tmp_path / "config.json")
        done = shared_project.snakemake("--dry-run", option, value, status=1)
        assert "not tracked by DVC; edit params.yaml instead" in done.output


def test_the_order_of_names_changes_nothing(project):
    """DVC compares mappings without their order and runs nothing, so nothing may depend on it."""
    text = project.read("params.yaml")
    top, packed = re.findall(r"^    (?:top2|chars240): .*\n", text, re.M)
    project.write("params.yaml", text.replace(top + packed, packed + top))
    project.repro()
    before = project.results()
    project.dvc("repro", "--force", "--single-item", f"score@{NAME}", f"report@{NAME}")
    assert project.results() == before
