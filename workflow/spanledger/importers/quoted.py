"""Questions whose evidence is quoted: rows of (question, document, quote), and the questions made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spanledger.core.errors import nearest
from spanledger.core.records import DocumentKey
from spanledger.engine.schema import shown
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import Questions, asked_versions, evidence, facts, lost
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources

KINDS = ("questions", "quotes")
_NEEDED = ("question", "document", "quote")
_OPTIONAL = ("question_id", "occurrence")
_VERSIONED = ("version", "answer")
_DIGITS = 18  # of a number that a file of ours can hold
_LISTED = 20  # a message lists no more documents than this


@dataclass
class _Asked:
    """The rows of one question; `version` is that of a row without a quote."""

    text: str
    where: dict[str, Any]
    spans: list = field(default_factory=list)
    version: str = ""


def read_rows(sources: Sources, source: Path, versioned: bool = False) -> list[tuple[int, dict[str, Any]]]:
    """(line, row) of a table: CSV with a header (.tsv: tabs) or JSON lines (.jsonl). Every row has question, document,
    quote, question_id, occurrence, version and answer; what is not given is empty, and occurrence None or a whole number.
    The last two are known where there are versions alone."""
    optional = (*_OPTIONAL, *_VERSIONED) if versioned else _OPTIONAL
    if source.name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        shape: dict[str, Any] = dict.fromkeys(_NEEDED, (str,))
        shape |= {"question_id?": (str, int), "occurrence?": (int, type(None))}
        shape |= {f"{name}?": (str,) for name in _VERSIONED if versioned}
        rows = sources.json_lines(source, shape)
        for line, row in rows:
            for name in row:
                if name not in (*_NEEDED, *optional):
                    sources.problem(source, f"unknown key: {nearest(name, (*_NEEDED, *optional))}", line, field=name)
    else:
        rows = sources.table(source, _NEEDED, optional)
    found = []
    for line, row in rows:
        occurrence = row.get("occurrence")
        if isinstance(occurrence, str):
            occurrence = occurrence.strip() or None
            if occurrence and not (occurrence.isascii() and occurrence.isdigit() and len(occurrence) <= _DIGITS):
                sources.problem(source, f"expected a whole number, found {shown(occurrence)}", line, field="occurrence")
                continue
            occurrence = int(occurrence) if occurrence else None
        for name in ("document", "quote"):
            if not row[name] and row["quote" if name == "document" else "document"]:
                sources.problem(source, "is empty, though the other of document and quote is not", line, field=name)
        question_id = str(row.get("question_id", ""))
        empty = dict.fromkeys(_VERSIONED, "")
        found.append((line, {**empty, **row, "question_id": question_id, "occurrence": occurrence}))
    given = [bool(row["question_id"]) for _, row in found]
    if any(given) and not all(given):
        line = found[given.index(False)][0]
        sources.problem(source, "expected a question_id in all rows or in none", line, field="question_id")
    return found


class Quoted:
    """Makes questions of rows. `placings` are the texts by document, `current` leads from a doc_id to its current version:
    a row that names no version means that one."""

    def __init__(self, report: ImportReport, placings: Mapping[DocumentKey, Placing], current: Mapping[str, str]):
        self._report, self._placings, self._current = report, placings, current
        self._versions: dict[str, list[str]] = {}
        for doc_id, version in placings:
            self._versions.setdefault(doc_id, []).append(version)

    def questions(self, rows: list[tuple[int, dict[str, Any]]], file: str, fact_mode: str) -> Questions:
        """The questions of a table called `file`. Rows of one question_id, or without it of one question, belong together;
        for `fact_mode` see `questions.facts`. A row with neither document nor quote is a question that the documents do
        not answer, or those of the version that it names. Rejected is what `import_quotes` says."""
        report, asked = self._report, self._asked(rows, file)
        made = Questions(report)
        numbered = any(row["question_id"] for _, row in rows)
        for number, (key, one) in enumerate(asked.items(), 1):
            report.read["questions"] += 1
            query_id = key if numbered else f"q{number}"
            where = {**one.where, "question_id": query_id}
            if not made.claim(where, f"line {one.where['line']}", query_id, one.text, key):
                continue
            if fault := lost(one.spans, fact_mode, "quotes"):
                made.reject(where, fault)
                continue
            found = [
                evidence(place[0], self._placings[place].text, span, place[1])
                for place, span in dict.fromkeys(filter(None, one.spans))
            ]
            versions = asked_versions(found, self._current)
            if one.version and not found:
                known = {version for _, version in self._placings}
                if one.version not in known:
                    made.reject(where, f"no document has the version {one.version!r}: {nearest(one.version, known)}")
                    continue
                versions = [] if one.version in set(self._current.values()) else [one.version]
            no_answer = None if found else "absent"
            made.add(
                query_id, one.text, number, facts(found, fact_mode, "quote"), no_answer=no_answer, versions=versions
            )
        return made

    def _asked(self, rows: list[tuple[int, dict[str, Any]]], file: str) -> dict[str, _Asked]:
        report = self._report
        asked: dict[str, _Asked] = {}
        for line, row in rows:
            where = {"file": file, "line": line}
            key = row["question_id"] or row["question"]
            one = asked.setdefault(key, _Asked(row["question"], where))
            report.read["quotes"] += bool(row["document"] or row["quote"])
            if one.text != row["question"]:
                details = {"document": row["document"], "text": row["quote"]}
                report.reject(
                    "quotes",
                    where,
                    f"question_id {key!r} is that of another question, line {one.where['line']}",
                    **details,
                )
            elif row["document"] or row["quote"]:
                span = self._span(where, row)
                report.merged["quotes"] += span is not None and span in one.spans
                one.spans.append(span)
            else:
                one.version = row["version"]
        return asked

    def _span(self, where: dict[str, Any], row: dict[str, Any]) -> Any:
        """((doc_id, version), span) of a row's quote; None where it was rejected."""
        doc_id = row["document"]
        where = {**where, "question_id": row["question_id"], "document": doc_id}
        version = row["version"] or self._current.get(doc_id)
        placing = self._placings.get((doc_id, version))
        if placing is None:
            self._report.reject("quotes", where, self._unknown(doc_id, row["version"]), text=row["quote"])
            return None
        try:
            return (doc_id, version), placing.quote(row["quote"], row["occurrence"])
        except Misplaced as fault:
            self._report.reject_span("quotes", where, row["quote"], fault)
            return None

    def _unknown(self, doc_id: str, version: str) -> str:
        versions = self._versions.get(doc_id)
        if versions is None:
            few = len(self._versions) <= _LISTED
            known = nearest(doc_id, self._versions) if few else f"there are {len(self._versions)} others"
            return f"no document is called {doc_id!r}: {known}"
        if version:
            return f"document {doc_id!r} has no version {version!r}: {nearest(version, versions)}"
        return f"document {doc_id!r} has no current version: name one by version ({', '.join(versions)})"
