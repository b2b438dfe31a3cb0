"""Span-level metrics: how much of a context is evidence, and how much of the evidence is in the context, by characters.

The excerpts E of a query are, of each fact, the spans of one support group, each character once: of several groups the one
of which the greatest share is there, the first of equal ones; for a perfect retrieval, where nothing is there yet, the one
that gives the fact the greatest precision. `core.span_measures` has the metrics.

All is over raw, half-open spans, in whole numbers. It costs one look at the span index for
each span of evidence and pool, and a union of what it finds; the published kind one search for each chunk in its document
beside it, once an arm.

Source: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma technical report, July 2024). It names
the metrics over tokens and computes them over characters. Its evaluator looks for the text of a chunk, without a full stop
at its end, and takes the first place where it occurs, so that a text which stands twice has its second chunk at the first
place; and a chunk that only touches an excerpt (closed intervals) counts as sharing with it. The published kind does both.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from fractions import Fraction

from spanledger.core.offsets import OffsetMap
from spanledger.core.records import Chunk, Document, DocumentKey
from spanledger.core.spans import Span, SpanIndex, length, union
from spanledger.gold import Evidence, Fact
from spanledger.scoring.coverage import Coverage, Passage

Group = tuple[Evidence, ...]
Held = dict[DocumentKey, list[Span]]
Near = Callable[[Evidence], Iterable[tuple[DocumentKey, Sequence[Span]]]]


class Excerpts:
    """Counts the characters of the queries of one arm: `coverage` is that of its chunk table, `documents` the normalised
    ones, `names` the metrics wanted."""

    def __init__(
        self, chunks: Sequence[Chunk], documents: Iterable[Document], coverage: Coverage, names: Iterable[str]
    ):
        self._chunks = chunks
        self._coverage = coverage
        self._published = _Anchored(chunks, documents) if "precision_omega_published" in set(names) else None

    def of(
        self,
        facts: Sequence[Fact],
        passages: Sequence[Passage],
        sent: Coverage,
        candidates: Sequence[int],
        eligible: Container[int] | None,
    ) -> dict[str, dict[str, int] | None] | None:
        """Retrieved, evidence and shared characters of the context, of the candidates and of a perfect retrieval; None for
        a query without facts. `sent` is the coverage of the context's `passages`; where the `eligible` chunks are not
        known (None), nothing is said of a perfect retrieval."""
        if not facts:
            return None
        listed = set(candidates)
        counted = {
            "context": _shared(facts, _near(passages, sent, range(len(passages)))),
            "candidates": _shared(facts, _near(self._chunks, self._coverage, listed)),
            "omega": None if eligible is None else _perfect(facts, _near(self._chunks, self._coverage, eligible)),
        }
        counted["context"]["retrieved"] = sum(length(passage.spans) for passage in passages)
        counted["candidates"]["retrieved"] = sum(length(self._chunks[ordinal].spans) for ordinal in listed)
        if self._published:
            counted["omega_published"] = None
        if self._published and eligible is not None:
            counted["omega_published"] = _perfect(facts, lambda one: self._published.near(one, eligible))
        return counted


class _Anchored:
    """Chunks where the published evaluator puts them. A chunk of several spans, whose text does not stand as it is in the
    document, stays where it is."""

    def __init__(self, chunks: Sequence[Chunk], documents: Iterable[Document]):
        texts = {document.key: document for document in documents}
        triples: dict[DocumentKey, list[tuple[int, int, int]]] = {}
        self._spans: list[tuple[Span, ...]] = []
        for chunk in chunks:
            document = texts[chunk.key]
            body = chunk.body.removesuffix(".")
            start = document.text.find(body) if body else -1
            spans = chunk.spans
            if start >= 0:
                spans = (OffsetMap(document.offsets).to_raw((start, start + len(body))),)
            self._spans.append(spans)
            triples.setdefault(chunk.key, []).extend((*span, chunk.ordinal) for span in spans)
        self._indexes = {key: SpanIndex(found) for key, found in triples.items()}

    def near(self, evidence: Evidence, eligible: Container[int]) -> Iterable[tuple[DocumentKey, Sequence[Span]]]:
        """The eligible chunks that share a character with the evidence or touch it."""
        index = self._indexes.get(evidence.key)
        start, end = evidence.span
        found = index.touching((start - 1, end + 1)) if index else []
        return [(evidence.key, self._spans[ordinal]) for ordinal in found if ordinal in eligible]


def _near(passages: Sequence[Passage], coverage: Coverage, places: Container[int]) -> Near:
    """Gives those of the passages at these places that share a character with a span of evidence."""
    return lambda evidence: [
        (evidence.key, passages[place].spans) for place in coverage.touching(evidence) if place in places
    ]


def _shared(facts: Iterable[Fact], near: Near) -> dict[str, int]:
    """The characters of the excerpts, and those of them that are there."""
    chosen = [max(fact.support, key=lambda group: _share(group, near)) for fact in facts]
    spans = _by_document((one.key, (one.span,)) for group in chosen for one in group)
    return {"evidence": sum(map(length, spans.values())), "shared": _together(spans, _pool(chosen, near))}


def _perfect(facts: Iterable[Fact], near: Near) -> dict[str, int]:
    """The characters of all chunks that hold evidence, and those of them that are excerpt."""
    chosen = [max(fact.support, key=lambda group: _precision(group, near)) for fact in facts]
    spans = _by_document((one.key, (one.span,)) for group in chosen for one in group)
    pool = _pool(chosen, near)
    return {"retrieved": sum(map(length, pool.values())), "shared": _together(spans, pool)}


def _share(group: Group, near: Near) -> Fraction:
    found = _by_document((one.key, (one.span,)) for one in group)
    return Fraction(_together(found, _pool([group], near)), sum(map(length, found.values())))


def _precision(group: Group, near: Near) -> Fraction:
    pool = _pool([group], near)
    found = _by_document((one.key, (one.span,)) for one in group)
    return Fraction(_together(found, pool), max(sum(map(length, pool.values())), 1))


def _pool(groups: Iterable[Group], near: Near) -> Held:
    return _by_document(held for group in groups for one in group for held in near(one))


def _by_document(spans: Iterable[tuple[DocumentKey, Sequence[Span]]]) -> Held:
    found: Held = {}
    for key, parts in spans:
        found.setdefault(key, []).extend(parts)
    return {key: union(parts) for key, parts in found.items()}


def _together(first: Held, second: Held) -> int:
    """The characters that both hold; each maps to disjoint spans."""
    total = 0
    for key in first.keys() & second.keys():
        total += length(first[key]) + length(second[key]) - length(union([*first[key], *second[key]]))
    return total
