"""Every published figure of the experiment fusion."""

import csv
import io
import json
import math
from fractions import Fraction

import pytest

from spanledger import metrics
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
from spanledger.engine import params
from spanledger.fusion import reranker_of


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "expected" / "fusion.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def section(project):
    return params.load(project / "params.yaml")["fusion"]


@pytest.fixture(scope="module")
def results(bundled):
    return bundled("fusion")


@pytest.fixture(scope="module")
def rows(results):
    return {(row["arm"], row["query_id"]): row for row in results.rows}


@pytest.fixture(scope="module")
def table(results):
    return {row["arm"]: row for row in csv.DictReader(io.StringIO(results.files["arms.csv"].decode()))}


def passages(row):
    return [f"{c['doc_id']}/{c['version']}" for c in row["candidates"]]


def selected(row):
    names = {c["chunk_id"]: f"{c['doc_id']}/{c['version']}" for c in row["candidates"]}
    return [names[chunk_id] for chunk_id in row["context"]]


def skipped(row):
    names = {c["chunk_id"]: f"{c['doc_id']}/{c['version']}" for c in row["candidates"]}
    return {names[s["chunk_id"]]: s["remaining"] for s in row["skipped"]}


def recall(row, point):
    return Fraction(row["covered"][point], row["required"]) if row["required"] else None


def test_arms_are_the_published_configurations(section, expected):
    assert [arm["name"] for arm in section["arms"]] == list(expected["configs"])
    for arm in section["arms"]:
        config = expected["configs"][arm["name"]]
        fuse = section["fuse"][arm["fuse"]]
        branches = [section["retrieve"][name] for name in fuse["branches"]]
        assert {b["depth"] for b in branches} == {config["depth"]}
        assert ["expanded" if b["expand"] else "original" for b in branches] == config["branches"]
        assert section["select"][arm["select"]]["budget"] == config["budget"]
        assert (arm["eligibility"] == "public_current") == config["eligibilityFilter"]
        assert (fuse["rerank"] is not None) == config["ruleRerank"]
        assert {(b["k1"], b["b"]) for b in branches} == {(expected["params"]["k1"], expected["params"]["b"])}
        if fuse["method"] == "rrf":
            assert fuse["k"] == expected["params"]["rrfK"]


def test_corpus(results, expected):
    corpus = expected["corpus"]
    documents = results.dataset.documents
    assert len(documents) == corpus["records"]
    assert len({d.doc_id for d in documents}) == corpus["stableIds"]
    lengths = {f"{d.doc_id}/{d.version}": len(d.text) for d in documents}
    assert corpus["chars"].items() <= lengths.items()
    for names, total in corpus["charSums"]:
        assert sum(lengths[name] for name in names) == total
    assert [f"{d.doc_id}/{d.version}" for d in documents if d.visibility == "internal"] == corpus["internal"]
    assert [f"{d.doc_id}/{d.version}" for d in documents if not d.current] == corpus["outdated"]
    for eligibility, name in (("public_current", "tokensEligible"), ("open", "tokensAll")):
        (index,) = results.indexes["passage", eligibility, "words"]
        assert sum(index.lengths) == corpus[name]
    (index,) = results.indexes["passage", "public_current", "words"]
    assert len(index.eligible) == corpus["eligible"]
    assert [list(group) for group in results.dataset.synonym_groups] == expected["synonymGroups"]


def test_queries(results, expected):
    for query, gold, published in zip(results.dataset.queries, results.dataset.golds, expected["queries"], strict=True):
        assert (query.query_id, query.text) == (published["id"], published["query"])
        assert len(gold.facts) == published["requiredFacts"]
        held = {f"{e.doc_id}/{e.version}" for f in gold.facts for g in f.support for e in g}
        assert held == set(published["evidenceIn"])
    assert sum(bool(gold.facts) for gold in results.dataset.golds) == expected["answerableQueries"]
    assert sum(len(gold.facts) for gold in results.dataset.golds) == expected["requiredFacts"]


def test_coverage_of_every_query_at_candidates_and_context(rows, expected):
    assert len(expected["coverageTable"]) == 10
    for arm, line in expected["coverageTable"].items():
        assert len(line["queries"]) == 7
        for query_id, (candidates, final) in line["queries"].items():
            assert recall(rows[arm, query_id], "candidates") == Fraction(candidates), (arm, query_id)
            assert recall(rows[arm, query_id], "context") == Fraction(final), (arm, query_id)


def test_macro_averages(results, expected):
    for arm, line in expected["coverageTable"].items():
        mine = [row for row in results.rows if row["arm"] == arm]
        assert metrics.macro_recall(mine, "candidates") == Fraction(line["candidateMacro"])
        assert metrics.macro_recall(mine) == Fraction(line["finalMacro"])


def test_operation_counts(table, expected):
    columns = {
        "termDocChecks": "term_checks",
        "nonzeroContributions": "nonzero_contributions",
        "rrfVisits": "rank_visits",
        "mergedDuplicateIds": "merged_duplicates",
        "ruleEvaluations": "rule_evaluations",
        "candidateCharsMean": "mean_candidate_char",
        "finalCharsMean": "mean_cost",
    }
    for arm, figures in expected["operationTable"].items():
        assert set(figures) == set(columns)
        for published, column in columns.items():
            assert float(table[arm][column]) == figures[published], (arm, published)


def test_other_counts(table, expected):
    columns = {
        "synonymGroupChecks": "synonym_group_checks",
        "expandedTermsAdded": "added_terms",
        "indexedRecords": "index_records",
        "indexedTokens": "index_terms",
    }
    assert set(expected["otherCounts"]) == set(columns)
    for published, column in columns.items():
        for arm, figure in expected["otherCounts"][published].items():
            assert int(table[arm][column]) == figure, (arm, published)


def test_covered_facts(table, expected):
    for arm, (candidates, final) in expected["coveredFacts"].items():
        assert int(table[arm]["facts_in_candidates"]) == candidates
        assert int(table[arm]["facts_in_context"]) == final


def test_cases_query_by_query(rows, results, expected):
    known = {
        "name",
        "configs",
        "query",
        "candidateRecall",
        "finalRecall",
        "candidatesInOrder",
        "candidatesInclude",
        "candidatesExclude",
        "candidatesSet",
        "candidateChars",
        "selectedSet",
        "selectedInOrder",
        "selectedFirst",
        "selectedInclude",
        "selectedExclude",
        "finalChars",
        "branchRanks",
        "rrfEqual",
        "firstCandidates",
        "skippedRemaining",
        "skippedSet",
        "skippedInclude",
        "branchTop",
    }
    for case in expected["cases"]:
        assert set(case) <= known, set(case) - known
        for arm in case["configs"]:
            row = rows[arm, case["query"]]
            check_case(case, row, arm, results)


def check_case(case, row, arm, results):
    where = (case["name"], arm)
    if "candidateRecall" in case:
        wanted = case["candidateRecall"]
        assert recall(row, "candidates") == (None if wanted is None else Fraction(wanted)), where
    if "finalRecall" in case:
        wanted = case["finalRecall"]
        assert recall(row, "context") == (None if wanted is None else Fraction(wanted)), where
    if "candidatesInOrder" in case:
        assert passages(row) == case["candidatesInOrder"], where
    assert set(case.get("candidatesInclude", [])) <= set(passages(row)), where
    assert set(case.get("candidatesExclude", [])).isdisjoint(passages(row)), where
    if "candidatesSet" in case:
        assert set(passages(row)) == set(case["candidatesSet"]), where
    if "candidateChars" in case:
        assert row["candidate_char"] == case["candidateChars"], where
    if "firstCandidates" in case:
        assert passages(row)[: len(case["firstCandidates"])] == case["firstCandidates"], where
    if "selectedSet" in case:
        assert set(selected(row)) == set(case["selectedSet"]), where
    if "selectedInOrder" in case:
        assert selected(row) == case["selectedInOrder"], where
    if "selectedFirst" in case:
        assert selected(row)[0] == case["selectedFirst"], where
    assert set(case.get("selectedInclude", [])) <= set(selected(row)), where
    assert set(case.get("selectedExclude", [])).isdisjoint(selected(row)), where
    if "finalChars" in case:
        assert row["cost"]["char"] == case["finalChars"], where
    for name, remaining in case.get("skippedRemaining", {}).items():
        assert skipped(row)[name] == remaining, where
    if "skippedSet" in case:
        assert set(skipped(row)) == set(case["skippedSet"]), where
    assert set(case.get("skippedInclude", [])) <= set(skipped(row)), where
    depth = arm.partition("-d")[2][:1]
    for branch, ranks in case.get("branchRanks", {}).items():
        for candidate in row["candidates"]:
            name = f"{candidate['doc_id']}/{candidate['version']}"
            if name in ranks:
                assert candidate["ranks"][f"{branch}_d{depth}"] == ranks[name], where
    if "rrfEqual" in case:
        scores = {f"{c['doc_id']}/{c['version']}": c["score"] for c in row["candidates"]}
        first, second = (scores[name] for name in case["rrfEqual"]["passages"])
        assert first == second == math.fsum(1 / term for term in case["rrfEqual"]["terms"]), where
        assert f"{first:.12f}" == case["rrfEqual"]["approx12"], where
    for branch, top in case.get("branchTop", {}).items():
        chunks = results.chunks["passage"]
        (ranking,) = (
            r
            for r in results.rankings["passage", "public_current", f"{branch}_d{depth}"]
            if r.query_id == case["query"]
        )
        names = [f"{chunks[o].doc_id}/{chunks[o].version}" for o in ranking.chunks]
        assert names[3] == top["next"], where
        if top["set"]:
            assert set(names[:3]) == set(top["set"]), where


def test_derived_candidate_characters(rows, expected):
    derived = expected["derived"]
    for arm, queries in derived["candidateCharsPerQuery"].items():
        for query_id, characters in queries.items():
            assert rows[arm, query_id]["candidate_char"] == characters
    pair = [rows["rrf-d4", q]["candidate_char"] for q in ("eligibility", "no-answer")]
    assert sum(pair) == derived["eligibilityPlusNoAnswerCandidateChars"]


def test_worked_losses(rows):
    facts = {f["fact_id"]: f["cause"] for f in rows["rrf-d4", "two-facts"]["facts"]}
    assert facts == {"logs-kept-7-days": "does_not_fit", "logs-export-json": None}
    (vault,) = rows["rrf-d4", "fusion-regression"]["facts"]
    assert vault["cause"] == "demoted"  # the same budget keeps it from the branch of the original terms
    (atlas,) = rows["rrf-d2", "depth-omission"]["facts"]
    assert atlas["cause"] == "below_depth"
    (key,) = rows["bm25-d2", "synonym-only"]["facts"]
    assert key["cause"] == "not_matched"


def test_rule_counterexample(shared, section, expected):
    case = json.loads((shared / "fixtures" / "rule_counterexample.json").read_text(encoding="utf-8"))
    published = expected["ruleCounterexample"]
    texts = [c["text"] for c in case["candidates"]]
    chunks = [Chunk(str(n), n, f"d{n}", "1", ((0, len(t)),), t, {"char": len(t)}) for n, t in enumerate(texts)]
    reranker = reranker_of(section["fuse"]["rrf_rule_d4"])
    before = Ranking("q", (0, 1), (2.0, 1.0))
    after = reranker.rerank(before, Query("q", case["query"]), chunks)
    scores = dict(zip(after.chunks, after.scores, strict=True))
    assert [scores[0], scores[1]] == published["ruleScores"]
    assert after.chunks == (1, 0)


def test_rule_counterexample_in_the_budget(bundled, expected):
    def change(section):
        section["retrieve"] = {"plain": {"index": "words", "scorer": "bm25", "tie": "id_version"}}
        section["fuse"] = {
            "plain": {"branches": ["plain"]},
            "rule": {"branches": ["plain"], "rerank": {"method": "rule"}},
        }
        section["eligibility"] = {"open": {}}
        section["select"] = {"chars40": {"budget": 40}}
        section["arms"] = "grid"

    results = bundled("fusion", "rule_counterexample", change)
    recalls = {row["arm"]: row["recall"] for row in results.rows}
    # Both passages share the two terms; the order of BM25 is that of their ids, so the digit alone decides.
    assert recalls["passage+open+rule+chars40"] == expected["ruleCounterexample"]["coverageAfter"]
    assert set(recalls) == {"passage+open+plain+chars40", "passage+open+rule+chars40"}
