"""A BEIR folder that was written is read back by our own importer to the same documents, questions and judgements."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanledger.cli.export_dataset import beir_files
from spanledger.core.errors import InputError
from spanledger.core.records import Document, Query
from spanledger.dataset import load
from spanledger.exports.beir import QRELS, of_chunks, of_documents
from spanledger.exports.items import decoded
from spanledger.gold import Evidence, Fact, Gold, Judgement
from spanledger.importers.beir import import_beir


def documents(*keys):
    return [Document(*key, f"Text of {key[0]}\nin two lines.", "", "") for key in keys]


def written(folder, made):
    for name, data in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_judgements_come_back(tmp_path):
    given = [Judgement("q1", "a", 2), Judgement("q1", "b", 0), Judgement("q2", "b", 1)]
    corpus = documents(("a", "1"), ("b", "1"), ("c", "1"))
    queries = [Query("q1", "First?"), Query("q2", "Second?"), Query("q3", "Unjudged?")]
    golds = [Gold(query.query_id, ()) for query in queries]
    folder = written(tmp_path / "beir", of_documents(corpus, queries, golds, given))
    import_beir(folder, tmp_path / "again", questions="all")
    again = load(tmp_path / "again")
    assert again.judgements == given
    assert {d.doc_id: d.text for d in again.documents} == {d.doc_id: d.text for d in corpus}
    assert {q.query_id: q.text for q in again.queries} == {q.query_id: q.text for q in queries}


NAMES = st.text("ab %#\t中é", min_size=1, max_size=4)


@settings(max_examples=25)
@given(
    st.dictionaries(NAMES, st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=4),
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.data(),
)
def test_any_ids_and_texts_come_back(tmp_path_factory, texts, query_ids, data):
    corpus = [Document(name, "1", text, "", "") for name, text in texts.items()]
    grade = st.none() | st.integers(-1, 3)
    drawn = {(q, d): data.draw(grade) for q in query_ids for d in texts}
    given_ = [Judgement(q, d, relevance) for (q, d), relevance in drawn.items() if relevance is not None]
    queries = [Query(name, "What?") for name in query_ids]
    folder = tmp_path_factory.mktemp("beir")
    written(folder, of_documents(corpus, queries, [Gold(name, ()) for name in query_ids], given_))
    import_beir(folder, folder / "again", questions="all")
    again = load(folder / "again")
    found = {(decoded(j.query_id), decoded(j.doc_id)): j.relevance for j in again.judgements}
    assert found == {(j.query_id, j.doc_id): j.relevance for j in given_}
    assert {decoded(d.doc_id): d.text for d in again.documents} == texts


def test_each_version_is_a_document_of_its_own():
    corpus = documents(("a", "1"), ("a", "2"), ("b", "1"))
    made = of_documents(corpus, [Query("q 1", "?")], [Gold("q 1", ())], [Judgement("q 1", "a", 3)])
    assert made[QRELS].decode().splitlines() == [
        "query-id\tcorpus-id\tscore",
        "q%201\ta@1\t3",
        "q%201\ta@2\t3",
    ]
    first = json.loads(made["corpus.jsonl"].splitlines()[0])
    assert first == {
        "_id": "a@1",
        "title": "",
        "text": "Text of a\nin two lines.",
        "metadata": {"doc_id": "a", "version": "1"},
    }


def test_without_judgements_documents_of_facts_are_relevant():
    corpus = documents(("a", "1"), ("b", "1"), ("c", "1"))
    support = ((Evidence("b", "1", (0, 1)), Evidence("a", "1", (0, 2))), (Evidence("b", "1", (3, 4)),))
    made = of_documents(corpus, [Query("q", "?")], [Gold("q", (Fact("f", support),))], [])
    assert made[QRELS].decode().splitlines()[1:] == ["q\ta\t1", "q\tb\t1"]


def test_documents_and_chunks_of_a_bundled_experiment(stored, tmp_path):
    held, results = stored("evidence_mapping")
    folder = written(tmp_path / "documents", beir_files(held, None))
    import_beir(folder, tmp_path / "again", questions="all")
    wanted = {
        (gold.query_id, f"{e.doc_id}@{e.version}")
        for gold in results.dataset.golds
        for fact in gold.facts
        for group in fact.support
        for e in group
    }
    again = load(tmp_path / "again")
    assert {(j.query_id, j.doc_id) for j in again.judgements} == wanted
    assert {d.doc_id: d.text for d in again.documents} == {"@".join(d.key): d.text for d in results.dataset.documents}
    folder = written(tmp_path / "chunks", beir_files(held, "fixed"))
    import_beir(folder, tmp_path / "pieces", questions="all")
    pieces = load(tmp_path / "pieces")
    assert {d.doc_id: d.text for d in pieces.documents} == {c.chunk_id: c.body for c in results.chunks["fixed"]}

    def holds(chunk, e):
        return chunk.key == e.key and chunk.spans[0][0] <= e.span[0] and e.span[1] <= chunk.spans[0][1]

    grades = {}
    for gold in results.dataset.golds:
        for group in (group for fact in gold.facts for group in fact.support):
            for chunk in results.chunks["fixed"]:
                grade = 2 * all(holds(chunk, e) for e in group) or any(holds(chunk, e) for e in group)
                grades[gold.query_id, chunk.chunk_id] = max(grade, grades.get((gold.query_id, chunk.chunk_id), 0))
    held_whole = {pair: grade for pair, grade in grades.items() if grade}
    assert set(held_whole.values()) == {2}
    assert {(j.query_id, j.doc_id): j.relevance for j in pieces.judgements} == held_whole
    with pytest.raises(InputError, match="did you mean 'fixed'"):
        beir_files(held, "fixd")


def test_chunks_are_relevant_to_facts_alone():
    with pytest.raises(InputError, match="no query has facts"):
        of_chunks([], [Query("q", "?")], {})
