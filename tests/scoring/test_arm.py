"""A line of queries.jsonl, field by field, from small tables made by hand."""

import dataclasses
import random

import pytest

from builders import chunk, document, evidence, fact, gold, query
from spanledger.core.errors import InputError
from spanledger.core.ranking import Ranking
from spanledger.dataset import load
from spanledger.engine import params
from spanledger.experiment import run
from spanledger.retrieval.indexing import build_indexes
from spanledger.scoring import ArmScorer
from spanledger.selection import Context, Skipped

OPEN = {"versions": "all", "visibility": None, "acl": "ignore"}
BRANCH = {"index": "words", "scorer": "term_overlap", "depth": None, "tie": "document"}
TEXT = "alpha beta gamma"  # chunks (0,8) and (6,14) share the two characters "be", (14,16) is "ma"
DOCUMENTS = [document("d", TEXT), document("old", "alpha", "v0", current=False)]
CHUNKS = [
    chunk(0, "alpha be", "d", spans=[(0, 8)]),
    chunk(1, "beta gam", "d", spans=[(6, 14)]),
    chunk(2, "ma", "d", spans=[(14, 16)]),
    chunk(3, "alpha", "old", "v0", spans=[(0, 5)]),
]


def scorer(golds, queries, documents=DOCUMENTS, chunks=CHUNKS, eligibility=OPEN, unit="char", trail=None, **limits):
    limits = {"top_k": 2, "budget": None, "unit": None, **limits}
    indexes, _ = build_indexes(chunks, documents, queries, eligibility, {"analyzer": "ascii_words"})
    settings = {
        "eligibility": eligibility,
        "select": limits,
        "score": {"coverage": {"rule": "span"}, "cost": {"unit": unit}, "trail": trail},
        "branches": {"words": BRANCH},
        "analyzers": {"words": "ascii_words"},
    }
    return ArmScorer("an-arm", chunks, documents, queries, golds, {"words": indexes}, settings)


def test_a_line_by_hand():
    queries = [query("q", "Alpha beta alpha delta")]
    golds = [gold("q", fact("held", [evidence(0, 14, "d")]), fact("lost", [evidence(12, 16, "d")]))]
    candidates = [Ranking("q", (0, 1, 3, 2), (2.0, 1.5, 1.0, 0.5))]
    contexts = [Context("q", (0, 1), (Skipped("outside-top-k", None, (3, 2)),))]
    (row,) = scorer(golds, queries, unit="word").score(candidates, contexts)
    assert row == {
        "arm": "an-arm",
        "query_id": "q",
        "candidate_count": 4,
        "candidates": [
            _candidate(0, "d", "v1", (0, 8), 1, 2.0, ["alpha"]),
            _candidate(1, "d", "v1", (6, 14), 2, 1.5, ["beta"]),
            _candidate(3, "old", "v0", (0, 5), 3, 1.0, ["alpha"]),
            _candidate(2, "d", "v1", (14, 16), 4, 0.5, []),
        ],
        "context": ["id-0", "id-1"],
        "skipped": [
            {"chunk_id": "id-3", "reason": "outside-top-k", "remaining": None},
            {"chunk_id": "id-2", "reason": "outside-top-k", "remaining": None},
        ],
        "facts": [
            {"fact_id": "held", "index": True, "candidates": True, "context": True, "cause": None},
            {"fact_id": "lost", "index": True, "candidates": True, "context": False, "cause": "outside_top_k"},
        ],
        "covered": {"index": 2, "candidates": 2, "context": 1},
        "required": 2,
        "recall": 0.5,
        "no_answer": None,
        "tags": (),
        "not_current": 0,
        "cost": {"word": 4, "unique_char": 14, "duplicate_char": 2},
    }


def _candidate(ordinal, doc_id, version, span, rank, score, terms):
    return {
        "chunk_id": f"id-{ordinal}",
        "doc_id": doc_id,
        "version": version,
        "spans": (span,),
        "rank": rank,
        "score": score,
        "matched_terms": terms,
    }


def test_a_query_without_facts_has_no_recall():
    queries, golds = [query("q", "alpha")], [gold("q", no_answer="absent")]
    (row,) = scorer(golds, queries).score([Ranking("q", (0,), (1.0,))], [Context("q", (0,), ())])
    assert (row["required"], row["recall"], row["covered"]) == (0, None, {"index": 0, "candidates": 0, "context": 0})
    assert (row["facts"], row["no_answer"]) == ([], "absent")
    assert row["cost"] == {"char": 8, "unique_char": 8, "duplicate_char": 0}


def test_outdated_text_in_the_context_is_counted():
    queries, golds = [query("q", "alpha")], [gold("q")]
    (row,) = scorer(golds, queries).score([Ranking("q", (3, 0), (1.0, 1.0))], [Context("q", (3, 0), ())])
    assert row["not_current"] == 1


def test_lines_stand_in_the_queries_order_whatever_the_order_of_the_lists():
    """And whatever their eligibility classes: a is of the first, b and c of the second."""
    queries = [query("a"), query("b", position=1, groups=("g",)), query("c", position=0, groups=("g",))]
    golds = [gold(q.query_id) for q in queries]
    candidates = [Ranking(name, (), ()) for name in ("a", "b", "c")]
    contexts = [Context(name, (), ()) for name in ("b", "c", "a")]
    rows = scorer(golds[::-1], queries[::-1], eligibility={**OPEN, "acl": "asker"}).score(candidates, contexts)
    assert [row["query_id"] for row in rows] == ["c", "b", "a"]


def test_the_trail_keeps_the_first_what_was_selected_and_what_holds_evidence():
    queries, golds = [query("q", "alpha")], [gold("q", fact("f", [evidence(15, 16, "d")]))]
    candidates = [Ranking("q", (1, 0, 2, 3), (4.0, 3.0, 2.0, 1.0))]
    contexts = [Context("q", (0,), (Skipped("does-not-fit", 1, (1,)), Skipped("does-not-fit", 0, (2, 3))))]

    def shown(trail):
        (row,) = scorer(golds, queries, trail=trail).score(candidates, contexts)
        assert row["candidate_count"] == 4
        assert row["context"] == ["id-0"]
        return [(c["rank"], c["chunk_id"]) for c in row["candidates"]], [s["chunk_id"] for s in row["skipped"]]

    every = [(1, "id-1"), (2, "id-0"), (3, "id-2"), (4, "id-3")]
    assert shown(None) == shown(4) == (every, ["id-1", "id-2", "id-3"])
    assert shown(1) == (every[:3], ["id-1", "id-2"])
    assert shown(0) == (every[1:3], ["id-2"])


@pytest.mark.parametrize("place", ["candidates", "context"])
def test_a_leak_fails_the_run_and_names_chunk_and_query(place):
    """The arm admits current versions alone, and chunk 3 is of an old one."""
    queries, golds = [query("q1", "alpha"), query("q2", "alpha")], [gold("q1"), gold("q2")]
    leaky = (0, 3) if place == "candidates" else (0,)
    candidates = [Ranking("q1", leaky, (1.0,) * len(leaky)), Ranking("q2", (0,), (1.0,))]
    contexts = [Context("q1", (3,) if place == "context" else (), ()), Context("q2", (0,), ())]
    with pytest.raises(InputError) as caught:
        scorer(golds, queries, eligibility={**OPEN, "versions": "current"}).score(candidates, contexts)
    assert str(caught.value) == (
        f"1 problem found:\n  an-arm: query 'q1': {place}: leak: chunk id-3 of ('old', 'v0') is not eligible"
    )


def test_what_one_asker_may_read_is_a_leak_for_another():
    documents = [document("d", "alpha", acl=("insider",))]
    chunks = [chunk(0, "alpha", "d", acl=("insider",))]
    queries = [query("in", "alpha", groups=("insider",)), query("out", "alpha")]
    golds = [gold("in"), gold("out")]
    arm = scorer(golds, queries, documents, chunks, {**OPEN, "acl": "asker"})
    held = [Ranking(name, (0,), (1.0,)) for name in ("in", "out")]
    with pytest.raises(InputError) as caught:
        arm.score(held, [Context("in", (0,), ()), Context("out", (0,), ())])
    assert [(p.record, p.field) for p in caught.value.problems] == [
        ("query 'out'", "candidates"),
        ("query 'out'", "context"),
    ]
    assert len(arm.score([held[0], Ranking("out", (), ())], [Context("in", (0,), ()), Context("out", (), ())])) == 2


def test_lists_that_are_not_one_a_query_are_refused():
    arm = scorer([gold("q")], [query("q")])
    for candidates, contexts in (
        ([], [Context("q", (), ())]),
        ([Ranking("q", (), ())], []),
        ([Ranking("q", (), ()), Ranking("x", (), ())], [Context("q", (), ())]),
    ):
        with pytest.raises(
            ValueError, match="arm 'an-arm': expected one candidate list and one context for each query"
        ):
            arm.score(candidates, contexts)


@pytest.fixture(scope="module")
def bundled(project):
    """The experiment evidence_mapping of this project: its settings and its dataset."""
    settings = params.load(project / "params.yaml")
    settings = {name: settings[name] for name in ("experiments", "evidence_mapping")}
    settings["experiments"] = {"evidence_mapping": settings["experiments"]["evidence_mapping"]}
    return settings, load(project / "fixtures" / "evidence_mapping")


def test_the_worked_case_loses_the_export_fact_to_overlap(bundled):
    """Windows of 120 overlapping by 60, current versions, 240 characters: two windows that share 60 fill the budget."""
    rows = run(*bundled).rows
    (row,) = (r for r in rows if (r["arm"], r["query_id"]) == ("overlap+current+single+chars240", "two-facts"))
    assert [(f["fact_id"], f["index"], f["candidates"], f["context"], f["cause"]) for f in row["facts"]] == [
        ("logs-kept-7-days", True, True, True, None),
        ("logs-export-json", True, True, False, "crowded_out"),
    ]
    assert row["covered"] == {"index": 2, "candidates": 2, "context": 1}
    assert row["cost"] == {"char": 240, "unique_char": 180, "duplicate_char": 60}
    for one in rows:
        lost = one["required"] - one["covered"]["context"]
        assert sum(f["cause"] is not None for f in one["facts"]) == lost


@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_the_records_changes_a_line(bundled, seed):
    settings, dataset = bundled
    rng = random.Random(seed)
    shuffled = dataclasses.replace(
        dataset,
        documents=rng.sample(dataset.documents, len(dataset.documents)),
        queries=rng.sample(dataset.queries, len(dataset.queries)),
        golds=rng.sample(dataset.golds, len(dataset.golds)),
    )
    assert shuffled.queries != dataset.queries and shuffled.documents != dataset.documents
    assert run(settings, shuffled).rows == run(settings, dataset).rows
