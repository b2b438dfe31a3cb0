"""What recall is held against, in words."""

from spanledger.report.attainment import attainable, exactness, sentence

ROW = {
    "answerable_queries": 1200,
    "macro_recall": 0.71,
    "attainable_recall_candidates": 0.78,
    "attainable_recall_index": 0.9,
    "attainable_exact_candidates": 1200,
    "attainable_exact_index": 1190,
    "random_recall_candidates": 0.25,
    "random_recall_index": 0.0123,
}


def test_a_bound_is_marked_where_it_is_not_exact():
    assert attainable(ROW, "candidates") == "0.780"
    assert attainable(ROW, "index") == "≤ 0.900"
    assert exactness(ROW, "candidates") == "exact for 1,200 of 1,200 queries"
    assert exactness(ROW, "index") == "exact for 1,190 of 1,200 queries, an upper bound for 10"
    assert attainable({"attainable_recall_index": None}, "index") == "null"


def test_the_sentence_says_what_recall_is_out_of():
    assert sentence(ROW) == (
        "macro recall 0.710 of an attainable 0.780 from its candidates (exact for 1,200 of 1,200 queries), ≤ 0.900 from "
        "the whole index (exact for 1,190 of 1,200 queries, an upper bound for 10); in random order its candidates reach "
        "0.250, the chunks of the index 0.012"
    )
    without = {**ROW, "random_recall_candidates": None, "random_recall_index": None}
    assert sentence(without).endswith("an upper bound for 10)")


def test_nothing_is_said_of_an_index_that_is_not_known():
    assert sentence({**ROW, "attainable_recall_index": None, "random_recall_index": None}) == (
        "macro recall 0.710 of an attainable 0.780 from its candidates (exact for 1,200 of 1,200 queries); in random order "
        "its candidates reach 0.250"
    )
