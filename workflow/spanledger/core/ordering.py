"""The total order of a ranking: score descending, then a tie key ascending, compared by code point.

document    the tuple (doc_id, version, start of the first span, end of the last)
id_version  the string doc_id/version, then the ordinal
position    the ordinal in the chunk table
"""

import numpy as np

from spanledger.core.records import Chunk

TIES = ("document", "id_version", "position")


def tie_ranks(chunks: list[Chunk], tie: str) -> np.ndarray:
    """For each ordinal its place in the order of the tie key. Raises ValueError for an unknown key."""
    if tie not in TIES:
        raise ValueError(f"tie '{tie}': expected one of {', '.join(TIES)}")
    keys = {
        "document": lambda c: (c.doc_id, c.version, c.spans[0][0], c.spans[-1][1], c.ordinal),
        "id_version": lambda c: (f"{c.doc_id}/{c.version}", c.ordinal),
        "position": lambda c: c.ordinal,
    }
    ranks = np.empty(len(chunks), dtype=np.int64)
    for place, chunk in enumerate(sorted(chunks, key=keys[tie])):
        ranks[chunk.ordinal] = place
    return ranks


def ordered(ordinals: np.ndarray, scores: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """The places of `ordinals` in the order above; `ties` as `tie_ranks` gives them. Cutting the result to its first k
    never changes which those are."""
    return np.lexsort((ties[ordinals], -scores))
