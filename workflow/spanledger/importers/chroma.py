"""Imports Chroma's chunking evaluation: a folder with corpora/*.md, and a CSV file of questions with reference spans."""

import json
from pathlib import Path
from typing import Any

from spanledger.core.errors import raise_problems
from spanledger.importers.folder import settings_of, target_problems, write_dataset
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import VERSION, Questions, evidence, facts, lost
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources, parsed
from spanledger.importers.texts import read_texts

_REFERENCES = [{"content": (str,), "start_index": (int,), "end_index": (int,)}]


def import_chroma(
    source: Path,
    out: Path,
    *,
    questions: Path | None = None,
    fact_mode: str = "each",
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
    offset_unit: str = "code_point",
) -> dict[str, Any]:
    """Turns the folder `source` into the dataset folder `out`; returns the report that is written there.

    Every file of corpora/ becomes a document called by its name without its ending. `questions` is the CSV file with the
    columns question, references (a JSON list of {content, start_index, end_index}) and corpus_id; by default the one .csv
    file of the folder. Question ids are q1, q2, ... by the order of its rows; the tag is the corpus.

    By default each reference is a fact, so that recall is the share of a question's references that the context holds
    whole; `fact_mode` all makes them one fact that needs every reference, any makes them alternatives. Of references that
    stand twice one is merged. A reference that does not stand at its offsets is rejected; so is a question that loses all
    of them, or one of them where all are needed, or whose corpus is unknown. Raises InputError with all problems of
    malformed files.
    """
    source, out = Path(source), Path(out)
    sources = Sources(encoding)
    report = ImportReport(
        "chroma", ("documents", "questions", "references"), ("questions", "references"), ("questions", "references")
    )
    texts = read_texts(sources, source / "corpora", report)
    if len({text.stem for text in texts}) < len(texts):
        sources.problem(source / "corpora", "two files have one name without its ending")
    rows = []
    path = questions or _only_table(sources, source)
    if path is not None:
        for line, cells in sources.table(path, ("question", "references", "corpus_id"), strict=False):
            rows.append(
                (line, cells["question"], cells["corpus_id"], _references(sources, path, line, cells["references"]))
            )
    raise_problems(target_problems(out) + sources.problems)
    corpora = {text.stem: Placing(text.text, offset_unit) for text in texts}
    made = Questions(report)
    for number, (line, text, corpus, references) in enumerate(rows, 1):
        query_id = f"q{number}"
        where = {"file": path.name, "line": line, "question_id": query_id, "corpus": corpus}
        report.read["questions"] += 1
        report.read["references"] += len(references)
        content = (corpus, text, json.dumps(references, sort_keys=True))
        if not made.claim(where, f"line {line}", query_id, text, content):
            continue
        if corpus not in corpora:
            made.reject(where, f"no file of corpora/ is called {corpus!r}")
            continue
        spans = _spans(report, where, corpora[corpus], references)
        found = [evidence(corpus, corpora[corpus].text, span) for span in dict.fromkeys(spans) if span]
        if fault := lost(spans, fact_mode, "references"):
            made.reject(where, fault)
            continue
        no_answer = None if found else "absent"
        made.add(query_id, text, number, facts(found, fact_mode, "reference"), tags=[corpus], no_answer=no_answer)
    documents = [{"doc_id": text.stem, "version": VERSION, "text": text.text} for text in texts]
    kept = {"documents": len(documents), **made.kept("references")}
    description = f"Imported from {source.resolve().name}, which is laid out as Chroma's chunking evaluation."
    settings = settings_of(source.resolve().name, description, language, licence)
    written = report.document(sources.digests, kept)
    write_dataset(out, settings, documents, made.queries, written)
    return written


def _spans(report: ImportReport, where: dict[str, Any], placing: Placing, references: list[dict[str, Any]]) -> list:
    spans: list = []
    for number, one in enumerate(references):
        try:
            span = placing.span(one["start_index"], one["end_index"], one["content"])
            report.merged["references"] += span in spans
            spans.append(span)
        except Misplaced as fault:
            report.reject_span("references", {**where, "path": f"references[{number}]"}, one["content"], fault)
            spans.append(None)
    return spans


def _only_table(sources: Sources, folder: Path) -> Path | None:
    found = sorted(path for path in folder.glob("*.csv*") if path.name.endswith((".csv", ".csv.gz")))
    if len(found) == 1:
        return found[0]
    several = f", found {', '.join(path.name for path in found)}: name one by --questions" if found else ", found none"
    sources.problem(folder, f"expected one .csv file of questions{several}")
    return None


def _references(sources: Sources, path: Path, line: int, cell: str) -> list[dict[str, Any]]:
    try:
        value, faults = parsed(cell, _REFERENCES)
    except ValueError as error:
        value, faults = [], [("", str(error))]
    for field, message in faults:
        sources.problem(path, message, line, field=f"references{field}")
    return [] if faults else value
