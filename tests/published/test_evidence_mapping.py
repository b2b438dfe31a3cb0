"""Every published figure of the experiment evidence_mapping, from an in-memory run of the bundled dataset."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from spanledger import metrics
from spanledger.core.records import Chunk
from spanledger.engine import params
from spanledger.gold import Evidence
from spanledger.scoring.coverage import Coverage, Rule

PROJECT = Path(__file__).resolve().parents[2]
SELECTORS = {"topk": "top2", "budget": "chars240"}


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "expected" / "evidence_mapping.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(bundled):
    return bundled("evidence_mapping")


@pytest.fixture(scope="module")
def rows(results):
    return {(row["arm"], row["query_id"]): row for row in results.rows}


def arm(config: str) -> str:
    chunk, eligibility, selector = config.split("|")
    return f"{chunk}+{eligibility}+single+{SELECTORS[selector]}"


def fraction(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def recall(row) -> Fraction | None:
    return Fraction(row["covered"]["context"], row["required"]) if row["required"] else None


def place(span) -> tuple:
    return span["docId"], span["version"], span["start"], span["end"]


def ranked(row) -> list[tuple]:
    return [(c["doc_id"], c["version"], *c["spans"][0]) for c in row["candidates"]]


def selected(row) -> list[tuple]:
    places = {c["chunk_id"]: (c["doc_id"], c["version"], *c["spans"][0]) for c in row["candidates"]}
    return [places[chunk_id] for chunk_id in row["context"]]


def skipped(row, reason: str) -> list[tuple]:
    places = {c["chunk_id"]: (c["doc_id"], c["version"], *c["spans"][0]) for c in row["candidates"]}
    return [places[s["chunk_id"]] for s in row["skipped"] if s["reason"] == reason]


def test_parameters_are_the_published_ones(results, expected):
    chunk = params.load(PROJECT / "params.yaml")["evidence_mapping"]["chunk"]
    select = params.load(PROJECT / "params.yaml")["evidence_mapping"]["select"]
    published = expected["params"]
    assert chunk["fixed"]["chunk_size"] == chunk["overlap"]["chunk_size"] == published["chunkSize"]
    assert (chunk["fixed"]["chunk_overlap"], chunk["overlap"]["chunk_overlap"]) == (0, published["overlap"])
    assert (select["top2"]["top_k"], select["chars240"]["budget"]) == (published["topK"], published["budget"])


def test_corpus(results, expected):
    corpus = expected["corpus"]
    documents = results.dataset.documents
    assert len(documents) == corpus["records"]
    assert len({d.doc_id for d in documents}) == corpus["stableIds"]
    assert {f"{d.doc_id}/{d.version}": len(d.text) for d in documents} == corpus["chars"]
    assert {d.doc_id: d.version for d in documents if d.current} == corpus["currentVersions"]
    paragraphs: dict[str, list[list[int]]] = {}
    for chunk in results.chunks["paragraph"]:
        paragraphs.setdefault(f"{chunk.doc_id}/{chunk.version}", []).append(list(chunk.spans[0]))
    for key, ranges in corpus["paragraphRanges"].items():
        assert paragraphs[key] == ranges
    for key, count in corpus["paragraphCounts"].items():
        assert len(paragraphs[key]) == count
    for key, total in corpus["paragraphCharSums"].items():
        assert sum(end - start for start, end in paragraphs[key]) == total


def test_document_that_no_query_term_reaches(results, expected):
    for key in expected["corpus"]["noQueryTermIn"]:
        for rankings in results.rankings.values():
            chunks = results.chunks["paragraph"]
            assert key in {f"{c.doc_id}/{c.version}" for c in chunks}
            assert rankings
        assert not [row for row in results.rows if key in {f"{d}/{v}" for d, v, *_ in ranked(row)}]


def test_queries_and_their_facts(results, expected):
    assert [q.query_id for q in results.dataset.queries] == [q["id"] for q in expected["queries"]]
    for query, gold, published in zip(results.dataset.queries, results.dataset.golds, expected["queries"], strict=True):
        assert query.text == published["query"]
        assert len(gold.facts) == published["requiredFacts"]
        support = [[[(e.doc_id, e.version, *e.span) for e in group] for group in f.support] for f in gold.facts]
        assert support == [[[place(span) for span in group] for group in fact] for fact in published["support"]]


def test_recall_of_every_arm_and_query(rows, expected):
    assert len(expected["table"]) == 12
    for line in expected["table"]:
        for query_id, published in line["recalls"].items():
            row = rows[arm(line["config"]), query_id]
            assert recall(row) == fraction(published), (line["config"], query_id)
            assert row["recall"] == (None if published is None else float(Fraction(published)))


def test_macro_average_of_every_arm(results, expected):
    for line in expected["table"]:
        mine = [row for row in results.rows if row["arm"] == arm(line["config"])]
        assert sum(1 for row in mine if row["required"]) == expected["answerableQueries"]
        assert metrics.macro_recall(mine) == fraction(line["macro"])


def test_rounded_macro_averages(results, expected):
    for chunk, cells in expected["macroRounded3"].items():
        for setting, published in cells.items():
            mine = [row for row in results.rows if row["arm"] == arm(f"{chunk}|{setting}")]
            assert f"{float(metrics.macro_recall(mine)):.3f}" == published


def test_selections(rows, expected):
    checked = 0
    for case in expected["selections"]:
        for config in case["configs"]:
            row = rows[arm(config), case["query"]]
            checked += 1
            if "selectedInOrder" in case:
                assert selected(row) == [place(span) for span in case["selectedInOrder"]], case["name"]
            if "selectedSet" in case:
                assert set(selected(row)) == {place(span) for span in case["selectedSet"]}, case["name"]
            if "firstTwoFrom" in case:
                assert [p[:2] for p in ranked(row)[:2]] == [tuple(case["firstTwoFrom"])] * 2
            if "contextChars" in case:
                assert row["cost"]["char"] == case["contextChars"], case["name"]
            if "uniqueSourceChars" in case:
                assert row["cost"]["unique_char"] == case["uniqueSourceChars"]
            if "duplicateSourceChars" in case:
                assert row["cost"]["duplicate_char"] == case["duplicateSourceChars"]
            if "coveredCount" in case:
                assert row["covered"]["context"] == case["coveredCount"]
            if "recall" in case:
                assert recall(row) == fraction(case["recall"]), case["name"]
            if "rankedCount" in case:
                assert row["candidate_count"] == case["rankedCount"]
            for span in case.get("notRanked", []):
                assert place(span) not in ranked(row)
            for span, count in case.get("matchedTermCounts", []):
                matched = [c for c in row["candidates"] if (c["doc_id"], c["version"], *c["spans"][0]) == place(span)]
                assert [(len(c["matched_terms"]), c["score"]) for c in matched] == [(count, float(count))]
            for doc_id, version, count in case.get("docMatchCounts", []):
                scores = [c["score"] for c in row["candidates"] if (c["doc_id"], c["version"]) == (doc_id, version)]
                assert max(scores) == count
            for span in case.get("rankedLater", []):
                assert place(span) in ranked(row)[len(row["context"]) :]
            for span in case.get("skippedForBudget", []):
                assert place(span) in skipped(row, "does-not-fit")
    assert checked == sum(len(case["configs"]) for case in expected["selections"])


def test_query_without_evidence(results, expected):
    published = expected["noEvidence"]
    mine = [row for row in results.rows if row["query_id"] == published["query"]]
    returned = [bool(row["candidates"]) for row in mine]
    assert any(returned) == published["someConfigsReturnIt"]
    assert all(returned) == published["everyConfigReturnsIt"]
    assert {term for row in mine for c in row["candidates"] for term in c["matched_terms"]} == {
        published["matchedTerm"]
    }
    assert all(row["recall"] is None for row in mine)


def test_coverage_rule(expected):
    rule = expected["coverageRule"]
    evidence = Evidence("d", "v", tuple(rule["span"]))
    for name, covered in (("gap", False), ("touching", True), ("alone", False)):
        spans = [tuple(span) for span in rule[name]]
        chunks = [Chunk(str(n), n, "d", "v", (span,), "", {}) for n, span in enumerate(spans)]
        assert Coverage(chunks, Rule({"rule": "span"})).span_covered(evidence, range(len(chunks))) is covered


def test_crowded_out_is_the_cause_of_the_worked_case(rows):
    row = rows["overlap+current+single+chars240", "two-facts"]
    causes = {fact["fact_id"]: fact["cause"] for fact in row["facts"]}
    assert causes == {"logs-kept-7-days": None, "logs-export-json": "crowded_out"}
