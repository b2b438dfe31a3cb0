"""The frontier of cost and recall: which arms no other beats on both, and what the next step costs."""

from fractions import Fraction
from typing import Any

COLUMNS = ("arm", "mean_cost", "value", "on_frontier", "marginal_gain", "elbow")


def frontier(table: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    """A row an arm, in ascending order of cost, then descending value, then the table's order; arms without a value of
    the metric or a cost are left out.

    `on_frontier`: no other arm has at least its value at no more cost, one of the two strictly better. `marginal_gain`:
    on the frontier, the value gained over the frontier arm before it for each unit of cost. `elbow`: of the frontier
    points, cost and value scaled to [0, 1] between their least and greatest, the one farthest above the chord between
    the two ends; the cheaper one of equals, and none below three points.
    """
    points = [row for row in table if row[metric] is not None and row["mean_cost"] is not None]
    points = sorted(points, key=lambda row: (row["mean_cost"], -row[metric]))
    best: list[dict[str, Any]] = []
    for row in points:
        if not best or row[metric] > best[-1][metric]:
            best.append(row)
    # Equal points are on the frontier together.
    ends = {(row["mean_cost"], row[metric]) for row in best}
    elbow = _elbow([(row["mean_cost"], row[metric]) for row in best])
    gains = {
        (b["mean_cost"], b[metric]): (b[metric] - a[metric]) / (b["mean_cost"] - a["mean_cost"])
        for a, b in zip(best, best[1:], strict=False)
    }
    return [
        {
            "arm": row["arm"],
            "mean_cost": row["mean_cost"],
            "value": row[metric],
            "on_frontier": int((row["mean_cost"], row[metric]) in ends),
            "marginal_gain": gains.get((row["mean_cost"], row[metric])),
            "elbow": int((row["mean_cost"], row[metric]) == elbow),
        }
        for row in points
    ]


def _elbow(points: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Points in ascending order of both; the distance from the chord of the scaled points is proportional to y - x. It is
    rounded, because means are, and a point on the chord must not lie above it by the last bit of a float."""
    if len(points) < 3:
        return None
    xs, ys = ([Fraction(value) for value in axis] for axis in zip(*points, strict=True))
    heights = [
        round((y - ys[0]) / (ys[-1] - ys[0]) - (x - xs[0]) / (xs[-1] - xs[0]), 12) for x, y in zip(xs, ys, strict=True)
    ]
    if max(heights) <= 0:
        return None
    return points[heights.index(max(heights))]
