"""Coverage against sets of (document, version, position), and of terms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, evidence, fact
from spanledger.normalise import Policy, normalise_documents
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.selection.context import Piece

SPAN_RULE, ONE_CHUNK = Rule({"rule": "span"}), Rule({"rule": "one_chunk"})
SOURCES = [("a", "v1"), ("a", "v2"), ("b", "v1")]
SPAN = st.tuples(st.integers(0, 12), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))
CHUNKS = st.lists(st.tuples(st.sampled_from(SOURCES), st.lists(SPAN, min_size=1, max_size=2)), max_size=7).map(
    lambda parts: [chunk(n, "x", *source, spans=sorted(spans)) for n, (source, spans) in enumerate(parts)]
)
EVIDENCE = st.tuples(st.sampled_from(SOURCES), SPAN).map(lambda pair: evidence(*pair[1], *pair[0]))
FACT = st.lists(st.lists(EVIDENCE, min_size=1, max_size=3), min_size=1, max_size=3).map(lambda gs: fact("f", *gs))


def held(chunks, ordinals):
    return {(*chunks[o].key, place) for o in ordinals for span in chunks[o].spans for place in range(*span)}


def needed(one):
    return {(one.doc_id, one.version, place) for place in range(*one.span)}


@given(CHUNKS, FACT, st.sets(st.integers(0, 6)))
def test_a_fact_is_covered_when_some_group_has_every_position(chunks, one, ordinals):
    ordinals = {o for o in ordinals if o < len(chunks)}
    positions = held(chunks, ordinals)
    coverage = Coverage(chunks, SPAN_RULE)
    assert coverage.fact_covered(one, ordinals) == any(
        all(needed(part) <= positions for part in group) for group in one.support
    )
    for group in one.support:
        for part in group:
            assert coverage.span_covered(part, ordinals) == (needed(part) <= positions)
            assert coverage.holders(part) == [o for o in range(len(chunks)) if needed(part) & held(chunks, [o])]


@given(CHUNKS, st.lists(st.integers(0, 6)))
def test_source_lengths_count_positions_once_for_each_chunk_and_once(chunks, ordinals):
    ordinals = [o for o in ordinals if o < len(chunks)]
    every = sum(end - start for o in ordinals for start, end in chunks[o].spans)
    assert Coverage(chunks, SPAN_RULE).source_lengths(ordinals) == (every, len(held(chunks, ordinals)))


def test_chunks_cover_together_and_one_missing_character_fails():
    chunks = [chunk(0, "x", spans=[(0, 64)]), chunk(1, "x", spans=[(65, 128)]), chunk(2, "x", spans=[(64, 128)])]
    coverage, one = Coverage(chunks, SPAN_RULE), fact("f", [evidence(40, 90)])
    assert not coverage.fact_covered(one, {0})
    assert not coverage.fact_covered(one, {0, 1})  # position 64 is missing
    assert coverage.fact_covered(one, {0, 2})  # touching spans join
    assert coverage.fact_covered(one, {0, 1, 2})
    assert not coverage.fact_covered(one, set())


def test_another_version_or_document_never_helps():
    chunks = [
        chunk(0, "x", "d", "v1", [(0, 9)]),
        chunk(1, "x", "d", "v2", [(0, 5)]),
        chunk(2, "x", "e", "v2", [(0, 9)]),
    ]
    one = fact("f", [evidence(0, 9, "d", "v2")])
    assert not Coverage(chunks, SPAN_RULE).fact_covered(one, {0, 1, 2})
    assert not Coverage(chunks, SPAN_RULE).fact_covered(fact("f", [evidence(0, 9, "d", "v3")]), {0, 1, 2})


def test_groups_are_alternatives_and_their_spans_are_all_needed():
    chunks = [chunk(0, "x", spans=[(0, 5)]), chunk(1, "x", spans=[(10, 15)]), chunk(2, "x", "other", spans=[(0, 3)])]
    one = fact("f", [evidence(0, 5), evidence(10, 15)], [evidence(1, 2, "other")])
    coverage = Coverage(chunks, SPAN_RULE)
    assert not coverage.fact_covered(one, {0})
    assert not coverage.fact_covered(one, {1})
    assert coverage.fact_covered(one, {0, 1})
    assert coverage.fact_covered(one, {2})


def test_an_answer_does_not_depend_on_what_was_asked_before():
    coverage = Coverage([chunk(0, "x", spans=[(0, 5)]), chunk(1, "x", spans=[(5, 9)])], SPAN_RULE)
    one = fact("f", [evidence(2, 7)])
    assert [coverage.fact_covered(one, pool) for pool in ({0, 1}, {0}, {1}, {0, 1})] == [True, False, False, True]


def test_any_container_of_ordinals_will_do():
    coverage = Coverage([chunk(0, "x", spans=[(0, 5)]), chunk(1, "x", spans=[(5, 9)])], SPAN_RULE)
    assert coverage.fact_covered(fact("f", [evidence(2, 7)]), range(2))
    assert not coverage.fact_covered(fact("f", [evidence(2, 7)]), range(1))


# one_chunk


@given(CHUNKS, FACT, st.sets(st.integers(0, 6)))
def test_by_one_chunk_every_span_needs_a_chunk_that_has_all_of_its_positions(chunks, one, ordinals):
    ordinals = {o for o in ordinals if o < len(chunks)}
    coverage = Coverage(chunks, ONE_CHUNK)
    assert coverage.fact_covered(one, ordinals) == any(
        all(any(needed(part) <= held(chunks, [o]) for o in ordinals) for part in group) for group in one.support
    )
    for part in (part for group in one.support for part in group):
        assert coverage.span_covered(part, ordinals) == any(needed(part) <= held(chunks, [o]) for o in ordinals)
        assert coverage.holders(part) == [o for o in range(len(chunks)) if needed(part) & held(chunks, [o])]


def test_one_chunk_by_hand():
    chunks = [chunk(0, "x", spans=[(0, 6)]), chunk(1, "x", spans=[(6, 12)]), chunk(2, "x", spans=[(4, 8), (8, 10)])]
    coverage = Coverage(chunks, ONE_CHUNK)
    assert not coverage.span_covered(evidence(4, 9), {0, 1})  # together, and not alone
    assert coverage.span_covered(evidence(4, 9), {2})  # its own touching spans join
    assert coverage.span_covered(evidence(0, 6), {0})
    both = fact("f", [evidence(0, 2), evidence(10, 12)])
    assert coverage.fact_covered(both, {0, 1})  # each span of a group by a chunk of its own
    assert not coverage.fact_covered(both, {0, 2})


# token_share

TERMS = "abcdef"
TEXT = "a b c d e"


def share(at_least, *bodies, text=TEXT, analyzer="ascii_words", span=None):
    """For each passage alone whether it covers the span, by default all of the text."""
    setting = {"rule": "token_share", "at_least": at_least, "within": "one_chunk", "analyzer": analyzer}
    coverage = Coverage(
        [chunk(place, body, "elsewhere") for place, body in enumerate(bodies)],
        Rule(setting, [document(text=text)]),
    )
    wanted = evidence(*(span or (0, len(text))))
    found = [coverage.span_covered(wanted, {place}) for place in range(len(bodies))]
    assert coverage.holders(wanted) == [place for place, covered in enumerate(found) if covered]
    assert coverage.span_covered(wanted, range(len(bodies))) == any(found)
    return found


def test_counts_are_compared_and_not_ratios():
    assert share("0.6", "a b c", "a b", "x y z a b c", "a a a") == [True, False, True, False]  # 3 of 5 is 0.6 exactly
    assert share("0.60001", "a b c", "a b c d") == [False, True]
    assert share("1", "a b c d", "e d c b a") == [False, True]
    assert 0.28 * 25 > 7  # in floats, so that 7 of 25 would be too few
    letters = "a b c d e f g h i j k l m n o p q r s t u v w x y"
    assert share("0.28", letters[:13], letters[:11], text=letters) == [True, False]


def test_a_term_counts_once_on_either_side():
    assert share("0.5", "a", "a a a a", "b a", text="a a a b") == [True, True, True]  # of two distinct terms
    assert share("0.51", "a", "a b", text="a a a b") == [False, True]


def test_no_two_passages_cover_a_span_together():
    """a b, then d e: four of five terms, but two in each."""
    setting = {"rule": "token_share", "at_least": "0.6", "analyzer": "ascii_words"}
    coverage = Coverage([chunk(0, "a b"), chunk(1, "d e")], Rule(setting, [document(text=TEXT)]))
    assert not coverage.span_covered(evidence(0, 9), {0, 1})
    both = fact("f", [evidence(0, 3), evidence(6, 9)])  # a b and d e, each a span
    assert coverage.fact_covered(both, {0, 1})
    assert not coverage.fact_covered(both, {0})


def test_a_share_of_0_still_needs_terms_in_the_span():
    assert share("0.0", "x", "") == [True, True]
    assert share("0.0", "x", "...", text="...") == [False, False]
    assert share("0.1", "... a", text=". . .") == [False]
    assert share("1", "日", text="日", analyzer="cjk_bigrams") == [False]  # a lone character gives no term
    assert share("1", "日", text="日", analyzer="lexical_terms") == [True]


def test_the_terms_are_those_of_the_span_as_it_is_normalised():
    raw = "x A\u200bb c"
    documents = normalise_documents([document(text=raw)], Policy(zero_width="drop"))
    rule = Rule({"rule": "token_share", "at_least": "1", "analyzer": "ascii_words"}, documents)
    coverage = Coverage([chunk(0, "ab"), chunk(1, "a b")], rule)
    assert [coverage.span_covered(evidence(2, 5), {place}) for place in (0, 1)] == [True, False]
    coverage = Coverage([chunk(0, "c"), chunk(1, "b")], rule)
    assert [coverage.span_covered(evidence(6, 7), {place}) for place in (0, 1)] == [True, False]  # one place further on
    assert share("1", "b c", "a b", span=(2, 5)) == [True, False]


@given(
    st.lists(st.sampled_from(TERMS), max_size=6),
    st.lists(st.lists(st.sampled_from(TERMS), max_size=6), min_size=1, max_size=4),
    st.integers(0, 10),
)
def test_against_exact_fractions(wanted, bodies, tenths):
    terms = set(wanted)
    expected = [bool(terms) and Fraction(len(terms & set(body)), len(terms)) >= Fraction(tenths, 10) for body in bodies]
    at_least = "1.0" if tenths == 10 else f"0.{tenths}"
    assert share(at_least, *map(" ".join, bodies), text=" ".join(wanted) or ".") == expected


# all rules


def rules(at_least="0.5"):
    documents = [document(doc_id, "x y z x " * 3, version) for doc_id, version in SOURCES]  # the chunks say x
    share_rule = Rule({"rule": "token_share", "at_least": at_least, "analyzer": "ascii_words"}, documents)
    return st.sampled_from([SPAN_RULE, ONE_CHUNK, share_rule])


@given(CHUNKS, FACT, rules(), st.sets(st.integers(0, 6)), st.sets(st.integers(0, 6)))
def test_more_passages_never_cover_less(chunks, one, rule, ordinals, more):
    coverage, every = Coverage(chunks, rule), range(len(chunks))
    some = {o for o in ordinals if o in every}
    larger = some | {o for o in more if o in every}
    assert coverage.fact_covered(one, larger) >= coverage.fact_covered(one, some)
    assert coverage.fact_covered(one, every) >= coverage.fact_covered(one, larger)
    for part in (part for group in one.support for part in group):
        alone = set(coverage.holders(part)) & some
        assert coverage.span_covered(part, some) == coverage.span_covered(part, alone)  # the others have no part in it


@given(CHUNKS, FACT)
def test_one_chunk_covers_no_more_than_their_union(chunks, one):
    every = range(len(chunks))
    assert Coverage(chunks, SPAN_RULE).fact_covered(one, every) >= Coverage(chunks, ONE_CHUNK).fact_covered(one, every)


@pytest.mark.parametrize("rule", [SPAN_RULE, ONE_CHUNK])
def test_the_passages_of_a_context_are_judged_as_chunks_are(rule):
    pieces = [Piece("doc", "v1", ((0, 3), (5, 9)), "x", None, (7, 4)), Piece("other", "v1", ((0, 9),), "x", None, (2,))]
    coverage = Coverage(pieces, rule)
    assert coverage.span_covered(evidence(5, 9), range(2))
    assert not coverage.span_covered(evidence(2, 6), range(2))
    assert coverage.source_lengths(range(2)) == (16, 16)


def test_what_is_no_rule_is_refused():
    with pytest.raises(ValueError, match="coverage rule 'spam': expected one of span, one_chunk, token_share"):
        Rule({"rule": "spam"})
    with pytest.raises(ValueError, match="analyzer 'words'"):
        Rule({"rule": "token_share", "at_least": "0.5", "analyzer": "words"})
