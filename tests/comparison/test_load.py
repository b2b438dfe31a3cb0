"""What made an experiment's results is read from the records of all of its stages."""

import pytest
from ruamel.yaml import YAML

import spanledger.experiment
from dataset_folder import document, query, quote, write
from spanledger.comparison.load import load_experiment
from spanledger.core import files
from spanledger.engine import params, plan
from spanledger.snapshot import Workspace


@pytest.fixture
def loaded(tmp_path):
    """A function that lays out results with records, whose select and chunk stages have the given further keys."""

    def make(**more):
        write(tmp_path / "data", [document("a b")], [query(quote("a"))])
        section = {
            "normalise": {},
            "chunk": {"whole": {"method": "document"}},
            "eligibility": {"all": {}},
            "index": {"words": {"analyzer": "ascii_words"}},
            "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
            "fuse": {"single": {"branches": ["bm25"]}},
            "select": {"top": {"top_k": 1}},
            "score": {},
            "report": {},
            "arms": "grid",
        }
        settings = {"experiments": {"x": {"dataset": str(tmp_path / "data")}}, "x": section}
        with (tmp_path / "params.yaml").open("w", encoding="utf-8") as stream:
            YAML().dump(settings, stream)
        made = {f"results/x/{name}": data for name, data in spanledger.experiment.run(settings).files.items()}
        for stage in plan.STAGES:
            outputs = {name: files.sha256(data) for name, data in made.items() if f"/{stage}/" in name}
            record = {"parameters": plan.parameters("x", params.resolve(settings), stage), "outputs": outputs}
            record |= {"inputs": {}, "code": {f"{stage}.py": "1"}, "libraries": {"numpy": "2"}, "tokenizers": {}}
            record |= more.get(stage, {})
            made[f"results/x/provenance/{stage}.json"] = files.document(record)
        for name, data in made.items():
            files.write(tmp_path / name, data)
        return load_experiment(Workspace(tmp_path), "x")

    return make


def test_a_plugin_is_code_and_a_splitter_and_a_tokenizer_are_libraries(loaded):
    found = loaded(
        chunk={"libraries": {"numpy": "2", "semchunk": "3"}, "tokenizers": {"tiktoken/cl100k_base": "d1"}},
        select={"inputs": {"plugins/mine.py": "p1", "plugins/README.md": "r1", "results/x/chunk/whole.jsonl": "w1"}},
    )
    stages = {f"{stage}.py": "1" for stage in plan.STAGES if stage != "report"}
    assert found.code == {**stages, "plugins/mine.py": "p1"}
    assert found.libraries == {"numpy": "2", "semchunk": "3", "tiktoken/cl100k_base": "d1"}
