"""What a context costs, by unit and by text."""

import pytest

from builders import chunk
from spanledger.scoring.cost import Cost
from spanledger.selection.context import Piece
from spanledger.selection.rendering import Rendering
from spanledger.selection.shelf import Shelf

CHUNK = chunk(0, "é log-file 日志", retrieval_text="Titles are two\né log-file 日志")
PIECE = Piece("doc", "v1", ((0, 9),), "a b", None, (0,))


@pytest.mark.parametrize(
    ("unit", "body", "retrieval"),
    [
        ("char", 13, 13 + 15),
        ("word", 3, 6),
        ("lexical", 6, 9),  # é, log, -, file and each character
        ("byte", 1 + 13 + 4, 1 + 13 + 4 + 15),
    ],
)
def test_units_of_the_body_and_of_the_retrieval_text(unit, body, retrieval):
    costs = [Cost({"unit": unit, "text": text}, "ascii_words").of([CHUNK]) for text in ("body", "retrieval")]
    assert costs == [body, retrieval]


@pytest.mark.parametrize(
    ("analyzer", "body", "retrieval"), [("ascii_words", 1, 4), ("cjk_bigrams", 3, 6), ("lexical_terms", 3, 6)]
)
def test_terms_of_the_analyzer_count_each_time_they_occur(analyzer, body, retrieval):
    setting = {"unit": "analyzer", "text": "body"}
    assert Cost(setting, analyzer).of([CHUNK]) == body
    assert Cost({**setting, "text": "retrieval"}, analyzer).of([CHUNK]) == retrieval
    assert Cost(setting, analyzer).of([chunk(0, "log log log")]) == 3


def test_a_passage_counts_each_time_that_it_is_sent():
    cost = Cost({"unit": "word", "text": "body"}, "ascii_words")
    assert cost.of([CHUNK, CHUNK, PIECE, PIECE, PIECE]) == 2 * 3 + 3 * 2
    assert cost.of([]) == 0
    assert cost.unit == "word"


def test_a_chunk_without_a_retrieval_text_of_its_own_costs_its_body():
    assert Cost({"unit": "word", "text": "retrieval"}, "ascii_words").of([chunk(0, "one two")]) == 2


def test_a_length_that_the_chunking_counted_is_taken_for_the_body_alone():
    known = chunk(0, "one two", retrieval_text="title\none two")
    known.lengths["word"] = 7
    assert Cost({"unit": "word", "text": "body"}, "ascii_words").of([known]) == 7
    assert Cost({"unit": "word", "text": "retrieval"}, "ascii_words").of([known]) == 3


def test_an_unknown_unit_or_analyzer_is_refused_at_once():
    with pytest.raises(ValueError, match="unit 'token'"):
        Cost({"unit": "token", "text": "body"}, "ascii_words")
    with pytest.raises(ValueError, match="analyzer 'words'"):
        Cost({"unit": "analyzer", "text": "body"}, "words")


def test_the_whole_text_is_counted_where_a_selector_declares_one():
    """By cl100k_base "hel" and "lo" are one token together; the terms of the analyzer are those of the joined text."""
    chunks = [chunk(0, "hel", retrieval_text="Title\nhel"), chunk(1, "lo")]
    shelf = Shelf(chunks)

    def of(unit, *sent, text="body"):
        return Cost({"unit": unit, "text": text}, "ascii_words", Rendering(*sent), shelf).of(chunks)

    assert [of(unit) for unit in ("tiktoken/cl100k_base", "word", "analyzer", "char")] == [2, 2, 2, 5]
    assert [of(unit, "") for unit in ("tiktoken/cl100k_base", "word", "analyzer", "char")] == [1, 1, 1, 5]
    assert of("char", ", ", "{heading}{body}", "<", ">") == len("<Title\nhel, lo>")
    cost = Cost({"unit": "char", "text": "body"}, "ascii_words", Rendering("-", "{rank}{body}"), shelf)
    assert (cost.text(chunks), cost.of_passage(chunks[1], 2), cost.of([])) == ("1hel-2lo", 3, 0)
    assert Cost({"unit": "char", "text": "body"}, "ascii_words", Rendering(), shelf).text(chunks) is None
