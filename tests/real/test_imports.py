"""Every published data set beside the project through its importer: what comes out, against the source read plainly."""

import csv
import gzip
import json
import tarfile

import pytest

from spanledger.dataset import load
from spanledger.importers.chroma import import_chroma
from spanledger.importers.squad import import_squad
from spanledger.importers.trec import import_trec
from spanledger.importers.tydi import import_tydi

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def data(shared):
    def path(name):
        found = shared / "data" / name
        if not found.exists():
            pytest.skip(f"{name} is not in ../shared/data")
        return found

    return path


def answers(dataset):
    """query_id -> the texts of the spans of its facts, each a group of one."""
    texts = {document.key: document.text for document in dataset.documents}
    return {
        gold.query_id: [texts[one.key][slice(*one.span)] for fact in gold.facts for (one,) in fact.support]
        for gold in dataset.golds
    }


@pytest.mark.parametrize(
    ("name", "documents", "questions", "kept", "misplaced", "empty"),
    [
        ("xquad/xquad.en.json.gz", 48, 1190, 1190, 0, 0),
        ("xquad/xquad.zh.json.gz", 48, 1190, 1190, 0, 0),
        ("xquad/xquad.ar.json.gz", 48, 1190, 1190, 0, 0),
        ("covidqa/200421_covidQA.json.gz", 96, 1327, 1098, 229, 0),
        ("cmrc2018/cmrc2018_trial.json.gz", 256, 1002, 995, 5, 2),
    ],
)
def test_squad_format(data, tmp_path, name, documents, questions, kept, misplaced, empty):
    report = import_squad(data(name), tmp_path / "out")
    dataset = load(tmp_path / "out")
    articles = json.loads(gzip.decompress(data(name).read_bytes()))["data"]
    asked = [(part["context"], one) for entry in articles for part in entry["paragraphs"] for one in part["qas"]]
    right = {
        str(one["id"]): [answer["text"] for answer in one["answers"]]
        for context, one in asked
        if one["question"] and all(context.startswith(a["text"], a["answer_start"]) for a in one["answers"])
    }
    assert answers(dataset) == right
    assert (len(dataset.documents), len(asked), len(dataset.queries)) == (documents, questions, kept)
    assert len(report["rejected"]["answers"]) == misplaced
    assert len(report["rejected"]["questions"]) == misplaced + empty
    contexts = {str(one["id"]): context for context, one in asked}
    for entry in report["rejected"]["answers"]:
        context, text, place = contexts[entry["question_id"]], entry["text"], entry["nearest"]
        assert not context.startswith(text, entry["offset"])
        distances = [abs(n - entry["offset"]) for n in range(len(context)) if context.startswith(text, n)]
        assert (place is None) == (not distances)
        assert place is None or (context.startswith(text, place) and abs(place - entry["offset"]) == min(distances))


def test_chroma(data, tmp_path):
    report = import_chroma(data("chroma"), tmp_path / "out")
    dataset = load(tmp_path / "out")
    with (data("chroma") / "questions_df.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    published = json.loads((data("chroma") / "published_tables.json").read_text(encoding="utf-8"))["corpora"]
    expected = [[one["content"] for one in json.loads(row["references"])] for row in rows]
    assert list(answers(dataset).values()) == expected
    assert [query.text for query in dataset.queries] == [row["question"] for row in rows]
    for corpus, figures in published.items():
        if corpus != "total":
            assert sum(gold.tags == (corpus,) for gold in dataset.golds) == figures["queries"]
    assert len(dataset.queries) == published["total"]["queries"] == 472
    assert sum(map(len, expected)) == dataset.summary["facts"] == 790
    assert dataset.summary["characters"] == 1_444_328
    assert not any(report["rejected"].values())


def test_tydi(data, tmp_path):
    path = data("tydiqa/tiny_dev.jsonl.gz")
    examples = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines() if line]
    assert len({example["language"] for example in examples}) == 11
    minimal, passages = {}, {}
    for example in examples:
        raw = example["document_plaintext"].encode("utf-8")
        spans, places, given = [], [], 0
        for one in example["annotations"]:
            candidate = one["passage_answer"]["candidate_index"]
            if candidate >= 0:
                given += 1
                places.append(tuple(example["passage_answer_candidates"][candidate].values()))
                if one["minimal_answer"]["plaintext_start_byte"] >= 0:
                    spans.append(tuple(one["minimal_answer"].values()))
        for found, stated in ((minimal, spans), (passages, places)):
            texts = [raw[min(pair) : max(pair)].decode("utf-8") for pair in dict.fromkeys(stated)]
            if texts or not given:
                found[str(example["example_id"])] = texts
    report = import_tydi(path, tmp_path / "minimal")
    assert answers(load(tmp_path / "minimal")) == minimal
    assert (report["kept"]["documents"], report["kept"]["questions"], report["kept"]["answers"]) == (11, 9, 5)
    assert [entry["reason"][:17] for entry in report["rejected"]["answers"]] == ["the answer is no,"] * 3 + [
        "the answer is yes"
    ]
    report = import_tydi(path, tmp_path / "passage", answers="passage")
    assert answers(load(tmp_path / "passage")) == passages
    assert (report["kept"]["questions"], report["kept"]["answerable_questions"]) == (11, 6)
    assert not any(report["rejected"].values())


def judged(path):
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {(query_id, doc_id, int(grade)) for query_id, _, doc_id, grade in rows}


def test_scifact(data, tmp_path):
    qrels = data("scifact/qrels.test.txt")
    topics = data("scifact/topics.test.tsv")
    source = data("scifact/documents.jsonl.gz")
    report = import_trec(source, tmp_path / "out", topics=topics, qrels=qrels, name="scifact")
    dataset = load(tmp_path / "out")
    assert {(one.query_id, one.doc_id, one.relevance) for one in dataset.judgements} == judged(qrels)
    records = [json.loads(line) for line in gzip.decompress(source.read_bytes()).decode("utf-8").split("\n") if line]
    assert {one.doc_id: one.text for one in dataset.documents} == {one["doc_id"]: one["text"] for one in records}
    assert all(one["text"].startswith(one["title"]) for one in records)  # so no title stands twice
    asked = dict(line.split("\t") for line in topics.read_text(encoding="utf-8").splitlines())
    assert {query.query_id: query.text for query in dataset.queries} == asked
    assert (len(dataset.documents), len(dataset.queries), len(dataset.judgements)) == (5183, 300, 339)
    assert not any(report["rejected"].values())


def test_cacm(data, tmp_path):
    source, qrels = data("cacm/cacm.tar.gz"), data("cacm/qrels.cacm.txt")
    options = {"topics": data("cacm/topics.cacm.txt"), "qrels": qrels}
    report = import_trec(source, tmp_path / "out", **options)
    dataset = load(tmp_path / "out")
    with tarfile.open(source) as archive:
        pages = {
            member.name.removesuffix(".html"): archive.extractfile(member).read().decode("utf-8") for member in archive
        }
    assert {one.doc_id for one in dataset.documents} == set(pages)
    for document in dataset.documents:  # each is one pre, whose characters are all kept
        body = pages[document.doc_id].partition("<pre>")[2].rpartition("</pre>")[0]
        assert document.text == body.strip(" \t\n\r\f")
    run = {line.split()[2] for line in data("cacm/cacm-bm25.txt").read_text().splitlines()}
    assert run <= set(pages)
    assert (len(dataset.documents), len(dataset.queries)) == (3204, 64)
    assert dataset.queries[1].text == (
        "I am interested in articles written either by Prieve or Udo Pooch Prieve, B. Pooch, U."
    )
    missing = report["rejected"]["judgements"]
    assert (len(dataset.judgements), len(missing), len(judged(qrels))) == (741, 55, 796)
    assert all(len(entry["doc_id"]) < 9 and entry["nearest"] in pages for entry in missing)
    import_trec(source, tmp_path / "free", **options, ignore_zeros=True)
    padded = {(query_id, f"CACM-{int(doc_id[5:]):04}", grade) for query_id, doc_id, grade in judged(qrels)}
    found = load(tmp_path / "free").judgements
    assert {(one.query_id, one.doc_id, one.relevance) for one in found} == padded
    assert len(found) == 796
