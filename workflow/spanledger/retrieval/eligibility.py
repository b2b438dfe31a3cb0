"""Eligibility: which chunks a query may be answered from. It comes before any statistic is computed.

A setting is a static filter (versions, visibility) and may read the query (the asker's groups, the versions asked about).
Queries that it treats alike form one eligibility class, and each class has an index of its own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from spanledger.core.records import Chunk, Document, DocumentKey, Query


@dataclass(frozen=True, slots=True)
class Eligibility:
    """One setting of the section eligibility.

    versions    all; current: those that the dataset names; asked: those that the query names, else the current ones
    visibility  the visibilities that are let in; None is all
    acl         ignore, or asker: only what the asker's groups may read
    """

    versions: str = "all"
    visibility: tuple[str, ...] | None = None
    acl: str = "ignore"

    @classmethod
    def of(cls, setting: dict[str, Any]) -> "Eligibility":
        visibility = setting.get("visibility")
        return cls(**{**setting, "visibility": None if visibility is None else tuple(visibility)})

    def admits(self, acl: tuple[str, ...] | None, document: Document, query: Query) -> bool:
        """Whether this query may be answered from a part of this document that only the groups of `acl` may read."""
        return next(self.against(acl, document, query), None) is None

    def against(self, acl: tuple[str, ...] | None, document: Document, query: Query) -> Iterator[str]:
        """The parts of the setting that keep the query from it: of versions, visibility and acl, in this order."""
        if self.versions == "asked" and query.versions:
            if document.version not in query.versions:
                yield "versions"
        elif self.versions != "all" and not document.current:
            yield "versions"
        if self.visibility is not None and document.visibility not in self.visibility:
            yield "visibility"
        if self.acl == "asker" and acl is not None and set(acl).isdisjoint(query.groups):
            yield "acl"

    def classes(self, queries: Iterable[Query]) -> list["EligibilityClass"]:
        """The queries by what the setting reads of them; classes in ascending order of (groups, versions), queries in
        their own order."""
        found: dict[tuple, list[Query]] = {}
        for query in sorted(queries, key=lambda q: q.order):
            groups = tuple(sorted(set(query.groups))) if self.acl == "asker" else None
            versions = tuple(sorted(set(query.versions))) if self.versions == "asked" else None
            found.setdefault((groups or (), versions or ()), []).append(query)
        return [
            EligibilityClass(f"class-{number}", groups, versions, tuple(members))
            for number, ((groups, versions), members) in enumerate(sorted(found.items(), key=lambda item: item[0]), 1)
        ]

    def eligible(self, chunks: Iterable[Chunk], documents: dict[DocumentKey, Document], query: Query) -> list[int]:
        """The ordinals of the chunks that the query may be answered from, ascending."""
        return [chunk.ordinal for chunk in chunks if self.admits(chunk.acl, documents[chunk.key], query)]


@dataclass(frozen=True, slots=True)
class EligibilityClass:
    """Queries that one eligibility setting treats alike."""

    name: str
    groups: tuple[str, ...]
    versions: tuple[str, ...]
    queries: tuple[Query, ...]
