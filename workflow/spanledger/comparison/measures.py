"""What is compared: the value of each metric for a single query, and the paired difference over many.

A metric of an arm is sum(value) / sum(weight) over the queries that it counts, so that the figures here are those of the
report. A difference is always B - A; better and worse are B's.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from spanledger import metrics
from spanledger.comparison import significance
from spanledger.comparison.significance import ALPHA, Interval, Randomisation
from spanledger.metrics import Row

MICRO_RECALL = "micro_recall"
MEAN_COST = "mean_cost"
RowPair = tuple[Row, Row]  # the lines of one query, A's and B's


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric: its name (a column of arms.csv, or micro_recall), the queries that it is over (answerable, judged,
    unanswerable or all), `value` and `weight` of one line (None and 0 where the query does not count), and whether more is
    better."""

    name: str
    over: str
    value: Callable[[Row], Fraction | None]
    weight: Callable[[Row], int] = lambda row: 1
    more_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric of both arms and the paired difference, B - A, over the `queries` that count.

    `a`, `b`, `difference`, the tests and the interval are None without any query. `better`, `equal` and `worse` count
    queries. `comparisons` is how many arms are compared at once; `adjusted_p` is the p of the randomisation test after
    Holm's correction for them.
    """

    metric: str
    over: str
    queries: int
    a: Fraction | None
    b: Fraction | None
    difference: Fraction | None
    better: int
    equal: int
    worse: int
    sign_p: Fraction | None
    randomisation: Randomisation | None
    interval: Interval | None
    adjusted_p: Fraction | None
    comparisons: int = 1

    @property
    def attainable_p(self) -> Fraction:
        """The smallest adjusted p that so many queries can give, if all of them differed, in one direction."""
        return min(Fraction(1), significance.attainable_p(self.queries) * self.comparisons)

    @property
    def attainable_p_of_differing(self) -> Fraction:
        """The same for the queries that do differ."""
        return min(Fraction(1), significance.attainable_p(self.better + self.worse) * self.comparisons)

    @property
    def verdict(self) -> str:
        """too_few_queries: whatever they showed, p could not be ALPHA or less; else differs, or not_shown."""
        if self.attainable_p > ALPHA:
            return "too_few_queries"
        return "differs" if self.adjusted_p is not None and self.adjusted_p <= ALPHA else "not_shown"


def measures(
    unit: str, cutoffs: Iterable[int], spans: Iterable[str] = (), documents: Iterable[str] = ()
) -> list[Measure]:
    """All metrics, those of the context first. `unit` is that of cost; `cutoffs`, `spans` and `documents` (names of span
    metrics and of measures of documents) are those that both arms have."""

    def of(name: str, over: str = "answerable", function: Callable | None = None, **options) -> Measure:
        function = function or getattr(metrics, name)
        return Measure(name, over, lambda row: function([row]), **options)

    def cost(row: Row) -> Fraction:
        return Fraction(row["cost"][unit])

    cutoffs = list(cutoffs)
    return [
        of("macro_recall"),
        Measure(
            MICRO_RECALL,
            "answerable",
            lambda row: Fraction(row["covered"]["context"]) if row["required"] else None,
            lambda row: row["required"],
        ),
        of("complete_rate"),
        of("mrr"),
        *(of(f"macro_recall_at_{n}", function=lambda rows, n=n: metrics.macro_recall_at(rows, n)) for n in cutoffs),
        *(of(f"complete_at_{n}", function=lambda rows, n=n: metrics.complete_at(rows, n)) for n in cutoffs),
        of("macro_recall_candidates", function=lambda rows: metrics.macro_recall(rows, "candidates")),
        of("macro_recall_index", function=lambda rows: metrics.macro_recall(rows, "index")),
        *(of(name, function=lambda rows, name=name: metrics.span_metric(rows, name)) for name in spans),
        *(of(name, "judged", lambda rows, name=name: metrics.document_metric(rows, name)) for name in documents),
        of("no_answer_accuracy", "unanswerable"),
        Measure(MEAN_COST, "all", cost, more_is_better=False),
        Measure(
            "mean_cost_answerable",
            "answerable",
            lambda row: cost(row) if row["required"] else None,
            more_is_better=False,
        ),
    ]


def difference(measure: Measure, pairs: Iterable[RowPair]) -> Difference:
    """A metric over the pairs, whatever their order, as one comparison alone."""
    values, weights = [], []
    for a, b in sorted(pairs, key=lambda pair: pair[0]["query_id"]):
        before, after = measure.value(a), measure.value(b)
        if before is not None and after is not None:
            values.append((before, after))
            weights.append(measure.weight(a))
    differences = [after - before for before, after in values]
    signed = [d if measure.more_is_better else -d for d in differences]
    better, worse = sum(d > 0 for d in signed), sum(d < 0 for d in signed)
    counted = Difference(
        measure.name, measure.over, len(values), None, None, None, better, 0, worse, None, None, None, None
    )
    if not values:
        return counted
    total = sum(weights)
    randomisation = significance.randomisation_test(differences)
    return replace(
        counted,
        a=sum((before for before, _ in values), Fraction(0)) / total,
        b=sum((after for _, after in values), Fraction(0)) / total,
        difference=sum(differences, Fraction(0)) / total,
        equal=len(values) - better - worse,
        sign_p=significance.sign_test(better, worse),
        randomisation=randomisation,
        interval=significance.bootstrap_interval(differences, weights),
        adjusted_p=randomisation.p,
    )


def adjusted(differences: list[Difference]) -> list[Difference]:
    """The differences of one metric for several arms that are compared at once, corrected for their number."""
    ps = [d.randomisation.p if d.randomisation else Fraction(1) for d in differences]
    return [
        replace(d, adjusted_p=p if d.randomisation else None, comparisons=len(differences))
        for d, p in zip(differences, significance.holm(ps), strict=True)
    ]
