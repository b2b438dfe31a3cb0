"""A comparison in the terminal: whether it holds at all, what differs, by how much, how sure, and question by question."""

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import orjson
from rich import box
from rich.console import Console
from rich.table import Table

from spanledger.cli.targets import Target
from spanledger.comparison import significance
from spanledger.comparison.arms import ArmComparison
from spanledger.comparison.measures import MEAN_COST, Difference
from spanledger.comparison.parameters import ParameterDifference
from spanledger.comparison.questions import LOST, TRADED, WON, FactChange, QuestionChange
from spanledger.report import words

if TYPE_CHECKING:
    from spanledger.cli.compare import ExperimentComparison

_LOG_WIDTH = 100


def show(before: Target, after: Target, found: Sequence["ExperimentComparison"]) -> None:
    """Prints the comparisons: an arm of its own in full, the arms of a whole experiment as a table."""
    console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)

    def tell(line: str = "", style: str | None = None) -> None:
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)

    named = [comparison for part in found if not part.whole for comparison in part.arms]
    for letter, side in (("A", before), ("B", after)):
        arm = f"{(named[0].a if side is before else named[0].b).name} of " if named else ""
        commit = "" if side.snapshot.commit is None else f" ({side.snapshot.commit[:7]})"
        tell(f"{letter}  {arm}{'the workspace' if side.snapshot.commit is None else side.snapshot.name + commit}")
    for line in _refused(found):
        tell(line, "bold red")
    for part in found:
        tell()
        if not part.whole:
            for line in _arm(part.arms[0], console):
                tell(line)
            continue
        tell(part.name, "bold")
        for line in _experiment(part, console):
            tell(line)
    for line in _method([d for part in found for comparison in part.arms for d in comparison.differences]):
        tell(line, "dim")


def _refused(found: Sequence["ExperimentComparison"]) -> Iterator[str]:
    """What must not be compared, each reason once with the arms that it holds for."""
    arms: dict[str, list[str]] = {}
    for part in found:
        for comparison in part.arms:
            for reason in comparison.refusals:
                arms.setdefault(reason.message, []).append(comparison.a.name)
    if arms:
        yield "NOT COMPARABLE"
    every = sum(len(part.arms) for part in found)
    for message, held in arms.items():
        yield f"  {message}" + ("" if len(held) == every else f" ({_some(held)})")


def _some(names: Sequence[str], shown: int = 3) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def _arm(comparison: ArmComparison, console: Console) -> Iterator[str]:
    yield from _parameters(comparison.parameters, console)
    yield from _others(comparison)
    yield from _warned([comparison])
    if not comparison.trusted:
        return
    yield ""
    yield _over(comparison)
    interval = f"{float(significance.LEVEL):.0%} interval"
    table = _table("metric", ("n", "A", "B", "B - A", interval, "b/e/w", "sign p", "p"))
    for found in comparison.differences:
        a, b, change, between = _values(found)
        row = (str(found.queries), a, b, change, between, _counts(found), _p(found.sign_p), _p_of(found))
        table.add_row(found.metric, *row)
    console.print(table)
    yield _verdict(comparison.difference(comparison.primary))
    yield ""
    outcomes = [change.outcome for change in comparison.changes]
    same = comparison.answerable - len(outcomes)
    traded = f", {outcomes.count(TRADED)} with as many but other facts" if TRADED in outcomes else ""
    count = f"{comparison.answerable} answerable questions"
    yield f"Of {count} B wins {outcomes.count(WON)} and loses {outcomes.count(LOST)}{traded}; {same} have the same facts."
    for change in comparison.changes:
        yield from _question(change)


def _experiment(part: "ExperimentComparison", console: Console) -> Iterator[str]:
    yield from _parameters(part.parameters, console)
    if part.arms:
        yield from _others(part.arms[0])
    yield from _warned(part.arms)
    for side, names in (("A", part.only_in_a), ("B", part.only_in_b)):
        if names:
            yield f"only {side} has these arms: {', '.join(names)}"
    trusted = [comparison for comparison in part.arms if comparison.trusted]
    if not trusted:
        yield "no arm to compare"
        return
    yield ""
    yield f"{trusted[0].primary}; {_over(trusted[0])}"
    table = _table("arm", ("A", "B", "B - A", "b/e/w", "p", "Holm p", "cost A", "cost B"))
    for comparison in trusted:
        found, cost = comparison.difference(comparison.primary), comparison.difference(MEAN_COST)
        costs = (_number(cost.a, 1), _number(cost.b, 1))
        row = (*_values(found)[:3], _counts(found), _p_of(found), _p(found.adjusted_p), *costs)
        table.add_row(comparison.a.arm.name, *row)
    console.print(table)
    primaries = [comparison.difference(comparison.primary) for comparison in trusted]
    differing = [c.a.arm.name for c, d in zip(trusted, primaries, strict=True) if d.verdict == "differs"]
    if differing:
        yield f"different beyond chance, corrected for {primaries[0].comparisons} arms: {', '.join(differing)}"
    elif any(comparison.changes for comparison in trusted):
        yield _verdict(max(primaries, key=lambda d: d.queries))
    changed = [comparison.a.arm.name for comparison in trusted if comparison.changes]
    if changed:
        yield f"{len(changed)} of {len(trusted)} arms answer some question otherwise: --arm NAME shows one, as {changed[0]}"
    else:
        yield "every context holds the same facts in A and B"


def _table(first: str, numbers: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _over(comparison: ArmComparison) -> str:
    left = f"; left out: {_some(comparison.left_out)}" if comparison.left_out else ""
    queries = len(comparison.queries)
    return f"over {comparison.answerable} answerable of {queries} queries, {comparison.facts} required facts{left}"


def _parameters(differences: Sequence[ParameterDifference], console: Console) -> Iterator[str]:
    if not differences:
        yield "parameters: the same"
        return
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("parameters that differ", overflow="fold")
    table.add_column("A", overflow="fold")
    table.add_column("B", overflow="fold")
    for found in differences:
        a, b = ("-" if key is None else _value(v) for key, v in ((found.key_a, found.a), (found.key_b, found.b)))
        table.add_row(_key(found), a, b)
    console.print(table)


def _key(found: ParameterDifference) -> str:
    """One path where both sides have the same or only one has any, else with both names of the setting."""
    if found.key_a is None or found.key_b is None or found.key_a == found.key_b:
        return found.key_a or found.key_b
    part, name_a, *rest = found.key_a.split(".")
    return ".".join((part, f"({name_a} | {found.key_b.split('.')[1]})", *rest))


def _value(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _others(comparison: ArmComparison) -> Iterator[str]:
    """Whether dataset, code and libraries are the same, in a line each where they are not."""
    a, b = comparison.a.experiment, comparison.b.experiment
    same = []
    dataset = [part for part in a.dataset if a.dataset[part] != b.dataset[part]]
    if dataset:
        yield f"dataset: {', '.join(dataset)} differ"
    else:
        same.append("dataset")
    if comparison.code:
        yield f"code: {len(comparison.code)} files differ: {_some(comparison.code)}"
    else:
        same.append("code")
    if comparison.libraries:
        versions = (f"{n} {a.libraries.get(n)} -> {b.libraries.get(n)}" for n in comparison.libraries)
        yield f"libraries: {', '.join(versions)}"
    else:
        same.append("libraries")
    if same:
        yield f"the same: {', '.join(same)}"


def _warned(comparisons: Sequence[ArmComparison]) -> Iterator[str]:
    """Each kind of warning once: the first, and how many more there are."""
    by_code: dict[str, list[str]] = {}
    for comparison in comparisons:
        for reason in comparison.warnings:
            by_code.setdefault(reason.code, []).append(reason.message)
    for messages in by_code.values():
        distinct = list(dict.fromkeys(messages))
        more = f" (and likewise {len(distinct) - 1} more)" if len(distinct) > 1 else ""
        yield f"note: {distinct[0]}{more}"


def _values(found: Difference) -> tuple[str, str, str, str]:
    digits = 1 if found.metric.startswith(MEAN_COST) else 4
    interval = found.interval
    shown = f"[{interval.low:+.{digits}f}, {interval.high:+.{digits}f}]" if interval else "-"
    return _number(found.a, digits), _number(found.b, digits), _number(found.difference, digits, "+"), shown


def _counts(found: Difference) -> str:
    return f"{found.better}/{found.equal}/{found.worse}"


def _number(value: Fraction | None, digits: int, sign: str = "") -> str:
    return "null" if value is None else f"{float(value):{sign}.{digits}f}"


def _p(p: Fraction | None) -> str:
    if p is None:
        return "null"
    return "<0.0001" if p < Fraction(1, 10_000) else f"{float(p):.4f}"


def _p_of(found: Difference) -> str:
    if found.randomisation is None:
        return "null"
    return ("~" if found.randomisation.assignments else "") + _p(found.randomisation.p)


def _verdict(found: Difference) -> str:
    at_once = f" (with Holm's correction for {found.comparisons} arms)" if found.comparisons > 1 else ""
    if found.verdict == "too_few_queries":
        return (
            f"{found.metric}: too few queries to conclude anything: over {found.queries} of them the smallest p that can "
            f"come out is {_p(found.attainable_p)}{at_once}."
        )
    if found.verdict == "differs":
        more = (found.difference > 0) == (found.better >= found.worse)
        which = "better" if found.difference > 0 else "worse"
        odd = "" if more else ", though it is so for fewer queries"
        return f"{found.metric}: B is {which}{odd}: p = {_p(found.adjusted_p)}{at_once}."
    differing = found.better + found.worse
    least = found.attainable_p_of_differing
    bound = f"; {differing} differ, too few for a p below {_p(least)}" if least > significance.ALPHA else ""
    return (
        f"{found.metric}: no difference shown over {found.queries} queries: p = {_p(found.adjusted_p)}{at_once}{bound}."
    )


def _method(differences: Sequence[Difference]) -> Iterator[str]:
    """How the figures came about."""
    if not differences:
        return
    seed = f"seed {significance.SEED}"
    drawn = any(d.randomisation and d.randomisation.assignments for d in differences)
    yield ""
    yield "b/e/w: queries for which B is better, equal, worse; a lower cost is better."
    yield (
        "p: paired randomisation test, two-sided, over all assignments of signs"
        + (f" (~: over {significance.ASSIGNMENTS:,} drawn ones, {seed})" if drawn else "")
        + "; not corrected for the number of metrics."
    )
    if any(d.interval for d in differences):
        yield f"interval: percentile bootstrap of B - A, {significance.RESAMPLES:,} resamples of the queries, {seed}."


def _question(change: QuestionChange) -> Iterator[str]:
    facts = f"{change.covered_a} -> {change.covered_b} of {change.required} facts"
    ranks = f"first rank {_rank(change.first_rank_a)} -> {_rank(change.first_rank_b)}"
    yield f"  {change.outcome:7}{change.query_id}: {change.text}"
    yield f"         {facts}, {ranks}"
    for sign, loser, changed in (("+", "A", change.gained), ("-", "B", change.missed)):
        for fact in changed:
            yield f"         {sign} {_fact(fact, loser)}"


def _fact(fact: FactChange, loser: str) -> str:
    needed = f" (needed {_needed(fact.needed)})" if fact.needed else ""
    ranks = f"evidence met at rank {_rank(fact.rank_a)} -> {_rank(fact.rank_b)}"
    return f"{fact.fact_id}: {loser} lacks it, {words.CAUSES[fact.cause][0]}{needed}; {ranks}"


def _needed(needed: Any) -> str:
    if not isinstance(needed, dict):
        return _value(needed)
    return ", ".join(f"{key} {_value(value)}" for key, value in needed.items())


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)
