"""Document-level measures: how well the candidates of a query, as a list of documents, agree with its judgements.

The conventions are those of trec_eval (and so of ir_measures):

P@k      relevant documents among the first k / k, also where fewer than k were found
R@k      relevant documents among the first k / all relevant ones
AP, AP@k the sum over the relevant documents found (among the first k) of the precision at their rank / all relevant ones
RR, RR@k 1 / the rank of the first relevant document (among the first k), 0 where there is none
nDCG@k   the sum of grade / log2(rank + 1) over the first k / that of the judged documents in descending order of grade

A document is relevant from grade 1 on; one that is not judged, or below 1, is not relevant and gains nothing. A query
that is judged but has no relevant document has 0 everywhere; one without judgements has no value. Order is that of the
candidates as they are written: trec_eval sorts anew, by score and then descending id, and agrees where scores decrease
strictly, as those of an exported run do. Each measure costs one pass over the documents; nDCG sorts the grades too.

Sources: trec_eval 9 (m_P.c, m_recall.c, m_map.c, m_map_cut.c, m_recip_rank.c, m_ndcg.c, m_ndcg_cut.c); Järvelin and
Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002, for nDCG.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from spanledger.core.document_measures import DocumentMeasure, document_measure
from spanledger.gold import Judgement


class DocumentMeasures:
    """Some measures (their names, see `core.document_measures`) over some judgements. Raises ValueError for an unknown
    name."""

    def __init__(self, names: Iterable[str], judgements: Iterable[Judgement]):
        self._measures = [document_measure(name) for name in names]
        self._grades: dict[str, dict[str, int]] = {}
        for judgement in judgements:
            self._grades.setdefault(judgement.query_id, {})[judgement.doc_id] = judgement.relevance

    @property
    def judged(self) -> bool:
        """Whether there is any judgement."""
        return bool(self._grades)

    def of(self, query_id: str, doc_ids: Iterable[str]) -> dict[str, float] | None:
        """The values by name for a list of documents, best first; None for a query that is not judged.

        A document may stand several times, as when several of its chunks were found: its rank is that of the first.
        """
        grades = self._grades.get(query_id)
        if grades is None:
            return None
        documents = list(dict.fromkeys(doc_ids))
        return {measure.name: value(measure, documents, grades) for measure in self._measures}


def value(measure: DocumentMeasure, documents: Sequence[str], grades: Mapping[str, int]) -> float:
    """One measure of a list of distinct documents; `grades` are those of the judged ones."""
    return _VALUES[measure.kind]([grades.get(name, 0) for name in documents[: measure.cutoff]], grades, measure.cutoff)


def _precision(found: list[int], grades: Mapping[str, int], cutoff: int | None) -> float:
    return sum(grade > 0 for grade in found) / cutoff


def _recall(found: list[int], grades: Mapping[str, int], cutoff: int | None) -> float:
    relevant = _relevant(grades)
    return sum(grade > 0 for grade in found) / relevant if relevant else 0.0


def _average_precision(found: list[int], grades: Mapping[str, int], cutoff: int | None) -> float:
    ranks = [rank for rank, grade in enumerate(found, 1) if grade > 0]
    relevant = _relevant(grades)
    return math.fsum(number / rank for number, rank in enumerate(ranks, 1)) / relevant if relevant else 0.0


def _reciprocal_rank(found: list[int], grades: Mapping[str, int], cutoff: int | None) -> float:
    return next((1 / rank for rank, grade in enumerate(found, 1) if grade > 0), 0.0)


def _ndcg(found: list[int], grades: Mapping[str, int], cutoff: int | None) -> float:
    best = _gain(sorted(grades.values(), reverse=True)[:cutoff])
    return _gain(found) / best if best else 0.0


def _gain(grades: Iterable[int]) -> float:
    return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1) if grade > 0)


def _relevant(grades: Mapping[str, int]) -> int:
    return sum(grade > 0 for grade in grades.values())


_VALUES: dict[str, Callable[[list[int], Mapping[str, int], int | None], float]] = {
    "P": _precision,
    "R": _recall,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "nDCG": _ndcg,
}
