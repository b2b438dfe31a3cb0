"""A re-ranker of the user's own: a function that scores the candidates of a query."""

from typing import Any

from spanledger.core.plugins import Plugin
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
from spanledger.fusion.rules import reordered


class PluginReranker:
    """`def FUNCTION(query, passages, **options)` of a plugin; `method` is plugins.MODULE:FUNCTION.

    It is called with the query's text and the bodies of the candidates, best first, and returns a finite number for each.
    Order: that number descending, then the rank before. Nothing is added or removed. An empty list is not asked about.
    """

    def __init__(self, method: str, options: dict[str, Any]):
        self.method = method
        self._plugin = Plugin(method, "re-ranker", options)

    def rerank(self, ranking: Ranking, query: Query, chunks: list[Chunk]) -> Ranking:
        """The candidates of one query in the new order; reasons gain the score and rank before."""
        bodies = tuple(chunks[ordinal].body for ordinal in ranking.chunks)
        given = f"query '{query.query_id}'"
        scores = self._plugin.numbers(given, len(bodies), query.text, bodies) if bodies else []
        return reordered(ranking, scores, {})
