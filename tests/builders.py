"""Small records for tests, with everything filled in that a test does not care about."""

from collections.abc import Iterable
from hashlib import sha256

from spanledger.core.records import Chunk, Document, Element, Query
from spanledger.core.spans import Span
from spanledger.gold import Evidence, Fact, Gold


def document(doc_id: str = "doc", text: str = "", version: str = "v1", **rest) -> Document:
    digest = sha256(text.encode()).hexdigest()
    return Document(doc_id, version, text, digest, digest, **rest)


def element(element_id: str, span: Span, doc_id: str = "doc", version: str = "v1", **rest) -> Element:
    return Element(element_id, doc_id, version, span, **rest)


def query(query_id: str = "q", text: str = "", **rest) -> Query:
    return Query(query_id, text, **rest)


def chunk(
    ordinal: int, body: str, doc_id: str = "doc", version: str = "v1", spans: Iterable[Span] = (), **rest
) -> Chunk:
    """A chunk whose spans, when none are given, are the first len(body) characters of its document."""
    spans = tuple(spans) or ((0, len(body)),)
    return Chunk(f"id-{ordinal}", ordinal, doc_id, version, spans, body, {"char": len(body)}, **rest)


def evidence(start: int, end: int, doc_id: str = "doc", version: str = "v1") -> Evidence:
    return Evidence(doc_id, version, (start, end))


def fact(fact_id: str, *groups: Iterable[Evidence]) -> Fact:
    """A fact with these support groups: any group (OR), and of a group every span (AND)."""
    return Fact(fact_id, tuple(map(tuple, groups)))


def gold(query_id: str, *facts: Fact, no_answer: str | None = None) -> Gold:
    return Gold(query_id, facts, no_answer)
