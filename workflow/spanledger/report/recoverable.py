"""How many lost facts one larger limit brings back, for each arm and cause."""

from collections.abc import Callable
from typing import Any

from spanledger.core.causes import CAUSES
from spanledger.engine.plan import Arm, branches
from spanledger.metrics import LIMITS
from spanledger.report import words
from spanledger.report.results import Results


def view(results: Results, link: Callable[[str, str], str]) -> dict[str, Any]:
    """The table with its columns: `limits`, `rows`, and whether some facts are `unknown` in any row."""
    found = rows(results, link)
    return {"limits": limits(results), "rows": found, "unknown": any(row["unknown"] for row in found)}


def limits(results: Results) -> list[str]:
    """The limits that some arm has."""
    found = {name for arm in results.arms for name in _limits(results, arm)}
    return [name for name in LIMITS if name in found]


def rows(results: Results, link: Callable[[str, str], str]) -> list[dict[str, Any]]:
    """A row for each arm and cause that some fact was lost to, arms in their order and causes in theirs.

    `cells` holds for each of `limits` how many facts it brings back, and the greatest of the values that each of them
    needs; (None, None) where the arm has no such limit, and where a plugin decides what it does. `none` counts those that
    no limit of the arm brings back by itself, `unknown` those of which that is not known. `link` gives the
    address of the facts of an arm and a cause.
    """
    shown, found = limits(results), []
    for number, arm in enumerate(results.arms, 1):
        own = _limits(results, arm)
        lost: dict[str, list[dict[str, Any]]] = {cause: [] for cause in CAUSES}
        for query in results.queries:
            for fact in results.trails[arm.name, query.query_id]["facts"]:
                if fact["cause"]:
                    lost[fact["cause"]].append(fact["needed"] or {})
        for cause, needs in lost.items():
            if not needs:
                continue
            facts = list(map(_values, needs))
            unknown = {name for needed in needs for name in needed.get("unknown", ())}
            cells = []
            for name in shown:
                values = [values[name] for values in facts if name in values]
                known = name in own and name not in unknown
                cells.append((len(values), max(values, default=None)) if known else (None, None))
            unsaid = [not values and "unknown" in needed for values, needed in zip(facts, needs, strict=True)]
            found.append(
                {
                    "number": number,
                    "arm": arm.name,
                    "cause": words.CAUSES[cause][0],
                    "link": link(arm.name, cause),
                    "lost": len(facts),
                    "cells": cells,
                    "none": sum(not values for values in facts) - sum(unsaid),
                    "unknown": sum(unsaid),
                }
            )
    return found


def _limits(results: Results, arm: Arm) -> set[str]:
    select = results.section["select"][arm.select]
    depths = [setting["depth"] for setting in branches(results.section, arm.fuse).values()]
    present = {
        "budget": select["budget"],
        "top_k": select["top_k"],
        "depth": max((d for d in depths if d), default=None),
    }
    return {name for name, value in present.items() if value is not None}


def _values(needed: dict[str, Any]) -> dict[str, int]:
    """The smallest value of each limit that brings a fact back; of depth that of the branch which needs least."""
    values = {name: needed[name] for name in ("budget", "top_k") if name in needed}
    return {**values, "depth": min(needed["depth"].values())} if "depth" in needed else values
