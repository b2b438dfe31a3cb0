"""Imports a TREC collection: topics, qrels, and documents as JSON lines, TREC SGML, or text and HTML files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spanledger.core.errors import raise_problems
from spanledger.importers.folder import settings_of, target_problems
from spanledger.importers.judged import Collection, new_report
from spanledger.importers.judged_files import read_documents, read_qrels, read_topics
from spanledger.importers.sources import Sources


def import_trec(
    documents: Path,
    out: Path,
    *,
    topics: Path,
    qrels: Path,
    topic_fields: Sequence[str] = ("title",),
    questions: str = "all",
    doc_ids: str = "stem",
    fact_mode: str = "none",
    relevant: int = 1,
    ignore_zeros: bool = False,
    name: str | None = None,
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, Any]:
    """Turns a collection into the dataset folder `out`, with judgements in qrels.jsonl; returns the report written there.

    `documents` and `topics` may have any form of `judged_files.read_documents` and `read_topics`; `topic_fields` are those
    of an SGML topic that make up the question, and `doc_ids` (stem, path) says what files are called. `questions` is all,
    or judged: those with a judgement. Questions have no facts, unless `fact_mode` is whole-document: then each document
    judged `relevant` or better is a fact, whose span is all of it.

    Rejected are judgements of unknown questions or documents (by `ignore_zeros` an id may lack leading zeros), those that
    contradict an earlier line, and questions and documents whose id another one has. Raises InputError with all problems
    of malformed files.
    """
    documents, out = Path(documents), Path(out)
    sources, report = Sources(encoding), new_report("trec")
    found = read_documents(sources, documents, report, doc_ids)
    asked = read_topics(sources, Path(topics), topic_fields)
    judged = read_qrels(sources, Path(qrels))
    raise_problems(target_problems(out) + sources.problems)
    report.read["questions"], report.read["judgements"] = len(asked), len(judged)
    collection = Collection(report)
    collection.add_documents(found)
    collection.add_questions(
        asked,
        judged,
        only_judged=questions == "judged",
        fact_mode=fact_mode,
        relevant=relevant,
        ignore_zeros=ignore_zeros,
    )
    title = name or documents.name.split(".")[0] or documents.resolve().name
    description = f"Imported from {documents.name}, {Path(topics).name} and {Path(qrels).name}."
    settings = settings_of(title, description, language, licence)
    return collection.write(out, settings, sources)
