"""The lines of TREC files: runs, `query_id Q0 item rank score tag`, best first, and qrels, `query_id 0 item grade`.

trec_eval ignores the rank and sorts by score, ties by descending item, and it holds scores in single precision. So the
scores written decrease strictly in single precision. Ids stand as `items.encoded` writes them.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from spanledger.exports.items import NOTHING, encoded

_LOWEST, _HIGHEST = -3.0e38, 3.0e38  # within single precision, with room below

Scored = tuple[str, float | None]  # an item, encoded, and its score where it has one of its own


def run_lines(lists: Mapping[str, Sequence[Scored]], tag: str) -> list[str]:
    """The lines of a run from the items of each query, best first, in the order given. A query without items has no line.

    Scores are those of the items, each lowered to the next number below the one in front of it where it is not below it
    already (see `strictly_decreasing`). A list in which some item has none is scored by rank: the last item has 1, each one
    before it 1 more.
    """
    lines = []
    for query_id, items in lists.items():
        scores = [score for _, score in items]
        own = None not in scores
        written = strictly_decreasing(scores if own else range(len(items), 0, -1))
        name = encoded(query_id)
        lines += [
            f"{name} Q0 {item} {rank} {score} {tag}"
            for rank, ((item, _), score) in enumerate(zip(items, written, strict=True), 1)
        ]
    return lines


def qrels_lines(grades: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The lines of qrels from the grades of each query, in the order given. A query without any is judged to have no
    relevant item, by the line `query_id 0 - 0`: a query that is not named would be left out of every mean."""
    return [
        f"{encoded(query_id)} 0 {item} {grade}"
        for query_id, judged in grades.items()
        for item, grade in (judged or {NOTHING: 0}).items()
    ]


def strictly_decreasing(scores: Iterable[float]) -> list[str]:
    """Scores as text, each the shortest of nine digits that single precision reads back, each below the one before."""
    written: list[str] = []
    above = np.float32(np.inf)
    for score in scores:
        own = np.float32(min(max(score, _LOWEST), _HIGHEST))
        above = own if own < above else np.nextafter(above, np.float32(-np.inf))
        written.append(f"{float(above):.9g}")
    return written
