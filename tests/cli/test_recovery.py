"""What a killed DVC leaves behind: every length of dvc.lock, its lists and its run cache."""

import fcntl
import json
import logging
import os
import re
import time

import psutil
import pytest

from spanledger.cli.recovery import recover, renew_state

HEAD = "schema: '2.0'\nstages:\n"
CHUNK = """\
  chunk@x:
    cmd: exec snakemake --workflow-profile workflow/profiles/default --allowed-rules
      chunk chunk_stage -- results/x/provenance/chunk.json
    deps:
    - path: Snakefile
      hash: md5
      md5: 0123456789abcdef0123456789abcdef
      size: 643
    params:
      params.yaml:
        x.chunk:
          fixed:
            chunk_size: 120
    outs:
    - path: results/x/chunk
      hash: md5
      md5: 00112233445566778899aabbccddeeff.dir
      size: 1234
      nfiles: 6
    - path: results/x/provenance/chunk.json
      hash: md5
      md5: ffeeddccbbaa99887766554433221100
      size: 77
"""
INDEX = CHUNK.replace("chunk", "index")
OWN = "  greet:\n    cmd: echo hello\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".dvc" / "tmp").mkdir(parents=True)
    return tmp_path


def mended(project, text):
    """What is left of a dvc.lock, None when nothing is; and what the user is told."""
    lock = project / "dvc.lock"
    lock.write_bytes(text.encode() if isinstance(text, str) else text)
    told = recover(project)
    return (lock.read_text() if lock.exists() else None), told


class TestLock:
    def test_a_whole_one_is_left_alone(self, project):
        before = project / "dvc.lock"
        before.write_text(HEAD + CHUNK + INDEX)
        changed = before.stat()
        assert recover(project) == []
        assert before.stat() == changed

    def test_none_is_fine(self, project):
        assert recover(project) == []
        assert not (project / "dvc.lock").exists()

    def test_every_length(self, project):
        """At any length what is left ends with a whole entry, and nothing more than the cut entry is lost. An entry
        that lacks whole outputs stays: DVC sees that one is missing, and makes the stage good."""
        text = HEAD + CHUNK + INDEX
        expected = [None] * len(HEAD + CHUNK) + [HEAD + CHUNK] * len(INDEX) + [text]
        for entry in (HEAD + CHUNK, text):
            second_output = entry.rindex("    - path: ")
            for length in range(second_output, entry.index("\n", second_output) + 1):
                expected[length] = entry[:second_output]
        # All ends of lines, and every third length, which is in every line.
        for length in sorted({*range(0, len(text), 3), *(match.end() for match in re.finditer("\n", text))}):
            left, told = mended(project, text[:length])
            assert left == expected[length], f"cut to {length}"
            assert len(told) == (left != text[:length]), f"cut to {length}"
            assert all("dvc.lock was cut short" in line for line in told)

    @pytest.mark.parametrize("missing", ["size: 77", "nfiles: 6", "hash: md5", "path: results/x/chunk"])
    def test_an_output_lacks_a_line(self, missing, project):
        """DVC would take such an entry for good, and keep it."""
        where = CHUNK.index(missing, CHUNK.index("outs:"))
        line = CHUNK.rindex("\n", 0, where) + 1
        broken = CHUNK[:line] + CHUNK[CHUNK.index("\n", where) + 1 :]
        assert mended(project, HEAD + INDEX + broken)[0] == HEAD + INDEX

    def test_no_entry_is_left(self, project):
        for text in ("stages: {}\n", "schema: '2.0'\n", HEAD, HEAD + CHUNK[:-1]):
            assert mended(project, text)[0] is None

    def test_bytes_that_are_no_text(self, project):
        assert mended(project, (HEAD + CHUNK).encode() + b"  index@x:\n    cmd: \xe2\x82\n")[0] == HEAD + CHUNK
        assert mended(project, b"\x00\xff{]: [\n")[0] is None

    def test_a_stage_of_the_users_own_may_lack_outputs(self, project):
        assert mended(project, HEAD + CHUNK + OWN) == (HEAD + CHUNK + OWN, [])
        for cut in ("  bye:\n", "  bye:\n    cmd", "  bye:\n    cmd: x\n    deps:\n"):
            assert mended(project, HEAD + CHUNK + OWN + cut)[0] == HEAD + CHUNK + OWN


class TestOwners:
    MINE = " ".join(psutil.Process().cmdline())

    @pytest.fixture
    def owners(self, project):
        return project / ".dvc" / "tmp" / "rwlock"

    @pytest.fixture
    def dead(self):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        return pid

    @pytest.fixture
    def zombie(self):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        yield pid
        os.waitpid(pid, 0)

    @pytest.mark.parametrize("text", ["", '{"write": {"/a/b": {"pi', "[1]", '{"write": {"/a": 3}}', '{"read": 1}'])
    def test_one_that_cannot_be_read_is_emptied(self, text, owners, project):
        owners.write_text(text)
        assert len(recover(project)) == 1
        assert owners.read_text() == "{}"

    def test_the_dead_go_and_the_living_stay(self, owners, project, dead, zombie):
        def one(pid):
            return {"pid": pid, "cmd": self.MINE}

        lists = {
            "write": {"/a": one(os.getpid()), "/b": one(dead), "/c": one(zombie)},
            "read": {"/d": [one(dead), one(os.getpid())], "/e": [one(zombie)]},
        }
        owners.write_text(json.dumps(lists))
        assert recover(project) == []
        left = {"write": {"/a": one(os.getpid())}, "read": {"/d": [one(os.getpid())]}}
        assert json.loads(owners.read_text()) == left

    @pytest.mark.parametrize("older, command", [(True, MINE), (False, "/there/dvc/__main__.py repro")])
    def test_the_id_of_a_dead_one_that_another_has_got(self, older, command, owners, project):
        """This process has it: it is younger than the list, or it was started with other arguments."""
        entry = {"pid": os.getpid(), "cmd": command}
        owners.write_text(json.dumps({"write": {"/a": entry}, "read": {"/b": [entry]}}))
        if older:
            os.utime(owners, (1_000_000_000, 1_000_000_000))
        recover(project)
        assert json.loads(owners.read_text()) == {"write": {}, "read": {}}

    @pytest.mark.parametrize("text", ["{}", '{"write": {}, "read": {}}'])
    def test_empty_lists_stay_as_they_are(self, text, owners, project):
        owners.write_text(text)
        before = owners.stat()
        assert recover(project) == []
        assert owners.stat() == before


class TestRunCache:
    @pytest.fixture
    def entry(self, project):
        path = project / ".dvc" / "cache" / "runs" / "ab" / "abcd" / "ef01"
        path.parent.mkdir(parents=True)
        path.write_text("cmd: x\n")
        return path

    def test_entries_stay(self, entry, project):
        assert recover(project) == []
        assert entry.read_text() == "cmd: x\n"

    def test_half_written_entry_beside_a_whole_one(self, entry, project):
        for name in (".AbCd-_9.tmp", "ef02.AbCd.tmp"):
            entry.with_name(name).write_text("cmd: x\nouts:\n- path: a\n")
        assert recover(project) == []
        assert list(entry.parent.iterdir()) == [entry]

    def test_folder_without_an_entry(self, entry, project):
        """DVC fails over it: it wants the newest of none."""
        entry.rename(entry.with_name(".AbCd.tmp"))
        (told,) = recover(project)
        assert "abcd was left empty" in told
        assert not entry.parent.exists()

    def test_one_that_is_being_written_is_waited_for(self, entry, project, monkeypatch):
        """A queued experiment shares the cache, and needs a moment from folder to entry."""
        entry.unlink()
        monkeypatch.setattr(time, "sleep", lambda seconds: entry.write_text("cmd: x\n"))
        assert recover(project) == []
        assert entry.exists()


class TestRest:
    def test_trials_of_links_are_removed_and_nothing_else(self, project):
        folder = project / "results" / "x"
        (folder / "chunk").mkdir(parents=True)
        for name in (".AbCd.tmp", ".gitignore", "a.tmp", "chunk/.AbCd.tmp"):
            (folder / name).touch()
        assert recover(project) == []
        left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        assert left == [".gitignore", "a.tmp", "chunk/.AbCd.tmp"]

    def test_nothing_is_touched_while_dvc_is_at_work(self, project):
        """What looks cut may be half written by a live one."""
        (project / "dvc.lock").write_text(HEAD)
        (project / ".dvc" / "tmp" / "rwlock").write_text("")
        with (project / ".dvc" / "tmp" / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            assert recover(project) == []
            assert (project / "dvc.lock").exists() and (project / ".dvc" / "tmp" / "rwlock").exists()
        assert len(recover(project)) == 2

    def test_a_folder_without_dvc_stays_one(self, tmp_path):
        assert recover(tmp_path) == []
        assert list(tmp_path.iterdir()) == []


class TestState:
    @pytest.fixture(autouse=True)
    def quiet(self):
        """DVC would write to the terminal that it found when an earlier test first loaded it."""
        logging.disable(logging.CRITICAL)
        yield
        logging.disable(logging.NOTSET)

    @pytest.fixture
    def repository(self, tmp_path, monkeypatch):
        """A DVC repository with the hashes of some files in its database; and the database."""
        from dvc.repo import Repo

        monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "site"))
        monkeypatch.setenv("DVC_NO_ANALYTICS", "true")
        folder = tmp_path / "project"
        folder.mkdir()
        with Repo.init(str(folder), no_scm=True) as repo:
            for number in range(300):
                path = folder / f"{number}.txt"
                path.write_text(str(number))
                repo.state.hashes[str(path)] = "x" * 100
            database = tmp_path / repo.state.hashes.directory / "cache.db"
        return folder, database

    def opens(self, folder):
        from dvc.repo import Repo

        with Repo(str(folder)) as repo:
            return len(repo.state.hashes)

    def test_one_that_can_be_read_is_kept(self, repository):
        folder, _ = repository
        assert renew_state(folder) == []
        assert self.opens(folder) == 300

    @pytest.mark.parametrize("broken", [lambda data: b"garbage" * 1000, lambda data: data[: len(data) // 2]])
    def test_a_broken_one_is_made_anew(self, broken, repository):
        folder, database = repository
        for log in database.parent.glob("cache.db-*"):
            log.unlink()
        database.write_bytes(broken(database.read_bytes()))
        assert len(renew_state(folder)) == 1
        assert self.opens(folder) == 0
        assert renew_state(folder) == []

    def test_no_repository(self, tmp_path):
        assert renew_state(tmp_path) == []
