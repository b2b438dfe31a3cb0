"""Imports question answering data in SQuAD format (v1 and v2), whose answers name their place in a paragraph."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spanledger.core.errors import raise_problems
from spanledger.importers.folder import free_names, settings_of, target_problems, write_dataset
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import VERSION, Questions, evidence
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources

SEPARATOR = "\n\n"  # between the paragraphs of an article

_SHAPE = {
    "data": [
        {
            "title?": (str, type(None)),
            "paragraphs": [
                {
                    "context": (str,),
                    "qas": [
                        {
                            "id": (str, int),
                            "question": (str,),
                            "is_impossible?": (bool, type(None)),
                            "answers": [{"text": (str,), "answer_start": (int,)}],
                        }
                    ],
                }
            ],
        }
    ]
}


def import_squad(
    source: Path,
    out: Path,
    *,
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
    offset_unit: str = "code_point",
) -> dict[str, Any]:
    """Turns a SQuAD file (.json, or gzipped) into the dataset folder `out`, and returns the report that is written to
    import_report.json there.

    An article becomes a document that is called by its title (with a number where that is taken), its paragraphs joined
    by a blank line. The answers of a question are alternatives: OR groups of one fact, equal spans merged. A question
    without answers, or marked is_impossible, has no facts. An answer that does not stand at its offset (which counts
    `offset_unit`) is rejected and reported, never moved; so is a question that loses all of its answers that way, or whose
    id another question has.

    Report: counts of what was `read`, `kept` and `merged`, and lists of what was `rejected`, with the place in the
    source and the reason. Offsets in it are those of the paragraph. Raises InputError with all problems of a malformed
    source, and where `out` is neither free nor an empty folder.
    """
    source, out = Path(source), Path(out)
    sources = Sources(encoding)
    value = sources.json(source, _SHAPE)
    raise_problems(target_problems(out) + sources.problems)
    found = _Import(offset_unit)
    for number, (article, doc_id) in enumerate(zip(value["data"], free_names(_titles(value["data"])), strict=True)):
        found.article(f"data[{number}]", doc_id, article)
    report = found.report.document(
        sources.digests, {"documents": len(found.documents), **found.questions.kept("answers")}
    )
    name = source.name.removesuffix(".gz").removesuffix(".json") or source.name
    description = f"Imported from {source.name}, which is in SQuAD format."
    settings = settings_of(name, description, language, licence)
    write_dataset(out, settings, found.documents, found.questions.queries, report)
    return report


class _Import:
    """What has been made of the articles so far."""

    def __init__(self, unit: str):
        self.documents: list[dict[str, Any]] = []
        self.report = ImportReport(
            "squad",
            ("articles", "paragraphs", "questions", "answers"),
            ("questions", "answers"),
            ("questions", "answers"),
        )
        self.questions = Questions(self.report)
        self._unit = unit

    def article(self, path: str, doc_id: str, article: dict[str, Any]) -> None:
        contexts = [paragraph["context"] for paragraph in article["paragraphs"]]
        text = SEPARATOR.join(contexts)
        self.documents.append({"doc_id": doc_id, "version": VERSION, "text": text})
        self.report.read["articles"] += 1
        base = 0
        for number, paragraph in enumerate(article["paragraphs"]):
            self.report.read["paragraphs"] += 1
            placing = Placing(paragraph["context"], self._unit, "paragraph")
            for place, question in enumerate(paragraph["qas"]):
                self._question(f"{path}.paragraphs[{number}].qas[{place}]", doc_id, text, base, placing, question)
            base += len(paragraph["context"]) + len(SEPARATOR)

    def _question(
        self, path: str, doc_id: str, document: str, base: int, placing: Placing, question: dict[str, Any]
    ) -> None:
        query_id, text, position = str(question["id"]), question["question"], self.report.read["questions"]
        self.report.read["questions"] += 1
        self.report.read["answers"] += len(question["answers"])
        answers = [(answer["answer_start"], answer["text"]) for answer in question["answers"]]
        impossible = bool(question.get("is_impossible"))
        where = {"article": doc_id, "question_id": query_id, "path": path}
        content = (doc_id, base, text, impossible, tuple(sorted(set(answers))))
        if not self.questions.claim(where, path, query_id, text, content):
            return
        spans = dict.fromkeys(self._spans(where, placing, answers, impossible))
        if answers and not spans and not impossible:
            self.questions.reject(where, "all of its answers were rejected")
            return
        support = [[evidence(doc_id, document, (base + start, base + end))] for start, end in spans]
        facts = [{"fact_id": "answer", "support": support}] if support else []
        self.questions.add(query_id, text, position, facts, no_answer=None if facts else "absent")

    def _spans(
        self, where: dict[str, str], placing: Placing, answers: list[tuple[int, str]], impossible: bool
    ) -> Iterator[tuple[int, int]]:
        seen = set()
        for number, (start, text) in enumerate(answers):
            try:
                if impossible:
                    raise placing.rejected("its question is marked is_impossible", start, text)
                span = placing.span(start, None, text)
            except Misplaced as fault:
                place = {**where, "path": f"{where['path']}.answers[{number}]"}
                self.report.reject_span("answers", place, text, fault)
                continue
            self.report.merged["answers"] += span in seen
            seen.add(span)
            yield span


def _titles(articles: list[dict[str, Any]]) -> list[str]:
    return [article.get("title") or f"article_{number}" for number, article in enumerate(articles, 1)]
