"""What an experiment must say about its own numbers: plain warnings with their figures."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from spanledger.core.document_measures import document_measure
from spanledger.core.ranking import ELSEWHERE
from spanledger.engine.plan import Arm, arms, branches
from spanledger.metrics import Counters
from spanledger.report import outdated, words


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One warning: a code, a sentence with its figures, and the arms that it is about (none: all)."""

    code: str
    message: str
    arms: tuple[str, ...] = ()


def diagnostics(
    section: dict[str, Any],
    dataset: dict[str, Any],
    table: list[dict[str, Any]],
    lines: dict[str, list[dict[str, Any]]],
    counters: dict[str, Counters],
) -> list[dict[str, Any]]:
    """The warnings of an experiment, in the order of the functions below; `table` and `lines` as `tables.arm_rows` and
    `tables.by_arm` give them. `dataset` is the summary of the dataset, of which the number of all its queries is used
    where some are held out."""
    planned = arms(section)
    rows = {row["arm"]: row for row in table}
    found = [
        *_elsewhere(section, planned, rows, counters),
        *_held_out(section, dataset, table),
        *_saturated(section, planned, rows),
        *_ceiling(section, planned, rows),
        *_repeats(planned, lines),
        *_outdated(section, planned, lines),
        *_unreachable(planned, rows),
        *_unequal_budget(section, planned, rows),
        *_one_query(rows),
        *_tails(planned, rows),
        *_not_placed(planned, counters),
        *_two_variables(section, planned, counters),
        *_means(planned, rows),
        *_refusals(section, planned, rows),
        *_unjudged(rows),
        *_short_lists(section, planned, rows),
    ]
    return [asdict(diagnostic) for diagnostic in found]


def _elsewhere(
    section: dict[str, Any], planned: list[Arm], rows: dict[str, dict[str, Any]], counters: dict[str, Counters]
) -> Iterator[Diagnostic]:
    """What was read, what of it could not be used, and what cannot be known."""
    for arm in planned:
        for name, setting in branches(section, arm.fuse).items():
            if setting["scorer"] != ELSEWHERE:
                continue
            counted = counters[arm.name]["retrieve", name]
            told = [f"{setting['file']} has {counted['entries']} entries for {counted['queries']} of its questions"]
            told += [words.READ[key].format(counted[key]) for key in words.READ if counted[key]]
            if rows[arm.name]["facts_in_index"] is None:
                told.append("what else could have been found is not known, so nothing is said of an index")
            for message in told:
                yield Diagnostic("elsewhere", message, (arm.name,))


def _held_out(section: dict[str, Any], dataset: dict[str, Any], table: list[dict[str, Any]]) -> Iterator[Diagnostic]:
    setting = section["normalise"]["holdout"]
    if setting is None:
        return
    seen, every = table[0]["queries"], dataset["queries"]
    if seen < every:
        yield Diagnostic("held_out", f"development part: {seen} of {every} queries; holdout not shown")
    else:
        yield Diagnostic(
            "empty_holdout",
            f"a share of {setting['share']} with seed {setting['seed']} holds out none of {every} queries: these numbers "
            "are of all of them, and none is left for a final check",
        )


def _saturated(section: dict[str, Any], planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    for arm in planned:
        top_k = section["select"][arm.select]["top_k"]
        smallest = rows[arm.name]["smallest_index"]
        if top_k is not None and smallest is not None and smallest <= top_k:
            yield Diagnostic(
                "saturated",
                f"an index has {smallest} chunks and the selector takes {top_k}: recall is saturation, not retrieval",
                (arm.name,),
            )


def _ceiling(section: dict[str, Any], planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    for arm in planned:
        row = rows[arm.name]
        ceiling, queries = row["complete_at_1_ceiling"], row["answerable_queries"]
        if ceiling is None or ceiling == 1 or "complete_at_1" not in row or not sends_chunks(section, arm):
            continue
        reached, possible = (round(row[name] * queries) for name in ("complete_at_1", "complete_at_1_ceiling"))
        yield Diagnostic(
            "ceiling",
            f"one chunk can hold all facts of at most {possible} of {queries} queries, whatever the ranking: "
            f"complete@1 is {reached} of an attainable {possible}",
            (arm.name,),
        )


def sends_chunks(section: dict[str, Any], arm: Arm) -> bool:
    """Whether the passages of an arm's contexts are its chunks: a parent or merged chunks can hold more than any one of
    them, so that what one chunk can hold is no ceiling for their first passage."""
    setting = section["select"][arm.select]
    return setting["parent"] is None and not setting["merge"]


def _repeats(planned: list[Arm], lines: dict[str, list[dict[str, Any]]]) -> Iterator[Diagnostic]:
    for arm in planned:
        rows = lines[arm.name]
        repeated = [row for row in rows if row["cost"]["duplicate_char"]]
        if repeated:
            characters = sum(row["cost"]["duplicate_char"] for row in repeated)
            lost = sum(fact["cause"] == "crowded_out" for row in repeated for fact in row["facts"])
            yield Diagnostic(
                "repeats",
                f"{len(repeated)} of {len(rows)} contexts hold text twice, {characters} characters in all; {lost} facts "
                "would be there without the repeats",
                (arm.name,),
            )


def _outdated(
    section: dict[str, Any], planned: list[Arm], lines: dict[str, list[dict[str, Any]]]
) -> Iterator[Diagnostic]:
    current = outdated.counterparts(section, planned)
    trails = {(row["arm"], row["query_id"]): row for rows in lines.values() for row in rows}
    told = ((arm.name, outdated.sentence(lines[arm.name], trails, current)) for arm in planned)
    found = [(name, *one) for name, one in told if one is not None]
    for name, _, message in sorted(
        found, key=lambda one: -one[1]
    ):  # the terminal shows the first: the one that lost most
        yield Diagnostic("outdated", message, (name,))


def _unreachable(planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    for arm in planned:
        row = rows[arm.name]
        unreachable = row["lost_ineligible"] + row["lost_not_chunked"]
        lost = row["facts"] - row["facts_in_context"]
        if unreachable:
            yield Diagnostic(
                "unreachable",
                f"{unreachable} of {lost} lost facts are in no eligible chunk of the index ({row['lost_ineligible']} "
                f"ineligible, {row['lost_not_chunked']} not chunked); no ranking can find them",
                (arm.name,),
            )


def _unequal_budget(
    section: dict[str, Any], planned: list[Arm], rows: dict[str, dict[str, Any]]
) -> Iterator[Diagnostic]:
    by_select: dict[str, list[Arm]] = {}
    for arm in planned:
        setting = section["select"][arm.select]
        if setting["top_k"] is not None and setting["budget"] is None:
            by_select.setdefault(arm.select, []).append(arm)
    for select, group in by_select.items():
        costs = [rows[arm.name]["mean_cost"] for arm in group]
        if len(set(costs)) > 1:
            unit = words.unit(section["score"]["cost"]["unit"])[0]
            yield Diagnostic(
                "unequal_budget",
                f"equal k is not an equal budget: under {select} a context costs from {min(costs):.1f} to "
                f"{max(costs):.1f} {unit} on average",
                tuple(arm.name for arm in group),
            )


def _one_query(rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    queries = next(iter(rows.values()))["answerable_queries"]
    if queries:
        yield Diagnostic(
            "one_query",
            f"one query more or less moves a mean over {queries} queries by up to {1 / queries:.4f}; that runs agree to "
            "the byte says nothing about the sampling error",
        )


def _tails(planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    for chunk in dict.fromkeys(arm.chunk for arm in planned):
        group = [arm.name for arm in planned if arm.chunk == chunk]
        inside = rows[group[0]]["chunks_inside_predecessor"]
        if inside:
            yield Diagnostic(
                "tails", f"{inside} chunks of {chunk} lie wholly inside the chunk before them", tuple(group)
            )


def _not_placed(planned: list[Arm], counters: dict[str, Counters]) -> Iterator[Diagnostic]:
    for chunk in dict.fromkeys(arm.chunk for arm in planned):
        group = [arm.name for arm in planned if arm.chunk == chunk]
        counted = counters[group[0]]["chunk", chunk]
        given, lost, unsure = (counted.get(name, 0) for name in ("fragments", "not_placed", "ambiguous"))
        if lost or unsure:
            yield Diagnostic(
                "not_placed",
                f"{lost} of {given} strings that the splitter of {chunk} gave ({lost / given:.1%}) do not stand in their "
                f"document and are in no chunk; {unsure} could stand at more than one place",
                tuple(group),
            )


def _two_variables(section: dict[str, Any], planned: list[Arm], counters: dict[str, Counters]) -> Iterator[Diagnostic]:
    headed = {a.chunk: counters[a.name]["chunk", a.chunk]["with_heading"] > 0 for a in planned}
    if len(set(headed.values())) == 2:
        names = ", ".join(name for name, has in headed.items() if has)
        yield Diagnostic(
            "two_variables",
            f"{names} changes two things at once: where text is cut, and titles or headers in the text that is searched",
            tuple(arm.name for arm in planned if headed[arm.chunk]),
        )
    if section["arms"] == "grid" or len(planned) < 2:
        return
    for arm in planned:
        steps = [sum(a != b for a, b in zip(_parts(section, arm), _parts(section, o), strict=True)) for o in planned]
        nearest = min(step for step, other in zip(steps, planned, strict=True) if other is not arm)
        if nearest > 1:
            yield Diagnostic(
                "two_variables", f"differs from every other arm in at least {nearest} settings at once", (arm.name,)
            )


def _parts(section: dict[str, Any], arm: Arm) -> tuple:
    setting = section["fuse"][arm.fuse]
    used = tuple(branches(section, arm.fuse).values())
    return arm.chunk, arm.eligibility, repr(used), repr({**setting, "branches": None}), arm.select


def _means(planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    for arm in planned:
        row = rows[arm.name]
        answerable = row["answerable_queries"]
        silent = row["queries"] - answerable
        recall = answerable or not row.get("judged_queries")  # else there is no recall, and nobody expects one
        if silent and recall and row["mean_cost"] != row["mean_cost_answerable"]:
            over = row["mean_cost_answerable"]
            yield Diagnostic(
                "means",
                f"mean cost {row['mean_cost']:.1f} is over all {row['queries']} queries, {silent} of them without facts; "
                f"over the {answerable} answerable ones it is {'null' if over is None else f'{over:.1f}'}. Recall is over "
                "these alone",
                (arm.name,),
            )


def _refusals(section: dict[str, Any], planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    for arm in planned:
        row = rows[arm.name]
        silent = row["no_answer_queries"]
        if silent:
            empty = round(row["no_answer_accuracy"] * silent)
            made = [setting["scorer"] for setting in branches(section, arm.fuse).values()]
            tests = "that the run has nothing for them" if ELSEWHERE in made else "that no term is shared"
            yield Diagnostic(
                "refusals",
                f"no_answer_accuracy is the rate of empty results, {empty} of {silent} no-answer queries: it tests "
                f"{tests}, not that a question is refused",
                (arm.name,),
            )


def _unjudged(rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    row = next(iter(rows.values()))
    if row.get("judged_queries") and row["unjudged_queries"]:
        yield Diagnostic(
            "unjudged",
            f"{row['unjudged_queries']} of {row['queries']} queries have no judgements and count in no measure of "
            f"documents: these are means over the {row['judged_queries']} others",
        )


def _short_lists(section: dict[str, Any], planned: list[Arm], rows: dict[str, dict[str, Any]]) -> Iterator[Diagnostic]:
    measures = map(document_measure, section["score"]["document_metrics"])
    longest = max(measures, key=lambda measure: measure.cutoff or 0, default=None)
    for arm in planned:
        depths = [setting["depth"] for setting in branches(section, arm.fuse).values()]
        if longest is None or None in depths or not rows[arm.name].get("judged_queries"):
            continue
        if sum(depths) < (longest.cutoff or 0):
            yield Diagnostic(
                "short_lists",
                f"{longest.name} looks at {longest.cutoff:,} documents, and no list has more than {sum(depths):,} "
                "candidates: what is further down counts as not found",
                (arm.name,),
            )
