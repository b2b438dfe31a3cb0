"""Entries of a run become candidates of ours, or problems: nothing is repaired."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.chunking import chunk_documents
from spanledger.core.records import Document, Element, Query
from spanledger.foreign.passages import Reader
from spanledger.foreign.reading import Entry
from spanledger.normalise import Policy, normalise_documents
from spanledger.retrieval.eligibility import Eligibility

TEXT = "aé😀b and more"


def document(doc_id, version="1", text=TEXT, current=True, acl=None):
    return Document(doc_id, version, text, "", "", current=current, acl=acl)


def reader(documents=None, elements=(), policy=None, **given):
    raw = documents or [document("d")]
    made = normalise_documents(raw, Policy(**policy)) if policy else raw
    eligibility = Eligibility(**given.pop("eligibility", {}))
    queries = given.pop("queries", [Query("q", "?"), Query("r", "?")])
    held_out = frozenset(given.pop("held_out", ()))
    return Reader(Path("a.run"), queries, held_out, raw, made, list(elements), eligibility, **given)


def spans(made, *entries, unit="code_point"):
    found = made.of_spans(list(entries), unit)
    chunks = {chunk.ordinal: chunk for chunk in found.chunks}
    return [
        (r.query_id, [(chunks[o].doc_id, chunks[o].version, *chunks[o].spans) for o in r.chunks], r.scores)
        for r in found.rankings
    ], found


def messages(made):
    return [(problem.line, problem.message) for problem in made.problems]


def test_spans_are_chunks_of_the_text_as_it_stands():
    made = reader()
    lists, found = spans(made, Entry(1, "q", "d", spans=((1, 4),)), Entry(2, "q", "d", spans=((0, 2), (5, 8))))
    assert lists == [("q", [("d", "1", (1, 4)), ("d", "1", (0, 2), (5, 8))], (2.0, 1.0)), ("r", [], ())]
    assert sorted(chunk.body for chunk in found.chunks) == ["aé\nand", "é😀b"]
    assert found.order == "line" and found.counts["missing"] == 1
    assert not made.problems


@pytest.mark.parametrize(
    ("unit", "start", "end", "raw"),
    [("byte", 1, 3, (1, 2)), ("byte", 3, 8, (2, 4)), ("utf16", 2, 4, (2, 3)), ("code_point", 2, 3, (2, 3))],
)
def test_offsets_in_other_units(unit, start, end, raw):
    made = reader()
    lists, _ = spans(made, Entry(1, "q", "d", spans=((start, end),)), unit=unit)
    assert lists[0][1] == [("d", "1", raw)] and not made.problems


def test_every_entry_that_names_nothing_is_a_problem():
    documents = [document("d"), document("two", "1"), document("two", "2")]
    made = reader(documents)
    spans(
        made,
        Entry(1, "x", "d", spans=((0, 1),)),
        Entry(2, "q", "no", spans=((0, 1),)),
        Entry(3, "q", "two", spans=((0, 1),)),
        Entry(4, "q", "d", "9", spans=((0, 1),)),
        Entry(5, "q", "d", spans=((0, len(TEXT) + 1),)),
        Entry(6, "q", "d", spans=((3, 3),)),
        Entry(7, "q", "d", spans=((4, 6), (0, 2))),
        Entry(8, "q", "d", spans=((-1, 2),)),
        Entry(9, "q", "d", spans=((0, 2),)),
        Entry(10, "q", "d", "1", spans=((0, 2),)),
    )
    expected = [
        (1, "no question is called 'x'"),
        (2, "no document is called 'no'"),
        (3, "'two' has several versions, and version is not given: 1, 2"),
        (4, "'d' has no version '9'"),
        (5, "[0, 14): outside the text"),
        (6, "[3, 3): expected spans that are not empty"),
        (7, "[4, 6) [0, 2): expected spans that are not empty"),
        (8, "[-1, 2): outside the text"),
        (10, "stands on line 9 already"),
    ]
    found = messages(made)
    assert [line for line, _ in found] == [line for line, _ in expected]
    assert all(told.startswith(message) for (_, told), (_, message) in zip(found, expected, strict=True))


def test_an_offset_inside_a_character_is_refused():
    made = reader()
    spans(made, Entry(1, "q", "d", spans=((2, 3),)), unit="byte")
    assert messages(made) == [(1, "[2, 3): outside the text, or inside a character of it (byte)")]


def test_spans_of_normalised_text():
    documents = [document("d", text="a\r\nb\u200bc")]
    made = reader(documents, policy={"newlines": "lf", "zero_width": "drop"})
    lists, found = spans(
        made,
        Entry(1, "q", "d", spans=((0, 4),)),
        Entry(2, "q", "d", spans=((1, 2),)),  # half of CR LF: all of it
        Entry(3, "q", "d", spans=((1, 3),)),
    )
    assert [chunk.body for chunk in sorted(found.chunks, key=lambda c: c.ordinal)] == ["a\nb", "\n"]
    assert lists[0][1] == [("d", "1", (0, 5)), ("d", "1", (1, 3))]  # the dropped character belongs to the one before it
    assert found.counts["merged"] == 1 and not made.problems
    spans(made, Entry(4, "q", "d", spans=((4, 5),)))
    assert messages(made) == [(4, "[4, 5): no text of its own is left once the document is normalised")]


def test_what_the_asker_may_not_have_is_a_leak_or_is_dropped_and_counted():
    documents = [document("d", acl=("staff",)), document("open")]
    entries = [Entry(1, "q", "d", spans=((0, 1),)), Entry(2, "q", "open", spans=((0, 1),))]
    made = reader(documents, eligibility={"acl": "asker"})
    spans(made, *entries)
    assert messages(made) == [(1, "leak: d/1 is not open to this question by the setting of eligibility")]
    made = reader(documents, eligibility={"acl": "asker"}, drop_forbidden=True)
    lists, found = spans(made, *entries)
    assert lists[0][1] == [("open", "1", (0, 1))]
    assert found.counts["forbidden"] == 1 and not made.problems


def test_a_span_of_a_guarded_element_is_guarded():
    elements = [Element("e", "d", "1", (4, 8), acl=("staff",))]
    made = reader(elements=elements, eligibility={"acl": "asker"})
    spans(made, Entry(1, "q", "d", spans=((0, 4),)), Entry(2, "q", "d", spans=((3, 5),)))
    assert [line for line, _ in messages(made)] == [2]


def test_questions_that_are_held_out_are_left_out_and_counted():
    made = reader(held_out=["h"])
    lists, found = spans(made, Entry(1, "h", "no such", spans=((0, 1),)), Entry(2, "q", "d", spans=((0, 1),)))
    assert [query_id for query_id, _, _ in lists] == ["q", "r"]
    assert found.counts["held_out"] == 1 and not made.problems


def ranked(*entries):
    documents = [document(name) for name in "abc"]
    made = reader(documents)
    chunks, chunked = chunk_documents(documents, [], {"method": "document"})
    found = made.of_items(list(entries), chunks, chunked, True)
    assert not made.problems
    return [found.chunks[o].doc_id for o in found.rankings[0].chunks], found


def test_scores_decide_then_ranks_then_ids():
    entries = [
        Entry(1, "q", "c", score=1.0, rank=3),
        Entry(2, "q", "b", score=1.0, rank=2),
        Entry(3, "q", "a", score=0.5, rank=1),
    ]
    order, found = ranked(*entries)
    assert (order, found.order, found.rankings[0].scores) == (["b", "c", "a"], "score", (1.0, 1.0, 0.5))
    assert (found.counts["ties"], found.counts["disagreeing"]) == (1, 1)
    assert ranked(*reversed(entries))[0] == order
    order, found = ranked(Entry(1, "q", "c", score=1.0), Entry(2, "q", "a", score=1.0), Entry(3, "q", "b", score=1.0))
    assert (order, found.counts["ties"], found.counts["disagreeing"]) == (["a", "b", "c"], 1, 0)


def test_ranks_decide_where_there_are_no_scores_and_lines_where_there_is_neither():
    order, found = ranked(Entry(1, "q", "c", rank=2), Entry(2, "q", "b", rank=2), Entry(3, "q", "a", rank=7))
    assert (order, found.order, found.rankings[0].scores) == (["b", "c", "a"], "rank", (3.0, 2.0, 1.0))
    order, found = ranked(Entry(1, "q", "c"), Entry(2, "q", "a"))
    assert (order, found.order) == (["c", "a"], "line")


def test_names_of_documents():
    documents = [document("a b", "1"), document("two", "1"), document("two", "2"), document("empty", text="")]
    made = reader(documents)
    chunks, chunked = chunk_documents(documents, [], {"method": "document"})
    names = ["a%20b", "two@2", "empty", "two", "a b", "none"]
    entries = [Entry(n, "q" if n < 5 else "r", name, score=float(-n)) for n, name in enumerate(names, 1)]
    found = made.of_items(entries, chunks, chunked, True)
    assert [chunks[o].key for o in found.rankings[0].chunks] == [("a b", "1"), ("two", "2")]
    assert [chunks[o].key for o in found.rankings[1].chunks] == [("a b", "1")]
    assert found.counts["empty"] == 1
    assert [line for line, _ in messages(made)] == [4, 6]
    assert "expected one of 'two@1', 'two@2'" in messages(made)[0][1]


def test_a_name_of_two_questions_is_a_problem():
    """ "a%20b" is a question, and "a b" as an exported run writes it; "a b" and "a%2520b" are one each."""
    made = reader(queries=[Query("a b", "?"), Query("a%20b", "?")])
    entries = [Entry(n, name, "d", None, ((0, 1),), float(-n)) for n, name in enumerate(("a b", "a%2520b"), 1)]
    placed, _ = spans(made, *entries)
    assert [(query_id, scores) for query_id, _, scores in placed] == [("a b", (-1.0,)), ("a%20b", (-2.0,))]
    spans(made, Entry(3, "a%20b", "d", None, ((0, 1),), 1.0))
    assert messages(made) == [(3, "is a question, and what 'a b' is called where a name is one word")]


def test_items_of_another_kind_are_one_problem():
    made = reader()
    chunks, chunked = chunk_documents(made.documents, [], {"method": "document"})
    entries = [Entry(n, "q", name, score=1.0) for n, name in enumerate(("c1", "c2"), 1)]
    made.of_items(entries, chunks, chunked, True)
    assert messages(made) == [(0, "none of its items is the id of a document (chunks need --chunk); the first is 'c1'")]


def test_the_same_document_by_two_names_stands_twice():
    made = reader([document("a b")])
    chunks, chunked = chunk_documents(made.documents, [], {"method": "document"})
    made.of_items([Entry(1, "q", "a b", score=2.0), Entry(2, "q", "a%20b@1", score=1.0)], chunks, chunked, True)
    assert messages(made) == [(2, "stands on line 1 already")]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 2)), unique_by=lambda e: e[0]))
def test_the_order_of_the_lines_changes_nothing(listed):
    entries = [Entry(n, "q", name, score=float(score), rank=rank) for n, (name, score, rank) in enumerate(listed, 1)]
    again = [Entry(n, e.item and "q", e.item, score=e.score, rank=e.rank) for n, e in enumerate(reversed(entries), 1)]
    assert (
        ranked(*entries)[0]
        == ranked(*again)[0]
        == [name for name, _, _ in sorted(listed, key=lambda e: (-e[1], e[2], e[0]))]
    )
