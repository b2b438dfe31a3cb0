"""`spanledger repro` makes experiments without results side by side, by several runs of DVC."""

import signal

import psutil
import pytest

from spanledger.engine import params
from spanledger.experiment import run

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
TWIN = "twin"


@pytest.fixture
def two(fresh_project):
    """Two small experiments on one dataset, neither with results."""
    fresh_project.narrow("paragraph")
    text = fresh_project.read("params.yaml")
    head, section = text.split(f"\n{NAME}:\n")
    head = f"{head.rstrip()}\n  {TWIN}: {{dataset: fixtures/{NAME}}}\n"
    fresh_project.write("params.yaml", f"{head}\n{NAME}:\n{section}\n{TWIN}:\n{section}")
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


def test_killed_failed_and_made_again(two):
    """One of the two is killed, and the other ends too. Then one fails: the other is made all the same, and the fault is
    the last thing told. At last all results are those of a run in memory."""
    output = two.root.parent / "output"
    with output.open("w") as stream:
        process = two.start("python", "-m", "spanledger", "repro", stdout=stream)
    while output.read_text().count("Running stage ") < 5:
        assert process.poll() is None, output.read_text()
    found = runs(two)
    assert len(found) == 2
    targets = {argument for each in found for argument in each.cmdline() if "@" in argument}
    assert targets == {f"report@{NAME}", f"report@{TWIN}"}
    found[1].kill()
    assert process.wait(timeout=10) not in (0, signal.SIGKILL)
    assert runs(two) == []

    two.write(f"judgements/{TWIN}.csv", "nonsense\n")
    done = two.repro(status=255)
    assert f"judgements/{TWIN}.csv" in done.output[-2000:]
    assert "metrics.json" in two.results() and "metrics.json" not in two.results(TWIN)

    (two.root / "judgements" / f"{TWIN}.csv").unlink()
    fates = two.repro().fates
    assert fates.keys() == two.stages() | two.stages(experiment=TWIN)
    settings = params.load(str(two.root / "params.yaml"))
    for name in (NAME, TWIN):
        made = {path: data for path, data in two.results(name).items() if not path.startswith("provenance/")}
        assert made == run(settings, two.root / "fixtures" / NAME, name).files
    assert set(two.repro().fates.values()) == {"skipped"}
