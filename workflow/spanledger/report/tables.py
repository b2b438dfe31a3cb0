"""The tables of an experiment: one row an arm, worked out from the lines of queries.jsonl."""

import csv
import io
from typing import Any

from spanledger.engine.plan import arms
from spanledger.metrics import arm_metrics

ArmRow = dict[str, Any]


def arm_rows(section: dict[str, Any], rows: list[dict[str, Any]]) -> list[ArmRow]:
    """One row an arm, in the order of params.yaml: arm, chunk, eligibility, fuse, select, then `metrics.arm_metrics`.

    `section` is the resolved section of the experiment, `rows` the lines of queries.jsonl in any order. Raises
    ValueError where a line names no arm of the section, or where the arms' lines are not of the same queries, each
    once.
    """
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
    unit = section["score"]["cost"]["unit"]
    return [
        {
            "arm": arm.name,
            "chunk": arm.chunk,
            "eligibility": arm.eligibility,
            "fuse": arm.fuse,
            "select": arm.select,
            **arm_metrics(list(lines[arm.name].values()), unit),
        }
        for arm in planned
    ]


def arms_csv(table: list[ArmRow]) -> bytes:
    """arms.csv: a header and a line an arm, ended by LF; floats in shortest exact form, None as an empty field."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue().encode()


def headline(experiment: str, table: list[ArmRow], metric: str) -> dict[str, Any]:
    """What metrics.json holds: {experiment: {arm: {metric: its value, "mean_cost": its value}}}."""
    return {experiment: {row["arm"]: {metric: row[metric], "mean_cost": row["mean_cost"]} for row in table}}


def best(table: list[ArmRow], metric: str) -> tuple[float | None, list[str]]:
    """The highest value of a column and every arm that has it, in the table's order; (None, []) without any value."""
    values = [row[metric] for row in table if row[metric] is not None]
    if not values:
        return None, []
    return max(values), [row["arm"] for row in table if row[metric] == max(values)]
