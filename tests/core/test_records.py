"""What the stages pass on survives its file, and stands in an order that no file decides."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, element, query
from spanledger.core import files
from spanledger.core.records import Chunk, Document, Element, Query, from_record, from_records, to_record


def again(kind, record):
    return from_record(kind, orjson.loads(files.line(to_record(record))))


def test_every_kind_of_record_survives_its_file():
    full = [
        document(
            "日",
            "text\r\n",
            current=False,
            visibility="internal",
            acl=("a", "b"),
            position=3,
            offsets=((0, 1, 0, 2), (4, 4, 5, 6)),
            metadata={"list": [1, [2]], "none": None},
        ),
        element("e", (0, 4), kind="table_row", section_path=("One", "Two"), acl=(), header_id="h", labels={"x": [1]}),
        query("q", "text", groups=("a",), versions=("v1", "v2"), position=0),
        chunk(7, "body", spans=[(0, 2), (5, 7)], retrieval_text="title\nbody", acl=("a",)),
    ]
    plain = [document(), element("e", (0, 1)), query(), chunk(0, "x")]
    for record in full + plain:
        assert again(type(record), record) == record


def test_fields_are_written_in_their_declared_order():
    assert list(to_record(query())) == ["query_id", "text", "groups", "versions", "position"]
    assert files.line(to_record(chunk(0, "x"))) == (
        b'{"chunk_id":"id-0","ordinal":0,"doc_id":"doc","version":"v1","spans":[[0,1]],"body":"x","lengths":{"char":1},'
        b'"retrieval_text":null,"acl":null}\n'
    )


def test_a_whole_file_is_read_in_its_order():
    queries = [query("b"), query("a")]
    assert from_records(Query, [orjson.loads(files.line(to_record(q))) for q in queries]) == queries


def test_documents_and_queries_with_a_position_come_first():
    documents = [document("a"), document("z", position=1), document("b", position=0), document("c", position=1)]
    assert [d.doc_id for d in sorted(documents, key=lambda d: d.order)] == ["b", "c", "z", "a"]
    queries = [query("a"), query("z", position=1), query("b", position=0), query("B")]
    assert [q.query_id for q in sorted(queries, key=lambda q: q.order)] == ["b", "z", "B", "a"]


def test_elements_stand_in_the_order_of_their_places():
    elements = [element("1", (5, 6)), element("2", (0, 9)), element("3", (0, 2)), element("0", (9, 10), "a")]
    assert [e.element_id for e in sorted(elements, key=lambda e: e.order)] == ["0", "3", "2", "1"]


@given(
    st.permutations(
        [document("a", version="v2"), document("a", version="v10"), document("b"), document("0", position=4)]
    )
)
def test_the_order_of_documents_is_total(documents):
    ordered = sorted(documents, key=lambda d: d.order)
    assert [(d.doc_id, d.version) for d in ordered] == [("0", "v1"), ("a", "v10"), ("a", "v2"), ("b", "v1")]


def test_what_is_searched_is_the_retrieval_text_where_there_is_one():
    assert chunk(0, "body").searched == "body"
    assert chunk(0, "body", retrieval_text="title").searched == "title"
    assert chunk(0, "body", retrieval_text="").searched == ""


def test_keys_are_document_and_version():
    for record in (document("d", version="v2"), chunk(0, "x", "d", "v2")):
        assert record.key == ("d", "v2")
    assert {Chunk, Document, Element, Query} == {
        type(r) for r in (chunk(0, "x"), document(), element("e", (0, 1)), query())
    }
