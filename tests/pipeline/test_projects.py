"""Experiments that come and go: added, edited one beside the other, pruned, imported and tracked."""

import json
import re

import pytest
from ruamel.yaml import YAML

from spanledger.engine import plan

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
OTHER = "second"


def lock_entries(project):
    """The entries of dvc.lock as they are written, by stage."""
    return {match[1]: match[0] for match in re.finditer(r"^  (\S+@\S+):\n(?:   .*\n)*", project.read("dvc.lock"), re.M)}


def without(text, name):
    """params.yaml without an experiment: its line and its section at the end."""
    return re.sub(rf"\n{name}:\n[\s\S]*\Z", "", re.sub(rf"^  {name}: .*\n", "", text, flags=re.M))


class TestTwoExperiments:
    def test_added_edited_removed_and_brought_back(self, project):
        first, locked, params = project.results(), lock_entries(project), project.read("params.yaml")
        assert set(locked) == project.stages()

        project.spanledger("add-experiment", OTHER, "--dataset", f"fixtures/{NAME}", "--like", NAME)
        done = project.repro()
        assert done.ran == project.stages(experiment=OTHER)
        assert {stage for stage, fate in done.fates.items() if fate == "skipped"} == project.stages()
        assert project.results() == first
        # The same settings give the same results; only what is named after the experiment differs.
        second = project.results(OTHER)
        assert second.keys() == first.keys()
        assert {path for path in first if first[path] != second[path]} == {
            "metrics.json",
            "report.html",
            *(f"provenance/{stage}.json" for stage in plan.STAGES),
        }
        assert second["metrics.json"] == first["metrics.json"].replace(NAME.encode(), OTHER.encode())

        text = project.read("params.yaml")
        head, mine = text.split(f"\n{OTHER}:\n")
        project.write("params.yaml", f"{head}\n{OTHER}:\n{mine.replace('budget: 240', 'budget: 300')}")
        done = project.repro()
        assert done.ran == project.stages("select", "score", "report", experiment=OTHER)
        assert project.results() == first
        assert {stage: entry for stage, entry in lock_entries(project).items() if stage in locked} == locked

        # Renamed or removed, it leaves its results behind; prune clears them up and touches nothing else.
        both = project.read("params.yaml")
        project.write("params.yaml", params)
        project.write("results/notes.txt", "mine")
        own = "  own:\n    cmd: echo\n"
        project.write("dvc.lock", project.read("dvc.lock") + own)
        assert project.spanledger("prune").output.splitlines() == [
            f"removed results/{OTHER}",
            *(f"removed {stage}@{OTHER} from dvc.lock" for stage in plan.STAGES),
        ]
        assert not (project.root / "results" / OTHER).exists()
        assert lock_entries(project) == locked
        assert project.read("dvc.lock").endswith(own)
        project.write("dvc.lock", project.read("dvc.lock").removesuffix(own))
        assert (project.results(), project.read("results/notes.txt")) == (first, "mine")
        assert project.spanledger("prune").output == ""
        assert project.repro().fates == dict.fromkeys(project.stages(), "skipped")

        # Its results are in DVC's cache: nothing has to run to have them back.
        project.write("params.yaml", both)
        done = project.repro()
        assert {stage for stage, fate in done.fates.items() if fate == "restored"} == project.stages(experiment=OTHER)
        assert done.ran == set()

    @pytest.mark.parametrize("left", ["", "schema: '2.0'\nstages:\n  chu"])
    def test_prune_waits_for_the_repair_of_a_cut_lock(self, left, project):
        project.write("results/gone/metrics.json", "{}")
        project.write("dvc.lock", left)
        done = project.spanledger("prune", status=1)
        assert "dvc.lock: was cut short" in done.output and "Traceback" not in done.output
        assert (project.root / "results" / "gone" / "metrics.json").exists()

    def test_the_bundled_params_survive_an_addition_to_the_letter(self, project):
        before = project.read("params.yaml")
        options = ["--chunk-size", "64", "128", "--overlap-percent", "0", "25", "--top-k", "3", "--budget", "300"]
        project.spanledger("add-experiment", OTHER, "--dataset", f"fixtures/{NAME}", *options)
        after = project.read("params.yaml")
        assert without(after, OTHER).rstrip() == before.rstrip()
        section = YAML(typ="safe").load(after)[OTHER]
        assert list(section["chunk"]) == [
            "defaults",
            "window64",
            "window64_overlap16",
            "window128",
            "window128_overlap32",
        ]
        assert project.dvc("stage", "list", "--name-only").output.split() == [
            f"{stage}@{name}" for stage in plan.STAGES for name in (NAME, OTHER)
        ]

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ([NAME, "--dataset", f"fixtures/{NAME}"], "there is an experiment of this name already"),
            (["x", "--dataset", f"fixtures/{NAME}", "--like", "evidence"], "did you mean 'evidence_mapping'?"),
            (["x", "--dataset", "fixtures"], "fixtures: is no dataset folder"),
            (["a.b", "--dataset", f"fixtures/{NAME}"], "a.b"),
        ],
        ids=["taken", "unknown-model", "no-dataset", "name"],
    )
    def test_a_bad_addition_changes_nothing(self, arguments, told, shared_project):
        before = shared_project.read("params.yaml")
        done = shared_project.spanledger("add-experiment", *arguments, status=1)
        assert told in done.output and "Traceback" not in done.output
        assert shared_project.read("params.yaml") == before


class TestImported:
    CONTEXT = "黄河全长约5464公里。它注入渤海。"

    def squad(self, folder):
        question = {"id": "q1", "question": "黄河注入哪里？", "answers": [{"text": "渤海", "answer_start": 15}]}
        assert self.CONTEXT[15:17] == "渤海"
        article = {"title": "黄河", "paragraphs": [{"context": self.CONTEXT, "qas": [question]}]}
        path = folder / "source.json"
        path.write_text(json.dumps({"version": "1.1", "data": [article]}, ensure_ascii=False), encoding="utf-8")
        return str(path)

    def test_from_the_source_to_an_experiment_in_another_folder(self, project, tmp_path):
        """DVC tracks the dataset, so a temporary experiment finds it; git does not, but knows of it."""
        c = {"LC_ALL": "C", "LANG": "C"}
        project.spanledger("import", "squad", self.squad(tmp_path), "--out", "datasets/river", "--language", "zh")
        assert project.git("status", "--porcelain").output.split() == ["??", "datasets/"]
        project.spanledger(
            "add-experiment", "river", "--dataset", "datasets/river", "--chunk-size", "6", "--overlap-percent", "0"
        )
        assert "cjk_bigrams" in project.read("params.yaml")
        project.commit("River")
        tracked = project.git("ls-files", "datasets").output.split()
        assert tracked == ["datasets/.gitignore", "datasets/river.dvc"]

        done = project.dvc("exp", "run", "--temp", *sorted(project.stages(experiment="river")), environment=c)
        assert done.ran == project.stages(experiment="river")
        assert not (project.root / "results" / "river").exists()
        # The run cache has it now, and the results are those of this text.
        assert project.repro("report@river", environment=c).ran == set()
        rows = [json.loads(line) for line in project.results("river")["queries.jsonl"].splitlines()]
        assert [(row["arm"], row["recall"]) for row in rows] == [
            ("window6+all+single+chars1024", 1.0),
            ("window6+all+single+top10", 1.0),
        ]

        # An edit is seen, as a change of the dataset and of what the first stage reads.
        text = project.read("datasets/river/documents.jsonl").replace("5464", "5464.5")
        project.write("datasets/river/documents.jsonl", text)
        assert "datasets/river" in project.dvc("status", "datasets/river.dvc", "validate@river").output
