"""qrels.jsonl: graded judgements of whole documents, loaded in a fixed order, and each way in which they can be wrong."""

import pytest

from dataset_folder import document, judgement, problems, query, write
from spanledger import gold
from spanledger.dataset import load
from spanledger.gold import Judgement

DOCUMENTS = [document("x", "a"), document("y", "b"), document("z", "B", version="v2")]
QUERIES = [query(query_id="q", position=2), query(query_id="p", position=1), query(query_id="none", position=0)]


@pytest.mark.parametrize("step", [1, -1])
def test_they_stand_in_the_order_of_the_queries_and_then_of_doc_ids(tmp_path, step):
    lines = [judgement(1, "q", "b"), judgement(0, "p", "a"), judgement(2.0, "q", "B"), judgement(-1, "q", "a")]
    dataset = load(write(tmp_path, DOCUMENTS, QUERIES, qrels=lines[::step]))
    expected = [Judgement("p", "a", 0), Judgement("q", "B", 2), Judgement("q", "a", -1), Judgement("q", "b", 1)]
    assert dataset.judgements == expected
    assert [type(one.relevance) for one in dataset.judgements] == [int] * 4
    assert (dataset.summary["judged_queries"], dataset.summary["judgements"]) == (2, 4)
    written = gold.judgements_to_records(dataset.judgements)
    assert written[0] == {"query_id": "p", "doc_id": "a", "relevance": 0}
    assert gold.judgements_from_records(written) == expected


def test_a_dataset_without_them_has_none(tmp_path):
    assert load(write(tmp_path, DOCUMENTS, QUERIES)).judgements == []


def test_every_fault_is_told(tmp_path):
    lines = [
        judgement(1, "q", "b"),
        judgement(2, "q", "b"),
        judgement(1, "Q", "b"),
        judgement(1, "q", "c"),
        judgement(1.5, "p", "a"),
        judgement(True, "p", "b"),
        {"query_id": "p", "doc_id": "B", "version": "v2", "relevance": 1},
        {"query_id": "q", "doc_id": "a"},
        judgement(1, "", "a"),
    ]
    assert problems(write(tmp_path, DOCUMENTS, QUERIES, qrels=lines)) == [
        ("qrels.jsonl", 2, "judgement 'q' 'b'", "query_id", "stands twice: line 1 has the same query_id and doc_id"),
        (
            "qrels.jsonl",
            3,
            "judgement 'Q' 'b'",
            "query_id",
            "no query is called 'Q': valid: none, p, q",
        ),
        ("qrels.jsonl", 4, "judgement 'q' 'c'", "doc_id", "no document is called 'c': valid: B, a, b"),
        ("qrels.jsonl", 5, "judgement 'p' 'a'", "relevance", "expected a whole number, found 1.5"),
        ("qrels.jsonl", 6, "judgement 'p' 'b'", "relevance", "expected a whole number, found true"),
        (
            "qrels.jsonl",
            7,
            "judgement 'p' 'B'",
            "version",
            "unknown key: valid: doc_id, query_id, relevance",
        ),
        ("qrels.jsonl", 8, "judgement 'q' 'a'", "", "lacks relevance"),
        ("qrels.jsonl", 9, "judgement '' 'a'", "query_id", 'must not be empty, found ""'),
    ]


def test_a_record_at_fault_in_another_file_makes_no_dangling_reference(tmp_path):
    documents = [*DOCUMENTS, document(3, "c")]
    queries = [*QUERIES, {"query_id": "r"}, {"query_id": ["s"]}]
    told = problems(write(tmp_path, documents, queries, qrels=[judgement(1, "r", "c")]))
    assert {name for name, *_ in told} == {"documents.jsonl", "queries.jsonl"}
