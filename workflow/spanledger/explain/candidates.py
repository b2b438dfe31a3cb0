"""How the branches of an arm became one candidate list."""

from typing import Any

from spanledger import fusion
from spanledger.explain.ranked import shown
from spanledger.explain.results import ArmRun


def candidates(run: ArmRun, depth: int, kept: set[int]) -> dict[str, Any]:
    """The candidate list: how it was merged and re-ranked, and what each candidate has of that.

    `rrf_terms` are 1 / (k + rank) by branch: summed with one rounding they are the fused score. `points` are weight times
    feature: summed likewise they are the re-ranked score; a plugin tells neither. What the method does not use is None.
    """
    setting, ranking = run.settings["fuse"], run.candidates
    ranks = ranking.reasons.get("ranks", {})
    reranker = fusion.reranker_of(setting)
    weights = dict(reranker.weights) if isinstance(reranker, fusion.RuleReranker) else None
    places = shown(ranking.chunks, depth, kept)
    only = next(iter(run.settings["branches"]))
    ranked = []
    for place in places:
        before = ranking.reasons["rank_before"][place] if reranker else place + 1
        of_branches = {branch: column[place] for branch, column in ranks.items()} if ranks else {only: before}
        features = (
            {name: column[place] for name, column in ranking.reasons["features"].items()}
            if weights is not None
            else None
        )
        ranked.append(
            {
                "rank": place + 1,
                "chunk_id": run.chunks[ranking.chunks[place]].chunk_id,
                "score": ranking.scores[place],
                "ranks": of_branches,
                "rrf_terms": {b: 1 / (setting["k"] + rank) for b, rank in of_branches.items() if rank is not None}
                if setting["method"] == "rrf"
                else None,
                "rank_before": before if reranker else None,
                "score_before": ranking.reasons["score_before"][place] if reranker else None,
                "features": features,
                "points": {name: weights.get(name, 0) * held for name, held in features.items()}
                if features is not None
                else None,
            }
        )
    return {
        "method": setting["method"],
        "k": setting.get("k"),
        "reranker": setting["rerank"]["method"] if reranker else None,
        "weights": weights,
        "count": len(ranking.chunks),
        "ranked": ranked,
        "left_out": len(ranking.chunks) - len(ranked),
    }
