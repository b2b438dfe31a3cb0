"""Coverage of facts by sets of chunks: the exact span rule.

A span is covered when the union of the chunks' raw spans of that document version contains it whole; touching spans join
and one missing character fails. A group is covered when all its spans are (AND), a fact when any of its groups is (OR).
"""

from collections.abc import Container, Iterable

from spanledger.core.records import Chunk
from spanledger.core.spans import Span, SpanIndex, covers, length, union
from spanledger.gold import Evidence, Fact


class Coverage:
    """Answers coverage questions about the chunks of one table. Sets of chunks are given as ordinals."""

    def __init__(self, chunks: list[Chunk]):
        self._chunks = chunks
        spans: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for chunk in chunks:
            spans.setdefault(chunk.key, []).extend((start, end, chunk.ordinal) for start, end in chunk.spans)
        self._indexes = {key: SpanIndex(triples) for key, triples in spans.items()}
        self._holders: dict[Evidence, list[int]] = {}

    def holders(self, evidence: Evidence) -> list[int]:
        """The chunks that hold at least one character of the span, in ascending order."""
        if evidence not in self._holders:
            index = self._indexes.get(evidence.key)
            self._holders[evidence] = sorted(set(index.touching(evidence.span))) if index else []
        return self._holders[evidence]

    def span_covered(self, evidence: Evidence, ordinals: Container[int]) -> bool:
        """Whether those of the chunks that are in `ordinals` cover the span together."""
        held: list[Span] = []
        for ordinal in self.holders(evidence):
            if ordinal in ordinals:
                held.extend(self._chunks[ordinal].spans)
        return covers(held, evidence.span)

    def fact_covered(self, fact: Fact, ordinals: Container[int]) -> bool:
        """Whether any group of the fact has all its spans covered."""
        return any(all(self.span_covered(evidence, ordinals) for evidence in group) for group in fact.support)

    def source_lengths(self, ordinals: Iterable[int]) -> tuple[int, int]:
        """Source characters of these chunks together: counted once for each chunk that holds them, and counted once."""
        spans: dict[tuple[str, str], list[Span]] = {}
        for ordinal in ordinals:
            spans.setdefault(self._chunks[ordinal].key, []).extend(self._chunks[ordinal].spans)
        return sum(map(length, spans.values())), sum(length(union(held)) for held in spans.values())
