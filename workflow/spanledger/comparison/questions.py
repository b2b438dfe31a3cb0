"""The questions that one arm wins and the other loses, with the facts and the causes."""

from dataclasses import dataclass
from typing import Any

from spanledger.core.records import Query
from spanledger.gold import Fact, Gold
from spanledger.metrics import Row

WON, LOST, TRADED = "won", "lost", "traded"


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that one context holds and the other does not.

    `cause` and `needed` are those of the line of the side that lacks it (`needed` None where the line has none).
    `rank_a` and `rank_b`: see `evidence_rank`.
    """

    fact_id: str
    cause: str
    needed: Any
    rank_a: int | None
    rank_b: int | None


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question whose context holds other facts in B than in A: `won` has more of them, `lost` fewer, and `traded` as
    many. `gained` are B's alone, `missed` A's alone; `first_rank` is that of the lines."""

    query_id: str
    text: str
    outcome: str
    required: int
    covered_a: int
    covered_b: int
    first_rank_a: int | None
    first_rank_b: int | None
    gained: tuple[FactChange, ...]
    missed: tuple[FactChange, ...]


def question_change(query: Query, gold: Gold, a: Row, b: Row) -> QuestionChange | None:
    """What changed from A to B; None where the contexts hold the same facts."""
    facts_a, facts_b = ({fact["fact_id"]: fact for fact in row["facts"]} for row in (a, b))

    def changes(held: dict[str, Row], lacked: dict[str, Row]) -> tuple[FactChange, ...]:
        return tuple(
            FactChange(
                fact.fact_id,
                lacked[fact.fact_id]["cause"],
                lacked[fact.fact_id].get("needed"),
                evidence_rank(fact, a),
                evidence_rank(fact, b),
            )
            for fact in gold.facts
            if held[fact.fact_id]["context"] and not lacked[fact.fact_id]["context"]
        )

    gained, missed = changes(facts_b, facts_a), changes(facts_a, facts_b)
    if not gained and not missed:
        return None
    outcome = TRADED if len(gained) == len(missed) else WON if len(gained) > len(missed) else LOST
    return QuestionChange(
        query.query_id,
        query.text,
        outcome,
        a["required"],
        a["covered"]["context"],
        b["covered"]["context"],
        a["first_rank"],
        b["first_rank"],
        gained,
        missed,
    )


def evidence_rank(fact: Fact, row: Row) -> int | None:
    """How far down the candidates one must go to have met every span of the fact, of the support group that is met
    first: a span is met by a candidate that has any of its characters. None where the candidates that are written to
    the line do not get there."""
    ranks = []
    for group in fact.support:
        met = [
            min(
                (
                    candidate["rank"]
                    for candidate in row["candidates"]
                    if (candidate["doc_id"], candidate["version"]) == evidence.key
                    and any(start < evidence.span[1] and evidence.span[0] < end for start, end in candidate["spans"])
                ),
                default=None,
            )
            for evidence in group
        ]
        if None not in met:
            ranks.append(max(met))
    return min(ranks, default=None)
