"""The selector: which candidates make a context, in which order, in what form, and why the others do not."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Query
from spanledger.selection.basket import Basket, Offer
from spanledger.selection.context import DOES_NOT_FIT, Context, Piece, Skipped
from spanledger.selection.mmr import MaximalMarginalRelevance
from spanledger.selection.rendering import Rendering
from spanledger.selection.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Selector:
    """Walks the candidates and takes each that fits.

    At most `top_k` passages (None: any number), and at most `budget` units of `unit` in the context as it would be sent
    (None: any length): in its passages, or in the whole text where `separator`, `template`, `header` or `footer` declare
    one (see `Rendering`). A passage is taken whole or not at all; one that does not fit is passed over and the walk goes
    on. Overlap is paid for each time.

    redundancy  drop: a candidate is passed over when the context holds all of its source characters already. One look
                at the context's spans of its document a candidate.
    mmr         the walk goes by maximal marginal relevance instead of rank (see `mmr`).
    parent      the passage is the chunk's parent, a chunk of another chunking that holds all of it, given once: a
                candidate whose parent is there is passed over. A chunk without a parent, or with one that the asker may
                not read, stands for itself. Parents come in the order of their best candidate.
    merge       chunks of one document version that overlap or touch become one passage, at the place of the first: the
                text of their spans together, joined by LF where there is a gap. Overlap is paid once, and each
                candidate's fit is worked out with the merged text; top_k counts what is taken before merging.

    Raises ValueError without a limit, for one below 1, for parent and merge together, and for a template with a fault.
    """

    top_k: int | None = None
    budget: int | None = None
    unit: str | None = None
    redundancy: str = "keep"
    mmr: MaximalMarginalRelevance | None = None
    parent: str | None = None
    merge: bool = False
    separator: str | None = None
    template: str | None = None
    header: str | None = None
    footer: str | None = None

    def __post_init__(self):
        if self.top_k is None and self.budget is None:
            raise ValueError("select: expected top_k, budget or both")
        for name in ("top_k", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"select: {name} must be at least 1, found {value}")
        if (self.budget is None) != (self.unit is None):
            raise ValueError("select: budget and unit belong together")
        if self.redundancy not in ("keep", "drop"):
            raise ValueError(f"select: redundancy '{self.redundancy}': expected keep or drop")
        if self.parent and self.merge:
            raise ValueError("select: parent and merge exclude each other")
        self.rendering  # noqa: B018  raises for a template with a fault

    @property
    def rendering(self) -> Rendering:
        """How its contexts become text."""
        return Rendering(self.separator, self.template, self.header, self.footer)

    @classmethod
    def of(cls, setting: dict[str, Any]) -> "Selector":
        """The selector of a resolved setting of the section select."""
        mmr = setting.get("mmr")
        own = {name: value for name, value in setting.items() if name != "method"}
        return cls(**{**own, "mmr": None if mmr is None else MaximalMarginalRelevance(**mmr)})

    @property
    def limits(self) -> "Selector":
        """The selector by which it is told what other choices could reach: itself."""
        return self

    def select(self, ranking: Ranking, shelf: Shelf, query: Query, acl: str = "ignore") -> Context:
        """The context of one query. `acl` is that of its eligibility: with `asker` a parent is given only to those who
        may read it."""
        walk = self.walk(ranking, shelf, query, acl)
        skipped: list[tuple[str, int | None, list[int]]] = []
        while (ordinal := walk.next()) is not None:
            reason = walk.put(ordinal)
            if reason is None:
                continue
            remaining = walk.basket.remaining
            if skipped and skipped[-1][:2] == (reason, remaining):
                skipped[-1][2].append(ordinal)
            else:
                skipped.append((reason, remaining, [ordinal]))
        runs = tuple(Skipped(reason, left, tuple(ordinals)) for reason, left, ordinals in skipped)
        return Context(ranking.query_id, tuple(walk.kept), runs, walk.pieces())

    def walk(self, ranking: Ranking, shelf: Shelf, query: Query, acl: str = "ignore") -> "Walk":
        """The same, a step at a time."""
        measure = shelf.measure(self.rendering, self.unit) if self.unit else None
        basket = Basket(shelf, self.top_k, self.budget, measure, self.redundancy == "drop", self.merge)
        return Walk(self, ranking, shelf, partial(self.parent_of, shelf, query, acl), basket)

    def parent_of(self, shelf: Shelf, query: Query, acl: str, ordinal: int) -> Chunk | None:
        """The parent that is given for a candidate; None where it stands for itself (see `Selector`)."""
        parent = shelf.parent(ordinal)
        if parent and acl == "asker" and parent.acl is not None and set(parent.acl).isdisjoint(query.groups):
            return None
        return parent


class Walk:
    """A walk of a selector over the candidates of one query, a step at a time. `kept` are those taken so far."""

    def __init__(
        self,
        selector: Selector,
        ranking: Ranking,
        shelf: Shelf,
        parent: Callable[[int], Chunk | None],
        basket: Basket,
    ):
        self.basket = basket
        self.kept: list[int] = []
        self._selector = selector
        self._chunks = ranking.chunks
        self._place = 0
        self._order = selector.mmr.order(ranking, partial(shelf.terms, selector.mmr.analyzer)) if selector.mmr else None
        self.parents = parent if selector.parent else None  # leads from a candidate to its parent; None: to none at all

    def copy(self) -> "Walk":
        """One that has come as far, and goes its own way from here."""
        other = copy(self)
        other.basket, other.kept = self.basket.copy(), [*self.kept]
        other._order = self._order.copy() if self._order else None
        return other

    def next(self) -> int | None:
        """The candidate that is to be looked at next, which is then behind; None at the end."""
        if self._order:
            return next(self._order, None)
        if self._place == len(self._chunks):
            return None
        self._place += 1
        return self._chunks[self._place - 1]

    def parent(self, ordinal: int) -> Chunk | None:
        """The parent that would be sent for a candidate."""
        return self.parents(ordinal) if self.parents else None

    def put(self, ordinal: int) -> str | None:
        """Takes a candidate, or says why not."""
        parent = self.parent(ordinal)
        refusal = self.basket.refusal(ordinal, parent)
        if refusal is not None:
            return refusal
        if self.basket.too_long(ordinal, parent):
            return DOES_NOT_FIT
        offer = self.basket.offer(ordinal, parent)
        if not self.basket.fits(offer):
            return DOES_NOT_FIT
        self.take(ordinal, offer)
        return None

    def offer(self, ordinal: int) -> Offer | str:
        """What taking a candidate would do, or why it is passed over (see `Basket.offer`)."""
        return self.basket.offer(ordinal, self.parent(ordinal))

    def take(self, ordinal: int, offer: Offer) -> None:
        """Takes a candidate; `offer` is what `offer` has just said of it."""
        self.basket.take(ordinal, self.parent(ordinal), offer)
        self.kept.append(ordinal)
        if self._order:
            self._order.take(ordinal)

    def parts(self, ordinal: int) -> dict[str, float] | None:
        """What a candidate's turn was decided by where the walk goes by maximal marginal relevance (see `mmr.Order.parts`);
        None where it goes by rank."""
        return self._order.parts(ordinal) if self._order else None

    def value(self, ordinal: int) -> float:
        """What a candidate is compared by where the walk goes by maximal marginal relevance."""
        return self._order.value(ordinal)

    def pieces(self) -> tuple[Piece, ...] | None:
        """What is sent where it is not the chunks themselves."""
        return self.basket.pieces() if self._selector.parent or self._selector.merge else None
