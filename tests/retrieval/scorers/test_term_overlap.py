"""The number of distinct query terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core.ordering import tie_ranks
from spanledger.retrieval import Retriever
from spanledger.retrieval.indexing import build_indexes
from spanledger.retrieval.scorers import SCORERS, scorer
from spanledger.retrieval.scorers.bm25 import Bm25
from spanledger.retrieval.scorers.term_overlap import TermOverlap

ALL = {"versions": "all", "visibility": None, "acl": "ignore"}
SETTING = {"index": "words", "scorer": "term_overlap", "depth": None, "tie": "position"}
TEXT = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)


def scores_of(bodies, text):
    chunks = [chunk(place, body, f"d{place}") for place, body in enumerate(bodies)]
    documents = [document(c.doc_id, c.body) for c in chunks]
    (index,), _ = build_indexes(chunks, documents, [query()], ALL, {"analyzer": "ascii_words"})
    return Retriever(index, tie_ranks(chunks, "position"), "ascii_words", SETTING).scores(query(text=text)).tolist()


def test_by_hand():
    bodies = ["See R-17 for how many seconds callers should wait.", "R-17: wait", "17 seconds, 18 seconds", "nothing"]
    assert scores_of(bodies, "R-17 wait seconds wait") == [3.0, 2.0, 1.0, 0.0]


@given(st.lists(TEXT, max_size=6), TEXT)
def test_the_score_is_the_size_of_the_intersection(bodies, text):
    assert scores_of(bodies, text) == [len(set(body.split()) & set(text.split())) for body in bodies]


def test_scorers_go_by_name():
    assert sorted(SCORERS) == ["bm25", "term_overlap"]
    assert scorer("term_overlap") == TermOverlap()
    assert scorer("bm25", k1=0.9, b=0.4) == Bm25(0.9, 0.4)
    with pytest.raises(ValueError, match="scorer 'tfidf': expected one of bm25, term_overlap"):
        scorer("tfidf")
