"""BM25 against a scalar twin in plain Python with the same order of operations, bit by bit, and against worked values."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core.analyzers import ascii_words
from spanledger.core.ordering import tie_ranks
from spanledger.retrieval import Retriever
from spanledger.retrieval.indexing import build_indexes
from spanledger.retrieval.scorers.bm25 import Bm25

ALL = {"versions": "all", "visibility": None, "acl": "ignore"}
SETTING = {"index": "words", "scorer": "bm25", "k1": 1.2, "b": 0.75, "depth": None, "tie": "position"}
WORD = st.sampled_from("abcdefg")
BODIES = st.lists(st.lists(WORD | st.just("a"), max_size=25).map(" ".join), max_size=9)


def scores_of(bodies, text, **setting):
    chunks = [chunk(place, body, f"d{place}") for place, body in enumerate(bodies)]
    documents = [document(c.doc_id, c.body) for c in chunks]
    (index,), _ = build_indexes(chunks, documents, [query()], ALL, {"analyzer": "ascii_words"})
    retriever = Retriever(index, tie_ranks(chunks, "position"), "ascii_words", {**SETTING, **setting})
    return retriever.scores(query(text=text)).tolist()


def scalar_scores(bodies, text, k1=1.2, b=0.75):
    """One passage and one term after the other, each operation in the order in which the formula is printed."""
    token_lists = [ascii_words(body) for body in bodies]
    scores = []
    for tokens in token_lists:
        score = 0.0
        for term in sorted(set(ascii_words(text))):
            tf = tokens.count(term)
            if tf:
                df = sum(term in other for other in token_lists)
                average = sum(map(len, token_lists)) / len(token_lists)
                idf = math.log(1 + (len(token_lists) - df + 0.5) / (df + 0.5))
                score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(tokens) / average))
        scores.append(score)
    return scores


def bits(numbers):
    return [struct.pack("<d", number).hex() for number in numbers]


@given(BODIES, st.lists(WORD, max_size=9).map(" ".join), st.floats(0, 3), st.floats(0, 1))
def test_every_score_equals_the_scalar_twin_to_the_last_bit(bodies, text, k1, b):
    assert bits(scores_of(bodies, text, k1=k1, b=b)) == bits(scalar_scores(bodies, text, k1, b))


def test_a_value_worked_by_hand():
    """Two chunks of 3 and 1 terms, so the average is 2; cat stands twice in the first and nowhere else.

    idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)) = ln 2. With k1 = 1, b = 0.5: 2 * 2 / (2 + 1 - 0.5 + 0.5 * 3 / 2) = 4 / 3.25.
    """
    score, none = scores_of(["cat cat dog", "bird"], "cat", k1=1, b=0.5)
    assert score == pytest.approx(math.log(2) * 16 / 13, rel=1e-15)
    assert score == pytest.approx(0.8531042222, abs=1e-10)
    assert none == 0


def test_with_k1_0_a_term_adds_its_idf_however_often_it_stands_there():
    """idf = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6."""
    assert scores_of(["a", "a a a b", "b"], "a", k1=0) == pytest.approx([math.log(1.6), math.log(1.6), 0])


def test_with_b_0_length_does_not_count():
    short, long, _ = scores_of(["a", "a x x x x", "y"], "a", b=0)
    assert short == long
    short, long, _ = scores_of(["a", "a x x x x", "y"], "a", b=0.1)
    assert short > long


def test_a_term_in_every_chunk_still_counts():
    """The idf of Lucene is never negative: ln(1 + 0.5 / 2.5) for a term of two chunks out of two."""
    same = scores_of(["a", "a"], "a", k1=0)
    assert same == pytest.approx([math.log(1.2)] * 2)


def test_equal_chunks_tie_exactly():
    bodies = ["logs kept seven days", "other words here", "days seven kept logs", "logs kept seven days"]
    first, other, turned, again = scores_of(bodies, "days logs kept seven unseen")
    assert first == turned == again > other == 0


def test_repeats_in_the_query_add_nothing():
    assert scores_of(["a b", "b"], "a b a a") == scores_of(["a b", "b"], "b a")


def test_an_empty_index_and_empty_chunks_score_nothing():
    assert scores_of([], "a") == []
    assert scores_of(["", "..."], "a") == [0, 0]
    assert scores_of(["a"], "") == [0]


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(1, 9), st.integers(1, 30)), min_size=1, max_size=9))
def test_contributions_of_one_term_grow_with_its_frequency_and_are_positive(extra, pairs):
    tf = np.array([float(frequency) for frequency, _ in pairs])
    lengths = np.array([float(frequency + more) for frequency, more in pairs])
    found = Bm25(1.2, 0.75).contributions(tf, lengths, len(pairs) + extra, float(lengths.mean()))
    more = Bm25(1.2, 0.75).contributions(tf + 1, lengths, len(pairs) + extra, float(lengths.mean()))
    assert (found > 0).all() and (found < more).all()


@pytest.mark.parametrize(
    ("k1", "b", "message"),
    [
        (-0.1, 0.5, "bm25: k1 must be at least 0 and finite, found -0.1"),
        (math.nan, 0.5, "bm25: k1 must be at least 0 and finite, found nan"),
        (math.inf, 0.5, "bm25: k1 must be at least 0 and finite, found inf"),
        (1.2, -0.1, "bm25: b must be from 0 to 1, found -0.1"),
        (1.2, 1.1, "bm25: b must be from 0 to 1, found 1.1"),
        (1.2, math.nan, "bm25: b must be from 0 to 1, found nan"),
    ],
)
def test_values_out_of_range_are_refused(k1, b, message):
    with pytest.raises(ValueError, match=message):
        Bm25(k1, b)
