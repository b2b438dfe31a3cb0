"""Runs that are killed with `kill -9`: started again, they end with the bytes of an undisturbed run, and nobody has to
unlock or clear up anything.

The moments are random (seeded) and taken by what a run has reached, so that they lie in all of its parts on a fast and on
a slow machine. What is asserted does not depend on where they hit.
"""

import os
import random
import re
import shutil
import signal
import sys
import time

import psutil
import pytest
from ruamel.yaml import YAML

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
PATIENCE = 60  # seconds; only a fault makes it run out
KINDS = {
    "dvc": lambda command: command[1:3] == ["-m", "dvc"],
    "snakemake": lambda command: command[1:3] == ["-m", "snakemake"] or command[1].endswith("/bin/snakemake"),
    "script": lambda command: command[1].startswith("workflow/scripts/"),
}


def lock(project):
    """What dvc.lock says; the order of its stages is history."""
    return YAML(typ="safe").load(project.read("dvc.lock"))


class Run:
    """A command under way in a project."""

    def __init__(self, project, *command):
        self.root = project.root
        self._output = project.root.parent / "output"
        with self._output.open("w") as stream:
            self.process = project.start(sys.executable, "-m", *command, stdout=stream, start_new_session=True)

    def alive(self, kind=None):
        """The processes that work in the project's folder, all or those of a kind, whoever their parent is by now."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.cwd() == str(self.root) and process.status() != psutil.STATUS_ZOMBIE:
                    command = process.cmdline()
                    if kind is None or (len(command) > 1 and KINDS[kind](command)):
                        found.append(process)
            except (psutil.Error, OSError):
                continue
        return found

    def until(self, reached):
        """What `reached` returns as soon as that is true; None when the run is over before."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if value := reached():
                return value
            assert time.monotonic() < end, self._output.read_text()
            time.sleep(0.001)
        return None

    def until_stage(self, count):
        """Waits until so many stages have been started."""
        self.until(lambda: self._output.read_text().count("Running stage ") >= count)

    def kill(self, victim):
        """Kills the victim, as soon as there is one; returns whether there was before the run was over."""
        if self.process.poll() is not None:
            return False
        if victim == "everything":
            os.killpg(self.process.pid, signal.SIGKILL)
            return True
        if victim == "dvc as it writes dvc.lock":
            victims = self.until(lambda: self.alive("dvc"))
            sizes = [self._lock_size()]
            hit = self.until(lambda: sizes.append(self._lock_size()) or sizes[-1] < sizes[-2] or sizes[-1] == 0)
            victims = victims if hit else None
        else:
            victims = self.until(lambda: self.alive(victim))
        for process in victims or []:
            process.kill()
        return bool(victims)

    def _lock_size(self):
        try:
            return (self.root / "dvc.lock").stat().st_size
        except FileNotFoundError:
            return -1

    def end(self):
        """Waits until nothing of the run is alive any more; returns when it last wrote a result."""
        self.process.wait(timeout=PATIENCE)
        end = time.monotonic() + PATIENCE
        while alive := self.alive():
            assert time.monotonic() < end, [process.cmdline() for process in alive]
            time.sleep(0.01)
        return max((path.stat().st_mtime for path in (self.root / "results").rglob("*")), default=0)


@pytest.fixture(scope="module")
def undisturbed(template):
    """The results and the dvc.lock of a run that nobody killed."""
    return template.results(), lock(template)


def kill_and_start_again(project, command, victims, moments):
    """Starts a command, kills a victim, and again, until every victim has had its turn."""
    for victim, moment in zip(victims, moments, strict=True):
        run = Run(project, *command)
        moment(run)
        assert run.kill(victim), f"no {victim} was there to be killed"
        killed = time.time()
        written = run.end()
        # A script that fails alone leaves the other jobs of its stage to end. Else nobody goes on writing.
        assert victim == "script" or written < killed + 1, f"an orphan wrote {written - killed} s later"


class TestMakeReproAgain:
    @pytest.mark.parametrize(
        "victims, skipped",
        [
            (("dvc", "script", "dvc as it writes dvc.lock", "everything"), 0),
            (("snakemake", "dvc as it writes dvc.lock", "dvc", "everything"), 3),
        ],
    )
    def test_results_are_those_of_an_undisturbed_run(self, victims, skipped, fresh_project, undisturbed):
        chance = random.Random(skipped)

        def moment(run, stages):
            run.until_stage(stages)
            awaited = chance.choice((None, "snakemake", "script"))
            run.until(lambda: awaited is None or run.alive(awaited))
            time.sleep(chance.uniform(0, 0.3))

        # No attempt gets much further than one stage, so that none of the later ones finds all done.
        moments = [lambda run, stages=stages: moment(run, stages) for stages in (skipped + 1, 1, 1, 1)]
        kill_and_start_again(fresh_project, ("spanledger", "repro"), victims, moments)
        done = fresh_project.repro()
        assert done.ran, "the kills came too late to try anything"
        assert (fresh_project.results(), lock(fresh_project)) == undisturbed

    def test_dvc_lock_cut_short(self, project, undisturbed):
        """DVC writes it in place, and refuses it when it is cut within an entry; it would even keep an entry whose last
        line is missing."""
        text = project.read("dvc.lock")
        last = text.index("  report@")
        for cut in (
            0,
            text.index("stages:\n") + len("stages:\n"),
            8192,
            *(text.index(line, last) + len(line) for line in ("  report@evidence_mapping:\n", "    deps:\n")),
            text.rindex("      size:"),
        ):
            project.write("dvc.lock", text[:cut])
            done = project.repro()
            assert "dvc.lock was cut short" in done.output
            assert done.ran == set()
            assert (project.results(), lock(project)) == undisturbed, f"cut to {cut}"

    def test_all_that_a_killed_dvc_can_leave(self, project, undisturbed):
        """An emptied list of who works on what, a run cache with half of an entry, another's folder still empty, and
        results half removed."""
        project.write(".dvc/tmp/rwlock", "")
        (project.root / "dvc.lock").unlink()
        entries = sorted((project.root / ".dvc" / "cache" / "runs").glob("*/*/*"))
        text = entries[0].read_text()
        entries[0].with_name(".AbCdEf.tmp").write_text(text[: text.rindex("- path:")])
        entries[1].unlink()
        shutil.rmtree(project.root / "results" / NAME / "chunk")
        done = project.repro()
        assert len(done.ran) == 1
        assert (project.results(), lock(project)) == undisturbed
        assert project.git("status", "--porcelain").output == ""


class TestSnakemakeByHandAgain:
    def test_results_are_those_of_an_undisturbed_run(self, fresh_project, undisturbed):
        chance = random.Random(0)
        moments = [
            lambda run, path=path: (run.until(lambda: list(run.root.glob(path))), time.sleep(chance.uniform(0, 1)))
            for path in (f"results/{NAME}/normalise/*.jsonl", f"results/{NAME}/retrieve/*/*/*.jsonl")
        ]
        command = ("snakemake", "--cores", "all", "--rerun-incomplete")
        kill_and_start_again(fresh_project, command, ("snakemake", "everything"), moments)
        done = fresh_project.snakemake("--cores", "all", status=None)
        if done.status:  # some job had written, but had not ended
            assert "--rerun-incomplete" in done.output
            fresh_project.snakemake("--cores", "all", "--rerun-incomplete")
        assert fresh_project.results() == undisturbed[0]
        assert "Nothing to be done" in fresh_project.snakemake("--cores", "all").output

    def test_what_dvc_put_back_after_a_kill_is_not_taken_for_snakemakes(self, project):
        """Killed after the chunk tables and before their record, Snakemake remembers the new parameters; DVC puts back
        the old tables and the old record."""
        old = project.read("params.yaml")
        new = re.sub(r"chunk_size: \d+", "chunk_size: 111", old)
        project.write("params.yaml", new)
        project.snakemake("--cores", "all", "--until", "chunk")
        project.write("params.yaml", old)
        assert project.repro().fates[f"chunk@{NAME}"] == "restored"
        project.write("params.yaml", new)
        refused = project.snakemake("--cores", "all", status=1).output
        assert f"results/{NAME}/provenance/chunk.json" in refused and "--forceall" in refused
