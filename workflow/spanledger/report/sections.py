"""The sections of the page: each is a template and a function that gives it what it shows.

A new section is a function here, a line in SECTIONS and a template <name>.html beside this module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from spanledger.metrics import CHECKPOINTS
from spanledger.report import charts, words
from spanledger.report.results import Results
from spanledger.report.tables import ArmRow, best
from spanledger.scoring.loss import CAUSES

_SERIES = 8  # colours and shapes that the style sheet and the templates know


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the page: its name (of the anchor and of the template), its title and its view."""

    name: str
    title: str
    view: Callable[[Results], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of arms: `key` of the row, header, `form` (a key of _FORMS), what it means, and under the
    value a share: (key of the part, key of the whole)."""

    key: str
    header: str
    form: str
    meaning: str = ""
    share: tuple[str, str] | None = None


_FORMS: dict[str, Callable[[Any], str]] = {
    "name": str,
    "recall": "{:.3f}".format,
    "mean": "{:,.1f}".format,
    "small mean": "{:,.2f}".format,
    "count": "{:,}".format,
}


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
        "answerable": first["answerable_queries"],
        "facts": first["facts"],
        "metric": words.METRICS[results.primary],
        "best": None if value is None else {"text": f"{value:.3f}", "value": repr(value), "arms": names},
        "unit": words.UNITS[results.unit][0],
        "rules": words.rules(results.section),
    }


def arms(results: Results) -> dict[str, Any]:
    """The table of arms. A setting that all arms share stands above it instead of in a column."""
    value, _ = best(results.table, results.primary)
    parts = {part: [row[part] for row in results.table] for part in ("chunk", "eligibility", "fuse", "select")}
    varied = [part for part, names in parts.items() if len(set(names)) > 1]
    groups = _groups(varied, words.UNITS[results.unit][0])
    return {
        "groups": groups,
        "shared": [(part, names[0]) for part, names in parts.items() if part not in varied],
        "rows": [
            {
                "number": number,
                "arm": row["arm"],
                "cells": [
                    {
                        **_cell(row, column),
                        "first": column is columns[0],
                        "best": column.key == results.primary and value is not None and row[column.key] == value,
                    }
                    for _, columns in groups
                    for column in columns
                ],
            }
            for number, row in enumerate(results.table, 1)
        ],
        "metric": words.METRICS[results.primary],
        "queries": results.table[0]["queries"],
        "answerable": results.table[0]["answerable_queries"],
        "measured": words.measured(results.unit),
    }


def _groups(varied: list[str], unit: str) -> list[tuple[str, list[Column]]]:
    coverage = [
        Column(
            f"macro_recall{'' if point == 'context' else f'_{point}'}",
            point,
            "recall",
            f"macro recall of {words.CHECKPOINTS[point]}, and below it covered / required facts",
            (f"facts_in_{point}", "facts"),
        )
        for point in CHECKPOINTS
    ]
    coverage.append(Column("complete_queries", "complete", "count", "questions with all of their facts in the context"))
    groups = [
        ("Settings", [Column(part, part, "name", f"the name of the {part} setting") for part in varied]),
        ("Recall and facts", coverage),
        (
            f"Mean cost, {unit}",
            [
                Column("mean_cost", "all", "mean", "over all questions"),
                Column("mean_cost_answerable", "answerable", "mean", "over the answerable questions"),
            ],
        ),
        (
            "Contexts",
            [
                Column("mean_context_chunks", "chunks", "small mean", "mean number of chunks, over all questions"),
                Column(
                    "mean_duplicate_char", "repeated", "mean", "mean of repeated source characters, over all questions"
                ),
                Column("empty_contexts", "empty", "count", "questions whose context is empty"),
                Column(
                    "chunks_not_current",
                    "outdated",
                    "count",
                    "chunks of versions that are not current, in all contexts",
                ),
            ],
        ),
    ]
    return [(title, columns) for title, columns in groups if columns]


def _cell(row: ArmRow, column: Column) -> dict[str, Any]:
    """A cell: its text, the exact value, by which it sorts (None where there is none), and the share below it."""
    value = row[column.key]
    exact = value if isinstance(value, str) or value is None else repr(value)
    share = None if column.share is None else "{:,}/{:,}".format(*(row[key] for key in column.share))
    return {
        "text": "null" if value is None else _FORMS[column.form](value),
        "value": exact,
        "form": column.form,
        "share": share,
    }


def cost(results: Results) -> dict[str, Any]:
    """The scatter of the primary metric against the mean cost."""
    points = [
        None if row[results.primary] is None else (row["mean_cost"], row[results.primary]) for row in results.table
    ]
    plot = charts.scatter(points)
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
        "missing": [arm.name for arm, point in zip(results.arms, points, strict=True) if point is None],
        "metric": words.METRICS[results.primary],
        "unit": words.UNITS[results.unit][0],
        "queries": results.table[0]["queries"],
        "answerable": results.table[0]["answerable_queries"],
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
                "links": [f"#arm={quote(row['arm'], safe='+')}&cause={cause}" for cause in seen],
            }
        )
    return {
        "facts": results.table[0]["facts"],
        "causes": [(cause, *words.CAUSES[cause]) for cause in CAUSES],
        "seen": seen,
        "rows": rows,
    }


def _named(name: str, count: int) -> str:
    return f"{count:,} in the context" if name == "context" else f"{count:,} {words.CAUSES[name][0]}"


def questions(results: Results) -> dict[str, Any]:
    """The controls; the list itself is drawn by the page's script."""
    return {
        "count": len(results.queries),
        "arms": [arm.name for arm in results.arms],
        "causes": [(cause, words.CAUSES[cause][0]) for cause in CAUSES],
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
    """What these numbers do not say; warnings that differ in nothing but the arm stand together."""
    found: dict[tuple[str, str], list[str]] = {}
    for diagnostic in results.diagnostics:
        found.setdefault((diagnostic["code"], diagnostic["message"]), []).extend(diagnostic["arms"])
    return {
        "warnings": [{"code": code, "message": message, "arms": arms} for (code, message), arms in found.items()],
        "arms": len(results.arms),
    }


def frontier(results: Results) -> dict[str, Any]:
    """The arms that no other beats on both cost and the primary metric, and what each step costs."""
    steps = [row for row in results.frontier if row["on_frontier"]]
    return {
        "rows": [
            {
                "arm": row["arm"],
                "cost": f"{row['mean_cost']:,.1f}",
                "value": f"{row['value']:.3f}",
                "gain": "" if row["marginal_gain"] is None else f"{row['marginal_gain']:.6f}",
                "elbow": row["elbow"],
            }
            for row in steps
        ],
        "metric": words.METRICS[results.primary],
        "unit": words.UNITS[results.unit][0],
    }


def tags(results: Results) -> dict[str, Any]:
    """Recall and cost apart for the queries of each tag."""
    rows = [row for row in results.tags if row["tag"] is not None]
    return {
        "rows": [
            {
                "arm": row["arm"],
                "tag": row["tag"],
                "answerable": row["answerable_queries"],
                "recall": _cell(row, Column("macro_recall", "", "recall"))["text"],
                "complete": _cell(row, Column("complete_rate", "", "recall"))["text"],
                "cost": _cell(row, Column("mean_cost", "", "mean"))["text"],
            }
            for row in rows
        ],
        "unit": words.UNITS[results.unit][0],
    }


SECTIONS = (
    Section("headline", "Result", headline),
    Section("warnings", "What these numbers do not say", warnings),
    Section("arms", "Arms", arms),
    Section("cost", "Recall against cost", cost),
    Section("frontier", "What the next step costs", frontier),
    Section("tags", "By tag", tags),
    Section("loss", "Where facts are lost", loss),
    Section("questions", "Questions", questions),
    Section("settings", "Settings", settings),
)
