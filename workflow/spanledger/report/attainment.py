"""What an arm's recall is held against, in words: for the page and for the terminal."""

from spanledger.report.tables import ArmRow

_PLACES = {"candidates": "from its candidates", "index": "from the whole index"}


def attainable(row: ArmRow, pool: str, digits: int = 3) -> str:
    """The attainable recall of a pool, marked where it is an upper bound for some query; null without any query."""
    value = row[f"attainable_recall_{pool}"]
    if value is None:
        return "null"
    return f"{'' if row[f'attainable_exact_{pool}'] == row['answerable_queries'] else '≤ '}{value:.{digits}f}"


def exactness(row: ArmRow, pool: str) -> str:
    """For how many queries the bound of a pool is exact; there is one."""
    exact, queries = row[f"attainable_exact_{pool}"], row["answerable_queries"]
    rest = f", an upper bound for {queries - exact:,}" if exact < queries else ""
    return f"exact for {exact:,} of {queries:,} queries{rest}"


def sentence(row: ArmRow) -> str:
    """An arm's macro recall out of what was attainable, and what random orders reach."""
    known = [pool for pool in _PLACES if row[f"attainable_recall_{pool}"] is not None]
    bounds = [f"{attainable(row, pool)} {_PLACES[pool]} ({exactness(row, pool)})" for pool in known]
    shown = f"macro recall {row['macro_recall']:.3f} of an attainable {', '.join(bounds)}"
    if row["random_recall_candidates"] is None:
        return shown
    if row["random_recall_index"] is None:
        return f"{shown}; in random order its candidates reach {row['random_recall_candidates']:.3f}"
    listed, whole = row["random_recall_candidates"], row["random_recall_index"]
    return f"{shown}; in random order its candidates reach {listed:.3f}, the chunks of the index {whole:.3f}"
