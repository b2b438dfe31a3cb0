"""What a context can be made of: the passages that a selector makes of the chunks of a pool."""

from collections.abc import Container, Iterable, Sequence

from spanledger.core.records import Chunk, Query
from spanledger.gold import Evidence, Fact
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.selection.context import Context
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

Groups = list[tuple[Evidence, ...]]


class Passages:
    """The chunks of a table, numbered by ordinal, and after them the parents that a selector may give in their place.

    `rule` is the arm's coverage rule, `coverage` that of the chunk table by this rule, `acl` that of its eligibility.
    `joins` says whether passages cover a span together: by the rule span, and by one_chunk too where touching chunks are
    merged, because chunks that cover a span together touch each other there. `opaque` says that what a passage covers
    cannot be told from its chunks: by token_share merged text counts, and it has terms that are cut in each of them.
    `coverage` of this object answers for passages by their numbers, `of_chunks` is the one given.
    """

    def __init__(
        self, shelf: Shelf, parents: list[Chunk] | None, selector: Selector, rule: Rule, coverage: Coverage, acl: str
    ):
        self.shelf = shelf
        self.selector = selector
        self.joins = rule.name == "span" or (rule.name == "one_chunk" and selector.merge)
        self.opaque = rule.name == "token_share" and selector.merge
        self.every: Sequence[Chunk] = shelf.chunks
        self.coverage = coverage
        self.rule = rule
        self.of_chunks = coverage
        self.acl = acl
        self._measure = shelf.measure(selector.rendering, selector.unit) if selector.unit else None
        self._children: dict[int, list[int]] = {}
        if selector.parent:
            self.every = [*shelf.chunks, *(parents or ())]
            self.coverage = Coverage(self.every, rule)
            for chunk in shelf.chunks:
                parent = shelf.parent(chunk.ordinal)
                if parent is not None:
                    self._children.setdefault(parent.ordinal, []).append(chunk.ordinal)
        elif self.joins and rule.name != "span":
            self.coverage = Coverage(shelf.chunks, Rule({"rule": "span"}))

    def available(self, number: int, pool: Container[int], query: Query) -> bool:
        """Whether the selector would give this passage for some chunk of the pool."""
        if not self.selector.parent:
            return number in pool
        table = len(self.shelf.chunks)
        if number < table:
            return number in pool and self.selector.parent_of(self.shelf, query, self.acl, number) is None
        children = self._children.get(number - table, ())
        return any(
            child in pool and self.selector.parent_of(self.shelf, query, self.acl, child) is not None
            for child in children
        )

    def number(self, ordinal: int, query: Query) -> int:
        """The passage that the selector gives for a chunk."""
        if not self.selector.parent:
            return ordinal
        parent = self.selector.parent_of(self.shelf, query, self.acl, ordinal)
        return ordinal if parent is None else len(self.shelf.chunks) + parent.ordinal

    def offered(self, number: int, pool: Container[int], query: Query) -> int:
        """The first chunk of the pool that the selector gives such an available passage for."""
        table = len(self.shelf.chunks)
        if number < table:
            return number
        children = (child for child in self._children[number - table] if child in pool)
        return next(c for c in children if self.selector.parent_of(self.shelf, query, self.acl, c) is not None)

    def candidates(self, numbers: Iterable[int], pool: Container[int]) -> set[int]:
        """The chunks of the pool that such a passage may be given for."""
        table = len(self.shelf.chunks)
        chunks = (self._children.get(n - table, ()) if n >= table else (n,) for n in numbers)
        return {ordinal for of_passage in chunks for ordinal in of_passage if ordinal in pool}

    @property
    def adds_up(self) -> bool:
        """Whether chunks or parents fit into the budget, in any order, exactly where their lengths together are no more
        than `allowance`; else that is true of all that fit, and of others too."""
        return self._measure is None or self._measure.adds_up

    @property
    def allowance(self) -> int | None:
        """What the budget leaves for the lengths of chunks or parents; None without a budget."""
        return None if self._measure is None else self.selector.budget - self._measure.floor

    def length(self, number: int) -> int:
        """What a passage takes of the `allowance`, in the unit of the budget, as part of the context that is sent; 0
        without a budget."""
        return 0 if self._measure is None else self._measure.weight(self.every[number])

    def parts(self, fact: Fact, pool: Container[int], query: Query) -> tuple[Groups, dict[Evidence, list[int]]]:
        """The support groups that the passages of the pool cover, each span once, and for each of their spans the
        passages that have a part in covering it: where passages do not join, those that cover it alone."""
        groups: Groups = []
        parts: dict[Evidence, list[int]] = {}
        for group in fact.support:
            found = {evidence: self._parts(evidence, pool, query) for evidence in group}
            if all(self.coverage.span_covered(evidence, set(held)) for evidence, held in found.items()):
                groups.append(tuple(found))
                parts |= found
        return groups, parts

    def _parts(self, evidence: Evidence, pool: Container[int], query: Query) -> list[int]:
        held = [n for n in self.coverage.holders(evidence) if self.available(n, pool, query)]
        return held if self.joins else [n for n in held if self.coverage.span_covered(evidence, (n,))]

    def covered(self, facts: Sequence[Fact], context: Context) -> list[bool]:
        """Which of the facts a context of the selector covers."""
        if context.pieces is None:
            held = set(context.chunks)
            return [self.of_chunks.fact_covered(fact, held) for fact in facts]
        sent = Coverage(context.pieces, self.rule)
        return [sent.fact_covered(fact, range(len(context.pieces))) for fact in facts]
