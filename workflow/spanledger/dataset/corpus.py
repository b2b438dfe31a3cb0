"""The documents and elements of a dataset folder: their texts, found and checked, and who may read what."""

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any

from spanledger.core import files
from spanledger.core.errors import Problem
from spanledger.core.records import Document, DocumentKey, Element
from spanledger.core.spans import SpanIndex
from spanledger.dataset import tables
from spanledger.dataset.anchors import AnchorError, AnchorText
from spanledger.dataset.strict_json import unreadable
from spanledger.dataset.tables import Row, Table
from spanledger.engine import schema

DOCUMENT_IDS = ("doc_id", "version")
ELEMENT_IDS = ("element_id",)


class Corpus:
    """Documents and elements that refer to each other rightly; `problems` tells of those that do not.

    `texts` are raw, by document, with offsets in the dataset's unit; `elements` are by element_id. Both hold what
    has no problem. `keys` are all documents that the files name; `named` is False where that file could not be read.
    """

    def __init__(self, folder: Path, documents: Table, elements: Table, unit: str, separator: str):
        self.problems: list[Problem] = []
        self.texts: dict[DocumentKey, AnchorText] = {}
        self.elements: dict[str, Element] = {}
        self.named, self._elements_read = documents.read, elements.read
        self._folder, self._unit = folder, unit
        self._rows = tables.unique(documents.rows, DOCUMENT_IDS, self.problems)
        self._element_rows = tables.unique(elements.rows, ELEMENT_IDS, self.problems)
        self.keys = set(self._rows) | _named(documents.broken, DOCUMENT_IDS)
        self._known_elements = set(self._element_rows) | {name for (name,) in _named(elements.broken, ELEMENT_IDS)}
        # without one of its elements a document would have another text
        self._torn = _named(elements.broken, DOCUMENT_IDS)
        self.problems += tables.positions(documents.rows)
        self._read_texts()
        self._join_elements(separator)
        self._place_elements()
        self._check_headers()
        self._guarded = self._guard()

    def documents(self, current: Collection[DocumentKey]) -> list[Document]:
        """The documents in their order; `current` holds those that are."""
        found = []
        for key, anchors in self.texts.items():
            value = schema.defaults(self._rows[key].value, "dataset", "document")
            digest = files.sha256(anchors.text.encode("utf-8"))
            document = Document(
                *key,
                text=anchors.text,
                text_sha256=digest,
                raw_sha256=digest,
                current=key in current,
                visibility=value["visibility"],
                acl=names(value, "acl"),
                position=position_of(value),
                metadata=dict(value["metadata"]),
            )
            found.append(document)
        return sorted(found, key=lambda document: document.order)

    def unknown_document(self, key: DocumentKey) -> tuple[str, str] | None:
        """(key at fault, message) where no such document exists, else None; None too where the files may hold it."""
        if key in self.keys or not self.named:
            return None
        doc_id, version = key
        versions = {other for name, other in self.keys if name == doc_id}
        if versions:
            return "version", f"document {doc_id!r} has no version {version!r}: {tables.unknown(version, versions)}"
        return "doc_id", f"no document is called {doc_id!r}: {tables.unknown(doc_id, {name for name, _ in self.keys})}"

    def unknown_element(self, element_id: str) -> tuple[str, str] | None:
        """As `unknown_document`, for an element."""
        if element_id in self._known_elements or not self._elements_read:
            return None
        return "element_id", f"no element is called {element_id!r}: {tables.unknown(element_id, self._known_elements)}"

    def refusals(self, key: DocumentKey, span: tuple[int, int], groups: tuple[str, ...]) -> list[str]:
        """What keeps an asker of these groups from reading a span: the document or the elements that shut them out."""
        document = names(self._rows[key].value, "acl")
        shut = [] if _admits(document, groups) else [f"the document is for {', '.join(document)}"]
        index, elements = self._guarded.get(key, (None, []))
        for place in index.touching(span) if index else []:
            if not _admits(elements[place].acl, groups):
                shut.append(f"element {elements[place].element_id!r} is for {', '.join(elements[place].acl)}")
        return shut

    def _read_texts(self) -> None:
        for key, row in self._rows.items():
            if "text" in row.value:
                self._keep(key, row.value["text"])
            elif "path" in row.value:
                try:
                    self._keep(key, _file_text(self._folder, row.value["path"]))
                except ValueError as error:
                    self.problems.append(row.problem("path", str(error)))

    def _keep(self, key: DocumentKey, text: str) -> None:
        row, digest = self._rows[key], files.sha256(text.encode("utf-8"))
        if row.value.get("sha256", digest).lower() != digest:
            self.problems.append(row.problem("sha256", f"the text's digest is {digest}, found {row.value['sha256']}"))
        self.texts[key] = AnchorText(text, self._unit)

    def _join_elements(self, separator: str) -> None:
        parts: dict[DocumentKey, list[Row]] = defaultdict(list)
        for row in self._element_rows.values():
            if "start" not in row.value:
                parts[_document_of(row)].append(row)
        for key, row in self._rows.items():
            if "text" in row.value or "path" in row.value or key in self._torn or not self._elements_read:
                continue
            message = "is needed here: the elements make up the document in this order"
            faults = [part.problem("position", message) for part in parts[key] if "position" not in part.value]
            faults += tables.repeated_positions(parts[key])
            if not parts[key]:
                faults.append(row.problem("", "expected text, path, or elements with a text that make up the document"))
            self.problems += faults
            if not faults:
                ordered = sorted(parts[key], key=lambda part: part.value["position"])
                self._keep(key, separator.join(part.value["text"] for part in ordered))
                here = 0
                for part in ordered:
                    self._add(part, (here, here + len(part.value["text"])))
                    here += len(part.value["text"]) + len(separator)

    def _place_elements(self) -> None:
        for row in self._element_rows.values():
            key, value = _document_of(row), row.value
            if unknown := self.unknown_document(key):
                self.problems.append(row.problem(*unknown))
            if key not in self._rows:
                continue
            whole = "text" in self._rows[key].value or "path" in self._rows[key].value
            if not whole and "start" in value:
                message = "its document has no text: elements make it up, by text and position, not by start and end"
                self.problems.append(row.problem("start", message))
            if whole and "start" not in value:
                self.problems.append(row.problem("start", "start and end are needed: its document has a text already"))
            if whole and "position" in value:
                message = "only orders elements that make up a document; here start and end do"
                self.problems.append(row.problem("position", message))
            if whole and "start" in value and key in self.texts:
                try:
                    self._add(row, self.texts[key].span(value["start"], value["end"], value.get("text")))
                except AnchorError as error:
                    self.problems.append(row.problem(error.key, str(error)))

    def _add(self, row: Row, span: tuple[int, int]) -> None:
        value = schema.defaults(row.value, "dataset", "element")
        self.elements[value["element_id"]] = Element(
            value["element_id"],
            *_document_of(row),
            span=span,
            kind=value["kind"],
            section_path=tuple(value["section_path"]),
            acl=names(value, "acl"),
            header_id=value.get("header_id"),
            labels=dict(value["labels"]),
        )

    def _check_headers(self) -> None:
        for element_id, element in self.elements.items():
            row = self._element_rows[element_id]
            if element.header_id is None:
                continue
            if unknown := self.unknown_element(element.header_id):
                self.problems.append(row.problem("header_id", unknown[1]))
            header = self.elements.get(element.header_id)
            if header is None:
                continue
            if header.kind != "table_header":
                message = f"{header.element_id!r} is of kind {header.kind!r}, expected table_header"
                self.problems.append(row.problem("header_id", message))
            for name in ("doc_id", "version", "section_path", "acl"):
                mine, its = getattr(element, name), getattr(header, name)
                if mine != its:
                    message = (
                        f"header {header.element_id!r} has another {name}: expected {_told(mine)}, found {_told(its)}"
                    )
                    self.problems.append(row.problem("header_id", f"{message}; what it says would leak"))

    def _guard(self) -> dict[DocumentKey, tuple[SpanIndex, list[Element]]]:
        guarded: dict[DocumentKey, list[Element]] = defaultdict(list)
        for element in sorted(self.elements.values(), key=lambda element: element.order):
            if element.acl is not None:
                guarded[element.doc_id, element.version].append(element)
        return {
            key: (SpanIndex((*element.span, place) for place, element in enumerate(elements)), elements)
            for key, elements in guarded.items()
        }


def names(value: dict[str, Any], key: str) -> tuple[str, ...] | None:
    """A list of names in a record, sorted, because the order in which they stand means nothing; None: not given."""
    return tuple(sorted(value[key])) if key in value else None


def position_of(value: dict[str, Any]) -> int | None:
    """The position in a record; JSON may write a whole number as 1.0."""
    return int(value["position"]) if "position" in value else None


def _admits(acl: tuple[str, ...] | None, groups: tuple[str, ...]) -> bool:
    return acl is None or not set(acl).isdisjoint(groups)


def _document_of(row: Row) -> DocumentKey:
    return row.value["doc_id"], row.value["version"]


def _named(rows: list[Row], ids: tuple[str, ...]) -> set[tuple[str, ...]]:
    found = (tuple(row.value.get(name) for name in ids) for row in rows)
    return {key for key in found if all(isinstance(part, str) for part in key)}


def _told(value: Any) -> str:
    return "none" if value is None else schema.shown(value)


def _file_text(folder: Path, name: str) -> str:
    root = folder.resolve()
    try:
        path = (root / name).resolve()
        if Path(name).is_absolute() or not path.is_relative_to(root):
            raise ValueError(f"must stay inside the dataset folder, found {name!r}")
        if path.exists() and not path.is_file():
            raise ValueError(f"{name!r} is no file")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"the file {name!r} is no UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise ValueError(f"{name!r}: {unreadable(error)}") from None
    except RuntimeError:
        raise ValueError(f"{name!r} is a link that leads to itself") from None
