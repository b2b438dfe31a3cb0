"""Questions whose evidence is given as spans, version by version: JSON lines of {query_id, text, evidence}, in which
evidence leads from a version to a list of {path, start, end, text}."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spanledger.core.records import DocumentKey
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import Questions, asked_versions, evidence, facts, lost
from spanledger.importers.report import ImportReport
from spanledger.importers.shape import malformed
from spanledger.importers.sources import Sources

KINDS = ("questions", "spans")
_SHAPE = {"query_id": (str, int), "text": (str,), "kind?": (str,), "evidence": (dict,)}
_SPANS = [{"path": (str,), "start": (int,), "end": (int,), "text?": (str,)}]
_OTHERS = "questions without evidence for this version"


def read_versioned(sources: Sources, source: Path) -> list[tuple[int, dict[str, Any]]]:
    """(line, row) of each line; other keys are of no concern."""
    rows = sources.json_lines(source, _SHAPE)
    for line, row in rows:
        for version, spans in row["evidence"].items():
            for field, message in malformed(spans, _SPANS, f"evidence.{version}"):
                sources.problem(source, message, line, field=field)
    return rows


def versioned_questions(
    report: ImportReport,
    rows: list[tuple[int, dict[str, Any]]],
    file: str,
    placings: Mapping[DocumentKey, Placing],
    current: Mapping[str, str],
    version: str,
    fact_mode: str,
) -> Questions:
    """The questions with their evidence in one version; `kind` becomes a tag. An empty list says that this version holds
    no answer. A row that does not name the version is counted as left out; a span that does not stand at its offsets is
    rejected, and so is a question that loses what it needs. `placings` and `current` as `quoted.Quoted` has them."""
    made = Questions(report)
    for number, (line, row) in enumerate(rows, 1):
        report.read["questions"] += 1
        query_id = str(row["query_id"])
        where = {"file": file, "line": line, "question_id": query_id}
        if version not in row["evidence"]:
            report.left_out[_OTHERS] = report.left_out.get(_OTHERS, 0) + 1
            continue
        given = row["evidence"][version]
        report.read["spans"] += len(given)
        content = (row["text"], row.get("kind"), str(given))
        if not made.claim(where, f"line {line}", query_id, row["text"], content):
            continue
        spans = _spans(report, where, placings, version, given)
        if fault := lost(spans, fact_mode, "spans"):
            made.reject(where, fault)
            continue
        found = [
            evidence(place[0], placings[place].text, span, version)
            for place, span in dict.fromkeys(filter(None, spans))
        ]
        more = {
            "tags": [row["kind"]] if row.get("kind") else None,
            "no_answer": None if found else "absent",
            "versions": asked_versions(found, current) if found or version in set(current.values()) else [version],
        }
        made.add(query_id, row["text"], number, facts(found, fact_mode, "span"), **more)
    return made


def _spans(
    report: ImportReport,
    where: dict[str, Any],
    placings: Mapping[DocumentKey, Placing],
    version: str,
    given: list[dict[str, Any]],
) -> list[Any]:
    """((doc_id, version), span) of each; None where it was rejected."""
    spans: list[Any] = []
    for number, one in enumerate(given):
        place = {**where, "path": f"evidence.{version}[{number}]", "document": one["path"]}
        key = (one["path"], version)
        if key not in placings:
            report.reject("spans", place, f"version {version!r} has no document {one['path']!r}", text=one.get("text"))
            spans.append(None)
            continue
        try:
            span = key, placings[key].span(one["start"], one["end"], one.get("text"))
        except Misplaced as fault:
            report.reject_span("spans", place, one.get("text"), fault)
            spans.append(None)
            continue
        report.merged["spans"] += span in spans
        spans.append(span)
    return spans
