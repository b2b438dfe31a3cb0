"""The section of the page on failure classes."""

from typing import Any
from urllib.parse import quote

from spanledger.core.failures import CLASSES, SUSPICION
from spanledger.report import words
from spanledger.report.failures import Case, counts, stale
from spanledger.report.results import Results


def failures(results: Results) -> dict[str, Any]:
    """Lost facts by class and arm, what to change, and what people judged of it."""
    arms = [arm.name for arm in results.arms]
    lost = counts(arms, results.trails)
    seen = [name for name in CLASSES if any(lost[arm][name] for arm in arms)]
    judged = [case for case in results.failures if case.judgement or case.note]
    return {
        "experiment": results.experiment,
        "facts": results.table[0]["facts"],
        "classes": [_class(name, results, sum(lost[arm][name] for arm in arms)) for name in seen],
        "unseen": [(words.FAILURES[name][0], name) for name in CLASSES if name not in seen],
        "rows": [
            {"number": number, "arm": arm, "cells": [(lost[arm][name], _link(arm, name)) for name in seen]}
            for number, arm in enumerate(arms, 1)
        ],
        "suspected": [_shown(case) for case in results.failures if case.suspicion],
        "judged": list(map(_shown, judged)),
        "agreed": sum(case.agrees is True for case in judged),
        "lines": len(results.failures),
        "open": sum(not case.judgement for case in results.failures),
        "stale": stale(results.judgements, results.failures),
    }


def _class(name: str, results: Results, facts: int) -> dict[str, Any]:
    """A class in words. `judged` are the lines that somebody judged, `agreed` those judged to be of it; of a suspicion
    the lines that have it."""
    short, rule, fix, side_effect = words.FAILURES[name]
    lines = [c for c in results.failures if (c.suspicion if name == SUSPICION else c.failure == name) and c.judgement]
    agreed = sum(case.judgement == name for case in lines)
    told = {"short": short, "rule": rule, "fix": fix, "side_effect": side_effect}
    return {"name": name, **told, "facts": facts, "judged": len(lines), "agreed": agreed}


def _link(arm: str, name: str) -> str:
    return f"#arm={quote(arm, safe='+')}&failure={name}"


def _shown(case: Case) -> dict[str, Any]:
    link = f"#question={quote(case.query_id, safe='')}&trail={quote(case.arms[0], safe='+')}"
    names = ("query_id", "fact_id", "failure", "arms", "suspicion", "judgement", "note", "verdict")
    return {**{name: getattr(case, name) for name in names}, "link": link}
