"""The random baseline against all orders of small pools, run through the selector itself; and by hand."""

from fractions import Fraction
from hashlib import sha256
from itertools import permutations
from math import factorial

import pytest
from choices import RULES, TEXT, Arm, chunk_spans, facts, selectors, table
from hypothesis import given
from hypothesis import strategies as st

from builders import document, evidence, fact, query
from spanledger.scoring.random_order import Expected, RandomOrder, places
from spanledger.selection.mmr import MaximalMarginalRelevance

ORDERS = 5


def expected(arm, wanted, pool, orders=ORDERS, asker=None):
    return RandomOrder(arm.passages, orders).of(wanted, set(pool), asker or query())


def enumerated(arm, wanted, pool):
    """The mean over all orders of the pool."""
    total = sum(arm.covered(wanted, order) for order in permutations(pool))
    return Fraction(total, factorial(len(pool)) * len(wanted))


POOLS = st.lists(st.sampled_from(range(5)), max_size=5, unique=True)
CHUNKS = st.lists(chunk_spans(), min_size=5, max_size=5, unique=True)


@given(chunks=CHUNKS, wanted=facts(), rule=st.sampled_from(RULES), top_k=st.integers(1, 6), pool=POOLS)
def test_under_top_k_it_is_the_mean_over_all_orders(chunks, wanted, rule, top_k, pool):
    arm = Arm([document("doc", TEXT)], table(chunks), rule, top_k=top_k)
    assert expected(arm, wanted, pool) == Expected(enumerated(arm, wanted, pool), "exact")


@given(
    chunks=CHUNKS,
    wanted=facts(),
    rule=st.sampled_from(RULES),
    selector=selectors(forms=({},)).filter(lambda chosen: chosen["redundancy"] == "keep"),
    pool=POOLS,
)
def test_of_few_chunks_it_is_the_mean_over_all_orders(chunks, wanted, rule, selector, pool):
    arm = Arm([document("doc", TEXT)], table(chunks), rule, **selector)
    exact = arm.passages.adds_up or expected(arm, wanted, pool).recall == 0
    assert expected(arm, wanted, pool) == (
        Expected(enumerated(arm, wanted, pool), "exact") if exact else Expected(named(arm, wanted, pool), "sampled")
    )


@pytest.mark.parametrize("top_k", [None, 2])
@given(spans=st.lists(chunk_spans(), min_size=9, max_size=12, unique=True), wanted=facts(), budget=st.integers(1, 30))
def test_of_more_chunks_it_is_the_mean_over_the_orders_it_names(spans, wanted, budget, top_k):
    arm = Arm([document("doc", TEXT)], table(spans), budget=budget, unit="char", top_k=top_k)
    pool = range(len(spans))
    found = expected(arm, wanted, pool)
    assert found.recall == named(arm, wanted, pool)
    assert found.kind == "sampled" or found.recall == 0  # the whole pool covers nothing


def named(arm, wanted, pool):
    """The mean over the orders that the module names."""
    total = 0
    for number in range(ORDERS):
        order = sorted(pool, key=lambda n: sha256(f"{number}/id-{n}".encode()).hexdigest())
        total += arm.covered(wanted, order)
    return Fraction(total, ORDERS * len(wanted))


@given(
    chunks=CHUNKS,
    parents=st.lists(chunk_spans(), max_size=3, unique=True),
    wanted=facts(),
    rule=st.sampled_from(RULES),
    selector=selectors(),
    pool=POOLS,
)
def test_a_sampled_mean_is_that_of_the_selector_over_the_orders_it_names(chunks, parents, wanted, rule, selector, pool):
    arm = Arm([document("doc", TEXT)], table(chunks), rule, table(parents, acl=("insider",)), "asker", **selector)
    found = expected(arm, wanted, pool)
    if found.kind == "exact":
        assert found.recall == enumerated(arm, wanted, pool)
        return
    selector = arm.selector
    assert selector.parent or selector.merge or selector.redundancy == "drop" or not arm.passages.adds_up
    assert found.recall == named(arm, wanted, pool)


HALVES = [((0, 4),), ((4, 8),), ((8, 12),), ((12, 16),), ((0, 2),), ((2, 4),)]


def test_the_chance_of_a_fact_by_hand():
    """Two of six chunks are taken, 15 pairs. [0,2) is in two chunks: 15 - C(4,2) = 9 of the pairs hold one of them. [2,6)
    needs [4,8) and either [0,4) or [2,4): 2 pairs. [0,4) needs the chunk [0,4), in 5 pairs, or the pair of its halves."""
    arm = Arm([document("doc", TEXT)], table(HALVES), top_k=2)
    chances = [
        expected(arm, [fact("f", [evidence(*span)])], range(6)).recall for span in ((0, 2), (2, 6), (0, 4), (3, 9))
    ]
    assert chances == [Fraction(9, 15), Fraction(2, 15), Fraction(6, 15), 0]
    both = [fact("f", [evidence(0, 2)]), fact("g", [evidence(2, 6)])]
    assert expected(arm, both, range(6)) == Expected(Fraction(11, 30), "exact")


def test_all_chunks_or_none():
    arm = Arm([document("doc", TEXT)], table(HALVES), top_k=6)
    needed = [fact("f", [evidence(0, 16)])]
    assert expected(arm, needed, range(6)) == Expected(Fraction(1), "exact")
    assert expected(arm, needed, range(3)) == expected(arm, needed, ()) == Expected(Fraction(0), "exact")
    budget = Arm([document("doc", TEXT)], table(HALVES), budget=1, unit="char")
    assert expected(budget, needed, range(6)) == expected(budget, needed, ()) == Expected(Fraction(0), "exact")
    assert expected(budget, [fact("f", [evidence(0, 2)])], range(6)).recall == 0


def test_maximal_marginal_relevance_is_left_out():
    mmr = MaximalMarginalRelevance(0.5, "ascii_words")
    needed = [fact("f", [evidence(0, 2)])]
    for limits in ({"top_k": 2}, {"budget": 8, "unit": "char"}):
        plain, other = (Arm([document("doc", TEXT)], table(HALVES), **limits, **rest) for rest in ({}, {"mmr": mmr}))
        assert expected(other, needed, range(6)) == expected(plain, needed, range(6))


def test_many_orders_come_close_to_all_of_them():
    arm = Arm([document("doc", TEXT)], table(HALVES), budget=6, unit="char", merge=True)
    needed = [fact("f", [evidence(0, 2)]), fact("g", [evidence(0, 4)])]
    found = expected(arm, needed, range(6), orders=4000)
    assert found.kind == "sampled"
    assert abs(found.recall - enumerated(arm, needed, range(6))) < 0.02


def test_a_fact_that_many_chunks_cover_jointly_is_sampled():
    """Nine chunks of one character each, all needed, and all taken."""
    singles = table([((n, n + 1),) for n in range(12)])
    arm = Arm([document("doc", TEXT)], singles, top_k=12)
    assert expected(arm, [fact("f", [evidence(0, 8)])], range(12)) == Expected(Fraction(1), "exact")
    assert expected(arm, [fact("f", [evidence(0, 9)])], range(12)) == Expected(Fraction(1), "sampled")
    mixed = [fact("f", [evidence(0, 9)]), fact("g", [evidence(0, 1)])]
    assert expected(arm, mixed, range(12)) == Expected(Fraction(1), "sampled")


def test_contexts_are_kept_for_the_pool_that_the_key_names():
    arm = Arm([document("doc", TEXT)], table(HALVES), budget=4, unit="char", merge=True)
    needed, random = [fact("f", [evidence(0, 2)])], RandomOrder(arm.passages, 50)
    first, second = random.of(needed, {0, 4}, query(), "one"), random.of(needed, {0, 1, 2, 3}, query(), "two")
    assert first.recall == 1  # whichever comes first holds it
    assert 0 < second.recall < 1
    assert random.of(needed, {0, 1, 2, 3}, query(), "two") == second
    assert random.of(needed, {0, 4}, query(), "one") == first
    assert random.of(needed, {0, 4}, query()) == first


def test_an_order_is_that_of_its_digests_and_every_order_another():
    found = places([f"id-{n}" for n in range(40)], 3)
    for number, row in enumerate(found.tolist()):
        digests = [sha256(f"{number}/id-{n}".encode()).digest() for n in range(40)]
        assert [sorted(digests).index(digest) for digest in digests] == row
    assert len({tuple(row) for row in found.tolist()}) == 3
