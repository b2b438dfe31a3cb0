"""Imports questions whose evidence is quoted: a table of (question, document, quote) and a folder of documents."""

from pathlib import Path
from typing import Any

from spanledger.core.errors import raise_problems
from spanledger.importers.folder import settings_of, target_problems, write_dataset
from spanledger.importers.placing import Placing
from spanledger.importers.questions import VERSION
from spanledger.importers.quoted import KINDS, Quoted, read_rows
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import read_texts


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
    report = ImportReport("quotes", ("documents", *KINDS), KINDS, KINDS)
    rows = read_rows(sources, source)
    texts = read_texts(sources, corpus, report, pattern=files)
    raise_problems(target_problems(out) + sources.problems)
    placings = {(text.path, VERSION): Placing(text.text) for text in texts}
    quoted = Quoted(report, placings, {text.path: VERSION for text in texts})
    made = quoted.questions(rows, source.name, fact_mode)
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
