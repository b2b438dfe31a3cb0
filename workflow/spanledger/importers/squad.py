"""Imports question answering data in SQuAD format (v1 and v2), whose answers name their place in a paragraph."""

import gzip
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from spanledger.core import files
from spanledger.core.errors import Problem, raise_problems
from spanledger.core.offsets import UnitOffsets
from spanledger.dataset import strict_json
from spanledger.dataset.anchors import AnchorText
from spanledger.engine.schema import shown
from spanledger.importers.folder import target_problems, write_dataset

VERSION = "1"  # the format knows no versions of a text
SEPARATOR = "\n\n"  # between the paragraphs of an article

# A key with ? may be missing. Other keys are of no concern here: the format is often extended.
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
_NAMES = {str: "a string", int: "a whole number", bool: "true or false", type(None): "null"}
_UNITS = {"utf16": "UTF-16 code units", "byte": "bytes of UTF-8"}


def import_squad(source: Path, out: Path, *, language: str | None = None, licence: str | None = None) -> dict[str, Any]:
    """Turns a SQuAD file (.json, or gzipped) into the dataset folder `out`, and returns the report that is written to
    import_report.json there.

    An article becomes a document that is called by its title (with a number where that is taken), its paragraphs joined
    by a blank line. The answers of a question are alternatives: OR groups of one fact, equal spans merged. A question
    without answers, or marked is_impossible, has no facts. An answer that does not stand at its offset is rejected and
    reported, never moved; so is a question that loses all of its answers that way, or whose id another question has.

    Report: counts of what was `read`, `kept` and `merged`, and lists of what was `rejected`, with the place in the
    source and the reason. Offsets in it count code points of the paragraph. Raises InputError with all problems of a
    malformed source, and where `out` is neither free nor an empty folder.
    """
    source, out = Path(source), Path(out)
    problems = target_problems(out)
    data, value, faults = _read(source)
    problems += [Problem(str(source), field=field, message=message) for field, message in faults]
    raise_problems(problems)
    found = _Import()
    for number, (article, doc_id) in enumerate(zip(value["data"], _doc_ids(value["data"]), strict=True)):
        found.article(f"data[{number}]", doc_id, article)
    report = {"source": source.name, "source_sha256": files.sha256(data), "format": "squad", **found.report()}
    settings = {
        "name": source.name.removesuffix(".gz").removesuffix(".json") or source.name,
        "description": f"Imported from {source.name}, which is in SQuAD format.",
        "language": language or None,
        "licence": licence or None,
        "offset_unit": "code_point",
    }
    write_dataset(out, settings, found.documents, found.queries, report)
    return report


class _Import:
    """What has been made of the articles so far."""

    def __init__(self):
        self.documents: list[dict[str, Any]] = []
        self.queries: list[dict[str, Any]] = []
        self._read = dict.fromkeys(("articles", "paragraphs", "questions", "answers"), 0)
        self._merged = dict.fromkeys(("questions", "answers"), 0)
        self._rejected: dict[str, list[dict[str, Any]]] = {"questions": [], "answers": []}
        self._first: dict[str, tuple[str, tuple]] = {}  # question id -> where it stands first, and what

    def article(self, path: str, doc_id: str, article: dict[str, Any]) -> None:
        contexts = [paragraph["context"] for paragraph in article["paragraphs"]]
        self.documents.append({"doc_id": doc_id, "version": VERSION, "text": SEPARATOR.join(contexts)})
        self._read["articles"] += 1
        base = 0
        for number, paragraph in enumerate(article["paragraphs"]):
            self._read["paragraphs"] += 1
            for place, question in enumerate(paragraph["qas"]):
                where = f"{path}.paragraphs[{number}].qas[{place}]"
                self._question(where, doc_id, base, paragraph["context"], question)
            base += len(paragraph["context"]) + len(SEPARATOR)

    def report(self) -> dict[str, Any]:
        answers = sum(len(fact["support"]) for query in self.queries for fact in query["facts"])
        kept = {
            "documents": len(self.documents),
            "questions": len(self.queries),
            "answerable_questions": sum(bool(query["facts"]) for query in self.queries),
            "answers": answers,
        }
        return {"read": self._read, "kept": kept, "merged": self._merged, "rejected": self._rejected}

    def _question(self, path: str, doc_id: str, base: int, context: str, question: dict[str, Any]) -> None:
        query_id, position = str(question["id"]), self._read["questions"]
        self._read["questions"] += 1
        self._read["answers"] += len(question["answers"])
        answers = [(answer["answer_start"], answer["text"]) for answer in question["answers"]]
        impossible = bool(question.get("is_impossible"))
        content = (doc_id, base, question["question"], impossible, tuple(sorted(set(answers))))
        first, known = self._first.setdefault(query_id, (path, content))
        if first != path and known == content:
            self._merged["questions"] += 1
            return
        where = {"article": doc_id, "question_id": query_id, "path": path}
        if first != path:
            self._reject_question(where, f"the id is that of another question, {first}")
            return
        if not query_id or not question["question"]:
            self._reject_question(where, "the question is empty" if query_id else "the id is empty")
            return
        spans = dict.fromkeys(self._spans(where, context, answers, impossible))
        if answers and not spans and not impossible:
            self._reject_question(where, "all of its answers were rejected")
            return
        query = {"query_id": query_id, "text": question["question"], "position": position, "facts": []}
        if spans:
            support = [
                [
                    {
                        "doc_id": doc_id,
                        "version": VERSION,
                        "start": base + start,
                        "end": base + end,
                        "text": context[start:end],
                    }
                ]
                for start, end in spans
            ]
            query["facts"] = [{"fact_id": "answer", "support": support}]
        else:
            query["no_answer"] = "absent"
        self.queries.append(query)

    def _spans(
        self, where: dict[str, str], context: str, answers: list[tuple[int, str]], impossible: bool
    ) -> Iterator[tuple[int, int]]:
        seen = set()
        for number, (start, text) in enumerate(answers):
            reason = "its question is marked is_impossible" if impossible else _fault(context, start, text)
            if reason:
                nearest = AnchorText(context).nearest(text, start)
                self._rejected["answers"].append(
                    {
                        **where,
                        "path": f"{where['path']}.answers[{number}]",
                        "text": text,
                        "offset": start,
                        "found": context[start : start + len(text)] if start >= 0 else "",
                        "reason": reason,
                        "nearest": nearest[0] if nearest else None,
                    }
                )
                continue
            self._merged["answers"] += (start, text) in seen
            seen.add((start, text))
            yield start, start + len(text)

    def _reject_question(self, where: dict[str, str], reason: str) -> None:
        self._rejected["questions"].append({**where, "reason": reason})


def _fault(context: str, start: int, text: str) -> str | None:
    """Why an answer does not stand at its offset; None where it does."""
    if not text:
        return "the answer is empty"
    if start >= 0 and context.startswith(text, start):
        return None
    for unit, name in _UNITS.items():
        place = _offsets(context, unit).to_code_point(start)
        if place is not None and context.startswith(text, place):
            return f"the text does not stand at the offset; it does if offsets count {name}"
    if start < 0 or start + len(text) > len(context):
        return f"the span lies outside the paragraph, which has {len(context)} characters"
    return "the text does not stand at the offset"


@lru_cache(maxsize=2)  # both units of one paragraph, whose answers come one after the other
def _offsets(context: str, unit: str) -> UnitOffsets:
    return UnitOffsets(context, unit)


def _doc_ids(articles: list[dict[str, Any]]) -> Iterator[str]:
    """The title of each article; where an earlier one has it, the title with the first free number."""
    titles = [article.get("title") or f"article_{number}" for number, article in enumerate(articles, 1)]
    taken, used, last = set(titles), set(), dict.fromkeys(titles, 1)
    for title in titles:
        doc_id = title
        while doc_id in used or (doc_id != title and doc_id in taken):
            last[title] += 1
            doc_id = f"{title}_{last[title]}"
        used.add(doc_id)
        yield doc_id


def _read(source: Path) -> tuple[bytes, Any, list[tuple[str, str]]]:
    """The bytes of the file, its value, and all that is wrong with it."""
    try:
        data = source.read_bytes()
        text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8-sig")
        value, faults = strict_json.parse(text)
    except UnicodeDecodeError as error:
        return b"", None, [("", f"is no UTF-8 at byte {error.start}")]
    except (gzip.BadGzipFile, zlib.error, EOFError):
        return b"", None, [("", "is a damaged gzip file")]
    except OSError as error:
        return b"", None, [("", strict_json.unreadable(error))]
    except ValueError as error:
        return b"", None, [("", str(error))]
    return data, value, faults + list(_malformed(value, _SHAPE, ""))


def _malformed(value: Any, shape: Any, path: str) -> Iterator[tuple[str, str]]:
    """(JSON path, message) for each place where a value differs from a shape of the form of _SHAPE."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield path, f"expected an object, found {shown(value)}"
            return
        for key, inner in shape.items():
            name = key.removesuffix("?")
            field = f"{path}.{name}" if path else name
            if name in value:
                yield from _malformed(value[name], inner, field)
            elif name == key:
                yield field, "is missing"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield path, f"expected a list, found {shown(value)}"
            return
        for number, item in enumerate(value):
            yield from _malformed(item, shape[0], f"{path}[{number}]")
    elif not isinstance(value, shape) or (isinstance(value, bool) and bool not in shape):
        yield path, f"expected {' or '.join(_NAMES[kind] for kind in shape)}, found {shown(value)}"
