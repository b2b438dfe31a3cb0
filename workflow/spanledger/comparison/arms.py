"""Two arms compared: see `compare_arms`."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from spanledger.comparison import measures
from spanledger.comparison.comparable import Reason, refusals, warnings
from spanledger.comparison.measures import Difference, RowPair
from spanledger.comparison.parameters import ParameterDifference, arm_differences, file_differences
from spanledger.comparison.questions import QuestionChange, question_change
from spanledger.comparison.sides import Experiment, Side


@dataclass(frozen=True)
class ArmComparison:
    """What `compare_arms` finds.

    `refusals` say why the arms are not comparable; then there are no `differences` and no `changes`. `queries` are those
    compared, `left_out` those that only one side has or that are not the same question with the same gold, both in order.
    `changes` are the questions whose contexts hold other facts, in order; `code` and `libraries` the names of what else
    differs.
    """

    a: Side
    b: Side
    refusals: list[Reason]
    warnings: list[Reason]
    parameters: list[ParameterDifference]
    code: list[str]
    libraries: list[str]
    queries: list[str]
    left_out: list[str]
    answerable: int
    facts: int
    primary: str
    differences: list[Difference]
    changes: list[QuestionChange]

    @property
    def trusted(self) -> bool:
        """Whether the figures may be held against each other."""
        return not self.refusals

    def difference(self, metric: str) -> Difference:
        """The difference of a metric. Raises KeyError where it was not compared."""
        for found in self.differences:
            if found.metric == metric:
                return found
        raise KeyError(metric)


def compare_arms(a: Side, b: Side, common: bool = False, metrics: Collection[str] | None = None) -> ArmComparison:
    """Compares B with A over the queries of both.

    `common`: where the questions or the gold of the datasets differ, those that are the same are compared, instead of
    none; measures of documents are then left out where the judgements differ. `metrics` names those to compare, beside
    the primary one; None is all of them. The primary metric is that of the experiments' reports, and macro_recall where
    they do not agree or one has no value of it.
    """
    refused = refusals(a, b, common)
    judged_alike = a.experiment.dataset["judgements"] == b.experiment.dataset["judgements"]
    documents = [name for name in a.documents if name in b.documents] if judged_alike else []
    spans = [name for name in a.spans if name in b.spans]
    known = {measure.name for measure in measures.measures("", (), spans, documents)}
    agreed = a.experiment.primary == b.experiment.primary and a.experiment.primary in known
    primary = a.experiment.primary if agreed else Experiment.primary
    pairs, left_out = _pairs(a, b)
    differences: list[Difference] = []
    changes: list[QuestionChange] = []
    if not refused:
        cutoffs = [n for n in a.cutoffs if n in b.cutoffs]
        chosen = [
            measure
            for measure in measures.measures(a.cost["unit"], cutoffs, spans, documents)
            if metrics is None or measure.name in metrics or measure.name == primary
        ]
        differences = [measures.difference(measure, pairs) for measure in chosen]
        for before, after in pairs:
            query_id = before["query_id"]
            experiment = a.experiment
            change = question_change(experiment.query_by_id[query_id], experiment.gold_by_id[query_id], before, after)
            changes += [change] if change else []
    return ArmComparison(
        a,
        b,
        refused,
        warnings(a, b),
        arm_differences(a, b),
        file_differences(a.experiment.code, b.experiment.code),
        file_differences(a.experiment.libraries, b.experiment.libraries),
        [before["query_id"] for before, _ in pairs],
        left_out,
        sum(before["required"] > 0 for before, _ in pairs),
        sum(before["required"] for before, _ in pairs),
        primary,
        differences,
        changes,
    )


def compared_at_once(comparisons: list[ArmComparison]) -> list[ArmComparison]:
    """The comparisons of several arms, each metric corrected for the number of arms that it is compared for."""
    names = dict.fromkeys(d.metric for comparison in comparisons for d in comparison.differences)
    corrected: dict[tuple[int, str], Difference] = {}
    for name in names:
        places = [i for i, c in enumerate(comparisons) if any(d.metric == name for d in c.differences)]
        family = measures.adjusted([comparisons[i].difference(name) for i in places])
        corrected |= {(i, name): found for i, found in zip(places, family, strict=True)}
    return [
        replace(comparison, differences=[corrected[i, d.metric] for d in comparison.differences])
        for i, comparison in enumerate(comparisons)
    ]


def _pairs(a: Side, b: Side) -> tuple[list[RowPair], list[str]]:
    """The lines of the queries that are the same on both sides, and the ids of the others; in the queries' order, by
    whichever side puts a query first."""
    one, other = a.experiment, b.experiment
    rows_a, rows_b = ({row["query_id"]: row for row in side.rows} for side in (a, b))
    order = {}
    for experiment in (one, other):
        for query_id, query in experiment.query_by_id.items():
            order[query_id] = min(query.order, order.get(query_id, query.order))
    pairs, left_out = [], []
    for query_id in sorted(order, key=lambda name: (order[name], name)):
        if query_id in rows_a and query_id in rows_b and _same(one, other, query_id):
            pairs.append((rows_a[query_id], rows_b[query_id]))
        elif query_id in rows_a or query_id in rows_b:
            left_out.append(query_id)
    return pairs, left_out


def _same(a: Experiment, b: Experiment, query_id: str) -> bool:
    """Whether a query is the same question by the same asker with the same facts; place and tags do not matter."""
    query_a, query_b = a.query_by_id[query_id], b.query_by_id[query_id]
    gold_a, gold_b = a.gold_by_id[query_id], b.gold_by_id[query_id]
    return replace(query_a, position=None) == replace(query_b, position=None) and (gold_a.facts, gold_a.no_answer) == (
        gold_b.facts,
        gold_b.no_answer,
    )
