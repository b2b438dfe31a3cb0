"""Scorers of the user's own."""

import numpy as np
import pytest

from builders import chunk, document, query
from spanledger.core.errors import InputError
from spanledger.core.ordering import tie_ranks
from spanledger.retrieval import retrieve, retriever
from spanledger.retrieval.indexing import build_indexes

MINE = """
seen = []
def shared(query, passages, times=1):
    seen.append((query, passages))
    asked = set(query.split())
    return [times * len(asked & set(passage.split())) for passage in passages]
def minus(query, passages):
    return [-place for place, _ in enumerate(passages)]
"""
DOCUMENTS = [document("a"), document("b"), document("c", visibility="internal")]
CHUNKS = [
    chunk(0, "red apple", "a"),
    chunk(1, "green", "b", retrieval_text="apple\ngreen red"),
    chunk(2, "red apple", "c"),
    chunk(3, "blue", "a"),
]
QUERIES = [query("q1", "red apple", position=1), query("q2", "blue sky", position=2), query("q0", "none", position=3)]


def setting(name="shared", **rest):
    return {
        **{"index": "i", "scorer": f"plugins.mine:{name}", "depth": None, "tie": "document", "keep_zero": False},
        **{"options": {}, **rest},
    }


def found(eligibility=None, chunks=CHUNKS, **rest):
    indexes, _ = build_indexes(chunks, DOCUMENTS, QUERIES, eligibility or {}, {"analyzer": "ascii_words"})
    rankings, counters = retrieve(indexes, chunks, QUERIES, "ascii_words", setting(**rest))
    return [(r.query_id, r.chunks, r.scores) for r in rankings], counters


def test_numbers_rank_eligible_chunks_by_what_is_searched(plugins_in):
    plugins_in(mine=MINE)
    rankings, counters = found()
    assert rankings == [
        ("q1", (0, 1, 2), (2.0, 2.0, 2.0)),  # equal scores by document; titles are searched
        ("q2", (3,), (1.0,)),
        ("q0", (), ()),
    ]
    assert counters == {
        **{"queries": 3, "queries_without_candidates": 1, "candidates": 4},
        **dict.fromkeys(("term_checks", "nonzero_contributions", "synonym_group_checks", "added_terms"), 0),
    }
    rankings, _ = found({"visibility": ["public"]}, depth=1, options={"times": 3})
    assert rankings[0] == ("q1", (0,), (6.0,))


def test_numbers_below_zero_are_candidates_where_the_setting_keeps_them(plugins_in):
    plugins_in(mine=MINE)
    assert found(name="minus")[0] == [("q1", (), ()), ("q2", (), ()), ("q0", (), ())]
    assert found(name="minus", keep_zero=True, depth=3)[0][0] == ("q1", (0, 1, 2), (0.0, -1.0, -2.0))


def test_passages_are_one_tuple_for_all_questions_of_a_class(plugins_in):
    import sys

    plugins_in(mine=MINE)
    found({"visibility": ["public"]})
    seen = sys.modules["plugins.mine"].seen
    assert [text for text, _ in seen] == ["red apple", "red apple", "blue sky", "none"]  # the first is asked twice
    assert len({id(passages) for _, passages in seen}) == 1
    assert seen[0][1] == ("red apple", "apple\ngreen red", "blue")


def test_nothing_is_asked_about_an_empty_index(plugins_in):
    plugins_in(mine="def shared(query, passages):\n    raise ValueError\n")
    assert found({"visibility": ["secret"]})[0] == [("q1", (), ()), ("q2", (), ()), ("q0", (), ())]


def test_a_wrong_number_of_scores_names_the_query(plugins_in):
    plugins_in(mine="def shared(query, passages):\n    return [1] * (2 if 'blue' in query else 4)\n")
    with pytest.raises(
        InputError, match=r"plugins\.mine:shared: expected one number for each of 4 passages of query 'q2'"
    ):
        found()


def test_scores_have_no_parts(plugins_in):
    plugins_in(mine=MINE)
    (index,), _ = build_indexes(CHUNKS, DOCUMENTS, QUERIES, {}, {"analyzer": "ascii_words"})
    branch = retriever(index, tie_ranks(CHUNKS, "document"), CHUNKS, "ascii_words", setting())
    assert (branch.terms(QUERIES[0]), branch.searched(QUERIES[0]), branch.contributions(QUERIES[0], 0)) == ([], [], [])
    assert branch.length(1) == 3 and branch.length(9) == 0
    assert np.array_equal(branch.scores(QUERIES[0]), [2.0, 2.0, 2.0, 0.0])
    assert branch.rank(QUERIES[0], cut=False).chunks == (0, 1, 2)
