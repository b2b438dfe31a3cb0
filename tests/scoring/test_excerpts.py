"""Span-level metrics by hand, and against sets of characters."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, evidence, fact
from spanledger import experiment
from spanledger.core.span_measures import SPAN_MEASURES, span_measure
from spanledger.engine import params
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.scoring.excerpts import Excerpts

TEXT = "abcdefghijklmnopqrstuvwxyz0123456789"
CONTEXT = ("char_precision", "char_recall", "char_iou")


def excerpt(*groups):
    return fact("f", *([evidence(*span, "d") for span in group] for group in groups))


def chunks_of(spans, text=TEXT):
    return [
        chunk(number, "\n".join(text[slice(*span)] for span in parts), "d", spans=parts)
        for number, parts in enumerate(parts if isinstance(parts[0], tuple) else (parts,) for parts in spans)
    ]


def measured(facts, context, spans, *, candidates=None, eligible=None, text=TEXT):
    """All metrics for chunks at these spans, of which `context` are sent; ineligible ones are left out of the last two."""
    table, rule = chunks_of(spans, text), Rule({"rule": "span"})
    passages = [table[ordinal] for ordinal in context]
    every = range(len(table))
    counted = Excerpts(table, [document("d", text)], Coverage(table, rule), SPAN_MEASURES).of(
        facts,
        passages,
        Coverage(passages, rule),
        every if candidates is None else candidates,
        set(every if eligible is None else eligible),
    )
    return {name: span_measure(name, counted) for name in SPAN_MEASURES}


def test_by_hand():
    thirds = [(0, 10), (10, 20), (20, 30)]
    # [5,15) is 10 characters: the first chunk holds 5 of them, the first two all of them
    found = measured([excerpt([(5, 15)])], [0], thirds, candidates=[0, 2])
    assert [found[name] for name in CONTEXT] == [Fraction(5, 10), Fraction(5, 10), Fraction(5, 15)]
    assert (found["char_recall_candidates"], found["precision_omega"]) == (Fraction(5, 10), Fraction(10, 20))
    found = measured([excerpt([(5, 15)])], [2, 1, 0], thirds)
    assert [found[name] for name in CONTEXT] == [Fraction(10, 30), 1, Fraction(10, 30)]
    assert found["char_recall_candidates"] == 1


def test_a_text_that_is_sent_twice_costs_precision_and_is_evidence_once():
    found = measured([excerpt([(0, 4)])], [0, 1], [(0, 8), (0, 8)])
    assert [found[name] for name in CONTEXT] == [Fraction(4, 16), 1, Fraction(4, 16)]
    assert found["precision_omega"] == Fraction(4, 8)  # that of distinct characters


def test_facts_that_overlap_share_their_characters():
    found = measured([excerpt([(0, 6)]), excerpt([(4, 10)])], [0], [(0, 8)])
    assert [found[name] for name in CONTEXT] == [1, Fraction(8, 10), Fraction(8, 10)]


def test_ineligible_chunks_are_no_perfect_retrieval():
    spans = [(0, 10), (8, 12)]
    assert measured([excerpt([(8, 10)])], [], spans)["precision_omega"] == Fraction(2, 12)
    assert measured([excerpt([(8, 10)])], [], spans, eligible=[1])["precision_omega"] == Fraction(2, 4)
    assert measured([excerpt([(8, 10)])], [], spans, eligible=[])["precision_omega"] == 0


def test_a_chunk_that_only_touches_counts_in_the_published_kind_alone():
    found = measured([excerpt([(10, 20)])], [], [(0, 10), (10, 20), (20, 30)])
    assert (found["precision_omega"], found["precision_omega_published"]) == (1, Fraction(10, 30))


def test_the_published_kind_searches_for_the_text_of_a_chunk_without_its_last_full_stop():
    text = "xy. ab. xy. cd."
    spans = [(0, 3), (4, 7), (8, 11), (12, 15)]
    # the third chunk is found where the first is, so nothing holds [8,10); [8,10) touches no chunk: [4,6), [12,14)
    found = measured([excerpt([(8, 10)])], [], spans, text=text)
    assert (found["precision_omega"], found["precision_omega_published"]) == (Fraction(2, 3), 0)
    # both are found at [0,2), which is whole an excerpt; by true places [0,3) has the full stop too
    found = measured([excerpt([(0, 2)])], [], spans, text=text)
    assert (found["precision_omega"], found["precision_omega_published"]) == (Fraction(2, 3), 1)


def test_a_chunk_of_several_spans_stays_where_it_is_in_the_published_kind():
    found = measured([excerpt([(6, 8)])], [], [((0, 2), (6, 8))])
    assert found["precision_omega"] == found["precision_omega_published"] == Fraction(2, 4)


def test_the_published_kind_finds_places_in_the_normalised_text_and_counts_raw_ones():
    raw = document("d", "a\nbcd", offsets=((1, 2, 1, 3),))  # raw: a, CR LF, bcd
    table = [chunk(0, "bc", "d", spans=[(3, 5)])]
    coverage = Coverage(table, Rule({"rule": "span"}))
    counted = Excerpts(table, [raw], coverage, SPAN_MEASURES).of([excerpt([(3, 4)])], [], coverage, [], {0})
    assert counted["omega_published"] == counted["omega"] == {"retrieved": 2, "shared": 1}


def test_of_alternatives_the_one_that_is_there_most_counts():
    either = excerpt([(0, 10)], [(20, 24)])
    found = measured([either], [1], [(0, 30), (20, 23)], candidates=[1])
    assert [found[name] for name in CONTEXT] == [1, Fraction(3, 4), Fraction(3, 4)]
    assert measured([either], [], [(20, 24)], candidates=[])["char_recall"] == 0
    # a perfect retrieval takes the one that it gets cheaper, whatever is in the context
    for context in ([], [0], [1]):
        assert measured([either], context, [(0, 30), (20, 23)])["precision_omega"] == Fraction(10, 30)
        assert measured([either], context, [(0, 30), (31, 33)])["precision_omega"] == Fraction(10, 30)
        assert measured([either], context, [(0, 15), (20, 24)])["precision_omega"] == 1


def test_nothing_retrieved_has_a_precision_of_0_and_no_facts_have_no_metrics():
    found = measured([excerpt([(0, 3)])], [], [(0, 3)])
    assert [found[name] for name in CONTEXT] == [0, 0, 0]
    table = chunks_of([(0, 3)])
    coverage = Coverage(table, Rule({"rule": "span"}))
    assert Excerpts(table, [document("d", TEXT)], coverage, ()).of([], table, coverage, [0], {0}) is None


def test_evidence_of_another_document_is_apart():
    other = fact("f", [evidence(0, 5, "other")])
    found = measured([other], [0], [(0, 5)])
    assert set(found.values()) == {0}


SPAN = st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(
    st.lists(st.lists(SPAN, min_size=1, max_size=2), min_size=1, max_size=3),
    st.lists(SPAN, min_size=1, max_size=6),
    st.data(),
)
def test_sets_of_characters_give_the_same(groups, spans, data):
    places = st.lists(st.sampled_from(range(len(spans))), unique=True)
    context, candidates, eligible = (data.draw(places) for _ in range(3))
    found = measured([excerpt(g) for g in groups], context, spans, candidates=candidates, eligible=eligible)
    wanted = {place for group in groups for span in group for place in range(*span)}
    sent = [place for n in context for place in range(*spans[n])]
    shared = len(wanted & set(sent))
    assert found["char_precision"] == (Fraction(shared, len(sent)) if sent else 0)
    assert found["char_recall"] == Fraction(shared, len(wanted))
    assert found["char_iou"] == Fraction(shared, len(sent) + len(wanted) - shared)
    listed = {place for n in candidates for place in range(*spans[n])}
    assert found["char_recall_candidates"] == Fraction(len(wanted & listed), len(wanted))
    edges = [span for group in groups for span in group]
    for name, near in (
        ("precision_omega", lambda s, e: set(range(s, e)) & wanted),
        ("precision_omega_published", lambda s, e: any(max(s, a) <= min(e, b) for a, b in edges)),
    ):
        union = {place for n in eligible if near(*spans[n]) for place in range(*spans[n])}
        assert found[name] == (Fraction(len(union & wanted), len(union)) if union else 0)


def test_a_whole_experiment_against_sets_of_characters(project: Path):
    settings = params.load(project / "params.yaml")
    ran = experiment.run(settings, project / "fixtures" / "evidence_mapping", "evidence_mapping")
    golds = {gold.query_id: gold for gold in ran.dataset.golds}
    tables = {one.chunk_id: one for table in ran.chunks.values() for one in table}

    def held(spans, key):
        return [(*key, place) for start, end in spans for place in range(start, end)]

    seen = set()
    for row in ran.rows:
        facts = golds[row["query_id"]].facts
        if not facts:
            assert row["characters"] is None
            continue
        sent = [p for name in row["context"] for p in held(tables[name].spans, tables[name].key)]
        wanted = set()
        for one in facts:
            groups = [{p for e in group for p in held([e.span], e.key)} for group in one.support]
            wanted |= max(groups, key=lambda group: Fraction(len(group & set(sent)), len(group)))
        shared = len(wanted & set(sent))
        assert row["characters"]["context"] == {"retrieved": len(sent), "evidence": len(wanted), "shared": shared}
        assert row["covered"]["context"] < row["required"] or shared == len(wanted)
        seen.add((shared, len(wanted)))
    assert len(seen) > 3


@pytest.mark.parametrize("name", ["char_recall_of", "precision_omega_published"])
def test_what_was_not_counted_has_no_value(name):
    with pytest.raises(KeyError):
        span_measure(name, {"context": {"retrieved": 1, "evidence": 1, "shared": 1}})
