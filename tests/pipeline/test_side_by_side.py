"""`spanledger repro` makes experiments without results side by side, by several runs of DVC."""

import signal

import psutil
import pytest
from ruamel.yaml import YAML

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
TWIN = "twin"


@pytest.fixture
def two(fresh_project):
    """Two small experiments on one dataset, neither with results."""
    yaml = YAML()
    yaml.width = 10**6
    params = yaml.load(fresh_project.read("params.yaml"))
    section = params[NAME]
    section["chunk"] = {"paragraph": section["chunk"]["paragraph"]}
    section["eligibility"] = {"current": section["eligibility"]["current"]}
    params["experiments"][TWIN] = params["experiments"][NAME]
    params[TWIN] = section
    with (fresh_project.root / "params.yaml").open("w", encoding="utf-8") as stream:
        yaml.dump(params, stream)
    fresh_project.commit("Two experiments")
    return fresh_project


def runs(project):
    """The runs of DVC at work in the project."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(project.root) and process.cmdline()[1:3] == ["-m", "dvc"]:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def test_killed_and_made_again(two, tmp_path):
    """One of the two is killed: the other ends too, and a second run ends with the bytes that DVC alone makes."""
    alone = two.copy(tmp_path / "alone")
    output = two.root.parent / "output"
    with output.open("w") as stream:
        process = two.start("python", "-m", "spanledger", "repro", stdout=stream)
    while output.read_text().count("Running stage ") < 5:
        assert process.poll() is None, output.read_text()
    found = runs(two)
    assert len(found) == 2
    assert {argument for run in found for argument in run.cmdline() if "@" in argument} == {
        f"report@{NAME}",
        f"report@{TWIN}",
    }
    found[1].kill()
    assert process.wait(timeout=10) not in (0, signal.SIGKILL)
    assert runs(two) == []

    # The last word is that of an ordinary run over everything.
    assert two.repro().fates == dict.fromkeys(two.stages() | two.stages(experiment=TWIN), "skipped")
    alone.dvc("repro")
    for name in (NAME, TWIN):
        assert two.results(name) == alone.results(name)
    locks = (YAML(typ="safe").load(project.read("dvc.lock")) for project in (two, alone))
    assert next(locks) == next(locks)


def test_a_stage_that_fails_is_told_last(two):
    """Bad judgements make the report of one experiment fail; the other is made all the same."""
    two.write(f"judgements/{TWIN}.csv", "nonsense\n")
    done = two.repro(status=None)
    assert done.status == 255
    assert f"judgements/{TWIN}.csv" in done.output[-2000:]
    assert "metrics.json" in two.results()
    assert "metrics.json" not in two.results(TWIN)
