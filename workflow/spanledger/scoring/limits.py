"""The smallest budget and the smallest top_k, above those of a selector, at which a context covers a fact.

Both are found by the selector's own walk. A larger budget may lose what a smaller one had, because a passage that fits
leaves less for those after it: budgets are tried from the smallest up, all at once that make the walk go the same way.
"""

from spanledger.gold import Fact
from spanledger.scoring.judge import Judge
from spanledger.selection.selector import Walk


def smallest_budget(fact: Fact, walk: Walk, pending: set[int], judge: Judge) -> int | None:
    """The smallest budget above the present one at which the context covers the fact; None where none does.

    `walk` is at its start, and its context at the present budget does not cover the fact; `pending` are the candidates
    that can have a part in it (see `Judge.holders`). Each walk stands for a range of budgets [low, high), high None
    without an end. Where the budgets of a range part, those below the split pass a candidate over and the others take
    it. The first have less left than it costs, so they seldom have far to go.
    """
    ranges = [(walk, pending, walk.basket.budget + 1, None)]
    while ranges:
        walk, pending, low, high = ranges.pop()
        found = _follow(fact, walk, set(pending), low, high, judge, ranges)
        if found is not None:
            return found
    return None


def _follow(
    fact: Fact, walk: Walk, pending: set[int], low: int, high: int | None, judge: Judge, ranges: list
) -> int | None:
    """Follows the smallest budgets of a range to the end of their walk; `ranges` gains those that part from them, so
    that the smallest is last. Returns the smallest budget that is left where its context covers the fact."""
    changed = True
    while not (judge.grows and changed and judge.covers(fact, walk)):
        room = None if high is None else high - 1 - walk.basket.used
        ordinal = walk.next() if not changed or judge.possible(fact, walk, pending, room) else None
        if ordinal is None:
            return low if judge.covers(fact, walk) else None
        offer = walk.offer(ordinal)
        changed = ordinal in pending
        pending.discard(ordinal)
        if isinstance(offer, str):
            continue
        split = walk.basket.used + offer.cost
        if high is not None and split >= high:
            continue
        if split > low:
            if not judge.grows or judge.possible(fact, walk, pending, split - 1 - walk.basket.used):
                other = walk.copy()
                other.take(ordinal, offer)
                ranges.append((other, set(pending), split, high))
                high, changed = split, True
                continue
            low = split
        walk.take(ordinal, offer)
        changed = changed or high is not None
    return low


def smallest_top_k(fact: Fact, walk: Walk, pending: set[int], judge: Judge) -> int | None:
    """The smallest top_k above the present one at which the context covers the fact; None where none does.

    `walk` and `pending` as for `smallest_budget`. With top_k n the context is the first n that are taken without a
    top_k: nothing after them is taken, and nothing that is passed over has a say in what comes later. So one walk tells.
    """
    present, walk.basket.top_k = walk.basket.top_k, None
    pending = set(pending)
    while judge.possible(fact, walk, pending, walk.basket.remaining):
        if (ordinal := walk.next()) is None:
            break
        held = ordinal in pending
        pending.discard(ordinal)
        if walk.put(ordinal) is None and held and len(walk.kept) > present and judge.covers(fact, walk):
            return len(walk.kept)
    return None
