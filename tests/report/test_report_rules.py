"""The sentences that the page makes of the settings."""

import pytest

from spanledger.engine import params, schema
from spanledger.report.rules import rules

SECTION = {
    "normalise": {},
    "chunk": {"whole": {"method": "document"}},
    "eligibility": {"all": {}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
    "fuse": {"single": {"branches": ["bm25"]}},
    "select": {"first": {"top_k": 1}},
    "score": {},
    "report": {},
    "arms": "grid",
}
SCORE = schema.load("params")["$defs"]["score"]["properties"]
COST = SCORE["cost"]["properties"]


def said(**changed):
    """The rules by name, as one text each, of the section with some of its parts changed."""
    raw = {"experiments": {"x": {"dataset": "d"}}, "x": {**SECTION, **changed}}
    return {name: " ".join(paragraphs) for name, paragraphs in rules(params.resolve(raw)["x"])}


def branch(**options):
    return {"index": "words", "scorer": "term_overlap", **options}


@pytest.mark.parametrize("tie", schema.load("params")["$defs"]["tie"]["enum"])
@pytest.mark.parametrize("unit", [*COST["unit"]["anyOf"][0]["enum"], "tiktoken/cl100k_base"])
@pytest.mark.parametrize("text", COST["text"]["enum"])
def test_rules_can_be_said_for_every_setting(tie, unit, text):
    found = said(
        retrieve={"bm25": branch(tie=tie)},
        score={"cost": {"unit": unit, "text": text}},
        select={"both": {"top_k": 1, "budget": 1200, "unit": "word"}},
    )
    assert list(found) == ["Coverage", "Retrieval", "Order", "Selection", "Cost", "Positions"]
    assert "both takes at most 1 chunk and at most 1,200 words of text." in found["Selection"]
    assert found["Order"].startswith("Candidates stand in descending order of score; a score of 0 is no candidate.")
    assert all(sentences.endswith(".") and "None" not in sentences for sentences in found.values())


@pytest.mark.parametrize(
    ("coverage", "sentence"),
    [
        ({"rule": "span"}, "each of its spans lies whole inside the union of the passages' spans"),
        ({"rule": "one_chunk"}, "each of its spans lies whole inside one single passage: passages do not join"),
        (
            {"rule": "token_share", "at_least": "0.6", "analyzer": "cjk_bigrams"},
            "one single passage holds at least 0.6 of the distinct terms of the span's text (analyzer cjk_bigrams), "
            "wherever that passage stands",
        ),
    ],
)
def test_each_coverage_rule(coverage, sentence):
    found = said(score={"coverage": coverage})["Coverage"]
    assert found.startswith("A fact is covered when any one of its support groups is") and sentence in found


def test_every_coverage_rule_of_the_schema_is_tested():
    enum = schema.load("params")["$defs"]["coverage_span"]["properties"]["rule"]["enum"]
    assert set(enum) == {"span", "one_chunk", "token_share"}


def test_cost_says_what_is_counted():
    assert said()["Cost"].startswith(
        "The sum over the context's passages of the length of their body, in characters (Unicode code points)."
    )
    found = said(
        score={"cost": {"unit": "analyzer", "text": "retrieval"}},
        select={"merged": {"top_k": 2, "merge": True}},
    )["Cost"]
    assert "retrieval text, titles and table headers with it, in terms (as the analyzer of the arm's first" in found
    assert "Parents and merged chunks count their body alone." in found


def test_cost_of_contexts_of_one_text_is_of_all_of_it():
    found = said(select={"one": {"top_k": 2, "separator": "\n"}, "apart": {"top_k": 2}})["Cost"]
    assert found.startswith("The sum over the context's passages")
    assert "The length of the whole context as it would be sent by one, in characters" in found
    found = said(select={"one": {"top_k": 2, "separator": "\n"}})["Cost"]
    assert found.startswith("The length of the whole context as it would be sent, in characters")


def test_branches_say_their_scorer_depth_and_expansion():
    found = said(
        retrieve={
            "plain": {"index": "words", "scorer": "bm25", "k1": 1.5, "b": 0.5, "depth": 4},
            "wide": {"index": "words", "scorer": "bm25", "k1": 1.5, "b": 0.5, "depth": 4, "expand": "synonym_groups"},
            "count": branch(repeat_query_terms=True),
        },
        fuse={"all": {"branches": ["plain", "wide", "count"], "method": "rrf"}},
    )["Retrieval"]
    assert "plain and wide: BM25 with k1 1.5 and b 0.5, on terms of ascii_words; the first 4 candidates." in found
    assert "count: the number of distinct terms that question and chunk share, on terms of ascii_words; every" in found
    assert "wide also searched for all terms of each synonym group" in found and "added terms trigger nothing" in found
    assert "count counted a term as often as the question has it." in found


def test_a_branch_that_keeps_zero_says_so():
    every = {"retrieve": {"a": branch(keep_zero=True)}, "fuse": {"one": {"branches": ["a"]}}}
    assert said(**every)["Order"].startswith(
        "Candidates stand in descending order of score, those that score 0 among them. Equal scores stand"
    )
    some = {
        "retrieve": {"a": branch(keep_zero=True), "b": branch()},
        "fuse": {"one": {"branches": ["a"]}, "two": {"branches": ["b"]}},
    }
    assert "a score of 0 is no candidate. a also kept chunks that score 0. Equal scores stand" in said(**some)["Order"]


def test_lists_with_different_ties_are_told_apart():
    order = said(
        retrieve={"a": branch(tie="position"), "b": branch(tie="document"), "c": branch(tie="position")},
        fuse={
            "one": {"branches": ["a"]},
            "two": {"branches": ["b", "c"], "method": "rrf", "tie": "id_version"},
        },
    )["Order"]
    assert "Equal scores (a and c) stand in ascending order of the place in the chunk table." in order
    assert "Equal scores (b) stand in ascending order of doc_id, version, start and end, texts compared" in order
    assert "Equal scores (two) stand in ascending order of the text doc_id/version, compared by code point" in order


def test_fusion_and_re_ranking_are_said_where_there_are_any():
    assert "Fusion" not in said()
    found = said(
        retrieve={"a": branch(), "b": branch()},
        fuse={
            "merged": {"branches": ["a", "b"], "method": "rrf", "k": 10.0},
            "flat": {"branches": ["a", "b"], "method": "rrf", "k": 0.5},
            "ranked": {
                "branches": ["a"],
                "rerank": {"method": "rule", "weights": {"navigation": -2.5}, "constraint_words": []},
            },
        },
    )["Fusion"]
    assert "merged: reciprocal rank fusion. A chunk scores the sum of 1 / (10 + rank) over the branches" in found
    assert "flat: reciprocal rank fusion. A chunk scores the sum of 1 / (0.5 + rank) over the branches" in found
    assert (
        "ranked: the list is then ranked again by points. Points: 1 for each distinct term of the question as asked"
        in found
    )
    assert "4 more for each of these that is letters, a hyphen and digits" in found
    assert "1 where it holds a word of an empty list" in found
    assert "-2.5 where it holds any of overview, guide, glossary, index" in found


@pytest.mark.parametrize(
    ("setting", "sentences"),
    [
        ({"top_k": 3}, ["it takes at most 3 chunks."]),
        (
            {"budget": 5, "unit": "byte"},
            ["it takes at most 5 bytes of text.", "One that does not fit into what is left of a budget is passed over"],
        ),
        (
            {"top_k": 3, "redundancy": "drop"},
            ["It passes over a candidate all of whose source characters are in the context already."],
        ),
        (
            {"top_k": 3, "mmr": {"weight": 0.7, "analyzer": "lexical_terms"}},
            [
                "It walks by maximal marginal relevance instead of rank",
                "0.7 x relevance - (1 - 0.7) x similarity",
                "distinct terms (analyzer lexical_terms)",
            ],
        ),
        (
            {"top_k": 3, "parent": "whole"},
            [
                "it takes at most 3 parents.",
                "It gives in place of a candidate the chunk of whole that holds all of it, once",
            ],
        ),
        (
            {"top_k": 3, "merge": True},
            ["It makes one passage of taken chunks", "Overlap is paid once", "top_k counts chunks before merging"],
        ),
        (
            {"budget": 9, "header": "A\n", "template": "{body}.", "separator": ""},
            [
                'It sends a context as one text: header "A\\n", template "{body}.", separator "".',
                "The budget counts all of it.",
            ],
        ),
        ({"top_k": 3, "separator": ""}, ['It sends a context as one text: separator "".']),
    ],
)
def test_each_way_to_select(setting, sentences):
    found = said(select={"it": setting})["Selection"]
    for sentence in sentences:
        assert sentence in found
    plain = said(select={"it": {"top_k": 3}})["Selection"]
    assert len(setting) == 1 or found != plain


def test_a_merging_selector_without_top_k_does_not_speak_of_it():
    assert "top_k" not in said(select={"it": {"budget": 9, "merge": True}})["Selection"]
