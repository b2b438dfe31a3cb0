"""Parquet files hold what the results hold, with their types, and come out the same twice."""

import io

import pytest

from dataset_folder import document, judgement, quote, write
from spanledger.core.errors import InputError
from spanledger.engine import plan
from spanledger.exports import parquet

pq = pytest.importorskip("pyarrow.parquet")


def tables(made):
    return {name.removesuffix(".parquet"): pq.read_table(io.BytesIO(data)) for name, data in made.items()}


@pytest.mark.parametrize("experiment", ["evidence_mapping", "structure_lab"])
def test_every_file_holds_the_results(stored, experiment):
    held, results = stored(experiment)
    made = parquet.of_results(held)
    assert tuple(made) == parquet.FILES
    read = tables(made)
    assert read["corpus"].column("text").to_pylist() == [d.text for d in results.dataset.documents]
    assert [(r["query_id"], r["tags"]) for r in read["queries"].to_pylist()] == [
        (gold.query_id, list(gold.tags)) for gold in results.dataset.golds
    ]
    assert [
        (r["query_id"], r["fact_id"], r["group"], r["doc_id"], r["start"], r["end"]) for r in read["facts"].to_pylist()
    ] == [
        (gold.query_id, fact.fact_id, number, e.doc_id, *e.span)
        for gold in results.dataset.golds
        for fact in gold.facts
        for number, group in enumerate(fact.support, 1)
        for e in group
    ]
    chunks = [(name, c.chunk_id, [list(s) for s in c.spans]) for name, table in results.chunks.items() for c in table]
    assert [
        (r["chunk"], r["chunk_id"], [[s["start"], s["end"]] for s in r["spans"]]) for r in read["chunks"].to_pylist()
    ] == chunks
    candidates = [
        (*key, ranking.query_id, rank, results.chunks[key[0]][ordinal].chunk_id, score)
        for key in plan.fusions(held.section)
        for ranking in results.candidates[key]
        for rank, (ordinal, score) in enumerate(zip(ranking.chunks, ranking.scores, strict=True), 1)
    ]
    assert [tuple(r.values()) for r in read["candidates"].to_pylist()] == candidates
    sent = [
        (*key, context.query_id, place, results.chunks[key[0]][ordinal].body)
        for key in plan.selections(held.section)
        for context in results.contexts[key]
        for place, ordinal in enumerate(context.chunks, 1)
    ]
    columns = ("chunk", "eligibility", "fuse", "select", "query_id", "place", "body")
    assert [tuple(r[name] for name in columns) for r in read["contexts"].to_pylist()] == sent
    unit = held.section["score"]["cost"]["unit"]
    rows = [(r["arm"], r["query_id"], r["recall"], r["covered"]["context"], r["cost"][unit]) for r in results.rows]
    columns = ("arm", "query_id", "recall", "covered_context", "cost")
    assert [tuple(r[name] for name in columns) for r in read["rows"].to_pylist()] == rows
    outcomes = [
        (row["arm"], f["fact_id"], f["context"], f["cause"], (f["needed"] or {}).get("budget"))
        for row in results.rows
        for f in row["facts"]
    ]
    columns = ("arm", "fact_id", "context", "cause", "needed_budget")
    assert [tuple(r[name] for name in columns) for r in read["outcomes"].to_pylist()] == outcomes


def test_columns_are_typed_and_bytes_repeat(stored):
    held, _ = stored("fusion")
    first, second = parquet.of_results(held), parquet.of_results(held)
    assert first == second
    schema = tables(first)["contexts"].schema
    assert str(schema.field("spans").type) == "list<element: struct<start: int64, end: int64>>"
    assert str(schema.field("place").type) == "int64"
    assert str(tables(first)["judgements"].schema.field("relevance").type) == "int64"
    assert tables(first)["judgements"].num_rows == 0


def test_the_extra_is_named_where_it_is_missing(stored, monkeypatch):
    monkeypatch.setattr(parquet.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"needs pyarrow: pip install '\.\[parquet\]'"):
        parquet.of_results(None)


def test_measures_and_what_would_keep_a_fact(stored, tmp_path, plugins_in):
    """Query q finds d alone, of two judged documents and of two facts of two characters each; all chunks with evidence
    hold 7. A walk would take the other document from a list of two; what a plugin would do is not known."""
    plugins_in(mine="def first(query, candidates, budget, top_k):\n    return [0]\n")
    asked = {"query_id": "q", "text": "aa", "facts": [fact("f", quote("aa", "d")), fact("g", quote("bb", "e"))]}
    silent = {"query_id": "r", "text": "zz", "facts": [], "no_answer": "absent"}
    documents = [document("aa", "d"), document("aa bb", "e")]
    write(tmp_path / "data", documents, [asked, silent], qrels=[judgement(1, "q", name) for name in ("d", "e")])
    section = {
        "normalise": {},
        "chunk": {"whole": {"method": "document"}},
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"shared": {"index": "words", "scorer": "term_overlap", "depth": 1}},
        "fuse": {"one": {"branches": ["shared"]}},
        "select": {"mine": {"method": "plugins.mine:first", "top_k": 1}, "walk": {"top_k": 2}},
        "score": {"span_metrics": ["char_recall", "precision_omega"], "document_metrics": ["P@2", "AP"]},
        "report": {},
        "arms": "grid",
    }
    held, _ = stored("x", tmp_path / "data", section)
    read = tables(parquet.of_results(held))
    values = {"char_recall": 0.5, "precision_omega": 4 / 7, "P@2": 0.5, "AP": 0.5}
    assert [(r["query_id"], dict(r["measures"])) for r in read["rows"].to_pylist()] == [("q", values), ("r", {})] * 2
    columns = ("arm", "fact_id", "cause", "needed_depth", "needed_unknown")
    assert [tuple(r[name] for name in columns) for r in read["outcomes"].to_pylist()] == [
        ("whole+all+one+mine", "f", None, None, None),
        ("whole+all+one+mine", "g", "below_depth", None, ["depth"]),
        ("whole+all+one+walk", "f", None, None, None),
        ("whole+all+one+walk", "g", "below_depth", [("shared", 2)], None),
    ]


def fact(name, evidence):
    return {"fact_id": name, "support": [[evidence]]}
