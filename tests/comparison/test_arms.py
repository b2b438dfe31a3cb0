"""Arms of the bundled experiments compared: every figure here is worked out by hand from their published contexts."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from spanledger.comparison.arms import compare_arms, compared_at_once
from spanledger.comparison.comparable import Reason
from spanledger.comparison.measures import MEAN_COST
from spanledger.comparison.record import arm_record
from spanledger.comparison.significance import Randomisation
from spanledger.dataset import load

FIXED, OVERLAP = "fixed+all+single+top2", "overlap+all+single+top2"


def figures(comparison, metric):
    """What a metric comes to, without the interval."""
    found = comparison.difference(metric)
    counts = (found.better, found.equal, found.worse)
    return found.queries, found.a, found.b, found.difference, counts, found.sign_p, found.randomisation.p


def test_reranking_by_hand(fusion):
    """rrf-d4 covers 1, 1, 1/2, 1, 0, 0, 1 of the seven questions, with the rule re-ranker 1 each: three differences of
    one sign, +1/2, +1 and +1, so 2 of the 8 assignments are as far from 0."""
    found = compare_arms(fusion("rrf-d4"), fusion("rrf-rule-d4"))
    quarter = Fraction(1, 4)
    recall = (7, Fraction(9, 14), 1, Fraction(5, 14), (3, 4, 0), quarter, quarter)
    assert figures(found, "macro_recall") == recall
    assert figures(found, "micro_recall") == (7, Fraction(5, 8), 1, Fraction(3, 8), (3, 4, 0), quarter, quarter)
    assert figures(found, "complete_rate") == (7, Fraction(4, 7), 1, Fraction(3, 7), (3, 4, 0), quarter, quarter)
    # The first passage with evidence is second in four contexts and in none of two: six move up to the first place.
    assert figures(found, "mrr") == (7, Fraction(3, 7), 1, Fraction(4, 7), (6, 1, 0), Fraction(1, 32), Fraction(1, 32))
    assert figures(found, "no_answer_accuracy") == (1, 0, 0, 0, (0, 1, 0), 1, 1)
    assert (
        found.difference("macro_recall").attainable_p,
        found.difference("macro_recall").attainable_p_of_differing,
    ) == (
        Fraction(1, 64),
        quarter,
    )
    assert (found.difference("macro_recall").verdict, found.difference("mrr").verdict) == ("not_shown", "differs")
    assert found.trusted and found.warnings == [] and found.primary == "macro_recall"
    assert (found.answerable, found.facts, len(found.queries), found.left_out) == (7, 8, 8, [])
    told = [
        (c.query_id, c.outcome, [(f.fact_id, f.cause, f.rank_a, f.rank_b) for f in c.gained]) for c in found.changes
    ]
    assert told == [
        ("two-facts", "won", [("logs-kept-7-days", "does_not_fit", 3, 2)]),
        ("fusion-regression", "won", [("vault-undo-24h-limit", "demoted", 2, 1)]),
        ("depth-omission", "won", [("atlas-retention-3-days", "does_not_fit", 4, 1)]),
    ]
    assert [(c.first_rank_a, c.first_rank_b) for c in found.changes] == [(2, 1), (None, 1), (None, 1)]
    assert [c.missed for c in found.changes] == [(), (), ()]


def test_a_smaller_budget_is_warned_of(fusion):
    found = compare_arms(fusion("rrf-rule-d4"), fusion("rrf-rule-d4-small-budget"))
    half = Fraction(1, 2)
    assert figures(found, "macro_recall") == (7, 1, Fraction(5, 7), Fraction(-2, 7), (0, 5, 2), half, half)
    # A lower cost is better: six of the eight contexts are cheaper, none is dearer.
    cost = (8, Fraction(801, 8), Fraction(430, 8), Fraction(-371, 8), (6, 2, 0), Fraction(1, 32), Fraction(1, 32))
    assert figures(found, MEAN_COST) == cost
    assert found.warnings == [Reason("budget", "other budgets: A takes 140 char, B 80 char")]
    assert found.trusted
    assert [(c.query_id, c.outcome, c.missed[0].cause) for c in found.changes] == [
        ("fusion-regression", "lost", "does_not_fit"),
        ("depth-omission", "lost", "does_not_fit"),
    ]


def test_overlap_by_hand(mapping):
    """Overlap brings the sentence that fixed windows cut (0 to 1), and crowds out one of two facts (1 to 1/2)."""
    found = compare_arms(mapping(FIXED), mapping(OVERLAP))
    assert figures(found, "macro_recall") == (3, Fraction(1, 3), Fraction(1, 2), Fraction(1, 6), (1, 1, 1), 1, 1)
    assert figures(found, "micro_recall") == (3, Fraction(1, 2), Fraction(1, 2), 0, (1, 1, 1), 1, 1)
    assert found.difference("macro_recall").interval.low == -0.5  # two-facts in all three places: 1 of 27 resamples
    assert found.difference("macro_recall").verdict == "too_few_queries"
    assert found.difference("macro_recall").attainable_p == Fraction(1, 4)
    won, lost = found.changes
    assert (won.query_id, won.outcome, won.gained[0].cause) == ("boundary-condition", "won", "not_matched")
    assert (lost.query_id, lost.outcome, lost.missed[0].cause) == ("two-facts", "lost", "crowded_out")
    assert [(r.code, r.message.count("215.8"), r.message.count("222.5")) for r in found.warnings] == [
        ("unequal_cost", 1, 1)
    ]


def test_the_figures_are_those_of_the_report(ran):
    """Each side of every metric is the column of arms.csv of that name."""
    from spanledger.metrics import query_metrics, rounded

    experiment, side = ran("fusion")
    for arm in experiment.arms[1:]:
        found = compare_arms(side(experiment.arms[0]), side(arm))
        table = query_metrics(side(arm).rows, "char", [1], spans=side(arm).spans)
        assert "char_iou" in table and {"char_iou", "precision_omega"} < {d.metric for d in found.differences}
        table["micro_recall"] = table["facts_in_context"] / table["facts"]
        assert {d.metric: rounded(d.b) for d in found.differences} == {
            d.metric: table[d.metric] for d in found.differences
        }


@pytest.mark.parametrize(
    "names", list(combinations(("rrf-d4", "bm25-d2", "rrf-rule-d4-small-budget", "rrf-d4-unfiltered"), 2))
)
def test_b_and_a_mirror(fusion, names):
    one, other = (fusion(name) for name in names)
    there, back = compare_arms(one, other), compare_arms(other, one)
    for forth, mirrored in zip(there.differences, back.differences, strict=True):
        interval = forth.interval and (-forth.interval.high, -forth.interval.low)
        assert interval == (mirrored.interval and (mirrored.interval.low, mirrored.interval.high))
        turned = replace(
            forth,
            a=forth.b,
            b=forth.a,
            difference=-forth.difference,
            better=forth.worse,
            worse=forth.better,
            interval=mirrored.interval,
        )
        assert turned == mirrored
    assert [p.mirrored() for p in there.parameters] == back.parameters
    opposite = {"won": "lost", "lost": "won", "traded": "traded"}
    assert [(c.query_id, opposite[c.outcome], c.gained, c.missed) for c in there.changes] == [
        (
            c.query_id,
            c.outcome,
            tuple(replace(f, rank_a=f.rank_b, rank_b=f.rank_a) for f in c.missed),
            tuple(replace(f, rank_a=f.rank_b, rank_b=f.rank_a) for f in c.gained),
        )
        for c in back.changes
    ]


def test_an_arm_is_no_different_from_itself(fusion):
    found = compare_arms(fusion("rrf-d4"), fusion("rrf-d4"))
    assert {(d.difference, d.better, d.worse, d.randomisation.p) for d in found.differences} == {(0, 0, 0, 1)}
    assert found.parameters == found.changes == found.warnings == []


def test_the_order_of_lines_does_not_matter(fusion):
    a, b = fusion("rrf-d4"), fusion("rrf-rule-d4")
    shuffled = replace(a, rows=a.rows[::-1])
    assert arm_record(compare_arms(shuffled, b)) == arm_record(compare_arms(a, b))


def test_other_coverage_and_other_cost_are_refused(ran, mapping):
    def change(section):
        section["score"] = {"coverage": {"rule": "one_chunk"}, "cost": {"unit": "word"}}

    found = compare_arms(mapping(FIXED), ran("evidence_mapping", change)[1](FIXED))
    assert [reason.code for reason in found.refusals] == ["coverage", "cost"]
    assert not found.trusted and found.differences == found.changes == []
    assert {(p.key_a, p.a, p.b) for p in found.parameters} == {
        ("score.coverage.rule", "span", "one_chunk"),
        ("score.cost.unit", "char", "word"),
    }


def test_terms_of_another_analyzer_are_another_cost(ran):
    def analyzer(name):
        def change(section):
            section["score"] = {"cost": {"unit": "analyzer"}}
            section["index"]["words"]["analyzer"] = name

        return ran("evidence_mapping", change)[1](FIXED)

    words, bigrams = analyzer("ascii_words"), analyzer("cjk_bigrams")
    assert [reason.code for reason in compare_arms(words, bigrams).refusals] == ["cost"]
    assert compare_arms(words, words).trusted


def changed(ran, project, **parts):
    """The sides of fusion on a dataset with other parts."""
    dataset = load(project / "fixtures" / "fusion")
    return ran("fusion", dataset=replace(dataset, **{name: change(dataset) for name, change in parts.items()}))[1]


def test_changed_gold_is_refused_and_what_is_common_can_be_compared(ran, project, fusion):
    """The gold of two-facts is asked for no more, and depth-omission loses its tags alone: six of seven are the same."""

    def golds(dataset):
        return [
            replace(g, facts=g.facts[:1]) if g.query_id == "two-facts" else replace(g, tags=("deep",))
            for g in dataset.golds
        ]

    other = changed(ran, project, golds=golds)
    a, b = fusion("rrf-d4"), other("rrf-rule-d4")
    (refusal,) = compare_arms(a, b).refusals
    assert refusal.code == "questions" and "gold differ" in refusal.message and "--common" in refusal.message
    found = compare_arms(a, b, common=True)
    assert found.trusted and found.left_out == ["two-facts"]
    half = Fraction(1, 2)
    assert figures(found, "macro_recall") == (6, Fraction(2, 3), 1, Fraction(1, 3), (2, 4, 0), half, half)
    assert (found.answerable, found.facts) == (6, 6)


def test_a_question_of_one_side_alone_is_left_out(ran, project, fusion):
    other = changed(
        ran,
        project,
        queries=lambda d: [q for q in d.queries if q.query_id != "synonym-only"],
        golds=lambda d: [g for g in d.golds if g.query_id != "synonym-only"],
    )
    for a, b in ((fusion("bm25-d2"), other("rrf-d2")), (other("bm25-d2"), fusion("rrf-d2"))):
        assert [reason.code for reason in compare_arms(a, b).refusals] == ["questions"]
        found = compare_arms(a, b, common=True)
        assert found.left_out == ["synonym-only"] and len(found.queries) == 7 and found.answerable == 6


def test_nothing_in_common_has_no_figures(ran, project, fusion):
    other = changed(ran, project, golds=lambda d: [replace(g, facts=()) for g in d.golds])
    found = compare_arms(fusion("bm25-d2"), other("bm25-d2"), common=True)
    assert found.queries == ["no-answer"] and found.answerable == 0
    recall = found.difference("macro_recall")
    assert (recall.queries, recall.a, recall.b, recall.difference, recall.randomisation, recall.interval) == (
        0,
        *[None] * 5,
    )
    assert recall.verdict == "too_few_queries" and recall.attainable_p == 1


def test_changed_documents_are_refused_whatever_is_asked(ran, project, fusion):
    other = changed(ran, project, documents=lambda d: [replace(x, metadata={"note": "new"}) for x in d.documents])
    for common in (False, True):
        (refusal,) = compare_arms(fusion("rrf-d4"), other("rrf-d4"), common=common).refusals
        assert (refusal.code, refusal.message) == ("dataset", "other datasets: documents differ")


def test_synonyms_are_a_difference_and_no_refusal(ran, project, fusion):
    other = changed(ran, project, synonym_groups=lambda d: ())
    found = compare_arms(fusion("expanded-d2"), other("expanded-d2"))
    assert found.trusted and [w.code for w in found.warnings] == ["synonyms"]
    # Without synonyms it is bm25-d2, which finds no synonym and has no chunk too many for the budget.
    assert [(c.query_id, c.outcome) for c in found.changes] == [("synonym-only", "lost"), ("fusion-regression", "won")]


def test_changed_scores_are_refused_and_stale_ones_warned_of(fusion):
    a = fusion("rrf-d4")
    b = fusion("rrf-d2")
    assert [r.code for r in compare_arms(replace(a, intact=False), b).refusals] == ["changed_scores"]
    stale = replace(a, experiment=replace(a.experiment, stale=True))
    assert [w.code for w in compare_arms(stale, b).warnings] == ["stale"]


def test_arms_that_are_compared_by_other_metrics(fusion):
    a = fusion("rrf-d4")
    b = replace(a, experiment=replace(a.experiment, primary="mrr"))
    found = compare_arms(a, b, metrics=[MEAN_COST])
    assert found.primary == "macro_recall" and [w.code for w in found.warnings] == ["primary"]
    assert [d.metric for d in found.differences] == ["macro_recall", MEAN_COST]


def test_several_arms_at_once(fusion):
    """p of mrr: 1/16, 1/32 and 1 for three arms against rrf-rule-d4; by Holm twice the first, three times the second."""
    before = fusion("rrf-rule-d4")
    found = [compare_arms(fusion(name), before) for name in ("bm25-d4", "rrf-d4", "rrf-rule-d4")]
    together = [comparison.difference("mrr") for comparison in compared_at_once(found)]
    assert [d.randomisation for d in together] == [Randomisation(Fraction(1, n), None) for n in (16, 32, 1)]
    assert [d.adjusted_p for d in together] == [Fraction(1, 8), Fraction(3, 32), 1]
    assert {d.comparisons for d in together} == {3} and {d.attainable_p for d in together} == {Fraction(3, 64)}
    assert [d.verdict for d in together] == ["not_shown"] * 3
