"""The sections of the page: each is a template and a function that gives it what it shows.

A new section is a function here, a line in SECTIONS and a template <name>.html beside this module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from spanledger.core.causes import CAUSES
from spanledger.core.failures import CLASSES
from spanledger.report import charts, columns, recoverable, words
from spanledger.report.attainment import sentence
from spanledger.report.columns import Column, cell
from spanledger.report.failure_section import failures
from spanledger.report.results import Results
from spanledger.report.rules import rules
from spanledger.report.tables import best
from spanledger.report.version_section import versions

_SERIES = 8  # colours and shapes that the style sheet and the templates know
_OPEN = 40  # rows of the table by tag up to which it is open


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the page: its name (of the anchor and of the template), its title and its view."""

    name: str
    title: str
    view: Callable[[Results], dict[str, Any]]


def headline(results: Results) -> dict[str, Any]:
    """What was run, the best value, and the rules behind the numbers."""
    first = results.table[0]
    value, names = best(results.table, results.primary)
    return {
        "dataset": {key: results.dataset.get(key) for key in ("name", "description", "language", "licence")},
        "documents": len(results.documents),
        "current": sum(document.current for document in results.documents.values()),
        "characters": sum(len(document.text) for document in results.documents.values()),
        "arms": len(results.arms),
        "queries": first["queries"],
        "held_out": results.dataset["queries"] - first["queries"] if results.section["normalise"]["holdout"] else 0,
        "answerable": first["answerable_queries"],
        "facts": first["facts"],
        "metric": words.metric(results.primary)[0],
        "definition": None if results.primary.startswith("macro_recall") else words.metric(results.primary)[1],
        "judged": first.get("judged_queries", 0),
        "no_answer": first["no_answer_queries"],
        "kind": words.metric(results.primary)[2],
        "best": None if value is None else {"text": f"{value:.3f}", "value": repr(value), "arms": names},
        "attainable": _attainable(results),
        "unit": words.unit(results.unit)[0],
        "rules": rules(results.section),
    }


def _attainable(results: Results) -> dict[str, str] | None:
    """The first arm with the highest macro recall, and what that is out of."""
    highest, names = best(results.table, "macro_recall")
    if highest is None:
        return None
    (row,) = (row for row in results.table if row["arm"] == names[0])
    return {"arm": names[0], "text": sentence(row)}


def arms(results: Results) -> dict[str, Any]:
    """The tables of arms. A setting that all arms share stands above them instead of in a column."""
    first = results.table[0]
    value, _ = best(results.table, results.primary)
    varied = columns.varied(results)
    parts = ("chunk", "eligibility", "fuse", "select")
    return {
        "shared": [(part, first[part]) for part in parts if part not in varied],
        "results": _table(results, columns.result_groups(results), value),
        "work": _table(results, columns.work_groups()),
        "metric": words.metric(results.primary)[0],
        "queries": first["queries"],
        "answerable": first["answerable_queries"],
        "measured": words.measured(results.unit),
        "no_answer": columns.no_answer(results) if first["no_answer_queries"] else None,
    }


def _table(results: Results, groups: columns.Groups, highest: float | None = None) -> dict[str, Any]:
    """A table with a row an arm; cells of the primary metric that have the value `highest` are marked."""
    return {
        "groups": groups,
        "rows": [
            {
                "number": number,
                "arm": row["arm"],
                "cells": [
                    {
                        **cell(row, column),
                        "first": column is group[0],
                        "best": column.key == results.primary and highest is not None and row[column.key] == highest,
                    }
                    for _, group in groups
                    for column in group
                ],
            }
            for number, row in enumerate(results.table, 1)
        ],
    }


def cost(results: Results) -> dict[str, Any]:
    """The scatter of the primary metric against the mean cost, with the frontier as a line."""
    points = [
        None if row[results.primary] is None else (row["mean_cost"], row[results.primary]) for row in results.table
    ]
    places = {arm.name: place for place, arm in enumerate(results.arms)}
    efficient = [places[row["arm"]] for row in results.frontier if row["on_frontier"]]
    elbow = next((places[row["arm"]] for row in results.frontier if row["elbow"]), None)
    plot = charts.scatter(points, efficient)
    colours = {name: place % _SERIES for place, name in enumerate(dict.fromkeys(arm.chunk for arm in results.arms))}
    shapes = {name: place % 4 for place, name in enumerate(dict.fromkeys(arm.select for arm in results.arms))}
    return {
        "plot": plot,
        "size": {name.lower(): getattr(charts, name) for name in ("WIDTH", "HEIGHT", "LEFT", "RIGHT", "TOP", "BOTTOM")},
        "arms": [
            {
                "name": arm.name,
                "colour": colours[arm.chunk],
                "shape": shapes[arm.select],
                "text": None if point is None else f"{point[1]:.3f} at {point[0]:,.1f}",
            }
            for arm, point in zip(results.arms, points, strict=True)
        ],
        "colours": colours,
        "shapes": shapes,
        "elbow": next((spot for spot in plot.spots if elbow in spot.members), None),
        "missing": [arm.name for arm, point in zip(results.arms, points, strict=True) if point is None],
        "metric": words.metric(results.primary)[0],
        "unit": words.unit(results.unit)[0],
        "queries": results.table[0]["queries"],
        "kind": words.metric(results.primary)[2],
        "over": results.table[0][f"{words.metric(results.primary)[2]}_queries"],
    }


def loss(results: Results) -> dict[str, Any]:
    """For each arm a bar: how many required facts are in the context, and how many were lost to each cause."""
    seen = [cause for cause in CAUSES if any(row[f"lost_{cause}"] for row in results.table)]
    rows = []
    for number, row in enumerate(results.table, 1):
        counts = [row["facts_in_context"], *(row[f"lost_{cause}"] for cause in seen)]
        names = ["context", *seen]
        parts = [
            {"name": name, "count": count, "start": start, "length": length, "text": _named(name, count)}
            for name, count, (start, length) in zip(names, counts, charts.stack(counts), strict=True)
        ]
        rows.append(
            {
                "number": number,
                "arm": row["arm"],
                "parts": parts,
                "text": ", ".join(part["text"] for part in parts if part["count"]),
                "links": [_losses(row["arm"], cause) for cause in seen],
            }
        )
    return {
        "facts": results.table[0]["facts"],
        "causes": [(cause, *words.CAUSES[cause]) for cause in _causes(results)],
        "seen": seen,
        "rows": rows,
        "back": recoverable.view(results, _losses),
    }


def _causes(results: Results) -> list[str]:
    """The causes that there can be: what happened where candidates were made elsewhere is not known, and nothing is made
    elsewhere otherwise."""
    unlike = ("not_matched", "below_depth", "demoted") if results.elsewhere else ("not_retrieved",)
    return [cause for cause in CAUSES if cause not in unlike]


def _losses(arm: str, cause: str) -> str:
    """The address of the questions of which an arm lost facts to a cause."""
    return f"#arm={quote(arm, safe='+')}&cause={cause}"


def _named(name: str, count: int) -> str:
    return f"{count:,} in the context" if name == "context" else f"{count:,} {words.CAUSES[name][0]}"


def questions(results: Results) -> dict[str, Any]:
    """The controls; the list itself is drawn by the page's script."""
    return {
        "count": len(results.queries),
        "arms": [arm.name for arm in results.arms],
        "causes": [(cause, words.CAUSES[cause][0]) for cause in _causes(results)],
        "failures": [(name, words.FAILURES[name][0]) for name in CLASSES],
    }


def settings(results: Results) -> dict[str, Any]:
    """Every setting with all of its values, defaults filled in."""
    parts = []
    for part, title in words.PARTS.items():
        value = results.section[part]
        named = value if part in ("chunk", "eligibility", "index", "retrieve", "fuse", "select") else {"": value}
        parts.append((title, [(name, [(key, _shown(v)) for key, v in _flat(s)]) for name, s in named.items()]))
    return {"parts": parts}


def _flat(setting: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for key, value in setting.items():
        pairs += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]
    return pairs


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return "null" if value is None else str(value)


def warnings(results: Results) -> dict[str, Any]:
    """What these numbers do not say: an entry a kind of warning, with its cases. Cases that differ in nothing but the arm
    are one."""
    found: dict[str, dict[str, list[str]]] = {}
    for diagnostic in results.diagnostics:
        cases = found.setdefault(diagnostic["code"], {})
        cases.setdefault(diagnostic["message"], []).extend(diagnostic["arms"])
    every = len(results.arms)
    return {
        "warnings": [
            {
                "code": code,
                "title": words.WARNINGS[code][0],
                "sentence": words.WARNINGS[code][1],
                "cases": [(message, arms if len(arms) < every else []) for message, arms in cases.items()],
            }
            for code, cases in found.items()
        ]
    }


def gates(results: Results) -> dict[str, Any]:
    """What must hold of these results, and whether it does: a row a gate."""
    verdicts = [
        {**verdict, "word": words.GATES[verdict["status"]][0], "tone": words.GATES[verdict["status"]][1]}
        for verdict in results.gates
    ]
    counts = {word: sum(verdict["word"] == word for verdict in verdicts) for word, _ in words.GATES.values()}
    return {
        "verdicts": verdicts,
        "summary": ", ".join(f"{count} {word}" for word, count in counts.items() if count),
        "own": len(verdicts) - 1,
    }


def frontier(results: Results) -> dict[str, Any]:
    """The arms that no other beats on both cost and the primary metric, and what each step costs."""
    numbers = {arm.name: number for number, arm in enumerate(results.arms, 1)}
    rows = []
    before = now = None
    for row in (row for row in results.frontier if row["on_frontier"]):
        point = row["mean_cost"], row["value"]
        if point != now:
            before, now = now, point
        step = None if before is None else (point[0] - before[0], point[1] - before[1])
        rows.append(
            {
                "number": numbers[row["arm"]],
                "arm": row["arm"],
                "cost": (f"{row['mean_cost']:,.1f}", repr(row["mean_cost"])),
                "value": (f"{row['value']:.3f}", repr(row["value"])),
                "more_cost": "" if step is None else f"+{step[0]:,.1f}",
                "more_value": "" if step is None else f"+{step[1]:.3f}",
                "gain": None if step is None else (f"{row['marginal_gain']:.6f}", repr(row["marginal_gain"])),
                "elbow": row["elbow"],
            }
        )
    return {
        "rows": rows,
        "beaten": len(results.frontier) - len(rows),
        "elbow": any(row["elbow"] for row in rows),
        "metric": words.metric(results.primary)[0],
        "unit": words.unit(results.unit)[0],
    }


_TAG_COLUMNS = (
    Column("macro_recall", "macro recall", "share", below=lambda row: f"{row['facts_in_context']:,}/{row['facts']:,}"),
    Column(
        "complete_rate", "complete", "share", below=lambda r: f"{r['complete_queries']:,}/{r['answerable_queries']:,}"
    ),
    Column("mrr", "MRR", "share"),
    Column("mean_cost", "mean cost", "mean"),
)


def tags(results: Results) -> dict[str, Any]:
    """Recall and cost apart for the questions of each tag: a group a tag, a row an arm."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in results.tags:
        if row["tag"] is not None:
            groups.setdefault(row["tag"], []).append(row)
    return {
        "columns": _TAG_COLUMNS,
        "groups": [
            {
                "tag": tag,
                "queries": rows[0]["queries"],
                "answerable": rows[0]["answerable_queries"],
                "link": f"#text={quote(tag, safe='')}",
                "rows": [
                    (number, row["arm"], [cell(row, column) for column in _TAG_COLUMNS])
                    for number, row in enumerate(rows, 1)
                ],
            }
            for tag, rows in groups.items()
        ],
        "open": len(results.tags) <= _OPEN,
        "unit": words.unit(results.unit)[0],
    }


SECTIONS = (
    Section("headline", "Result", headline),
    Section("warnings", "What these numbers do not say", warnings),
    Section("gates", "Gates", gates),
    Section("arms", "Arms", arms),
    Section("cost", "Recall against cost", cost),
    Section("frontier", "What the next step costs", frontier),
    Section("tags", "By tag", tags),
    Section("loss", "Where facts are lost", loss),
    Section("failures", "Why, and what to change", failures),
    Section("versions", "What old versions spoil", versions),
    Section("questions", "Questions", questions),
    Section("settings", "Settings", settings),
)
