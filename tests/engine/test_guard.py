"""The guards of a run: who dies with whom, whose lock is stale, what changed, and which results Snakemake made."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from spanledger.core.files import sha256
from spanledger.engine import guard

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of another system does not kill orphans")

# A parent that starts a child and stays. Both hold the pipe that is their stdout: it ends when both are dead.
PARENT = """
    import subprocess, sys, time
    subprocess.Popen([sys.executable, "-c", sys.argv[1], *sys.argv[2:]])
    time.sleep(60)
"""


def start(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments], stdout=subprocess.PIPE, text=True, **options
    )


def outlived(child, *arguments):
    """What a child still prints after its parent has been killed, which happens when it prints its first line."""
    parent = start(PARENT, textwrap.dedent(child), *arguments)
    assert parent.stdout.readline() == "ready\n"
    parent.kill()
    parent.wait()
    return parent.communicate(timeout=30)[0]


@linux
class TestDieWithParent:
    def test_a_child_goes_on_without_it(self):
        """What the next tests show is the guard's doing."""
        child = """
            import time
            print("ready", flush=True)
            time.sleep(0.5)
            print("goes on", flush=True)
        """
        assert outlived(child) == "goes on\n"

    def test_parent_dies_after_the_call(self):
        child = """
            import time
            from spanledger.engine.guard import die_with_parent
            die_with_parent()
            print("ready", flush=True)
            time.sleep(0.5)
            print("goes on", flush=True)
        """
        assert outlived(child) == ""

    @pytest.mark.parametrize("starter, left", [("parent", ""), (None, "goes on\n")])
    def test_parent_dies_before_the_call(self, starter, left):
        """Only who knows the parent's process id can tell: the orphan has got a new parent, who lives."""
        child = f"""
            import os, time
            from spanledger.engine.guard import die_with_parent
            parent = os.getppid()
            print("ready", flush=True)
            while os.getppid() == parent:
                time.sleep(0.01)
            die_with_parent({starter})
            print("goes on", flush=True)
        """
        assert outlived(child) == left

    def test_starter_may_be_further_above(self):
        """As when a shell stands in between."""
        child = """
            import sys
            from spanledger.engine.guard import die_with_parent
            die_with_parent(int(sys.argv[1]))
            print("goes on", flush=True)
        """
        parent = start(PARENT, textwrap.dedent(child), str(os.getpid()))
        assert parent.stdout.readline() == "goes on\n"
        parent.kill()
        parent.communicate()


class TestDieWithSnakemake:
    SCRIPT = "from spanledger.engine.guard import die_with_snakemake; die_with_snakemake(); print('goes on')"

    def run(self, starter):
        environment = {name: value for name, value in os.environ.items() if name != guard.STARTER}
        if starter is not None:
            environment[guard.STARTER] = str(starter)
        process = start(self.SCRIPT, env=environment)
        return process.communicate(timeout=30)[0], process.returncode

    def test_script_by_hand_has_no_snakemake(self):
        assert self.run(None) == ("goes on\n", 0)

    def test_snakemake_lives(self):
        assert self.run(os.getpid()) == ("goes on\n", 0)

    def test_snakemake_died_while_the_script_started(self):
        dead = start("")
        dead.communicate()
        assert self.run(dead.pid) == ("", -signal.SIGKILL)


class TestIsOrphan:
    OUTPUT = "results/x/provenance/chunk.json"

    @pytest.fixture
    def owners(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / ".dvc" / "tmp").mkdir(parents=True)
        return tmp_path / ".dvc" / "tmp" / "rwlock"

    def fill(self, owners, **writers):
        paths = {"this": self.OUTPUT, "other": "results/x/provenance/index.json", "longer": f"a{self.OUTPUT}"}
        writers = {f"{owners.parent}/{paths[name]}": {"pid": pid, "cmd": "x"} for name, pid in writers.items()}
        owners.write_text(json.dumps({"write": writers, "read": {}}))

    def test_dvc_lives(self, owners):
        self.fill(owners, this=os.getppid(), other=2**22, longer=2**22)
        assert not guard.is_orphan(self.OUTPUT)

    def test_dvc_is_dead(self, owners):
        self.fill(owners, this=2**22, other=os.getppid(), longer=os.getppid())
        assert guard.is_orphan(self.OUTPUT)

    def test_nobody_makes_the_output(self, owners):
        """The next run has cleared the list, or is at another stage."""
        self.fill(owners, other=os.getppid())
        assert guard.is_orphan(self.OUTPUT)
        owners.write_text("{}")
        assert guard.is_orphan(self.OUTPUT)

    @pytest.mark.parametrize("text", [None, "", '{"write": {"/a/resu', "[]", '{"write": 1}', '{"write": {"/a": 1}}'])
    def test_nothing_is_known(self, text, owners):
        if text is not None:
            owners.write_text(text.replace("/a", f"/a/{self.OUTPUT}"))
        assert not guard.is_orphan(self.OUTPUT)


class TestClaim:
    SNAKEMAKE = """
        import subprocess, sys
        from pathlib import Path
        from spanledger.engine.guard import claim
        print(claim(Path(), shared={shared}), flush=True)
        child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        print("started", flush=True)
        sys.stdin.read()
    """

    @pytest.fixture
    def claim(self, tmp_path):
        started = []

        def claim(shared):
            """A process that has tried to claim the folder, and whether it may work there."""
            code = textwrap.dedent(self.SNAKEMAKE.format(shared=shared))
            process = start(code, cwd=tmp_path, stdin=subprocess.PIPE)
            started.append(process)
            may = process.stdout.readline()
            assert process.stdout.readline() == "started\n"
            return process, may == "True\n"

        yield claim
        for process in started:
            process.kill()
            process.communicate()

    def test_by_hand_there_is_one_at_a_time(self, claim, tmp_path):
        first, may = claim(shared=False)
        lock = tmp_path / ".snakemake" / "locks" / "0.input.lock"
        lock.parent.mkdir()
        lock.write_text("results/x/chunk/a.jsonl\n")
        assert may and not claim(shared=False)[1] and not claim(shared=True)[1]
        # It is killed; the child that outlives it for a moment does not hold its place.
        first.kill()
        first.wait()
        assert lock.exists() and claim(shared=True)[1] and lock.exists()

    def test_a_lock_that_was_left_goes(self, claim, tmp_path):
        lock = tmp_path / ".snakemake" / "locks" / "0.input.lock"
        lock.parent.mkdir(parents=True)
        lock.write_text("results/x/chunk/a.jsonl\n")
        assert claim(shared=False)[1] and not lock.exists()

    def test_those_of_dvc_work_side_by_side(self, claim):
        first, second = claim(shared=True), claim(shared=True)
        assert first[1] and second[1] and not claim(shared=False)[1]
        for process, _ in (first, second):
            assert not claim(shared=False)[1]
            process.kill()
            process.wait()
        assert claim(shared=False)[1]


class TestFingerprint:
    def test_names_values_and_contents_count(self, tmp_path):
        one, two = tmp_path / "one", tmp_path / "two"
        one.write_text("a")
        seen = [guard.fingerprint({"k": 1}, [one, two])]
        assert guard.fingerprint({"k": 1}, [two, one]) == seen[0]
        seen.append(guard.fingerprint({"k": 2}, [one, two]))
        two.write_text("")
        seen.append(guard.fingerprint({"k": 1}, [one, two]))
        one.write_text("b")
        seen.append(guard.fingerprint({"k": 1}, [one, two]))
        one.rename(tmp_path / "three")
        two.write_text("b")
        one.write_text("")
        seen.append(guard.fingerprint({"k": 1}, [one, two]))
        assert len(set(seen)) == 5


class TestRecordsOfSnakemake:
    @pytest.fixture(autouse=True)
    def in_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    @pytest.fixture
    def record(self):
        path = Path("results", "x", "provenance", "chunk.json")
        path.parent.mkdir(parents=True)
        return path

    def test_a_record_that_is_not_there_is_no_ones(self, record):
        assert guard.not_made_here([record]) == []

    def test_noted_then_written(self, record):
        guard.note_made(record, b"mine")
        assert guard.not_made_here([record]) == []  # killed in between
        record.write_bytes(b"mine")
        assert guard.not_made_here([record]) == []

    def test_of_another(self, record):
        record.write_bytes(b"another's")
        assert guard.not_made_here([record]) == [record]
        guard.note_made(record, b"mine")
        assert guard.not_made_here([record]) == [record]

    def test_each_record_has_a_note_of_its_own(self, record):
        other = record.with_name("index.json")
        record.write_bytes(b"mine")
        other.write_bytes(b"mine")
        guard.note_made(other, b"mine")
        assert guard.not_made_here([record, other]) == [record]

    def test_forgotten_record_is_another_s_when_it_comes_back(self, record):
        guard.note_made(record, b"mine")
        record.write_bytes(b"mine")
        guard.forget(record)
        assert not record.exists()
        record.write_bytes(b"mine")
        assert guard.not_made_here([record]) == [record]
        guard.forget(record)
        guard.forget(record)  # nothing left to forget

    def test_disowned_record_stays_as_another_s(self, record):
        guard.note_made(record, b"mine")
        record.write_bytes(b"mine")
        guard.disown(record)
        assert record.read_bytes() == b"mine"
        assert guard.not_made_here([record]) == [record]

    def test_the_note_is_the_digest_of_the_record(self, record, tmp_path):
        guard.note_made(record, b"mine")
        (note,) = (tmp_path / ".snakemake" / "spanledger").iterdir()
        assert note.read_text() == sha256(b"mine")
