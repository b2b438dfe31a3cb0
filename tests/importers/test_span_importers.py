"""The importers of span-level gold (Chroma, TyDi, LegalBench-RAG, quotes) on small data made by hand, right and faulty."""

import csv
import io
import json

import pytest

from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.importers.chroma import import_chroma
from spanledger.importers.legalbench_rag import import_legalbench_rag
from spanledger.importers.quotes import import_quotes
from spanledger.importers.tydi import import_tydi


def files(folder, **contents):
    """A folder with these files; __ in a name stands for /, _ for a dot."""
    for name, content in contents.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def table(*rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def gold(folder):
    """query_id -> for each fact its id and its groups, as (doc_id, text of the span)."""
    dataset = load(folder)
    texts = {document.doc_id: document.text for document in dataset.documents}
    return {
        one.query_id: [
            (fact.fact_id, [[(e.doc_id, texts[e.doc_id][slice(*e.span)]) for e in group] for group in fact.support])
            for fact in one.facts
        ]
        for one in dataset.golds
    }


def written(report, out):
    assert json.loads((out / "import_report.json").read_text(encoding="utf-8")) == report
    return report


def refused(importer, *arguments, **options):
    with pytest.raises(InputError) as caught:
        importer(*arguments, **options)
    found = [
        (problem.file.rpartition("/")[2], problem.line, problem.field, problem.message)
        for problem in caught.value.problems
    ]
    assert not arguments[1].exists() and not list(arguments[1].parent.glob(".*.partial"))
    return found


def reference(text, start, end=None):
    return {"content": text, "start_index": start, "end_index": start + len(text) if end is None else end}


def chroma(folder, *rows, corpora=None):
    cells = [(question, json.dumps(references), corpus) for question, references, corpus in rows]
    files(folder, questions_csv=table(("question", "references", "corpus_id"), *cells))
    return files(folder, **({"corpora__a_md": "é one two three"} if corpora is None else corpora))


def test_chroma_one_fact_a_reference(tmp_path):
    rows = [
        ("two spans?", [reference("two", 6), reference("é one", 0), reference("two", 6)], "a"),
        ("one?", [reference("three", 10)], "a"),
        ("none?", [], "a"),
    ]
    source, out = chroma(tmp_path / "set", *rows), tmp_path / "out"
    report = written(import_chroma(source, out, language="en", licence="MIT"), out)
    assert gold(out) == {
        "q1": [("reference_1", [[("a", "two")]]), ("reference_2", [[("a", "é one")]])],
        "q2": [("reference_1", [[("a", "three")]])],
        "q3": [],
    }
    dataset = load(out)
    assert [one.no_answer for one in dataset.golds] == [None, None, "absent"]
    assert {one.tags for one in dataset.golds} == {("a",)}
    assert (dataset.summary["name"], dataset.summary["language"], dataset.summary["licence"]) == ("set", "en", "MIT")
    assert report["read"] == {"documents": 1, "questions": 3, "references": 4}
    assert report["kept"] == {"documents": 1, "questions": 3, "answerable_questions": 2, "references": 3}
    assert report["merged"] == {"questions": 0, "references": 1}
    assert sorted(report["sources"]) == ["corpora/", "questions.csv"]


@pytest.mark.parametrize(
    ("mode", "facts"),
    [
        ("all", [("reference", [[("a", "two"), ("a", "one")]])]),
        ("any", [("reference", [[("a", "two")], [("a", "one")]])]),
    ],
)
def test_chroma_references_as_one_fact(tmp_path, mode, facts):
    source = chroma(tmp_path / "set", ("q?", [reference("two", 6), reference("one", 2)], "a"))
    import_chroma(source, tmp_path / "out", fact_mode=mode)
    assert gold(tmp_path / "out") == {"q1": facts}


def test_chroma_rejects_what_does_not_stand_at_its_offsets(tmp_path):
    rows = [
        ("some?", [reference("one", 2), reference("two", 7), reference("three", 10, 14)], "a"),
        ("all?", [reference("two", 7)], "a"),
        ("where?", [reference("two", 6)], "b"),
        ("  ", [reference("two", 6)], "a"),
    ]
    source = chroma(tmp_path / "set", *rows)
    report = import_chroma(source, tmp_path / "out")
    assert gold(tmp_path / "out") == {"q1": [("reference_1", [[("a", "one")]])]}
    rejected = report["rejected"]
    bytes_hint = "the text does not stand at the offset; it does if offsets count bytes of UTF-8"
    assert [(e["line"], e["path"], e["nearest"], e["found"], e["reason"]) for e in rejected["references"]] == [
        (2, "references[1]", 6, "wo ", bytes_hint),
        (2, "references[2]", 10, "thre", "the text stands at the offset, but ends at 15, not 14"),
        (3, "references[0]", 6, "wo ", bytes_hint),
    ]
    assert [(e["question_id"], e["reason"]) for e in rejected["questions"]] == [
        ("q2", "all of its references were rejected"),
        ("q3", "no file of corpora/ is called 'b'"),
        ("q4", "the question is empty"),
    ]
    report = import_chroma(source, tmp_path / "whole", fact_mode="all")
    assert report["rejected"]["questions"][0]["reason"] == "all of its references are needed, and some were rejected"
    report = import_chroma(source, tmp_path / "bytes", offset_unit="byte")
    assert gold(tmp_path / "bytes")["q2"] == [("reference_1", [[("a", "two")]])]
    assert report["rejected"]["references"][0]["nearest"] == 3


def test_chroma_malformed(tmp_path):
    source = chroma(tmp_path / "set", corpora={"corpora__a_md": b"\xff", "corpora__b_md": "b", "corpora__b_txt": "b"})
    rows = [("q?", "[{]", "a"), ("q?", '[{"content": 1, "start_index": 0}]', "a")]
    files(source, questions_csv=table(("question", "references", "corpus_id"), *rows))
    assert refused(import_chroma, source, tmp_path / "out") == [
        ("corpora", 0, "", "two files have one name without its ending"),
        ("a.md", 0, "", "is no UTF-8 at byte 0; if it has another encoding, name it by --encoding"),
        (
            "questions.csv",
            2,
            "references",
            "is no JSON: Expecting property name enclosed in double quotes at column 3",
        ),
        ("questions.csv", 3, "references[0].content", "expected a string, found 1"),
        ("questions.csv", 3, "references[0].end_index", "is missing"),
    ]
    files(source, other_csv="")
    several = "expected one .csv file of questions, found other.csv, questions.csv: name one by --questions"
    assert ("set", 0, "", several) in refused(import_chroma, source, tmp_path / "out")


def span(start, end):
    return {"plaintext_start_byte": start, "plaintext_end_byte": end}


def annotation(candidate=-1, start=-1, end=-1, answer="NONE"):
    return {
        "minimal_answer": span(start, end),
        "passage_answer": {"candidate_index": candidate},
        "yes_no_answer": answer,
    }


TEXT = "é one.\nzwei 😀 drei."  # é is bytes 0 and 1, the second line begins at byte 8, 😀 is bytes 13 to 16


def example(name, *annotations, text=TEXT, question="what?", title="T", spoken="x", candidates=((0, 7), (8, 23))):
    return {
        "example_id": name,
        "question_text": question,
        "document_plaintext": text,
        "document_title": title,
        "document_url": "u",
        "language": spoken,
        "passage_answer_candidates": [span(*one) for one in candidates],
        "annotations": [{"annotation_id": 2**64 - 1, **one} for one in annotations],
    }


def tydi(folder, *examples, **options):
    (folder / "dev.jsonl").write_text(lines(*examples), encoding="utf-8")
    report = written(import_tydi(folder / "dev.jsonl", folder / "out", **options), folder / "out")
    return gold(folder / "out"), report


def test_tydi_minimal_answers(tmp_path):
    found, report = tydi(
        tmp_path,
        example(-1, annotation(0, 3, 6), annotation(), annotation(1, 13, 17), annotation(0, 3, 6)),
        example(2, annotation(), annotation(), title="U"),
        example(3, annotation(1, 18, 22), text=f"{TEXT}\n", spoken="y"),
    )
    assert found == {
        "-1": [("answer", [[("x/T", "one")], [("x/T", "😀")]])],
        "2": [],
        "3": [("answer", [[("y/T", "drei")]])],
    }
    assert [(one.no_answer, one.tags) for one in load(tmp_path / "out").golds] == [
        (None, ("x",)),
        ("absent", ("x",)),
        (None, ("y",)),
    ]
    assert report["read"] == {"documents": 3, "questions": 3, "answers": 4}
    assert report["kept"] == {"documents": 3, "questions": 3, "answerable_questions": 2, "answers": 3}
    assert report["merged"] == {"documents": 0, "questions": 0, "answers": 1}
    assert report["notes"] == {"null_answers": 3}


def test_tydi_passages_and_agreement(tmp_path):
    examples = [
        example(1, annotation(0, 3, 6), annotation(0, answer="YES")),
        example(2, annotation(1, 8, 12), annotation(), question="zwei?"),
    ]
    found, report = tydi(tmp_path, *examples, answers="passage", annotators=2)
    assert found == {"1": [("answer", [[("x/T", "é one.")]])], "2": []}
    assert report["merged"]["documents"] == 1
    assert report["left_out"] == {"answers of fewer than 2 annotators": 1}


def test_tydi_rejects_what_is_no_place(tmp_path):
    found, report = tydi(
        tmp_path,
        example(1, annotation(0, 1, 6), annotation(0, 3, 6)),
        example(2, annotation(1, 14, 17), annotation(1, 14, 99), annotation(0, 8, 12), annotation(7, 3, 6)),
        example(3, annotation(0, answer="NO"), annotation(1)),
        example(1, annotation(0, 3, 6), text="other text"),
    )
    assert found == {"1": [("answer", [[("x/T", "one")]])]}
    inside = "lies inside a character: offsets count bytes of UTF-8"
    assert [(entry["question_id"], entry["path"], entry["reason"]) for entry in report["rejected"]["answers"]] == [
        ("1", "annotations[0]", f"offset 1 {inside}"),
        ("2", "annotations[0]", f"offset 14 {inside}"),
        ("2", "annotations[1]", f"offset 14 {inside}"),
        ("2", "annotations[2]", "the minimal answer lies outside its passage, bytes 0 to 7"),
        ("2", "annotations[3]", "there is no passage 7: there are 2"),
        ("3", "annotations[0]", "the answer is no, which has no minimal span (--answers passage has one)"),
        ("3", "annotations[1]", "it has a passage and no minimal span (--answers passage takes it)"),
    ]
    lost = "all of its answers were rejected"
    assert [(entry["question_id"], entry["reason"]) for entry in report["rejected"]["questions"]] == [
        ("2", lost),
        ("3", lost),
        ("1", "the id is that of another question, line 1"),
    ]
    assert [document.doc_id for document in load(tmp_path / "out").documents] == ["x/T", "x/T_2"]


def test_tydi_malformed(tmp_path):
    bad = example(1, annotation(0, 3, 6))
    del bad["annotations"][0]["minimal_answer"]["plaintext_end_byte"]
    (tmp_path / "dev.jsonl").write_text(lines(bad, {**example(2), "example_id": 2**63}))
    assert refused(import_tydi, tmp_path / "dev.jsonl", tmp_path / "out") == [
        ("dev.jsonl", 1, "annotations[0].minimal_answer.plaintext_end_byte", "is missing"),
        ("dev.jsonl", 2, "example_id", "expected a whole number of at most 64 bits"),
    ]


def snippet(path, start, end, answer=None):
    return {"file_path": path, "span": [start, end], **({} if answer is None else {"answer": answer})}


def legal(folder, *tests, **options):
    files(folder / "corpus", c__a_txt="first clause, second clause", c__b_txt="other", c__unused_txt="unused")
    (folder / "nda.json").write_text(json.dumps({"tests": [{"query": q, "snippets": s, "tags": []} for q, s in tests]}))
    return import_legalbench_rag([folder / "nda.json"], folder / "out", corpus=folder / "corpus", **options)


def test_legalbench_rag(tmp_path):
    tests = [
        ("both?", [snippet("c/a.txt", 14, 27, "second clause"), snippet("c/b.txt", 0, 5)]),
        ("none?", []),
    ]
    report = written(legal(tmp_path, *tests), tmp_path / "out")
    assert gold(tmp_path / "out") == {
        "nda-1": [("snippet_1", [[("c/a.txt", "second clause")]]), ("snippet_2", [[("c/b.txt", "other")]])],
        "nda-2": [],
    }
    assert [document.doc_id for document in load(tmp_path / "out").documents] == ["c/a.txt", "c/b.txt"]
    assert report["kept"] == {"documents": 2, "questions": 2, "answerable_questions": 1, "snippets": 2}
    assert report["notes"] == {"unverified_snippets": 1}


def test_legalbench_rag_whole_corpus_and_faults(tmp_path):
    tests = [
        ("a?", [snippet("c/a.txt", 13, 26, "second clause"), snippet("c/gone.txt", 0, 1), snippet("c/b.txt", 3, 9)]),
        ("b?", [snippet("c/b.txt", 4, 2), snippet("c/b.txt", 0, 5, "other")]),
    ]
    report = legal(tmp_path, *tests, documents="all")
    assert report["kept"]["documents"] == 3
    assert [(entry["path"], entry["reason"]) for entry in report["rejected"]["snippets"]] == [
        ("tests[0].snippets[0]", "the text does not stand at the offset"),
        ("tests[0].snippets[1]", "no file of the corpus has this path"),
        ("tests[0].snippets[2]", "the span lies outside the document, which has 5 characters"),
        ("tests[1].snippets[0]", "the span is empty"),
    ]
    assert report["rejected"]["snippets"][0]["nearest"] == 14
    assert [entry["question_id"] for entry in report["rejected"]["questions"]] == ["nda-1"]
    assert gold(tmp_path / "out") == {"nda-2": [("snippet_1", [[("c/b.txt", "other")]])]}


def test_legalbench_rag_malformed(tmp_path):
    (tmp_path / "x.json").write_text('{"tests": [{"query": "q", "snippets": [{"file_path": "a", "span": [1]}]}]}')
    files(tmp_path / "corpus", a="text")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/x.json").write_text('{"tests": [{"query": "q"}]}')
    paths = [tmp_path / "x.json", tmp_path / "deep/x.json"]
    assert refused(import_legalbench_rag, paths, tmp_path / "out", corpus=tmp_path / "corpus") == [
        ("x.json", 0, "tests[0].snippets", "is missing"),
        ("x.json", 0, "", "two files would give the same question ids: x, x"),
        ("x.json", 0, "tests[0].snippets[0].span", "expected two offsets, found 1"),
    ]


def test_quotes_of_a_table(tmp_path):
    corpus = files(
        tmp_path / "docs", a_md="one two one\r\n", sub__b_html="<p>Tea &amp; <b>milk</b></p><script>x</script>"
    )
    rows = [
        ("question", "quote", "document", "occurrence"),
        ("where?", "two one\r\n", "a.md", ""),
        ("which?", "one", "a.md", "2"),
        ("where?", "Tea & milk", "sub/b.html", ""),
        ("where?", "two one\r\n", "a.md", ""),
        ("nothing?", "", "", ""),
    ]
    (tmp_path / "q.csv").write_text(table(*rows), newline="")
    report = written(import_quotes(tmp_path / "q.csv", tmp_path / "out", corpus=corpus), tmp_path / "out")
    assert gold(tmp_path / "out") == {
        "q1": [("quote_1", [[("a.md", "two one\r\n")]]), ("quote_2", [[("sub/b.html", "Tea & milk")]])],
        "q2": [("quote_1", [[("a.md", "one")]])],
        "q3": [],
    }
    dataset = load(tmp_path / "out")
    assert dataset.golds[1].facts[0].support[0][0].span == (8, 11)
    assert [query.text for query in dataset.queries] == ["where?", "which?", "nothing?"]
    assert report["read"] == {"documents": 2, "questions": 3, "quotes": 4}
    assert report["merged"] == {"questions": 0, "quotes": 1}
    assert "script" in report["notes"]["html"]


def test_quotes_of_json_lines_with_ids(tmp_path):
    corpus = files(tmp_path / "docs", a_txt="alpha beta")
    rows = [
        {"question_id": 7, "question": "x?", "document": "a.txt", "quote": "alpha"},
        {"question_id": 7, "question": "x?", "document": "a.txt", "quote": "beta", "occurrence": 1},
        {"question_id": "8", "question": "x?", "document": "a.txt", "quote": "a beta", "occurrence": None},
    ]
    (tmp_path / "q.jsonl").write_text(lines(*rows))
    import_quotes(tmp_path / "q.jsonl", tmp_path / "out", corpus=corpus, fact_mode="any")
    assert gold(tmp_path / "out") == {
        "7": [("quote", [[("a.txt", "alpha")], [("a.txt", "beta")]])],
        "8": [("quote", [[("a.txt", "a beta")]])],
    }


def test_quotes_that_name_no_place(tmp_path):
    corpus = files(tmp_path / "docs", a_txt="The first limit is 5. The second limit is 6.", b_txt="b")
    rows = [
        ("question_id", "question", "document", "quote", "occurrence"),
        ("1", "q?", "a.txt", "limit is", ""),
        ("1", "q?", "a.txt", "The first limit is 7.", ""),
        ("1", "q?", "a.txt", "limit is", "3"),
        ("1", "q?", "a.tx", "x", ""),
        ("1", "another?", "b.txt", "b", ""),
        ("2", "r?", "b.txt", "b", ""),
    ]
    (tmp_path / "q.csv").write_text(table(*rows))
    report = import_quotes(tmp_path / "q.csv", tmp_path / "out", corpus=corpus)
    assert gold(tmp_path / "out") == {"2": [("quote_1", [[("b.txt", "b")]])]}
    told = [(entry["line"], entry.get("nearest"), entry["reason"]) for entry in report["rejected"]["quotes"]]
    assert told == [
        (2, 10, "the quote occurs 2 times in the document (at 10, 33): name one by occurrence"),
        (3, None, "the quote does not occur in the document"),
        (4, 10, "the quote occurs 2 times in the document (at 10, 33), so there is no occurrence 3"),
        (5, None, "no document is called 'a.tx': did you mean 'a.txt'? valid: a.txt, b.txt"),
        (6, None, "question_id '1' is that of another question, line 2"),
    ]
    assert report["rejected"]["quotes"][1]["similar"]["start"] == 0
    assert report["rejected"]["quotes"][1]["similar"]["text"].startswith("The first limit is ")
    assert [entry["reason"] for entry in report["rejected"]["questions"]] == ["all of its quotes were rejected"]


def test_quotes_malformed(tmp_path):
    corpus = files(tmp_path / "docs", a_txt="a")
    rows = [
        ("question", "document", "quote", "question_id", "occurrence"),
        ("q?", "a.txt", "a", "", "-1"),
        ("q?", "a.txt", "", "1", ""),
        ("q?", "", "a", "", ""),
    ]
    (tmp_path / "q.csv").write_text(table(*rows))
    assert refused(import_quotes, tmp_path / "q.csv", tmp_path / "out", corpus=corpus) == [
        ("q.csv", 2, "occurrence", 'expected a whole number, found "-1"'),
        ("q.csv", 3, "quote", "is empty, though the other of document and quote is not"),
        ("q.csv", 4, "document", "is empty, though the other of document and quote is not"),
        ("q.csv", 4, "question_id", "expected a question_id in all rows or in none"),
    ]
    (tmp_path / "q.jsonl").write_text('{"question": "q?", "document": "a", "quote": "b", "occurence": 1}')
    ((_, line, field, message),) = refused(import_quotes, tmp_path / "q.jsonl", tmp_path / "out", corpus=corpus)
    assert (line, field) == (1, "occurence")
    assert message.startswith("unknown key: did you mean 'occurrence'?")


def test_documents_and_tables_in_a_declared_encoding(tmp_path):
    corpus = files(tmp_path / "docs", a_txt="naïve café".encode("latin-1"))
    (tmp_path / "q.csv").write_bytes(
        table(("question", "document", "quote"), ("thé?", "a.txt", "café")).encode("latin-1")
    )
    import_quotes(tmp_path / "q.csv", tmp_path / "out", corpus=corpus, encoding="latin-1")
    assert gold(tmp_path / "out") == {"q1": [("quote_1", [[("a.txt", "café")]])]}
    problems = refused(import_quotes, tmp_path / "q.csv", tmp_path / "new", corpus=corpus)
    declare = "if it has another encoding, name it by --encoding"
    assert problems == [
        ("a.txt", 0, "", f"is no UTF-8 at byte 2; {declare}"),
        ("q.csv", 0, "", f"is no UTF-8 at byte 27; {declare}"),
    ]
