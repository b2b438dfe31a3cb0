"""BM25 with the non-negative idf of Lucene."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Bm25:
    """idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), idf = log(1 + (N - df + 0.5) / (df + 0.5)).

    N, df and the average length are of the eligible chunks; lengths in terms of the analyzer. Operations run in the
    order written, in float64, so chunks with equal frequencies and lengths tie exactly.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the idf of
    Lucene's BM25Similarity. Raises ValueError for k1 outside [0, infinity) or b outside [0, 1].
    """

    k1: float
    b: float

    def __post_init__(self):
        if not 0 <= self.k1 < math.inf:
            raise ValueError(f"bm25: k1 must be at least 0 and finite, found {self.k1}")
        if not 0 <= self.b <= 1:
            raise ValueError(f"bm25: b must be from 0 to 1, found {self.b}")

    def contributions(self, tf: np.ndarray, lengths: np.ndarray, count: int, average: float) -> np.ndarray:
        """What a term adds to the chunks that hold it: `tf` and `lengths` (in terms) are float64 arrays over those
        chunks, `count` is N. Same shape and order out."""
        idf = self.of_term(count, len(tf))["idf"]
        return idf * tf * (self.k1 + 1) / (tf + self.k1 * (1 - self.b + self.b * lengths / average))

    def of_term(self, count: int, df: int) -> dict[str, float]:
        """What a contribution owes to the term: its idf."""
        return {"idf": math.log(1 + (count - df + 0.5) / (df + 0.5))}

    def of_chunk(self, tf: float, length: float, average: float) -> dict[str, float]:
        """What it owes to the chunk: the saturated frequency, from 0 to k1 + 1. Its product with idf is the contribution
        but for rounding, because a contribution multiplies in another order."""
        return {"tf_part": tf * (self.k1 + 1) / (tf + self.k1 * (1 - self.b + self.b * length / average))}
