"""Coverage of facts by passages: chunks of a table, or the passages of a context.

A group is covered when all its spans are (AND), a fact when any of its groups is (OR). When a span is covered, a rule says:

span         the union of the passages' raw spans of that document version contains it whole; touching spans join, and one
             missing character fails
one_chunk    the same of one passage alone
token_share  one passage holds at least the share `at_least` of the distinct terms of the span's text, wherever that
             passage stands; counts are compared, not rounded ratios. A span without terms is never covered.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol

from spanledger.core.analyzers import analyzer
from spanledger.core.offsets import OffsetMap
from spanledger.core.records import Document, DocumentKey
from spanledger.core.spans import Span, SpanIndex, covers, gaps, length, overlap, union
from spanledger.gold import Evidence, Fact

RULES = ("span", "one_chunk", "token_share")


class Passage(Protocol):
    """What can hold evidence: a chunk, or a piece of a context."""

    doc_id: str
    version: str
    spans: tuple[Span, ...]
    body: str

    @property
    def key(self) -> DocumentKey: ...


class Rule:
    """A coverage rule with its values: `setting` is the resolved section score.coverage, `documents` the normalised ones,
    whose text token_share reads. Raises ValueError for an unknown rule or analyzer."""

    def __init__(self, setting: dict[str, Any], documents: Iterable[Document] = ()):
        self.name = setting["rule"]
        if self.name not in RULES:
            raise ValueError(f"coverage rule '{self.name}': expected one of {', '.join(RULES)}")
        self._documents = {document.key: document for document in documents}
        self._needed: dict[Evidence, frozenset[str]] = {}
        self._held: dict[str, frozenset[str]] = {}
        if self.name == "token_share":
            self._at_least = Fraction(setting["at_least"])
            self._analyse: Callable[[str], list[str]] = analyzer(setting["analyzer"])

    def share_reached(self, evidence: Evidence, body: str) -> bool:
        """Whether a passage with this body holds enough of the distinct terms of the evidence."""
        held, needed = self.share(evidence, body)
        return needed > 0 and held >= self._at_least * needed

    def share(self, evidence: Evidence, body: str) -> tuple[int, int]:
        """How many of the distinct terms of the evidence a passage with this body holds, and how many there are. By
        the rule token_share alone."""
        if body not in self._held:
            self._held[body] = frozenset(self._analyse(body))
        needed = self._terms(evidence)
        return len(needed & self._held[body]), len(needed)

    def coverable(self, evidence: Evidence) -> bool:
        """Whether some passage could cover the span: not by token_share where its text has no term."""
        return self.name != "token_share" or bool(self._terms(evidence))

    def _terms(self, evidence: Evidence) -> frozenset[str]:
        if evidence not in self._needed:
            document = self._documents[evidence.key]
            start, end = OffsetMap(document.offsets).from_raw(evidence.span)
            self._needed[evidence] = frozenset(self._analyse(document.text[start:end]))
        return self._needed[evidence]


class Coverage:
    """Answers coverage questions about some passages, which are named by their place in the sequence given: for the
    chunks of a table, their ordinals."""

    def __init__(self, passages: Sequence[Passage], rule: Rule):
        self.rule = rule
        self._passages = passages
        spans: dict[DocumentKey, list[tuple[int, int, int]]] = {}
        for place, passage in enumerate(passages):
            spans.setdefault(passage.key, []).extend((start, end, place) for start, end in passage.spans)
        self._indexes = {key: SpanIndex(triples) for key, triples in spans.items()}
        self._holders: dict[Evidence, list[int]] = {}

    def holders(self, evidence: Evidence) -> list[int]:
        """The passages that can have a part in covering the span, in ascending order: by the span rules those that hold
        at least one character of it, by token_share those that cover it."""
        if evidence not in self._holders:
            self._holders[evidence] = self._find(evidence)
        return self._holders[evidence]

    def _find(self, evidence: Evidence) -> list[int]:
        if self.rule.name == "token_share":
            bodies = enumerate(passage.body for passage in self._passages)
            return [place for place, body in bodies if self.rule.share_reached(evidence, body)]
        return self.touching(evidence)

    def touching(self, evidence: Evidence) -> list[int]:
        """The passages that hold at least one character of the span, in ascending order, whatever the rule."""
        index = self._indexes.get(evidence.key)
        return sorted(set(index.touching(evidence.span))) if index else []

    def span_covered(self, evidence: Evidence, places: Container[int]) -> bool:
        """Whether those of the passages that are in `places` cover the span."""
        held = [self._passages[place].spans for place in self.holders(evidence) if place in places]
        if self.rule.name == "token_share":
            return bool(held)
        if self.rule.name == "one_chunk":
            return any(covers(spans, evidence.span) for spans in held)
        return covers([span for spans in held for span in spans], evidence.span)

    def helpful(self, evidence: Evidence, spans: Iterable[Span]) -> list[int]:
        """The passages that bring a context with these spans of the document nearer to covering the span: by `span`
        those that hold a character which it lacks, by the other rules those that cover it alone."""
        if self.rule.name == "span":
            lacking = gaps(spans, evidence.span)
            return [
                place
                for place in self.holders(evidence)
                if any(overlap(span, gap) for span in self._passages[place].spans for gap in lacking)
            ]
        return [place for place in self.holders(evidence) if self.span_covered(evidence, (place,))]

    def fact_covered(self, fact: Fact, places: Container[int]) -> bool:
        """Whether any group of the fact has all its spans covered."""
        return any(all(self.span_covered(evidence, places) for evidence in group) for group in fact.support)

    def source_lengths(self, places: Iterable[int]) -> tuple[int, int]:
        """Source characters of these passages: counted once for each passage that holds them, and counted once."""
        spans: dict[DocumentKey, list[Span]] = {}
        for place in places:
            spans.setdefault(self._passages[place].key, []).extend(self._passages[place].spans)
        return sum(map(length, spans.values())), sum(length(union(held)) for held in spans.values())
