"""Texts of the data in a terminal."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spanledger.cli.explain_words import clean, needed, quoted


def test_nothing_that_a_terminal_would_obey():
    assert clean("a\x1b[31mb\r\nc\td\u202ee\x9b") == "a\ufffd[31mb⏎c d\ufffde\ufffd"


def test_wide_characters_are_cut_by_what_they_take():
    assert quoted("缓存保存每层", 12) == "“缓存保存每层”"
    assert quoted("缓存保存每层", 11) == "“缓存保存每…”"
    assert quoted("缓存保存每层", 10) == "“缓存保存…”"


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=30), st.integers(2, 40))
def test_a_cut_text_fits_and_is_a_beginning(text, cells):
    found = clean(text, cells)
    assert cell_len(found) <= cells
    assert found == clean(text) or (found[-1] == "…" and clean(text).startswith(found[:-1]))


def test_what_would_have_kept_a_fact():
    """Any of the limits and depths does; what the index lacks is needed together."""
    now = {"select": {"budget": 240, "top_k": None}, "branches": {"bm25": {"depth": 4}}}
    assert needed({"budget": 333}) == "budget 333"
    assert needed({"budget": 333, "depth": {"bm25": 7}}, now) == "budget 333 (now 240) or depth 7 of bm25 (now 4)"
    span = {"doc_id": "logs", "version": "v2", "start": 100, "end": 178}
    assert needed({"chunk": [span]}) == "an index where a chunk holds logs v2 [100,178)"
    found = {"eligibility": ["versions", "acl"], "chunk": [span, {**span, "start": 190, "end": 200}]}
    assert needed(found) == (
        "an index where versions, acl let it in and a chunk holds logs v2 [100,178), another logs v2 [190,200)"
    )
