"""TREC runs: one line a query and retrieved chunk, `query_id Q0 chunk_id rank score tag`, best first.

trec_eval ignores the rank and sorts by score, ties by descending document id, and it holds scores in single precision. So
the scores written decrease strictly in single precision: each is the arm's own, or the next number below the score in
front of it where that is not below it already.
"""

from collections.abc import Iterable

import numpy as np

from spanledger.core.errors import Problem, raise_problems
from spanledger.core.ranking import Ranking

_LOWEST, _HIGHEST = -3.0e38, 3.0e38  # within single precision, with room below


def run_lines(rankings: Iterable[Ranking], ids: list[str], tag: str) -> list[str]:
    """The lines of a run, in the order of the rankings; `ids` are those of the chunks by ordinal. A query without
    candidates has no line.

    Raises InputError for ids of queries that hold white space, which the format cannot carry, or begin with the sign of a
    comment.
    """
    rankings = list(rankings)
    unfit = (r.query_id for r in rankings if r.query_id.split() != [r.query_id] or r.query_id.startswith("#"))
    message = "a TREC run cannot carry a query id that holds white space or begins with #"
    raise_problems(Problem("run", record=name, message=message) for name in unfit)
    return [
        f"{ranking.query_id} Q0 {ids[ordinal]} {rank} {score} {tag}"
        for ranking in rankings
        for rank, (ordinal, score) in enumerate(
            zip(ranking.chunks, strictly_decreasing(ranking.scores), strict=True), 1
        )
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
