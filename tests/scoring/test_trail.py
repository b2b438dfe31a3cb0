"""The trail of a candidate: its terms, its entry in the index, and what fusion and re-ranking knew of it."""

from builders import document, gold, query
from one_arm import run
from spanledger.retrieval.indexing import entry_id

DOCUMENTS = [document("a", "fee 日志"), document("b", "charge fee guide"), document("c", "charge 日志")]
PARTS = {
    "index": {"words": {"analyzer": "ascii_words", "revision": "7"}, "pairs": {"analyzer": "cjk_bigrams"}},
    "retrieve": {
        "words": {"index": "words", "scorer": "term_overlap", "expand": "synonym_groups"},
        "pairs": {"index": "pairs", "scorer": "term_overlap"},
    },
    "fuse": {"method": "rrf"},
    "select": {"top_k": 2},
}


def trail(**changed):
    ran = run(DOCUMENTS, [query("q", "fee 日志")], [gold("q")], synonyms=[("fee", "charge")], **{**PARTS, **changed})
    return ran, {candidate["doc_id"]: candidate for candidate in ran.rows[0]["candidates"]}


def test_terms_are_those_that_the_query_has_itself_by_any_branch():
    _, found = trail()
    assert {name: one["matched_terms"] for name, one in found.items()} == {
        "a": ["fee", "日志"],
        "b": ["fee"],
        "c": ["日志"],
    }


def test_ranks_by_branch():
    """words: b has two terms, then a and c by name; pairs: a has two, c and b one, and b stands before c."""
    ran, found = trail()
    assert {name: one["ranks"] for name, one in found.items()} == {
        "a": {"words": 2, "pairs": 1},
        "b": {"words": 1, "pairs": 2},
        "c": {"words": 3, "pairs": 3},
    }
    assert [(c["doc_id"], c["rank"]) for c in ran.rows[0]["candidates"]] == [("a", 1), ("b", 2), ("c", 3)]
    assert found["a"]["score"] == found["b"]["score"] == 1 / 61 + 1 / 62
    assert "rank_before" not in found["a"] and "features" not in found["a"]


def test_re_ranking_says_what_it_saw_and_where_a_candidate_stood():
    ran, found = trail(fuse={"method": "rrf", "rerank": {"method": "rule"}})
    assert [(c["doc_id"], c["rank"], c["score"], c["rank_before"]) for c in ran.rows[0]["candidates"]] == [
        ("a", 1, 1.0, 1),
        ("c", 2, 0.0, 3),
        ("b", 3, 1.0 - 4.0, 2),
    ]
    assert found["b"]["score_before"] == 1 / 61 + 1 / 62
    assert found["b"]["features"] == {"query_term": 1, "identifier": 0, "number": 0, "constraint": 0, "navigation": 1}
    assert found["b"]["ranks"] == {"words": 1, "pairs": 2}


def test_a_single_branch_has_no_reasons():
    _, found = trail(
        retrieve={"words": PARTS["retrieve"]["words"]},
        index={"words": PARTS["index"]["words"]},
        fuse={"method": "single"},
    )
    assert set(found["a"]) == {
        *("chunk_id", "index_entry_id", "doc_id", "version", "spans", "rank", "score", "matched_terms"),
    }


def test_the_entry_is_that_of_the_first_branch_s_index():
    ran, found = trail()
    for chunk in ran.chunks:
        assert found[chunk.doc_id]["index_entry_id"] == entry_id(chunk, "ascii_words/7")


def test_reasons_stay_with_their_candidates_where_the_trail_is_short():
    ran, found = trail(score={"trail": 1}, select={"top_k": 1})
    assert (list(found), found["a"]["ranks"]) == (["a"], {"words": 2, "pairs": 1})
    assert ran.rows[0]["candidate_count"] == 3
