"""DVC and Snakemake follow one plan: what dvc.yaml says of a stage is what Snakemake really does in it.

Snakemake's side is read from a dry run of everything; only the stages' own files are looked at, not how they are made.
"""

import json
import os
import re
import sys
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePosixPath

import pytest
from ruamel.yaml import YAML

from spanledger.cli import pipeline
from spanledger.engine import closure, plan

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
# What Snakemake reads itself; no job has it as input.
RULES_OF_ALL = {"Snakefile", "workflow/rules/common.smk"}
NO_GOLD = ("chunk", "index", "retrieve", "fuse", "select")
# Run by Python when it starts: notes which files of the project a process has read and which modules it holds.
NOTE_TAKER = """\
import atexit, json, os, sys
root, folder = os.environ["NOTED_ROOT"], os.environ["NOTES"]
read = set()
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and "r" in str(arguments[1] or "r"):
        read.add(os.path.abspath(arguments[0]))
sys.addaudithook(hook)
@atexit.register
def note():
    modules = sorted(m.__file__ for n, m in list(sys.modules.items()) if n.split(".")[0] == "spanledger" and m.__file__)
    notes = {"argv": sys.argv, "modules": modules, "read": sorted(p for p in read if p.startswith(root + os.sep))}
    with open(os.path.join(folder, f"{os.getpid()}.json"), "w") as stream:
        json.dump(notes, stream)
"""


@dataclass(frozen=True)
class Job:
    """One job as a dry run prints it."""

    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    experiment: str
    command: str

    @property
    def stage(self):
        return self.rule.split("_")[0]

    @property
    def works(self):
        """Whether it makes results, and not the record of how they were made."""
        return self.rule != f"{self.stage}_stage"


def planned(project, *arguments):
    """All jobs of a forced dry run but the one that collects them."""
    text = project.snakemake("--dry-run", "--printshellcmds", "--forceall", "--nocolor", *arguments).output
    jobs = []
    for block in re.split(r"\n(?=(?:local)?rule )", text)[1:]:
        fields = dict(re.findall(r"^    (\w+): (.*)$", block, re.M))
        rule = re.match(r"(?:local)?rule (\w+):", block)[1]
        if rule == "all":
            continue
        command = re.search(r"^Shell command: (.*)$", block, re.M)[1]
        listed = (tuple(fields.get(key, "").split(", ")) for key in ("input", "output"))
        experiment = re.search(r"experiment=([\w-]+)", fields["wildcards"])[1]
        jobs.append(Job(rule, *listed, experiment, command))
    return jobs


@pytest.fixture(scope="module")
def jobs(shared_project):
    return planned(shared_project)


@pytest.fixture(scope="module")
def dvc_stages(shared_project):
    """The stages of dvc.yaml, with the experiment's name and dataset filled in."""
    found = {}
    for stage, entry in YAML(typ="safe").load(shared_project.read("dvc.yaml"))["stages"].items():
        assert list(entry) == ["foreach", "do"] and entry["foreach"] == "${experiments}"
        text = json.dumps(entry["do"]).replace("${key}", NAME).replace("${item.dataset}", f"fixtures/{NAME}")
        assert "${" not in text
        found[stage] = json.loads(text)
    return found


def outputs_of(stage):
    """The paths of a DVC stage's outs, metrics and plots."""
    entries = [*stage["outs"], *stage.get("metrics", []), *stage.get("plots", [])]
    return {entry if isinstance(entry, str) else next(iter(entry)) for entry in entries}


def inside(path, folders):
    return bool({path, *map(str, PurePosixPath(path).parents)} & set(folders))


class TestDvcYaml:
    def test_is_what_the_plan_makes(self, request):
        assert (request.config.rootpath / "dvc.yaml").read_text(encoding="utf-8") == pipeline.text()

    def test_has_the_nine_stages_in_order(self, dvc_stages):
        names = ["validate", "normalise", "chunk", "index", "retrieve", "fuse", "select", "score", "report"]
        assert list(dvc_stages) == names == list(plan.STAGES)

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_command_runs_the_rules_of_its_stage_and_no_others(self, stage, dvc_stages, jobs):
        rules = list(dict.fromkeys(job.rule for job in jobs if job.stage == stage))
        assert dvc_stages[stage]["cmd"] == (
            f"exec snakemake --workflow-profile workflow/profiles/default --allowed-rules {' '.join(rules)}"
            f" -- results/{NAME}/provenance/{stage}.json"
        )

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_every_input_of_a_rule_is_a_dependency(self, stage, dvc_stages, jobs):
        mine = [job for job in jobs if job.stage == stage]
        made = {path for job in mine for path in job.outputs}
        needed = {path for job in mine for path in job.inputs} - made
        assert needed
        assert [path for path in sorted(needed) if not inside(path, dvc_stages[stage]["deps"])] == []

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_every_dependency_is_read(self, stage, dvc_stages, jobs):
        read = {path for job in jobs if job.stage == stage for path in job.inputs}
        unread = {dep for dep in dvc_stages[stage]["deps"] if not any(inside(path, [dep]) for path in read)}
        assert unread == RULES_OF_ALL | {f"workflow/rules/{stage}.smk"}

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_outputs_are_the_same(self, stage, dvc_stages, jobs):
        made = {path for job in jobs if job.stage == stage for path in job.outputs}
        outs = outputs_of(dvc_stages[stage])
        assert [path for path in sorted(made) if not inside(path, outs)] == []
        assert [out for out in sorted(outs) if not any(inside(path, [out]) for path in made)] == []

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_parameters_are_the_sections_of_the_plan(self, stage, dvc_stages):
        sections = [f"{NAME}.{part}" for part in plan.SECTIONS[stage]]
        expected = {
            "validate": [f"experiments.{NAME}"],
            "report": [NAME],
        }  # the whole section, where gates may be missing
        assert dvc_stages[stage]["params"] == expected.get(stage, sections)

    def test_only_score_and_report_depend_on_the_facts(self, dvc_stages):
        facts = f"results/{NAME}/normalise/facts.jsonl"
        assert [stage for stage in dvc_stages if inside(facts, dvc_stages[stage]["deps"])] == ["score", "report"]

    def test_nothing_goes_stale_in_silence(self, shared_project):
        """`persist` and `frozen` in DVC, between-workflow caching and checkpoints in Snakemake."""
        assert not re.search(r"\b(persist|frozen|always_changed)\b", shared_project.read("dvc.yaml"))
        rules = [shared_project.root / "Snakefile", *(shared_project.root / "workflow" / "rules").glob("*.smk")]
        assert len(rules) == 11
        for path in rules:
            assert not re.search(r"^\s*(checkpoint\b|cache:|configfile:)", path.read_text(), re.M), path


def variants():
    """Sections of params.yaml by name, each with one thing changed: (part that is changed, section)."""
    base = {
        "normalise": {"newlines": "keep"},
        "chunk": {
            "window": {"method": "window", "chunk_size": 50, "chunk_overlap": 5},
            "paragraph": {"method": "paragraph"},
        },
        "eligibility": {"all": {}, "current": {"versions": "current"}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {
            "shared": {"index": "words", "scorer": "term_overlap"},
            "bm25": {"index": "words", "scorer": "bm25", "k1": 1.2},
        },
        "fuse": {"first": {"branches": ["shared"]}, "second": {"branches": ["bm25"]}},
        "select": {"top": {"top_k": 3}, "packed": {"budget": 100}},
        "score": {"trail": 5},
        "report": {"primary": {"metric": "macro_recall"}},
        "arms": "grid",
    }
    changes = {
        "values": {
            "normalise": lambda s: s["normalise"].update(newlines="lf"),
            "chunk": lambda s: s["chunk"]["window"].update(chunk_overlap=6),
            "eligibility": lambda s: s["eligibility"]["current"].update(versions="asked"),
            "index": lambda s: s["index"]["words"].update(analyzer="cjk_bigrams"),
            "retrieve": lambda s: s["retrieve"]["bm25"].update(k1=0.9),
            "fuse": lambda s: s["fuse"].update(first={"branches": ["bm25"]}, second={"branches": ["shared"]}),
            "select": lambda s: s["select"]["packed"].update(budget=101),
            "score": lambda s: s["score"].update(trail=6),
            "report": lambda s: s["report"].update(primary={"metric": "macro_recall_index"}),
            "arms": lambda s: s.update(
                arms=[
                    {"name": "a", "chunk": "window", "eligibility": "all", "fuse": "first", "select": "top"},
                    {"name": "b", "chunk": "paragraph", "eligibility": "current", "fuse": "second", "select": "packed"},
                ]
            ),
            "gates": lambda s: s.update(gates=[{"metric": "macro_recall", "at_least": 0.5}]),
        },
        "names": {
            "chunk": lambda s: s["chunk"].update(more={"method": "document"}),
            "eligibility": lambda s: s["eligibility"].update(more={"versions": "asked"}),
            "fuse": lambda s: s["fuse"].update(more={"branches": ["shared"]}),
            "select": lambda s: s["select"].update(more={"top_k": 4}),
        },
    }
    yield "base", "", base
    for kind, parts in changes.items():
        for part, change in parts.items():
            section = deepcopy(base)
            change(section)
            assert section != base
            yield f"{kind}_{part}", part, section


@pytest.fixture(scope="module")
def work(shared_project):
    """By experiment and stage, the commands that make its results, the experiment's name taken out.

    Every change of params.yaml stands in an experiment of its own, so that one dry run plans them all.
    """
    sections = {name: section for name, _, section in variants()}
    experiments = {name: {"dataset": f"fixtures/{NAME}"} for name in sections}
    kept = shared_project.read("params.yaml")
    try:
        shared_project.write("params.yaml", json.dumps({"experiments": experiments, **sections}))
        jobs = planned(shared_project)
    finally:
        shared_project.write("params.yaml", kept)
    found = {name: {stage: set() for stage in plan.STAGES} for name in sections}
    for job in jobs:
        if job.works:
            command = re.sub(rf"(results/|--experiment ){job.experiment}\b", r"\1NAME", job.command)
            found[job.experiment][job.stage].add(command)
    return found


class TestParameters:
    @staticmethod
    def changed(work, name):
        return [stage for stage in plan.STAGES if work[name][stage] != work["base"][stage]]

    @pytest.mark.parametrize("part", plan.SECTIONS["report"])
    def test_a_value_changes_the_commands_of_the_stages_that_list_its_section(self, part, work):
        assert self.changed(work, f"values_{part}") == [s for s in plan.STAGES if part in plan.SECTIONS[s]]

    @pytest.mark.parametrize("part", ["chunk", "eligibility", "fuse", "select"])
    def test_a_new_name_changes_only_stages_that_list_its_section_or_read_what_has_changed(self, part, work):
        changed = self.changed(work, f"names_{part}")
        assert set(changed) >= {stage for stage in plan.STAGES if part in plan.SECTIONS[stage]}
        for stage in changed:
            follows = any(inside(read, plan.WRITES[other]) for other in changed for read in plan.READS[stage])
            assert part in plan.SECTIONS[stage] or follows

    def test_no_setting_reaches_validate(self, work):
        assert len({frozenset(of_stage["validate"]) for of_stage in work.values()}) == 1


@pytest.fixture(scope="module")
def notes(shared_project, jobs, tmp_path_factory):
    """What the processes of one real job a stage, and of a dry run, have read and imported: by stage, or 'plan'."""
    folder, site = tmp_path_factory.mktemp("notes"), tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text(NOTE_TAKER)
    environment = {
        "PYTHONPATH": os.pathsep.join([str(site), shared_project.environment()["PYTHONPATH"]]),
        "NOTED_ROOT": str(shared_project.root),
        "NOTES": str(folder),
    }
    kept = shared_project.results()
    for stage in plan.STAGES:
        job = next(job for job in jobs if job.stage == stage and job.works and "python" in job.command)
        shared_project.run("bash", "-c", job.command, environment=environment)
    assert shared_project.results() == kept
    shared_project.snakemake("--dry-run", environment=environment)
    found = {}
    for path in folder.iterdir():
        note = json.loads(path.read_text())
        script = PurePosixPath(note["argv"][0]).stem
        stage = {"select_context": "select", "__main__": "plan"}.get(script, script)
        relative = {
            key: {os.path.relpath(path, shared_project.root) for path in note[key]} for key in ("modules", "read")
        }
        found[stage] = relative
    assert set(found) == {*plan.STAGES, "plan"}
    return found


class TestCode:
    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_all_that_a_stage_imports_is_in_its_closure(self, stage, notes):
        assert len(notes[stage]["modules"]) >= 5
        assert notes[stage]["modules"] - set(closure.of_stage(stage)) == set()

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_all_that_a_stage_reads_is_in_its_closure_or_comes_from_before(self, stage, notes, dvc_stages):
        code = {path for path in notes[stage]["read"] if not path.endswith(".pyc")}
        assert f"workflow/scripts/{closure.script(stage).name}" in code
        assert {path for path in code if not inside(path, dvc_stages[stage]["deps"])} == set()

    @pytest.mark.parametrize("stage", plan.STAGES)
    def test_all_that_plans_the_jobs_is_in_the_closure(self, stage, notes, dvc_stages):
        code = notes["plan"]["modules"] | {"workflow/schemas/params.schema.json"}
        assert "workflow/spanledger/engine/plan.py" in code and code & notes["plan"]["read"] == code
        assert {path for path in code if not inside(path, dvc_stages[stage]["deps"])} == set()

    @pytest.mark.parametrize("stage", NO_GOLD)
    def test_gold_is_out_of_reach_until_score(self, stage, notes):
        gold = {"workflow/spanledger/gold.py", "workflow/spanledger/coverage.py", "workflow/spanledger/loss.py"}
        assert gold & set(closure.of_stage(stage)) == set()
        assert gold & notes[stage]["modules"] == set()
        assert [path for path in notes[stage]["read"] if "facts" in path or "fixtures" in path] == []

    def test_score_does_reach_gold(self, notes):
        assert "workflow/spanledger/gold.py" in notes["score"]["modules"] & set(closure.of_stage("score"))
        assert f"results/{NAME}/normalise/facts.jsonl" in notes["score"]["read"]

    @pytest.mark.parametrize(
        ("path", "affected"),
        [
            ("workflow/spanledger/dataset/anchors.py", ["validate"]),
            ("workflow/spanledger/chunking/window.py", ["chunk"]),
            ("workflow/spanledger/retrieval/scorers/bm25.py", ["index", "retrieve", "score"]),
            ("workflow/spanledger/report/page.js", ["report"]),
            ("workflow/rules/fuse.smk", ["fuse"]),
            ("workflow/schemas/dataset.schema.json", ["validate"]),
            ("workflow/schemas/params.schema.json", list(plan.STAGES)),
            ("workflow/spanledger/engine/plan.py", list(plan.STAGES)),
            ("requirements.lock", list(plan.STAGES)),
            ("workflow/spanledger/cli/prune.py", []),
            ("workflow/profiles/default/config.yaml", []),
        ],
    )
    def test_dvc_sees_which_stages_a_file_is_code_of(self, path, affected, dvc_stages):
        assert [stage for stage in plan.STAGES if inside(path, dvc_stages[stage]["deps"])] == affected


class TestStyle:
    def test_files_are_short(self, shared_project):
        workflow = shared_project.root / "workflow"
        limits = {shared_project.root / "Snakefile": 60, workflow / "rules" / "common.smk": 150}
        limits |= dict.fromkeys((workflow / "scripts").glob("*.py"), 60)
        limits |= {path: 60 for path in (workflow / "rules").glob("*.smk") if path not in limits}
        assert len(limits) == 1 + 10 + 10
        lengths = {path: len(path.read_text().splitlines()) for path in limits}
        assert {path.name: lengths[path] for path in limits if lengths[path] > limits[path]} == {}

    def test_every_script_has_a_help(self, shared_project):
        scripts = sorted((shared_project.root / "workflow" / "scripts").glob("*.py"))
        started = [shared_project.start(sys.executable, str(script), "--help") for script in scripts]
        for script, process in zip(scripts, started, strict=True):
            text = process.communicate()[0]
            assert process.returncode == 0
            assert text.startswith(f"usage: {script.name}") and "--help" in text

    def test_snakemake_files_are_formatted(self, shared_project):
        shared_project.python("-m", "snakefmt", "--check", "Snakefile", "workflow/rules")

    def test_snakemake_lint_finds_only_what_the_design_leaves_out(self, shared_project):
        lint = shared_project.snakemake("--lint", status=None).output
        found = re.findall(r"^    \* (.*)$", lint, re.M)
        assert set(found) <= {"No log directive defined:", "Specify a conda environment or container for each rule.:"}
        assert re.findall(r"^Lints for snakefile .*", lint, re.M) == []
        # It did look at every rule but the one that has no command.
        assert len(re.findall(r"^Lints for rule ", lint, re.M)) == 2 * len(plan.STAGES) + 1
