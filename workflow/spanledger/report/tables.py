"""The tables of an experiment, worked out from the lines of queries.jsonl and the stages' counters."""

import csv
import io
from typing import Any

from spanledger.engine.plan import arms
from spanledger.metrics import Counters, counter_metrics, measured, query_metrics

ArmRow = dict[str, Any]


def arm_rows(section: dict[str, Any], rows: list[dict[str, Any]], counters: dict[str, Counters]) -> list[ArmRow]:
    """One row an arm, in the order of params.yaml: arm, chunk, eligibility, fuse, select, then `metrics.query_metrics`
    and `metrics.counter_metrics`.

    `section` is the resolved section of the experiment, `rows` the lines of queries.jsonl in any order, `counters` those
    of each arm by its name. Raises ValueError where a line names no arm of the section, or where the arms' lines are not
    of the same queries, each once.
    """
    lines, wanted = by_arm(section, rows), measured(section, rows)
    return [
        {
            "arm": arm.name,
            "chunk": arm.chunk,
            "eligibility": arm.eligibility,
            "fuse": arm.fuse,
            "select": arm.select,
            **query_metrics(lines[arm.name], **wanted),
            **counter_metrics(counters[arm.name]),
        }
        for arm in arms(section)
    ]


def tag_rows(section: dict[str, Any], rows: list[dict[str, Any]], table: list[ArmRow]) -> list[dict[str, Any]]:
    """The metrics of each arm over the queries of each tag: arms in the order of params.yaml, tags by code point. A
    query counts under each of its tags. Where no query has any, one row without a tag stands for each arm, with its
    values of `table`, which is that of `arm_rows`."""
    lines, wanted = by_arm(section, rows), measured(section, rows)
    tags = sorted({tag for row in rows for tag in row["tags"]})
    if not tags:
        names = query_metrics([], **wanted)
        return [{"arm": row["arm"], "tag": None, **{name: row[name] for name in names}} for row in table]
    return [
        {
            "arm": arm.name,
            "tag": tag,
            **query_metrics([row for row in lines[arm.name] if tag in row["tags"]], **wanted),
        }
        for arm in arms(section)
        for tag in tags
    ]


def by_arm(section: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The lines of each arm. Raises ValueError where they are not what the section plans (see `arm_rows`)."""
    planned = arms(section)
    lines: dict[str, dict[str, dict[str, Any]]] = {arm.name: {} for arm in planned}
    for row in rows:
        name, query_id = row["arm"], row["query_id"]
        if name not in lines:
            raise ValueError(f"a line of query '{query_id}' names the arm '{name}', which the section does not have")
        if query_id in lines[name]:
            raise ValueError(f"arm '{name}': two lines of query '{query_id}'")
        lines[name][query_id] = row
    expected = lines[planned[0].name].keys()
    for name, held in lines.items():
        if held.keys() != expected:
            query_id = min(held.keys() ^ expected)
            raise ValueError(f"arm '{name}' and arm '{planned[0].name}' differ: only one has query '{query_id}'")
    return {name: list(held.values()) for name, held in lines.items()}


def to_csv(table: list[dict[str, Any]]) -> bytes:
    """A table as CSV: a header and a line a row, ended by LF; floats in shortest exact form, None as an empty field."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue().encode()


def headline(experiment: str, table: list[ArmRow], section: dict[str, Any]) -> dict[str, Any]:
    """What metrics.json holds: {experiment: {arm: {name: its value}}} of the primary metric, the mean cost and, where the
    table has them, measures of documents. It stays short, because `dvc exp show` has a column for each."""
    names = (section["report"]["primary"]["metric"], "mean_cost", *section["score"]["document_metrics"])
    return {experiment: {row["arm"]: {name: row[name] for name in names if name in row} for row in table}}


def best(table: list[ArmRow], metric: str) -> tuple[float | None, list[str]]:
    """The highest value of a column and every arm that has it, in the table's order; (None, []) without any value."""
    values = [row[metric] for row in table if row[metric] is not None]
    if not values:
        return None, []
    return max(values), [row["arm"] for row in table if row[metric] == max(values)]
