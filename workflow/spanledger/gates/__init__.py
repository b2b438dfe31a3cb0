"""Gates: what must hold of the results of an experiment, judged from its table of arms.

A gate is judged arm by arm. It fails where one arm fails it; a value that cannot be trusted neither passes nor fails.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from spanledger.core.bounded import ANSWERABLE, COST, FACTS, HIGHER, JUDGED, QUERIES, Bounded, column, meaning
from spanledger.core.errors import nearest
from spanledger.engine.plan import arms
from spanledger.gates.exact import exact
from spanledger.gates.leaks import Leaks

PASSED, FAILED, UNTRUSTED, DEFERRED = "passed", "failed", "untrusted", "deferred"
STATUSES = (FAILED, UNTRUSTED, DEFERRED, PASSED)  # that of a gate is the first that one of its arms has
STALE = "the results cannot be trusted"  # what is found where `untrusted` says why
_FEW = 30  # the queries below which a comparison with a baseline is not trusted, where the gate says nothing

Row = Mapping[str, Any]  # a row of the table of arms


@dataclass(frozen=True, slots=True)
class Baseline:
    """The results on record at a baseline: a row of its table of arms for each arm, and its section score, resolved.
    `untrusted` says why it cannot be compared with at all; None where it can."""

    rows: Mapping[str, Row] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    untrusted: str | None = None


@dataclass(frozen=True, slots=True)
class _Finding:
    """how far it is inside its bound."""

    arm: str
    status: str
    shown: str
    reason: str | None = None
    far: Fraction | None = None


def evaluate(
    section: dict[str, Any],
    rows: Mapping[str, Row],
    leaks: Mapping[str, Leaks] | str,
    baseline: Callable[[str], Baseline] | None = None,
    untrusted: str | None = None,
) -> list[dict[str, Any]]:
    """The verdicts on an experiment's gates, leaks first and then in the order of params.yaml.

    `section` is its resolved section; `rows` leads from an arm to its row of arms.csv; `leaks` are those of every arm, or
    the reason for which they need not be counted again. `baseline` gives what is on record at a baseline; without it
    gates that name one are deferred. `untrusted` says why no value of `rows` can be trusted. A verdict holds the `rule`,
    the `arm` (None: every arm), the `status` (one of STATUSES), what was `found`, the number of `arms`, and every arm
    that did not pass, with its value and the reason.
    """
    names = [arm.name for arm in arms(section)]
    verdicts = [_leaks(names, leaks, untrusted)]
    for gate in section["gates"]:
        metric = meaning(gate, section["score"])
        looked = baseline is not None and gate["baseline"] is not None and untrusted is None
        other = baseline(gate["baseline"]) if looked else None
        findings = [
            _judge(gate, metric, arm, rows.get(arm), other, section["score"], untrusted)
            for arm in names
            if gate["arm"] in (None, arm)
        ]
        text = rule(gate, section["score"])
        verdicts.append(_verdict(text, gate["arm"], findings, _side(gate, metric), untrusted and STALE))
    return verdicts


def status(verdicts: list[dict[str, Any]]) -> int:
    """The exit status: 1 where a gate failed, else 2 where one cannot be judged, else 0. A failure stands whatever else
    could not be judged: what is known to be wrong is wrong."""
    found = {verdict["status"] for verdict in verdicts}
    return 1 if FAILED in found else 2 if found - {PASSED} else 0


def rule(gate: Mapping[str, Any], score: Mapping[str, Any]) -> str:
    """A gate in words, its arm apart; `score` is that section, resolved."""
    name = gate["metric"] or f"facts lost to {gate['loss']}"
    if gate["baseline"] is not None:
        way = "below" if meaning(gate, score).better == HIGHER else "above"
        return f"{name} at most {gate['worse_by_at_most']:.15g} {way} {gate['baseline']}"
    bounds = [f"{words} {gate[key]:.15g}" for key, words in _WORDS.items() if gate[key] is not None]
    return f"{name} {' and '.join(bounds)}"


_WORDS = {"at_least": "at least", "at_most": "at most"}


def _leaks(names: list[str], leaks: Mapping[str, Leaks] | str, untrusted: str | None) -> dict[str, Any]:
    if untrusted is not None:
        return _verdict("leaks 0", None, [_Finding(arm, UNTRUSTED, "", untrusted) for arm in names], None, STALE)
    if isinstance(leaks, str):
        return _verdict("leaks 0", None, [_Finding(arm, PASSED, "") for arm in names], None, leaks)
    findings = [
        _Finding(arm, FAILED if leaks[arm].number else PASSED, str(leaks[arm].number), leaks[arm].first)
        for arm in names
    ]
    total, looked_at = (sum(getattr(leaks[arm], name) for arm in names) for name in ("number", "looked_at"))
    first = next((f"; the first: {found.reason} ({found.arm})" for found in findings if found.status == FAILED), "")
    text = f"{total:,} of {looked_at:,} chunks and passages in {_number(names)}{first}"
    return _verdict("leaks 0", None, findings, None, text)


def _judge(
    gate: Mapping[str, Any],
    metric: Bounded,
    arm: str,
    row: Row | None,
    other: Baseline | None,
    score: Mapping[str, Any],
    untrusted: str | None,
) -> _Finding:
    name = column(gate)
    if untrusted is not None or row is None:
        return _Finding(arm, UNTRUSTED, "", untrusted or "has no results")
    count = _count(row, metric)
    if row[name] is None:
        why = "it has no value here" if count else f"there are no {metric.queries} to take it over"
        return _Finding(arm, FAILED, "null", f"is null: {why}")
    value = exact(row[name])
    if gate["baseline"] is not None:
        if other is None:
            return _Finding(arm, DEFERRED, shown(value), "needs `spanledger gate`")
        reason = _incomparable(name, metric, arm, row, other, score)
        if reason is not None:
            return _Finding(arm, UNTRUSTED, shown(value), reason)
    least = gate["min_queries"] or (_FEW if gate["baseline"] is not None else 1)
    if count < least:
        return _Finding(arm, UNTRUSTED, shown(value), f"{count} {metric.queries} are too few: min_queries is {least}")
    if gate["baseline"] is not None:
        return _compared(gate, metric, arm, value, exact(other.rows[arm][name]))
    return _bounded(gate, arm, value)


def _bounded(gate: Mapping[str, Any], arm: str, value: Fraction) -> _Finding:
    """A value between bounds. Of two bounds the nearer one counts."""
    inside = []
    for key, sign, words in (("at_least", 1, "below"), ("at_most", -1, "above")):
        if gate[key] is not None:
            bound = exact(gate[key])
            far = sign * (value - bound)
            if far < 0:
                text = shown(value, bound)
                return _Finding(arm, FAILED, text, f"{text} is {words} {gate[key]:.15g}", far)
            inside.append((far, shown(value, bound)))
    far, text = min(inside)
    return _Finding(arm, PASSED, text, far=far)


def _compared(gate: Mapping[str, Any], metric: Bounded, arm: str, value: Fraction, before: Fraction) -> _Finding:
    limit = exact(gate["worse_by_at_most"])
    worse = before - value if metric.better == HIGHER else value - before
    text = f"{shown(value, before)} against {shown(before, value)}"
    if worse > limit:
        return _Finding(arm, FAILED, text, f"{text}: worse by {shown(worse, limit)}", limit - worse)
    return _Finding(arm, PASSED, text, far=limit - worse)


def _incomparable(
    name: str, metric: Bounded, arm: str, row: Row, other: Baseline, score: Mapping[str, Any]
) -> str | None:
    """Why a value and that of the baseline do not measure the same; None where they do."""
    if other.untrusted is not None:
        return other.untrusted
    if arm not in other.rows:
        return f"the baseline has no such arm: {nearest(arm, other.rows)}"
    before = other.rows[arm]
    for what in ("queries", "answerable_queries", "facts", *(("judged_queries",) if metric.queries == JUDGED else ())):
        if row[what] != before.get(what):
            return f"the baseline has {before.get(what)} {what.replace('_', ' ')}, not {row[what]}"
    for kind, part in ((FACTS, "coverage"), (COST, "cost")):
        if metric.rests_on == kind and score[part] != other.score[part]:
            return f"the baseline has another {part} in its section score, so that {name} means something else there"
    if before.get(name) is None:
        return f"the baseline has no value of {name}"
    return None


def _count(row: Row, metric: Bounded) -> int:
    """How many queries the metric of an arm is taken over."""
    if metric.queries == QUERIES:
        return row["queries"]
    if metric.queries == JUDGED:
        return row["judged_queries"]
    return row["answerable_queries"] if metric.queries == ANSWERABLE else row["no_answer_queries"]


def _side(gate: Mapping[str, Any], metric: Bounded) -> str | None:
    """What the arm nearest to its bound is called; None where only a comparison can tell."""
    if gate["baseline"] is not None:
        return "worst"
    if gate["at_least"] is not None and gate["at_most"] is not None:
        return "nearest to a bound"
    return "lowest" if gate["at_least"] is not None else "highest"


def _verdict(
    text: str, arm: str | None, findings: list[_Finding], side: str | None, found: str | None = None
) -> dict[str, Any]:
    held = {finding.status for finding in findings}
    overall = next((known for known in STATUSES if known in held), PASSED)
    bad = [finding for finding in findings if finding.status != PASSED]
    return {
        "rule": text,
        "arm": arm,
        "status": overall,
        "found": _found(findings, overall, side) if found is None else found,
        "arms": len(findings),
        "not_passed": [
            {"arm": finding.arm, "status": finding.status, "value": finding.shown, "reason": finding.reason}
            for finding in bad
        ],
    }


def _found(findings: list[_Finding], overall: str, side: str | None) -> str:
    """The figures of a verdict in a few words: what the arm nearest to its bound, or farthest beyond it, has."""
    of_kind = [finding for finding in findings if finding.status == overall]
    share = f"{len(of_kind)} of {_number(findings)}: " if len(findings) > 1 and overall != PASSED else ""
    judged = [finding for finding in of_kind if finding.far is not None]
    if not judged:
        return f"{share}{of_kind[0].reason}" if of_kind else ""
    worst = min(judged, key=lambda finding: finding.far)
    if len(findings) == 1:
        return worst.reason or worst.shown
    return f"{share}{side} {worst.shown} ({worst.arm})"


def _number(of: list[Any]) -> str:
    return f"{len(of)} arm{'s' * (len(of) != 1)}"


def shown(value: Fraction, bound: Fraction | None = None) -> str:
    """A value with four decimals, or with all where four would not tell it from its bound or from 0."""
    if value.denominator == 1:
        return str(value.numerator)
    near = bound is not None and value != bound and f"{float(value):.4f}" == f"{float(bound):.4f}"
    return repr(float(value)) if near or abs(value) < Fraction(1, 10**4) else f"{float(value):.4f}".rstrip("0")
