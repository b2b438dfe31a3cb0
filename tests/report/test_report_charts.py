from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.report import charts


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (245, [0, 50, 100, 150, 200, 250]),
        (250, [0, 50, 100, 150, 200, 250]),
        (251, [0, 50, 100, 150, 200, 250, 300]),
        (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.25, [0, 0.05, 0.1, 0.15, 0.2, 0.25]),
        (0, [0, 1]),
    ],
)
def test_axis_steps(most, expected):
    assert charts.steps(most) == expected


@given(st.floats(min_value=1e-3, max_value=1e7))
def test_axis_reaches_its_greatest_value_in_few_steps(most):
    values = charts.steps(most)
    assert values[0] == 0 and values[-1] >= most * (1 - 1e-9) and len(values) <= 7
    assert values[-2] < most


def test_points_stand_where_their_values_say():
    plot = charts.scatter([(0, 0.0), (100, 1.0), (50, 0.5)])
    middle = ((charts.LEFT + charts.RIGHT) / 2, (charts.TOP + charts.BOTTOM) / 2)
    assert [(spot.x, spot.y) for spot in plot.spots] == [
        (charts.LEFT, charts.BOTTOM),
        (charts.RIGHT, charts.TOP),
        middle,
    ]
    assert [(tick.label, tick.place) for tick in plot.x_ticks][-1] == ("100", charts.RIGHT)
    assert [(tick.label, tick.place) for tick in plot.y_ticks][0] == ("0", charts.BOTTOM)


@pytest.mark.parametrize(
    ("lowest", "start", "labels"),
    [
        (0.499, 0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (0.5, 0.5, ["0.5", "0.6", "0.7", "0.8", "0.9", "1"]),
        (0.89, 0.8, ["0.8", "0.84", "0.88", "0.92", "0.96", "1"]),
        (1.0, 0.95, ["0.95", "0.96", "0.97", "0.98", "0.99", "1"]),
    ],
)
def test_upward_axis_starts_below_the_lowest_share(lowest, start, labels):
    plot = charts.scatter([(1, 1.0), (2, lowest)])
    assert plot.lowest == start and [tick.label for tick in plot.y_ticks] == labels
    share = (charts.BOTTOM - plot.spots[-1].y) / (charts.BOTTOM - charts.TOP)
    assert start + share * (1 - start) == pytest.approx(lowest)


def test_points_at_one_place_share_a_spot_and_missing_points_keep_the_numbers():
    plot = charts.scatter([(10, 0.5), None, (10, 0.5), (20, 0.5)])
    assert [(spot.members, spot.label) for spot in plot.spots] == [((0, 2), "1, 3"), ((3,), "4")]
    assert charts.scatter([None]).spots == []


def test_labels_of_neighbours_do_not_lie_on_each_other_or_on_a_mark():
    plot = charts.scatter([(100, 0.5), (103, 0.5), (106, 0.5), (100, 0.52), (200, 0.5)])
    boxes = []
    for spot in plot.spots:
        width = 8 * len(spot.label)
        left = spot.label_x - {"start": 0, "middle": width / 2, "end": width}[spot.anchor]
        boxes.append((left, spot.label_y - 7.5, left + width, spot.label_y + 7.5))
    marks = [(spot.x - 7, spot.y - 7, spot.x + 7, spot.y + 7) for spot in plot.spots]
    pairs = [*combinations(boxes, 2), *((box, mark) for box in boxes for mark in marks)]
    for one, other in pairs:
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)


def test_a_line_joins_the_spots_it_is_given_in_its_order_and_labels_keep_off_it():
    points = [(10, 0.5), (100, 0.5), (100, 1.0), None, (10, 0.5), (50, 0.0)]
    plot = charts.scatter(points, [0, 4, 1, 2])  # two at one place are one corner
    places = {member: (spot.x, spot.y) for spot in plot.spots for member in spot.members}
    assert plot.line == [places[0], places[1], places[2]]
    # without the line the first label stands to the right of its spot, where the line now goes
    free, first = charts.scatter(points).spots[0], plot.spots[0]
    assert (free.anchor, free.label_y) == ("start", free.y)
    assert abs(first.label_y - first.y) >= 8.5 or first.anchor == "end"
    assert charts.scatter(points).line == []


def test_bar_is_divided_as_the_counts():
    assert charts.stack([2, 0, 1, 1]) == [(0, 50), (50, 0), (50, 25), (75, 25)]
    assert charts.stack([0, 0]) == [(0, 0), (0, 0)]


@given(st.lists(st.integers(min_value=0, max_value=10**6), min_size=1, max_size=9).filter(any))
def test_bar_parts_touch_and_fill_it(counts):
    parts = charts.stack(counts)
    assert parts[0][0] == 0 and sum(parts[-1]) == pytest.approx(100)
    for (start, length), (following, _) in zip(parts, parts[1:], strict=False):
        assert start + length == pytest.approx(following)
    for count, (_, length) in zip(counts, parts, strict=True):
        assert length == pytest.approx(100 * count / sum(counts))
