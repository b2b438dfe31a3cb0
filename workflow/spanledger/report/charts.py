"""Where the marks of the charts stand: plain geometry, which the templates draw as SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 1000, 470
LEFT, RIGHT, TOP, BOTTOM = 60, 960, 26, 418  # the edges of the plot inside the drawing
_RADIUS = 7
_LETTER, _LINE = 8, 15  # the room that a character of a label takes
_GAP = 3  # between two labels beside each other
_STEP = 6  # between the places of a line that a label looks out for
_LOWEST = (0.95, 0.9, 0.8, 0.5, 0.0)  # where the upward axis may start


Place = tuple[float, float]  # x to the right and y down, in the drawing


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: its place in the drawing and its label."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class Spot:
    """The points at one place of a scatter: `members` are their indexes, ascending; the label says their numbers from 1
    and stands at `label_x`, `label_y` with the SVG text-anchor `anchor`."""

    x: float
    y: float
    members: tuple[int, ...]
    label: str
    label_x: float
    label_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """A scatter of shares (`lowest` to 1, upwards) against amounts (from 0, to the right), with the corners of a line
    through some of its spots."""

    spots: list[Spot]
    line: list[Place]
    lowest: float
    x_ticks: list[Tick]
    y_ticks: list[Tick]


def steps(most: float, wanted: int = 6) -> list[float]:
    """Round values from 0 to the first that is not below `most`: a step of 1, 2 or 5 times a power of ten, at most
    `wanted` steps."""
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(most / wanted))
    step = next(power * factor for factor in (1, 2, 5, 10) if most / (power * factor) <= wanted)
    return [round(step * place, 12) for place in range(math.ceil(round(most / step, 9)) + 1)]


def scatter(points: Sequence[tuple[float, float] | None], line: Sequence[int] = ()) -> Scatter:
    """The scatter of (amount, share) points; those that are None are left out. Points at one place share a spot, and a
    label stands at the first place around its spot where it hides nothing, in the order of the points. `line` are the
    indexes of the points that a line joins, in its order."""
    places: dict[tuple[float, float], list[int]] = {}
    for index, point in enumerate(points):
        if point is not None:
            places.setdefault(point, []).append(index)
    lowest = next(low for low in _LOWEST if low <= min((share for _, share in places), default=0.0))
    amounts = steps(max((amount for amount, _ in places), default=0.0))
    centres = {
        (amount, share): (
            LEFT + (RIGHT - LEFT) * amount / amounts[-1],
            BOTTOM - (BOTTOM - TOP) * (share - lowest) / (1 - lowest),
        )
        for amount, share in places
    }
    joined = list(dict.fromkeys(centres[points[index]] for index in line))
    taken = [_box(x, y, 2 * _RADIUS, "middle") for x, y in centres.values()]
    taken += [box for start, end in zip(joined, joined[1:], strict=False) for box in _along(start, end)]
    spots = []
    for point, members in places.items():
        x, y = centres[point]
        label = ", ".join(str(index + 1) for index in members)
        label_x, label_y, anchor, box = _label(x, y, _LETTER * len(label) + _GAP, taken)
        taken.append(box)
        spots.append(Spot(x, y, tuple(members), label, label_x, label_y, anchor))
    return Scatter(
        spots,
        joined,
        lowest,
        [Tick(LEFT + (RIGHT - LEFT) * value / amounts[-1], f"{value:,.10g}") for value in amounts],
        [Tick(BOTTOM - (BOTTOM - TOP) * fifth / 5, f"{lowest + (1 - lowest) * fifth / 5:g}") for fifth in range(6)],
    )


Box = tuple[float, float, float, float]  # left, top, right, bottom


def _label(x: float, y: float, width: float, taken: list[Box]) -> tuple[float, float, str, Box]:
    far, line = _RADIUS + 5, _RADIUS + 11
    tries = [
        (x + far, y, "start"),
        (x - far, y, "end"),
        (x, y - line, "middle"),
        (x, y + line, "middle"),
        (x + far, y - line, "start"),
        (x + far, y + line, "start"),
        (x - far, y - line, "end"),
        (x - far, y + line, "end"),
    ]
    for label_x, label_y, anchor in tries:
        box = _box(label_x, label_y, width, anchor)
        if (
            box[0] > LEFT
            and box[2] < WIDTH
            and box[1] > 0
            and box[3] < BOTTOM
            and not any(_meet(box, b) for b in taken)
        ):
            return label_x, label_y, anchor, box
    return *tries[0], _box(*tries[0][:2], width, tries[0][2])


def _box(x: float, y: float, width: float, anchor: str) -> Box:
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    return left, y - _LINE / 2, left + width, y + _LINE / 2


def _along(start: Place, end: Place) -> list[Box]:
    """Small boxes along a line, which stand for it where labels look for room."""
    count = max(1, round(math.dist(start, end) / _STEP))
    right, down = (end[0] - start[0]) / count, (end[1] - start[1]) / count
    places = ((start[0] + right * n, start[1] + down * n) for n in range(count))
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in places]


def _meet(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def stack(counts: Sequence[int], width: float = 100.0) -> list[tuple[float, float]]:
    """The (start, length) of each part of a bar of `width` that is divided as the counts are; all 0 where they are."""
    total = sum(counts)
    if not total:
        return [(0.0, 0.0) for _ in counts]
    edges = [width * sum(counts[:place]) / total for place in range(len(counts) + 1)]
    return [(start, end - start) for start, end in zip(edges, edges[1:], strict=False)]
