"""Each cause of loss by the smallest case that has it, the order among causes, and that none is left over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, evidence, fact, gold, query
from spanledger.chunking import chunk_documents
from spanledger.core.ranking import Ranking
from spanledger.retrieval import retrieve
from spanledger.retrieval.indexing import build_indexes
from spanledger.scoring import ArmScorer
from spanledger.scoring.coverage import Coverage
from spanledger.scoring.loss import CAUSES, cause_after_candidates, cause_before_candidates
from spanledger.selection import Selector, lengths, select


def before(one, chunks, eligible, matched=(), admitted=lambda key: True):
    return cause_before_candidates(one, Coverage(chunks), eligible, range(len(chunks)), admitted, lambda: matched)


def after(one, chunks, order=None, **limits):
    """The cause for a fact that the candidates, in this order, cover and the context does not."""
    order = tuple(range(len(chunks)) if order is None else order)
    ranking = Ranking("q", order, tuple(float(len(order) - place) for place in range(len(order))))
    selector = Selector(unit="char" if limits.get("budget") else None, **limits)
    sizes = lengths(chunks, "char")
    context, coverage = selector.select(ranking, sizes), Coverage(chunks)
    assert coverage.fact_covered(one, set(order))
    assert not coverage.fact_covered(one, set(context.chunks))
    return cause_after_candidates(one, coverage, chunks, ranking, context, selector, sizes)


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

    assert cause_before_candidates(ONE, Coverage([]), set(), range(0), lambda key: True, never) == "not_chunked"


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


# The whole chain on small random corpora: every fact that the context lacks has a cause, and the cause is true.

ANALYZER = {"analyzer": "ascii_words"}
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
    chunks, _ = chunk_documents(
        documents,
        [],
        {
            "method": "window",
            "unit": "char",
            "chunk_size": 4,
            "chunk_overlap": setting["chunk_overlap"],
            "tail": "drop",
        },
    )
    eligibility = {"versions": setting["versions"], "visibility": None, "acl": setting["acl"]}
    branch = {"index": "words", "scorer": "term_overlap", "depth": setting["depth"], "tie": "document"}
    limits = {"top_k": setting["top_k"], "budget": setting["budget"], "unit": "char"}
    queries = [query("q", asked)]
    indexes, _ = build_indexes(chunks, documents, queries, eligibility, ANALYZER)
    candidates, _ = retrieve(indexes, chunks, queries, "ascii_words", branch)
    contexts, _ = select(candidates, chunks, limits)
    settings = {
        "eligibility": eligibility,
        "select": limits,
        "score": {"coverage": {"rule": "span"}, "cost": {"unit": "char"}, "trail": None},
        "branches": {"words": branch},
        "analyzers": {"words": "ascii_words"},
    }
    scorer = ArmScorer("arm", chunks, documents, queries, [gold("q", wanted)], {"words": indexes}, settings)
    (row,) = scorer.score(candidates, contexts)
    return row, chunks, documents


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
    assert row["facts"] == [{"fact_id": "f", "index": True, "candidates": True, "context": True, "cause": None}]


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
