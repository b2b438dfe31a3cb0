"""Imports TyDi QA (primary tasks): JSON lines of articles with a question each, offsets in bytes of UTF-8."""

import json
from pathlib import Path
from typing import Any

from spanledger.core.errors import raise_problems
from spanledger.core.spans import Span
from spanledger.importers.folder import free_names, settings_of, target_problems, write_dataset
from spanledger.importers.placing import Misplaced, Placing
from spanledger.importers.questions import VERSION, Questions, evidence, facts
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources

ANSWERS = ("minimal", "passage")
_BYTES = {"plaintext_start_byte": (int,), "plaintext_end_byte": (int,)}
_SHAPE = {
    "example_id": (int, str),
    "question_text": (str,),
    "document_plaintext": (str,),
    "document_title?": (str,),
    "document_url?": (str,),
    "language?": (str,),
    "passage_answer_candidates": [_BYTES],
    "annotations": [
        {"minimal_answer": _BYTES, "passage_answer": {"candidate_index": (int,)}, "yes_no_answer": (str,)},
    ],
}
_NONE = -1  # an offset or a candidate that is not there


def import_tydi(
    source: Path,
    out: Path,
    *,
    answers: str = "minimal",
    annotators: int = 1,
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, Any]:
    """Turns a JSON lines file (or one gzipped) into the dataset folder `out`; returns the report written there.

    An article becomes a document called language/title, with a number where another text has that name; equal articles are
    merged. The language is a tag of the question. The answers of a question's annotators are alternatives, equal ones
    merged: the shortest spans that answer it (`answers` minimal), or the passages that hold them (passage). A yes or no has
    no minimal span and is rejected there, not so its passage.

    An annotation without a passage is a null answer, which the report counts. Where fewer than `annotators` annotations
    have an answer (TyDi's own evaluation asks for 2), the question has none, and what answers it has are left out. A span
    whose offset lies inside a character, that lies outside the article, or a minimal answer outside its passage, is
    rejected; so is a question that loses all of its answers. Raises InputError with all problems of malformed files.
    """
    source, out = Path(source), Path(out)
    sources = Sources(encoding)
    lines = sources.json_lines(source, _SHAPE)
    raise_problems(target_problems(out) + sources.problems)
    found = _Import(source.name, answers, annotators)
    articles = _articles(lines)
    found.report.read["documents"] = len(lines)
    found.report.merged["documents"] = len(lines) - len(articles)
    for line, example in lines:
        found.example(line, example, articles[_article(example)])
    documents = [
        {
            "doc_id": doc_id,
            "version": VERSION,
            "text": text,
            "metadata": {"language": spoken, "title": title, "url": url},
        }
        for (spoken, title, url, text), doc_id in articles.items()
    ]
    kept = {"documents": len(documents), **found.questions.kept("answers")}
    written = found.report.document(sources.digests, kept)
    name = source.name.removesuffix(".gz").removesuffix(".jsonl") or source.name
    settings = settings_of(name, f"Imported from {source.name}, which is in the format of TyDi QA.", language, licence)
    write_dataset(out, settings, documents, found.questions.queries, written)
    return written


class _Import:
    """What has been made of the lines so far."""

    def __init__(self, file: str, answers: str, annotators: int):
        kinds = ("questions", "answers")
        self.report = ImportReport("tydi", ("documents", *kinds), ("documents", *kinds), kinds)
        self.questions = Questions(self.report)
        self._file, self._answers, self._annotators = file, answers, annotators

    def example(self, line: int, example: dict[str, Any], doc_id: str) -> None:
        query_id, text, position = str(example["example_id"]), example["question_text"], self.report.read["questions"]
        where = {"file": self._file, "line": line, "question_id": query_id, "document": doc_id}
        given = [one for one in example["annotations"] if one["passage_answer"]["candidate_index"] != _NONE]
        nulls = len(example["annotations"]) - len(given)
        if nulls:
            self.report.notes["null_answers"] = self.report.notes.get("null_answers", 0) + nulls
        self.report.read["questions"] += 1
        self.report.read["answers"] += len(given)
        content = (doc_id, text, json.dumps(example["annotations"], sort_keys=True))
        if not self.questions.claim(where, f"line {line}", query_id, text, content):
            return
        few = len(given) < self._annotators
        if few and given:
            name = f"answers of fewer than {self._annotators} annotators"
            self.report.left_out[name] = self.report.left_out.get(name, 0) + len(given)
        placing = Placing(example["document_plaintext"], "byte")
        spans = [] if few else self._spans(where, placing, example)
        if not few and not spans:
            self.questions.reject(where, "all of its answers were rejected")
            return
        support = [evidence(doc_id, placing.text, span) for span in dict.fromkeys(spans)]
        tags = [example["language"]] if example.get("language") else []
        no_answer = None if support else "absent"
        self.questions.add(query_id, text, position, facts(support, "any", "answer"), tags=tags, no_answer=no_answer)

    def _spans(self, where: dict[str, Any], placing: Placing, example: dict[str, Any]) -> list[Span]:
        spans: list[Span] = []
        for number, annotation in enumerate(example["annotations"]):
            if annotation["passage_answer"]["candidate_index"] == _NONE:
                continue
            place = {**where, "path": f"annotations[{number}]"}
            try:
                span = self._span(placing, annotation, example["passage_answer_candidates"])
            except Misplaced as fault:
                self.report.reject_span("answers", place, None, fault)
                continue
            self.report.merged["answers"] += span in spans
            spans.append(span)
        return spans

    def _span(self, placing: Placing, annotation: dict[str, Any], candidates: list[dict[str, int]]) -> Span:
        place, minimal = annotation["passage_answer"]["candidate_index"], annotation["minimal_answer"]
        start, end = minimal["plaintext_start_byte"], minimal["plaintext_end_byte"]
        if not 0 <= place < len(candidates):
            raise Misplaced(f"there is no passage {place}: there are {len(candidates)}", None, "", None, None)
        first, last = candidates[place]["plaintext_start_byte"], candidates[place]["plaintext_end_byte"]
        passage = placing.span(first, last, None)
        if self._answers == "passage":
            return passage
        if start == end == _NONE:
            answer = annotation["yes_no_answer"]
            if answer in ("YES", "NO"):
                reason = f"the answer is {answer.lower()}, which has no minimal span (--answers passage has one)"
            else:
                reason = "it has a passage and no minimal span (--answers passage takes it)"
            raise Misplaced(reason, first, "", None, None)
        span = placing.span(start, end, None)
        if not passage[0] <= span[0] < span[1] <= passage[1]:
            reason = f"the minimal answer lies outside its passage, bytes {first} to {last}"
            raise Misplaced(reason, start, placing.text[slice(*span)], None, None)
        return span


def _article(example: dict[str, Any]) -> tuple[str, str, str, str]:
    spoken, title, url = (example.get(key, "") for key in ("language", "document_title", "document_url"))
    return spoken, title, url, example["document_plaintext"]


def _articles(lines: list[tuple[int, dict[str, Any]]]) -> dict[tuple[str, str, str, str], str]:
    """doc_ids by article, in the order of the file."""
    articles = list(dict.fromkeys(_article(example) for _, example in lines))
    names = [f"{spoken}/{title or url or 'article'}".removeprefix("/") for spoken, title, url, _ in articles]
    return dict(zip(articles, free_names(names), strict=True))
