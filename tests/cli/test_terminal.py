"""The tables in the terminal."""

import shutil

import pytest

from spanledger.cli.terminal import gate_lines, show
from spanledger.core.errors import InputError


def test_tables_of_git_alone_are_no_results(tmp_path, monkeypatch, project):
    """A clone has arms.csv before anything was run; the warnings and the page come with a run."""
    shutil.copy(project / "params.yaml", tmp_path)
    folder = tmp_path / "results" / "fusion"
    folder.mkdir(parents=True)
    (folder / "arms.csv").write_text("arm\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="there are no results yet: run make repro"):
        show(["fusion"])


def test_a_gate_is_one_line():
    verdicts = [
        {"rule": "leaks 0", "arm": None, "status": "passed", "found": "0 of 9"},
        {"rule": "mrr at least 0.5", "arm": "one", "status": "untrusted", "found": "stale"},
    ]
    assert list(gate_lines(verdicts)) == ["  passed     leaks 0: 0 of 9", "  untrusted  mrr at least 0.5 (one): stale"]
