"""The number of distinct query terms in a chunk."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class TermOverlap:
    """Each distinct query term that a chunk holds adds 1, however often it stands there."""

    def contributions(self, tf: np.ndarray, lengths: np.ndarray, count: int, average: float) -> np.ndarray:
        """What a term adds to the chunks that hold it (see `Bm25.contributions`): 1.0 for each."""
        return np.ones(len(tf))

    def of_term(self, count: int, df: int) -> dict[str, float]:
        """Nothing: no term counts more than another."""
        return {}

    def of_chunk(self, tf: float, length: float, average: float) -> dict[str, float]:
        """Nothing: no chunk counts more than another."""
        return {}
