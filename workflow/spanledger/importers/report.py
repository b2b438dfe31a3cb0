"""The report of an import: what was read, kept and merged, and each thing that was rejected, with its place and reason."""

from collections.abc import Iterable
from typing import Any

from spanledger.importers.placing import Misplaced


class ImportReport:
    """Counts by kind of thing (questions, answers, ...). `read` and `merged` grow as the import goes on; what was
    rejected is listed. Every read thing ends as kept, merged or rejected, or is counted in `left_out` under its kind
    (answers of fewer than 2 annotators) and what left it out."""

    def __init__(self, kind: str, read: Iterable[str], merged: Iterable[str], rejected: Iterable[str]):
        self.kind = kind
        self.read = dict.fromkeys(read, 0)
        self.merged = dict.fromkeys(merged, 0)
        self.rejected: dict[str, list[dict[str, Any]]] = {what: [] for what in rejected}
        self.left_out: dict[str, int] = {}
        self.notes: dict[str, Any] = {}

    def reject(self, what: str, where: dict[str, Any], reason: str, **details: Any) -> None:
        """Lists one thing of the kind `what`; `where` names its place in the source."""
        self.rejected[what].append({**where, **details, "reason": reason})

    def reject_span(self, what: str, where: dict[str, Any], text: str | None, fault: Misplaced) -> None:
        """Lists a span that names no place. `found` is what stands there; `nearest` is the offset of the occurrence of
        the text that is nearest; where it occurs nowhere, `similar` tells the most similar place, if there is one."""
        stated = {} if text is None else {"text": text}
        place = {"offset": fault.offset, "found": fault.found, "nearest": fault.nearest, "similar": fault.similar}
        self.reject(what, where, fault.reason, **stated, **place)

    def document(self, sources: dict[str, str], kept: dict[str, int]) -> dict[str, Any]:
        """The report as it is written; `sources` are the SHA-256 digests of what was read, by name."""
        optional = {"left_out": {**self.left_out, **self._of_questions(kept)}, "notes": self.notes}
        return {
            "format": self.kind,
            "sources": sources,
            "read": self.read,
            "kept": kept,
            "merged": self.merged,
            "rejected": self.rejected,
            **{name: value for name, value in optional.items() if value},
        }

    def _of_questions(self, kept: dict[str, int]) -> dict[str, int]:
        """How much evidence went with questions that were merged or rejected, by what is told of it."""
        found = {}
        for what in self.rejected:
            if what in ("documents", "questions") or what not in kept:
                continue
            told = sum(count for name, count in self.left_out.items() if name.startswith(f"{what} "))
            rest = self.read[what] - kept[what] - self.merged[what] - len(self.rejected[what]) - told
            if rest:
                found[f"{what} of questions that were merged or rejected"] = rest
        return found
