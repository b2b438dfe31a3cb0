"""What a side of a comparison is made by, as the provenance records of all its stages tell it."""

import json
from pathlib import Path

from spanledger.comparison.load import load_experiment
from spanledger.engine import params, plan
from spanledger.snapshot import Workspace

STAGES = plan.STAGES[: plan.STAGES.index("report")]


def results(root: Path, plugin: str, splitter: str) -> Path:
    """A project with the records of an experiment x; a plugin and a splitter of these digests made its chunks."""
    section = {
        "normalise": {},
        "chunk": {"c": {"method": "document"}},
        "eligibility": {"e": {}},
        "index": {"i": {"analyzer": "ascii_words"}},
        "retrieve": {"r": {"index": "i", "scorer": "bm25"}},
        "fuse": {"f": {"branches": ["r"]}},
        "select": {"s": {"top_k": 1}},
        **{"score": {}, "report": {}, "arms": "grid"},
    }
    raw = {"experiments": {"x": {"dataset": "d"}}, "x": section}
    resolved = params.resolve(raw)
    (root / "results/x/validate").mkdir(parents=True)
    (root / "results/x/provenance").mkdir()
    (root / "params.yaml").write_text(json.dumps(raw))
    for table in ("queries", "facts"):
        (root / f"results/x/validate/{table}.jsonl").write_text("")
    for stage in STAGES:
        record = {
            "parameters": plan.parameters("x", resolved, stage),
            "inputs": {"results/x/validate/documents.jsonl": "0"},
            "outputs": {},
            "code": {"workflow/spanledger/gold.py": "1"},
            "libraries": {"numpy": "2"},
        }
        if stage == "chunk":
            record["inputs"] |= {"plugins/mine.py": plugin, "tokenizers/t.json": "4"}
            record["libraries"] |= {"semchunk": splitter}
        (root / f"results/x/provenance/{stage}.json").write_text(json.dumps(record))
    return root


def test_plugins_tokenizers_and_splitters_are_part_of_what_made_the_scores(tmp_path):
    found = load_experiment(Workspace(results(tmp_path, "3", "5")), "x")
    assert found.code == {"workflow/spanledger/gold.py": "1", "plugins/mine.py": "3", "tokenizers/t.json": "4"}
    assert found.libraries == {"numpy": "2", "semchunk": "5"}
    assert not found.stale
