"""The columns of the page's two tables of arms: recall, cost and contexts in one, work and sizes in the other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spanledger.core.document_measures import meaning
from spanledger.core.span_measures import SPAN_MEASURES
from spanledger.engine.plan import Arm
from spanledger.metrics import CHECKPOINTS
from spanledger.report import words
from spanledger.report.attainment import attainable
from spanledger.report.diagnostics import sends_chunks
from spanledger.report.results import Results
from spanledger.report.tables import ArmRow

NO_ANSWER = "It tests that no term is shared with a question, not that a question is refused."
NO_ANSWER_ELSEWHERE = "A question that the run does not have counts as empty; nothing says that it was refused."

FORMS: dict[str, Callable[[Any], str]] = {
    "name": str,
    "share": "{:.3f}".format,
    "mean": "{:,.1f}".format,
    "small mean": "{:,.2f}".format,
    "count": "{:,}".format,
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `key` of the row, header, `form` (a key of FORMS), what it means, what stands under the value, and what
    stands in its place."""

    key: str
    header: str
    form: str
    meaning: str = ""
    below: Callable[[ArmRow], str] | None = None
    instead: Callable[[ArmRow], str] | None = None


def no_answer(results: Results) -> str:
    """What the rate of empty results does not say."""
    return NO_ANSWER_ELSEWHERE if results.elsewhere else NO_ANSWER


Groups = list[tuple[str, list[Column]]]


def cell(row: ArmRow, column: Column) -> dict[str, Any]:
    """What a cell shows: its text, the exact value, by which it sorts (None where there is none), and what is below."""
    value = row[column.key]
    shown = column.instead or (lambda row: FORMS[column.form](row[column.key]))
    return {
        "text": "null" if value is None else shown(row),
        "value": value if isinstance(value, str) or value is None else repr(value),
        "form": column.form,
        "below": None if column.below is None else column.below(row),
    }


def result_groups(results: Results) -> Groups:
    """The table of results. A setting that all arms share has no column."""
    settings = [Column(part, part, "name", f"the name of the {part} setting") for part in varied(results)]
    groups = [
        ("Recall and facts", _recall(results)),
        ("Held against, macro recall", _baselines(results)),
        ("Evidence by characters", _spans(results)),
        ("Documents", _documents(results)),
        (
            f"Mean cost, {words.unit(results.unit)[0]}",
            [
                Column("mean_cost", "all", "mean", "over all questions"),
                Column("mean_cost_answerable", "answerable", "mean", "over the answerable questions"),
            ],
        ),
        (
            "Contexts",
            [
                Column(
                    "mean_context_chunks", "chunks", "small mean", "mean number of chunks taken, over all questions"
                ),
                Column(
                    "mean_duplicate_char", "repeated", "mean", "mean of repeated source characters, over all questions"
                ),
                Column("empty_contexts", "empty", "count", "questions whose context is empty"),
                Column(
                    "chunks_not_current",
                    "outdated",
                    "count",
                    "passages of versions that are not current, in all contexts",
                ),
            ],
        ),
        ("Settings", settings),
    ]
    return [(title, columns) for title, columns in groups if columns]


def varied(results: Results) -> list[str]:
    """The choices in which arms differ."""
    parts = ("chunk", "eligibility", "fuse", "select")
    return [part for part in parts if len({row[part] for row in results.table}) > 1]


def _recall(results: Results) -> list[Column]:
    cutoffs = results.section["score"]["cutoffs"]
    columns = [
        Column(
            "macro_recall" if point == "context" else f"macro_recall_{point}",
            point,
            "share",
            f"macro recall of {words.CHECKPOINTS[point]}, and below it covered / required facts",
            lambda row, point=point: _of_facts(row, point),
        )
        for point in CHECKPOINTS
    ]
    columns += [
        Column(
            f"macro_recall_at_{n}",
            f"recall@{n}",
            "share",
            f"macro recall of {_first(n)} of the context",
        )
        for n in cutoffs
    ]
    columns.append(
        Column(
            "complete_rate",
            "complete",
            "share",
            "share of the answerable questions with all of their facts in the context, and below it how many they are",
            lambda row: f"{row['complete_queries']:,}/{row['answerable_queries']:,}",
        )
    )
    columns += [
        Column(
            f"complete_at_{n}",
            f"complete@{n}",
            "share",
            f"the same of {_first(n)} of the context: all or nothing a question",
            lambda row, n=n: f"{_queries(row, f'complete_at_{n}'):,}/{row['answerable_queries']:,}",
        )
        for n in cutoffs
    ]
    columns.append(_ceiling(results))
    columns.append(
        Column(
            "mrr",
            "MRR",
            "share",
            "mean over the answerable questions of 1 / the place of the first passage that covers a span of some fact on "
            "its own; 0 where none does",
        )
    )
    if any(row["no_answer_accuracy"] is not None for row in results.table):
        columns.append(
            Column(
                "no_answer_accuracy",
                "no-answer accuracy",
                "share",
                f"the rate of empty results among the questions that have no answer. {no_answer(results)}",
                lambda row: f"{_empty(row):,}/{row['no_answer_queries']:,} empty",
            )
        )
    return columns


def _baselines(results: Results) -> list[Column]:
    """What other choices of chunks could reach, and what a random order does."""
    choices = "what the best choice of {} for each question reaches under the limits of the selector"
    orders = "what {} are expected to reach, taken in random order by the same selector"
    mark = ", and below it for how many questions this is exact; ≤ marks an upper bound"
    columns = [
        Column(
            f"attainable_recall_{pool}",
            header,
            "share",
            choices.format(what) + mark,
            lambda row, pool=pool: _exact(row, "attainable", pool),
            lambda row, pool=pool: attainable(row, pool),
        )
        for pool, header, what in (
            ("candidates", "attainable", "the candidates"),
            ("index", "in the index", "all eligible chunks"),
        )
    ]
    if results.section["score"]["random_orders"]:
        columns += [
            Column(
                f"random_recall_{pool}",
                header,
                "share",
                f"{orders.format(what)}, and below it for how many questions this is exact: the others have the mean over "
                f"{results.section['score']['random_orders']:,} orders",
                lambda row, pool=pool: _exact(row, "random", pool),
            )
            for pool, header, what in (
                ("candidates", "random order", "the candidates"),
                ("index", "random, index", "all eligible chunks"),
            )
        ]
    return columns


def _of_facts(row: ArmRow, point: str) -> str:
    held = row[f"facts_in_{point}"]
    return "not known" if held is None else f"{held:,}/{row['facts']:,}"


def _exact(row: ArmRow, baseline: str, pool: str) -> str:
    """For how many questions a baseline is exact; nothing where what the index holds is not known."""
    if pool == "index" and row["facts_in_index"] is None:
        return "not known"
    return f"{row[f'{baseline}_exact_{pool}']:,}/{row['answerable_queries']:,} exact"


def _spans(results: Results) -> list[Column]:
    return [
        Column(name, SPAN_MEASURES[name][0], "share", f"mean over the answerable questions of {SPAN_MEASURES[name][1]}")
        for name in results.section["score"]["span_metrics"]
    ]


def _documents(results: Results) -> list[Column]:
    """Measures of documents, where the table has them."""
    return [
        Column(
            name,
            name,
            "share",
            f"mean over the judged questions of {meaning(name)}",
            lambda row: f"{row['judged_queries']:,} judged",
        )
        for name in results.section["score"]["document_metrics"]
        if name in results.table[0]
    ]


def _first(cutoff: int) -> str:
    return "the first passage" if cutoff == 1 else f"the first {cutoff:,} passages"


def _ceiling(results: Results) -> Column:
    """What complete@1 is out of what one chunk of the index could give."""
    planned: dict[str, Arm] = {arm.name: arm for arm in results.arms}

    def attained(row: ArmRow) -> str:
        attainable = f"{_queries(row, 'complete_at_1_ceiling'):,}"
        if "complete_at_1" not in row or not sends_chunks(results.section, planned[row["arm"]]):
            return attainable
        return f"{_queries(row, 'complete_at_1'):,} of {attainable}"

    return Column(
        "complete_at_1_ceiling",
        "of attainable",
        "share",
        "questions that complete@1 counts, of those for which any one eligible chunk covers all facts: no ranking of "
        "these chunks can put more of them in the first place. The second number alone where a context holds parents or "
        "merged chunks, which can hold more",
        instead=attained,
    )


def _queries(row: ArmRow, rate: str) -> int:
    """How many answerable queries a rate over them is."""
    return 0 if row[rate] is None else round(row[rate] * row["answerable_queries"])


def _empty(row: ArmRow) -> int:
    return 0 if row["no_answer_accuracy"] is None else round(row["no_answer_accuracy"] * row["no_answer_queries"])


def work_groups() -> Groups:
    """The table of sizes, and of work by the published accounting."""
    return [
        (
            "Chunks",
            [
                Column("chunks", "number", "count", "chunks of the chunking, eligible or not"),
                Column(
                    "duplication_ratio",
                    "duplication",
                    "share",
                    "(length of all chunks - length of the source) / length of the source, in the chunking's unit",
                ),
                Column(
                    "chunks_inside_predecessor",
                    "inside",
                    "count",
                    "chunks that lie wholly inside the chunk before them",
                ),
                Column(
                    "strings_not_placed",
                    "not placed",
                    "count",
                    "strings of a splitter that do not stand in their document, and are in no chunk",
                ),
            ],
        ),
        (
            "Index",
            [
                Column("smallest_index", "smallest", "count", "eligible chunks for the asker who may see the fewest"),
                Column("index_records", "records", "count", "eligible chunks, summed over the questions"),
                Column("index_terms", "terms", "count", "their terms, repeats kept, summed likewise"),
            ],
        ),
        (
            "Retrieval, all branches",
            [
                Column("term_checks", "term checks", "count", "terms of the questions times eligible chunks"),
                Column(
                    "nonzero_contributions",
                    "contributions",
                    "count",
                    "pairs of a searched term and a chunk that holds it, before any cut",
                ),
                Column(
                    "synonym_group_checks",
                    "synonym checks",
                    "count",
                    "synonym groups that were held against a question",
                ),
                Column("added_terms", "added terms", "count", "terms that synonym groups added to the questions"),
            ],
        ),
        (
            "Fusion",
            [
                Column(
                    "rank_visits", "rank visits", "count", "ranks of branches that fusion looked at; 0 for one branch"
                ),
                Column(
                    "merged_duplicates", "merged", "count", "candidates that another branch had found too, merged away"
                ),
                Column("rule_evaluations", "rules", "count", "candidates that a re-ranker gave points to"),
            ],
        ),
        (
            "Candidates",
            [
                Column(
                    "mean_candidate_char",
                    "characters",
                    "mean",
                    "mean over all questions of the characters of all candidates together",
                )
            ],
        ),
    ]
