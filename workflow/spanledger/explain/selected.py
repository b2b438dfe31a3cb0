"""How a selector went through the candidates, and what its context holds."""

from typing import Any

from spanledger.explain.holding import Holding
from spanledger.explain.results import ArmRun
from spanledger.scoring.cost import Cost
from spanledger.scoring.coverage import Rule
from spanledger.selection.context import NOT_CHOSEN, Context
from spanledger.selection.plugin import PluginSelector, selector_of
from spanledger.selection.selector import Walk
from spanledger.selection.shelf import Shelf


class Selection:
    """The selector's walk, or the choice of a plugin, taken again: a context on disk does not say what lay between its
    chunks."""

    def __init__(self, run: ArmRun, rule: Rule):
        self._run = run
        self._rule = rule
        self._shelf = Shelf(run.chunks, run.documents, run.parents)
        self._selector = selector_of(run.settings["select"])
        acl = run.settings["eligibility"]["acl"]
        self._frame = None
        if isinstance(self._selector, PluginSelector):
            context = self._selector.select(run.candidates, self._shelf, run.query, acl)
            self._looks, kept = _choice(context, self._selector, self._shelf), context.chunks
        else:
            walk = self._selector.walk(run.candidates, self._shelf, run.query, acl)
            self._frame = None if walk.basket.budget is None else walk.basket.used
            self._looks = []
            while (ordinal := walk.next()) is not None:
                self._looks.append((ordinal, _look(walk, ordinal)))
            kept = tuple(walk.kept)
        self.warnings = (
            []
            if kept == run.context.chunks
            else ["selection: this code selects otherwise than the results say; run make repro"]
        )

    def steps(self, depth: int, kept: set[int]) -> dict[str, Any]:
        """Each look at a candidate, in order: what it would add (`cost`), what is left of the budget after it, and why it
        was not taken (`reason`, None: taken). Candidates looked at once the first `depth` are told only when they are in
        `kept`. `frame` is what header and footer take of the budget."""
        ranks = {ordinal: place for place, ordinal in enumerate(self._run.candidates.chunks, 1)}
        setting = self._run.settings["select"]
        told = [
            {
                "step": number,
                "rank": ranks[ordinal],
                "chunk_id": self._run.chunks[ordinal].chunk_id,
                **look,
            }
            for number, (ordinal, look) in enumerate(self._looks, 1)
            if number <= depth or ordinal in kept
        ]
        limits = {name: setting[name] for name in ("top_k", "budget", "unit")}
        limits["frame"] = self._frame
        return {**limits, "count": len(self._looks), "steps": told, "left_out": len(self._looks) - len(told)}

    def context(self) -> dict[str, Any]:
        """The passages that are sent, in order, with what each holds of the facts; `cost` in the unit of score.cost.
        `sent` is the whole text as it would be sent, None where passages are sent apart."""
        run = self._run
        pieces = run.context.pieces
        passages = pieces if pieces is not None else [run.chunks[ordinal] for ordinal in run.context.chunks]
        members = [p.chunks for p in pieces] if pieces is not None else [(ordinal,) for ordinal in run.context.chunks]
        holding = Holding(run.gold, passages, self._rule)
        first = next(iter(run.settings["analyzers"].values()))
        cost = Cost(run.settings["score"]["cost"], first, self._selector.rendering, self._shelf)
        told = [
            {
                "place": place,
                "doc_id": passage.doc_id,
                "version": passage.version,
                "spans": passage.spans,
                "chunk_ids": [run.chunks[ordinal].chunk_id for ordinal in members[place - 1]],
                "text": passage.body,
                "cost": cost.of_passage(passage, place),
                "holds": holding.of(place - 1),
            }
            for place, passage in enumerate(passages, 1)
        ]
        sent = cost.text(passages)
        return {"unit": cost.unit, "cost": run.row["cost"][cost.unit], "passages": told, "sent": sent}


def _choice(context: Context, selector: PluginSelector, shelf: Shelf) -> list[tuple[int, dict[str, Any]]]:
    """What a plugin chose, in its order, and then the others in theirs; as `_look` tells it."""
    budget, looks = selector.budget, []
    remaining, measure = budget, None if budget is None else shelf.measure(selector.rendering, selector.unit)
    for ordinal in (*context.chunks, *(ordinal for run in context.skipped for ordinal in run.chunks)):
        taken = ordinal in context.chunks
        cost = None if measure is None else measure.weight(shelf.chunks[ordinal])
        if taken and remaining is not None:
            remaining -= cost
        told = {"taken": taken, "reason": None if taken else NOT_CHOSEN, "cost": cost, "remaining": remaining}
        looks.append((ordinal, {**told, "parent": None, "mmr": None}))
    return looks


def _look(walk: Walk, ordinal: int) -> dict[str, Any]:
    """Takes a candidate or passes it over, and says which and why."""
    parent, offer = walk.parent(ordinal), walk.offer(ordinal)
    reason = walk.put(ordinal)
    asked = walk.basket.budget is not None and not isinstance(offer, str)
    return {
        "taken": reason is None,
        "reason": reason,
        "cost": offer.cost if asked else None,
        "remaining": walk.basket.remaining,
        "parent": {"chunk_id": parent.chunk_id, "spans": parent.spans} if parent else None,
        "mmr": walk.parts(ordinal),
    }
