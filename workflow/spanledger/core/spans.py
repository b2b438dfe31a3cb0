"""Half-open spans [start, end) in code points, and unions of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

Span = tuple[int, int]


def union(spans: Iterable[Span]) -> list[Span]:
    """The union as maximal, disjoint spans in ascending order. Touching spans join; empty ones vanish."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(spans: Iterable[Span]) -> int:
    """The sum of the spans' lengths, in code points; a position counts once for each span that holds it."""
    return sum(end - start for start, end in spans)


def covers(spans: Iterable[Span], target: Span) -> bool:
    """Whether the union of `spans` contains the whole of `target`. One missing character fails."""
    reached = target[0]
    for start, end in union(spans):
        if start > reached:
            break
        reached = max(reached, end)
    return reached >= target[1]


def gaps(spans: Iterable[Span], target: Span) -> list[Span]:
    """The parts of `target` that the union of `spans` does not contain, as disjoint spans in ascending order."""
    found, reached = [], target[0]
    for start, end in union(spans):
        if min(start, target[1]) > reached:
            found.append((reached, min(start, target[1])))
        reached = max(reached, end)
    if reached < target[1]:
        found.append((reached, target[1]))
    return found


def overlap(first: Span, second: Span) -> bool:
    """Whether two spans share at least one character; touching is not sharing."""
    return max(first[0], second[0]) < min(first[1], second[1])


class SpanIndex:
    """Finds which of many labelled spans share a character with a target, without looking at all of them.

    `spans` holds (start, end, label) triples in any order. `touching` returns labels in ascending order of
    (start, end, label).
    """

    def __init__(self, spans: Iterable[tuple[int, int, int]]):
        self._spans = sorted(span for span in spans if span[0] < span[1])  # an empty span shares nothing
        self._starts = [start for start, _, _ in self._spans]
        self._reach: list[int] = []  # the greatest end so far; ascending, so the first span worth a look is bisected
        for _, end, _ in self._spans:
            self._reach.append(max(end, self._reach[-1]) if self._reach else end)

    def touching(self, target: Span) -> list[int]:
        first = bisect_right(self._reach, target[0])
        last = bisect_left(self._starts, target[1])
        return [label for _, end, label in self._spans[first:last] if end > target[0] and target[0] < target[1]]


def check(spans: Sequence[Span], limit: int) -> bool:
    """Whether the spans are non-empty, ascending, disjoint and inside [0, limit)."""
    previous = 0
    for start, end in spans:
        if start < previous or end <= start:
            return False
        previous = end
    return previous <= limit and bool(spans)
