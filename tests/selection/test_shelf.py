"""What a selector asks: lengths, terms, parents and the text between spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document
from spanledger.normalise import Policy, normalise_documents
from spanledger.selection.rendering import Rendering
from spanledger.selection.shelf import Shelf


def lengths(chunks, unit):
    shelf = Shelf(chunks)
    return [shelf.measure(Rendering(), unit).weight(held) for held in chunks]


def test_lengths_are_those_of_the_bodies():
    chunks = [chunk(0, "one two é"), chunk(1, "three", retrieval_text="title three")]
    assert lengths(chunks, "char") == [9, 5]
    assert lengths(chunks, "word") == [3, 1]
    assert lengths(chunks, "byte") == [10, 5]
    assert lengths(chunks, "lexical") == [3, 1]
    with pytest.raises(ValueError, match="unit 'token'"):
        lengths(chunks, "token")


def test_a_length_that_the_chunking_counted_is_not_counted_again():
    known = chunk(0, "one two")
    known.lengths["word"] = 7
    assert lengths([known], "word") == [7]


def test_terms_are_the_distinct_ones_of_the_body_by_analyzer():
    shelf = Shelf([chunk(0, "b a b 日志", retrieval_text="title b a b")])
    assert shelf.terms("ascii_words", 0) == {"a", "b"}
    assert shelf.terms("cjk_bigrams", 0) == {"a", "b", "日志"}
    assert shelf.terms("ascii_words", 0) == {"a", "b"}


def parent(ordinal, *spans, **rest):
    return chunk(ordinal, "x", spans=spans, **rest)


def found(spans, *parents, **rest):
    """The ordinal of the parent of a chunk with these spans, or None."""
    result = Shelf([chunk(0, "x", spans=spans, **rest)], parents=list(parents)).parent(0)
    return None if result is None else result.ordinal


def test_a_parent_holds_all_of_the_chunk():
    assert found([(2, 6)], parent(0, (0, 6)), parent(1, (6, 9))) == 0
    assert found([(2, 6)], parent(0, (0, 5)), parent(1, (5, 9))) is None  # cut by both
    assert found([(2, 6)], parent(0, (2, 6))) == 0
    assert found([(2, 6)]) is None


def test_of_several_parents_the_first_in_the_table_counts():
    assert found([(4, 6)], parent(0, (0, 5)), parent(1, (3, 8)), parent(2, (4, 6))) == 1
    apart = [parent(n, (0, 2)) for n in range(9)]
    apart[1], apart[8] = parent(1, (3, 8)), parent(8, (2, 7))
    assert found([(4, 6)], *apart) == 1


def test_all_spans_of_the_chunk_must_be_in_it_and_its_own_touching_spans_join():
    assert found([(0, 2), (5, 6)], parent(0, (0, 3)), parent(1, (0, 2), (4, 9))) == 1
    assert found([(1, 5)], parent(0, (0, 3), (3, 6))) == 0
    assert found([(1, 5)], parent(0, (0, 3), (4, 6))) is None


def test_another_document_or_version_has_no_parents_for_it():
    other = [parent(0, (0, 9), doc_id="other"), parent(1, (0, 9), version="v2"), parent(2, (0, 9))]
    assert found([(2, 6)], *other) == 2
    assert found([(2, 6)], *other[:2]) is None


SPANS = st.lists(st.integers(0, 14), min_size=2, max_size=4, unique=True).map(
    lambda cuts: [(a, b) for a, b in zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False)]
)


@given(SPANS, st.lists(SPANS, max_size=5))
def test_parents_against_sets_of_positions(spans, parents):
    def positions(several):
        return {place for span in several for place in range(*span)}

    expected = [n for n, one in enumerate(parents) if positions(spans) <= positions(one)]
    table = [parent(n, *one) for n, one in enumerate(parents)]
    assert found(spans, *table) == (expected[0] if expected else None)


def test_text_is_normalised_and_leads_from_raw_spans():
    documents = normalise_documents([document("doc", "a\r\nb\r\ncd")], Policy(newlines="lf"))
    shelf = Shelf([], documents)
    assert shelf.text(("doc", "v1"), [(0, 4)]) == "a\nb"
    assert shelf.text(("doc", "v1"), [(0, 1), (6, 8)]) == "a\ncd"
