"""Parameters as a run used them, against those of dvc.lock and params.yaml."""

from spanledger.audit.parameters import Resolver, differences, reaching, recorded_section, touches
from spanledger.engine import params, plan

RAW = {
    "experiments": {"x": {"dataset": "folder"}},
    "x": {
        "normalise": {},
        "chunk": {"small": {"method": "window", "unit": "char", "chunk_size": 9}, "whole": {"method": "document"}},
        "eligibility": {"all": {}, "current": {"versions": "current"}},
        "index": {"words": {"analyzer": "ascii_words"}, "cjk": {"analyzer": "cjk_bigrams"}},
        "retrieve": {
            "one": {"index": "words", "scorer": "term_overlap"},
            "two": {"index": "cjk", "scorer": "term_overlap"},
        },
        "fuse": {"f": {"branches": ["one"]}, "g": {"branches": ["two"]}},
        "select": {"top": {"top_k": 2}, "parents": {"top_k": 1, "parent": "whole"}},
        "score": {},
        "report": {},
        "arms": [
            {"name": "a", "chunk": "small", "eligibility": "all", "fuse": "f", "select": "parents"},
            {"name": "b", "chunk": "small", "eligibility": "current", "fuse": "g", "select": "top"},
        ],
    },
}


def test_differences_are_named_by_their_place():
    recorded = {"a": {"b": 1, "c": [1, 2], "d": 0}, "e": 1}
    other = {"a": {"b": 2, "c": [2, 1], "f": None}, "e": 1}
    assert list(differences(recorded, other)) == [
        ("a.b", "1", "2"),
        ("a.c", "[1,2]", "[2,1]"),
        ("a.d", "0", "nothing"),
        ("a.f", "nothing", "null"),
    ]
    assert list(differences(recorded, {"e": 1, "a": {"d": 0, "c": [1, 2], "b": 1}})) == []


def test_what_reaches_one_arm():
    section = params.resolve(RAW)["x"]
    held = plan.parameters("x", params.resolve(RAW), "report")
    of_a = reaching(section, "x", "a", held)
    named = {path for path in of_a if path.count(".") > 1}
    assert named == {
        "x.chunk.small",
        "x.chunk.whole",  # the parents of its selector
        "x.eligibility.all",
        "x.fuse.f",
        "x.index.words",
        "x.retrieve.one",
        "x.select.parents",
    }
    assert of_a["x.arms"] == {"name": "a", "chunk": "small", "eligibility": "all", "fuse": "f", "select": "parents"}
    assert of_a["x.score"] == held["x.score"]
    assert {path for path in reaching(section, "x", "b", held) if path.startswith("x.chunk")} == {"x.chunk.small"}
    assert reaching(section, "x", None, held) == held


def test_a_difference_touches_an_arm_or_not():
    held = {"x.chunk.small": {}, "x.score": {}}
    assert touches("x.chunk.small.chunk_size", held)
    assert touches("x.chunk", held)
    assert not touches("x.chunk.smaller", held)


def test_a_locked_slice_is_resolved_with_the_sections_that_the_stage_read():
    noted = {"x.chunk": {**RAW["x"]["chunk"], "small": {"method": "paragraph"}}}
    resolver = Resolver("x", RAW)
    assert resolver.planned("chunk")["x.chunk"]["small"]["chunk_size"] == 9
    assert resolver.locked("chunk", noted)["x.chunk"]["small"]["method"] == "paragraph"
    assert resolver.locked("normalise", {}) == resolver.planned("normalise")
    whole = {**RAW["x"], "normalise": {"newlines": "lf"}}
    assert resolver.locked("report", {"x": whole})["x.normalise"]["newlines"] == "lf"
    noted = {"experiments.x": {"dataset": "other"}}
    assert resolver.locked("validate", noted) == {"experiments.x": {"dataset": "other"}}


def test_a_record_gives_back_the_section():
    resolved = params.resolve(RAW)
    record = {"parameters": plan.parameters("x", resolved, "report")}
    record["parameters"]["x.chunk"] = dict(reversed(record["parameters"]["x.chunk"].items()))
    section = recorded_section("x", record)
    assert section == resolved["x"]
    assert list(section["chunk"]) == ["small", "whole"]
    assert recorded_section("x", {"parameters": {}}) is None
    # records of versions without gates
    del record["parameters"]["x.gates"]
    assert recorded_section("x", record) == resolved["x"]
