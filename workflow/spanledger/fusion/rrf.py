"""Reciprocal rank fusion."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from spanledger.core.ordering import ordered
from spanledger.core.ranking import Ranking


@dataclass(frozen=True, slots=True)
class ReciprocalRankFusion:
    """A chunk's score is the sum of 1 / (k + rank) over the branches that rank it, ranks counted from 1.

    Terms are summed with one rounding at the end (math.fsum), so equal sets of ranks tie exactly, whichever branch gave
    which. Order: score descending, then the tie key. A chunk that a branch names twice counts there once, at its first
    rank. Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods (SIGIR 2009). Raises ValueError for k below 0.
    """

    k: float

    def __post_init__(self):
        if not 0 <= self.k < math.inf:
            raise ValueError(f"rrf: k must be at least 0, found {self.k}")

    def merge(self, query_id: str, branches: dict[str, Ranking], ties: np.ndarray) -> Ranking:
        """One candidate list; `ties` as `ordering.tie_ranks` gives them. Its reasons hold each branch's rank of each
        candidate (None: not ranked there)."""
        ranks: dict[str, dict[int, int]] = {name: {} for name in branches}
        for name, ranking in branches.items():
            for chunk in ranking.chunks:
                ranks[name].setdefault(chunk, len(ranks[name]) + 1)
        found = np.array(sorted(set().union(*ranks.values())), dtype=np.int64)
        scores = np.array([math.fsum(1 / (self.k + r[c]) for r in ranks.values() if c in r) for c in found.tolist()])
        best = ordered(found, scores, ties) if len(found) else found
        chunks = tuple(found[best].tolist())
        reasons: dict[str, Any] = {"ranks": {name: tuple(r.get(c) for c in chunks) for name, r in ranks.items()}}
        return Ranking(query_id, chunks, tuple(scores[best].tolist()) if len(found) else (), reasons)
