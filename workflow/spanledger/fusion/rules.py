"""A re-ranker of plain rules: every point that a candidate gets can be read off its text."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanledger.core.analyzers import analyzer
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query

_IDENTIFIER = re.compile(r"[a-z]+-[0-9]+")
_NUMBER = re.compile(r"[0-9]+")
FEATURES = ("query_term", "identifier", "number", "constraint", "navigation")


@dataclass(frozen=True)
class RuleReranker:
    """A candidate's score is the weighted sum of five features of its body, read with one analyzer:

    query_term  distinct terms of the query, as asked and never expanded, that it holds
    identifier  those of them that are letters, a hyphen and digits (R-17); each counts as a query term too
    number      1 where any of its terms is all digits
    constraint  1 where it holds any of `constraint_words`
    navigation  1 where it holds any of `navigation_words`

    Order: score descending, then the rank before. Nothing is added or removed. Costs one look at each candidate's terms;
    a text is analysed once.
    Raises ValueError for an unknown analyzer or feature.
    """

    analyzer: str
    weights: Mapping[str, float]
    constraint_words: tuple[str, ...]
    navigation_words: tuple[str, ...]
    _texts: dict[str, tuple[frozenset[str], dict[str, int]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self):
        analyzer(self.analyzer)
        unknown = sorted(set(self.weights) - set(FEATURES))
        if unknown:
            raise ValueError(f"rule re-ranker: no feature {', '.join(unknown)}; they are {', '.join(FEATURES)}")

    def features(self, asked: set[str], body: str) -> dict[str, int]:
        """The features of a candidate with this body for a query of the terms `asked`."""
        if body not in self._texts:
            held = frozenset(analyzer(self.analyzer)(body))
            self._texts[body] = (
                held,
                {
                    "number": int(any(_NUMBER.fullmatch(term) for term in held)),
                    "constraint": int(not held.isdisjoint(self.constraint_words)),
                    "navigation": int(not held.isdisjoint(self.navigation_words)),
                },
            )
        held, own = self._texts[body]
        common = asked & held
        identifiers = sum(1 for term in common if _IDENTIFIER.fullmatch(term))
        return {"query_term": len(common), "identifier": identifiers, **own}

    def rerank(self, ranking: Ranking, query: Query, chunks: list[Chunk]) -> Ranking:
        """The candidates of one query in the new order; reasons gain the features and the score and rank before."""
        asked = set(analyzer(self.analyzer)(query.text))
        rows = [self.features(asked, chunks[ordinal].body) for ordinal in ranking.chunks]
        scores = [math.fsum(self.weights.get(name, 0) * row[name] for name in FEATURES) for row in rows]
        return reordered(ranking, scores, {"features": {name: [row[name] for row in rows] for name in FEATURES}})


def reordered(ranking: Ranking, scores: Sequence[float], columns: Mapping[str, Any]) -> Ranking:
    """The candidates of a ranking by new scores, in the ranking's order; equal ones keep their order. Reasons gain the rank
    and score before, and the `columns`, which are in the ranking's order too."""
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    reasons = {
        **{name: _reordered(column, order) for name, column in ranking.reasons.items()},
        "rank_before": tuple(place + 1 for place in order),
        "score_before": tuple(ranking.scores[place] for place in order),
        **{name: _reordered(column, order) for name, column in columns.items()},
    }
    new = tuple(ranking.chunks[place] for place in order)
    return Ranking(ranking.query_id, new, tuple(scores[place] for place in order), reasons)


def _reordered(column, order):
    if isinstance(column, Mapping):
        return {name: _reordered(values, order) for name, values in column.items()}
    return tuple(column[place] for place in order)
