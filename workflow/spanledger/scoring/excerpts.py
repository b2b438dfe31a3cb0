"""Span-level metrics: how much of a context is evidence, and how much of the evidence is in the context, by characters.

The excerpts of a query are, of each fact, the spans of the support group whose greatest share is in the context (the first
of equal ones), each character once. With R the retrieved characters, a character counted once for each passage that holds
it, and S the distinct ones of them that are in an excerpt E:

precision         S / R
recall            S / E
iou               S / (R + E - S)
precision_omega   the precision of the best possible retrieval of whole chunks: of the union of all eligible chunks that
                  share a character with an excerpt, the part that is excerpt

Source: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma technical report, 2024), there over
tokens of the text and computed over characters. In their published figures a chunk that only touches an excerpt counts
for precision_omega too (closed intervals): `touching` does that, and is there to compare with them alone.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from spanledger.core.records import DocumentKey
from spanledger.core.spans import Span, length, union
from spanledger.gold import Evidence, Fact

Held = Iterable[tuple[DocumentKey, tuple[Span, ...]]]


def span_metrics(
    facts: Iterable[Fact], passages: Held, chunks_near: Callable[[Evidence, bool], Held], touching: bool = False
) -> dict[str, Any] | None:
    """The characters behind the four metrics, as whole numbers, so that means are exact; None for a query without facts.

    `passages` are what was sent. `chunks_near` gives the eligible chunks that share a character with the evidence, or,
    when its second argument is true, also those that touch it.
    """
    facts = list(facts)
    if not facts:
        return None
    sent = list(passages)
    held = _by_document(sent)
    chosen = [evidence for fact in facts for evidence in _best_group(fact, held)]
    excerpts = _by_document((evidence.key, (evidence.span,)) for evidence in chosen)
    near = _by_document(chunk for evidence in chosen for chunk in chunks_near(evidence, touching))
    return {
        "retrieved": sum(length(spans) for _, spans in sent),
        "excerpts": sum(map(length, excerpts.values())),
        "shared": _shared(held, excerpts),
        "omega_retrieved": sum(map(length, near.values())),
        "omega_shared": _shared(near, excerpts),
    }


def precision(counted: dict[str, int]) -> Fraction | None:
    """Shared by retrieved characters; None where nothing was retrieved."""
    return Fraction(counted["shared"], counted["retrieved"]) if counted["retrieved"] else None


def recall(counted: dict[str, int]) -> Fraction:
    """Shared by excerpt characters."""
    return Fraction(counted["shared"], counted["excerpts"])


def iou(counted: dict[str, int]) -> Fraction:
    """Intersection over union, repeats in the retrieved text counted each time."""
    return Fraction(counted["shared"], counted["retrieved"] + counted["excerpts"] - counted["shared"])


def precision_omega(counted: dict[str, int]) -> Fraction:
    """The precision of taking every chunk that holds evidence; 0 where no chunk does, as there."""
    return Fraction(counted["omega_shared"], counted["omega_retrieved"]) if counted["omega_retrieved"] else Fraction(0)


def _best_group(fact: Fact, held: dict[DocumentKey, list[Span]]) -> tuple[Evidence, ...]:
    def share(group: tuple[Evidence, ...]) -> Fraction:
        spans = _by_document((evidence.key, (evidence.span,)) for evidence in group)
        return Fraction(_shared(held, spans), sum(map(length, spans.values())))

    return max(fact.support, key=share)


def _by_document(spans: Held) -> dict[DocumentKey, list[Span]]:
    found: dict[DocumentKey, list[Span]] = {}
    for key, parts in spans:
        found.setdefault(key, []).extend(parts)
    return {key: union(parts) for key, parts in found.items()}


def _shared(first: dict[DocumentKey, list[Span]], second: dict[DocumentKey, list[Span]]) -> int:
    """The characters that both hold; each maps to disjoint spans."""
    total = 0
    for key in first.keys() & second.keys():
        total += length(first[key]) + length(second[key]) - length(union([*first[key], *second[key]]))
    return total
