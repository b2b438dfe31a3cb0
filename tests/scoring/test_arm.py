"""A line of queries.jsonl, field by field, from small tables made by hand."""

import dataclasses
import random

import pytest

from builders import chunk, document, evidence, fact, gold, query
from one_arm import arm_settings, run
from spanledger import experiment
from spanledger.core.errors import InputError
from spanledger.core.ranking import Ranking
from spanledger.dataset import load
from spanledger.engine import params
from spanledger.gold import Judgement
from spanledger.retrieval.indexing import build_indexes, entry_id
from spanledger.scoring.arm import ArmScorer, Tables
from spanledger.selection.context import Context, Piece, Skipped

TEXT = "alpha beta gamma"  # chunks (0,8) and (6,14) share the two characters "be", (14,16) is "ma"
DOCUMENTS = [document("d", TEXT), document("old", "alpha", "v0", current=False)]
CHUNKS = [
    chunk(0, "alpha be", "d", spans=[(0, 8)]),
    chunk(1, "beta gam", "d", spans=[(6, 14)]),
    chunk(2, "ma", "d", spans=[(14, 16)]),
    chunk(3, "alpha", "old", "v0", spans=[(0, 5)]),
]


def scorer(golds, queries, documents=DOCUMENTS, chunks=CHUNKS, eligibility=(), parents=None, judgements=(), **score):
    """The scorer of an arm over a chunk table made by hand, with the first two chunks as contexts."""
    settings = arm_settings(eligibility=dict(eligibility), score=score)
    rule, index = settings["eligibility"], {"analyzer": "ascii_words"}
    indexes, _ = build_indexes(chunks, documents, queries, rule, index)
    tables = Tables(chunks, documents, queries, golds, {"words": indexes}, parents=parents, judgements=judgements)
    return ArmScorer("an-arm", tables, settings)


def test_a_line_by_hand():
    queries = [query("q", "Alpha beta alpha delta")]
    golds = [gold("q", fact("held", [evidence(0, 14, "d")]), fact("lost", [evidence(12, 16, "d")]))]
    candidates = [Ranking("q", (0, 1, 3, 2), (2.0, 1.5, 1.0, 0.5))]
    contexts = [Context("q", (0, 1), (Skipped("outside-top-k", None, (3, 2)),))]
    (row,) = scorer(golds, queries, cost={"unit": "word"}).score(candidates, contexts)
    assert row == {
        "arm": "an-arm",
        "query_id": "q",
        "candidate_count": 4,
        "candidate_char": 8 + 8 + 5 + 2,
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
            {
                "fact_id": "held",
                "index": True,
                "candidates": True,
                "context": True,
                "cause": None,
                "needed": None,
                "failures": [],
            },
            {
                "fact_id": "lost",
                "index": True,
                "candidates": True,
                "context": False,
                "cause": "outside_top_k",
                "needed": {"top_k": 4},
                "failures": [
                    {"class": "cut_condition", "why": "no chunk holds it whole; cut at “alpha beta gam¦ma”"},
                    {"class": "vocabulary_mismatch", "why": "what holds it shares no term with the question"},
                ],
            },
        ],
        "covered": {"index": 2, "candidates": 2, "context": 1},
        "required": 2,
        "recall": 0.5,
        "covered_at": {"1": 0},  # "held" needs both chunks
        "first_rank": None,
        "best_single": 0,
        # two chunks hold one of the facts, each in one of the six pairs of chunks
        "attainable": {"candidates": {"facts": 1, "kind": "exact"}, "index": {"facts": 1, "kind": "exact"}},
        "random": {"candidates": {"recall": 1 / 6, "kind": "exact"}, "index": {"recall": 1 / 6, "kind": "exact"}},
        "characters": {
            "context": {"retrieved": 16, "evidence": 16, "shared": 14},  # [0,14) twice two, of [0,14) and [12,16)
            "candidates": {"retrieved": 23, "evidence": 16, "shared": 16},
            "omega": {"retrieved": 16, "shared": 16},
        },
        "no_answer": None,
        "tags": (),
        "not_current": 0,
        "cost": {"word": 4, "unique_char": 14, "duplicate_char": 2},
    }


def _candidate(ordinal, doc_id, version, span, rank, score, terms):
    return {
        "chunk_id": f"id-{ordinal}",
        "index_entry_id": entry_id(CHUNKS[ordinal], "ascii_words/1"),
        "doc_id": doc_id,
        "version": version,
        "spans": (span,),
        "rank": rank,
        "score": score,
        "matched_terms": terms,
    }


def test_documents_stand_at_the_rank_of_their_first_chunk_and_their_values_in_the_line():
    queries, golds = [query("q"), query("r")], [gold("q"), gold("r")]
    candidates = [Ranking("q", (3, 0, 1), (3.0, 2.0, 1.0)), Ranking("r", (), ())]
    contexts = [Context("q", (3,), ()), Context("r", (), ())]
    judged = [Judgement("q", "d", 2), Judgement("q", "old", 0), Judgement("q", "lost", 1)]
    one, other = scorer(golds, queries, judgements=judged, document_metrics=["RR", "P@2", "R@2", "AP"]).score(
        candidates, contexts
    )
    # old, d: the one relevant document that was found is the second
    assert one["documents"] == {"RR": 0.5, "P@2": 0.5, "R@2": 0.5, "AP": 0.25}
    assert other["documents"] is None
    plain, _ = scorer(golds, queries).score(candidates, contexts)
    assert "documents" not in plain and plain["characters"] is None
    plain, _ = scorer(golds, queries, span_metrics=[]).score(candidates, contexts)
    assert "characters" not in plain


def test_no_random_orders_leave_the_baseline_out():
    queries, golds = [query("q", "alpha")], [gold("q", fact("f", [evidence(0, 5, "d")]))]
    candidates, contexts = [Ranking("q", (0,), (1.0,))], [Context("q", (0,), ())]
    (row,) = scorer(golds, queries, random_orders=0).score(candidates, contexts)
    assert row["random"] is None
    (row,) = scorer(golds, queries).score(candidates, contexts)
    assert row["random"] == {
        "candidates": {"recall": 1.0, "kind": "exact"},
        "index": {"recall": 0.5, "kind": "exact"},  # chunk 0 is in half of the pairs of four chunks
    }


def test_a_query_without_facts_has_no_recall():
    queries, golds = [query("q", "alpha")], [gold("q", no_answer="absent")]
    (row,) = scorer(golds, queries).score([Ranking("q", (0,), (1.0,))], [Context("q", (0,), ())])
    assert (row["required"], row["recall"], row["covered"]) == (0, None, {"index": 0, "candidates": 0, "context": 0})
    assert (row["facts"], row["no_answer"], row["random"]) == ([], "absent", None)
    assert row["attainable"]["index"] == {"facts": 0, "kind": "exact"}
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
    rows = scorer(golds[::-1], queries[::-1], eligibility={"acl": "asker"}).score(candidates, contexts)
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
        scorer(golds, queries, eligibility={"versions": "current"}).score(candidates, contexts)
    assert str(caught.value) == (
        f"1 problem found:\n  an-arm: query 'q1': {place}: leak: chunk id-3 of ('old', 'v0') is not eligible"
    )


def test_what_one_asker_may_read_is_a_leak_for_another():
    documents = [document("d", "alpha", acl=("insider",))]
    chunks = [chunk(0, "alpha", "d", acl=("insider",))]
    queries = [query("in", "alpha", groups=("insider",)), query("out", "alpha")]
    golds = [gold("in"), gold("out")]
    arm = scorer(golds, queries, documents, chunks, {"acl": "asker"})
    held = [Ranking(name, (0,), (1.0,)) for name in ("in", "out")]
    with pytest.raises(InputError) as caught:
        arm.score(held, [Context("in", (0,), ()), Context("out", (0,), ())])
    assert [(p.record, p.field) for p in caught.value.problems] == [
        ("query 'out'", "candidates"),
        ("query 'out'", "context"),
    ]
    assert len(arm.score([held[0], Ranking("out", (), ())], [Context("in", (0,), ()), Context("out", (), ())])) == 2


def piece(*spans, doc_id="d", version="v1", acl=None, chunks=()):
    body = "\n".join(TEXT[start:end] for start, end in spans)
    return Piece(doc_id, version, spans, body, acl, chunks)


def test_a_leak_through_a_parent_s_acl_fails_the_run():
    """The asker may read the chunk and not its parent, which was given all the same."""
    queries, golds = [query("q", "alpha")], [gold("q")]
    arm = scorer(golds, queries, eligibility={"acl": "asker"})
    context = Context("q", (0,), (), (piece((0, 16), acl=("insider",), chunks=(0,)),))
    with pytest.raises(InputError) as caught:
        arm.score([Ranking("q", (0,), (1.0,))], [context])
    assert str(caught.value) == (
        "1 problem found:\n  an-arm: query 'q': context: leak: a passage of ('d', 'v1') is not eligible"
    )
    allowed = dataclasses.replace(context, pieces=(piece((0, 16), acl=None, chunks=(0,)),))
    assert len(arm.score([Ranking("q", (0,), (1.0,))], [allowed])) == 1
    (asker,) = [query("q", "alpha", groups=("insider",))]
    arm = scorer(golds, [asker], eligibility={"acl": "asker"})
    assert len(arm.score([Ranking("q", (0,), (1.0,))], [context])) == 1


def test_a_passage_of_an_outdated_version_is_a_leak_where_current_ones_are_asked_for():
    arm = scorer([gold("q")], [query("q", "alpha")], eligibility={"versions": "current"})
    context = Context("q", (0,), (), (piece((0, 5), doc_id="old", version="v0", chunks=(0,)),))
    with pytest.raises(InputError, match="leak: a passage of \\('old', 'v0'\\) is not eligible"):
        arm.score([Ranking("q", (0,), (1.0,))], [context])


def test_a_merged_passage_of_chunks_that_an_asker_of_two_groups_may_read_is_no_leak():
    """Neither group may read all of it; the asker is in both."""
    chunks = [
        chunk(0, "alpha be", "d", spans=[(0, 8)], acl=("x",)),
        chunk(1, "beta gam", "d", spans=[(6, 14)], acl=("y",)),
    ]
    queries, golds = [query("q", "alpha", groups=("x", "y"))], [gold("q")]
    arm = scorer(golds, queries, chunks=chunks, eligibility={"acl": "asker"})
    ranking, whole = Ranking("q", (0, 1), (2.0, 1.0)), piece((0, 14), acl=(), chunks=(0, 1))
    assert len(arm.score([ranking], [Context("q", (0, 1), (), (whole,))])) == 1
    more = piece((0, 15), acl=(), chunks=(0, 1))  # a character that neither chunk has
    less = piece((0, 14), acl=(), chunks=(0,))  # the text of a chunk that it does not name
    for wrong in (more, less):
        with pytest.raises(InputError, match="leak: a passage of"):
            arm.score([ranking], [Context("q", (0, 1), (), (wrong,))])
    (asker,) = [query("q", "alpha", groups=("x",))]
    with pytest.raises(InputError) as caught:
        scorer(golds, [asker], chunks=chunks, eligibility={"acl": "asker"}).score(
            [ranking], [Context("q", (0, 1), (), (whole,))]
        )
    assert [problem.field for problem in caught.value.problems] == ["candidates", "context", "context"]


def scored(wanted, passages, cost=None, coverage=None, cutoffs=(1, 2, 9), queries=None, **rest):
    """The line of a query whose context is these chunks, or these pieces."""
    ordinals = tuple(one for one in passages if isinstance(one, int))
    pieces = tuple(one for one in passages if isinstance(one, Piece)) or None
    every = tuple(range(len(rest.get("chunks", CHUNKS))))
    score = {"cutoffs": list(cutoffs), "cost": cost or {}, "coverage": coverage or {}}
    arm = scorer([wanted], queries or [query("q", "alpha beta")], **score, **rest)
    (row,) = arm.score([Ranking("q", every, (1.0,) * len(every))], [Context("q", ordinals, (), pieces)])
    return row


def test_coverage_at_a_cutoff_is_that_of_the_first_passages():
    wanted = gold(
        "q",
        fact("first", [evidence(0, 5, "d")]),  # in chunk 0
        fact("both", [evidence(0, 14, "d")]),  # in 0 and 1 together
        fact("last", [evidence(14, 16, "d")]),  # in 2
    )
    row = scored(wanted, (1, 0, 2))
    assert row["covered_at"] == {"1": 0, "2": 2, "9": 3}  # a cutoff above the number of passages is all of them
    assert row["covered"]["context"] == 3
    assert scored(wanted, (0,))["covered_at"] == {"1": 1, "2": 1, "9": 1}
    assert scored(wanted, ())["covered_at"] == {"1": 0, "2": 0, "9": 0}
    assert scored(wanted, (0,), cutoffs=())["covered_at"] == {}


def test_the_first_rank_is_that_of_a_passage_that_covers_some_span_alone():
    wanted = gold("q", fact("f", [evidence(4, 10, "d"), evidence(14, 16, "d")]), fact("g", [evidence(0, 16, "d")]))
    assert scored(wanted, (0, 1))["first_rank"] is None  # (4, 10) needs both
    assert scored(wanted, (3, 0, 2))["first_rank"] == 3  # one span of a group is enough
    assert scored(wanted, (piece((4, 10), chunks=(0, 1)),))["first_rank"] == 1
    assert scored(gold("q"), (0, 1))["first_rank"] is None
    assert scored(gold("q", fact("f", [evidence(0, 2, "d")], [evidence(0, 5, "old", "v0")])), (3, 0))["first_rank"] == 1


def test_the_best_single_chunk_covers_most_facts_alone_and_is_eligible():
    wanted = gold(
        "q",
        fact("f", [evidence(0, 5, "d")], [evidence(0, 5, "old", "v0")]),
        fact("g", [evidence(5, 8, "d")], [evidence(6, 10, "d")]),
        fact("h", [evidence(10, 12, "d"), evidence(0, 2, "d")]),  # no chunk has both spans
        fact("i", [evidence(1, 4, "old", "v0")]),
    )
    assert scored(wanted, ())["best_single"] == 2  # chunk 0 has f and g, chunk 3 f and i
    assert scored(gold("q", *wanted.facts[:2]), ())["best_single"] == 2
    assert scored(gold("q", wanted.facts[2]), ())["best_single"] == 0
    assert scored(gold("q"), ())["best_single"] == 0
    old = [query("q", "alpha", versions=("v0",))]
    chunks = [dataclasses.replace(CHUNKS[3], ordinal=0)]
    assert scored(wanted, (), chunks=chunks, queries=old, eligibility={"versions": "asked"})["best_single"] == 2
    chunks = [CHUNKS[0], CHUNKS[1], CHUNKS[2], chunk(3, "alpha", "old", "v0", spans=[(0, 5)], acl=("insider",))]
    wanted = gold("q", wanted.facts[3])
    assert scored(wanted, (), chunks=chunks)["best_single"] == 1
    arm = scorer([wanted], [query("q")], chunks=chunks, eligibility={"acl": "asker"})
    (row,) = arm.score([Ranking("q", (), ())], [Context("q", (), ())])
    assert row["best_single"] == 0


def test_passages_are_what_is_judged_and_paid_where_a_selector_makes_them():
    """Chunks 0 and 1, merged: the evidence over both is in one passage, and the shared characters are paid once."""
    wanted = gold("q", fact("f", [evidence(4, 10, "d")]))
    merged = piece((0, 14), chunks=(0, 1))
    one_chunk = {"rule": "one_chunk"}
    apart, together = scored(wanted, (0, 1), coverage=one_chunk), scored(wanted, (0, 1, merged), coverage=one_chunk)
    assert (apart["covered"]["context"], apart["first_rank"]) == (0, None)
    assert (together["covered"]["context"], together["first_rank"], together["covered_at"]["1"]) == (1, 1, 1)
    assert together["covered"]["index"] == 0  # no chunk of the index has it
    assert apart["cost"] == {"char": 16, "unique_char": 14, "duplicate_char": 2}
    assert together["cost"] == {"char": 14, "unique_char": 14, "duplicate_char": 0}
    assert together["context"] == ["id-0", "id-1"]
    assert together["passages"] == [
        {"doc_id": "d", "version": "v1", "spans": ((0, 14),), "char": 14, "chunks": ["id-0", "id-1"]}
    ]
    assert "passages" not in apart


def test_outdated_passages_are_counted():
    row = scored(gold("q"), (3, piece((0, 5), doc_id="old", version="v0", chunks=(3,))))
    assert row["not_current"] == 1


def test_an_arm_with_parents_from_chunk_to_score():
    """The question finds a sentence; its paragraph, which holds the evidence around it, is what is sent."""
    text = "Refunds need a form. It is on page 9.\n\nFees are paid at once."
    documents = [document("d", text)]
    parts = {
        "chunk": {"sentence": {"method": "sentence"}, "paragraph": {"method": "paragraph"}},
        "select": {"top_k": 1, "parent": "paragraph"},
    }
    ran = run(documents, [query("q", "refunds form")], [gold("q", fact("f", [evidence(21, 37, "d")]))], **parts)
    (row,) = ran.rows
    assert [c.body for c in ran.chunks] == ["Refunds need a form.", "It is on page 9.", "Fees are paid at once."]
    assert row["passages"] == [
        {"doc_id": "d", "version": "v1", "spans": ((0, 37),), "char": 37, "chunks": [ran.chunks[0].chunk_id]}
    ]
    assert (row["covered"], row["first_rank"]) == ({"index": 1, "candidates": 0, "context": 1}, 1)
    assert row["facts"][0]["cause"] is None
    assert row["cost"] == {"char": 37, "unique_char": 37, "duplicate_char": 0}


def test_scores_of_branches_decide_what_was_matched():
    """Evidence that only the expanded branch scores above 0 is below its depth, not unmatched."""
    documents = [document("a", "fee"), document("b", "charge fee"), document("c", "charge")]
    branches = {
        "plain": {"index": "words", "scorer": "term_overlap", "depth": 1},
        "expanded": {"index": "words", "scorer": "term_overlap", "depth": 1, "expand": "synonym_groups"},
    }
    wanted = [gold("q", fact("f", [evidence(0, 6, "c")]))]
    row = run(
        documents, [query("q", "fee")], wanted, synonyms=[("fee", "charge")], retrieve=branches, fuse={"method": "rrf"}
    ).rows[0]
    assert row["facts"][0]["cause"] == "below_depth"
    row = run(documents, [query("q", "fee")], wanted, retrieve={"plain": branches["plain"]}).rows[0]
    assert row["facts"][0]["cause"] == "not_matched"


def test_each_query_is_judged_by_its_own_scores():
    """Two facts of each of two queries: what matched for one query has no say for the other."""
    documents = [document("a", "a a a"), document("b", "b"), document("c", "a b")]
    branch = {"words": {"index": "words", "scorer": "term_overlap", "depth": 1}}
    facts = [fact("in-b", [evidence(0, 1, "b")]), fact("in-a", [evidence(0, 5, "a")])]
    queries = [query("1", "b"), query("2", "a c"), query("3", "x")]
    ran = run(documents, queries, [gold(q.query_id, *facts) for q in queries], retrieve=branch)
    assert [[one["cause"] for one in row["facts"]] for row in ran.rows] == [
        [None, "not_matched"],
        ["not_matched", None],
        ["not_matched", "not_matched"],
    ]
    facts = [fact("in-c", [evidence(0, 3, "c")]), fact("in-b", [evidence(0, 1, "b")])]
    ran = run(documents, queries, [gold(q.query_id, *facts) for q in queries], retrieve=branch)
    assert [[one["cause"] for one in row["facts"]] for row in ran.rows] == [
        ["below_depth", None],
        ["below_depth", "not_matched"],
        ["not_matched", "not_matched"],
    ]


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
    rows = experiment.run(*bundled).rows
    (row,) = (r for r in rows if (r["arm"], r["query_id"]) == ("overlap+current+single+chars240", "two-facts"))
    assert [(f["fact_id"], f["index"], f["candidates"], f["context"], f["cause"]) for f in row["facts"]] == [
        ("logs-kept-7-days", True, True, True, None),
        ("logs-export-json", True, True, False, "crowded_out"),
    ]
    assert row["covered"] == {"index": 2, "candidates": 2, "context": 1}
    assert row["cost"] == {"char": 240, "unique_char": 180, "duplicate_char": 60}
    both = {"facts": 2, "kind": "exact"}  # [0, 120) and [120, 213) hold both facts in 213 characters
    assert row["attainable"] == {"candidates": both, "index": both}
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
    assert experiment.run(settings, shuffled).rows == experiment.run(settings, dataset).rows
