"""Trails through plugins: what they do not tell is not made up."""

import io

import pytest
from explain_projects import make_project
from rich.console import Console

from spanledger.cli.explain import explain
from spanledger.cli.explain_overview import kept_by
from spanledger.cli.explain_trail import whole_trail

MINE = """
def overlap(query, passages):
    return [len(set(query.lower().split()) & set(passage.lower().split())) for passage in passages]
def longest(query, passages):
    return [len(passage) for passage in passages]
def last_two(query, candidates, budget, top_k):
    return [len(candidates) - 1, len(candidates) - 2][: len(candidates)]
"""
ARM = "an-arm"


def change(section):
    section["chunk"] = {"paragraph": section["chunk"]["paragraph"]}
    del section["eligibility"]["current"]
    section["retrieve"] = {"mine": {"index": "words", "scorer": "plugins.mine:overlap", "depth": 4}}
    section["fuse"] = {"f": {"branches": ["mine"], "rerank": {"method": "plugins.mine:longest"}}}
    section["select"] = {"s": {"method": "plugins.mine:last_two", "budget": 400}}
    section["arms"] = [{"name": ARM, "chunk": "paragraph", "eligibility": "all", "fuse": "f", "select": "s"}]


@pytest.fixture
def told(plugins_in, tmp_path):
    plugins_in(mine=MINE)
    return explain("evidence_mapping", ARM, "two-facts", project=make_project(tmp_path, "evidence_mapping", change))


def test_branches_candidates_and_steps(told):
    assert told["warnings"] == []
    (branch,) = told["branches"]
    assert (branch["scorer"], branch["terms"]) == ("plugins.mine:overlap", [])
    assert [entry["contributions"] for entry in branch["ranked"]] == [[]] * branch["count"]
    found = told["candidates"]
    assert (found["reranker"], found["weights"], found["count"]) == ("plugins.mine:longest", None, 4)
    lengths = {chunk["chunk_id"]: len(chunk["text"]) for chunk in told["chunks"]}
    assert [entry["score"] for entry in found["ranked"]] == [lengths[e["chunk_id"]] for e in found["ranked"]]
    assert [entry["score"] for entry in found["ranked"]] == [185, 119, 119, 26]
    assert [(entry["features"], entry["points"]) for entry in found["ranked"]] == [(None, None)] * 4
    costs = [lengths[entry["chunk_id"]] for entry in found["ranked"]]
    left = 400 - costs[3] - costs[2]
    assert [(s["rank"], s["taken"], s["reason"], s["cost"], s["remaining"]) for s in told["selection"]["steps"]] == [
        (4, True, None, costs[3], 400 - costs[3]),
        (3, True, None, costs[2], left),
        (1, False, "not-chosen", costs[0], left),
        (2, False, "not-chosen", costs[1], left),
    ]
    assert [passage["cost"] for passage in told["context"]["passages"]] == [costs[3], costs[2]]


def test_in_the_terminal(told):
    console = Console(width=140, record=True, file=io.StringIO())
    for part in whole_trail({"experiment": "evidence_mapping", **told}):
        console.print(part)
    text = console.export_text()
    assert "the scores are the plugin's own, without parts" in text and "terms:" not in text
    assert "then re-ranked by plugins.mine:longest: 4 candidates" in text and "none\n" not in text
    assert "a budget of 400 characters; chosen by plugins.mine:last_two" in text
    assert "not chosen by the plugin" in text
    lost = [fact for fact in told["facts"] if fact["cause"] == "not_chosen"]
    assert lost and all(fact["needed"] == {"unknown": ["budget", "depth"]} for fact in lost)
    assert "kept with a larger budget or depth perhaps: a plugin decides" in " ".join(text.split())


def test_what_is_known_goes_before_what_is_not():
    assert kept_by({"top_k": 3, "unknown": ["depth"]}) == "; kept with top_k 3"
    assert kept_by({"unknown": ["depth"]}) == "; kept with a larger depth perhaps: a plugin decides"


def test_a_plugin_that_changed_since_is_warned_of(plugins_in, tmp_path):
    plugins_in(mine=MINE)
    project = make_project(tmp_path, "evidence_mapping", change)
    plugins_in(mine=MINE.replace("len(candidates) - 1, ", "0, ").replace("return [len(set", "return [2 * len(set"))
    warnings = explain("evidence_mapping", ARM, "two-facts", project=project)["warnings"]
    assert [warning.split(":")[0] for warning in warnings] == ["branch mine", "selection"]
