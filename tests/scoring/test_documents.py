"""Document-level measures by hand, and against ir_measures (pytrec_eval) on random runs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.document_measures import document_measure, is_document_measure, meaning
from spanledger.gold import Judgement
from spanledger.scoring.documents import DocumentMeasures

NAMES = ["P@1", "P@5", "R@1", "R@5", "AP", "AP@3", "RR", "nDCG", "nDCG@1", "nDCG@3", "nDCG@10"]


def values(names, grades, *doc_ids):
    judgements = [Judgement("q", name, grade) for name, grade in grades.items()]
    return DocumentMeasures(names, judgements).of("q", doc_ids)


def test_by_hand():
    grades = {"a": 2, "b": 1, "c": 0, "d": 1}
    found = values(
        ["P@2", "P@5", "R@2", "R@5", "AP", "AP@2", "RR", "RR@1", "nDCG@2", "nDCG"], grades, "x", "a", "c", "b"
    )
    best = 2 + 1 / math.log2(3) + 1 / 2
    assert found == {
        "P@2": 1 / 2,
        "P@5": 2 / 5,  # of five, although four were found
        "R@2": 1 / 3,
        "R@5": 2 / 3,
        "AP": (1 / 2 + 2 / 4) / 3,
        "AP@2": (1 / 2) / 3,
        "RR": 1 / 2,
        "RR@1": 0,
        "nDCG@2": pytest.approx((2 / math.log2(3)) / (2 + 1 / math.log2(3)), abs=1e-15),
        "nDCG": pytest.approx((2 / math.log2(3) + 1 / math.log2(5)) / best, abs=1e-15),
    }


def test_the_rank_of_a_document_is_that_of_its_first_chunk():
    assert values(["RR", "P@2", "R@2"], {"a": 1, "b": 1}, "x", "x", "x", "a", "x", "a", "b") == {
        "RR": 1 / 2,
        "P@2": 1 / 2,
        "R@2": 1 / 2,
    }


def test_a_query_without_judgements_has_no_value_and_one_without_relevant_documents_has_0():
    assert DocumentMeasures(NAMES, [Judgement("q", "a", 1)]).of("other", ["a"]) is None
    assert set(values(NAMES, {"a": 0, "b": -2}, "a", "b").values()) == {0}
    assert set(values(NAMES, {"a": 1}).values()) == {0}
    assert not DocumentMeasures(NAMES, []).judged


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ndcg@10", "did you mean 'nDCG@10'"),
        ("MAP", "did you mean 'AP'"),
        ("P", "valid: AP, P@10"),
        ("P@0", "did you mean 'P@10'"),
        ("R@05", "valid: AP, P@10"),
        ("AP(rel=2)", "valid: AP"),
        ("RR@1e3", "did you mean"),
        ("P@٣", "valid: AP"),
    ],
)
def test_an_unknown_measure_is_refused_with_the_nearest(name, hint):
    assert not is_document_measure(name)
    with pytest.raises(ValueError, match=f"no document-level measure is called '{name.partition('(')[0]}.*{hint}"):
        document_measure(name)


def test_every_measure_has_its_meaning():
    assert all(is_document_measure(name) and meaning(name) for name in NAMES)
    assert (
        meaning("P@5")
        == "the share of the first 5 documents of the candidates that are relevant, of 5 whether found or not"
    )


DOCUMENTS = [f"d{number}" for number in range(12)]
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 4), min_size=1)


@given(
    st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), GRADES, min_size=1),
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3", "q4"]),
        st.permutations(DOCUMENTS).flatmap(lambda p: st.integers(1, 12).map(lambda n: p[:n])),
    ),
)
def test_ir_measures_gives_the_same(qrels, runs):
    ir = pytest.importorskip("ir_measures", reason="the dev extra ir_measures is not installed")
    ours = DocumentMeasures(NAMES, [Judgement(q, d, grade) for q, held in qrels.items() for d, grade in held.items()])
    scored = {q: {d: float(len(ids) - rank) for rank, d in enumerate(ids)} for q, ids in runs.items()}
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir.iter_calc(map(ir.parse_measure, NAMES), qrels, scored)}
    for query_id in qrels:
        found = ours.of(query_id, runs.get(query_id, []))
        for name in NAMES:
            assert found[name] == pytest.approx(theirs.get((query_id, name), 0.0), abs=1e-12), (query_id, name)
