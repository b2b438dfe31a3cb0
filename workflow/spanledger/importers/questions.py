"""The questions of an import: their ids, which must be their own, and the facts made of their spans."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spanledger.core.spans import Span
from spanledger.importers.report import ImportReport

FACTS = ("each", "all", "any")
VERSION = "1"  # for formats that know no versions of a document


class Questions:
    """Collects queries as lines of queries.jsonl, in the order of the source. A question that stands twice is merged; of
    two that share an id the later one is rejected."""

    def __init__(self, report: ImportReport):
        self.queries: list[dict[str, Any]] = []
        self._report = report
        self._first: dict[str, tuple[str, Any]] = {}  # question id -> where it stands first, and what it is

    def claim(self, where: dict[str, Any], place: str, query_id: str, text: str, content: Any) -> bool:
        """Whether a question is new and may be kept. `content` is all that makes it the same as another one, `place` what
        the report calls where it stands."""
        first, known = self._first.setdefault(query_id, (place, content))
        if first != place:
            if known == content:
                self._report.merged["questions"] += 1
            else:
                self.reject(where, f"the id is that of another question, {first}")
            return False
        if not query_id or not text.strip():
            self.reject(where, "the question is empty" if query_id else "the id is empty")
            return False
        return True

    def reject(self, where: dict[str, Any], reason: str) -> None:
        """Lists a question that is not kept."""
        self._report.reject("questions", where, reason)

    def add(self, query_id: str, text: str, position: int, facts: list[dict[str, Any]], **more: Any) -> None:
        """Keeps a question; what of `more` (tags, no_answer, versions) is None or empty is left out."""
        optional = {name: value for name, value in more.items() if value}
        self.queries.append({"query_id": query_id, "text": text, "position": position, "facts": facts, **optional})

    def kept(self, evidence: str) -> dict[str, int]:
        """How many there are; `evidence` is what the format calls a span."""
        facts = [fact for query in self.queries for fact in query["facts"]]
        return {
            "questions": len(self.queries),
            "answerable_questions": sum(bool(query["facts"]) for query in self.queries),
            evidence: sum(len(group) for fact in facts for group in fact["support"]),
        }


def evidence(doc_id: str, text: str, span: Span, version: str = VERSION) -> dict[str, Any]:
    """A span of a document with this text as it stands in queries.jsonl, with what it holds."""
    return {"doc_id": doc_id, "version": version, "start": span[0], "end": span[1], "text": text[slice(*span)]}


def asked_versions(spans: Iterable[dict[str, Any]], current: Mapping[str, str]) -> list[str]:
    """The versions that a question asks about, sorted: none where all of its evidence stands in the current ones."""
    spans = list(spans)
    old = any(current.get(one["doc_id"]) != one["version"] for one in spans)
    return sorted({one["version"] for one in spans}) if old else []


def facts(spans: Sequence[dict[str, Any]], mode: str, name: str) -> list[dict[str, Any]]:
    """The facts of a question that has several spans, in the order given: `each` span a fact, so that recall is a share;
    `all` of them one fact, which needs every one; or `any` of them, alternatives that support one fact."""
    if not spans:
        return []
    if mode == "each":
        return [{"fact_id": f"{name}_{number}", "support": [[one]]} for number, one in enumerate(spans, 1)]
    support = [list(spans)] if mode == "all" else [[one] for one in spans]
    return [{"fact_id": name, "support": support}]


def lost(spans: Sequence[Any], mode: str, name: str) -> str | None:
    """Why a question cannot be kept with what is left of its spans, of which None stands for one that was rejected; None
    where it can."""
    if spans and not any(spans):
        return f"all of its {name} were rejected"
    return f"all of its {name} are needed, and some were rejected" if mode == "all" and None in spans else None
