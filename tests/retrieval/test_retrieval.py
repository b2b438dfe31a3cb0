"""Rankings of a branch: eligible chunks alone, cut by depth, whatever the order of the input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core.ordering import TIES, tie_ranks
from spanledger.retrieval import Retriever, retrieve
from spanledger.retrieval.indexing import build_indexes

ALL = {"versions": "all", "visibility": None, "acl": "ignore"}
OVERLAP = {"index": "words", "scorer": "term_overlap", "depth": None, "tie": "document"}
BM25 = {**OVERLAP, "scorer": "bm25", "k1": 1.2, "b": 0.75}
BODIES = st.lists(st.lists(st.sampled_from("abc"), max_size=5).map(" ".join), max_size=8)
TEXT = st.lists(st.sampled_from("abcd"), max_size=4).map(" ".join)


def table(bodies, **rest):
    return [chunk(place, body, f"d{place}", **rest) for place, body in enumerate(bodies)]


def run(chunks, queries, setting, eligibility=ALL, documents=None, synonyms=()):
    documents = documents or [document(c.doc_id, c.body, c.version) for c in chunks]
    indexes, _ = build_indexes(chunks, documents, queries, eligibility, {"analyzer": "ascii_words"})
    return retrieve(indexes, chunks, queries, "ascii_words", setting, synonyms)


def test_a_ranking_by_hand():
    chunks = table(["b", "a b", "c", "a b c", "b a"])
    (ranking,), counters = run(chunks, [query("q", "a b")], OVERLAP)
    assert (ranking.query_id, ranking.chunks, ranking.scores) == ("q", (1, 3, 4, 0), (2.0, 2.0, 2.0, 1.0))
    assert counters == {
        "queries": 1,
        "queries_without_candidates": 0,
        "candidates": 4,
        "term_checks": 10,  # two terms, five chunks
        "nonzero_contributions": 7,  # a in three, b in four
        "synonym_group_checks": 0,
        "added_terms": 0,
    }


def test_counters_are_taken_before_the_cut_and_over_eligible_chunks():
    chunks = table(["a", "a b", "b", "a"])
    documents = [document(f"d{place}", current=place != 3) for place in range(4)]
    queries = [query("1", "a b x"), query("2", "a"), query("3", "x")]
    _, counters = run(chunks, queries, {**OVERLAP, "depth": 1}, {**ALL, "versions": "current"}, documents)
    assert counters == {
        "queries": 3,
        "queries_without_candidates": 1,
        "candidates": 2,
        "term_checks": 3 * 3 + 1 * 3 + 1 * 3,
        "nonzero_contributions": 4 + 2 + 0,
        "synonym_group_checks": 0,
        "added_terms": 0,
    }


@given(BODIES, TEXT, st.sampled_from([OVERLAP, BM25]), st.sampled_from(TIES))
def test_the_first_k_never_depend_on_k(bodies, text, setting, tie):
    chunks = table(bodies)
    setting = {**setting, "tie": tie}
    (whole,), _ = run(chunks, [query("q", text)], setting)
    for depth in range(1, len(bodies) + 2):
        (cut,), _ = run(chunks, [query("q", text)], {**setting, "depth": depth})
        assert cut.chunks == whole.chunks[:depth]
        assert cut.scores == whole.scores[:depth]


@given(BODIES, TEXT, st.sampled_from([OVERLAP, BM25]))
def test_candidates_are_the_chunks_that_hold_a_query_term_best_first(bodies, text, setting):
    (ranking,), _ = run(table(bodies), [query("q", text)], setting)
    assert set(ranking.chunks) == {n for n, body in enumerate(bodies) if set(body.split()) & set(text.split())}
    assert len(set(ranking.chunks)) == len(ranking.chunks)
    assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
    assert all(score > 0 for score in ranking.scores)


@given(
    BODIES, st.lists(TEXT, min_size=1, max_size=4), st.sampled_from([OVERLAP, BM25]), st.randoms(use_true_random=False)
)
def test_no_order_of_queries_or_documents_changes_a_ranking(bodies, texts, setting, rng):
    chunks = table(bodies)
    documents = [document(c.doc_id, c.body) for c in chunks]
    queries = [query(f"q{place}", text, groups=("g",) * (place % 2)) for place, text in enumerate(texts)]
    rule = {**ALL, "acl": "asker"}
    expected = run(chunks, queries, setting, rule, documents)
    assert [ranking.query_id for ranking in expected[0]] == [f"q{place}" for place in range(len(texts))]
    rng.shuffle(queries)
    rng.shuffle(documents)
    assert run(chunks, queries, setting, rule, documents) == expected


@given(BODIES, TEXT, st.sampled_from([OVERLAP, BM25]), st.integers(0, 255))
def test_what_is_not_eligible_might_as_well_not_exist(bodies, text, setting, mask):
    """The ranking over an index of some chunks equals the one over a corpus of these chunks alone."""
    chunks = table(bodies)
    kept = [place for place in range(len(bodies)) if mask >> place & 1]
    documents = [document(c.doc_id, current=c.ordinal in kept) for c in chunks]
    (filtered,), _ = run(chunks, [query("q", text)], setting, {**ALL, "versions": "current"}, documents)
    alone = [chunk(new, bodies[old], f"d{old}") for new, old in enumerate(kept)]
    (expected,), _ = run(alone, [query("q", text)], setting)
    assert filtered.chunks == tuple(kept[ordinal] for ordinal in expected.chunks)
    assert filtered.scores == expected.scores


def test_each_query_is_answered_from_the_index_of_its_class():
    chunks = [chunk(0, "a open", "d0"), chunk(1, "a a secret", "d1", acl=("g",))]
    queries = [query("out", "a secret"), query("in", "a secret", groups=("g",))]
    rankings, counters = run(chunks, queries, OVERLAP, {**ALL, "acl": "asker"})
    assert [(r.query_id, r.chunks) for r in rankings] == [("in", (1, 0)), ("out", (0,))]
    assert counters["term_checks"] == 2 * 2 + 2 * 1


def test_nothing_to_find():
    assert run([], [query("q", "a")], BM25)[0][0].chunks == ()
    assert run(table(["", " "]), [query("q", "a")], BM25)[0][0].chunks == ()
    assert run(table(["a"]), [query("q", "")], BM25)[0][0].chunks == ()
    assert run(table(["a"]), [], BM25)[0] == []


def test_scores_are_by_ordinal_and_zero_where_not_eligible():
    chunks = table(["a", "a", "b"])
    documents = [document("d0", current=False), document("d1"), document("d2")]
    queries = [query("q", "a")]
    indexes, _ = build_indexes(chunks, documents, queries, {**ALL, "versions": "current"}, {"analyzer": "ascii_words"})
    retriever = Retriever(indexes[0], tie_ranks(chunks, "document"), "ascii_words", OVERLAP)
    assert np.array_equal(retriever.scores(queries[0]), [0.0, 1.0, 0.0])
    assert np.array_equal(retriever.scores(queries[0]), [0.0, 1.0, 0.0])  # what is cached is not added to
    assert retriever.terms(query(text="b a b")) == ["a", "b"]


def test_chunks_that_score_nothing_are_candidates_where_the_setting_keeps_them():
    """Eligible ones alone, and they stand behind the others in the order of the tie key."""
    chunks = table(["x", "a", "", "b a", "y"])
    documents = [document(f"d{place}", current=place != 4) for place in range(5)]
    queries = [query("q", "a b"), query("none", "z"), query("empty", "")]
    kept = {**OVERLAP, "keep_zero": True}
    rankings, counters = run(chunks, queries, kept, {**ALL, "versions": "current"}, documents)
    found = {ranking.query_id: (ranking.chunks, ranking.scores) for ranking in rankings}
    assert found == {
        "q": ((3, 1, 0, 2), (2.0, 1.0, 0.0, 0.0)),
        "none": ((0, 1, 2, 3), (0.0, 0.0, 0.0, 0.0)),
        "empty": ((0, 1, 2, 3), (0.0, 0.0, 0.0, 0.0)),
    }
    assert (counters["queries_without_candidates"], counters["candidates"]) == (0, 12)
    assert counters["nonzero_contributions"] == 3  # a in two, b in one: what is kept contributes nothing
    (cut, _, _), _ = run(chunks, queries, {**kept, "depth": 3}, {**ALL, "versions": "current"}, documents)
    assert cut.query_id == "empty" and cut.chunks == (0, 1, 2)


@given(BODIES, TEXT, st.sampled_from([OVERLAP, BM25]), st.sampled_from(TIES))
def test_keeping_zeros_only_adds_to_the_end(bodies, text, setting, tie):
    chunks, setting = table(bodies), {**setting, "tie": tie}
    (plain,), _ = run(chunks, [query("q", text)], setting)
    (kept,), _ = run(chunks, [query("q", text)], {**setting, "keep_zero": True})
    assert sorted(kept.chunks) == list(range(len(bodies)))
    assert kept.chunks[: len(plain.chunks)] == plain.chunks
    assert kept.scores == plain.scores + (0.0,) * (len(bodies) - len(plain.chunks))


def test_a_term_that_the_query_has_twice_counts_twice_where_the_setting_says_so():
    chunks, asked = table(["a", "b", "a b"]), [query("q", "b a b c c")]
    (once,), counted = run(chunks, asked, OVERLAP)
    assert (once.chunks, once.scores) == ((2, 0, 1), (2.0, 1.0, 1.0))
    assert (counted["term_checks"], counted["nonzero_contributions"]) == (3 * 3, 2 + 2)
    (twice,), counted = run(chunks, asked, {**OVERLAP, "repeat_query_terms": True})
    assert (twice.chunks, twice.scores) == ((2, 1, 0), (3.0, 2.0, 1.0))
    assert (counted["term_checks"], counted["nonzero_contributions"]) == (5 * 3, 2 + 2 * 2)


@given(BODIES, TEXT)
def test_repeated_terms_add_their_contribution_again_one_after_the_other(bodies, text):
    """The same floats as a plain loop over the query's words in code point order, bit for bit."""
    words = [body.split() for body in bodies]
    average = sum(map(len, words)) / len(words) if words else 0
    (ranking,), _ = run(table(bodies), [query("q", text)], {**BM25, "repeat_query_terms": True})
    scores = dict.fromkeys(range(len(bodies)), 0.0)
    for term in sorted(text.split()):
        df = sum(term in one for one in words)
        for place, one in enumerate(words):
            if term in one:
                idf, tf = math.log(1 + (len(words) - df + 0.5) / (df + 0.5)), one.count(term)
                scores[place] += idf * tf * (1.2 + 1) / (tf + 1.2 * (1 - 0.75 + 0.75 * len(one) / average))
    assert dict(zip(ranking.chunks, ranking.scores, strict=True)) == {o: s for o, s in scores.items() if s > 0}


GROUPS = (("fee", "charge"), ("charge", "cost", "c-3"), ("log file", "journal"))


def test_expansion_searches_the_terms_of_the_groups_that_the_query_triggers():
    """fee triggers the first group; charge, which that adds, triggers nothing."""
    chunks, asked = (
        table(["charge", "cost", "fee charge", "journal"]),
        [query("q", "what fee"), query("r", "a file log")],
    )
    plain, counted = run(chunks, asked, OVERLAP, synonyms=GROUPS)
    assert [ranking.chunks for ranking in plain] == [(2,), ()]
    assert (counted["synonym_group_checks"], counted["added_terms"], counted["term_checks"]) == (0, 0, 2 * 4 + 3 * 4)
    expanded, counted = run(chunks, asked, {**OVERLAP, "expand": "synonym_groups"}, synonyms=GROUPS)
    assert [(r.chunks, r.scores) for r in expanded] == [((2, 0), (2.0, 1.0)), ((3,), (1.0,))]
    assert counted["synonym_group_checks"] == 3 * 2
    assert counted["added_terms"] == 1 + 1
    assert counted["term_checks"] == (2 + 1) * 4 + (3 + 1) * 4
    assert counted["nonzero_contributions"] == (1 + 2) + 1


def test_an_added_term_is_searched_once_even_where_the_query_s_own_are_repeated():
    chunks = table(["charge", "fee"])
    setting = {**OVERLAP, "expand": "synonym_groups", "repeat_query_terms": True}
    (ranking,), counted = run(chunks, [query("q", "fee fee")], setting, synonyms=GROUPS)
    assert (ranking.chunks, ranking.scores) == ((1, 0), (2.0, 1.0))
    assert counted["term_checks"] == (2 + 1) * 2


def test_what_does_not_fit_together_is_refused():
    chunks = table(["a"])
    indexes, _ = build_indexes(chunks, [document("d0")], [query("q")], ALL, {"analyzer": "ascii_words"})
    with pytest.raises(ValueError, match="query 'other' belongs to no eligibility class of the index"):
        retrieve(indexes, chunks, [query("other")], "ascii_words", OVERLAP)
    with pytest.raises(ValueError, match="scorer 'tfidf'"):
        retrieve(indexes, chunks, [query("q")], "ascii_words", {**OVERLAP, "scorer": "tfidf"})
    with pytest.raises(ValueError, match="tie 'none'"):
        retrieve(indexes, chunks, [query("q")], "ascii_words", {**OVERLAP, "tie": "none"})
    with pytest.raises(ValueError, match="analyzer 'words'"):
        retrieve(indexes, chunks, [query("q")], "words", OVERLAP)


@given(BODIES, TEXT, st.sampled_from([OVERLAP, BM25]), st.booleans(), st.booleans(), st.integers(0, 255))
def test_contributions_add_up_to_the_score_to_the_last_bit(bodies, text, setting, repeat, expand, mask):
    """One after the other, as they stand; sum() itself compensates from Python 3.12 on. Nothing that is not eligible and
    nothing without a term has any."""
    setting = {**setting, "repeat_query_terms": repeat, "expand": "synonym_groups" if expand else None}
    chunks, asked = table(bodies), query("q", text)
    documents = [document(c.doc_id, current=bool(mask >> c.ordinal & 1)) for c in chunks]
    rule = {**ALL, "versions": "current"}
    (index,), _ = build_indexes(chunks, documents, [asked], rule, {"analyzer": "ascii_words"})
    groups = (("a", "c"), ("d", "b"))
    retriever = Retriever(index, tie_ranks(chunks, "document"), "ascii_words", setting, groups)
    scores = retriever.scores(asked)
    for ordinal, body in enumerate(bodies):
        found = retriever.contributions(asked, ordinal)
        total = 0.0
        for contribution in found:
            total += contribution.value
        assert total == scores[ordinal]
        eligible = mask >> ordinal & 1
        held = set(body.split()) if eligible else set()
        assert [c.term for c in found] == [term for term in retriever.terms(asked) if term in held]
        assert all(c.tf == body.split().count(c.term) for c in found)
        assert retriever.length(ordinal) == (len(body.split()) if eligible else 0)


def test_what_is_searched_and_what_a_term_is_worth():
    chunks = table(["fee fee charge", "cost", "x"])
    asked = query("q", "fee x fee")
    (index,), _ = build_indexes(chunks, [document(c.doc_id) for c in chunks], [asked], ALL, {"analyzer": "ascii_words"})
    setting = {**BM25, "expand": "synonym_groups", "repeat_query_terms": True}
    retriever = Retriever(index, tie_ranks(chunks, "document"), "ascii_words", setting, GROUPS)
    told = [(t.term, t.times, t.expanded, t.df) for t in retriever.searched(asked)]
    assert told == [("charge", 1, True, 1), ("fee", 2, False, 1), ("x", 1, False, 1)]
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert {t.parts["idf"] for t in retriever.searched(asked)} == {idf}
    charge, fee, again = retriever.contributions(asked, 0)
    assert fee == again and fee.tf == 2
    # 3 terms, 5 / 3 on average: 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 9 / 5))
    assert fee.parts["tf_part"] == pytest.approx(4.4 / 3.92, rel=1e-12)
    assert fee.value == pytest.approx(idf * 4.4 / 3.92, rel=1e-12)
    assert charge.value == pytest.approx(idf * 2.2 / 2.92, rel=1e-12)
