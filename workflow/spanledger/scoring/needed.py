"""Counterfactuals: what would have kept a lost fact, all else equal.

`needed` of a fact is a mapping, None where nothing is known to help. Any one of these brings the fact back by itself:

budget, top_k   the smallest value above the selector's own
depth           for each branch that can, the smallest depth above its own

They are found by the real stages: a fact is in the context at that value and at none from the present one up to it; a
parameter that is not named brings it back at no value. What a plugin does at other values only the plugin knows:

unknown         the parameters that may bring the fact back, and are not worked out because a plugin selects or re-ranks

What keeps a fact from the index has to change before any ranking
can find it:

eligibility     the parts of the filter that keep it out: versions, visibility, acl
chunk           the spans that no chunk holds, each of which needs one that does

They are those of the support group that asks for least: the fewest parts of the filter, then the fewest characters.
"""

from collections.abc import Callable, Container, Iterable
from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Query
from spanledger.core.spans import length
from spanledger.fusion import Fusion
from spanledger.gold import Evidence, Fact
from spanledger.scoring.coverage import Coverage
from spanledger.scoring.depths import Deeper
from spanledger.scoring.judge import Judge
from spanledger.scoring.limits import smallest_budget, smallest_top_k
from spanledger.selection.plugin import PluginSelector
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

Needed = dict[str, Any]
_FILTERS = ("versions", "visibility", "acl")


class Counterfactuals:
    """Of one arm. `acl` is that of its eligibility."""

    def __init__(self, fusion: Fusion, selector: Selector | PluginSelector, shelf: Shelf, acl: str, judge: Judge):
        self._selector = selector
        self._shelf = shelf
        self._acl = acl
        self._judge = judge
        # A plugin that sees all candidates may do anything when the list gets longer.
        opaque = fusion.is_opaque or isinstance(selector, PluginSelector)
        self._deeper = None if opaque else Deeper(fusion, selector, shelf, acl, judge)

    def unknown(self, cause: str, branches: dict[str, dict[str, Any]]) -> list[str]:
        """The entry unknown of a fact that was lost to a cause; `branches` are the arm's settings of retrieval."""
        if cause in ("ineligible", "not_chunked", "not_matched"):  # no limit and no depth helps
            return []
        limits = ("budget", "top_k") if cause != "below_depth" and isinstance(self._selector, PluginSelector) else ()
        found = [name for name in limits if getattr(self._selector, name) is not None]
        cut = any(setting["depth"] is not None for setting in branches.values())
        return [*found, "depth"] if cut and self._deeper is None else found

    def limits(self, fact: Fact, query: Query, candidates: Ranking) -> Needed:
        """The entries budget and top_k of a fact that the context of these candidates does not cover."""
        judge, selector = self._judge, self._selector
        if isinstance(selector, PluginSelector):
            return {}
        start = selector.walk(candidates, self._shelf, query, self._acl)
        pending = judge.holders(fact, start, candidates.chunks)
        found = {}
        if judge.possible(fact, start, pending, None):
            if selector.budget is not None:
                found["budget"] = smallest_budget(fact, start.copy(), pending, judge)
            if selector.top_k is not None:
                found["top_k"] = smallest_top_k(fact, start, pending, judge)
        return {name: value for name, value in found.items() if value is not None}

    def depths(
        self, facts: Iterable[Fact], query: Query, lists: dict[str, Ranking], wholes: dict[str, Ranking]
    ) -> dict[Fact, Needed]:
        """The entry depth of those of the facts that have one; the context covers none of them. `lists` are the query's
        rankings by branch, `wholes` those without a cut of the branches that have one."""
        if self._deeper is None:
            return {}
        found: dict[Fact, dict[str, int]] = {}
        for branch, whole in wholes.items():
            for fact, depth in self._deeper.smallest(facts, query, lists, branch, whole).items():
                found.setdefault(fact, {})[branch] = depth
        return {fact: {"depth": values} for fact, values in found.items()}


def before_retrieval(
    fact: Fact,
    coverage: Coverage,
    every: Container[int],
    against: Callable[[Evidence], Iterable[str]],
) -> Needed:
    """The entries eligibility and chunk of a fact that the index does not cover.

    `every` are the chunks of the whole table; `against` gives the parts of the filter
    that keep a span out, or the chunks that hold it.
    """
    groups = []
    for group in fact.support:
        parts = dict.fromkeys(part for evidence in group for part in against(evidence))
        missing = [e for e in dict.fromkeys(group) if not coverage.span_covered(e, every)]
        if all(map(coverage.rule.coverable, missing)):
            groups.append((len(parts), length(e.span for e in missing), len(groups), parts, missing))
    if not groups:
        return {}
    *_, parts, missing = min(groups, key=lambda found: found[:3])
    spans = [{"doc_id": e.doc_id, "version": e.version, "start": e.span[0], "end": e.span[1]} for e in missing]
    return {
        **({"eligibility": sorted(parts, key=_FILTERS.index)} if parts else {}),
        **({"chunk": spans} if spans else {}),
    }
