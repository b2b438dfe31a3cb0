"""Re-rankers of the user's own."""

import pytest

from builders import chunk, query
from spanledger.core.errors import InputError
from spanledger.core.ranking import Ranking
from spanledger.fusion import Fusion, fuse

MINE = """
def length(query, passages, sign=1):
    return [sign * len(passage) for passage in passages]
def order(query, passages):
    return range(len(passages))
"""
CHUNKS = [chunk(0, "ccc", "a"), chunk(1, "bb", "b", retrieval_text="long long title\nbb"), chunk(2, "aaa", "c")]


def setting(name="length", **options):
    return {"branches": ["r"], "method": "single", "rerank": {"method": f"plugins.mine:{name}", "options": options}}


def fused(ranking, chosen):
    (candidates,), counters = fuse({"r": [ranking]}, CHUNKS, [query("q", "text")], chosen)
    return candidates, counters


def test_numbers_order_the_candidates_and_ties_keep_the_rank_before(plugins_in):
    plugins_in(mine=MINE)
    candidates, counters = fused(Ranking("q", (1, 2, 0), (3.0, 2.0, 1.0)), setting())
    assert candidates == Ranking(
        "q", (2, 0, 1), (3.0, 3.0, 2.0), {"rank_before": (2, 3, 1), "score_before": (2.0, 1.0, 3.0)}
    )
    assert counters["rule_evaluations"] == counters["candidates"] == 3
    assert fused(Ranking("q", (1, 2, 0), (3.0, 2.0, 1.0)), setting(sign=-1))[0].chunks == (1, 2, 0)


def test_ranks_of_the_branches_move_along(plugins_in):
    plugins_in(mine=MINE)
    chosen = {**setting("order"), "branches": ["r", "s"], "method": "rrf", "k": 0.0, "tie": "document"}
    branches = {"r": [Ranking("q", (0, 1), (2.0, 1.0))], "s": [Ranking("q", (1,), (1.0,))]}
    (candidates,), _ = fuse(branches, CHUNKS, [query("q", "text")], chosen)
    assert candidates.chunks == (0, 1)  # 1/2 + 1 against 1, and then turned round
    assert candidates.reasons == {
        "ranks": {"r": (1, 2), "s": (None, 1)},
        "rank_before": (2, 1),
        "score_before": (1.0, 1.5),
    }
    assert Fusion(chosen, CHUNKS).is_opaque


def test_an_empty_list_is_not_asked_about(plugins_in):
    plugins_in(mine="def length(query, passages):\n    raise ValueError\n")
    candidates, _ = fused(Ranking("q", (), ()), setting())
    assert candidates == Ranking("q", (), (), {"rank_before": (), "score_before": ()})
    with pytest.raises(
        InputError, match=r"plugins/mine\.py:2: plugins\.mine:length: raised ValueError for query 'q': "
    ):
        fused(Ranking("q", (0,), (1.0,)), setting())
