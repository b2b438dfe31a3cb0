"""A comparison in the terminal: whether it holds at all, what differs, by how much, how sure, and question by question."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spanledger.cli import comparison_lines as lines
from spanledger.cli.targets import Target
from spanledger.comparison import significance
from spanledger.comparison.arms import ArmComparison
from spanledger.comparison.measures import MEAN_COST
from spanledger.comparison.parameters import ParameterDifference
from spanledger.comparison.questions import LOST, TRADED, WON

if TYPE_CHECKING:
    from spanledger.cli.compare import ExperimentComparison

_LOG_WIDTH = 100
Part = str | Table  # a line, or a table


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
            shown = _arm(part.arms[0])
        else:
            tell(part.name, "bold")
            shown = _experiment(part)
        for each in shown:
            if isinstance(each, str):
                tell(each)
            else:
                console.print(each)
    differences = [d for part in found for comparison in part.arms for d in comparison.differences]
    for line in lines.method(differences, any(part.whole for part in found)):
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
        yield f"  {message}" + ("" if len(held) == every else f" ({lines.some(held)})")


def _arm(comparison: ArmComparison) -> Iterator[Part]:
    yield from _parameters(comparison.parameters)
    yield from lines.others(comparison)
    yield from lines.notes([comparison])
    if not comparison.trusted:
        return
    yield ""
    yield lines.over(comparison)
    interval = f"{float(significance.LEVEL):.0%} interval"
    table = _table("metric", ("n", "A", "B", "B - A", interval, "b/e/w", "sign p", "p"))
    for found in comparison.differences:
        a, b, change, between = lines.figures(found)
        ps = (lines.p_text(found.sign_p), lines.p_of(found))
        row = (found.metric, str(found.queries), a, b, change, between, lines.counts(found), *ps)
        table.add_row(*map(Text, row))
    yield table
    yield lines.verdict(comparison.difference(comparison.primary))
    yield ""
    outcomes = [change.outcome for change in comparison.changes]
    same = comparison.answerable - len(outcomes)
    traded = f", {outcomes.count(TRADED)} with as many but other facts" if TRADED in outcomes else ""
    count = f"{comparison.answerable} answerable questions"
    yield f"Of {count} B wins {outcomes.count(WON)} and loses {outcomes.count(LOST)}{traded}; {same} have the same facts."
    for change in comparison.changes:
        yield from lines.question(change)


def _experiment(part: "ExperimentComparison") -> Iterator[Part]:
    yield from _parameters(part.parameters)
    if part.arms:
        yield from lines.others(part.arms[0])
    yield from lines.notes(part.arms)
    for side, names in (("A", part.only_in_a), ("B", part.only_in_b)):
        if names:
            yield f"only {side} has these arms: {', '.join(names)}"
    trusted = [comparison for comparison in part.arms if comparison.trusted]
    if not trusted:
        yield "no arm to compare"
        return
    yield ""
    yield f"{trusted[0].primary}; {lines.over(trusted[0])}"
    table = _table("arm", ("A", "B", "B - A", "b/e/w", "p", "Holm p", "cost A", "cost B"))
    for comparison in trusted:
        found, cost = comparison.difference(comparison.primary), comparison.difference(MEAN_COST)
        costs = (lines.number(cost.a, 1), lines.number(cost.b, 1))
        ps = (lines.p_of(found), lines.p_text(found.adjusted_p))
        table.add_row(comparison.a.arm.name, *lines.figures(found)[:3], lines.counts(found), *ps, *costs)
    yield table
    primaries = [comparison.difference(comparison.primary) for comparison in trusted]
    differing = [c.a.arm.name for c, d in zip(trusted, primaries, strict=True) if d.verdict == "differs"]
    if differing:
        yield f"different beyond chance, corrected for {primaries[0].comparisons} arms: {', '.join(differing)}"
    elif any(comparison.changes for comparison in trusted):
        yield lines.verdict(max(primaries, key=lambda d: d.queries))
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


def _parameters(differences: Sequence[ParameterDifference]) -> Iterator[Part]:
    if not differences:
        yield "parameters: the same"
        return
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("parameters that differ", overflow="fold")
    table.add_column("A", overflow="fold")
    table.add_column("B", overflow="fold")
    for found in differences:
        sides = ((found.key_a, found.a), (found.key_b, found.b))
        values = ("-" if key is None else lines.value_text(value) for key, value in sides)
        table.add_row(*map(Text, (lines.key(found), *values)))  # text: [public] would be a style
    yield table
