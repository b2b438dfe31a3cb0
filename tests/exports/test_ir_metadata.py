"""The ir_metadata header: YAML in comment lines, by the checklist of the schema."""

import hashlib

from ruamel.yaml import YAML

from spanledger.engine import params, plan
from spanledger.exports.ir_metadata import END, START, header, metadata

STAGES = plan.STAGES[:6]


def _read(lines):
    """As the readers of the schema do: the text between the marks without its comment sign."""
    assert (lines[0], lines[-1]) == (START, END)
    assert all(line.startswith("# ") for line in lines)
    return YAML(typ="safe").load("\n".join(line[2:] for line in lines[1:-1]))


def _metadata(project, arm, commit=None, dataset=None):
    section = params.load(project / "params.yaml")["fusion"]
    record = {
        "libraries": {"numpy": "2.4.6"},
        "code": {"a.py": "0"},
        "inputs": {"fixtures/fusion/queries.jsonl": "1"},
        "parameters": {"experiments.fusion": {"dataset": "fixtures/fusion"}},
    }
    libraries, inputs = {"semchunk": "4", **record["libraries"]}, {"plugins/p.py": "2", **record["inputs"]}
    records = {**dict.fromkeys(STAGES, record), "chunk": {**record, "libraries": libraries, "inputs": inputs}}
    return metadata("tag", "fusion", section, plan.arm(section, arm), records, dataset or {"name": "f"}, commit)


def test_the_six_parts_of_primad(project):
    told = _read(header(_metadata(project, "rrf-rule-d4", {"hash": "abc", "author": "Ada: L"})))
    assert list(told)[3:] == ["platform", "research goal", "implementation", "method", "actor", "data"]
    assert told["tag"] == "tag"
    assert told["platform"]["software"]["libraries"]["python"] == ["numpy==2.4.6", "semchunk==4"]
    digests = told["implementation"]["code sha256"]
    assert digests.pop("chunk") == hashlib.sha256(b'{"a.py":"0","plugins/p.py":"2"}').hexdigest()
    assert set(digests.values()) == {hashlib.sha256(b'{"a.py":"0"}').hexdigest()}
    assert told["research goal"]["evaluation"]["reported measures"] == ["macro_recall"]
    assert told["implementation"]["source"] == {"lang": ["python"], "commit": "abc"}
    assert told["implementation"]["executable"]["cmd"] == "dvc repro fuse@fusion"
    assert told["actor"] == {"name": "Ada: L", "role": "experimenter"}
    assert told["data"]["test collection"]["topics"] == "fixtures/fusion/queries.jsonl"


def test_a_pipeline_of_branches_fusion_and_rules(project):
    method = _metadata(project, "rrf-rule-d4")["method"]
    first, second, fused, ranked = method["retrieval"]
    assert (first["name"], first["method"], first["k1"], first["b"], first["depth"]) == (
        "original_d4",
        "bm25",
        1.2,
        0.75,
        4,
    )
    assert second["expand"] == "synonym_groups" and "expand" not in first
    assert (fused["method"], fused["k"], fused["interpolates"]) == ("rrf", 60.0, ["original_d4", "expanded_d4"])
    assert (ranked["method"], ranked["reranks"]) == ("rule", "rrf_rule_d4")
    assert method["indexing"]["tokenizer"] == "ascii_words"


def test_one_branch_alone_is_no_fusion(project):
    assert [stage["name"] for stage in _metadata(project, "bm25-d2")["method"]["retrieval"]] == ["original_d2"]


def test_without_a_commit_nothing_is_said_of_one(project):
    told = _metadata(project, "bm25-d2")
    assert "commit" not in told["implementation"]["source"] and told["actor"] == {"role": "experimenter"}


def test_text_of_any_form_stays_in_comments(project):
    name = "first\nsecond line # not a comment: {yes}  " + "long " * 200
    told = _read(header(_metadata(project, "bm25-d2", dataset={"name": name, "licence": "MIT"})))
    assert told["data"]["test collection"]["name"] == name
