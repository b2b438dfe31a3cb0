"""What is said of lost facts where a plugin ranks, re-ranks or selects."""

import one_arm
from builders import document, evidence, fact, gold, query

# The walk, and other built-in rules, as plugins.
MINE = """
def walk(query, candidates, budget, top_k):
    chosen, left = [], float("inf") if budget is None else budget
    for place, candidate in enumerate(candidates):
        if candidate.cost <= left and len(chosen) != top_k:
            chosen.append(place)
            left -= candidate.cost
    return chosen
def last(query, candidates, budget, top_k):
    return [len(candidates) - 1]
def overlap(query, passages):
    return [len(set(query.split()) & set(passage.split())) for passage in passages]
def same(query, passages):
    return [-place for place, _ in enumerate(passages)]
def backwards(query, passages):
    return list(range(len(passages)))
"""
TEXTS = ("red apple pie", "red apple", "red", "blue")
DOCUMENTS = [document(f"d{n}", text) for n, text in enumerate(TEXTS)]
QUERY = query("q", "red apple pie")
BUILT_IN = {"words": {"index": "words", "scorer": "term_overlap", "depth": 3}}
PLUGIN = {"words": {"index": "words", "scorer": "plugins.mine:overlap", "depth": 3}}


def lost(documents=DOCUMENTS, wanted=(0, 1, 2, 3), **parts):
    """From the number of each wanted document to (cause, needed) of the fact that it supports alone."""
    facts = [fact(str(n), [evidence(0, len(TEXTS[n]), f"d{n}")]) for n in wanted]
    ran = one_arm.run(documents, [QUERY], [gold("q", *facts)], **parts)
    (row,) = ran.rows
    return {int(f["fact_id"]): (f["cause"], f["needed"]) for f in row["facts"]}, row


def test_a_scorer_changes_nothing_but_the_scores(plugins_in):
    plugins_in(mine=MINE)
    for select in ({"top_k": 2}, {"budget": 14}):
        own, row = lost(retrieve=PLUGIN, select=select)
        built_in, other = lost(retrieve=BUILT_IN, select=select)
        assert own == built_in and row["candidates"] == other["candidates"]
    deep, _ = lost(retrieve={"words": {**PLUGIN["words"], "depth": 1}}, select={"top_k": 3})
    assert deep[1] == ("below_depth", {"depth": {"words": 2}}) and deep[2] == ("below_depth", {"depth": {"words": 3}})
    assert deep[3] == ("not_matched", None)


def test_a_selector_passes_over_and_says_no_more(plugins_in):
    plugins_in(mine=MINE)
    walked, row = lost(retrieve=BUILT_IN, select={"method": "plugins.mine:walk", "top_k": 2})
    built_in, other = lost(retrieve=BUILT_IN, select={"top_k": 2})
    assert built_in == {0: (None, None), 1: (None, None), 2: ("outside_top_k", {"top_k": 3}), 3: ("not_matched", None)}
    assert walked == {
        **{0: (None, None), 1: (None, None), 2: ("not_chosen", {"unknown": ["top_k", "depth"]})},
        3: ("not_matched", None),
    }
    assert row["context"] == other["context"] and row["cost"] == other["cost"]
    assert row["attainable"] == other["attainable"] and row["random"] == other["random"]
    assert [skip["reason"] for skip in row["skipped"]] == ["not-chosen"]


def test_what_the_best_choice_attains_bounds_a_bad_one(plugins_in):
    plugins_in(mine=MINE)
    found, row = lost(retrieve=BUILT_IN, wanted=(0, 1), select={"method": "plugins.mine:last", "top_k": 2})
    assert found[0] == found[1] == ("not_chosen", {"unknown": ["top_k", "depth"]})
    assert row["covered"]["context"] == 0
    assert row["attainable"]["candidates"] == {"facts": 2, "kind": "exact"}


def test_a_budget_and_no_depth(plugins_in):
    plugins_in(mine=MINE)
    uncut = {"words": {"index": "words", "scorer": "term_overlap"}}
    found, _ = lost(retrieve=uncut, select={"method": "plugins.mine:walk", "budget": 13})
    assert found[1] == ("not_chosen", {"unknown": ["budget"]})
    cut = {"words": {"index": "words", "scorer": "term_overlap", "depth": 1}}
    found, _ = lost(retrieve=cut, select={"method": "plugins.mine:walk", "budget": 13})
    assert found[1] == ("below_depth", {"unknown": ["depth"]})  # what is no candidate no budget brings back


def test_a_re_ranker_leaves_the_limits_to_be_told_and_not_the_depth(plugins_in):
    plugins_in(mine=MINE)
    same, _ = lost(retrieve=BUILT_IN, fuse={"rerank": {"method": "plugins.mine:same"}}, select={"top_k": 1})
    assert same[1] == ("outside_top_k", {"top_k": 2, "unknown": ["depth"]})
    back, row = lost(retrieve=BUILT_IN, fuse={"rerank": {"method": "plugins.mine:backwards"}}, select={"top_k": 1})
    assert back[0] == ("demoted", {"top_k": 3, "unknown": ["depth"]}) and back[2] == (None, None)
    assert [candidate["rank_before"] for candidate in row["candidates"]] == [3, 2, 1]
    assert "features" not in row["candidates"][0]


def test_repeats_are_found_by_asking_the_selector_again(plugins_in):
    """Two windows over one text repeat it: without the second one the walk takes the other document."""
    plugins_in(mine=MINE)
    documents = [document("d0", "red apple red apple"), document("d1", "red")]
    parts = {
        "chunk": {"c": {"method": "window", "unit": "word", "chunk_size": 3, "chunk_overlap": 2}},
        "retrieve": {"words": {"index": "words", "scorer": "term_overlap"}},
    }
    facts = [fact("f", [evidence(0, 3, "d1")])]
    for select, needed in (
        ({"top_k": 2}, {"top_k": 3}),
        ({"method": "plugins.mine:walk", "top_k": 2}, {"unknown": ["top_k"]}),
    ):
        ran = one_arm.run(documents, [QUERY], [gold("q", *facts)], select=select, **parts)
        assert [(f["cause"], f["needed"]) for f in ran.rows[0]["facts"]] == [("crowded_out", needed)]
