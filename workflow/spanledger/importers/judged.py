"""What document-level collections share: documents, topics and judgements, checked against each other."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spanledger.importers.folder import write_dataset
from spanledger.importers.judged_files import Judged, Named
from spanledger.importers.questions import VERSION, Questions
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources

FACTS = ("none", "whole-document")
_KINDS = ("questions", "documents", "judgements")


def new_report(kind: str) -> ImportReport:
    """A report for documents, questions and judgements."""
    return ImportReport(kind, _KINDS, _KINDS, _KINDS)


class Collection:
    """Documents, questions and judgements of a source, checked against each other: `documents`, `questions` and
    `judgements` are records of a dataset."""

    def __init__(self, report: ImportReport):
        self.report = report
        self.documents: dict[str, dict[str, Any]] = {}
        self.questions = Questions(report)
        self.judgements: list[dict[str, Any]] = []
        self._places: dict[str, str] = {}
        self._unjudged = 0

    def add_documents(self, found: Iterable[Named]) -> None:
        """Keeps documents; equal ones are merged, of two unlike ones with one id the later is rejected."""
        for one in found:
            title = {"metadata": {"title": one.title}} if one.title else {}
            record = {"doc_id": one.name, "version": VERSION, "text": one.text, **title}
            where = {**one.where, "doc_id": one.name}
            if not one.name:
                self.report.reject("documents", where, "the id is empty")
            elif self.documents.setdefault(one.name, record) is record:
                self._places[one.name] = one.place
            elif self.documents[one.name] == record:
                self.report.merged["documents"] += 1
            else:
                self.report.reject("documents", where, f"the id is that of another document, {self._places[one.name]}")

    def add_questions(
        self,
        topics: list[Named],
        judged: list[Judged],
        *,
        only_judged: bool,
        fact_mode: str,
        relevant: int,
        ignore_zeros: bool = False,
    ) -> None:
        """Keeps topics and judgements. With `fact_mode` whole-document, each document that is judged `relevant` or better
        is a fact, whose span is all of it. A judgement whose ids differ from those of a question or document in leading
        zeros of numbers alone is rejected, which names them, or counts for them by `ignore_zeros`."""
        grades = self._judge(judged, topics, ignore_zeros)
        for number, topic in enumerate(topics, 1):
            if only_judged and topic.name not in grades:
                self._unjudged += 1
                self.report.left_out["questions without a judgement"] = self._unjudged
                continue
            where = {**topic.where, "question_id": topic.name}
            if not self.questions.claim(where, topic.place, topic.name, topic.text, topic.text):
                continue
            facts = []
            if fact_mode == "whole-document":
                graded = sorted(grades.get(topic.name, {}).items())
                facts = [self._whole(doc_id) for doc_id, one in graded if one.relevance >= relevant]
            self.questions.add(topic.name, topic.text, number, [fact for fact in facts if fact])
        kept = {query["query_id"] for query in self.questions.queries}
        for query_id, graded in grades.items():
            for doc_id, one in graded.items():
                if query_id in kept:
                    self.judgements.append({"query_id": query_id, "doc_id": doc_id, "relevance": one.relevance})
                else:
                    self._reject(one, "its question was rejected")

    def write(self, out: Path, settings: dict[str, Any], sources: Sources) -> dict[str, Any]:
        """Writes the dataset folder, and returns the report that is part of it."""
        report = self.report.document(sources.digests, self._kept())
        write_dataset(out, settings, self.documents.values(), self.questions.queries, report, self.judgements)
        return report

    def _kept(self) -> dict[str, int]:
        judged = {judgement["query_id"] for judgement in self.judgements}
        counts = self.questions.kept("spans")
        return {
            "documents": len(self.documents),
            "questions": counts["questions"],
            "judged_questions": len(judged),
            "judgements": len(self.judgements),
            **({"spans": counts["spans"]} if counts["spans"] else {}),
        }

    def _judge(self, judged: list[Judged], topics: list[Named], ignore_zeros: bool) -> dict[str, dict[str, Judged]]:
        """The judgements by question and document; those that are rejected are not among them."""
        questions, documents = _Ids(topic.name for topic in topics), _Ids(self.documents)
        grades: dict[str, dict[str, Judged]] = {}
        matched = 0
        for one in judged:
            query_id, doc_id = questions.find(one.query_id), documents.find(one.doc_id)
            exact = (query_id, doc_id) == (one.query_id, one.doc_id)
            if query_id is None or (query_id != one.query_id and not ignore_zeros):
                self._reject(one, "no question has this id", nearest=query_id)
                continue
            if doc_id is None or (doc_id != one.doc_id and not ignore_zeros):
                self._reject(one, "no document has this id", nearest=doc_id)
                continue
            matched += not exact
            first = grades.setdefault(query_id, {}).setdefault(doc_id, one)
            if first is not one and first.relevance == one.relevance:
                self.report.merged["judgements"] += 1
            elif first is not one:
                self._reject(one, f"line {first.line} of {first.file} judges it as {first.relevance}")
        if matched:
            self.report.notes["leading_zeros"] = f"{matched} judgements found their ids only without leading zeros"
        return grades

    def _reject(self, one: Judged, reason: str, **details: str | None) -> None:
        where = {"file": one.file, "line": one.line, "question_id": one.query_id, "doc_id": one.doc_id}
        self.report.reject("judgements", where, reason, relevance=one.relevance, **details)

    def _whole(self, doc_id: str) -> dict[str, Any] | None:
        """The fact that all of a document supports; an empty one can support none, which the report counts."""
        end = len(self.documents[doc_id]["text"])
        if not end:
            count = self.report.left_out.get("facts of empty documents", 0)
            self.report.left_out["facts of empty documents"] = count + 1
            return None
        return {"fact_id": doc_id, "support": [[{"doc_id": doc_id, "version": VERSION, "start": 0, "end": end}]]}


class _Ids:
    """Ids that can be found without the leading zeros of the numbers in them: CACM-46 finds CACM-0046."""

    def __init__(self, ids: Iterable[str]):
        self._ids = set(ids)
        self._short: dict[str, list[str]] = {}
        for name in sorted(self._ids):
            self._short.setdefault(self._shortened(name), []).append(name)

    def find(self, name: str) -> str | None:
        """The id itself, or else the only one that differs in leading zeros alone; None where there is none."""
        alike = self._short.get(self._shortened(name), [])
        return name if name in self._ids else alike[0] if len(alike) == 1 else None

    @staticmethod
    def _shortened(name: str) -> str:
        return re.sub(r"(?<![0-9])0+(?=[0-9])", "", name)
