"""`spanledger import KIND` from the command line: each kind with its options, its summary, and bad input in one message."""

import json

import pytest

from spanledger.cli import main
from spanledger.dataset import load

QUESTION = {"id": 1, "question": "q?", "answers": [{"text": "b", "answer_start": 3}]}
REFERENCES = '"[{""content"": ""beta"", ""start_index"": 6, ""end_index"": 10}]"'
FILES = {
    "squad.json": json.dumps({"data": [{"paragraphs": [{"context": "é b", "qas": [QUESTION]}]}]}),
    "chroma/corpora/a.md": "alpha beta",
    "chroma/q.csv": f"question,references,corpus_id\nq?,{REFERENCES},a\n",
    "beir/corpus.jsonl": '{"_id": "d", "text": "x"}\n',
    "beir/queries.jsonl": '{"_id": "q", "text": "q?"}\n',
    "beir/qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
    "topics": "01\tq?\n",
    "qrels": "1 0 d 2\n",
    "tydi.jsonl": json.dumps(
        {
            "example_id": 1,
            "question_text": "q?",
            "document_plaintext": "yes it is",
            "passage_answer_candidates": [{"plaintext_start_byte": 0, "plaintext_end_byte": 9}],
            "annotations": [
                {
                    "minimal_answer": {"plaintext_start_byte": -1, "plaintext_end_byte": -1},
                    "passage_answer": {"candidate_index": 0},
                    "yes_no_answer": "YES",
                }
            ],
        }
    ),
    "legal.json": '{"tests": [{"query": "q?", "snippets": [{"file_path": "a.md", "span": [0, 5], "answer": "alpha"}]}]}',
    "quotes.csv": "question,document,quote\nq?,a.md,beta\n",
    "new/a.md": "# alpha\n\nbeta\n",
    "new/b.md": "gamma\n",
    "spans.jsonl": '{"query_id": 1, "text": "q?", "evidence": {"1": [{"path": "a.md", "start": 0, "end": 5}]}}',
}
KINDS = {
    "squad": ["squad.json", "--offset-unit", "byte"],
    "chroma": ["chroma", "--questions", "chroma/q.csv", "--facts", "all", "--offset-unit", "utf16"],
    "beir": ["beir", "--split", "dev", "--questions", "all", "--facts", "whole-document", "--relevant", "1"],
    "trec": [
        *("beir/corpus.jsonl", "--topics", "topics", "--qrels", "qrels", "--topic-fields", "title", "desc"),
        *("--doc-ids", "path", "--ignore-zeros", "--name", "mine", "--facts", "whole-document", "--relevant", "2"),
    ],
    "tydi": ["tydi.jsonl", "--answers", "passage", "--annotators", "1"],
    "legalbench-rag": ["legal.json", "--corpus", "chroma/corpora", "--documents", "all", "--facts", "any"],
    "quotes": [
        "quotes.csv",
        "--corpus",
        "chroma/corpora",
        "--facts",
        "each",
        "--files",
        "*.md",
        "--encoding",
        "latin-1",
    ],
    "markdown": [
        *("chroma/corpora", "--versions", "1", "--evidence", "spans.jsonl", "--gold", "1", "--offset-unit", "byte"),
        *("--facts", "any", "--name", "mine", "--files", "*"),
    ],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    with pytest.raises(SystemExit) as caught:
        main(["import", *arguments])
    return caught.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_with_its_options(folder, capsys, kind):
    assert run(kind, *KINDS[kind], "--out", "made/here", "--language", "en", "--licence", "CC0") == 0
    dataset = load(folder / "made/here")
    assert (dataset.summary["queries"], dataset.summary["facts"]) == (1, 1)
    assert (dataset.summary["language"], dataset.summary["licence"]) == ("en", "CC0")
    told = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in told] == ["read", "kept", "merged", "rejected", "report"]
    assert told[-1] == "report:   made/here/import_report.json"


def test_what_was_rejected_is_told_by_its_reasons(folder, capsys):
    assert run("squad", "squad.json", "--out", "out") == 0
    assert capsys.readouterr().out.splitlines() == [
        "read:     1 answers, 1 articles, 1 paragraphs, 1 questions",
        "kept:     0 answerable_questions, 0 answers, 1 documents, 0 questions",
        "merged:   0 answers, 0 questions",
        "rejected: 1 answers, 1 questions",
        "          1 answers: the text does not stand at the offset; it does if offsets count bytes of UTF-8",
        "          1 questions: all of its answers were rejected",
        "report:   out/import_report.json",
    ]


def test_what_only_some_versions_have_is_told(folder, capsys):
    options = ("--versions", "1", "2", "--questions", "quotes.csv", "--out", "out")
    assert run("markdown", "chroma/corpora", "new", *options) == 0
    assert capsys.readouterr().out.splitlines() == [
        "read:     3 documents, 1 questions, 1 quotes",
        "kept:     1 answerable_questions, 3 documents, 4 elements, 1 questions, 1 quotes",
        "merged:   0 questions, 0 quotes",
        "rejected: 0 questions, 0 quotes",
        "versions: 1 documents in all, 0 of them unchanged; current: 2",
        "          only in 2: b.md",
        "report:   out/import_report.json",
    ]


def test_bad_input_ends_with_one_message_and_writes_nothing(folder):
    message = run("quotes", "quotes.csv", "--corpus", "nowhere", "--out", "chroma", "--encoding", "klingon")
    assert message.splitlines() == [
        "spanledger: 3 problems found:",
        "  --encoding: no encoding is called 'klingon'",
        "  chroma: is not empty: expected an empty folder, or a name that is free",
        "  nowhere: expected a folder, or a tar archive, of documents",
    ]
    assert sorted(path.name for path in (folder / "chroma").iterdir()) == ["corpora", "q.csv"]


@pytest.mark.parametrize("count", ["0", "-1", "x", "1.5", "²"])
def test_how_many_annotators(folder, capsys, count):
    assert run("tydi", "tydi.jsonl", "--out", "out", f"--annotators={count}") == 2
    assert f"expected a whole number from 1 on, found '{count}'" in capsys.readouterr().err
