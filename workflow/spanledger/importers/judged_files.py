"""Reads documents, topics and graded judgements (qrels) as TREC and BEIR write them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanledger.engine.schema import shown
from spanledger.importers import sgml
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import ARCHIVES, read_texts

DOCUMENT_ID = ("_id", "doc_id", "docno", "docid", "id")
TEXT = ("text", "contents", "body")


@dataclass(frozen=True, slots=True)
class Named:
    """A document or a topic as the source has it, and where: a file name and, where it has lines, a line."""

    name: str
    text: str
    file: str
    line: int = 0
    title: str = ""

    @property
    def where(self) -> dict[str, Any]:
        return {"file": self.file, **({"line": self.line} if self.line else {})}

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Judged:
    """One line of a qrels file."""

    query_id: str
    doc_id: str
    relevance: int
    file: str
    line: int


def read_documents(sources: Sources, root: Path, report: ImportReport, ids: str = "stem") -> list[Named]:
    """The documents of a JSON lines file (.jsonl, .json), of a folder or tar archive of text and HTML files, or of TREC
    SGML (a file, or a folder or archive whose first file begins with <DOC>). Text and HTML files are called by their name
    without its ending, or with `ids` path by their path."""
    plain = root.name.lower().removesuffix(".gz")
    if root.is_dir() or root.name.lower().endswith(ARCHIVES):
        texts = read_texts(sources, root, report)
        if texts and _is_sgml(texts[0].text):
            report.read["documents"] = 0
            return [one for text in texts for one in _sgml(sources, root, text.path, text.text, report)]
        return [Named(text.stem if ids == "stem" else text.path, text.text, text.path, 0, text.title) for text in texts]
    if plain.endswith((".jsonl", ".ndjson", ".json")):
        return read_json_documents(sources, root, report)
    text = sources.text(root)
    if text is None:
        return []
    if _is_sgml(text):
        return list(_sgml(sources, root, root.name, text, report))
    sources.problem(root, "expected JSON lines (.jsonl), a folder, a tar archive, or SGML that begins with <DOC>")
    return []


def read_json_documents(sources: Sources, path: Path, report: ImportReport) -> list[Named]:
    """One document a line. Its id is the first of DOCUMENT_ID that the line has, its text the first of TEXT; a title stands
    on a line of its own in front of it, but not where the text begins with it already."""
    shape = {f"{name}?": (str, int, type(None)) for name in DOCUMENT_ID}
    shape |= {f"{name}?": (str, type(None)) for name in (*TEXT, "title")}
    found = []
    for line, value in sources.json_lines(path, shape):
        ids = [value[name] for name in DOCUMENT_ID if value.get(name) is not None]
        texts = [value[name] for name in TEXT if value.get(name) is not None]
        for what, names in ((ids, DOCUMENT_ID), (texts, TEXT)):
            if not what:
                sources.problem(path, f"expected one of the keys {', '.join(names)}", line)
        if ids and texts:
            title = value.get("title") or ""
            found.append(Named(str(ids[0]), _titled(title, texts[0]), path.name, line, title))
    report.read["documents"] += len(found)
    return found


def read_topics(sources: Sources, path: Path, fields: Iterable[str]) -> list[Named]:
    """The topics of a file of tab-separated id and text, or of TREC SGML, of which `fields` are joined by one space."""
    text = sources.text(path)
    if text is None:
        return []
    if text.lstrip().startswith("<"):
        found = []
        for part in sgml.topics(text):
            held = dict(part.fields)
            if not part.name:
                sources.problem(path, "a topic without a number", part.line)
            found.append(Named(part.name, " ".join(filter(None, map(held.get, fields))), path.name, part.line))
        if not found:
            sources.problem(path, "begins with <, but holds no <top> and no <DOC>")
        return found
    found = []
    for line, content in enumerate(text.split("\n"), 1):
        name, tab, rest = content.rstrip("\r").partition("\t")
        if tab:
            found.append(Named(name.strip(), rest, path.name, line))
        elif name.strip():
            sources.problem(path, "expected an id, a tab and a text", line)
    return found


def read_qrels(sources: Sources, path: Path) -> list[Judged]:
    """The judgements of a TREC file (query, anything, document, grade, separated by white space) or of a BEIR one (query,
    document, grade, separated by tabs, with a header)."""
    found = []
    for line, content in enumerate((sources.text(path) or "").split("\n"), 1):
        content = content.rstrip("\r")
        cells = content.split("\t") if content.count("\t") == 2 else content.split()
        if not content.strip() or (line == 1 and cells == ["query-id", "corpus-id", "score"]):
            continue
        if len(cells) not in (3, 4):
            expected = "query, 0, document and grade, or query, document and grade between tabs"
            sources.problem(path, f"expected {expected}, found {len(cells)} cells", line)
        elif not re.fullmatch(r"[+-]?\d{1,15}", cells[-1], re.ASCII):
            sources.problem(path, f"expected a whole number as grade, found {cells[-1]!r}", line)
        else:
            found.append(Judged(cells[0], cells[-2], int(cells[-1]), path.name, line))
    return found


def _is_sgml(text: str) -> bool:
    return text.lstrip()[:5].upper() == "<DOC>"


def _sgml(sources: Sources, root: Path, name: str, text: str, report: ImportReport) -> Iterator[Named]:
    for part in sgml.documents(text):
        if not part.name:
            sources.problem(root, "a document without DOCNO", part.line, record=name)
        report.read["documents"] += 1
        yield Named(part.name, part.text, name, part.line)
    if rest := sgml.outside(text):
        sources.problem(root, f"expected <DOC>...</DOC> and nothing else, found {shown(rest)}", record=name)
    report.notes["sgml"] = f"{report.read['documents']} documents: {sgml.STATED}"


def _titled(title: str, text: str) -> str:
    return text if not title or text.startswith(title) else f"{title}\n{text}"
