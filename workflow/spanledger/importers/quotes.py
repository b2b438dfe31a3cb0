"""Imports questions whose evidence is quoted: a table of (question, document, quote) and a folder of documents."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spanledger.core.errors import nearest, raise_problems
from spanledger.engine.schema import shown
from spanledger.importers.folder import settings_of, target_problems, write_dataset
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import VERSION, Questions, evidence, facts, lost
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import read_texts

_NEEDED = ("question", "document", "quote")
_OPTIONAL = ("question_id", "occurrence")
_LISTED = 20  # a message lists no more documents than this


@dataclass
class _Asked:
    """The rows of one question."""

    text: str
    where: dict[str, Any]
    spans: list = field(default_factory=list)


def import_quotes(
    source: Path,
    out: Path,
    *,
    corpus: Path,
    files: str = "*",
    fact_mode: str = "each",
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, Any]:
    """Turns a table and the folder (or tar archive) `corpus` into the dataset folder `out`; returns the report written
    there.

    The table is CSV with a header (.tsv: tabs) or JSON lines (.jsonl), with question, document, quote and, where needed,
    question_id and occurrence. All files of the folder whose names match the shell pattern `files` become documents,
    called by their paths below it; quotes of HTML are quotes of its text. Rows of one question_id, or without it of one
    question, belong together; each quote is a fact (see `questions.facts` for the other `fact_mode`s). A row with neither
    document nor quote is a question that the documents do not answer.

    A quote must occur exactly once in its document, or name its occurrence, counted from 1. Any other is rejected with the
    place where something similar stands, and so is a question that loses all of its quotes, or one where all are needed.
    Raises InputError with all problems of malformed files.
    """
    source, out, corpus = Path(source), Path(out), Path(corpus)
    sources = Sources(encoding)
    report = ImportReport(
        "quotes", ("documents", "questions", "quotes"), ("questions", "quotes"), ("questions", "quotes")
    )
    rows = _rows(sources, source)
    texts = read_texts(sources, corpus, report, pattern=files)
    raise_problems(target_problems(out) + sources.problems)
    placings = {text.path: Placing(text.text) for text in texts}
    asked: dict[str, _Asked] = {}
    for line, row in rows:
        where = {"file": source.name, "line": line}
        key = row["question_id"] or row["question"]
        one = asked.setdefault(key, _Asked(row["question"], where))
        report.read["quotes"] += bool(row["document"] or row["quote"])
        if one.text != row["question"]:
            details = {"document": row["document"], "text": row["quote"]}
            report.reject(
                "quotes", where, f"question_id {key!r} is that of another question, line {one.where['line']}", **details
            )
        elif row["document"] or row["quote"]:
            span = _span(report, where, placings, row)
            report.merged["quotes"] += span is not None and span in one.spans
            one.spans.append(span)
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
            evidence(doc_id, placings[doc_id].text, span) for doc_id, span in dict.fromkeys(filter(None, one.spans))
        ]
        no_answer = None if found else "absent"
        made.add(query_id, one.text, number, facts(found, fact_mode, "quote"), no_answer=no_answer)
    documents = [{"doc_id": text.path, "version": VERSION, "text": text.text, **metadata(text.title)} for text in texts]
    kept = {"documents": len(documents), **made.kept("quotes")}
    written = report.document(sources.digests, kept)
    name = source.name.removesuffix(".gz").rpartition(".")[0] or source.name
    settings = settings_of(name, f"Imported from {source.name}: questions with quotes.", language, licence)
    write_dataset(out, settings, documents, made.queries, written)
    return written


def metadata(title: str) -> dict[str, Any]:
    """The metadata of a document that has a title; nothing else."""
    return {"metadata": {"title": title}} if title else {}


def _rows(sources: Sources, source: Path) -> list[tuple[int, dict[str, Any]]]:
    """(line, row) with all five keys; what is not given is empty, and occurrence None or a whole number."""
    if source.name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        shape = dict.fromkeys(("question", "document", "quote"), (str,))
        shape |= {"question_id?": (str, int), "occurrence?": (int, type(None))}
        rows = sources.json_lines(source, shape)
        for line, row in rows:
            for name in row:
                if name not in (*_NEEDED, *_OPTIONAL):
                    sources.problem(source, f"unknown key: {nearest(name, (*_NEEDED, *_OPTIONAL))}", line, field=name)
    else:
        rows = sources.table(source, _NEEDED, _OPTIONAL)
    found = []
    for line, row in rows:
        occurrence = row.get("occurrence")
        if isinstance(occurrence, str):
            occurrence = occurrence.strip() or None
            if occurrence and not (occurrence.isascii() and occurrence.isdigit()):
                sources.problem(source, f"expected a whole number, found {shown(occurrence)}", line, field="occurrence")
                continue
            occurrence = int(occurrence) if occurrence else None
        for name in ("document", "quote"):
            if not row[name] and row["quote" if name == "document" else "document"]:
                sources.problem(source, "is empty, though the other of document and quote is not", line, field=name)
        question_id = str(row.get("question_id", ""))
        found.append((line, {**row, "question_id": question_id, "occurrence": occurrence}))
    given = [bool(row["question_id"]) for _, row in found]
    if any(given) and not all(given):
        line = found[given.index(False)][0]
        sources.problem(source, "expected a question_id in all rows or in none", line, field="question_id")
    return found


def _span(report: ImportReport, where: dict[str, Any], placings: dict[str, Placing], row: dict[str, Any]) -> Any:
    """(doc_id, span) of a row's quote; None where it was rejected."""
    where = {**where, "question_id": row["question_id"], "document": row["document"]}
    placing = placings.get(row["document"])
    if placing is None:
        known = nearest(row["document"], placings) if len(placings) <= _LISTED else f"there are {len(placings)} others"
        report.reject("quotes", where, f"no document is called {row['document']!r}: {known}", text=row["quote"])
        return None
    try:
        return row["document"], placing.quote(row["quote"], row["occurrence"])
    except Misplaced as fault:
        report.reject_span("quotes", where, row["quote"], fault)
        return None
