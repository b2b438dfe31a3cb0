"""A plugin's source decides what runs again, in both engines."""

import json
import re

import pytest

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
CHUNKER = (
    "def split(text, width=60):\n    return [(at, min(at + width, len(text))) for at in range(0, len(text), width)]\n"
)
CHUNKING = "overlap: {method: window, unit: char, chunk_size: 120, chunk_overlap: 60}"
AFTER_CHUNK = ("chunk", "index", "retrieve", "fuse", "select", "score", "report")
READERS = ("chunk", "retrieve", "fuse", "select", "score")


def test_an_edited_plugin_runs_its_stages_again_and_nothing_else_does(project):
    project.narrow("fixed", "overlap")
    project.write("plugins/mine.py", CHUNKER)
    project.edit("params.yaml", CHUNKING, 'overlap: {method: "plugins.mine:split", options: {width: 60}}')
    assert project.repro().ran == project.stages(*AFTER_CHUNK)
    first = project.results()
    assert json.loads(first["provenance/chunk.json"])["inputs"].keys() >= {"plugins/mine.py", "plugins/README.md"}
    assert project.repro().ran == set()

    # Byte code beside it is no change, whoever left it.
    code = "import sys; sys.path.insert(0, '.'); import plugins.mine"
    project.python("-c", code, environment={"PYTHONDONTWRITEBYTECODE": ""})
    assert list((project.root / "plugins" / "__pycache__").glob("*.pyc"))
    assert project.repro().ran == set()

    # What comes out the same lets the later stages stand: index and report read no plugin.
    project.edit("plugins/mine.py", "    return", "    # Windows.\n    return")
    assert project.repro().ran == project.stages(*READERS)
    same = project.results()
    assert {path for path in same if same[path] != first[path]} == {f"provenance/{stage}.json" for stage in READERS}

    project.edit("plugins/mine.py", "range(0, len(text), width)", "range(0, len(text), width // 2)")
    assert project.repro().ran == project.stages(*AFTER_CHUNK)
    changed = project.results()
    assert changed["chunk/overlap.jsonl"] != first["chunk/overlap.jsonl"]
    assert changed["chunk/fixed.jsonl"] == first["chunk/fixed.jsonl"]

    # Snakemake by hand over its own results: nothing, then what the edit concerns.
    assert "Nothing to be done" in project.snakemake("--cores", "2").output
    project.edit("plugins/mine.py", "width // 2", "width")
    done = project.snakemake("--cores", "2", "--dry-run", "--nocolor")
    planned = set(re.findall(r"^(?:local)?rule (\w+):", done.output, re.M))
    assert {*READERS, "index", "report"} <= planned and not planned & {"validate", "normalise"}


def test_a_plugin_that_fails_ends_the_run_with_one_message(project):
    project.write("plugins/mine.py", CHUNKER.replace("width)", "width // 100)"))
    project.edit("params.yaml", CHUNKING, 'overlap: {method: "plugins.mine:split"}')
    done = project.repro(status=255)
    assert "plugins/mine.py:2: plugins.mine:split: raised ValueError for document" in done.output
    assert "Traceback" not in done.output
    project.edit("params.yaml", '"plugins.mine:split"', '"plugins.mine:splitt"')
    done = project.repro(status=1)
    assert "chunk.overlap.method: plugins/mine.py: no function 'splitt': did you mean 'split'?" in done.output
