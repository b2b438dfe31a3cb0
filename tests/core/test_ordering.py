"""One total order: score, then a tie key."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk
from spanledger.core.ordering import TIES, ordered, tie_ranks

CHUNKS = st.lists(
    st.tuples(st.sampled_from(["a", "a-b", "B", "é"]), st.sampled_from(["v1", "v10", "v2"]), st.integers(0, 3)),
    max_size=9,
).map(lambda keys: [chunk(n, "x", d, v, spans=[(start, start + 2)]) for n, (d, v, start) in enumerate(keys)])


def names(chunks, tie):
    ranks = tie_ranks(chunks, tie)
    return [chunks[ordinal].doc_id for ordinal in np.argsort(ranks)]


def test_tie_keys_by_hand():
    """As tuples (retry, v2) stands before (retry-guide, v2); as strings retry-guide/v2 stands before retry/v2."""
    chunks = [chunk(0, "x", "retry-guide", "v2"), chunk(1, "x", "retry", "v2"), chunk(2, "x", "Zeta", "v2")]
    assert names(chunks, "document") == ["Zeta", "retry", "retry-guide"]
    assert names(chunks, "id_version") == ["Zeta", "retry-guide", "retry"]
    assert names(chunks, "position") == ["retry-guide", "retry", "Zeta"]


def test_spans_decide_within_one_document_as_numbers():
    spans = [(100, 120), (20, 40), (20, 30), (3, 9)]
    chunks = [chunk(n, "x", spans=[span]) for n, span in enumerate(spans)]
    assert tie_ranks(chunks, "document").tolist() == [3, 2, 1, 0]
    assert tie_ranks(chunks, "id_version").tolist() == [0, 1, 2, 3]


def test_a_chunk_of_several_spans_goes_from_the_first_start_to_the_last_end():
    chunks = [chunk(0, "x", spans=[(0, 5), (20, 30)]), chunk(1, "x", spans=[(0, 9)])]
    assert tie_ranks(chunks, "document").tolist() == [1, 0]


def test_equal_keys_are_told_apart_by_the_ordinal():
    chunks = [chunk(n, "x") for n in range(4)]
    for tie in TIES:
        assert tie_ranks(chunks, tie).tolist() == [0, 1, 2, 3]


@given(CHUNKS, st.sampled_from(TIES), st.data())
def test_a_ranking_is_sorted_by_score_and_then_by_the_key(chunks, tie, data):
    scores = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(chunks), max_size=len(chunks)))
    key = {
        "document": lambda c: (c.doc_id, c.version, c.spans[0], c.ordinal),
        "id_version": lambda c: (c.doc_id + "/" + c.version, c.ordinal),
        "position": lambda c: (c.ordinal,),
    }[tie]
    expected = sorted(chunks, key=lambda c: (-scores[c.ordinal], *key(c)))
    ordinals = np.array(data.draw(st.permutations(range(len(chunks)))), dtype=int)
    places = ordered(ordinals, np.array(scores)[ordinals], tie_ranks(chunks, tie))
    assert ordinals[places].tolist() == [c.ordinal for c in expected]


@given(CHUNKS, st.sampled_from(TIES))
def test_tie_ranks_are_a_permutation_that_no_order_of_the_table_changes(chunks, tie):
    ranks = tie_ranks(chunks, tie).tolist()
    assert sorted(ranks) == list(range(len(chunks)))
    shuffled = chunks[:]
    random.Random(1).shuffle(shuffled)
    assert tie_ranks(shuffled, tie).tolist() == ranks


def test_an_unknown_key_is_refused():
    with pytest.raises(ValueError, match="tie 'ordinal': expected one of document, id_version, position"):
        tie_ranks([], "ordinal")
