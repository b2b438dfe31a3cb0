"""What passages hold of the facts of one query, and what is missing."""

from collections.abc import Iterator, Sequence
from typing import Any

from spanledger.core.spans import Span, gaps, length, union
from spanledger.gold import Evidence, Fact, Gold
from spanledger.scoring.coverage import Coverage, Passage, Rule


class Holding:
    """Answers for some passages (the chunks of a table by ordinal, those of a context by place) and one query."""

    def __init__(self, gold: Gold, passages: Sequence[Passage], rule: Rule):
        self._gold = gold
        self._passages = passages
        self._rule = rule
        self._coverage = Coverage(passages, rule)

    def holders(self) -> list[int]:
        """The passages that have a part in covering some evidence (see `Coverage.holders`), ascending."""
        return sorted({place for _, _, _, e in spans_of(self._gold) for place in self._coverage.holders(e)})

    def of(self, place: int) -> list[dict[str, Any]]:
        """What one passage holds, in the order of facts, groups and spans: `group` and `span` count from 0, `parts` are
        the pieces of the evidence that it holds, and `covers` says whether it covers the span on its own."""
        passage = self._passages[place]
        return [
            {
                "fact_id": fact.fact_id,
                "group": group,
                "span": number,
                "parts": _parts(passage, evidence),
                "covers": self._coverage.span_covered(evidence, (place,)),
            }
            for fact, group, number, evidence in spans_of(self._gold)
            if place in self._coverage.holders(evidence)
        ]

    def span(self, evidence: Evidence, places: set[int]) -> dict[str, Any]:
        """How far some of the passages cover one span. `missing` are the pieces of it that none of them holds, by the
        rule one_chunk those that the best one lacks; by token_share it is None, and `terms` are [held by the best one,
        of so many]."""
        result = {"covered": self._coverage.span_covered(evidence, places), "missing": None, "terms": None}
        if self._rule.name == "token_share":
            shares = [self._rule.share(evidence, self._passages[place].body) for place in sorted(places)]
            return {**result, "terms": max(shares, default=(0, self._rule.share(evidence, "")[1]))}
        parts = [_parts(self._passages[p], evidence) for p in self._coverage.holders(evidence) if p in places]
        if self._rule.name == "one_chunk":
            lacking = [gaps(held, evidence.span) for held in parts]
            return {**result, "missing": min(lacking, key=length, default=[evidence.span])}
        return {**result, "missing": gaps((part for held in parts for part in held), evidence.span)}

    def covered(self, fact: Fact, places: set[int]) -> bool:
        """Whether some of the passages cover the fact."""
        return self._coverage.fact_covered(fact, places)


def spans_of(gold: Gold) -> Iterator[tuple[Fact, int, int, Evidence]]:
    """(fact, number of the support group, number of the span in it, span), in the order of the gold."""
    for fact in gold.facts:
        for group, spans in enumerate(fact.support):
            for number, evidence in enumerate(spans):
                yield fact, group, number, evidence


def _parts(passage: Passage, evidence: Evidence) -> list[Span]:
    if passage.key != evidence.key:
        return []
    start, end = evidence.span
    return union((max(start, s), min(end, e)) for s, e in passage.spans if s < end and start < e)
