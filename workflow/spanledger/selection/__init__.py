"""Stage select: which candidates make the context of a query, and why the others do not."""

from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Query
from spanledger.selection.context import NOT_CHOSEN, REASONS, Context
from spanledger.selection.plugin import PluginSelector, selector_of
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf


def select(
    candidates: list[Ranking], shelf: Shelf, queries: list[Query], setting: dict[str, Any], eligibility: dict[str, Any]
) -> tuple[list[Context], dict[str, Any]]:
    """The contexts of all queries, in the order of the candidate lists, and the counters.

    `setting` and `eligibility` are resolved settings. Every context is checked against its limits before it is believed;
    raises ValueError where one breaks them, and for a value out of range, and InputError for a fault of a plugin.
    """
    selector = selector_of(setting)
    by_id = {query.query_id: query for query in queries}
    acl = eligibility.get("acl", "ignore")
    contexts = [selector.select(ranking, shelf, by_id[ranking.query_id], acl) for ranking in candidates]
    for context in contexts:
        _check(context, selector, shelf)
    reasons = (NOT_CHOSEN,) if isinstance(selector, PluginSelector) else REASONS
    return contexts, {
        "queries": len(contexts),
        "empty_contexts": sum(not context.chunks for context in contexts),
        "selected": sum(len(context.chunks) for context in contexts),
        "skipped": {
            reason: sum(len(run.chunks) for context in contexts for run in context.skipped if run.reason == reason)
            for reason in reasons
        },
    }


def _check(context: Context, selector: Selector | PluginSelector, shelf: Shelf) -> None:
    if selector.top_k is not None and len(context.chunks) > selector.top_k:
        raise ValueError(f"select: the context of query '{context.query_id}' has more passages than top_k")
    if selector.budget is None:
        return
    passages = [shelf.chunks[ordinal] for ordinal in context.chunks] if context.pieces is None else context.pieces
    cost = shelf.measure(selector.rendering, selector.unit).of(passages)
    if cost > selector.budget:
        raise ValueError(f"select: the context of query '{context.query_id}' is over its budget: {cost}")
