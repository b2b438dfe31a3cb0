"""Makes candidates of the entries of a run: a chunk table, and for each question a ranking over it.

What an entry names is looked up in the dataset: a question, and a document, a chunk of one of our chunkings, or spans of a
document, which become a chunk table of their own. An entry that names nothing, names it twice, or has offsets that the text
does not have is a problem. So is one that the asker may not have, unless such entries are dropped and counted.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spanledger.chunking import cut
from spanledger.chunking.piece import Piece
from spanledger.core.errors import Problem, nearest
from spanledger.core.offsets import OffsetMap, UnitOffsets
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, DocumentKey, Element, Query
from spanledger.core.spans import Span, check
from spanledger.exports.items import encoded
from spanledger.foreign.reading import Entry
from spanledger.retrieval.eligibility import Eligibility

_LISTED = 20  # known names that a message lists
SCORE, RANK, LINE = "score", "rank", "line"
Passage = tuple[DocumentKey, tuple[Span, ...]]


@dataclass
class Candidates:
    """`chunks` is the table, `chunked` its counters; `rankings` are those of all questions, in their order; `order` is what
    decided it (score, rank or line); `counts` are what was read and left out (see `report.words.READ`)."""

    chunks: list[Chunk]
    chunked: dict[str, Any]
    rankings: list[Ranking]
    order: str
    counts: dict[str, int]


@dataclass
class Reader:
    """Looks up the entries of one file. `queries` are those that are scored, `held_out` the ids of those that are not;
    `raw` and `documents` are the documents with raw and with normalised text. `problems` has the faults of the file and
    gains every other one; where the file has any, no rankings are made."""

    path: Path
    queries: list[Query]
    held_out: frozenset[str]
    raw: Iterable[Document]
    documents: list[Document]
    elements: list[Element]
    eligibility: Eligibility
    drop_forbidden: bool = False
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._documents = {document.key: document for document in self.documents}
        self._versions: dict[str, list[DocumentKey]] = {}
        for key in sorted(self._documents):
            self._versions.setdefault(key[0], []).append(key)
        known = [*(query.query_id for query in self.queries), *self.held_out]
        self._intact = not self.problems
        self._queries = {encoded(name): name for name in known} | {name: name for name in known}
        self._unclear = {encoded(name): name for name in known if encoded(name) != name and encoded(name) in known}

    def of_items(self, entries: list[Entry], chunks: list[Chunk], chunked: dict[str, Any], whole: bool) -> Candidates:
        """Candidates of entries that name documents (`whole`: the table has whole documents) or chunks of a table."""
        names = self._document_items(chunks) if whole else {chunk.chunk_id: [chunk.ordinal] for chunk in chunks}
        empty = 0
        placed = []
        asked = list(self._asked(entries))
        if asked and not any(entry.item in names for entry in asked):
            what = "document (chunks need --chunk)" if whole else "chunk of that chunking (documents need no --chunk)"
            message = f"none of its items is the id of a {what}; the first is {asked[0].item!r}"
            self.problems.append(Problem(str(self.path), message=message))
            asked = []
        for entry in asked:
            found = names.get(entry.item)
            if found is None:
                what = "document" if whole else "chunk"
                self._problem(entry, f"no {what} is called {entry.item!r}{_nearest(entry.item, names)}")
            elif len(found) > 1:
                versions = ", ".join(repr("@".join(chunks[o].key)) for o in found)
                self._problem(entry, f"{entry.item!r} has several versions: expected one of {versions}")
            elif found:
                placed.append((entry, found[0]))
            else:
                empty += 1
        return self._candidates(entries, placed, chunks, chunked, {"empty": empty})

    def of_spans(self, entries: list[Entry], unit: str) -> Candidates:
        """Candidates of entries that are spans of documents, counted in `unit` (see `UnitOffsets`)."""
        placings: dict[DocumentKey, _Placing] = {}
        raw = {document.key: document.text for document in self.raw}
        found: list[tuple[Entry, DocumentKey, tuple[Span, ...]]] = []
        for entry in self._asked(entries):
            key = self._key(entry)
            if key is None:
                continue
            if key not in placings:
                placings[key] = _Placing(raw[key], self._documents[key], unit)
            try:
                found.append((entry, key, placings[key].normalised(entry.spans)))
            except ValueError as error:
                self._problem(entry, f"{_shown(entry.spans)}: {error}")
        chunks, chunked = cut(self.documents, self.elements, "given", _Given((key, spans) for _, key, spans in found))
        ordinals = {(chunk.key, chunk.spans): chunk.ordinal for chunk in chunks}
        placed = [(entry, ordinals[key, placings[key].raw(spans)]) for entry, key, spans in found]
        return self._candidates(entries, placed, chunks, chunked, {})

    def _asked(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """The entries of questions that are scored."""
        for entry in entries:
            query_id = self._queries.get(entry.query_id)
            if entry.query_id in self._unclear:
                other = self._unclear[entry.query_id]
                self._problem(entry, f"is a question, and what {other!r} is called where a name is one word")
            elif query_id is None:
                known = {query.query_id for query in self.queries}
                self._problem(entry, f"no question is called {entry.query_id!r}{_nearest(entry.query_id, known)}")
            elif query_id not in self.held_out:
                yield entry

    def _document_items(self, chunks: list[Chunk]) -> dict[str, list[int]]:
        """The ordinals by each name of a document; of an empty one none."""
        ordinals = {chunk.key: chunk.ordinal for chunk in chunks}
        names: dict[str, dict[DocumentKey, None]] = {}
        for doc_id, version in sorted(self._documents):
            for name in (doc_id, f"{doc_id}@{version}"):
                for form in (name, encoded(name)):
                    names.setdefault(form, {})[doc_id, version] = None
        return {name: [ordinals[key] for key in keys if key in ordinals] for name, keys in names.items()}

    def _key(self, entry: Entry) -> DocumentKey | None:
        versions = self._versions.get(entry.item)
        if versions is None:
            self._problem(entry, f"no document is called {entry.item!r}{_nearest(entry.item, self._versions)}")
            return None
        if entry.version is None:
            if len(versions) == 1:
                return versions[0]
            several = ", ".join(version for _, version in versions)
            self._problem(entry, f"{entry.item!r} has several versions, and version is not given: {several}")
            return None
        if (entry.item, entry.version) in self._documents:
            return entry.item, entry.version
        known = nearest(entry.version, (version for _, version in versions))
        self._problem(entry, f"{entry.item!r} has no version {entry.version!r}: {known}")
        return None

    def _candidates(
        self,
        entries: list[Entry],
        placed: list[tuple[Entry, int]],
        chunks: list[Chunk],
        chunked: dict[str, Any],
        counts: dict[str, int],
    ) -> Candidates:
        first: dict[tuple[str, Any], Entry] = {}
        asked = {query.query_id: query for query in self.queries}
        by_query: dict[str, list[tuple[Entry, int]]] = {query_id: [] for query_id in asked}
        forbidden = 0
        for entry, ordinal in placed:
            query = asked[self._queries[entry.query_id]]
            chunk = chunks[ordinal]
            same = (chunk.key, entry.spans) if entry.spans else ordinal
            other = first.setdefault((query.query_id, same), entry)
            if other is not entry:
                self._problem(entry, f"stands on line {other.line} already")
            elif self.eligibility.admits(chunk.acl, self._documents[chunk.key], query):
                by_query[query.query_id].append((entry, ordinal))
            elif self.drop_forbidden:
                forbidden += 1
            else:
                message = f"leak: {'/'.join(chunk.key)} is not open to this question by the setting of eligibility"
                self._problem(entry, message)
        if not self._intact:
            return Candidates(chunks, chunked, [], LINE, counts)
        order = _order(entries)
        rankings, counted = [], {"merged": 0, "ties": 0, "disagreeing": 0}
        for query in sorted(self.queries, key=lambda query: query.order):
            listed = sorted(by_query[query.query_id], key=lambda one: _key_of(one, order, chunks))
            kept = {ordinal: entry for entry, ordinal in reversed(listed)}
            ordinals = tuple(dict.fromkeys(ordinal for _, ordinal in listed))
            counted["merged"] += len(listed) - len(kept)
            scores = [entry.score for entry, _ in listed]
            counted["ties"] += order == SCORE and len(set(scores)) < len(scores)
            ranks = [entry.rank for entry, _ in listed]
            counted["disagreeing"] += order == SCORE and None not in ranks and ranks != sorted(ranks)
            own = tuple(kept[ordinal].score for ordinal in ordinals)
            down = tuple(float(n) for n in range(len(ordinals), 0, -1))
            rankings.append(Ranking(query.query_id, ordinals, own if order == SCORE else down))
        named = {self._queries.get(entry.query_id) for entry in entries}
        counts = {
            "entries": len(entries),
            "queries": sum(query_id in named for query_id in asked),
            "missing": sum(query_id not in named for query_id in asked),
            "held_out": sum(self._queries.get(entry.query_id) in self.held_out for entry in entries),
            "forbidden": forbidden,
            "empty": 0,
            **counts,
            **counted,
        }
        return Candidates(chunks, chunked, rankings, order, counts)

    def _problem(self, entry: Entry, message: str) -> None:
        self.problems.append(Problem(str(self.path), entry.line, f"query '{entry.query_id}'", message=message))


class _Placing:
    """Places spans in one document; what was placed once is known. `unit` is what their offsets count in the raw text."""

    def __init__(self, raw: str, document: Document, unit: str):
        self._length, self._unit = len(raw), unit
        self._units = UnitOffsets(raw, unit)
        self._document = document
        self._offsets = OffsetMap(document.offsets)
        self._known: dict[tuple[Span, ...], tuple[Span, ...]] = {}
        self._raw: dict[tuple[Span, ...], tuple[Span, ...]] = {}

    def normalised(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        """The spans of the normalised text, each once. Raises ValueError, which says why, where there are none."""
        if spans not in self._known:
            places = [tuple(map(self._units.to_code_point, span)) for span in spans]
            if any(None in place for place in places):
                raise ValueError(f"outside the text, or inside a character of it ({self._unit})")
            if not check(places, self._length):
                raise ValueError("expected spans that are not empty, ascending and disjoint")
            new = tuple(dict.fromkeys(map(self._offsets.from_raw, places)))
            if not check(new, len(self._document.text)):
                raise ValueError("no text of its own is left once the document is normalised")
            self._known[spans] = new
        return self._known[spans]

    def raw(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        """The raw spans of normalised ones, as a chunk has them."""
        if spans not in self._raw:
            self._raw[spans] = tuple(map(self._offsets.to_raw, spans))
        return self._raw[spans]


class _Given:
    """A chunking method that gives spans which are known already, of the normalised text."""

    version = 1
    unit = "char"

    def __init__(self, passages: Iterable[Passage]):
        self._passages: dict[DocumentKey, list[tuple[Span, ...]]] = {}
        for key, spans in sorted(set(passages)):
            self._passages.setdefault(key, []).append(spans)

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        return map(Piece, self._passages.get(document.key, ()))


def _order(entries: list[Entry]) -> str:
    """What the order of candidates is read from: the best that every entry has."""
    if entries and entries[0].score is not None:
        return SCORE
    return RANK if entries and entries[0].rank is not None else LINE


def _key_of(one: tuple[Entry, int], order: str, chunks: list[Chunk]) -> tuple:
    entry, ordinal = one
    if order == LINE:
        return (entry.line,)
    chunk = chunks[ordinal]
    name = (chunk.doc_id, chunk.version, entry.spans) if entry.spans else (entry.item,)
    rank = (entry.rank is None, entry.rank or 0)
    return (-entry.score, *rank, *name) if order == SCORE else (*rank, *name)


def _nearest(name: str, known: Mapping[str, Any] | set[str]) -> str:
    return f": {nearest(name, known)}" if len(known) <= _LISTED else ""


def _shown(spans: Iterable[Span]) -> str:
    return " ".join(f"[{start}, {end})" for start, end in spans)
