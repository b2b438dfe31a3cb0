"""A comparison as JSON. docs/compare.md has the keys, which keep their names and meaning; fractions become floats."""

from typing import Any

from spanledger.comparison import significance
from spanledger.comparison.arms import ArmComparison
from spanledger.comparison.comparable import Reason
from spanledger.comparison.measures import Difference
from spanledger.comparison.parameters import ParameterDifference
from spanledger.comparison.questions import LOST, TRADED, WON, FactChange, QuestionChange
from spanledger.metrics import rounded


def statistics() -> dict[str, Any]:
    """What is behind every p and interval."""
    return {
        "alpha": float(significance.ALPHA),
        "level": float(significance.LEVEL),
        "seed": significance.SEED,
        "assignments": significance.ASSIGNMENTS,
        "resamples": significance.RESAMPLES,
    }


def arm_record(comparison: ArmComparison) -> dict[str, Any]:
    """Everything that `compare_arms` found."""
    a, b = comparison.a.experiment, comparison.b.experiment
    outcomes = [change.outcome for change in comparison.changes]
    return {
        "a": {"experiment": a.name, "arm": comparison.a.arm.name},
        "b": {"experiment": b.name, "arm": comparison.b.arm.name},
        "comparable": comparison.trusted,
        "refusals": [_reason(reason) for reason in comparison.refusals],
        "warnings": [_reason(reason) for reason in comparison.warnings],
        "parameters": [parameter_record(difference) for difference in comparison.parameters],
        "dataset": [part for part in a.dataset if a.dataset[part] != b.dataset[part]],
        "code": comparison.code,
        "libraries": [
            {"name": name, "a": a.libraries.get(name), "b": b.libraries.get(name)} for name in comparison.libraries
        ],
        "queries": {
            "compared": len(comparison.queries),
            "answerable": comparison.answerable,
            "facts": comparison.facts,
            "left_out": comparison.left_out,
        },
        "primary": comparison.primary,
        "metrics": [_difference(difference) for difference in comparison.differences],
        "questions": {
            **{outcome: outcomes.count(outcome) for outcome in (WON, LOST, TRADED)},
            "same": comparison.answerable - len(outcomes) if comparison.trusted else 0,
            "changes": [_question(change) for change in comparison.changes],
        },
    }


def parameter_record(difference: ParameterDifference) -> dict[str, Any]:
    """A parameter with both of its paths and values."""
    return {"key_a": difference.key_a, "key_b": difference.key_b, "a": difference.a, "b": difference.b}


def _reason(reason: Reason) -> dict[str, str]:
    return {"code": reason.code, "message": reason.message}


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "metric": found.metric,
        "over": found.over,
        "queries": found.queries,
        "a": rounded(found.a),
        "b": rounded(found.b),
        "difference": rounded(found.difference),
        "better": found.better,
        "equal": found.equal,
        "worse": found.worse,
        "sign_p": rounded(found.sign_p),
        "p": rounded(found.randomisation.p) if found.randomisation else None,
        "assignments": found.randomisation.assignments if found.randomisation else None,
        "adjusted_p": rounded(found.adjusted_p),
        "comparisons": found.comparisons,
        "attainable_p": rounded(found.attainable_p),
        "attainable_p_of_differing": rounded(found.attainable_p_of_differing),
        "interval": [found.interval.low, found.interval.high] if found.interval else None,
        "verdict": found.verdict,
    }


def _question(change: QuestionChange) -> dict[str, Any]:
    return {
        "query_id": change.query_id,
        "text": change.text,
        "outcome": change.outcome,
        "required": change.required,
        "covered": {"a": change.covered_a, "b": change.covered_b},
        "first_rank": {"a": change.first_rank_a, "b": change.first_rank_b},
        "gained": [_fact(fact) for fact in change.gained],
        "missed": [_fact(fact) for fact in change.missed],
    }


def _fact(fact: FactChange) -> dict[str, Any]:
    return {
        "fact_id": fact.fact_id,
        "cause": fact.cause,
        "needed": fact.needed,
        "evidence_rank": {"a": fact.rank_a, "b": fact.rank_b},
    }
