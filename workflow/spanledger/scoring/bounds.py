"""The most required facts that any choice among some chunks could cover under the limits of an arm's selector.

A choice is any subset of the chunks, offered to the selector in any order; what it covers is judged by the arm's own rule,
in the form that the selector gives (chunks, merged chunks, parents). This is weighted maximum coverage under a knapsack:
solved by search, and where that would take too long, bounded from above.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from spanledger.core.records import Query
from spanledger.core.spans import Span, union
from spanledger.gold import Evidence, Fact
from spanledger.scoring.passages import Passages
from spanledger.scoring.room import Room

EXACT = "exact"
UPPER_BOUND = "upper_bound"
LIMIT = 10_000  # looks at a cover or at a part of one that a search may take, for each query and pool
_LIGHT = 32  # comparisons that count as one look
_SCALE = 10**6  # shares of the limits are whole numbers of this part of a unit, rounded down

Cover = frozenset[int]


@dataclass(frozen=True, slots=True)
class Bound:
    """How many facts could be covered: `exact` where some choice covers so many and none more, `upper_bound` where none
    covers more."""

    facts: int
    kind: str


class TooMuch(Exception):
    """The search has taken all the work that it may."""


class Work:
    """Counts work, so that where a search stops depends on nothing but its input."""

    def __init__(self, limit: int):
        self._left = limit

    def spend(self, amount: int = 1) -> None:
        self._left -= amount
        if self._left < 0:
            raise TooMuch


class Attainable:
    """Bounds for the queries of one arm; `limit` is the work for each of them."""

    def __init__(self, passages: Passages, room: Room, limit: int = LIMIT):
        self._passages = passages
        self._room = room
        self._limit = limit

    def of(self, facts: Sequence[Fact], pool: Container[int], query: Query, reached: int = 0) -> Bound:
        """The bound for the chunks of the pool; `reached` is what the arm covered with some of them.

        The search grows a set of passages fact by fact, each by one of its minimal covers or not at all. That finds the
        optimum: whatever set is best holds a cover of each fact that it covers, and these covers together fit as every
        subset of it does (see `Room.fits`).

        Beyond the limit it is an upper bound: that of `_Search.most`, or all facts that the pool covers at all. It is one
        too where `Room.fits` admits too much and no run of the selector confirms it, and where token_share judges merged
        chunks: their text holds terms that no chunk does, so that no smaller number than all facts is claimed.
        """
        if reached == len(facts):
            return Bound(reached, EXACT)
        if self._passages.opaque:
            return Bound(len(facts), UPPER_BOUND)
        wanted = [self._passages.parts(fact, pool, query) for fact in facts]
        wanted = [(groups, parts) for groups, parts in wanted if groups]
        if reached == len(wanted):
            return Bound(reached, EXACT)
        work = Work(self._limit)
        try:
            covers = _Covers(self._passages, self._room, wanted, work).of_facts()
        except TooMuch:
            return Bound(len(wanted), UPPER_BOUND)

        def confirmed(chosen: Cover, covered: int) -> bool:
            if self._room.exact:
                return True
            return sum(self._passages.covered(facts, self._room.run(chosen, pool, query))) >= covered

        return _Search(covers, self._passages, self._room, confirmed, reached, work).bound()


class _Covers:
    """The minimal covers of the facts of a query, as far as a best choice can need them, each fitting on its own."""

    def __init__(
        self,
        passages: Passages,
        room: Room,
        wanted: list[tuple[list[tuple[Evidence, ...]], dict[Evidence, list[int]]]],
        work: Work,
    ):
        self._passages = passages
        self._room = room
        self._work = work
        self._wanted = wanted
        self._parts = {evidence: held for _, parts in wanted for evidence, held in parts.items()}
        self._uses: dict[int, int] = {}  # of how many spans a passage is a part
        for held in self._parts.values():
            for number in held:
                self._uses[number] = self._uses.get(number, 0) + 1
        self._of_span: dict[Evidence, list[Cover]] = {}

    def of_facts(self) -> list[list[Cover]]:
        """The covers of each fact that has any. Raises TooMuch."""
        found = (self._minimal(c for group in groups for c in self._of_group(group)) for groups, _ in self._wanted)
        return [covers for covers in found if covers]

    def _of_group(self, group: tuple[Evidence, ...]) -> list[Cover]:
        covers = [frozenset[int]()]
        for evidence in group:
            if evidence not in self._of_span:
                self._of_span[evidence] = self._joined(evidence) if self._passages.joins else self._alone(evidence)
            more = self._of_span[evidence]
            self._work.spend(len(covers) * len(more))
            covers = self._minimal(c for c in {a | b for a in covers for b in more} if self._room.fits(c))
        return covers

    def _minimal(self, covers: Iterable[Cover]) -> list[Cover]:
        """Without those that hold another, in ascending order of number and members."""
        kept: list[Cover] = []
        for cover in sorted(set(covers), key=lambda c: (len(c), sorted(c))):
            self._work.spend(1 + len(kept) // _LIGHT)
            if not any(other <= cover for other in kept):
                kept.append(cover)
        return kept

    def _alone(self, evidence: Evidence) -> list[Cover]:
        """One passage is enough. Where lengths add up, of those that are good for nothing else the shortest will do."""
        held = [number for number in self._parts[evidence] if self._room.fits(frozenset((number,)))]
        self._work.spend(len(held))
        if self._room.adds_up:
            single = [number for number in held if self._uses[number] == 1]
            best = min(single, key=lambda number: (self._passages.length(number), number), default=None)
            held = [number for number in held if self._uses[number] > 1 or number == best]
        return [frozenset((number,)) for number in held]

    def _joined(self, evidence: Evidence) -> list[Cover]:
        """The span is covered from left to right: the first place that is not covered yet needs some passage that holds
        it. Of two sets that leave the same open, one will do where it is as good as the other in all else (`_key`) and
        has neither more members nor a greater length: it can take the other's place in any choice."""
        parts = [(number, self._passages.every[number].spans) for number in self._parts[evidence]]
        found: list[Cover] = []
        open_states: dict[tuple[Span, ...], dict[object, list[Cover]]] = {(evidence.span,): {None: [frozenset()]}}
        while open_states:
            left = min(open_states, key=lambda spans: (spans[0][0], spans))
            sets = sorted((c for group in open_states.pop(left).values() for c in group), key=sorted)
            first = left[0][0]
            self._work.spend(1 + len(parts) // _LIGHT)
            for number, spans in parts:
                if not any(start <= first < end for start, end in spans):
                    continue
                rest = _without(left, spans)
                for chosen in sets:
                    self._work.spend()
                    grown = chosen | {number}
                    if self._room.fits(grown):
                        states = open_states.setdefault(rest, {}) if rest else None
                        if states is None:
                            found.append(grown)
                        else:
                            self._keep(states.setdefault(self._key(grown), []), grown)
                if rest in open_states and not open_states[rest]:
                    del open_states[rest]
        by_key: dict[object, list[Cover]] = {}
        for cover in sorted(found, key=sorted):
            self._keep(by_key.setdefault(self._key(cover), []), cover)
        return [cover for covers in by_key.values() for cover in covers]

    def _key(self, chosen: Cover) -> object:
        """Sets with the same key do the same for all else. Where lengths add up: they have the same passages that are
        parts of other spans. Where chunks are merged: they hold the same text in one piece each."""
        if self._room.adds_up:
            return frozenset(number for number in chosen if self._uses[number] > 1)
        if self._passages.selector.merge and all(len(self._passages.every[number].spans) == 1 for number in chosen):
            return tuple(union(self._passages.every[number].spans[0] for number in chosen))
        return chosen

    def _keep(self, covers: list[Cover], cover: Cover) -> None:
        """Adds a cover to those with the same key, unless one of them is as good, and drops those that it beats."""
        size = self._size(cover)
        if any(_no_worse(self._size(other), size) for other in covers):
            return
        covers[:] = [other for other in covers if not _no_worse(size, self._size(other))]
        covers.append(cover)

    def _size(self, cover: Cover) -> tuple[int, int]:
        return len(cover), self._room.used(cover) if self._room.adds_up else 0


class _Search:
    """Branch and bound over the facts; `covers` holds those of each. `confirmed` says of a set that fits whether the
    selector takes enough of it to cover so many facts, `reached` is what some choice covers for certain."""

    def __init__(
        self,
        covers: list[list[Cover]],
        passages: Passages,
        room: Room,
        confirmed: Callable[[Cover, int], bool],
        reached: int,
        work: Work,
    ):
        self._room = room
        self._confirmed = confirmed
        self._work = work
        self._found = self._sure = reached
        self._top = len(covers)
        useful = sorted({number for of_fact in covers for cover in of_fact for number in cover})
        facts = Counter(number for of_fact in covers for number in frozenset().union(*of_fact))
        ones = dict.fromkeys(useful, (1, 1))
        limits = [(room.allowance, room.shares), (passages.selector.top_k, lambda _: ones)]
        self._limits = [_Limit(limit, shares(useful), facts) for limit, shares in limits if limit is not None]
        self._covers = sorted(covers, key=lambda of_fact: min(self._cost(c, frozenset()) for c in of_fact))

    def bound(self) -> Bound:
        """The best number of facts, or `most` of all where the work runs out."""
        try:
            self._top = self._most(0, frozenset())
            self._visit(0, frozenset(), 0)
        except TooMuch:
            self._found = self._top
        return Bound(self._found, EXACT if self._sure == self._found else UPPER_BOUND)

    def _visit(self, place: int, chosen: Cover, covered: int) -> None:
        """Goes on with the facts from `place`; the set covers `covered` of those before."""
        self._found = max(self._found, covered)
        if covered > self._sure and self._confirmed(chosen, covered):
            self._sure = covered
        if place == len(self._covers) or covered + self._most(place, chosen) <= self._sure:
            return
        for cover in sorted(self._covers[place], key=lambda c: (self._cost(c, chosen), sorted(c))):
            self._work.spend()
            grown = chosen | cover
            if self._room.fits(grown):
                self._visit(place + 1, grown, covered + 1)
                if self._sure == self._top or grown == chosen:
                    return  # no other choice for this fact can be better
        self._visit(place + 1, chosen, covered)

    def _most(self, place: int, chosen: Cover) -> int:
        """No choice that holds the set covers more of the facts from `place` than this.

        Every passage splits its share of a limit (`Room.shares`) evenly among the facts that have it in some cover. A
        fact costs no less than its cheapest cover does by these parts, passages of the set being free. For any choice
        that covers some of the facts, their costs add up to no more than the shares of its passages outside the set,
        because each part is counted once; so to no more than what the set leaves of the limit. The greatest number of
        costs that add up to no more than that, the smallest first, is a bound; the smaller one of all limits is taken.
        """
        covers = self._covers[place:]
        self._work.spend(sum(map(len, covers)))
        found = len(covers)
        for limit in self._limits:
            left = limit.left(chosen)
            costs = sorted(min(limit.cost(cover - chosen) for cover in of_fact) for of_fact in covers)
            found = min(found, sum(total <= left for total in accumulate(costs)))
        return found

    def _cost(self, cover: Cover, chosen: Cover) -> tuple[int, ...]:
        return tuple(limit.cost(cover - chosen) for limit in self._limits)


class _Limit:
    """A limit of the selector and the passages' shares of it, as whole numbers; shares are rounded down."""

    def __init__(self, limit: int, shares: dict[int, tuple[int, int]], facts: dict[int, int]):
        self._limit = limit * _SCALE
        self._whole = {n: above * _SCALE // below for n, (above, below) in shares.items()}
        self._split = {n: above * _SCALE // (below * facts[n]) for n, (above, below) in shares.items()}

    def left(self, chosen: Cover) -> int:
        return self._limit - sum(self._whole[number] for number in chosen)

    def cost(self, passages: Iterable[int]) -> int:
        return sum(self._split[number] for number in passages)


def _without(spans: tuple[Span, ...], taken: Iterable[Span]) -> tuple[Span, ...]:
    """What is left of the spans, which are disjoint and ascending."""
    left = list(spans)
    for start, end in taken:
        left = [piece for s, e in left for piece in ((s, min(e, start)), (max(s, end), e)) if piece[0] < piece[1]]
    return tuple(left)


def _no_worse(size: tuple[int, int], other: tuple[int, int]) -> bool:
    return size[0] <= other[0] and size[1] <= other[1]
