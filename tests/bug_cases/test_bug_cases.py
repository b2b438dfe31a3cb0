"""Faults that other tools of this kind had, each as the smallest input that shows it, with the right value.

Case 2 counts tokens as words, case 6 as bytes. Texts and spans are in code points.
"""

import pytest

from builders import chunk, document, evidence, fact, gold, query
from one_arm import arm_settings
from spanledger.chunking import chunk_documents
from spanledger.core.errors import InputError
from spanledger.engine import params
from spanledger.fusion import fuse
from spanledger.normalise import Policy, normalise_documents
from spanledger.retrieval import retrieve
from spanledger.retrieval.indexing import build_indexes
from spanledger.scoring.arm import ArmScorer, Tables
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.selection import select
from spanledger.selection.shelf import Shelf

SPAN_RULE = Rule({"rule": "span"})
EMOJI = "aé😀b"


def cut(text, chunk_size, chunk_overlap=0, unit="char", **setting):
    """The windows of a text as (start, end) with the counters; every chunk is the text that its span says."""
    window = {"method": "window", "unit": unit, "chunk_size": chunk_size, "chunk_overlap": chunk_overlap, **setting}
    table, counters = chunk_documents([document("d", text)], [], window)
    assert all(text[c.spans[0][0] : c.spans[0][1]] == c.body for c in table)
    return [c.spans[0] for c in table], counters


def test_case_1_repeated_text_keeps_its_own_place():
    assert cut("ab ab ab", 1, unit="word")[0] == [(0, 2), (3, 5), (6, 8)]


def test_case_2_an_overlap_in_words_is_subtracted_in_words():
    text = " ".join(f"w{number}" for number in range(30))
    assert len(text) == 109
    windows, _ = cut(text, 10, 5, unit="word")
    assert [start for start, _ in windows] == [0, 15, 30, 50, 70]
    assert [len(text[start:end].split()) for start, end in windows] == [10] * 5


def test_case_3_overlap_is_there_without_a_separator_and_the_counters_state_it():
    windows, counters = cut("abcdefghij", 5, 2)
    assert windows == [(0, 5), (3, 8), (6, 10)]
    assert (counters["duplicated_char"], counters["covered_char"]) == (4, 10)  # two overlaps of two characters


@pytest.mark.parametrize(("chunk_size", "chunk_overlap"), [(4, 4), (4, 5), (4, -1), (0, 0)])
def test_case_4_a_window_that_cannot_advance_is_refused_before_any_document_is_read(chunk_size, chunk_overlap):
    class Unread:
        order = ("",)

        @property
        def text(self):
            raise AssertionError("a document was read")

    window = {"method": "window", "unit": "char", "chunk_size": chunk_size, "chunk_overlap": chunk_overlap}
    with pytest.raises(ValueError, match="chunk_size must be at least 1|chunk_overlap must be at least 0 and below"):
        chunk_documents([Unread()], [], window)
    section = {
        **{"normalise": {}, "eligibility": {"all": {}}, "index": {"words": {"analyzer": "ascii_words"}}},
        **{"retrieve": {"r": {"index": "words", "scorer": "term_overlap"}}, "fuse": {"f": {"branches": ["r"]}}},
        **{"select": {"s": {"top_k": 1}}, "score": {}, "report": {}, "arms": "grid", "chunk": {"c": window}},
    }
    with pytest.raises(InputError, match=r"e\.chunk\.c\.chunk_(size|overlap)"):
        params.resolve({"experiments": {"e": {"dataset": "none"}}, "e": section})


@pytest.mark.parametrize("chunk_overlap", [1, 2])
@pytest.mark.parametrize("unit", ["char", "byte"])
def test_case_5_separators_never_push_a_chunk_over_its_size(unit, chunk_overlap):
    text = "aa  bb  cc  dd"
    windows, _ = cut(text, 4, chunk_overlap, unit)
    assert all(end - start <= 4 for start, end in windows)
    held = {place for start, end in windows for place in range(start, end)}
    assert {place for place, character in enumerate(text) if character != " "} <= held


def test_case_6_a_window_of_bytes_never_cuts_a_character():
    windows, _ = cut(EMOJI, 2, unit="byte")
    assert windows == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert all("\ufffd" not in EMOJI[start:end] for start, end in windows)
    windows, _ = cut(EMOJI, 7, unit="byte")
    assert windows == [(0, 3), (3, 4)]


def test_case_8_normalising_moves_no_span():
    """Chunks are cut from the normalised text and lead back to the places of the raw one."""
    documents = normalise_documents([document("d", "cafe\u0301 noir")], Policy(unicode="NFC"))
    table, _ = chunk_documents(
        documents, [], {"method": "window", "unit": "word", "chunk_size": 1, "chunk_overlap": 0, "tail": "drop"}
    )
    assert [(c.body, c.spans) for c in table] == [("café", ((0, 5),)), ("noir", ((6, 10),))]
    assert Coverage(table, SPAN_RULE).fact_covered(fact("f", [evidence(6, 10, "d")]), {1})


def test_case_10_a_repeated_hit_counts_once():
    """Evidence [10, 20), chunks [0, 15) and [10, 25): 10 of 10 characters are held, not 15."""
    chunks = [chunk(0, "x" * 15, spans=[(0, 15)]), chunk(1, "x" * 15, spans=[(10, 25)])]
    coverage, one = Coverage(chunks, SPAN_RULE), fact("f", [evidence(10, 20)])
    assert [coverage.fact_covered(one, pool) for pool in ({0}, {1}, {0, 1})] == [False, True, True]
    assert coverage.source_lengths([0, 1]) == (30, 25)
    row = _scored(chunks, gold("q", one, fact("g", [evidence(10, 20)], [evidence(12, 14)])))
    assert (row["covered"]["context"], row["required"], row["recall"]) == (2, 2, 1.0)


def test_case_10_a_fact_held_by_two_groups_counts_once():
    chunks = [chunk(0, "x" * 15, spans=[(0, 15)]), chunk(1, "x" * 15, spans=[(20, 35)])]
    row = _scored(chunks, gold("q", fact("f", [evidence(0, 5)], [evidence(20, 25)]), fact("g", [evidence(50, 51)])))
    assert (row["covered"]["context"], row["required"], row["recall"]) == (1, 2, 0.5)


def _scored(chunks, wanted):
    """The line of one query whose context is all of these chunks."""
    documents, queries = [document("doc")], [query("q", "x" * 15)]
    settings = arm_settings(select={"top_k": 9})
    (branch,), rule = settings["branches"].values(), settings["eligibility"]
    indexes, _ = build_indexes(chunks, documents, queries, rule, {"analyzer": "ascii_words"})
    candidates, _ = retrieve(indexes, chunks, queries, "ascii_words", branch)
    contexts, _ = select(candidates, Shelf(chunks), queries, settings["select"], rule)
    tables = Tables(chunks, documents, queries, [wanted], {"words": indexes})
    (row,) = ArmScorer("an-arm", tables, settings).score(candidates, contexts)
    assert len(row["context"]) == len(chunks)
    return row


def test_case_11_a_chunk_that_two_branches_found_is_one_entry():
    """Two indexes of unlike terms over one chunk table: both put the same chunk first, and it has 2/61."""
    documents = [document("a", "日志 logs"), document("b", "other")]
    table, _ = chunk_documents(documents, [], {"method": "document"})
    queries = [query("q", "logs 日志")]
    rule = {"versions": "all", "visibility": None, "acl": "ignore"}
    branch = {"scorer": "bm25", "k1": 1.2, "b": 0.75, "depth": None, "tie": "document"}
    rankings = {}
    for analyzer in ("ascii_words", "cjk_bigrams"):
        indexes, _ = build_indexes(table, documents, queries, rule, {"analyzer": analyzer})
        rankings[analyzer], _ = retrieve(indexes, table, queries, analyzer, branch)
        assert [table[o].doc_id for o in rankings[analyzer][0].chunks] == ["a"]
    setting = {"branches": list(rankings), "method": "rrf", "k": 60, "tie": "document", "rerank": None}
    (merged,), counters = fuse(rankings, table, queries, setting)
    assert [(table[o].doc_id, table[o].spans) for o in merged.chunks] == [("a", ((0, 7),))]
    assert merged.scores == (2 / 61,)
    assert (counters["candidates"], counters["merged_duplicates"]) == (1, 1)


@pytest.mark.parametrize("scorer", [{"scorer": "term_overlap"}, {"scorer": "bm25", "k1": 1.2, "b": 0.75}])
@pytest.mark.parametrize(
    ("eligibility", "forbidden"),
    [
        ({"versions": "current"}, {"current": False}),
        ({"acl": "asker"}, {"acl": ("others",)}),
        ({"visibility": ["public"]}, {"visibility": "internal"}),
    ],
)
def test_case_16_what_is_not_permitted_is_out_before_the_first_k_are_taken(scorer, eligibility, forbidden):
    """Six documents, the three that score best not permitted, k = 3: the three permitted ones come back."""
    rule = {"versions": "all", "visibility": None, "acl": "ignore", **eligibility}
    best = ["logs kept days", "logs kept days", "logs kept days"]
    others = ["logs here", "logs there and there", "only logs"]
    documents = [
        document(f"d{place}", text, **(forbidden if place < 3 else {})) for place, text in enumerate(best + others)
    ]
    queries = [query("q", "logs kept days", groups=("staff",))]
    table, _ = chunk_documents(documents, [], {"method": "document"})
    indexes, counters = build_indexes(table, documents, queries, rule, {"analyzer": "ascii_words"})
    branch = {"index": "words", "depth": 3, "tie": "document", **scorer}
    (ranking,), counted = retrieve(indexes, table, queries, "ascii_words", branch)
    assert {table[ordinal].doc_id for ordinal in ranking.chunks} == {"d3", "d4", "d5"}
    assert counters["classes"][0]["eligible"] == 3
    assert counters["classes"][0]["terms"] == 8  # those of the three permitted documents
    assert "kept" not in indexes[0].postings
    assert counted["nonzero_contributions"] == 3  # logs, once in each; kept and days stand nowhere
    permitted = [d for d in documents if d.doc_id in ("d3", "d4", "d5")]
    alone, _ = chunk_documents(permitted, [], {"method": "document"})
    indexes, _ = build_indexes(alone, permitted, queries, rule, {"analyzer": "ascii_words"})
    (expected,), _ = retrieve(indexes, alone, queries, "ascii_words", branch)
    assert ranking.scores == expected.scores
