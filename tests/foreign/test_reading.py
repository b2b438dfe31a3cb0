"""Runs of others as they lie in files, and everything that can be wrong with them."""

import gzip

import pytest

from spanledger.foreign.reading import SPANS, TREC, Entry, format_of, read
from spanledger.importers.sources import Sources


def entries(tmp_path, name, text, form=None):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    sources = Sources()
    found = read(sources, path, form or format_of(path))
    return found, [(problem.line, problem.field, problem.message) for problem in sources.problems]


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.run", TREC), ("a.txt.gz", TREC), ("a", TREC), ("a.csv", SPANS), ("A.JSONL.gz", SPANS), ("a.tsv", SPANS)],
)
def test_the_name_of_a_file_says_what_it_holds(tmp_path, name, form):
    assert format_of(tmp_path / name) == form


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
def test_a_trec_run(tmp_path, name):
    text = "# ir_metadata.start\nq1 Q0 d1 1 2.5 tag\r\n\nq1\tQ0\td2 2 -1e-3 tag\n"
    assert entries(tmp_path, name, text) == (
        [Entry(2, "q1", "d1", score=2.5, rank=1), Entry(4, "q1", "d2", score=-0.001, rank=2)],
        [],
    )


def test_all_faults_of_a_trec_run(tmp_path):
    text = "q1 Q0 d1 1 2.5\nq1 Q0 d1 one nan tag\nq1 Q0 d1 1.5 inf tag\nq1 Q0 d1 1 1 tag more\n"
    found, problems = entries(tmp_path, "a.run", text)
    assert found == []
    assert [(line, field) for line, field, _ in problems] == [
        (1, ""),
        (2, "rank"),
        (2, "score"),
        (3, "rank"),
        (3, "score"),
        (4, ""),
    ]
    assert "expected 6 columns" in problems[0][2] and "found 5" in problems[0][2]


def test_spans_as_a_table(tmp_path):
    text = 'query_id,doc_id,start,end,version,score\nq1,"d,1",0,5,v2,0.5\nq2,d2,3,4,,1\n'
    assert entries(tmp_path, "a.csv", text) == (
        [Entry(2, "q1", "d,1", "v2", ((0, 5),), 0.5), Entry(3, "q2", "d2", None, ((3, 4),), 1.0)],
        [],
    )


def test_spans_as_json_lines(tmp_path):
    text = (
        '{"query_id": 7, "doc_id": "d", "start": 0, "end": 5, "rank": 1}\n'
        '{"query_id": 7, "doc_id": "d", "version": "2", "spans": [[0, 1], [4, 6]], "rank": 2}\n'
    )
    assert entries(tmp_path, "a.jsonl", text) == (
        [Entry(1, "7", "d", None, ((0, 5),), None, 1), Entry(2, "7", "d", "2", ((0, 1), (4, 6)), None, 2)],
        [],
    )


def test_all_faults_of_spans(tmp_path):
    text = "".join(
        f"{line}\n"
        for line in (
            '{"query_id": "q", "doc_id": "d", "start": 0}',
            '{"query_id": "q", "doc_id": "d", "start": 0, "end": 1, "spans": [[0, 1]]}',
            '{"query_id": "q", "doc_id": "d", "spans": [[0, 1, 2]]}',
            '{"query_id": "q", "doc_id": "d", "start": 0, "end": 1.5}',
            '{"query_id": "q", "doc_id": "d", "start": 0, "end": 1, "colour": 1}',
            '{"query_id": "q", "start": 0, "end": 1}',
            "no json",
        )
    )
    found, problems = entries(tmp_path, "a.jsonl", text)
    assert found == []
    assert sorted(line for line, _, _ in problems) == [1, 2, 3, 4, 5, 6, 7]
    assert [field for line, field, _ in problems if line == 5] == ["colour"]


def test_a_score_is_given_in_all_lines_or_in_none(tmp_path):
    _, problems = entries(tmp_path, "a.csv", "query_id,doc_id,start,end,rank\nq,d,0,1,1\nq,d,1,2,\n")
    assert problems == [(3, "rank", "expected a rank in all lines or in none")]


def test_a_table_with_faults_in_its_cells(tmp_path):
    _, problems = entries(tmp_path, "a.csv", "query_id,doc_id,start,end,score\nq,d,zero,1,high\n")
    assert [(line, field) for line, field, _ in problems] == [(2, "start"), (2, "score")]
    assert "the column 'end' is missing" in str(entries(tmp_path, "b.csv", "query_id,doc_id,start\n")[1])
