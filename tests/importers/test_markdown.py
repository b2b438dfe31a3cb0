"""The importer of Markdown and text folders: versions, questions with quotes or spans, and what is at fault."""

import csv
import json

import pytest

from spanledger.chunking import chunk_documents
from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.importers.markdown import import_markdown

OLD = {
    "guide.md": "# Guide\r\n\r\nThe limit is 5.\r\n\r\n```\r\nrun --limit 5\r\n```\r\n",
    "old/gone.md": "# Gone\n\nIt was here.\n",
    "same.txt": "one\n\ntwo one\n",
    "logo.png": "\x00\x01",
}
NEW = {
    "guide.md": "---\ntitle: x\n---\n# Guide\n\nThe limit is 7.\n\n| flag | means |\n|---|---|\n| -l | limit |\n",
    "same.txt": "one\n\ntwo one\n",
    "new.md": "no title here",
}

HALF = "is half a character (a lone surrogate)"


@pytest.fixture
def folders(tmp_path):
    for folder, texts in (("1.0", OLD), ("2.0", NEW)):
        for name, text in texts.items():
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).write_bytes(text.encode())
    return [tmp_path / "1.0", tmp_path / "2.0"]


def rows(path, *records):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(records)
    return path


def lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def gold(dataset):
    """(query_id, versions, no_answer, evidence as (doc_id, version, span)) of every query."""
    return [
        (
            query.query_id,
            query.versions,
            one.no_answer,
            [(e.doc_id, e.version, e.span) for fact in one.facts for group in fact.support for e in group],
        )
        for query, one in zip(dataset.queries, dataset.golds, strict=True)
    ]


def refused(*arguments, **options):
    with pytest.raises(InputError) as caught:
        import_markdown(*arguments, **options)
    return [(p.file.rpartition("/")[2], p.line, p.field, p.message) for p in caught.value.problems]


def test_two_versions_and_their_elements(folders, tmp_path):
    report = import_markdown(folders, tmp_path / "out")
    assert json.loads((tmp_path / "out/import_report.json").read_text()) == report
    assert report["read"] == {"documents": 6, "questions": 0, "quotes": 0}
    assert report["kept"] == {"documents": 6, "elements": 11, "questions": 0, "answerable_questions": 0, "quotes": 0}
    assert report["left_out"] == {"files of other kinds": 1}
    assert report["notes"]["versions"] == {
        "current": "2.0",
        "in_all": 2,
        "unchanged": 1,
        "not_in_all": {"new.md": ["2.0"], "old/gone.md": ["1.0"]},
    }
    dataset = load(tmp_path / "out")
    assert [(d.doc_id, d.version, d.current, d.metadata) for d in dataset.documents] == [
        ("guide.md", "1.0", False, {"title": "Guide"}),
        ("guide.md", "2.0", True, {"title": "Guide"}),
        ("new.md", "2.0", True, {}),
        ("old/gone.md", "1.0", False, {"title": "Gone"}),
        ("same.txt", "1.0", False, {}),
        ("same.txt", "2.0", True, {}),
    ]
    texts = {document.key: document.text for document in dataset.documents}
    assert texts["guide.md", "1.0"] == OLD["guide.md"]
    assert [
        (e.element_id, e.kind, texts["guide.md", e.version][slice(*e.span)], e.section_path, e.header_id)
        for e in dataset.elements
        if e.doc_id == "guide.md"
    ] == [
        ("1.0/guide.md#1", "heading", "# Guide", ("Guide",), None),
        ("1.0/guide.md#2", "paragraph", "The limit is 5.", ("Guide",), None),
        ("1.0/guide.md#3", "code", "```\r\nrun --limit 5\r\n```", ("Guide",), None),
        ("2.0/guide.md#1", "front_matter", "---\ntitle: x\n---", (), None),
        ("2.0/guide.md#2", "heading", "# Guide", ("Guide",), None),
        ("2.0/guide.md#3", "paragraph", "The limit is 7.", ("Guide",), None),
        ("2.0/guide.md#4", "table_header", "| flag | means |\n|---|---|", ("Guide",), None),
        ("2.0/guide.md#5", "table_row", "| -l | limit |", ("Guide",), "2.0/guide.md#4"),
    ]


def test_the_structured_chunker_takes_the_elements(folders, tmp_path):
    import_markdown(folders[1:], tmp_path / "out")
    dataset = load(tmp_path / "out")
    setting = {"method": "structured", "unit": "char", "chunk_size": 40, "chunk_overlap": 0}
    chunks, _ = chunk_documents(dataset.documents, dataset.elements, setting)
    assert [(c.doc_id, c.version, c.body, c.retrieval_text) for c in chunks] == [
        ("guide.md", "1", "---\ntitle: x\n---", None),
        ("guide.md", "1", "# Guide\nThe limit is 7.", "Guide\n# Guide\nThe limit is 7."),
        ("guide.md", "1", "| flag | means |\n|---|---|", "Guide\n| flag | means |\n|---|---|"),
        ("guide.md", "1", "| -l | limit |", "Guide\n| flag | means |\n|---|---|\n| -l | limit |"),
        ("new.md", "1", "no title here", None),
        ("same.txt", "1", "one\ntwo one", None),
    ]


def test_one_folder_is_one_version_that_is_current(folders, tmp_path):
    report = import_markdown(folders[:1], tmp_path / "out", files="*.txt", name="texts", language="en")
    assert "notes" not in report and "left_out" not in report
    dataset = load(tmp_path / "out")
    assert [(d.doc_id, d.version, d.current) for d in dataset.documents] == [("same.txt", "1", True)]
    assert (dataset.summary["name"], dataset.elements) == ("texts", [])
    assert "current_versions" not in (tmp_path / "out/dataset.yaml").read_text()


def test_quotes_mean_the_current_version_unless_they_name_one(folders, tmp_path):
    table = rows(
        tmp_path / "q.csv",
        ("question", "document", "quote", "version", "occurrence", "answer"),
        ("limit?", "guide.md", "The limit is 7.", "", "", "7"),
        ("once?", "guide.md", "The limit is 5.", "1.0", "", "5"),
        ("gone?", "old/gone.md", "It was here.", "1.0", "", ""),
        ("two?", "same.txt", "one", "", "2", ""),
        ("none?", "", "", "", "", ""),
    )
    report = import_markdown(folders, tmp_path / "out", questions=table)
    assert gold(load(tmp_path / "out")) == [
        ("q1", (), None, [("guide.md", "2.0", (26, 41))]),
        ("q2", ("1.0",), None, [("guide.md", "1.0", (11, 26))]),
        ("q3", ("1.0",), None, [("old/gone.md", "1.0", (8, 20))]),
        ("q4", (), None, [("same.txt", "2.0", (9, 12))]),
        ("q5", (), "absent", []),
    ]
    assert report["kept"]["quotes"] == 4
    assert report["notes"]["answers"].startswith("2 answers were read and not kept")


def test_quotes_that_name_no_place(folders, tmp_path):
    table = rows(
        tmp_path / "q.csv",
        ("question", "document", "quote", "version"),
        ("a?", "old/gone.md", "It was here.", ""),
        ("b?", "guide.md", "The limit is 7.", "1.0"),
        ("c?", "guide.md", "x", "3.0"),
        ("d?", "same.txt", "one", ""),
        ("e?", "guid.md", "x", ""),
    )
    report = import_markdown(folders, tmp_path / "out", questions=table)
    assert [(e["line"], e.get("nearest"), e["reason"]) for e in report["rejected"]["quotes"]] == [
        (2, None, "document 'old/gone.md' has no current version: name one by version (1.0)"),
        (3, None, "the quote does not occur in the document"),
        (4, None, "document 'guide.md' has no version '3.0': did you mean '2.0'? valid: 1.0, 2.0"),
        (5, 0, "the quote occurs 2 times in the document (at 0, 9): name one by occurrence"),
        (
            6,
            None,
            "no document is called 'guid.md': did you mean 'guide.md'? valid: guide.md, new.md, old/gone.md, same.txt",
        ),
    ]
    similar = report["rejected"]["quotes"][1]["similar"]
    assert OLD["guide.md"][similar["start"] : similar["end"]] == similar["text"]
    assert "limit is" in similar["text"]
    assert load(tmp_path / "out").queries == []


def test_a_question_that_one_version_does_not_answer_asks_about_that_version(folders, tmp_path):
    header = ("question", "document", "quote", "version")
    table = rows(tmp_path / "q.csv", header, ("a?", "", "", "1.0"), ("b?", "", "", "2.0"), ("c?", "", "", "3.0"))
    report = import_markdown(folders, tmp_path / "out", questions=table)
    assert gold(load(tmp_path / "out")) == [("q1", ("1.0",), "absent", []), ("q2", (), "absent", [])]
    assert [(e["line"], e["reason"]) for e in report["rejected"]["questions"]] == [
        (4, "no document has the version '3.0': did you mean '2.0'? valid: 1.0, 2.0")
    ]


@pytest.mark.parametrize(("mode", "kept", "others"), [("each", 2, 1), ("all", 0, 3)])
def test_quotes_of_questions_that_are_not_kept_are_counted(folders, tmp_path, mode, kept, others):
    """Four quotes: that of a question without text, one that does not occur, and two that do."""
    table = rows(
        tmp_path / "q.csv",
        ("question_id", "question", "document", "quote"),
        ("q1", "", "same.txt", "two"),
        ("q2", "b?", "same.txt", "two one"),
        ("q2", "b?", "same.txt", "three"),
        ("q2", "b?", "same.txt", "two"),
    )
    report = import_markdown(folders, tmp_path / "out", questions=table, fact_mode=mode)
    assert (report["read"]["quotes"], report["kept"]["quotes"], len(report["rejected"]["quotes"])) == (4, kept, 1)
    assert report["left_out"]["quotes of questions that were merged or rejected"] == others


EVIDENCE = [
    {
        "query_id": "c",
        "text": "limit?",
        "kind": "changed",
        "evidence": {
            "1.0": [{"path": "guide.md", "start": 11, "end": 26, "text": "The limit is 5."}],
            "2.0": [{"path": "guide.md", "start": 26, "end": 41, "text": "The limit is 7."}],
        },
    },
    {
        "query_id": 2,
        "text": "was?",
        "evidence": {"1.0": [{"path": "old/gone.md", "start": 8, "end": 20}], "2.0": []},
    },
    {"query_id": "other", "text": "?", "evidence": {"9.0": []}},
]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (
            None,
            [("c", (), None, [("guide.md", "2.0", (26, 41))]), ("2", (), "absent", [])],
        ),
        (
            "1.0",
            [
                ("c", ("1.0",), None, [("guide.md", "1.0", (11, 26))]),
                ("2", ("1.0",), None, [("old/gone.md", "1.0", (8, 20))]),
            ],
        ),
    ],
)
def test_spans_by_version(folders, tmp_path, version, expected):
    path = lines(tmp_path / "facts.jsonl", *EVIDENCE)
    report = import_markdown(folders, tmp_path / "out", evidence=path, gold=version)
    dataset = load(tmp_path / "out")
    assert gold(dataset) == expected
    assert [one.tags for one in dataset.golds] == [("changed",), ()]
    assert report["left_out"]["questions without evidence for this version"] == 1
    assert report["read"]["questions"] == 3


def test_spans_that_do_not_stand_at_their_offsets(folders, tmp_path):
    wrong = [
        {"path": "guide.md", "start": 25, "end": 40, "text": "The limit is 7."},
        {"path": "old/gone.md", "start": 0, "end": 1},
    ]
    path = lines(tmp_path / "facts.jsonl", {"query_id": "q", "text": "?", "evidence": {"2.0": wrong}})
    report = import_markdown(folders, tmp_path / "out", evidence=path)
    assert [(e["path"], e.get("nearest"), e["reason"]) for e in report["rejected"]["spans"]] == [
        ("evidence.2.0[0]", 26, "the text does not stand at the offset"),
        ("evidence.2.0[1]", None, "version '2.0' has no document 'old/gone.md'"),
    ]
    assert [e["reason"] for e in report["rejected"]["questions"]] == ["all of its spans were rejected"]


def test_what_is_malformed_is_refused_as_a_whole(folders, tmp_path):
    (folders[0] / "bad.md").write_bytes(b"ok \xff")
    table = rows(tmp_path / "q.csv", ("question", "document", "qoute"))
    path = lines(
        tmp_path / "facts.jsonl", {"query_id": "q", "text": "?", "evidence": {"1.0": [{"path": "x"}], "2.0": 1}}
    )
    columns = "valid: answer, document, occurrence, question, question_id, quote, version"
    named = "name the versions, in the order of the folders"
    found = refused(folders, tmp_path / "out", versions=["1/0", "1/0"], questions=table, evidence=path, gold="3")
    assert found == [
        ("--evidence", 0, "", "expected --questions or --evidence, not both"),
        ("--gold", 0, "", "is no version of these folders: valid: 1/0, 1/0"),
        ("--versions", 0, "", "expected a name without /, found '1/0'"),
        ("--versions", 0, "", f"two folders would both be version '1/0': {named}"),
        ("bad.md", 0, "", "is no UTF-8 at byte 3; if it has another encoding, name it by --encoding"),
        ("facts.jsonl", 1, "evidence.1.0[0].end", "is missing"),
        ("facts.jsonl", 1, "evidence.1.0[0].start", "is missing"),
        ("facts.jsonl", 1, "evidence.2.0", "expected a list, found 1"),
        ("q.csv", 1, "", "the column 'quote' is missing"),
        ("q.csv", 1, "", f"unknown column 'qoute': did you mean 'quote'? {columns}"),
    ]
    assert not (tmp_path / "out").exists()
    assert refused(folders, tmp_path / "out", versions=["1"], gold="1")[:2] == [
        ("--gold", 0, "", "says which spans of --evidence are taken: name that too"),
        ("--versions", 0, "", "expected as many names as folders, 2, found 1"),
    ]


def test_nothing_of_the_evidence_is_repaired(folders, tmp_path):
    span = '[{"path": "guide.md", "start": 11, "end": 26}]'
    broken = '[{"path": "\\ud800", "start": NaN, "end": 9999999999999999999}]'
    path = tmp_path / "facts.jsonl"
    path.write_text(
        f'{{"query_id": "a", "text": "?", "evidence": {{"1.0": {span}, "1.0": []}}}}\n'
        f'{{"query_id": "b", "text": "?", "evidence": {{"1.0": {broken}}}}}\n'
    )
    assert refused(folders, tmp_path / "out", evidence=path, gold="1.0") == [
        ("facts.jsonl", 1, "evidence.1.0", "the key stands more than once"),
        ("facts.jsonl", 2, "evidence.1.0[0].end", "expected a whole number of at most 64 bits"),
        ("facts.jsonl", 2, "evidence.1.0[0].path", f"\\ud800 {HALF}, at character 0 of the string"),
        ("facts.jsonl", 2, "evidence.1.0[0].start", "NaN, Infinity and numbers beyond 64 bits are not allowed"),
    ]


def test_an_occurrence_that_no_text_has(folders, tmp_path):
    header = ("question", "document", "quote", "occurrence")
    table = rows(tmp_path / "q.csv", header, ("a?", "same.txt", "one", "9" * 18))
    (rejected,) = import_markdown(folders, tmp_path / "out", questions=table)["rejected"]["quotes"]
    assert rejected["reason"].endswith(f"so there is no occurrence {'9' * 18}")
    table = rows(tmp_path / "q.csv", header, ("a?", "same.txt", "one", "9" * 5000))
    ((file, line, field, message),) = refused(folders, tmp_path / "other", questions=table)
    assert (file, line, field) == ("q.csv", 2, "occurrence") and message.startswith("expected a whole number, found")
    assert len(message) < 200


def test_the_order_of_files_and_the_place_of_folders_change_no_byte(folders, tmp_path):
    import_markdown(folders, tmp_path / "a")
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for folder in folders:
        for name in reversed(list({**OLD, **NEW})):
            if (folder / name).exists():
                (moved / folder.name / name).parent.mkdir(parents=True, exist_ok=True)
                (moved / folder.name / name).write_bytes((folder / name).read_bytes())
    import_markdown([moved / folder.name for folder in folders], tmp_path / "b")
    for name in ("dataset.yaml", "documents.jsonl", "elements.jsonl", "queries.jsonl", "import_report.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
