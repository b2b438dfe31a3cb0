"""Trails through selectors whose passages are not simply the best chunks."""

import io

import pytest
from explain_projects import make_project
from rich.console import Console

from spanledger.cli.explain import explain
from spanledger.cli.explain_trail import whole_trail

ARM, WORD = "an-arm", {"budget": 240, "unit": "char"}


@pytest.fixture
def told(tmp_path):
    """The trail of two-facts with current versions and another selector."""

    def of(select, chunk="overlap", query="two-facts"):
        def change(section):
            section["select"] = {"s": select}
            kept = {chunk, select.get("parent", chunk)}
            section["chunk"] = {name: setting for name, setting in section["chunk"].items() if name in kept}
            del section["eligibility"]["all"]
            section["arms"] = [{"name": ARM, "chunk": chunk, "eligibility": "current", "fuse": "single", "select": "s"}]

        return explain("evidence_mapping", ARM, query, project=make_project(tmp_path, "evidence_mapping", change))

    return of


def steps(told):
    return [(s["taken"], s["reason"], s["cost"], s["remaining"]) for s in told["selection"]["steps"]]


def test_merged_neighbours_pay_for_overlap_once(told):
    """[0,120), then [60,180) for 60 more, then [120,213) for 33 more: all of the document in one passage."""
    found = told({**WORD, "merge": True})
    assert steps(found) == [(True, None, 120, 120), (True, None, 60, 60), (True, None, 33, 27)]
    (passage,) = found["context"]["passages"]
    assert (passage["spans"], passage["cost"], len(passage["chunk_ids"])) == (((0, 213),), 213, 3)
    assert [(held["fact_id"], held["parts"]) for held in passage["holds"]] == [
        ("logs-kept-7-days", [(65, 90)]),
        ("logs-export-json", [(187, 213)]),
    ]
    assert [fact["cause"] for fact in found["facts"]] == [None, None]


def test_a_parent_is_given_once(told):
    """Both windows of 120 without overlap have matched; the paragraph [0,185) holds the first one alone."""
    found = told({"top_k": 2, "parent": "paragraph"}, chunk="fixed")
    first, second = found["selection"]["steps"]
    assert (first["parent"]["spans"], first["taken"]) == (((0, 185),), True)
    assert (second["parent"], second["taken"]) == (None, True)  # [120,213) lies in no one paragraph
    assert [passage["spans"] for passage in found["context"]["passages"]] == [((0, 185),), ((120, 213),)]
    assert found["context"]["cost"] == 185 + 93


def test_the_values_that_decide_maximal_marginal_relevance(told):
    """Scores 2, 2, 2. After the first window, the second shares words with it and the third does not score below it."""
    found = told({"top_k": 2, "mmr": {"weight": 0.5, "analyzer": "ascii_words"}})
    first, second, third = found["selection"]["steps"]
    assert first["mmr"] == {"relevance": 1.0, "similarity": 0.0, "value": 0.5}
    assert (first["rank"], second["rank"], third["rank"]) == (1, 3, 2)
    texts = {chunk["chunk_id"]: set(chunk["text"].lower().replace(".", " ").split()) for chunk in found["chunks"]}
    held = [texts[step["chunk_id"]] for step in (first, second, third)]
    # Plain words, without marks: what ascii_words makes of these texts, but for the colon of "format:".
    held = [{word.strip(":") for word in words} for words in held]
    shared = len(held[0] & held[1]) / len(held[0] | held[1])
    assert second["mmr"]["similarity"] == shared
    assert second["mmr"]["value"] == 0.5 - 0.5 * shared
    assert third["reason"] == "outside-top-k"
    assert [fact["cause"] for fact in found["facts"]] == [None, None]


def test_a_context_of_one_text_is_told_as_it_would_be_sent(told):
    """The header has 5 characters, each passage [n] and a line end more, the footer none: 5 + 125 + 98 = 228."""
    sent = {"template": "[{rank}] {body}\n", "header": "Read\n"}
    found = told({**WORD, **sent}, chunk="fixed")
    first, second = found["context"]["passages"]
    assert found["context"]["sent"] == f"Read\n[1] {first['text']}\n[2] {second['text']}\n"
    assert steps(found)[:2] == [(True, None, 125, 110), (True, None, 98, 12)]
    assert (found["context"]["cost"], first["cost"], second["cost"]) == (228, 125, 98) == (5 + 223, 120 + 5, 93 + 5)
    assert found["selection"]["frame"] == 5
    plain = told(WORD, chunk="fixed")
    assert (plain["context"]["sent"], plain["selection"]["frame"]) == (None, 0)


def test_the_terminal_shows_the_text_line_by_line(told):
    found = told({**WORD, "template": "[{rank}] {body}\n", "header": "Read\n"}, chunk="fixed")
    console = Console(width=200, file=io.StringIO())
    for part in whole_trail(found):
        console.print(part, highlight=False)
    shown = console.file.getvalue()
    assert "a budget of 240 characters, of which header and footer take 5" in shown
    place = shown.index("sent  the context as it would be sent")
    lines = [line.strip() for line in shown[place:].splitlines()[1:]]
    assert lines[:2] == ["Read", f"[1] {found['context']['passages'][0]['text']}".split("\n")[0]]
