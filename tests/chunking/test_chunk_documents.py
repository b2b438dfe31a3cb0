"""The chunk table: its order, its raw spans, who may read a chunk, and what its counters count."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, element
from spanledger.chunking import METHODS, chunk_documents
from spanledger.chunking.piece import Piece
from spanledger.core.spans import length, union
from spanledger.core.units import count
from spanledger.normalise import Policy, normalise_documents, normalise_elements

CL100K = "tiktoken/cl100k_base"

FIXED = {"method": "window", "unit": "char", "chunk_size": 4, "chunk_overlap": 0, "tail": "drop"}
SETTINGS = [
    FIXED,
    {**FIXED, "chunk_overlap": 3},
    {**FIXED, "unit": "word", "chunk_size": 2, "chunk_overlap": 1},
    {**FIXED, "unit": "byte", "chunk_size": 1, "tail": "keep"},
    {"method": "paragraph"},
    {"method": "paragraph", "chunk_size": 3, "chunk_overlap": 1},
    {"method": "sentence"},
    {"method": "sentence", "unit": "word", "chunk_size": 2},
    {"method": "aggregate", "unit": "char", "chunk_size": 5},
    {"method": "document"},
]
OF_ELEMENTS = [
    *SETTINGS,
    {**FIXED, "chunk_overlap": 1, "group_by": ("document", "acl")},
    {**FIXED, "unit": "lexical", "chunk_size": 2, "group_by": ("document", "acl")},
    {"method": "aggregate", "unit": "lexical", "chunk_size": 3},
    {"method": "structured", "unit": "char", "chunk_size": 6, "chunk_overlap": 2},
    {"method": "structured", "unit": "lexical", "chunk_size": 3, "chunk_overlap": 0},
]
TEXT = st.text(st.sampled_from("ab \n\ré\u0301ﬀ\u200b\ufeff"), max_size=14)


def chunks_of(*documents, elements=(), **setting):
    return chunk_documents(list(documents), list(elements), {**FIXED, **setting})[0]


def test_a_table_by_hand():
    table = chunks_of(document("b", "abcdef", "v2"), document("a", "xy", "v9"), chunk_overlap=1)
    assert [(c.ordinal, c.doc_id, c.version, c.spans, c.body) for c in table] == [
        (0, "a", "v9", ((0, 2),), "xy"),
        (1, "b", "v2", ((0, 4),), "abcd"),
        (2, "b", "v2", ((3, 6),), "def"),
    ]
    assert all(c.lengths == {"char": len(c.body)} and c.searched == c.body for c in table)


@given(
    st.text(st.sampled_from("abs1 2\n.,'(é日。 \n"), max_size=40),
    st.sampled_from(["window", "paragraph", "aggregate", "sentence", "recursive"]),
    st.integers(1, 6),
)
def test_a_length_in_tokens_is_the_count_of_the_chunk_s_own_text(text, method, chunk_size):
    setting = {"method": method, "chunk_size": chunk_size, "unit": CL100K}
    if method == "window":
        setting["chunk_overlap"] = 0
    table, _ = chunk_documents([document("d", text)], [], setting)
    for one in table:
        assert one.lengths == {"char": len(one.body), CL100K: count(one.body, CL100K)}
        if method == "window":  # a character alone may have more tokens
            assert one.lengths[CL100K] <= chunk_size or len(one.body) == 1


def test_lengths_are_in_characters_and_in_the_units_of_the_method():
    (only,) = chunks_of(document("a", "é  日 x"), unit="word", chunk_size=9)
    assert only.lengths == {"char": 6, "word": 3}
    (only,) = chunks_of(document("a", "é日"), unit="byte", chunk_size=9)
    assert only.lengths == {"char": 2, "byte": 5}


def test_documents_stand_by_position_then_by_name_in_code_point_order():
    """(a, v10) stands before (a-b, v1): the parts are compared, not the joined a/v10 and a-b/v1."""
    keys = [("b", "v1"), ("B", "v1"), ("é", "v1"), ("a", "v2"), ("a-b", "v1"), ("a", "v10")]
    named = [document(doc_id, "x", version) for doc_id, version in keys]
    placed = [document("z", "x", position=0), document("y", "x", position=7), document("c", "x", position=7)]
    table = chunks_of(*named, *placed)
    assert [(c.doc_id, c.version) for c in table] == [
        *(("z", "v1"), ("c", "v1"), ("y", "v1")),
        *(("B", "v1"), ("a", "v10"), ("a", "v2"), ("a-b", "v1"), ("b", "v1"), ("é", "v1")),
    ]
    assert [c.ordinal for c in table] == list(range(9))


GROUPS = ("x", "y", "z")
ACL = st.none() | st.sets(st.sampled_from(GROUPS)).map(lambda groups: tuple(sorted(groups)))
WRITTEN = st.text(st.sampled_from("ab1 \n.。日,é"), max_size=24)


@st.composite
def corpora(draw):
    """Documents and elements as validate lets them pass: elements of a document are apart, and a table row has the
    section, the readers and the document of its header."""
    documents, elements = [], []
    for number, text in enumerate(draw(st.lists(WRITTEN, max_size=3))):
        documents.append(document(f"d{number}", text, acl=draw(ACL)))
        cuts = draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
        header = None
        for start, end in zip(cuts[::2], cuts[1::2], strict=False):
            kind = draw(st.sampled_from(["paragraph", "heading", "code", "table_header", "table_row"]))
            shape = {"section_path": draw(st.sampled_from([(), ("One",), ("One", "Two")])), "acl": draw(ACL)}
            if kind == "table_row" and header and draw(st.booleans()):
                shape = {"section_path": header.section_path, "acl": header.acl, "header_id": header.element_id}
            one = element(f"e{len(elements)}", (start, end), f"d{number}", kind=kind, **shape)
            header = one if kind == "table_header" else header
            elements.append(one)
    return documents, elements


@given(corpora(), st.sampled_from(OF_ELEMENTS))
def test_every_promise_of_a_table_over_elements(corpus, setting):
    documents, elements = corpus
    table, counters = chunk_documents(documents, elements, setting)
    texts, readers = {d.key: d.text for d in documents}, {d.key: d.acl for d in documents}
    unit = setting.get("unit", "char")
    assert [c.ordinal for c in table] == list(range(len(table))) and counters["chunks"] == len(table)
    assert len({c.chunk_id for c in table}) == len(table)
    for c in table:
        text = texts[c.key]
        assert c.body == "\n".join(text[start:end] for start, end in c.spans)
        assert all(start < end for start, end in c.spans) and c.spans[-1][1] <= len(text)
        assert all(before[1] <= after[0] for before, after in zip(c.spans, c.spans[1:], strict=False))
        assert c.lengths == {"char": len(c.body), unit: count(c.body, unit)}
        assert c.retrieval_text is None or c.retrieval_text.endswith(f"\n{c.body}")
        held = {place for span in c.spans for place in range(*span)}
        parts = [e.acl for e in elements if (e.doc_id, e.version) == c.key and held.intersection(range(*e.span))]
        for group in GROUPS:  # whoever reads a chunk may read its document and every part that it was cut from
            may = all(acl is None or group in acl for acl in [readers[c.key], *parts])
            assert (c.acl is None or group in c.acl) == may
        assert (c.acl is None) == all(acl is None for acl in [readers[c.key], *parts])
    lengths = [count(c.body, unit) for c in table]
    assert (counters["chunk_units"], counters["source_units"]) == (
        sum(lengths),
        sum(count(text, unit) for text in texts.values()),
    )
    assert (counters["shortest"], counters["longest"]) == (min(lengths, default=None), max(lengths, default=None))
    assert counters["median"] == (sorted(lengths)[(len(lengths) - 1) // 2] if lengths else None)
    assert counters["with_heading"] == sum(c.retrieval_text is not None for c in table)
    assert counters["nobody_may_read"] == sum(c.acl == () for c in table)


@given(corpora(), st.sampled_from(OF_ELEMENTS), st.randoms(use_true_random=False))
def test_no_order_of_documents_or_elements_changes_the_table(corpus, setting, rng):
    documents, elements = corpus
    expected = chunk_documents(documents, elements, setting)
    shuffled = rng.sample(documents, len(documents)), rng.sample(elements, len(elements))
    assert chunk_documents(*shuffled, setting) == expected


def test_an_element_of_which_normalise_left_nothing_is_in_no_chunk_and_stops_none():
    raw = [document("doc", "ab\u200b\u200bcd")]
    documents = normalise_documents(raw, Policy(zero_width="drop"))
    parts = [element("1", (0, 2)), element("2", (2, 4), acl=("x",)), element("3", (4, 6))]
    elements = normalise_elements(parts, documents, Policy(zero_width="drop"))
    bodies = {
        name: [c.body for c in chunk_documents(documents, elements, setting)[0]]
        for name, setting in (
            ("structured", {"method": "structured", "unit": "char", "chunk_size": 5, "chunk_overlap": 0}),
            ("apart", {"method": "structured", "unit": "char", "chunk_size": 2, "chunk_overlap": 0}),
            ("aggregate", {"method": "aggregate", "unit": "char", "chunk_size": 2}),
            ("by access", {**FIXED, "group_by": ("document", "acl")}),
        )
    }
    assert bodies == {
        "structured": ["ab\ncd"],
        "apart": ["ab", "cd"],
        "aggregate": ["ab", "cd"],
        "by access": ["abcd"],
    }


def test_a_header_of_which_normalise_left_nothing_is_no_line_in_front_of_its_rows():
    raw = [document("doc", "\u200b\nr1\nr2")]
    documents = normalise_documents(raw, Policy(zero_width="drop"))
    rows = {"kind": "table_row", "header_id": "head"}
    parts = [element("head", (0, 1), kind="table_header"), element("1", (2, 4), **rows), element("2", (5, 7), **rows)]
    setting = {"method": "structured", "unit": "char", "chunk_size": 9, "chunk_overlap": 0}
    ((only,), _) = chunk_documents(documents, normalise_elements(parts, documents, Policy(zero_width="drop")), setting)
    assert (only.body, only.retrieval_text) == ("r1\nr2", None)


@pytest.mark.parametrize(
    "setting",
    [
        {"method": "structured", "unit": "char", "chunk_size": 9, "chunk_overlap": 0},
        {"method": "aggregate", "unit": "char", "chunk_size": 9},
        {**FIXED, "group_by": ("document", "acl")},
    ],
)
@pytest.mark.parametrize("spans", [[(0, 3), (2, 5)], [(0, 6), (2, 3)], [(0, 3), (0, 3)]])
def test_elements_that_overlap_are_refused_where_they_are_cut_along(setting, spans):
    elements = [element(str(number), span) for number, span in enumerate(spans)]
    with pytest.raises(ValueError, match=f"{setting['method']}: elements 0 and 1 overlap"):
        chunk_documents([document("doc", "abcdef")], elements, setting)
    touching = [element("0", (0, 3)), element("1", (3, 6))]
    assert chunk_documents([document("doc", "abcdef")], touching, setting)[0]


@given(st.lists(TEXT, max_size=5), st.sampled_from(SETTINGS), st.randoms(use_true_random=False))
def test_no_order_of_the_input_changes_the_table(texts, setting, rng):
    documents = [document(f"d{place}", text) for place, text in enumerate(texts)]
    along = setting["method"] == "aggregate"  # cuts along elements, which must be apart then
    elements = [
        element(f"e{place}", (start, start + 2), f"d{place % len(texts)}", acl=(f"g{place % 3}", "all"))
        for place, start in enumerate(rng.sample(range(0, 12, 1 + along), 6))
        if texts and (not along or start + 2 <= len(texts[place % len(texts)]))
    ]
    expected = chunk_documents(documents, elements, setting)
    rng.shuffle(documents)
    rng.shuffle(elements)
    assert chunk_documents(documents, elements, setting) == expected


@given(
    TEXT, st.sampled_from(SETTINGS), st.sampled_from(["keep", "NFC", "NFD", "NFKC"]), st.sampled_from(["keep", "lf"])
)
def test_the_raw_text_of_a_chunk_normalises_to_its_body_and_its_id_is_its_own(raw, setting, form, newlines):
    policy = Policy(newlines=newlines, zero_width="drop", unicode=form)
    table, counters = chunk_documents(normalise_documents([document("d", raw)], policy), [], setting)
    for c in table:
        ((start, end),) = c.spans
        assert 0 <= start < end <= len(raw)
        assert c.body
        assert c.body in policy.apply(raw[start:end])[0]  # which holds more where a cut change was widened
    assert len({c.chunk_id for c in table}) == len(table)
    spans = [span for c in table for span in c.spans]
    assert counters["covered_char"] == length(union(spans)) <= counters["source_char"]


@given(TEXT, st.sampled_from(SETTINGS))
def test_what_no_policy_changed_is_cut_out_letter_by_letter(text, setting):
    for c in chunk_documents([document("d", text)], [], setting)[0]:
        ((start, end),) = c.spans
        assert text[start:end] == c.body


def test_counters_by_hand():
    """Windows (0,4) (2,6) (4,8) (6,9) of nine characters, then nothing of an empty document: lengths 4, 4, 4, 3."""
    table, counters = chunk_documents(
        [document("a", "abcdefghi"), document("b", "")], [], {**FIXED, "chunk_overlap": 2}
    )
    assert [c.spans for c in table] == [((0, 4),), ((2, 6),), ((4, 8),), ((6, 9),)]
    assert counters == {
        "documents": 2,
        "chunks": 4,
        "source_char": 9,
        "covered_char": 9,
        "duplicated_char": 6,
        "nobody_may_read": 0,
        "inside_predecessor": 0,
        "with_heading": 0,
        "unit": "char",
        "source_units": 9,
        "chunk_units": 15,
        "shortest": 3,
        "median": 4,
        "longest": 4,
    }
    _, counters = chunk_documents([document("a", "one\n\n\ntwo")], [], {"method": "paragraph"})
    assert (counters["source_char"], counters["covered_char"], counters["duplicated_char"]) == (9, 6, 0)


def test_counters_of_units_are_those_of_the_normalised_texts_and_the_median_is_a_length_that_occurs():
    """Words: one two | two three | three four | four five; the whole text has five."""
    texts = [document("a", "one two three four five"), document("b", "six")]
    setting = {**FIXED, "unit": "word", "chunk_size": 2, "chunk_overlap": 1}
    _, counters = chunk_documents(texts, [], setting)
    names = ("unit", "source_units", "chunk_units", "shortest", "median", "longest")
    assert [counters[name] for name in names] == ["word", 6, 9, 1, 2, 2]
    _, counters = chunk_documents([], [], setting)
    assert [counters[name] for name in names] == ["word", 0, 0, None, None, None]


def test_chunks_inside_their_predecessor_are_counted_within_a_document():
    """Of abcdefghij (0,5) (3,8) (6,10) (9,10) the last lies inside; (0,2) of c is no part of (0,3) of b."""
    kept = {**FIXED, "chunk_size": 5, "chunk_overlap": 2, "tail": "keep"}
    _, counters = chunk_documents([document("a", "abcdefghij"), document("b", "abc"), document("c", "ab")], [], kept)
    assert (counters["chunks"], counters["inside_predecessor"]) == (6, 1)
    _, counters = chunk_documents([document("a", "abcdefghij")], [], {**kept, "tail": "drop"})
    assert counters["inside_predecessor"] == 0


def test_counters_count_the_raw_text():
    """Four lines of 3 raw characters are 8 characters when normalised; all 12 are covered."""
    documents = normalise_documents([document("a", "a\r\nb\r\nc\r\nd\r\n")], Policy(newlines="lf"))
    _, counters = chunk_documents(documents, [], {**FIXED, "chunk_overlap": 2})
    assert (counters["source_char"], counters["covered_char"], counters["duplicated_char"]) == (12, 12, 6)


def test_the_id_says_what_a_chunk_is_and_nothing_else():
    (plain,) = chunks_of(document("a", "abc"))
    same = [
        chunks_of(document("a", "abc", acl=("g",), visibility="internal", current=False))[0],
        chunks_of(document("0", "xyzw"), document("a", "abc"))[1],  # another ordinal
        chunks_of(document("a", "abc"), chunk_size=9, chunk_overlap=8)[0],  # another size
    ]
    assert {c.chunk_id for c in same} == {plain.chunk_id}
    other = [
        chunks_of(document("b", "abc"))[0],
        chunks_of(document("a", "abc", "v2"))[0],
        chunks_of(document("a", "abd"))[0],
        chunks_of(document("a", "abcdabc"))[1],  # the same text at another place
        chunk_documents([document("a", "abc")], [], {"method": "paragraph"})[0][0],
    ]
    assert len({c.chunk_id for c in [plain, *other]}) == 6


def test_two_cuts_inside_one_change_give_one_chunk_where_nothing_tells_them_apart():
    """NFKC makes ﬀ two letters; each letter alone leads back to the whole ﬀ, and both are the letter f."""
    documents = normalise_documents([document("a", "xﬀy")], Policy(unicode="NFKC"))
    table, counters = chunk_documents(documents, [], {**FIXED, "chunk_size": 1})
    assert [(c.ordinal, c.spans, c.body) for c in table] == [
        (0, ((0, 1),), "x"),
        (1, ((1, 2),), "f"),
        (2, ((2, 3),), "y"),
    ]
    assert (counters["chunks"], counters["duplicated_char"]) == (3, 0)


def test_a_chunk_may_be_read_by_the_groups_that_may_read_every_part():
    text = "aaaabbbbcccc"
    parts = [
        element("1", (0, 4), acl=("x", "y")),
        element("2", (4, 8), acl=("y", "z")),
        element("3", (8, 12)),  # everyone
        element("4", (0, 12), doc_id="other", acl=("q",)),
    ]
    table = chunks_of(document("doc", text), document("other", ""), elements=parts, chunk_size=4)
    assert [c.acl for c in table] == [("x", "y"), ("y", "z"), None]
    table = chunks_of(document("doc", text), elements=parts, chunk_size=6)
    assert [c.acl for c in table] == [("y",), ("y", "z")]
    table = chunks_of(document("doc", text, acl=("z", "x")), elements=parts, chunk_size=4)
    assert [c.acl for c in table] == [("x",), ("z",), ("z", "x")]
    table, counters = chunk_documents([document("doc", text, acl=("x",))], parts, FIXED)
    assert [c.acl for c in table] == [("x",), (), ("x",)]
    assert counters["nobody_may_read"] == 1


def test_every_span_of_a_chunk_is_guarded(monkeypatch):
    class TwoSpans:
        version, unit = 1, "char"

        def pieces(self, document, elements):
            yield Piece(((0, 2), (6, 8)))

    monkeypatch.setitem(METHODS, "two", TwoSpans)
    parts = [element("1", (0, 4), acl=("x", "y")), element("2", (4, 6), acl=("z",)), element("3", (6, 8), acl=("y",))]
    ((only,), _) = chunk_documents([document("doc", "aaaabbcc")], parts, {"method": "two"})
    assert only.acl == ("y",)


def test_an_element_that_only_touches_a_chunk_guards_nothing_in_it():
    guard = [element("1", (4, 8), acl=("x",))]
    assert [c.acl for c in chunks_of(document("doc", "aaaabbbbcccc"), elements=guard)] == [None, ("x",), None]


def test_a_part_that_nobody_may_read_closes_the_chunk():
    guard = [element("1", (1, 2), acl=())]
    assert [c.acl for c in chunks_of(document("doc", "aaaabbbb"), elements=guard)] == [(), None]


def test_elements_guard_the_normalised_text_that_came_from_them():
    raw = [document("doc", "\r\n\r\nab")]
    documents = normalise_documents(raw, Policy(newlines="lf"))
    elements = normalise_elements([element("1", (4, 6), acl=("x",))], documents, Policy(newlines="lf"))
    table = chunk_documents(documents, elements, {**FIXED, "chunk_size": 2})[0]
    assert [(c.body, c.spans, c.acl) for c in table] == [("\n\n", ((0, 4),), None), ("ab", ((4, 6),), ("x",))]


def test_the_order_of_a_table_is_not_that_of_the_file():
    documents = [document(f"d{number}", "abcdef") for number in range(20)]
    expected = chunks_of(*documents)
    random.Random(4).shuffle(documents)
    assert chunks_of(*documents) == expected


def test_an_unknown_method_or_a_value_out_of_range_is_refused():
    with pytest.raises(ValueError, match="chunk method 'sliding': expected one of aggregate, chonkie, document, "):
        chunk_documents([], [], {"method": "sliding"})
    with pytest.raises(ValueError, match="chunk_overlap"):
        chunks_of(chunk_overlap=4)


@pytest.mark.parametrize("span", [(0, 0), (2, 1), (-2, 2), (1, 4), (3, 5)])
def test_a_method_that_gives_a_span_without_text_is_found_out(monkeypatch, span):
    class Wrong:
        version, unit = 1, "char"

        def pieces(self, document, elements):
            yield Piece((span,))

    monkeypatch.setitem(METHODS, "wrong", Wrong)
    with pytest.raises(ValueError, match=r"chunk method 'wrong' gave the spans .* in \('doc', 'v1'\)"):
        chunk_documents([document("doc", "abc")], [], {"method": "wrong"})


@pytest.mark.parametrize("spans", [(), ((0, 2), (1, 3)), ((1, 3), (0, 1)), ((0, 1), (0, 1))])
def test_a_method_whose_spans_are_none_or_not_ascending_and_apart_is_found_out(monkeypatch, spans):
    class Wrong:
        version, unit = 1, "char"

        def pieces(self, document, elements):
            yield Piece(spans)

    monkeypatch.setitem(METHODS, "wrong", Wrong)
    with pytest.raises(ValueError, match="expected spans that are not empty, ascending, disjoint and inside the 3"):
        chunk_documents([document("doc", "abc")], [], {"method": "wrong"})
