"""Contexts survive their file."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core import files
from spanledger.selection.context import REASONS, Context, Piece, Skipped, from_records, to_records

ORDINALS = st.lists(st.integers(0, 9), max_size=3).map(tuple)
SKIPPED = st.builds(Skipped, st.sampled_from(REASONS), st.none() | st.integers(0, 9), ORDINALS)
PIECE = st.builds(
    Piece,
    doc_id=st.sampled_from(["d", "日"]),
    version=st.just("v1"),
    spans=st.lists(st.tuples(st.integers(0, 4), st.integers(5, 9)), min_size=1, max_size=2).map(tuple),
    body=st.text(st.characters(codec="utf-8"), max_size=4),
    acl=st.none() | st.sampled_from([(), ("a",), ("a", "b")]),
    chunks=ORDINALS,
)
CONTEXT = st.builds(
    Context,
    query_id=st.text(st.characters(codec="utf-8"), max_size=3),
    chunks=ORDINALS,
    skipped=st.lists(SKIPPED, max_size=2).map(tuple),
    pieces=st.none() | st.lists(PIECE, max_size=2).map(tuple),
)


@given(st.lists(CONTEXT, max_size=3))
def test_contexts_survive_their_file(contexts):
    written = files.lines(to_records(contexts))
    assert from_records([orjson.loads(line) for line in written.splitlines()]) == contexts


def test_a_record_by_hand():
    piece = Piece("d", "v1", ((0, 4), (6, 9)), "abcd\nxyz", None, (3, 1), "Guide\n")
    context = Context("q", (3, 1), (Skipped("redundant", 5, (2, 0)),), (piece,))
    plain = {
        "query_id": "q",
        "chunks": (3, 1),
        "skipped": [{"reason": "redundant", "remaining": 5, "chunks": (2, 0)}],
    }
    assert to_records([context, Context("q", (3, 1), context.skipped)]) == [
        {
            **plain,
            "pieces": [
                {
                    "doc_id": "d",
                    "version": "v1",
                    "spans": ((0, 4), (6, 9)),
                    "body": "abcd\nxyz",
                    "acl": None,
                    "chunks": (3, 1),
                    "heading": "Guide\n",
                }
            ],
        },
        plain,
    ]


def test_no_pieces_and_none_are_not_the_same():
    nothing, empty = Context("q", (), ()), Context("q", (), (), ())
    assert from_records(to_records([nothing, empty])) == [nothing, empty]
    assert nothing != empty
