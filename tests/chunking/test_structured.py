"""Structured chunks: what joins, what never does, and what is searched in front of a body."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, element
from spanledger.chunking.structured import Structured
from spanledger.chunking.window import Window
from spanledger.core.units import count


def laid_out(*parts):
    """A document of these (text, fields of the element), one a line, and its elements."""
    elements, here = [], 0
    for place, (text, fields) in enumerate(parts):
        elements.append(element(fields.pop("id", f"e{place}"), (here, here + len(text)), **fields))
        here += len(text) + 1
    return document(text="\n".join(text for text, _ in parts)), elements


def cut(chunk_size, *parts, overlap=0, unit="char"):
    """(body, retrieval text) of each chunk."""
    doc, elements = laid_out(*((text, dict(fields)) for text, fields in parts))
    found = []
    for piece in Structured(unit, chunk_size, overlap).pieces(doc, elements):
        body = "\n".join(doc.text[start:end] for start, end in piece.spans)
        found.append((body, "\n".join([*piece.heading, body])))
    return found


def bodies(chunk_size, *parts, **rest):
    return [body for body, _ in cut(chunk_size, *parts, **rest)]


PLAIN = {}
HEADER = {"kind": "table_header", "id": "head"}
ROW = {"kind": "table_row", "header_id": "head"}


def test_neighbours_join_while_they_fit_and_the_joining_lf_counts_as_a_character():
    parts = [("aaa", PLAIN), ("bbb", PLAIN), ("ccc", PLAIN)]
    assert bodies(11, *parts) == ["aaa\nbbb\nccc"]
    assert bodies(10, *parts) == ["aaa\nbbb", "ccc"]
    assert bodies(7, *parts) == ["aaa\nbbb", "ccc"]
    assert bodies(6, *parts) == ["aaa", "bbb", "ccc"]
    assert bodies(6, *parts, unit="lexical") == ["aaa\nbbb\nccc"]  # three units: white space is none


@pytest.mark.parametrize(
    "other",
    [
        {"section_path": ("Two",)},
        {"section_path": ()},
        {"section_path": ("One", "Below")},
        {"acl": ("x",)},
        {"acl": ()},
        {"kind": "code"},
        {"kind": "table_row"},
    ],
)
def test_another_section_family_or_access_ends_a_chunk_on_both_sides(other):
    same = {"section_path": ("One",)}
    parts = [("a", same), ("b", same), ("c", {**same, **other}), ("d", same)]
    assert bodies(99, *parts) == ["a\nb", "c", "d"]


def test_kinds_of_one_family_join():
    assert bodies(99, ("a", {"kind": "heading"}), ("b", {"kind": "paragraph"}), ("c", {"kind": "quote"})) == ["a\nb\nc"]
    assert bodies(99, ("h", HEADER), ("r", ROW), ("s", ROW)) == ["h\nr\ns"]
    assert bodies(99, ("a", {"kind": "code"}), ("b", {"kind": "code"})) == ["a\nb"]


def test_elements_without_an_acl_and_with_one_that_lets_all_known_groups_in_are_not_the_same():
    assert bodies(99, ("a", {"acl": None}), ("b", {"acl": ("x", "y")}), ("c", {"acl": ("x", "y")})) == ["a", "b\nc"]


def test_an_element_that_is_too_long_gets_windows_of_its_own_and_its_tail_joins_nothing():
    parts = [("aa", PLAIN), ("0123456789", PLAIN), ("bb", PLAIN), ("cc", PLAIN)]
    assert bodies(4, *parts) == ["aa", "0123", "4567", "89", "bb", "cc"]
    assert bodies(5, *parts) == ["aa", "01234", "56789", "bb\ncc"]  # 89 of the case above would have let bb in
    assert bodies(4, *parts, overlap=2) == ["aa", "0123", "2345", "4567", "6789", "bb", "cc"]
    assert bodies(10, *parts) == ["aa", "0123456789", "bb\ncc"]  # one that just fits is whole


def test_a_chunk_leads_back_to_the_spans_of_its_elements_without_what_stands_between():
    doc = document(text="aa -- bb ## cc")
    elements = [element("1", (0, 2)), element("2", (6, 8)), element("3", (12, 14))]
    (piece,) = Structured("char", 8, 0).pieces(doc, elements)
    assert piece.spans == ((0, 2), (6, 8), (12, 14))


def test_titles_of_the_section_are_searched_one_a_line():
    shape = {"section_path": ("Manual", "Fees")}
    assert cut(99, ("a", shape), ("b", shape)) == [("a\nb", "Manual\nFees\na\nb")]
    assert cut(99, ("a", PLAIN)) == [("a", "a")]
    assert cut(4, ("0123456", shape)) == [("0123", "Manual\nFees\n0123"), ("456", "Manual\nFees\n456")]


def test_a_header_is_searched_where_it_is_not_in_the_chunk_and_once():
    table = [("name|fee", HEADER), ("r1", ROW), ("r2", ROW), ("r3", ROW)]
    assert cut(99, *table) == [("name|fee\nr1\nr2\nr3",) * 2]  # it is there already
    assert cut(8, *table) == [("name|fee",) * 2, ("r1\nr2\nr3", "name|fee\nr1\nr2\nr3")]
    assert cut(11, *table) == [("name|fee\nr1",) * 2, ("r2\nr3", "name|fee\nr2\nr3")]


def test_titles_stand_before_the_header():
    section = {"section_path": ("Fees",)}
    table = [("name|fee", {**HEADER, **section}), ("r1", {**ROW, **section})]
    assert cut(8, *table)[1] == ("r1", "Fees\nname|fee\nr1")


def test_rows_of_two_tables_bring_both_headers_in_the_order_of_the_rows():
    parts = [
        ("head two", {"kind": "table_header", "id": "two"}),
        ("x", {"kind": "code"}),
        ("head one", HEADER),
        ("y", {"kind": "code"}),
        ("r1", ROW),
        ("s1", {"kind": "table_row", "header_id": "two"}),
        ("r2", ROW),
    ]
    assert cut(8, *parts)[-1] == ("r1\ns1\nr2", "head one\nhead two\nr1\ns1\nr2")


def test_a_row_without_a_header_brings_none():
    assert cut(9, ("name|fee", HEADER), ("r1", {"kind": "table_row"})) == [("name|fee",) * 2, ("r1", "r1")]


def test_a_row_that_is_too_long_brings_its_header_to_each_of_its_windows():
    found = cut(4, ("h", HEADER), ("012345", ROW))
    assert found == [("h", "h"), ("0123", "h\n0123"), ("45", "h\n45")]


def test_a_document_without_elements_is_taken_as_paragraphs():
    text = "aaa\nbbb\n\ncc\n\n0123456789"
    pieces = list(Structured("char", 8, 0).pieces(document(text=text), []))
    assert [[text[start:end] for start, end in piece.spans] for piece in pieces] == [
        ["aaa\nbbb"],
        ["cc"],
        ["01234567"],
        ["89"],
    ]
    assert all(piece.heading == () for piece in pieces)
    (piece,) = Structured("char", 10, 0).pieces(document(text=text[:11]), [])
    assert piece.spans == ((0, 7), (9, 11))  # paragraphs join by one LF, not by the blank line between them


SHAPES = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["paragraph", "heading", "code", "table_row"]),
        "section_path": st.sampled_from([(), ("One",)]),
        "acl": st.sampled_from([None, ("x",)]),
    }
)
PARTS = st.lists(st.tuples(st.text("ab 日", min_size=1, max_size=7), SHAPES), max_size=9)


@given(PARTS, st.sampled_from(["char", "word", "lexical", "byte"]), st.integers(1, 12), st.data())
def test_against_a_twin_over_runs_of_like_elements(parts, unit, chunk_size, data):
    """Like neighbours that are short enough form runs; of each run the longest beginning that fits is taken off."""
    overlap = data.draw(st.integers(0, chunk_size - 1))
    doc, elements = laid_out(*((text, dict(fields)) for text, fields in parts))

    def long(one):
        return count(doc.text[slice(*one.span)], unit) > chunk_size

    def like(one):
        family = {"code": "code", "table_row": "table"}.get(one.kind, "prose")
        return (one.section_path, one.acl, family, long(one) and one.element_id)

    runs = []
    for one in elements:
        if runs and like(runs[-1][-1]) == like(one):
            runs[-1].append(one)
        else:
            runs.append([one])
    expected = []
    for run in runs:
        if long(run[0]):
            start, end = run[0].span
            windows = Window(unit, chunk_size, overlap).split(doc.text[start:end])
            expected += [((start + first, start + last),) for first, last in windows]
            continue
        while run:
            taken = max(
                n
                for n in range(1, len(run) + 1)
                if n == 1 or count("\n".join(doc.text[slice(*e.span)] for e in run[:n]), unit) <= chunk_size
            )
            expected.append(tuple(e.span for e in run[:taken]))
            run = run[taken:]
    assert [piece.spans for piece in Structured(unit, chunk_size, overlap).pieces(doc, elements)] == expected


@pytest.mark.parametrize(("size", "overlap"), [(4, 4), (4, 5), (4, -1), (0, 0)])
def test_a_window_that_cannot_advance_is_refused(size, overlap):
    with pytest.raises(ValueError, match="chunk_size must be at least 1|chunk_overlap must be at least 0 and below"):
        Structured("char", size, overlap)
