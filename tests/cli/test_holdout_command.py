"""`spanledger holdout`: what it refuses, what it shows, and that no number is seen before the look is recorded.

The project here is the experiment fusion with a quarter held out, its results made in memory.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
from fractions import Fraction

import pytest

from spanledger.cli import main
from spanledger.core import files
from spanledger.engine import closure, params, plan, provenance, yaml12
from spanledger.experiment import run

HELD = ("negation-distractor", "fusion-regression", "depth-omission")  # see tests/test_holdout.py
LEDGER, METRICS = "holdout/fusion/looks.jsonl", "holdout/fusion/metrics.json"
REASON = ("--reason", "Before the release")


def made(folder):
    """Writes the results of the params.yaml in the current folder, as the pipeline does."""
    raw = yaml12.read("params.yaml")
    resolved = params.resolve(raw)
    results = folder / "results" / "fusion"
    for name, data in run(raw).files.items():
        files.write(results / name, data)
    for stage in plan.STAGES:
        code = ["Snakefile", "workflow/rules/common.smk", f"workflow/rules/{stage}.smk", *closure.of_stage(stage)]
        record = provenance.record(
            "fusion",
            stage,
            plan.parameters("fusion", resolved, stage),
            plan.reads("fusion", resolved, stage),
            plan.writes("fusion", stage),
            code,
        )
        files.write(results / "provenance" / f"{stage}.json", files.document(record))


def settings(project, **changed):
    raw = yaml12.read(project / "params.yaml")
    section = {**raw["fusion"], "normalise": {"holdout": {"share": 0.25}}, **changed}
    return json.dumps({"experiments": {"fusion": {"dataset": "fixtures/fusion"}}, "fusion": section})


@pytest.fixture(scope="module")
def template(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("holdout")
    for name in ("workflow", "Snakefile", "requirements.lock"):
        (folder / name).symlink_to(project / name)
    shutil.copytree(project / "fixtures" / "fusion", folder / "fixtures" / "fusion")
    for name in ("judgements", "plugins", "tokenizers"):
        (folder / name).mkdir()
    (folder / "params.yaml").write_text(settings(project))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        made(folder)
    return folder


@pytest.fixture
def here(template, tmp_path, monkeypatch):
    """A copy of the project as the current folder, outside git."""
    folder = tmp_path / "project"
    shutil.copytree(template, folder, symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return folder


@pytest.fixture
def command(here, capsys):
    """Runs `spanledger holdout` in this process: (exit status or message, what it printed)."""

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["holdout", *arguments])
        return caught.value.code, capsys.readouterr().out

    return call


def test_the_numbers_are_those_of_the_published_table(command, here, shared):
    published = json.loads((shared / "expected" / "fusion.json").read_text(encoding="utf-8"))["coverageTable"]
    status, text = command("fusion", *REASON, "--json")
    assert status == 0
    found = json.loads(text)
    assert list(found["arms"]) == list(published)
    for arm, numbers in found["arms"].items():
        recalls = {name: Fraction(final) for name, (_, final) in published[arm]["queries"].items()}
        parts = {
            "holdout": [recalls[name] for name in HELD],
            "development": [recall for name, recall in recalls.items() if name not in HELD],
        }
        assert {part: len(values) for part, values in parts.items()} == {"holdout": 3, "development": 4}
        means = {part: sum(values) / len(values) for part, values in parts.items()}
        for part, mean in means.items():
            assert numbers[part]["macro_recall"] == float(mean)
        assert numbers["gap"] == pytest.approx(float(means["holdout"] - means["development"]))
        square = sum(
            sum((value - means[part]) ** 2 for value in values) / (len(values) - 1) / len(values)
            for part, values in parts.items()
        )
        assert numbers["standard_error"] == pytest.approx(float(square) ** 0.5)
    assert found["arms"]["bm25-d2"]["development"]["queries"] == 5
    metrics = json.loads((here / METRICS).read_text())
    (look,) = map(json.loads, (here / LEDGER).read_text().splitlines())
    assert metrics == {
        "experiment": "fusion",
        "look": 1,
        "sha256": look["sha256"],
        "metric": "macro_recall",
        "arms": found["arms"],
    }
    assert found["look"] == look and found["earlier"] == []
    assert found["files"] == [LEDGER, METRICS]
    assert [remark["code"] for remark in found["remarks"]] == ["few", "choice"]


def test_what_the_ledger_keeps(command, here):
    assert command("fusion", "--arm", "rrf-d4", "bm25-d2", "--reason", "  Which of\ntwo ", "--json")[0] == 0
    (look,) = map(json.loads, (here / LEDGER).read_text().splitlines())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", look["time"])
    assert look["reason"] == "Which of two"
    assert look["arms"] == ["bm25-d2", "rrf-d4"]  # in their own order
    assert look["holdout"] == {"share": "0.25", "seed": 0}
    assert look["queries"] == {"development": 5, "holdout": 3}
    assert look["metric"] == "macro_recall"
    assert look["query_ids"] == files.sha256(json.dumps(sorted(HELD), separators=(",", ":")).encode())
    names = ("dataset.yaml", "documents.jsonl", "queries.jsonl")
    digests = {name: files.file_sha256(here / "fixtures" / "fusion" / name) for name in names}
    assert look["dataset"] == files.sha256(json.dumps(digests, separators=(",", ":")).encode())
    assert (look["commit"], look["dirty"]) == (None, None)


def test_in_the_terminal(command):
    status, text = command("fusion", "--arm", "rrf-d4", *REASON)
    assert status == 0 and "\x1b" not in text
    assert "queries: development 4 answerable of 5, holdout 3 answerable of 3" in text
    assert re.search(r"rrf-d4 +0\.8750 +0\.3333 +-0\.5417 +0\.3560 +103\.8 +102\.7", text)
    assert "few: the holdout has 3 answerable queries: one more or less moves a mean by up to 0.3333" in text
    assert "choice" not in text and "first look at this holdout" in text
    assert f"look 1 is recorded in {LEDGER}: commit it. Numbers: {METRICS}" in text
    status, text = command("fusion", "--arm", "rrf-d4", "--reason", "[red]Again[/red]")
    assert "repeat: the same as look 1" in text and "looked at before: 1 look with 1 parameter set" in text
    assert re.search(r"  look 1, \S+: Before the release\n", text)
    for number in range(3, 8):
        text = command("fusion", "--arm", "rrf-d4", "--reason", f"Reason {number}")[1]
    assert "  1 more: --looks\n  look 2, " in text and "  look 6, " in text and "  look 7, " not in text
    table = [line for line in text.splitlines() if line and not line.startswith("  ")]
    assert max(map(len, table)) <= 110


def test_a_look_with_an_edited_plugin_is_no_repeat(command, here):
    command("fusion", "--arm", "rrf-d4", *REASON)
    (here / "plugins" / "mine.py").write_text("def split(text):\n    return []\n")
    made(here)
    found = json.loads(command("fusion", "--arm", "rrf-d4", *REASON, "--json")[1])
    assert [remark["code"] for remark in found["remarks"]] == ["few", "other_code"]


def test_a_list_of_looks_is_no_look(command, here):
    assert command("fusion", "--looks") == (0, "fusion: nobody has looked at the holdout\n")
    assert not (here / "holdout").exists()
    command("fusion", *REASON)
    command("fusion", "--arm", "rrf-d4", "--reason", "[red]Again[/red]")
    ledger = (here / LEDGER).read_bytes()
    (here / METRICS).unlink()
    status, text = command("fusion", "--looks")
    assert status == 0 and "fusion: 2 looks with 1 parameter set" in text
    assert "Before the release" in text and "[red]Again[/red]" in text and "0.25, 0" in text
    assert "0.8750" not in text and "0.3333" not in text
    found = json.loads(command("fusion", "--looks", "--json")[1])
    assert found["looks"] == [json.loads(line) for line in ledger.splitlines()] and found["remarks"] == []
    assert (here / LEDGER).read_bytes() == ledger and not (here / METRICS).exists()


def test_a_look_with_other_parameters_and_one_with_another_split(command, here, project):
    command("fusion", *REASON)
    section = yaml12.read(project / "params.yaml")["fusion"]
    section["select"]["chars80"]["budget"] = 90
    (here / "params.yaml").write_text(settings(project, select=section["select"]))
    made(here)
    text = command("fusion", *REASON)[1]
    assert "tuning: 2 looks with 2 different parameter sets: the holdout is used for tuning" in text
    # printf '1\ntwo-facts' | sha256sum and so on: synonym-only, fusion-regression, eligibility are below 6 of 16
    changed = {"normalise": {"holdout": {"share": 0.375, "seed": 1}}}
    (here / "params.yaml").write_text(settings(project, **changed))
    moved = (
        "split_changed: the split has changed since look 2 (then share 0.25, seed 0): 2 of the 3 queries of this holdout "
        "were in the development part, and 2 of the 5 queries of the development part were looked at"
    )
    assert moved in command("fusion", "--looks")[1]
    made(here)
    text = command("fusion", *REASON)[1]
    assert moved in text and "3 looks with 2 different parameter sets" in text and "repeat" not in text
    (here / "params.yaml").write_text(settings(project, normalise={}))
    status, _ = command("fusion", *REASON)
    assert "fusion.normalise.holdout: there is no holdout: set its share" in status
    assert "there is no holdout any more: 5 of the 8 queries" in command("fusion", "--looks")[1]


def test_the_table_of_results_tells_of_looks_and_of_no_number(command, here, capsys, project):
    def table():
        with pytest.raises(SystemExit) as caught:
            main(["table", "fusion"])
        assert caught.value.code == 0
        return capsys.readouterr().out

    first = table()
    assert "held_out: development part: 5 of 8 queries; holdout not shown" in first
    command("fusion", *REASON)
    second = table()
    told = "  looks: 1 look with 1 parameter set at the holdout; spanledger holdout fusion --looks lists them\n"
    assert second.replace(told, "") == first and told in second
    (here / "params.yaml").write_text(settings(project, normalise={"holdout": {"share": 0.375, "seed": 1}}))
    assert "  split_changed: the split has changed since look 1" in table()
    (here / LEDGER).write_bytes((here / LEDGER).read_bytes().replace(b"release", b"Release"))
    assert f"  looks: {LEDGER}:1: is not as the command wrote it" in table()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fusoin", *REASON], "params.yaml: fusoin: did you mean 'fusion'? valid: fusion"),
        (["fusoin", "--looks"], "params.yaml: fusoin: did you mean 'fusion'? valid: fusion"),
        (["fusion", "--arm", "rrf-d3", *REASON], "fusion.arms.rrf-d3: no such arm: did you mean 'rrf-d"),
        (["fusion"], "--reason: say why the holdout is looked at"),
        (["fusion", "--reason", " "], "--reason: say why the holdout is looked at"),
        (["fusion", "--reason", "\udcff"], "--reason: expected UTF-8"),
        (["fusion", "--looks", *REASON], "--looks: lists the looks so far and takes neither"),
    ],
)
def test_bad_arguments(command, here, arguments, message):
    status, text = command(*arguments)
    assert message in status and text == ""  # sys.exit with a text ends with status 1
    assert not (here / "holdout").exists()


@pytest.mark.parametrize(
    ("path", "old", "new", "stages", "what"),
    [
        ("params.yaml", '"budget": 80', '"budget": 81', ["report", "score", "select"], "params.yaml changed"),
        ("params.yaml", '"share": 0.25', '"share": 0.3', ["normalise", "report"], "params.yaml changed"),
        (
            "fixtures/fusion/queries.jsonl",
            "cache tokens",
            "cached tokens",
            ["validate"],
            "what the stage reads changed",
        ),
        ("results/fusion/queries.jsonl", '"recall":', '"recoll":', ["report", "score"], "changed"),
        ("results/fusion/provenance/fuse.json", '"libraries"', '"librariez"', ["fuse"], "the versions of libraries"),
        (
            "results/fusion/provenance/select.json",
            '"tokenizers": {',
            '"tokenizers": {"x": "1"',
            ["select"],
            "tokenizers",
        ),
    ],
)
def test_results_that_are_not_up_to_date_are_refused(command, here, path, old, new, stages, what):
    text = (here / path).read_text()
    assert old in text
    (here / path).write_text(text.replace(old, new, 1))
    status, text = command("fusion", *REASON)
    assert what in status and "run `spanledger repro` first" in status and text == ""
    assert sorted(re.findall(r"provenance/(\w+)\.json: ", status)) == stages
    assert not (here / "holdout").exists()


def test_results_that_are_not_there_are_refused(command, here):
    (here / "results/fusion/provenance/chunk.json").unlink()
    assert "provenance/chunk.json: cannot be checked" in command("fusion", *REASON)[0]
    shutil.rmtree(here / "results")
    assert "there are no results yet: run make repro" in command("fusion", *REASON)[0]
    assert not (here / "holdout").exists()


def test_a_holdout_without_queries_and_one_without_facts(command, here, project):
    (here / "params.yaml").write_text(settings(project, normalise={"holdout": {"share": "0.1"}}))
    made(here)
    assert "normalise.holdout.share: 0.1 with seed 0 holds out none of the 8 queries" in command("fusion", *REASON)[0]
    assert not (here / "holdout").exists()
    path = here / "fixtures/fusion/queries.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["query_id"] in HELD:
            line.update(facts=[], no_answer="absent")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (here / "params.yaml").write_text(settings(project))
    made(here)
    status, text = command("fusion", *REASON)
    assert status == 0 and "no_answerable: no query of the holdout has a required fact" in text
    assert re.search(r"rrf-d4 +0\.8750 +null +null +null ", text)


def test_a_broken_ledger_is_refused(command, here):
    command("fusion", *REASON)
    broken = (here / LEDGER).read_bytes().replace(b"release", b"Release")
    (here / LEDGER).write_bytes(broken)
    for arguments in (REASON, ["--looks"]):
        status, text = command("fusion", *arguments)
        assert f"{LEDGER}:1: is not as the command wrote it" in status and text == ""
    assert (here / LEDGER).read_bytes() == broken


def test_a_kill_after_the_record_leaves_the_look_and_shows_nothing(command, here):
    """It dies on its way to the numbers' own file; one that dies on its way to the ledger has shown nothing either."""
    for file, looks in (("looks.jsonl", 0), ("metrics.json", 1)):
        program = (
            "import os, signal\n"
            "from spanledger.cli import main\n"
            "from spanledger.core import files\n"
            "write = files.write\n"
            "def dying(path, data):\n"
            f"    os.kill(os.getpid(), signal.SIGKILL) if str(path).endswith('{file}') else write(path, data)\n"
            "files.write = dying\n"
            f"main(['holdout', 'fusion', '--reason', 'Killed at {file}'])\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, b"", b"")
        assert not (here / METRICS).exists()
        found = json.loads(command("fusion", "--looks", "--json")[1])["looks"]
        assert [look["reason"] for look in found] == ["Killed at metrics.json"] * looks


def test_results_stay_as_they_are(command, here):
    def digests():
        return {path: files.file_sha256(path) for path in files.below(here / "results")}

    before = digests()
    command("fusion", *REASON)
    assert digests() == before
    assert [path.name for path in files.below(here / "holdout")] == ["looks.jsonl", "metrics.json"]
