"""A selector of the user's own: a function that chooses among the candidates of a query, within the setting's limits."""

from dataclasses import dataclass
from typing import Any

from spanledger.core.plugins import Plugin, index_of, shown
from spanledger.core.ranking import Ranking
from spanledger.core.records import Query
from spanledger.core.spans import Span
from spanledger.selection.context import NOT_CHOSEN, Context, Skipped
from spanledger.selection.rendering import Rendering
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a plugin is told of a candidate: its text as it would be sent, its length in the unit of the budget (0 without
    one), its score and its rank (from 1), and where it stands: document, version and half-open raw spans."""

    text: str
    cost: int
    score: float
    rank: int
    doc_id: str
    version: str
    spans: tuple[Span, ...]


class PluginSelector:
    """`def FUNCTION(query, candidates, budget, top_k, **options)` of a plugin.

    It is called with the query's text, the `Candidate`s best first, and the limits (None: no such limit), and returns the
    places in that list (from 0) of those that it chooses, in the order of the context. Places must be there, none twice,
    no more than `top_k` of them, and of no greater cost together than the budget; raises InputError for anything else.
    What it does not choose is passed over as not-chosen. An empty list is not asked about.

    `limits` is a selector with the same limits that takes what comes first: what other choices could reach is told by it.
    """

    def __init__(self, setting: dict[str, Any]):
        self.name: str = setting["method"]
        self.top_k, self.budget, self.unit = (setting.get(name) for name in ("top_k", "budget", "unit"))
        self.merge = False
        self.limits = Selector(self.top_k, self.budget, self.unit)
        self._plugin = Plugin(self.name, "selector", setting["options"])

    @property
    def rendering(self) -> Rendering:
        """That of `limits`: what a plugin chooses is sent apart."""
        return self.limits.rendering

    def select(self, ranking: Ranking, shelf: Shelf, query: Query, acl: str = "ignore") -> Context:
        """The context of one query; parents and their `acl` are no concern of a plugin."""
        candidates = tuple(
            self._candidate(shelf, ordinal, score, rank)
            for rank, (ordinal, score) in enumerate(zip(ranking.chunks, ranking.scores, strict=True), 1)
        )
        places = self._places(f"query '{query.query_id}'", query, candidates) if candidates else []
        chosen = [ranking.chunks[place] for place in places]
        taken = set(chosen)
        left = tuple(ordinal for ordinal in ranking.chunks if ordinal not in taken)
        remaining = None if self.budget is None else self.budget - sum(candidates[place].cost for place in places)
        return Context(ranking.query_id, tuple(chosen), (Skipped(NOT_CHOSEN, remaining, left),) if left else ())

    def _candidate(self, shelf: Shelf, ordinal: int, score: float, rank: int) -> Candidate:
        chunk = shelf.chunks[ordinal]
        cost = 0 if self.unit is None else shelf.measure(self.rendering, self.unit).weight(chunk)
        return Candidate(chunk.body, cost, score, rank, chunk.doc_id, chunk.version, chunk.spans)

    def _places(self, given: str, query: Query, candidates: tuple[Candidate, ...]) -> list[int]:
        places: list[int] = []
        for item in self._plugin.items(given, query.text, candidates, budget=self.budget, top_k=self.top_k):
            place = index_of(item)
            if place is None or not 0 <= place < len(candidates):
                raise self._plugin.error(
                    f"expected places from 0 to {len(candidates) - 1} for {given}, which has {len(candidates)} candidates, "
                    f"found {shown(item)}"
                )
            if place in places:
                raise self._plugin.error(f"chooses place {place} twice for {given}: {[*places, place]}")
            places.append(place)
        if self.top_k is not None and len(places) > self.top_k:
            raise self._plugin.error(f"chooses {len(places)} for {given}, and top_k is {self.top_k}: {places}")
        cost = sum(candidates[place].cost for place in places)
        if self.budget is not None and cost > self.budget:
            raise self._plugin.error(
                f"chooses {cost} {self.unit} for {given}, and the budget is {self.budget}: places {places}"
            )
        return places


def selector_of(setting: dict[str, Any]) -> Selector | PluginSelector:
    """The selector of a resolved setting of the section select: a walk, or a plugin."""
    return Selector.of(setting) if setting.get("method", "walk") == "walk" else PluginSelector(setting)
