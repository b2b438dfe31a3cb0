"""Each cause of loss by the smallest case that has it, the order among causes, and that none is left over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, evidence, fact, gold, query
from one_arm import run
from spanledger.core.causes import CAUSES
from spanledger.core.ranking import Ranking
from spanledger.core.spans import overlap
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.scoring.loss import cause_after_candidates, cause_before_candidates, cause_without_index, repeats
from spanledger.selection.context import Context
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

SPAN_RULE = Rule({"rule": "span"})


def before(one, chunks, eligible, matched=(), admitted=lambda key: True):
    coverage = Coverage(chunks, SPAN_RULE)
    return cause_before_candidates(one, coverage, eligible, range(len(chunks)), admitted, lambda: matched)


def after(one, chunks, order=None, others=(), rule=SPAN_RULE, texts=(), parents=None, **limits):
    """The cause for a fact that the candidates, in this order, cover and the context does not; `others` are the orders of
    the branches' lists and of the one before re-ranking."""
    selector = Selector(unit="char" if limits.get("budget") else None, **limits)
    shelf, coverage = Shelf(chunks, texts, parents), Coverage(chunks, rule)

    def listed(order):
        return Ranking("q", tuple(order), tuple(float(len(order) - place) for place in range(len(order))))

    def covers(context):
        sent = [chunks[o] for o in context.chunks] if context.pieces is None else context.pieces
        return Coverage(sent, rule).fact_covered(one, range(len(sent)))

    def covered_from(ranking):
        return covers(selector.select(ranking, shelf, query()))

    ranking = listed(range(len(chunks)) if order is None else order)
    context = selector.select(ranking, shelf, query())
    assert coverage.fact_covered(one, set(ranking.chunks))
    assert not covers(context)
    return cause_after_candidates(one, coverage, chunks, selector, ranking, context, map(listed, others), covered_from)


ONE = fact("f", [evidence(0, 4)])
HOLDER = chunk(0, "xxxx")


def test_ineligible_when_the_filter_takes_the_document_out():
    assert before(ONE, [HOLDER], eligible=set(), admitted=lambda key: False) == "ineligible"


def test_ineligible_when_the_filter_takes_only_the_chunk_out():
    """The document is let in, but the chunk holds a part that the asker may not read."""
    assert before(ONE, [HOLDER], eligible=set()) == "ineligible"


def test_ineligible_when_every_group_is_out_and_not_when_one_is_left():
    other = fact("f", [evidence(0, 4)], [evidence(0, 4, "other")])
    assert before(other, [HOLDER], eligible=set(), admitted=lambda key: key[0] == "none") == "ineligible"
    assert before(other, [HOLDER], eligible=set(), admitted=lambda key: key[0] == "other") == "not_chunked"


def test_ineligible_when_one_span_of_the_only_group_is_out():
    both = fact("f", [evidence(0, 4), evidence(0, 4, "other")])
    chunks = [HOLDER, chunk(1, "xxxx", "other")]
    assert before(both, chunks, eligible={0}, matched={0, 1}, admitted=lambda key: key[0] == "doc") == "ineligible"


def test_not_chunked_when_no_union_of_chunks_holds_it():
    gap = [chunk(0, "xx", spans=[(0, 2)]), chunk(1, "x", spans=[(3, 4)])]
    assert before(ONE, gap, eligible={0, 1}, matched={0, 1}) == "not_chunked"
    assert before(ONE, [], eligible=set()) == "not_chunked"


def test_not_chunked_when_one_span_of_the_group_is_held_and_the_other_nowhere():
    both = fact("f", [evidence(0, 4), evidence(9, 12)])
    assert before(both, [HOLDER], eligible={0}, matched={0}) == "not_chunked"


def test_ineligible_comes_before_not_chunked():
    """What no chunk holds is ineligible all the same when the filter takes its document out."""
    assert before(ONE, [], eligible=set(), admitted=lambda key: False) == "ineligible"


def test_not_matched_when_a_holding_chunk_scores_nothing():
    halves = [chunk(0, "xx", spans=[(0, 2)]), chunk(1, "xx", spans=[(2, 4)])]
    assert before(ONE, halves, eligible={0, 1}, matched=set()) == "not_matched"
    assert before(ONE, halves, eligible={0, 1}, matched={0}) == "not_matched"  # both are needed


def test_below_depth_when_the_holding_chunks_score_but_the_cut_is_above_them():
    halves = [chunk(0, "xx", spans=[(0, 2)]), chunk(1, "xx", spans=[(2, 4)])]
    assert before(ONE, halves, eligible={0, 1}, matched={0, 1}) == "below_depth"


def test_the_scores_are_asked_for_only_when_they_matter():
    def never():
        raise AssertionError("asked for the scores of a fact that the index does not hold")

    nothing = Coverage([], SPAN_RULE)
    assert cause_before_candidates(ONE, nothing, set(), range(0), lambda key: True, never) == "not_chunked"


HELD = [chunk(0, "x" * 4, "wanted"), chunk(1, "x" * 4, "a"), chunk(2, "x" * 4, "b")]
WANTED = fact("f", [evidence(0, 4, "wanted")])


def test_demoted_when_the_same_selector_takes_it_from_some_other_list():
    assert after(WANTED, HELD, (1, 0), others=[(0, 1), (1, 2)], top_k=1) == "demoted"
    assert after(WANTED, HELD, (1, 0), others=[(1, 2), (0, 1)], top_k=1) == "demoted"
    assert after(WANTED, HELD, (1, 0), others=[(0, 1)], budget=7) == "demoted"


def test_not_demoted_when_no_other_list_lets_it_in():
    assert after(WANTED, HELD, (1, 0), others=[(1, 0), (2, 0), (1, 2)], top_k=1) == "outside_top_k"
    assert after(WANTED, HELD, (1, 0), others=[], top_k=1) == "outside_top_k"
    assert after(WANTED, HELD, (1, 0), others=[(2, 0)], budget=7) == "does_not_fit"


def test_demoted_comes_before_crowded_out():
    chunks = [chunk(0, "x" * 6, spans=[(0, 6)]), chunk(1, "x" * 6, spans=[(3, 9)]), chunk(2, "x" * 4, spans=[(9, 13)])]
    wanted = fact("f", [evidence(9, 13)])
    assert after(wanted, chunks, others=[(0, 1, 2)], top_k=2) == "crowded_out"
    assert after(wanted, chunks, others=[(0, 1, 2), (2, 0)], top_k=2) == "demoted"


def test_each_other_list_is_judged_alone():
    """Half of the fact is taken from one list and half from the other, the whole from neither."""
    chunks = [chunk(0, "xx", spans=[(0, 2)]), chunk(1, "xx", spans=[(2, 4)]), chunk(2, "xx", "b")]
    assert after(ONE, chunks, (2, 0, 1), others=[(0, 2, 1), (1, 2, 0)], top_k=2) == "outside_top_k"


def test_crowded_out_when_dropping_repeats_would_let_it_in():
    """Two windows that share characters fill the budget; without the second the third fits."""
    chunks = [chunk(0, "x" * 6, spans=[(0, 6)]), chunk(1, "x" * 6, spans=[(3, 9)]), chunk(2, "x" * 4, spans=[(9, 13)])]
    wanted = fact("f", [evidence(9, 13)])
    assert after(wanted, chunks, budget=12) == "crowded_out"
    assert after(wanted, chunks, top_k=2) == "crowded_out"


def test_windows_that_only_touch_crowd_nothing_out():
    chunks = [
        chunk(0, "x" * 6, spans=[(0, 6)]),
        chunk(1, "x" * 6, spans=[(6, 12)]),
        chunk(2, "x" * 4, spans=[(12, 16)]),
    ]
    wanted = fact("f", [evidence(12, 16)])
    assert after(wanted, chunks, budget=12) == "does_not_fit"
    assert after(wanted, chunks, top_k=2) == "outside_top_k"


def test_equal_spans_of_another_version_crowd_nothing_out():
    chunks = [chunk(0, "xxxx", version="v1"), chunk(1, "xxxx", version="v2"), chunk(2, "xx", "other")]
    assert after(fact("f", [evidence(0, 2, "other")]), chunks, budget=8) == "does_not_fit"


def test_a_repeat_whose_loss_would_not_help_is_no_cause():
    """Dropping the repeat frees 6 units; the holding chunk needs 7."""
    chunks = [chunk(0, "x" * 6, spans=[(0, 6)]), chunk(1, "x" * 6, spans=[(3, 9)]), chunk(2, "x" * 7, spans=[(9, 16)])]
    assert after(fact("f", [evidence(9, 16)]), chunks, budget=12) == "does_not_fit"


def test_a_part_of_the_fact_in_the_repeat_itself_is_not_won_by_dropping_it():
    chunks = [chunk(0, "x" * 6, spans=[(0, 6)]), chunk(1, "x" * 6, spans=[(3, 9)]), chunk(2, "x" * 3, spans=[(9, 12)])]
    assert after(fact("f", [evidence(7, 12)]), chunks, budget=12) == "does_not_fit"


def test_the_selector_says_what_kept_it_out_when_it_has_both_limits():
    chunks = [chunk(0, "x" * 6, "a"), chunk(1, "x" * 6, "b"), chunk(2, "x" * 2, "c"), chunk(3, "x" * 2, "d")]
    assert after(fact("f", [evidence(0, 6, "b")]), chunks, budget=10, top_k=2) == "does_not_fit"
    assert after(fact("f", [evidence(0, 2, "d")]), chunks, budget=10, top_k=2) == "outside_top_k"


def test_a_group_that_the_candidates_do_not_cover_has_no_say():
    """Of the second group one half is nowhere: that the other half does not fit is not why the fact is lost."""
    chunks = [chunk(0, "x" * 9, "half"), chunk(1, "x" * 6, "a"), chunk(2, "x" * 2, "whole")]
    wanted = fact("f", [evidence(0, 2, "whole")], [evidence(0, 9, "half"), evidence(0, 9, "nowhere")])
    assert after(wanted, chunks, budget=8, top_k=1) == "outside_top_k"


def test_a_span_that_the_context_holds_already_has_no_say():
    """Of two spans one is there; that another chunk of it does not fit is not why the fact is lost."""
    chunks = [chunk(0, "xxxx", "a"), chunk(1, "x" * 9, "a"), chunk(2, "xx", "b"), chunk(3, "xx", "c")]
    wanted = fact("f", [evidence(0, 4, "a"), evidence(0, 2, "c")])
    assert after(wanted, chunks, budget=8, top_k=2) == "outside_top_k"


def test_a_chunk_without_a_character_that_is_lacking_has_no_say():
    """The context holds (0,6) of the ten characters; (2,5) does not fit and would bring nothing."""
    chunks = [
        chunk(0, "x" * 6, spans=[(0, 6)]),
        chunk(1, "xxx\nxxxxx", spans=[(2, 5), (20, 25)]),
        chunk(2, "y", "other"),
        chunk(3, "xxxx", spans=[(6, 10)]),
    ]
    assert after(fact("f", [evidence(0, 10)]), chunks, budget=12, top_k=2) == "outside_top_k"


HALVES = [
    chunk(0, "aa bb", spans=[(0, 5)]),
    chunk(1, "cc dd", spans=[(5, 10)]),
    chunk(2, "bb cc", spans=[(3, 8)]),
    chunk(3, "zz", "other"),
]
SHARE_RULE = Rule({"rule": "token_share", "at_least": "1", "analyzer": "ascii_words"}, [document(text="aa bbcc dd")])


@pytest.mark.parametrize("rule", [Rule({"rule": "one_chunk"}), SHARE_RULE])
def test_crowded_out_when_the_holder_was_given_up_for_passages_that_hold_its_text_in_parts(rule):
    """Its characters are in the context, in two passages, and the rule asks for one. No limit had a say."""
    chunks = HALVES if rule.name == "one_chunk" else [*HALVES[:2], chunk(2, "bbcc", spans=[(3, 7)]), HALVES[3]]
    wanted = fact("f", [evidence(3, 7)])
    assert after(wanted, chunks, rule=rule, redundancy="drop", top_k=3) == "crowded_out"
    assert after(wanted, chunks, rule=rule, redundancy="drop", budget=99) == "crowded_out"
    # one that was never looked at for its text is outside the top k
    assert after(wanted, chunks, (0, 3, 2, 1), rule=rule, redundancy="drop", top_k=2) == "outside_top_k"


def test_by_one_chunk_a_chunk_with_a_part_of_the_span_has_no_say():
    """(2,4) does not fit; what holds the whole span is outside the top k."""
    chunks = [chunk(0, "yy", "a"), chunk(1, "x" * 9, spans=[(2, 11)]), chunk(2, "y", "b"), chunk(3, "x" * 4)]
    one = Rule({"rule": "one_chunk"})
    assert after(ONE, chunks, rule=one, budget=8, top_k=2) == "outside_top_k"
    assert after(ONE, chunks, rule=one, budget=6, top_k=3) == "does_not_fit"


TEXT = document(text="x" * 30)


def test_merged_chunks_repeat_nothing_that_a_budget_pays_for():
    """The second window brings 3 characters and shares 3. Merged, it takes the place of the third by what is new in it;
    sent by itself, by what it repeats too."""
    chunks = [
        chunk(0, "x" * 6, spans=[(0, 6)]),
        chunk(1, "x" * 6, spans=[(3, 9)]),
        chunk(2, "x" * 5, spans=[(15, 20)]),
    ]
    wanted = fact("f", [evidence(15, 20)])
    assert after(wanted, chunks, texts=[TEXT], budget=12, merge=True) == "does_not_fit"
    assert after(wanted, chunks, budget=12) == "crowded_out"


def test_merged_chunks_crowd_out_by_their_places_among_the_top_k():
    chunks = [
        chunk(0, "x" * 6, spans=[(0, 6)]),
        chunk(1, "x" * 6, spans=[(3, 9)]),
        chunk(2, "x" * 5, spans=[(15, 20)]),
    ]
    wanted = fact("f", [evidence(15, 20)])
    assert after(wanted, chunks, texts=[TEXT], top_k=2, merge=True) == "crowded_out"
    apart = [chunks[0], chunk(1, "x" * 3, spans=[(6, 9)]), chunks[2]]
    assert after(wanted, apart, texts=[TEXT], top_k=2, merge=True) == "outside_top_k"


def test_parents_repeat_what_they_share_and_not_what_their_chunks_do():
    """The chunks share nothing; their parents share (5,10)."""
    parents = [chunk(0, "x" * 10, spans=[(0, 10)]), chunk(1, "x" * 10, spans=[(5, 15)])]
    chunks = [chunk(0, "xx", spans=[(0, 2)]), chunk(1, "xx", spans=[(12, 14)]), chunk(2, "x" * 6, spans=[(20, 26)])]
    wanted = fact("f", [evidence(20, 26)])
    assert after(wanted, chunks, parents=parents, parent="big", budget=20) == "crowded_out"
    apart = [parents[0], chunk(1, "x" * 5, spans=[(10, 15)])]
    assert after(wanted, chunks, parents=apart, parent="big", budget=15) == "does_not_fit"


CHUNKS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.lists(st.integers(0, 15), min_size=2, max_size=4, unique=True)),
    max_size=8,
).map(
    lambda parts: [
        chunk(n, "x", doc_id, spans=list(zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False)))
        for n, (doc_id, cuts) in enumerate(parts)
    ]
)


@given(CHUNKS, st.permutations(range(8)), st.integers(0, 8))
def test_repeats_are_found_by_comparing_all_pairs(chunks, order, taken):
    chosen = [ordinal for ordinal in order if ordinal < len(chunks)][:taken]
    expected = {
        one
        for place, one in enumerate(chosen)
        for other in chosen[:place]
        if chunks[one].key == chunks[other].key
        and any(overlap(a, b) for a in chunks[one].spans for b in chunks[other].spans)
    }
    assert repeats(Context("q", tuple(chosen), ()), [chunks[one] for one in chosen]) == expected


# The whole chain on small random corpora: every fact that the context lacks has a cause, and the cause is true.

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=4
)
SETTING = st.fixed_dictionaries(
    {
        "chunk_overlap": st.integers(0, 3),
        "depth": st.none() | st.integers(1, 3),
        "versions": st.sampled_from(["all", "current"]),
        "acl": st.sampled_from(["ignore", "asker"]),
        "top_k": st.none() | st.integers(1, 3),
        "budget": st.integers(1, 12),
    }
)


@st.composite
def facts(draw, texts):
    def part():
        place = draw(st.integers(0, len(texts) - 1))
        start = draw(st.integers(0, len(texts[place]) - 1))
        return evidence(start, draw(st.integers(start + 1, len(texts[place]))), f"d{place}")

    groups = draw(st.lists(st.integers(1, 2), min_size=1, max_size=2))
    return fact("f", *([part() for _ in range(size)] for size in groups))


def score(texts, wanted, setting, asked):
    documents = [
        document(f"d{n}", text, current=n != 1, acl=("insider",) if n == 2 else None) for n, text in enumerate(texts)
    ]
    ran = run(
        documents,
        [query("q", asked)],
        [gold("q", wanted)],
        chunk={"fixed": {"method": "window", "chunk_size": 4, "chunk_overlap": setting["chunk_overlap"]}},
        eligibility={"versions": setting["versions"], "acl": setting["acl"]},
        retrieve={"words": {"index": "words", "scorer": "term_overlap", "depth": setting["depth"]}},
        select={"top_k": setting["top_k"], "budget": setting["budget"]},
    )
    return ran.rows[0], ran.chunks, documents


@given(TEXTS, SETTING, st.sampled_from(["a", "a b", "c"]), st.data())
def test_every_lost_fact_has_one_cause_and_the_cause_is_true(texts, setting, asked, data):
    wanted = data.draw(facts(texts), label="fact")
    row, chunks, documents = score(texts, wanted, setting, asked)
    (found,) = row["facts"]
    assert (found["cause"] is None) == found["context"]
    assert row["covered"] == {point: int(found[point]) for point in ("index", "candidates", "context")}
    assert found["index"] >= found["candidates"] >= found["context"]

    def positions(ordinals):
        return {(*chunks[o].key, place) for o in ordinals for span in chunks[o].spans for place in range(*span)}

    def covered(ordinals):
        held = positions(ordinals)
        return any(
            all({(*part.key, place) for place in range(*part.span)} <= held for part in group)
            for group in wanted.support
        )

    admitted = {
        d.key
        for d in documents
        if (setting["versions"] == "all" or d.current) and (setting["acl"] == "ignore" or d.acl is None)
    }
    eligible = [c.ordinal for c in chunks if c.key in admitted]
    scoring = [o for o in eligible if set(asked.split()) & set(chunks[o].body.split())]
    assert found["index"] == covered(eligible)
    if found["cause"] == "ineligible":
        assert not any(all(part.key in admitted for part in group) for group in wanted.support)
    elif found["cause"] == "not_chunked":
        assert any(all(part.key in admitted for part in group) for group in wanted.support)
        assert not covered(eligible)
    elif found["cause"] == "not_matched":
        assert covered(eligible) and not covered(scoring)
    elif found["cause"] == "below_depth":
        assert setting["depth"] and covered(scoring)
    elif found["cause"]:
        assert found["candidates"]
        assert found["cause"] in ("crowded_out", "does_not_fit", "outside_top_k")
        if found["cause"] == "outside_top_k":
            assert setting["top_k"] == len(row["context"])
        if found["cause"] == "crowded_out":
            assert row["cost"]["duplicate_char"] > 0
    assert found["cause"] in (None, *CAUSES)


def test_windows_of_a_corpus_are_never_the_reason_that_nothing_is_chunked():
    """Windows of characters cover every document whole, so not_chunked cannot be what a filter did not do."""
    row, _, _ = score(["a b c a b c"], fact("f", [evidence(0, 11, "d0")]), _setting(budget=40), "a b c")
    held = {
        "fact_id": "f",
        "index": True,
        "candidates": True,
        "context": True,
        "cause": None,
        "needed": None,
        "failures": [],
    }
    assert row["facts"] == [held]


def _setting(**changed):
    plain = {"chunk_overlap": 0, "depth": None, "versions": "all", "acl": "ignore", "top_k": None, "budget": 4}
    return {**plain, **changed}


@pytest.mark.parametrize(
    ("texts", "span", "asked", "setting", "cause"),
    [
        (["a", "b b b"], (0, 3, "d1"), "b", {"versions": "current"}, "ineligible"),
        (["a", "b", "c c"], (0, 3, "d2"), "c", {"acl": "asker"}, "ineligible"),
        (["a b c a"], (0, 7, "d0"), "b", {}, "not_matched"),
        (["a a a a"], (4, 7, "d0"), "a", {"depth": 1}, "below_depth"),
        (["a a a a"], (4, 7, "d0"), "a", {"budget": 4}, "does_not_fit"),
        (["a a a a"], (4, 7, "d0"), "a", {"budget": 9, "top_k": 1}, "outside_top_k"),
        # windows (0,4) (2,6) (4,7): two of them share characters with the one before
        (["a a a a", "a"], (0, 1, "d1"), "a", {"chunk_overlap": 2, "top_k": 3, "budget": 99}, "crowded_out"),
    ],
)
def test_causes_through_the_stages(texts, span, asked, setting, cause):
    start, end, doc_id = span
    row, _, _ = score(texts, fact("f", [evidence(start, end, doc_id)]), _setting(**setting), asked)
    assert row["facts"][0]["cause"] == cause


BRANCHES = {
    "overlap": {"index": "words", "scorer": "term_overlap"},
    "bm25": {"index": "words", "scorer": "bm25", "expand": "synonym_groups"},
}
RULES = {"method": "rule", "weights": {"query_term": -1, "constraint": 3}, "constraint_words": ["c"]}


def test_demoted_by_fusion_through_the_stages():
    """For the query's own words b b is first. With the synonym c the other branch puts it last; merged, b c is first and
    b b has no place."""
    documents = [document("both", "b c"), document("wanted", "b b"), document("other", "c c")]
    wanted = gold("q", fact("f", [evidence(0, 3, "wanted")]), fact("g", [evidence(0, 3, "both")]))
    parts = {
        "retrieve": {
            "plain": {"index": "words", "scorer": "bm25"},
            "expanded": {"index": "words", "scorer": "bm25", "expand": "synonym_groups"},
        },
        "select": {"top_k": 1},
    }
    alone = run(
        documents, [query("q", "b")], [wanted], retrieve={"plain": parts["retrieve"]["plain"]}, select={"top_k": 1}
    )
    assert [f["cause"] for f in alone.rows[0]["facts"]] == [None, "outside_top_k"]
    both = run(documents, [query("q", "b")], [wanted], synonyms=[("b", "c")], fuse={"method": "rrf"}, **parts)
    assert [both.chunks[o].doc_id for o in both.rankings["plain"][0].chunks] == ["wanted", "both"]
    assert [both.chunks[o].doc_id for o in both.rankings["expanded"][0].chunks] == ["both", "other", "wanted"]
    assert [f["cause"] for f in both.rows[0]["facts"]] == ["demoted", None]


def test_demoted_by_re_ranking_through_the_stages():
    """A navigation word moves the first of two behind the second."""
    documents = [document("wanted", "a b guide"), document("x", "a")]
    parts = {"select": {"top_k": 1}, "fuse": {"rerank": {"method": "rule"}}}
    row = run(documents, [query("q", "a b")], [gold("q", fact("f", [evidence(0, 3, "wanted")]))], **parts).rows[0]
    (found,) = row["facts"]
    assert [found[point] for point in ("index", "candidates", "context", "cause")] == [True, True, False, "demoted"]
    parts["fuse"] = {}
    row = run(documents, [query("q", "a b")], [gold("q", fact("f", [evidence(0, 3, "wanted")]))], **parts).rows[0]
    assert row["facts"][0]["cause"] is None


def test_an_arm_with_one_branch_and_no_re_ranker_demotes_nothing():
    documents = [document("a", "a b"), document("wanted", "a")]
    parts = {"select": {"top_k": 1}}
    row = run(documents, [query("q", "a b")], [gold("q", fact("f", [evidence(0, 1, "wanted")]))], **parts).rows[0]
    assert row["facts"][0]["cause"] == "outside_top_k"


PARTS = st.fixed_dictionaries(
    {
        "fusion": st.sampled_from(["one", "rrf"]),
        "rerank": st.sampled_from([None, RULES]),
        "depth": st.none() | st.integers(1, 3),
        "keep_zero": st.booleans(),
        "select": st.sampled_from(
            [
                {"top_k": 1},
                {"top_k": 3, "redundancy": "drop"},
                {"budget": 6},
                {"budget": 6, "merge": True},
                {"top_k": 2, "parent": "big"},
                {"budget": 9, "mmr": {"weight": 0.5}},
            ]
        ),
        "coverage": st.sampled_from(
            [
                {"rule": "span"},
                {"rule": "one_chunk"},
                {"rule": "token_share", "at_least": "0.6", "analyzer": "ascii_words"},
            ]
        ),
    }
)


@given(TEXTS, PARTS, st.sampled_from(["a", "a b", "c"]), st.data())
def test_every_lost_fact_of_any_arm_has_exactly_one_cause_and_causes_add_up(texts, parts, asked, data):
    texts = [f"{text} {text[::-1]}" for text in texts]
    documents = [document(f"d{n}", text, current=n != 1) for n, text in enumerate(texts)]
    wanted = [data.draw(facts(texts), label="fact") for _ in range(3)]
    wanted = gold("q", *(fact(f"f{n}", *one.support) for n, one in enumerate(wanted)))
    names = ["overlap"] if parts["fusion"] == "one" else ["overlap", "bm25"]
    own = {"depth": parts["depth"], "keep_zero": parts["keep_zero"]}
    chunk_section = {"small": {"method": "window", "chunk_size": 4, "chunk_overlap": 2}}
    if "parent" in parts["select"]:
        chunk_section["big"] = {"method": "window", "chunk_size": 7}
    ran = run(
        documents,
        [query("q", asked)],
        [wanted],
        synonyms=[("a", "c")],
        chunk=chunk_section,
        eligibility={"versions": "current"},
        retrieve={name: {**BRANCHES[name], **own} for name in names},
        fuse={"method": "single" if len(names) == 1 else "rrf", "rerank": parts["rerank"]},
        select=parts["select"],
        score={"coverage": parts["coverage"]},
    )
    (row,) = ran.rows
    assert row["required"] == 3 == len(row["facts"])
    for point in ("index", "candidates", "context"):
        assert row["covered"][point] == sum(one[point] for one in row["facts"])
    causes = [one["cause"] for one in row["facts"]]
    assert sum(cause is not None for cause in causes) == 3 - row["covered"]["context"]
    for one in row["facts"]:
        assert (one["cause"] is None) == one["context"]
        assert one["cause"] in (None, *CAUSES)
        if not one["context"]:
            stage = "context" if one["candidates"] else "candidates" if one["index"] else "index"
            assert (
                one["cause"]
                in {
                    "index": ("ineligible", "not_chunked"),
                    "candidates": ("not_matched", "below_depth"),
                    "context": ("demoted", "crowded_out", "does_not_fit", "outside_top_k"),
                }[stage]
            )
        if parts["coverage"]["rule"] == "span":
            if one["cause"] == "outside_top_k":
                assert len(row["context"]) == parts["select"]["top_k"]
            if one["cause"] == "does_not_fit":
                assert any(skip["reason"] == "does-not-fit" for skip in row["skipped"])
        if one["cause"] == "demoted":
            assert len(names) > 1 or parts["rerank"]
        if one["cause"] == "below_depth":
            assert parts["depth"]


def test_the_cause_where_nothing_is_known_of_the_index():
    first, second = evidence(0, 1), evidence(5, 6)
    one = fact("f", (first, second), (second,))
    assert cause_without_index(one, lambda span: True) == "not_retrieved"
    assert cause_without_index(one, lambda span: span == second) == "not_retrieved"
    assert cause_without_index(one, lambda span: span == first) == "ineligible"


def test_the_cause_where_nothing_is_known_of_the_ranking():
    one, chunks = fact("f", (evidence(0, 9),)), [chunk(0, "abcde"), chunk(1, "fghi", spans=[(5, 9)])]
    coverage = Coverage(chunks, SPAN_RULE)

    def cause(eligible, admitted=True):
        return cause_before_candidates(one, coverage, eligible, range(2), lambda key: admitted, None)

    assert (cause({0, 1}), cause({0}), cause({0, 1}, False)) == ("not_retrieved", "ineligible", "not_retrieved")
    other = fact("f", (evidence(0, 10),))
    assert cause_before_candidates(other, coverage, {0, 1}, range(2), lambda key: True, None) == "not_chunked"
