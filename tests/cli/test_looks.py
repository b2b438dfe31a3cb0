"""The ledger of looks: bound together, whole after a kill, and nothing goes missing unnoticed."""

import json
import signal
import subprocess
import sys
from hashlib import sha256

import pytest

from spanledger.cli import looks
from spanledger.core.errors import InputError

LOOK = {
    "time": "2030-01-02T03:04:05+00:00",
    "commit": "c" * 40,
    "dirty": False,
    "reason": "Before the release",
    "arms": ["a", "b"],
    "metric": "macro_recall",
    "holdout": {"share": "0.2", "seed": 0},
    "queries": {"development": 8, "holdout": 2},
    "parameters": "p1",
    "dataset": "d1",
    "code": "c1",
    "query_ids": "q1",
}
RECORD = """\
import json, os, signal, sys
from pathlib import Path
from spanledger.cli import looks
look = json.loads(sys.argv[1])
"""
IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty project that is no git repository, as the current folder; the path of its ledger."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return looks.path("trial")


def recorded(*reasons):
    for reason in reasons:
        found = looks.record("trial", {**LOOK, "reason": reason})
    return found


def faults():
    with pytest.raises(InputError) as caught:
        looks.read("trial")
    assert {problem.file for problem in caught.value.problems} == {"holdout/trial/looks.jsonl"}
    return [(problem.line, problem.message.partition(":")[0]) for problem in caught.value.problems]


CHANGED = "is not as the command wrote it"


def test_a_chain_of_looks(place):
    assert looks.read("trial") == []
    found = recorded("one", "two", "three")
    assert looks.read("trial") == found
    lines = place.read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == found
    assert [look["look"] for look in found] == [1, 2, 3]
    assert [look["previous"] for look in found] == [None, *(sha256(line).hexdigest() for line in lines[:2])]
    for look in found:
        rest = {key: value for key, value in look.items() if key != "sha256"}
        compact = json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()
        assert look["sha256"] == sha256(compact).hexdigest()
    assert list(place.parent.iterdir()) == [place]


def test_any_changed_byte_is_found(place):
    recorded("one", "two")
    data = place.read_bytes()
    first = data.index(b"\n")
    for position in range(len(data)):
        place.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        with pytest.raises(InputError) as caught:
            looks.read("trial")
        assert min(problem.line for problem in caught.value.problems) == (1 if position <= first else 2)
    place.write_bytes(data)
    assert len(looks.read("trial")) == 2


def test_looks_that_are_taken_out_put_in_or_exchanged(place):
    recorded("one", "two", "three")
    one, two, three = lines = place.read_bytes().splitlines(keepends=True)
    for kept, expected in (
        ([two, three], [(1, "is not the first look")]),
        ([one, three], [(2, "does not follow line 1")]),
        ([two, one, three], [(n, m) for n, m in enumerate(["is not the first look", "does not follow line 1"], 1)]),
        ([one, one, two, three], [(2, "does not follow line 1")]),
        ([one, two, b"\n", three], [(3, CHANGED), (4, "does not follow line 3")]),
        ([one, b"[1]\n"], [(2, CHANGED)]),
        ([one, b"{}\n"], [(2, CHANGED)]),
        ([one, two, three[:-9]], [(3, "was cut short")]),
    ):
        place.write_bytes(b"".join(kept))
        assert faults()[: len(expected)] == expected
    place.write_bytes(b"".join(lines))
    assert len(looks.read("trial")) == 3


def test_a_look_rewritten_with_its_own_digest_breaks_the_chain(place):
    recorded("one", "two")
    one, two = place.read_bytes().splitlines(keepends=True)
    forged = {**json.loads(one), "reason": "none"}
    rest = {key: value for key, value in forged.items() if key != "sha256"}
    forged["sha256"] = sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    place.write_bytes(json.dumps(forged, separators=(",", ":")).encode() + b"\n" + two)
    assert faults() == [(2, "does not follow line 1")]


def test_nothing_is_added_to_a_broken_ledger(place):
    recorded("one")
    broken = place.read_bytes().replace(b"one", b"two")
    place.write_bytes(broken)
    with pytest.raises(InputError):
        recorded("three")
    assert place.read_bytes() == broken


def test_looks_that_git_has_cannot_be_cut_off(place, tmp_path):
    def git(*arguments):
        subprocess.run(["git", *IDENTITY, *arguments], check=True, capture_output=True)

    git("init", "--quiet")
    assert looks.read("trial") == []  # no commit yet
    recorded("one", "two")
    whole = place.read_bytes()
    git("add", "holdout")
    git("commit", "--quiet", "--message", "Looks")
    recorded("three")
    assert len(looks.read("trial")) == 3
    place.write_bytes(whole.splitlines(keepends=True)[0])
    assert faults() == [(0, "looks that git has at HEAD are missing or changed")]
    place.unlink()
    assert faults() == [(0, "looks that git has at HEAD are missing or changed")]
    git("checkout", "HEAD", "--", str(place))
    assert place.read_bytes() == whole and len(looks.read("trial")) == 2


def test_the_state_of_the_project(place, tmp_path):
    assert looks.state() == {"commit": None, "dirty": None}
    (tmp_path / "params.yaml").write_text("a: 1\n")
    recorded("one")
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "add", "."], check=True)
    subprocess.run(["git", *IDENTITY, "commit", "--quiet", "--message", "All"], check=True)
    commit = looks.state()["commit"]
    assert len(commit) == 40 and looks.state() == {"commit": commit, "dirty": False}
    recorded("two")
    (tmp_path / "new").touch()
    assert looks.state() == {"commit": commit, "dirty": False}  # a ledger that has grown is no change of the project
    (tmp_path / "params.yaml").write_text("a: 2\n")
    assert looks.state() == {"commit": commit, "dirty": True}


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_leaves_the_ledger_whole(moment, place):
    """Just before and just after the new file takes the place of the old one."""
    recorded("one")
    before = place.read_bytes()
    killing = "os.kill(os.getpid(), signal.SIGKILL)"
    replacing = "put(self, target)"
    body = f"{killing}" if moment == "before" else f"{replacing}; {killing}"
    program = f"{RECORD}put = Path.replace\ndef replace(self, target): {body}\nPath.replace = replace\n"
    program += "looks.record('trial', look)\nprint('shown')\n"
    done = subprocess.run([sys.executable, "-c", program, json.dumps(LOOK)], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
    if moment == "before":
        assert place.read_bytes() == before
    else:
        assert place.read_bytes().startswith(before) and len(looks.read("trial")) == 2
    found = recorded("next")
    assert [look["reason"] for look in found] == ["one", *(["Before the release"] * (moment == "after")), "next"]
    assert looks.read("trial") == found


def test_looks_at_the_same_time_follow_each_other():
    program = f"{RECORD}for _ in range(8): looks.record('trial', look)\n"
    started = [
        subprocess.Popen([sys.executable, "-c", program, json.dumps({**LOOK, "reason": reason})])
        for reason in ("left", "right")
    ]
    assert [process.wait(60) for process in started] == [0, 0]
    found = looks.read("trial")
    assert [look["look"] for look in found] == list(range(1, 17))
    assert sorted(look["reason"] for look in found) == ["left"] * 8 + ["right"] * 8


def test_looks_in_words():
    found = recorded("one")
    assert looks.described(found) == "1 look with 1 parameter set"
    found = looks.record("trial", {**LOOK, "commit": None, "dirty": None})
    assert looks.described(found) == "2 looks with 1 parameter set"
    found = looks.record("trial", {**LOOK, "parameters": "p2", "dirty": True})
    assert looks.described(found) == "3 looks with 2 different parameter sets"
    assert list(looks.told(found)) == [
        "look 1, 2030-01-02T03:04:05+00:00, at ccccccc: one",
        "look 2, 2030-01-02T03:04:05+00:00: Before the release",
        "look 3, 2030-01-02T03:04:05+00:00, at ccccccc and changes: Before the release",
    ]
