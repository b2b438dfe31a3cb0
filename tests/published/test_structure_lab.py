"""Every published figure of the experiment structure_lab, its overlap ablation and its extension."""

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from spanledger.chunking import chunk_documents
from spanledger.retrieval.indexing import entry_id


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "expected" / "structure_lab.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(bundled):
    return bundled("structure_lab")


def overlap(units):
    def change(section):
        section["chunk"]["defaults"]["chunk_overlap"] = units

    return change


def arms(results):
    return {row["chunk"]: row for row in csv.DictReader(io.StringIO(results.files["arms.csv"].decode()))}


def test_published_figures(results, expected):
    for strategy, figures in expected["published"]["strategies"].items():
        row = arms(results)[strategy]
        assert int(row["chunks"]) == figures["chunk_count"]
        assert f"{float(row['duplication_ratio']):.4f}" == figures["body_duplication_ratio"]
        assert f"{float(row['mean_cost']):.4f}" == figures["mean_context_units"]
        assert float(row["macro_recall"]) == float(figures["anchor_recall_at_k"])
        assert float(row["mrr"]) == float(figures["mrr"])
        assert float(row["complete_rate"]) == float(figures["complete_evidence_rate"])
        assert float(row["no_answer_accuracy"]) == float(figures["no_answer_accuracy"])


def test_published_corpus(results, expected):
    published = expected["published"]
    assert len(results.elements) == published["elements"]
    assert len({e.acl for e in results.elements}) == published["acls"]
    assert sorted({e.kind for e in results.elements}) == published["kinds"]
    golds = results.dataset.golds
    assert sum(bool(gold.facts) for gold in golds) == published["answerable_queries"]
    assert sorted(gold.no_answer for gold in golds if not gold.facts) == ["absent", "unauthorized"]
    (evidence,) = {e for g in golds[:1] for f in g.facts for group in f.support for e in group}
    (document,) = (d for d in results.documents if d.key == evidence.key)
    assert document.text[slice(*evidence.span)] == published["example_anchor"]["quote"]


def test_inferred_totals(results, expected):
    inferred = expected["inferred"]
    for strategy, units in inferred["duplicated_units"].items():
        counters = json.loads(results.files[f"chunk/{strategy}.counters.json"])
        assert counters["source_units"] == inferred["source_units"]
        assert counters["chunk_units"] - counters["source_units"] == units
        total = sum(row["cost"]["lexical"] for row in results.rows if row["arm"].startswith(f"{strategy}+"))
        assert total == inferred["context_units_total"][strategy]


@pytest.mark.parametrize(("key", "dataset"), [("ablation", "structure_lab"), ("task_a", "structure_lab_task_a")])
@pytest.mark.parametrize("units", [0, 4, 8, 16])
def test_overlap_ablation(bundled, expected, key, dataset, units):
    found = arms(bundled("structure_lab", dataset, overlap(units)))
    columns = expected["chosen_here"]["columns"]
    rows = [dict(zip(columns, values, strict=True)) for values in expected["chosen_here"][key]]
    rows = [row for row in rows if row["overlap_units"] == units]
    assert len(rows) == 2
    for row in rows:
        mine = found[row["strategy"]]
        assert int(mine["chunks"]) == row["chunk_count"]
        names = {
            "anchor_recall_at_k": "macro_recall",
            "mrr": "mrr",
            "complete_evidence_rate": "complete_rate",
            "no_answer_accuracy": "no_answer_accuracy",
            "body_duplication_ratio": "duplication_ratio",
            "mean_context_units": "mean_cost",
        }
        for published, column in names.items():
            assert round(float(mine[column]), 4) == row[published], (row["strategy"], published)


def test_a_window_cuts_the_anchor_that_the_structured_chunk_keeps(bundled):
    results = bundled("structure_lab", "structure_lab_task_a")
    rows = {row["arm"].partition("+")[0]: row for row in results.rows if row["query_id"] == "a1"}
    assert rows["structured"]["recall"] == 1
    assert rows["fixed_window"]["recall"] == 0
    assert [fact["cause"] for fact in rows["fixed_window"]["facts"]] == ["not_chunked"]


def test_mean_cost_is_said_over_all_and_over_answerable_queries(results):
    for strategy, row in arms(results).items():
        mine = [r for r in results.rows if r["arm"].startswith(f"{strategy}+")]
        answerable = [r["cost"]["lexical"] for r in mine if r["required"]]
        assert float(row["mean_cost_answerable"]) == float(Fraction(sum(answerable), 7))
        assert float(row["mean_cost"]) == float(Fraction(sum(r["cost"]["lexical"] for r in mine), 9))


def test_nothing_is_given_that_the_asker_may_not_read(results):
    groups = {q.query_id: set(q.groups) for q in results.dataset.queries}
    for strategy, chunks in results.chunks.items():
        acl = {chunk.chunk_id: chunk.acl for chunk in chunks}
        seen = 0
        for row in results.rows:
            if row["arm"].startswith(f"{strategy}+"):
                for candidate in row["candidates"]:
                    seen += 1
                    assert not groups[row["query_id"]].isdisjoint(acl[candidate["chunk_id"]])
        assert seen


def test_a_table_row_is_searched_with_its_header_and_titles(bundled):
    chunks = bundled("structure_lab").chunks["structured"]
    rows = [chunk for chunk in chunks if chunk.doc_id == "capacity-plan"]
    assert rows[0].retrieval_text.startswith("配额\n租户 | 每分钟请求上限")
    assert rows[0].body == rows[0].retrieval_text.removeprefix("配额\n")
    assert all(chunk.retrieval_text is None for chunk in bundled("structure_lab").chunks["fixed_window"])


SETTING = {"method": "structured", "unit": "lexical", "chunk_size": 24, "chunk_overlap": 4}


def test_identity_of_chunks(results):
    documents, elements = results.documents, results.elements
    chunks, _ = chunk_documents(documents, elements, SETTING)
    ids = {chunk.chunk_id for chunk in chunks}
    assert len(ids) == len(chunks)

    other = replace(documents[0], doc_id="another", position=-1)
    inserted, _ = chunk_documents([other, *documents], elements, SETTING)
    assert ids <= {chunk.chunk_id for chunk in inserted}

    revised = [replace(d, version=d.version + "x") for d in documents]
    moved = [replace(e, version=e.version + "x") for e in elements]
    assert ids.isdisjoint(chunk.chunk_id for chunk in chunk_documents(revised, moved, SETTING)[0])

    changed = [replace(d, text=d.text.replace("退", "还")) for d in documents]
    touched = {c.chunk_id for c in chunks if "退" in c.body}
    assert touched
    after = {chunk.chunk_id for chunk in chunk_documents(changed, elements, SETTING)[0]}
    assert ids & after == ids - touched

    windows = {"method": "window", "unit": "lexical", "chunk_size": 24, "chunk_overlap": 4}
    assert ids.isdisjoint(chunk.chunk_id for chunk in chunk_documents(documents, elements, windows)[0])


def test_identity_of_index_entries(results):
    chunks, _ = chunk_documents(results.documents, results.elements, SETTING)
    entries = [entry_id(chunk, "lexical_terms/1") for chunk in chunks]
    assert len(set(entries)) == len(chunks)

    renamed = [replace(e, section_path=("改名",)) for e in results.elements]
    titled, _ = chunk_documents(results.documents, renamed, SETTING)
    assert {c.chunk_id for c in titled} >= {c.chunk_id for c in chunks if len(c.spans) == 1}
    same = {c.chunk_id: entry_id(c, "lexical_terms/1") for c in titled}
    for chunk, entry in zip(chunks, entries, strict=True):
        assert same.get(chunk.chunk_id) != entry

    assert set(entries).isdisjoint(entry_id(chunk, "lexical_terms/2") for chunk in chunks)
    assert set(entries).isdisjoint(entry_id(replace(chunk, acl=("audit",)), "lexical_terms/1") for chunk in chunks)

    header = next(e for e in results.elements if e.kind == "table_header")
    texts = {d.key: d.text for d in results.documents}
    span = slice(*header.span)
    key = (header.doc_id, header.version)
    edited = texts[key][: span.start] + texts[key][span].replace("租户", "客户") + texts[key][span.stop :]
    documents = [replace(d, text=edited) if d.key == key else d for d in results.documents]
    after = {
        c.chunk_id: entry_id(c, "lexical_terms/1") for c in chunk_documents(documents, results.elements, SETTING)[0]
    }
    rows = [
        (c, e)
        for c, e in zip(chunks, entries, strict=True)
        if "租户 |" in (c.retrieval_text or "") and "租户 |" not in c.body
    ]
    assert rows
    for chunk, entry in rows:
        assert chunk.chunk_id in after
        assert after[chunk.chunk_id] != entry


def test_candidates_carry_their_index_entry(results):
    chunks = {c.chunk_id: c for c in results.chunks["structured"]}
    row = next(row for row in results.rows if row["arm"].startswith("structured+") and row["candidates"])
    for candidate in row["candidates"]:
        expected = entry_id(chunks[candidate["chunk_id"]], "lexical_terms/lexical-overlap/1")
        assert candidate["index_entry_id"] == expected


def test_diagnostics_name_the_traps_of_the_text(results):
    codes = {d["code"]: d for d in json.loads(results.files["diagnostics.json"])}
    assert codes["two_variables"]["arms"] == ["structured+asker+single+top3"]
    assert "2 of 2 no-answer queries" in codes["refusals"]["message"]
    assert "9 queries, 2 of them without facts" in codes["means"]["message"]
