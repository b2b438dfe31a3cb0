"""The importers of document-level gold (BEIR, TREC) on small data made by hand, right and faulty."""

import gzip
import io
import json
import tarfile

import pytest

from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.gold import Judgement
from spanledger.importers.beir import import_beir
from spanledger.importers.trec import import_trec


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def beir(folder, qrels=b"query-id\tcorpus-id\tscore\nq1\td2\t2\nq1\td1\t0\nq2\td1\t1\n", **replaced):
    contents = {
        "corpus": lines(
            {"_id": "d1", "title": "One", "text": "first text"},
            {"_id": "d2", "title": "", "text": "second", "metadata": {"url": "u"}},
            {"_id": "d3", "title": "Three", "text": "Three little words"},
        ),
        "queries": lines(
            {"_id": "q0", "text": "of another split"}, {"_id": "q2", "text": "b?"}, {"_id": "q1", "text": "a?"}
        ),
        **replaced,
    }
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(contents["corpus"]))
    (folder / "queries.jsonl").write_bytes(contents["queries"])
    (folder / "qrels/test.tsv").write_bytes(qrels)
    return folder


def test_beir(tmp_path):
    report = import_beir(beir(tmp_path / "nice"), tmp_path / "out", language="en", licence="CC0")
    dataset = load(tmp_path / "out")
    assert [(one.doc_id, one.text, one.metadata) for one in dataset.documents] == [
        ("d1", "One\nfirst text", {"title": "One"}),
        ("d2", "second", {}),
        ("d3", "Three little words", {"title": "Three"}),
    ]
    assert [(query.query_id, query.text) for query in dataset.queries] == [("q2", "b?"), ("q1", "a?")]
    assert dataset.judgements == [Judgement("q2", "d1", 1), Judgement("q1", "d1", 0), Judgement("q1", "d2", 2)]
    assert [(gold.facts, gold.no_answer) for gold in dataset.golds] == [((), None), ((), None)]
    assert (dataset.summary["name"], dataset.summary["licence"]) == ("nice", "CC0")
    assert json.loads((tmp_path / "out/import_report.json").read_text()) == report
    assert report["read"] == {"questions": 3, "documents": 3, "judgements": 3}
    assert report["kept"] == {"documents": 3, "questions": 2, "judged_questions": 2, "judgements": 3}
    assert report["left_out"] == {"questions without a judgement": 1}
    report = import_beir(tmp_path / "nice", tmp_path / "every", questions="all")
    assert (report["kept"]["questions"], report["kept"]["judged_questions"]) == (3, 2)


@pytest.mark.parametrize(("relevant", "expected"), [(0, ["d1", "d2"]), (1, ["d2"]), (2, ["d2"]), (3, [])])
def test_whole_documents_as_facts(tmp_path, relevant, expected):
    import_beir(beir(tmp_path / "in"), tmp_path / "out", fact_mode="whole-document", relevant=relevant)
    dataset = load(tmp_path / "out")
    (gold,) = (gold for gold in dataset.golds if gold.query_id == "q1")
    lengths = {"d1": 14, "d2": 6}
    found = [(fact.fact_id, [[(e.doc_id, e.span) for e in group] for group in fact.support]) for fact in gold.facts]
    assert found == [(doc_id, [[(doc_id, (0, lengths[doc_id]))]]) for doc_id in expected]
    assert len(dataset.judgements) == 3


def test_an_empty_document_supports_no_fact(tmp_path):
    source = beir(tmp_path / "in", corpus=lines({"_id": "d1", "text": ""}, {"_id": "d2", "text": "x"}))
    report = import_beir(source, tmp_path / "out", fact_mode="whole-document")
    assert report["left_out"]["facts of empty documents"] == 1
    assert report["kept"]["spans"] == 1


def test_what_does_not_fit_together_is_rejected(tmp_path):
    qrels = b"query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\td2\t1\nq1\td2\t0\nq1\td9\t1\nq9\td1\t1\nq2\td1\t1\n"
    corpus = lines(
        *({"_id": name, "text": text} for name, text in [("d1", "x"), ("d1", "x"), ("d1", "y"), ("d2", "z"), ("", "e")])
    )
    queries = lines(
        {"_id": "q1", "text": "a?"},
        {"_id": "q1", "text": "b?"},
        {"_id": "q1", "text": "a?"},
        {"_id": "q2", "text": " "},
    )
    report = import_beir(beir(tmp_path / "in", qrels, corpus=corpus, queries=queries), tmp_path / "out")
    assert report["kept"] == {"documents": 2, "questions": 1, "judged_questions": 1, "judgements": 1}
    assert report["merged"] == {"questions": 1, "documents": 1, "judgements": 1}
    assert [(e["line"], e["reason"]) for e in report["rejected"]["documents"]] == [
        (3, "the id is that of another document, corpus.jsonl.gz:1"),
        (5, "the id is empty"),
    ]
    assert [(e["line"], e["reason"]) for e in report["rejected"]["questions"]] == [
        (2, "the id is that of another question, queries.jsonl:1"),
        (4, "the question is empty"),
    ]
    assert [(e["line"], e["reason"]) for e in report["rejected"]["judgements"]] == [
        (4, "line 2 of test.tsv judges it as 1"),
        (5, "no document has this id"),
        (6, "no question has this id"),
        (7, "its question was rejected"),
    ]
    for what, count in report["read"].items():
        kept = report["kept"][what]
        assert count == kept + report["merged"][what] + len(report["rejected"][what])


def test_beir_malformed(tmp_path):
    corpus = b'{"_id": "d1"}\n{"title": "x", "text": 1}\n\xff'
    source = beir(tmp_path / "in", b"q1\td1\t1.5\nq1 d1\nq1\td1\t1\n", corpus=corpus[:-1], queries=lines({"_id": "q"}))
    for split, last in [
        ("test", [("test.tsv", 1, "expected a whole number as grade, found '1.5'")]),
        ("dev", [("qrels", 0, "there is no split 'dev': valid: test")]),
    ]:
        with pytest.raises(InputError) as caught:
            import_beir(source, tmp_path / "out", split=split)
        found = [(p.file.rpartition("/")[2], p.line, p.message) for p in caught.value.problems]
        assert set(last) <= set(found)
        assert ("corpus.jsonl.gz", 1, "expected one of the keys text, contents, body") in found
        assert ("corpus.jsonl.gz", 2, "expected a string or null, found 1") in found
        assert ("queries.jsonl", 1, "is missing") in found
        shown = "expected query, 0, document and grade, or query, document and grade between tabs, found 2 cells"
        assert (("test.tsv", 2, shown) in found) == (split == "test")
    assert not (tmp_path / "out").exists()


SGML = b"<DOC><DOCNO>A-01</DOCNO><TEXT>alpha &amp; beta</TEXT></DOC>\n<DOC><DOCNO>A-2</DOCNO>gamma</DOC>"
TOPICS = b"""\
<top>
<num> Number: 051
<title> Topic: first
<desc> Description:
more
</top>
<top><num>52<title>second</top>
"""


def trec(folder, documents=("d.sgml", SGML), topics=TOPICS, qrels=b"051 0 A-01 1\n52 0 A-2 3\n\n"):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in ((documents[0], documents[1]), ("topics", topics), ("qrels", qrels)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return {"topics": folder / "topics", "qrels": folder / "qrels"}


def test_trec_sgml(tmp_path):
    options = trec(tmp_path / "in")
    report = import_trec(
        tmp_path / "in/d.sgml", tmp_path / "out", **options, name="mine", topic_fields=("title", "desc")
    )
    dataset = load(tmp_path / "out")
    assert [(one.doc_id, one.text) for one in dataset.documents] == [("A-01", "alpha & beta"), ("A-2", "gamma")]
    assert [(query.query_id, query.text) for query in dataset.queries] == [("051", "first more"), ("52", "second")]
    assert dataset.judgements == [Judgement("051", "A-01", 1), Judgement("52", "A-2", 3)]
    assert dataset.summary["name"] == "mine"
    assert sorted(report["sources"]) == ["d.sgml", "qrels", "topics"]
    assert report["notes"]["sgml"].startswith("2 documents: the tags were dropped")


def archive(*members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return data.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "root"),
    [
        (
            "d.jsonl",
            lines({"docno": "A-01", "contents": "alpha & beta"}, {"id": "A-2", "body": "gamma", "title": None}),
            "",
        ),
        (
            "d.jsonl.gz",
            gzip.compress(lines({"_id": "A-01", "text": "alpha & beta"}, {"_id": "A-2", "text": "gamma"}), mtime=0),
            "",
        ),
        ("d.xml.gz", gzip.compress(SGML, mtime=0), ""),
        ("d/part1", SGML, "d"),
        ("d.tar", archive(("x/A-2.txt", b"gamma"), ("A-01.html", b"<p>alpha &amp; beta")), ""),
    ],
)
def test_trec_documents_of_every_form(tmp_path, name, data, root):
    options = trec(tmp_path / "in", (name, data))
    report = import_trec(tmp_path / "in" / (root or name), tmp_path / "out", **options)
    dataset = load(tmp_path / "out")
    assert [(one.doc_id, one.text) for one in dataset.documents] == [("A-01", "alpha & beta"), ("A-2", "gamma")]
    assert report["read"]["documents"] == report["kept"]["documents"] == 2
    assert len(dataset.judgements) == 2


def test_topics_by_tabs_and_questions_without_judgements(tmp_path):
    options = trec(tmp_path / "in", topics=b"\xef\xbb\xbf051\tfirst one\r\n\n52\tsecond\n53\tthird\n")
    report = import_trec(tmp_path / "in/d.sgml", tmp_path / "out", **options)
    assert [(query.query_id, query.text) for query in load(tmp_path / "out").queries] == [
        ("051", "first one"),
        ("52", "second"),
        ("53", "third"),
    ]
    assert (report["kept"]["questions"], report["kept"]["judged_questions"]) == (3, 2)
    report = import_trec(tmp_path / "in/d.sgml", tmp_path / "few", **options, questions="judged")
    assert (report["kept"]["questions"], report["left_out"]) == (2, {"questions without a judgement": 1})


def test_ids_without_their_leading_zeros(tmp_path):
    options = trec(tmp_path / "in", qrels=b"51 0 A-1 1\n51 0 A-02 2\n52 0 A-20 1\n052 0 A-2 1\n")
    report = import_trec(tmp_path / "in/d.sgml", tmp_path / "out", **options)
    assert [(e["line"], e["nearest"], e["reason"]) for e in report["rejected"]["judgements"]] == [
        (1, "051", "no question has this id"),
        (2, "051", "no question has this id"),
        (3, None, "no document has this id"),
        (4, "52", "no question has this id"),
    ]
    report = import_trec(tmp_path / "in/d.sgml", tmp_path / "free", **options, ignore_zeros=True)
    assert load(tmp_path / "free").judgements == [
        Judgement("051", "A-01", 1),
        Judgement("051", "A-2", 2),
        Judgement("52", "A-2", 1),
    ]
    assert report["notes"]["leading_zeros"] == "3 judgements found their ids only without leading zeros"
    assert [e["doc_id"] for e in report["rejected"]["judgements"]] == ["A-20"]


def test_two_documents_that_differ_in_zeros_alone_are_not_mixed_up(tmp_path):
    documents = lines(*({"_id": name, "text": name} for name in ("A-1", "A-01", "A-2")))
    options = trec(tmp_path / "in", ("d.jsonl", documents), qrels=b"52 0 A-001 1\n52 0 A-01 2\n")
    report = import_trec(tmp_path / "in/d.jsonl", tmp_path / "out", **options, ignore_zeros=True)
    assert load(tmp_path / "out").judgements == [Judgement("52", "A-01", 2)]
    assert [(e["doc_id"], e["nearest"]) for e in report["rejected"]["judgements"]] == [("A-001", None)]


CUT_OFF = 'expected <DOC>...</DOC> and nothing else, found "<DOC><DOCNO>1"'
UNKNOWN_FORM = "expected JSON lines (.jsonl), a folder, a tar archive, or SGML that begins with <DOC>"


@pytest.mark.parametrize(
    ("changed", "problems"),
    [
        ({"documents": ("d.sgml", b"<DOC>x</DOC>\n<DOC><DOCNO>1")}, [CUT_OFF, "a document without DOCNO"]),
        ({"documents": ("d.sgml", b"plain")}, [UNKNOWN_FORM]),
        ({"topics": b"51 no tab"}, ["expected an id, a tab and a text"]),
        ({"topics": b"<html>"}, ["begins with <, but holds no <top> and no <DOC>"]),
        ({"topics": b"<top><title>x</top>"}, ["a topic without a number"]),
        ({"qrels": b"51 0 A-2 high"}, ["expected a whole number as grade, found 'high'"]),
    ],
)  # fmt: skip
def test_trec_malformed(tmp_path, changed, problems):
    options = trec(tmp_path / "in", **changed)
    with pytest.raises(InputError) as caught:
        import_trec(tmp_path / "in/d.sgml", tmp_path / "out", **options)
    assert [problem.message for problem in caught.value.problems] == problems
    assert not (tmp_path / "out").exists()
