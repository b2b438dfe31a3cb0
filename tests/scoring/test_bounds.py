"""Attainable facts: against every choice in every order, run through the selector itself; and by hand."""

import pytest
from choices import RULES, TEXT, Arm, chunk_spans, facts, selectors, table
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, evidence, fact, query
from spanledger.core.offsets import OffsetMap
from spanledger.core.units import UNITS
from spanledger.normalise import Policy, normalise_documents
from spanledger.scoring.bounds import Attainable, Bound
from spanledger.scoring.room import Room


def bound(arm, wanted, pool=None, reached=0, asker=None, **limit):
    pool = range(len(arm.chunks)) if pool is None else pool
    return Attainable(arm.passages, Room(arm.passages, arm.documents), **limit).of(
        wanted, set(pool), asker or query(), reached
    )


@given(
    chunks=st.lists(chunk_spans(), min_size=1, max_size=5, unique=True),
    parents=st.lists(chunk_spans(), max_size=3, unique=True),
    wanted=facts(),
    rule=st.sampled_from(RULES),
    selector=selectors(),
    limit=st.sampled_from([{}, {}, {"limit": 0}, {"limit": 15}, {"limit": 60}]),
    data=st.data(),
)
def test_no_choice_covers_more_and_an_exact_bound_is_reached(chunks, parents, wanted, rule, selector, limit, data):
    """The asker may read all chunks and, where parents are for insiders, none of them."""
    readers = data.draw(st.sampled_from([None, ("insider",)]))
    arm = Arm([document("doc", TEXT)], table(chunks), rule, table(parents, acl=readers), "asker", **selector)
    pool = data.draw(st.lists(st.sampled_from(range(len(chunks))), max_size=4, unique=True))
    best, reached = arm.best(wanted, pool), arm.covered(wanted, pool)
    found = bound(arm, wanted, pool, data.draw(st.sampled_from([0, reached])), **limit)
    assert found.facts >= best >= reached
    if found.kind == "exact":
        assert found.facts == best
    else:  # the kinds of case that may have no exact answer
        assert limit or arm.selector.merge or not arm.passages.adds_up


LIGATURES = "aﬁ bﬃ c\u200bd e"  # 10 characters; NFKC makes 2 of one and 3 of another, the zero-width space is dropped


@given(
    cuts=st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6)), min_size=1, max_size=4, unique=True),
    wanted=st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4)), min_size=1, max_size=3),
    unit=st.sampled_from([*UNITS, "tiktoken/cl100k_base"]),
    budget=st.integers(1, 9),
    limit=st.sampled_from([{}, {"limit": 20}]),
)
def test_chunks_that_cut_what_normalisation_changed_can_be_merged(cuts, wanted, unit, budget, limit):
    """Their raw spans hold the whole of a changed piece, their bodies a part of it."""
    (made,) = normalise_documents([document("doc", LIGATURES)], Policy(unicode="NFKC", zero_width="drop"))
    assert made.text == "afi bffi cd e"
    offsets = OffsetMap(made.offsets)
    places = list(dict.fromkeys((start, min(start + size, len(made.text))) for start, size in cuts))
    chunks = [chunk(n, made.text[s:e], spans=[offsets.to_raw((s, e))]) for n, (s, e) in enumerate(places)]
    arm = Arm([made], chunks, budget=budget, unit=unit, merge=True)
    needed = [fact(f"f{n}", [evidence(start, min(start + size, 10))]) for n, (start, size) in enumerate(wanted)]
    best = arm.best(needed, range(len(chunks)))
    found = bound(arm, needed, **limit)
    assert found.facts == best if found.kind == "exact" else found.facts >= best


LONG = "x" * 400


def test_two_windows_apart_instead_of_two_that_overlap():
    """Facts at [65,90) and [187,213): the windows [60,180) and [180,300) hold both in 240 characters, and no 239 do."""
    needed = [fact("a", [evidence(65, 90)]), fact("b", [evidence(187, 213)])]
    windows = table([((0, 120),), ((60, 180),), ((120, 240),), ((180, 300),)], LONG)

    def of(pool=(0, 1, 2, 3), **selector):
        return bound(Arm([document("doc", LONG)], windows, **selector), needed, pool)

    assert of(budget=240, unit="char") == of(top_k=2) == of((0, 1, 2), top_k=2) == Bound(2, "exact")
    assert of(budget=239, unit="char") == of(top_k=1) == of((0, 1), budget=240, unit="char") == Bound(1, "exact")
    # merged, [60,180) and [120,240) are 180 characters
    assert of(budget=180, unit="char", merge=True) == Bound(2, "exact")
    assert of(budget=179, unit="char", merge=True) == Bound(1, "exact")
    assert of((), budget=240, unit="char") == Bound(0, "exact")
    assert of(budget=119, unit="char") == Bound(0, "exact")


def test_a_span_over_many_overlapping_windows_is_covered_by_the_fewest():
    """[0,3000) in windows of 100 every 10: 30 windows, 3000 characters, and one less of either is not enough. The minimal
    covers are too many to be looked at one by one."""
    text = "x" * 3000
    windows = table([((start, start + 100),) for start in range(0, 2910, 10)], text)
    needed = [fact("long", [evidence(0, 3000)]), fact("short", [evidence(15, 20)])]
    arms = {name: Arm([document("doc", text)], windows, **s) for name, s in {
        "k30": {"top_k": 30}, "k29": {"top_k": 29}, "c3000": {"budget": 3000, "unit": "char"},
        "c2999": {"budget": 2999, "unit": "char"}, "merged": {"budget": 3000, "unit": "char", "merge": True},
    }.items()}  # fmt: skip
    found = {name: bound(arm, needed, limit=10**6) for name, arm in arms.items()}
    assert found == {name: Bound(1 if name in ("k29", "c2999") else 2, "exact") for name in arms}


@pytest.mark.parametrize("merge", [False, True])
def test_a_knapsack_of_equal_chunks_is_solved_without_a_search_of_its_choices(merge):
    """30 facts, each in a chunk of 10 of its own: 105 characters hold 10, of more than 30 million choices."""
    text = "x" * 600
    chunks = table([((20 * n, 20 * n + 10),) for n in range(30)], text)
    needed = [fact(f"f{n}", [evidence(20 * n, 20 * n + 10)]) for n in range(30)]
    arm = Arm([document("doc", text)], chunks, budget=105, unit="char", merge=merge)
    assert bound(arm, needed) == Bound(10, "exact")


def test_beyond_the_limit_the_kind_says_so_and_the_shares_bound_it():
    """Seven facts need three of seven chunks each, as the lines of the Fano plane go through three of its points: each
    chunk serves three facts. Five characters hold five of the chunks."""
    text = "abcdefg"
    chunks = table([((n, n + 1),) for n in range(7)], text)
    lines = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]
    needed = [fact(f"f{n}", [evidence(p, p + 1) for p in line]) for n, line in enumerate(lines)]
    arm = Arm([document("doc", text)], chunks, budget=5, unit="char")
    # two points are missing, and with them the 3 + 3 - 1 lines through them
    assert bound(arm, needed) == Bound(arm.best(needed, range(7)), "exact") == Bound(2, "exact")
    # a chunk is split among 3 facts, so that a fact costs 1 and 5 fit by shares; without any work it is all that is held
    assert bound(arm, needed, limit=100) == Bound(5, "upper_bound")
    assert bound(arm, needed, limit=0) == Bound(7, "upper_bound")
    assert bound(arm, needed, limit=0, reached=7) == Bound(7, "exact")


def test_what_the_arm_reached_is_never_too_little():
    arm = Arm([document("doc", TEXT)], table([((0, 4),)]), top_k=1)
    assert bound(arm, [], reached=0) == Bound(0, "exact")
    assert bound(arm, [fact("f", [evidence(0, 4)]), fact("g", [evidence(0, 9)])], reached=1) == Bound(1, "exact")


def test_merged_words_that_a_cut_halves_count_once():
    """'def' is cut in two chunks of one word each; merged they are one word. A budget of one word takes the first and then
    the second for nothing."""
    arm = Arm([document("doc", TEXT)], table([((5, 7),), ((7, 8),)]), budget=1, unit="word", merge=True)
    assert TEXT[5:8] == "def"
    assert bound(arm, [fact("f", [evidence(5, 8)])]) == Bound(1, "exact")
    apart = Arm([document("doc", TEXT)], table([((5, 7),), ((7, 8),)]), budget=1, unit="word")
    assert bound(apart, [fact("f", [evidence(5, 8)])]) == Bound(0, "exact")


def test_merged_text_judged_by_its_terms_claims_no_less_than_all_facts():
    arm = Arm([document("doc", TEXT)], table([((0, 4),)]), RULES[2], top_k=1, merge=True)
    needed = [fact("held", [evidence(0, 4)]), fact("lost", [evidence(10, 12)])]
    assert bound(arm, needed, reached=1) == Bound(2, "upper_bound")
    assert bound(arm, needed[:1], reached=1) == Bound(1, "exact")


def test_a_parent_that_the_asker_may_not_read_holds_nothing_for_them():
    """The parent [0,12) holds both facts, the chunk [0,4) one of them."""
    needed = [fact("a", [evidence(0, 2)]), fact("b", [evidence(9, 12)])]
    parents = table([((0, 12),)], acl=("insider",))
    arm = Arm([document("doc", TEXT)], table([((0, 4),)]), parents=parents, acl="asker", parent="big", top_k=1)
    assert bound(arm, needed, asker=query(groups=("insider",))) == Bound(2, "exact")
    assert bound(arm, needed, asker=query()) == Bound(1, "exact")
    budget = Arm([document("doc", TEXT)], table([((0, 4),)]), parents=parents, parent="big", budget=11, unit="char")
    assert bound(budget, needed) == Bound(0, "exact")


@pytest.mark.parametrize("rule", RULES[:2])
def test_a_longer_chunk_that_serves_two_facts_is_better_than_a_short_one_for_each(rule):
    """[0,6) holds both facts in 6 characters, [0,4) and [0,6) are 10."""
    arm = Arm([document("doc", TEXT)], table([((0, 4),), ((0, 6),)]), rule, budget=6, unit="char")
    assert bound(arm, [fact("a", [evidence(0, 4)]), fact("b", [evidence(0, 6)])]) == Bound(2, "exact")
    assert bound(arm, [fact("both", [evidence(0, 4), evidence(0, 6)])]) == Bound(1, "exact")


def test_one_long_chunk_leaves_more_of_top_k_than_two_short_ones():
    """[0,4) is in [0,6) and in [0,2) with [2,4), which are shorter; the other fact needs a chunk of its own."""
    chunks = table([((0, 6),), ((0, 2),), ((2, 4),), ((8, 10),)])
    needed = [fact("a", [evidence(0, 4)]), fact("b", [evidence(8, 10)])]
    arm = Arm([document("doc", TEXT)], chunks, budget=10, unit="char", top_k=2)
    assert bound(arm, needed) == Bound(2, "exact")
    tight = Arm([document("doc", TEXT)], chunks, budget=6, unit="char", top_k=3)
    assert bound(tight, needed) == Bound(2, "exact")


def test_redundant_chunks_that_stand_in_each_other_s_way_are_not_all_taken():
    """Each of three chunks has a word that the others lack, because cuts make words: c, d, and cd. The third holds the
    first two, and these together hold the third, so no order lets all three in."""
    text = "ab cd ef c d cd"
    chunks = table([((0, 4),), ((4, 8),), ((0, 8),)], text)
    assert [c.body for c in chunks] == ["ab c", "d ef", "ab cd ef"]
    needed = [fact("c", [evidence(9, 10)]), fact("d", [evidence(11, 12)]), fact("cd", [evidence(13, 15)])]
    rule = {"rule": "token_share", "at_least": "1", "analyzer": "ascii_words"}
    drop = Arm([document("doc", text)], chunks, rule, top_k=3, redundancy="drop")
    assert bound(drop, needed) == Bound(drop.best(needed, range(3)), "exact") == Bound(2, "exact")
    assert bound(Arm([document("doc", text)], chunks, rule, top_k=3), needed) == Bound(3, "exact")


def test_merged_chunks_cover_a_span_together_by_the_rule_for_one_passage():
    needed = [fact("f", [evidence(2, 6)])]
    halves = table([((0, 4),), ((4, 8),)])
    assert bound(Arm([document("doc", TEXT)], halves, RULES[1], top_k=2, merge=True), needed) == Bound(1, "exact")
    assert bound(Arm([document("doc", TEXT)], halves, RULES[1], top_k=2), needed) == Bound(0, "exact")


def test_a_chunk_that_joins_others_makes_the_whole_shorter_in_words():
    """'c d' and 'f' are three words; with the 'e' between them they are two, 'c def'. No more than two words of the
    document are there, so two facts are claimed; that the selector takes all three chunks is not looked for."""
    arm = Arm([document("doc", TEXT)], table([((3, 6),), ((6, 7),), ((7, 8),)]), budget=2, unit="word", merge=True)
    needed = [fact("a", [evidence(3, 6)]), fact("b", [evidence(7, 8)])]
    assert (arm.best(needed, (0, 2)), arm.best(needed, range(3))) == (1, 2)
    assert bound(arm, needed) == Bound(2, "upper_bound")


def test_a_chunk_cut_inside_a_changed_piece_holds_less_than_its_raw_span_says():
    """NFKC makes three characters, and three lexical units, of the one at [0,1); the chunk is the first of them, and its
    raw span is the whole."""
    (made,) = normalise_documents([document("doc", "½ a")], Policy(unicode="NFKC"))
    assert made.text == "1\u2044" + "2 a"
    arm = Arm([made], [chunk(0, "1", spans=[(0, 1)])], budget=1, unit="lexical", merge=True)
    needed = [fact("f", [evidence(0, 1)])]
    assert bound(arm, needed) == Bound(arm.best(needed, (0,)), "exact") == Bound(1, "exact")


def test_merged_passages_of_one_text_need_their_separator_unless_a_chunk_joins_them():
    """Two passages of 2 characters and "--" between them are 6. With the one between them they are one passage of 5, which
    the search does not count on and the bound must not exclude."""
    text = "abXcd"
    needed = [fact("f", [evidence(0, 2)]), fact("g", [evidence(3, 5)])]

    def of(chunks, budget):
        arm = Arm([document("doc", text)], table(chunks, text), budget=budget, unit="char", merge=True, separator="--")
        return bound(arm, needed), arm.best(needed, range(len(chunks)))

    two, three = [((0, 2),), ((3, 5),)], [((0, 2),), ((2, 3),), ((3, 5),)]
    assert of(two, 6) == (Bound(2, "exact"), 2)
    assert of(two, 5) == (Bound(2, "upper_bound"), 1)
    assert of(three, 5) == (Bound(2, "upper_bound"), 2)


def test_merged_words_may_join_in_the_text_that_is_sent():
    text = "ab cd"
    needed = [fact("f", [evidence(0, 2)]), fact("g", [evidence(3, 5)])]
    chunks = table([((0, 2),), ((3, 5),)], text)
    for separator, best in (("", Bound(2, "exact")), (" ", Bound(2, "upper_bound"))):
        arm = Arm([document("doc", text)], chunks, budget=1, unit="word", merge=True, separator=separator)
        assert arm.best(needed, (0, 1)) == (2 if separator == "" else 1)
        assert bound(arm, needed) == best
