"""Stage fuse: one candidate list a query, from the rankings of one or more branches."""

from typing import Any

from spanledger.ranking import Ranking


def fuse(branches: dict[str, list[Ranking]], setting: dict[str, Any]) -> tuple[list[Ranking], dict[str, Any]]:
    """The candidate lists of all queries, in the queries' order, and the counters.

    `branches` leads from the name of each branch of the setting to its rankings, all over one chunk table and the same
    queries. A single branch passes as it is. Raises ValueError where the branches do not match the setting.
    """
    if list(branches) != setting["branches"]:
        raise ValueError(f"fuse: expected the branches {setting['branches']}, found {list(branches)}")
    if len(branches) != 1:
        raise ValueError(f"fuse: method 'single' takes one branch, found {len(branches)}")
    (candidates,) = branches.values()
    counters = {"queries": len(candidates), "candidates": sum(len(ranking.chunks) for ranking in candidates)}
    return candidates, counters
