"""Reciprocal rank fusion against exact fractions."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.ranking import Ranking
from spanledger.fusion.rrf import ReciprocalRankFusion

CHUNKS = 8
LIST = st.lists(st.integers(0, CHUNKS - 1), max_size=10)
BRANCHES = st.lists(LIST, min_size=1, max_size=4).map(lambda lists: {f"b{n}": one for n, one in enumerate(lists)})
K = st.sampled_from([0, 1, 60, 0.5, 7, 1e6])
TIES = st.permutations(range(CHUNKS)).map(np.array)


def merge(k, branches, ties=None):
    rankings = {name: Ranking("q", tuple(found), (1.0,) * len(found)) for name, found in branches.items()}
    return ReciprocalRankFusion(k).merge("q", rankings, np.arange(CHUNKS) if ties is None else ties)


def ranks_of(branches, chunk):
    """The rank of a chunk in each branch that names it, where each branch's repeats are dropped first."""
    first = [list(dict.fromkeys(found)) for found in branches.values()]
    return [found.index(chunk) + 1 for found in first if chunk in found]


def test_by_hand():
    merged = merge(60, {"a": [3, 5, 1], "b": [5, 2]})
    assert merged.chunks == (5, 3, 2, 1)
    assert merged.scores == (1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63)
    assert merged.reasons == {"ranks": {"a": (2, 1, None, 3), "b": (1, None, 2, None)}}


def test_k_may_be_0_and_the_first_rank_is_1():
    merged = merge(0, {"a": [4, 2], "b": [2, 0, 4]})
    assert merged.chunks == (2, 4, 0)
    assert merged.scores == (1 / 2 + 1, 1 + 1 / 3, 1 / 2)


def test_one_chunk_found_first_by_two_branches_is_one_entry_with_2_61():
    merged = merge(60, {"words": [6], "pairs": [6]})
    assert (merged.chunks, merged.scores) == ((6,), (2 / 61,))


def test_equal_scores_stand_in_the_order_of_the_tie_key():
    found = {"a": [1, 2], "b": [2, 1]}
    assert merge(60, found).chunks == (1, 2)
    assert merge(60, found, np.array([0, 2, 1, 3, 4, 5, 6, 7])).chunks == (2, 1)


def test_a_chunk_that_a_branch_names_twice_counts_there_once_and_moves_nothing_else():
    plain, repeated = merge(60, {"a": [1, 2, 3]}), merge(60, {"a": [1, 1, 2, 1, 3, 2]})
    assert (repeated.chunks, repeated.scores) == (plain.chunks, plain.scores) == ((1, 2, 3), (1 / 61, 1 / 62, 1 / 63))
    assert repeated.reasons == plain.reasons


def test_nothing_found():
    merged = merge(60, {"a": [], "b": []})
    assert (merged.query_id, merged.chunks, merged.scores) == ("q", (), ())


@given(K, BRANCHES, TIES)
def test_scores_are_the_exact_sums_and_the_order_is_theirs(k, branches, ties):
    merged = merge(k, branches, ties)
    assert sorted(merged.chunks) == sorted(set().union(*branches.values()))
    exact = [sum(1 / (Fraction(k) + rank) for rank in ranks_of(branches, c)) for c in merged.chunks]
    for score, wanted in zip(merged.scores, exact, strict=True):
        # each term is rounded once and their sum once: half a unit in the last place each
        assert abs(Fraction(score) - wanted) <= wanted * Fraction(1, 2**52)
    pairs = list(zip(merged.scores, merged.chunks, strict=True))
    assert pairs == sorted(pairs, key=lambda pair: (-pair[0], ties[pair[1]]))
    for before, after in zip(exact, exact[1:], strict=False):
        assert before >= after * (1 - Fraction(1, 2**50))


@given(K, BRANCHES, TIES)
def test_equal_sets_of_ranks_tie_exactly_whichever_branch_gave_which(k, branches, ties):
    merged = merge(k, branches, ties)
    scores = dict(zip(merged.chunks, merged.scores, strict=True))
    for one in scores:
        for other in scores:
            if Counter(ranks_of(branches, one)) == Counter(ranks_of(branches, other)):
                assert scores[one] == scores[other]


def test_three_terms_tie_in_every_order():
    """1/61 + 1/67 + 1/73 in floats has two values, by the order of addition."""
    a, b, c = 1 / 61, 1 / 67, 1 / 73
    assert len({(a + b) + c, (b + c) + a, (c + a) + b}) > 1
    places = [1, 7, 13]
    lists = [[None] * 13 for _ in range(3)]
    for shift, chunk in enumerate("xyz"):
        for branch in range(3):
            lists[branch][places[(branch + shift) % 3] - 1] = chunk
    fillers = iter(range(3, 99))
    names = {"x": 0, "y": 1, "z": 2}
    found = {
        f"b{n}": [next(fillers) if chunk is None else names[chunk] for chunk in one] for n, one in enumerate(lists)
    }
    rankings = {name: Ranking("q", tuple(one), (1.0,) * 13) for name, one in found.items()}
    merged = ReciprocalRankFusion(60).merge("q", rankings, np.arange(99))
    assert merged.chunks[:3] == (0, 1, 2)
    assert len(set(merged.scores[:3])) == 1


@given(K, BRANCHES, TIES, st.randoms(use_true_random=False))
def test_the_order_of_the_branches_never_matters(k, branches, ties, rng):
    merged = merge(k, branches, ties)
    shuffled = merge(k, dict(rng.sample(list(branches.items()), len(branches))), ties)
    assert shuffled == merged


@given(K, LIST.map(lambda found: list(dict.fromkeys(found))), TIES)
def test_one_branch_keeps_its_order(k, found, ties):
    assert merge(k, {"a": found}, ties).chunks == tuple(found)


@pytest.mark.parametrize("k", [-1, -0.001, float("inf"), float("nan")])
def test_a_k_out_of_range_is_refused(k):
    with pytest.raises(ValueError, match=f"rrf: k must be at least 0, found {k}"):
        ReciprocalRankFusion(k)
