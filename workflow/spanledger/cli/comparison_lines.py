"""The sentences and figures of a comparison, as text."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import orjson

from spanledger.comparison import significance
from spanledger.comparison.arms import ArmComparison
from spanledger.comparison.measures import MEAN_COST, Difference
from spanledger.comparison.parameters import ParameterDifference
from spanledger.comparison.questions import FactChange, QuestionChange
from spanledger.report import words


def over(comparison: ArmComparison) -> str:
    """What the figures are over."""
    left = f"; left out: {some(comparison.left_out)}" if comparison.left_out else ""
    queries = len(comparison.queries)
    return f"over {comparison.answerable} answerable of {queries} queries, {comparison.facts} required facts{left}"


def key(found: ParameterDifference) -> str:
    """One path where both sides have the same or only one has any, else with both names of the setting."""
    if found.key_a is None or found.key_b is None or found.key_a == found.key_b:
        return found.key_a or found.key_b
    part, name_a, *rest = found.key_a.split(".")
    return ".".join((part, f"({name_a} | {found.key_b.split('.')[1]})", *rest))


def value_text(value: Any) -> str:
    """A value as params.yaml has it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {value_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    plain = isinstance(value, str) and value.strip() == value != "" and value.isprintable()
    return value if plain else orjson.dumps(value).decode()


def others(comparison: ArmComparison) -> Iterator[str]:
    """Whether dataset, code and libraries are the same, in a line each where they are not."""
    a, b = comparison.a.experiment, comparison.b.experiment
    same = []
    dataset = [part for part in a.dataset if a.dataset[part] != b.dataset[part]]
    if dataset:
        yield f"dataset: {', '.join(dataset)} differ"
    else:
        same.append("dataset")
    if comparison.code:
        yield f"code: {len(comparison.code)} files differ: {some(comparison.code)}"
    else:
        same.append("code")
    if comparison.libraries:
        versions = (f"{n} {a.libraries.get(n)} -> {b.libraries.get(n)}" for n in comparison.libraries)
        yield f"libraries: {', '.join(versions)}"
    else:
        same.append("libraries")
    if same:
        yield f"the same: {', '.join(same)}"


def notes(comparisons: Sequence[ArmComparison]) -> Iterator[str]:
    """Each kind of warning once: the first, and how many more there are."""
    by_code: dict[str, list[str]] = {}
    for comparison in comparisons:
        for reason in comparison.warnings:
            by_code.setdefault(reason.code, []).append(reason.message)
    for messages in by_code.values():
        distinct = list(dict.fromkeys(messages))
        more = f" (and likewise {len(distinct) - 1} more)" if len(distinct) > 1 else ""
        yield f"note: {distinct[0]}{more}"


def figures(found: Difference) -> tuple[str, str, str, str]:
    """A, B, B - A and the interval."""
    digits = 1 if found.metric.startswith(MEAN_COST) else 4
    interval = found.interval
    shown = f"[{interval.low:+.{digits}f}, {interval.high:+.{digits}f}]" if interval else "-"
    return number(found.a, digits), number(found.b, digits), number(found.difference, digits, "+"), shown


def counts(found: Difference) -> str:
    """Better, equal and worse queries."""
    return f"{found.better}/{found.equal}/{found.worse}"


def number(value: Fraction | None, digits: int, sign: str = "") -> str:
    """A figure in so many digits; null where there is none."""
    return "null" if value is None else f"{float(value):{sign}.{digits}f}"


def p_text(p: Fraction | None) -> str:
    """A probability; null where there is none."""
    if p is None:
        return "null"
    return "<0.0001" if p < Fraction(1, 10_000) else f"{float(p):.4f}"


def p_of(found: Difference) -> str:
    """The p of the randomisation test, marked where it was drawn."""
    if found.randomisation is None:
        return "null"
    return ("~" if found.randomisation.assignments else "") + p_text(found.randomisation.p)


def verdict(found: Difference) -> str:
    """What a difference amounts to, as a sentence."""
    at_once = f" (with Holm's correction for {found.comparisons} arms)" if found.comparisons > 1 else ""
    if found.verdict == "too_few_queries":
        return (
            f"{found.metric}: too few queries to conclude anything: over {found.queries} of them the smallest p that can "
            f"come out is {p_text(found.attainable_p)}{at_once}."
        )
    if found.verdict == "differs":
        which = "better" if found.difference > 0 else "worse"
        return f"{found.metric}: B is {which}: p = {p_text(found.adjusted_p)}{at_once}."
    differing = found.better + found.worse
    least = found.attainable_p_of_differing
    bound = f"; {differing} differ, too few for a p below {p_text(least)}" if least > significance.ALPHA else ""
    p = f"p = {p_text(found.adjusted_p)}{at_once}"
    return f"{found.metric}: no difference shown over {found.queries} queries: {p}{bound}."


def method(differences: Sequence[Difference], whole: bool) -> Iterator[str]:
    """How the figures came about; `whole` for a table of several arms, which has no intervals."""
    if not differences:
        return
    seed = f"seed {significance.SEED}"
    drawn = any(d.randomisation and d.randomisation.assignments for d in differences)
    yield ""
    yield "b/e/w: queries for which B is better, equal, worse; a lower cost is better."
    yield (
        "p: paired randomisation test, two-sided, over all assignments of signs"
        + (f" (~: over {significance.ASSIGNMENTS:,} drawn ones, {seed})" if drawn else "")
        + ("." if whole else "; not corrected for the number of metrics.")
    )
    if whole:
        yield "Holm p: the same, corrected for the number of arms."
    else:
        yield f"interval: percentile bootstrap of B - A, {significance.RESAMPLES:,} resamples of the queries, {seed}."


def question(change: QuestionChange) -> Iterator[str]:
    """A question that changed, with a line for each fact."""
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
    """As in: depth original_d4 7, budget 145."""
    if not isinstance(needed, dict):
        return value_text(needed)
    return ", ".join(f"{key} {_needed(value)}" for key, value in needed.items())


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)


def some(names: Sequence[str], shown: int = 3) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
