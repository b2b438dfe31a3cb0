"""What each branch searched for one query, and what it found."""

from collections.abc import Sequence
from typing import Any

from spanledger.core.ordering import tie_ranks
from spanledger.explain.results import ArmRun
from spanledger.retrieval import retriever


def branches(run: ArmRun, depth: int, kept: set[int], holders: set[int]) -> tuple[list[dict[str, Any]], list[str]]:
    """Each branch of the arm in its order, and warnings.

    Ranks go on below the cut of a branch, because that is where lost evidence is. `kept` are chunks that are told in any
    case, `holders` the eligible ones that hold evidence; those of them that score 0 are `unmatched`.
    """
    found, warnings = [], []
    for branch, setting in run.settings["branches"].items():
        index, cut = run.indexes[branch], run.rankings[branch]
        name = run.settings["analyzers"][branch]
        ties = tie_ranks(run.chunks, setting["tie"])
        searcher = retriever(index, ties, run.chunks, name, setting, run.synonym_groups)
        ranking = searcher.rank(run.query, cut=False)
        places = shown(ranking.chunks, depth, kept)
        if (ranking.chunks[: setting["depth"]], ranking.scores[: setting["depth"]]) != (cut.chunks, cut.scores):
            warnings.append(
                f"branch {branch}: this code ranks otherwise than the results say, so their scores are of other code, or "
                "of a machine with another logarithm; run make repro"
            )
        ranked = [
            {
                "rank": place + 1,
                "chunk_id": run.chunks[ranking.chunks[place]].chunk_id,
                "score": ranking.scores[place],
                "length": searcher.length(ranking.chunks[place]),
                "above_cut": setting["depth"] is None or place < setting["depth"],
                "contributions": [
                    {"term": c.term, "tf": c.tf, **c.parts, "contribution": c.value}
                    for c in searcher.contributions(run.query, ranking.chunks[place])
                ],
            }
            for place in places
        ]
        unmatched = sorted(holders - set(ranking.chunks))
        found.append(
            {
                "branch": branch,
                "index": setting["index"],
                "analyzer": name,
                "scorer": setting["scorer"],
                "depth": setting["depth"],
                "eligible": len(index.eligible),
                "average_length": index.average_length,
                "terms": [
                    {"term": t.term, "times": t.times, "expanded": t.expanded, "df": t.df, **t.parts}
                    for t in searcher.searched(run.query)
                ],
                "count": len(ranking.chunks),
                "ranked": ranked,
                "left_out": len(ranking.chunks) - len(ranked),
                "unmatched": [run.chunks[ordinal].chunk_id for ordinal in unmatched],
            }
        )
    return found, warnings


def shown(ordinals: Sequence[int], depth: int, kept: set[int]) -> list[int]:
    """The places of a list that are told: the first ones, and those of the chunks in `kept`."""
    return [place for place, ordinal in enumerate(ordinals) if place < depth or ordinal in kept]
