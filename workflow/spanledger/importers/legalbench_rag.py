"""Imports LegalBench-RAG: JSON files of tests, whose snippets are character spans of the files of a corpus folder."""

import json
from pathlib import Path
from typing import Any

from spanledger.core.errors import raise_problems
from spanledger.importers.folder import settings_of, target_problems, write_dataset
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import VERSION, Questions, evidence, facts, lost
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import read_texts

_SHAPE = {
    "tests": [{"query": (str,), "snippets": [{"file_path": (str,), "span": [(int,)], "answer?": (str, type(None))}]}]
}


def import_legalbench_rag(
    source: list[Path],
    out: Path,
    *,
    corpus: Path,
    documents: str = "referenced",
    fact_mode: str = "each",
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
    offset_unit: str = "code_point",
) -> dict[str, Any]:
    """Turns benchmark files and the folder `corpus` into the dataset folder `out`; returns the report written there.

    A document is called by its path below `corpus`. `documents` tells which are taken: those that some snippet of these
    files names (referenced), or all. Question ids are the file's name and the number of the test: privacy_qa-1; the tag is
    the file's name. Each snippet is a fact (see `questions.facts` for the other `fact_mode`s).

    A snippet states its text as `answer`, and is rejected where another text stands at its span; without an answer only
    the offsets are checked, and the report counts such snippets as unverified. A question that loses all of its snippets,
    or one where all are needed, is rejected. Raises InputError with all problems of malformed files.
    """
    paths, out, corpus = [Path(path) for path in source], Path(out), Path(corpus)
    sources = Sources(encoding)
    report = ImportReport(
        "legalbench-rag", ("documents", "questions", "snippets"), ("questions", "snippets"), ("questions", "snippets")
    )
    tests = []
    for path in paths:
        value = sources.json(path, _SHAPE)
        for number, test in enumerate(value["tests"] if value else ()):
            tests.append((path, number, test))
            for place, snippet in enumerate(test["snippets"]):
                if len(snippet["span"]) != 2:
                    field = f"tests[{number}].snippets[{place}].span"
                    sources.problem(path, f"expected two offsets, found {len(snippet['span'])}", field=field)
    names = [name_of(path) for path in paths]
    if len(set(names)) < len(names):
        sources.problem(paths[0], f"two files would give the same question ids: {', '.join(sorted(names))}")
    named = {snippet["file_path"] for _, _, test in tests for snippet in test["snippets"]}
    texts = read_texts(sources, corpus, report, only=named if documents == "referenced" else None)
    raise_problems(target_problems(out) + sources.problems)
    placings = {text.path: Placing(text.text, offset_unit) for text in texts}
    made = Questions(report)
    for position, (path, number, test) in enumerate(tests):
        query_id = f"{name_of(path)}-{number + 1}"
        where = {"file": path.name, "path": f"tests[{number}]", "question_id": query_id}
        report.read["questions"] += 1
        report.read["snippets"] += len(test["snippets"])
        content = (test["query"], json.dumps(test["snippets"], sort_keys=True))
        if not made.claim(where, where["path"], query_id, test["query"], content):
            continue
        spans = _spans(report, where, placings, test["snippets"])
        if fault := lost(spans, fact_mode, "snippets"):
            made.reject(where, fault)
            continue
        found = [evidence(doc_id, placings[doc_id].text, span) for doc_id, span in dict.fromkeys(filter(None, spans))]
        no_answer = None if found else "absent"
        made.add(
            query_id,
            test["query"],
            position,
            facts(found, fact_mode, "snippet"),
            tags=[name_of(path)],
            no_answer=no_answer,
        )
    records = [{"doc_id": text.path, "version": VERSION, "text": text.text} for text in texts]
    kept = {"documents": len(records), **made.kept("snippets")}
    name = names[0] if len(names) == 1 else "legalbench-rag"
    description = f"Imported from {', '.join(path.name for path in paths)}, in the format of LegalBench-RAG."
    written = report.document(sources.digests, kept)
    write_dataset(out, settings_of(name, description, language, licence), records, made.queries, written)
    return written


def name_of(path: Path) -> str:
    """A file's name without .gz and .json."""
    return path.name.removesuffix(".gz").removesuffix(".json") or path.name


def _spans(
    report: ImportReport, where: dict[str, Any], placings: dict[str, Placing], snippets: list[dict[str, Any]]
) -> list:
    spans: list = []
    for number, one in enumerate(snippets):
        place = {**where, "path": f"{where['path']}.snippets[{number}]", "file_path": one["file_path"]}
        placing, text = placings.get(one["file_path"]), one.get("answer")
        if placing is None:
            report.reject("snippets", place, "no file of the corpus has this path")
            spans.append(None)
            continue
        try:
            span = (one["file_path"], placing.span(*one["span"], text))
        except Misplaced as fault:
            report.reject_span("snippets", place, text, fault)
            spans.append(None)
            continue
        if text is None:
            report.notes["unverified_snippets"] = report.notes.get("unverified_snippets", 0) + 1
        report.merged["snippets"] += span in spans
        spans.append(span)
    return spans
