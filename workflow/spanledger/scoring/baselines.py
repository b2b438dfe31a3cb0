"""What the recall of an arm is held against: the best that its limits allow, and chunks in random order."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Document, Query
from spanledger.gold import Fact
from spanledger.scoring.bounds import EXACT, Attainable
from spanledger.scoring.passages import Passages
from spanledger.scoring.random_order import RandomOrder
from spanledger.scoring.room import Room


class Baselines:
    """The fields attainable and random of the lines of one arm: for its candidates and for the whole eligible index."""

    def __init__(self, passages: Passages, documents: Sequence[Document], orders: int):
        self._attainable = Attainable(passages, Room(passages, documents))
        self._random = RandomOrder(passages, orders) if orders else None

    def of(
        self,
        facts: Sequence[Fact],
        candidates: Ranking,
        eligible: set[int] | None,
        query: Query,
        group: str,
        reached: int,
    ) -> dict[str, Any]:
        """`eligible` are the chunks of the query's eligibility class, whose name is `group`; the context covers `reached`
        of the facts. `random` is None without facts, and where no orders are wanted. Where the index is not known
        (`eligible` is None), what is said of it is None."""
        found = set(candidates.chunks)
        listed = self._attainable.of(facts, found, query, reached)
        index = None
        if eligible is not None:
            least = listed.facts if listed.kind == EXACT else reached
            index = asdict(self._attainable.of(facts, eligible, query, least))
        random = None
        if self._random and facts:
            pools = (("candidates", found, None), ("index", eligible, group))
            random = {
                name: None if pool is None else self._expected(facts, pool, query, key) for name, pool, key in pools
            }
        return {"attainable": {"candidates": asdict(listed), "index": index}, "random": random}

    def _expected(self, facts: Sequence[Fact], pool: set[int], query: Query, key: str | None) -> dict[str, Any]:
        expected = self._random.of(facts, pool, query, key)
        return {"recall": float(expected.recall), "kind": expected.kind}
