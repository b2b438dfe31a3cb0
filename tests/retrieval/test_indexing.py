"""Postings and statistics over eligible chunks alone, against plain counting."""

import dataclasses
from collections import Counter

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core import files
from spanledger.core.analyzers import ascii_words
from spanledger.retrieval.indexing import build_indexes, entry_id, from_records, read, to_records

WORDS = {"analyzer": "ascii_words"}
ALL = {"versions": "all", "visibility": None, "acl": "ignore"}
BODIES = st.lists(st.lists(st.sampled_from(["a", "b", "a-1", "..."]), max_size=6).map(" ".join), max_size=6)


def table(*bodies, **rest):
    return [chunk(place, body, f"d{place}", **rest) for place, body in enumerate(bodies)]


def documents_of(chunks):
    return [document(c.doc_id, c.body, c.version) for c in chunks]


def test_an_index_by_hand():
    chunks = table("b a b", "", "a-1 b")
    (index,), counters = build_indexes(chunks, documents_of(chunks), [query("q2"), query("q1")], ALL, WORDS)
    assert index.name == "class-1"
    assert index.query_ids == ("q1", "q2")
    assert index.eligible == [0, 1, 2]
    assert index.lengths == [3, 0, 2]
    assert list(index.postings.items()) == [("a", ([0], [1])), ("a-1", ([2], [1])), ("b", ([0, 2], [2, 1]))]
    assert index.average_length == 5 / 3  # the empty chunk counts
    assert counters == {
        "chunks": 3,
        "classes": [
            {
                "name": "class-1",
                "queries": 2,
                "eligible": 3,
                "excluded": 0,
                "terms": 5,
                "vocabulary": 3,
                "average_length": 5 / 3,
            }
        ],
    }


def test_statistics_are_those_of_the_eligible_chunks():
    """Six chunks, three of an old version: N, the average length and the frequencies know nothing of these three."""
    chunks = [
        chunk(place, body, f"d{place % 3}", "v1" if place < 3 else "v2")
        for place, body in enumerate(["rare rare rare", "rare common", "rare", "common", "common common", "rare other"])
    ]
    documents = [document(c.doc_id, c.body, c.version, current=c.version == "v2") for c in chunks]
    (index,), counters = build_indexes(chunks, documents, [query()], {**ALL, "versions": "current"}, WORDS)
    assert index.eligible == [3, 4, 5]
    assert index.postings == {"common": ([3, 4], [1, 2]), "other": ([5], [1]), "rare": ([5], [1])}
    assert index.average_length == 5 / 3
    assert counters["classes"][0]["excluded"] == 3


def test_each_class_has_an_index_of_its_own():
    chunks = [*table("open text", "open text")[:1], chunk(1, "secret text", "d1", acl=("a",))]
    queries = [query("insider", groups=("a",)), query("outsider")]
    (outside, inside), _ = build_indexes(chunks, documents_of(chunks), queries, {**ALL, "acl": "asker"}, WORDS)
    assert (outside.query_ids, outside.eligible, list(outside.postings)) == (("outsider",), [0], ["open", "text"])
    assert (inside.query_ids, inside.eligible) == (("insider",), [0, 1])
    assert inside.postings["text"] == ([0, 1], [1, 1])


def test_nothing_eligible_leaves_an_index_without_an_average():
    chunks = table("text")
    documents = [document("d0", "text", current=False)]
    (index,), counters = build_indexes(chunks, documents, [query()], {**ALL, "versions": "current"}, WORDS)
    assert (index.eligible, index.lengths, index.postings, index.average_length) == ([], [], {}, None)
    assert counters["classes"][0]["average_length"] is None
    (index,), _ = build_indexes([], [], [query()], ALL, WORDS)
    assert (index.eligible, index.average_length) == ([], None)


def test_empty_chunks_alone_have_an_average_of_zero():
    chunks = table("", "...")
    (index,), _ = build_indexes(chunks, documents_of(chunks), [query()], ALL, WORDS)
    assert (index.lengths, index.postings, index.average_length) == ([0, 0], {}, 0.0)


def test_the_retrieval_text_is_what_is_indexed():
    chunks = [chunk(0, "body", retrieval_text="title body"), chunk(1, "body", retrieval_text="")]
    (index,), _ = build_indexes(chunks, [document("doc", "body body")], [query()], ALL, WORDS)
    assert index.postings == {"body": ([0], [1]), "title": ([0], [1])}
    assert index.lengths == [2, 0]


def test_an_entry_is_a_chunk_with_the_text_that_is_searched_the_revision_and_its_readers():
    plain = chunk(0, "body", acl=("a", "b"))
    same = [
        dataclasses.replace(plain, ordinal=7),
        dataclasses.replace(plain, retrieval_text="body"),  # searched as it is
        dataclasses.replace(plain, lengths={"char": 4, "word": 1}),
    ]
    assert {entry_id(one, "words/1") for one in same} == {entry_id(plain, "words/1")}
    other = [
        dataclasses.replace(plain, chunk_id="another"),
        dataclasses.replace(plain, retrieval_text="title\nbody"),
        dataclasses.replace(plain, acl=("a",)),
        dataclasses.replace(plain, acl=()),
        dataclasses.replace(plain, acl=None),
    ]
    ids = {entry_id(one, "words/1") for one in [plain, *other]} | {entry_id(plain, "words/2")}
    assert len(ids) == 7
    assert all(len(one) == 16 and set(one) <= set("0123456789abcdef") for one in ids)


@given(BODIES, st.integers(0, 63))
def test_an_index_is_what_plain_counting_gives(bodies, mask):
    chunks = table(*bodies)
    documents = [document(c.doc_id, c.body, current=bool(mask >> place & 1)) for place, c in enumerate(chunks)]
    (index,), _ = build_indexes(chunks, documents, [query()], {**ALL, "versions": "current"}, WORDS)
    kept = [place for place in range(len(bodies)) if mask >> place & 1]
    assert index.eligible == kept
    assert index.lengths == [len(ascii_words(bodies[place])) for place in kept]
    counts = {place: Counter(ascii_words(bodies[place])) for place in kept}
    vocabulary = sorted(set().union(*counts.values()))
    assert list(index.postings) == vocabulary
    for term in vocabulary:
        holding = [place for place in kept if term in counts[place]]
        assert index.postings[term] == (holding, [counts[place][term] for place in holding])


@given(BODIES)
def test_an_index_survives_its_file(bodies):
    chunks = table(*bodies)
    (index,), _ = build_indexes(chunks, documents_of(chunks), [query("日"), query("b")], ALL, WORDS)
    written = files.lines(to_records(index))
    assert from_records([orjson.loads(line) for line in written.splitlines()]) == index


@given(BODIES, st.randoms(use_true_random=False))
def test_no_order_of_queries_or_documents_changes_an_index(bodies, rng):
    chunks = table(*bodies)
    documents = documents_of(chunks)
    queries = [query(f"q{place}", groups=("a",) * (place % 2)) for place in range(5)]
    rule = {**ALL, "acl": "asker"}
    expected = build_indexes(chunks, documents, queries, rule, WORDS)
    rng.shuffle(queries)
    rng.shuffle(documents)
    assert build_indexes(chunks, documents, queries, rule, WORDS) == expected


def test_an_unknown_analyzer_is_refused():
    with pytest.raises(ValueError, match="analyzer 'words'"):
        build_indexes([], [], [query()], ALL, {"analyzer": "words"})


def test_a_folder_is_read_in_the_order_of_the_classes_numbers(tmp_path):
    chunks = table("text")
    queries = [query(f"q{number:02}", groups=(f"g{number:02}",)) for number in range(11)]
    indexes, _ = build_indexes(chunks, documents_of(chunks), queries, {**ALL, "acl": "asker"}, WORDS)
    for index in reversed(indexes):
        files.write(tmp_path / f"{index.name}.jsonl", files.lines(to_records(index)))
    assert [index.name for index in read(tmp_path)] == [f"class-{number}" for number in range(1, 12)]
    assert read(tmp_path) == indexes
