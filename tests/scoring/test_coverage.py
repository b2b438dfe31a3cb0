"""Coverage against sets of (document, version, position)."""

from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, evidence, fact
from spanledger.scoring.coverage import Coverage

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
    coverage = Coverage(chunks)
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
    assert Coverage(chunks).source_lengths(ordinals) == (every, len(held(chunks, ordinals)))


def test_chunks_cover_together_and_one_missing_character_fails():
    chunks = [chunk(0, "x", spans=[(0, 64)]), chunk(1, "x", spans=[(65, 128)]), chunk(2, "x", spans=[(64, 128)])]
    coverage, one = Coverage(chunks), fact("f", [evidence(40, 90)])
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
    assert not Coverage(chunks).fact_covered(one, {0, 1, 2})
    assert not Coverage(chunks).fact_covered(fact("f", [evidence(0, 9, "d", "v3")]), {0, 1, 2})


def test_groups_are_alternatives_and_their_spans_are_all_needed():
    chunks = [chunk(0, "x", spans=[(0, 5)]), chunk(1, "x", spans=[(10, 15)]), chunk(2, "x", "other", spans=[(0, 3)])]
    one = fact("f", [evidence(0, 5), evidence(10, 15)], [evidence(1, 2, "other")])
    coverage = Coverage(chunks)
    assert not coverage.fact_covered(one, {0})
    assert not coverage.fact_covered(one, {1})
    assert coverage.fact_covered(one, {0, 1})
    assert coverage.fact_covered(one, {2})


def test_an_answer_does_not_depend_on_what_was_asked_before():
    coverage = Coverage([chunk(0, "x", spans=[(0, 5)]), chunk(1, "x", spans=[(5, 9)])])
    one = fact("f", [evidence(2, 7)])
    assert [coverage.fact_covered(one, pool) for pool in ({0, 1}, {0}, {1}, {0, 1})] == [True, False, False, True]


def test_any_container_of_ordinals_will_do():
    coverage = Coverage([chunk(0, "x", spans=[(0, 5)]), chunk(1, "x", spans=[(5, 9)])])
    assert coverage.fact_covered(fact("f", [evidence(2, 7)]), range(2))
    assert not coverage.fact_covered(fact("f", [evidence(2, 7)]), range(1))
