"""Evidence as people write it (a span, a quote, an element) turned into raw spans in code points."""

from collections.abc import Iterator
from typing import Any

from spanledger.core.records import Query
from spanledger.dataset.anchors import AnchorError
from spanledger.dataset.corpus import Corpus
from spanledger.dataset.tables import Row
from spanledger.gold import Evidence, Fact


class EvidenceReader:
    """Reads the facts of queries against one corpus. `problems` grows by every piece of evidence that names no place,
    or one that the asker may not read."""

    def __init__(self, corpus: Corpus):
        self.problems = []
        self._corpus = corpus

    def facts(self, row: Row, query: Query) -> tuple[Fact, ...]:
        """The facts of a row of queries.jsonl, in the order of the file; what has a problem is left out."""
        found = []
        first: dict[str, int] = {}
        for place, fact in enumerate(row.value["facts"]):
            field = f"facts[{place}]"
            if first.setdefault(fact["fact_id"], place) != place:
                message = f"{fact['fact_id']!r} is the fact_id of facts[{first[fact['fact_id']]}] too"
                self.problems.append(row.problem(f"{field}.fact_id", message))
            groups = [
                tuple(self._group(row, query, f"{field}.support[{number}]", group))
                for number, group in enumerate(fact["support"])
            ]
            found.append(Fact(fact["fact_id"], tuple(groups)))
        return tuple(found)

    def _group(self, row: Row, query: Query, field: str, group: list[dict[str, Any]]) -> Iterator[Evidence]:
        for place, value in enumerate(group):
            try:
                evidence = self._locate(value)
            except AnchorError as error:
                self.problems.append(row.problem(f"{field}[{place}].{error.key}", str(error)))
                continue
            if evidence is None:
                continue
            if shut := self._corpus.refusals(evidence.key, evidence.span, query.groups):
                asker = f"the query's groups: {', '.join(query.groups) or 'none'}"
                message = f"the asker may not read it ({'; '.join(shut)}; {asker}): use no_answer: unauthorized"
                self.problems.append(row.problem(f"{field}[{place}]", message))
            yield evidence

    def _locate(self, value: dict[str, Any]) -> Evidence | None:
        """The span that one piece of evidence names; None where that hangs on something that has a problem itself.
        Raises AnchorError where it names none."""
        if "element_id" in value:
            return self._in_element(value)
        key = value["doc_id"], value["version"]
        if unknown := self._corpus.unknown_document(key):
            raise AnchorError(*unknown)
        text = self._corpus.texts.get(key)
        if text is None:
            return None
        if "quote" in value:
            return Evidence(*key, text.quote(value["quote"]))
        return Evidence(*key, text.span(value["start"], value["end"], value.get("text"), value.get("sha256")))

    def _in_element(self, value: dict[str, Any]) -> Evidence | None:
        if unknown := self._corpus.unknown_element(value["element_id"]):
            raise AnchorError(*unknown)
        element = self._corpus.elements.get(value["element_id"])
        if element is None:
            return None
        key, span = (element.doc_id, element.version), element.span
        return Evidence(*key, self._corpus.texts[key].quote(value["quote"], span) if "quote" in value else span)
