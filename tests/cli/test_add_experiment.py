"""The section that `spanledger add-experiment` writes: what a dataset with elements or versions adds to it."""

import json
from pathlib import Path

import pytest

from dataset_folder import document, write
from spanledger.cli.add_experiment import Windows, add
from spanledger.engine import params

WINDOWS = Windows(None, (64, 128), (0, 25), 50, 3, 300)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "experiments:\n  first: {dataset: first}\n\n"
    Path("params.yaml").write_text(text, encoding="utf-8")
    write(tmp_path / "first", [document("a")])
    add_section("first")
    return tmp_path


def add_section(name):
    """A section without add-experiment, which needs a valid params.yaml to begin with."""
    section = WINDOWS.section("en")
    with Path("params.yaml").open("a", encoding="utf-8") as stream:
        stream.write(f"{name}: {json.dumps(section)}\n")


def added(name, **dataset):
    write(Path(name), **dataset)
    add(Path("params.yaml"), name, Path(name), WINDOWS)
    return params.load("params.yaml")[name]


def test_a_plain_dataset_is_cut_into_windows(project):
    section = added("plain", documents=[document("a")])
    assert list(section["chunk"]) == ["window64", "window64_overlap16", "window128", "window128_overlap32"]
    assert list(section["eligibility"]) == ["all"]


def test_elements_and_versions_are_compared_too(project):
    documents = [document("a"), document("b", version="v2")]
    elements = [{"element_id": "e", "doc_id": "d", "version": "v1", "start": 0, "end": 1}]
    section = added(
        "rich", documents=documents, elements=elements, settings={"name": "x", "current_versions": {"d": "v2"}}
    )
    structured = {name: setting for name, setting in section["chunk"].items() if setting["method"] == "structured"}
    assert {name: (one["unit"], one["chunk_size"], one["chunk_overlap"]) for name, one in structured.items()} == {
        "structured64": ("char", 64, 0),
        "structured128": ("char", 128, 0),
    }
    assert {name: rule["versions"] for name, rule in section["eligibility"].items()} == {
        "all": "all",
        "current": "current",
    }
