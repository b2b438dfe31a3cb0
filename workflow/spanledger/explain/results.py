"""The results of one experiment on disk, as far as they explain one question of one arm."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from spanledger import gold
from spanledger.core import ranking
from spanledger.core.errors import InputError, Problem, nearest, raise_problems
from spanledger.core.files import read_document, sha256
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.engine import plan
from spanledger.engine.plan import Arm
from spanledger.gold import Gold
from spanledger.retrieval import indexing
from spanledger.retrieval.indexing import Index
from spanledger.selection import context
from spanledger.selection.context import Context

_STAGES = plan.STAGES[: plan.STAGES.index("score") + 1]
_RUN = "run make repro"


@dataclass(frozen=True)
class ArmRun:
    """What one arm made of one query, and what it made it of.

    `settings` are those of `plan.arm_settings` and the arm's chunking under "chunk"; `raw` and `documents` hold the
    documents before and after normalisation; `indexes` and `rankings` lead from each branch to the index of the query's
    eligibility class and to its ranking; `row` is its line of queries.jsonl.
    """

    arm: Arm
    settings: dict[str, Any]
    query: Query
    gold: Gold
    raw: list[Document]
    documents: list[Document]
    chunks: list[Chunk]
    parents: list[Chunk] | None
    synonym_groups: list[list[str]]
    indexes: dict[str, Index]
    rankings: dict[str, Ranking]
    candidates: Ranking
    context: Context
    row: dict[str, Any]


class ResultsFolder:
    """results/<experiment> below a project's folder, with the parameters that its provenance records.

    Raises InputError where there are no results, where stages were run with different parameters, and, on reading, for a
    file that is not the one that the score stage saw: such results explain nothing.
    """

    def __init__(self, experiment: str, project: Path = Path()):
        self.experiment = experiment
        self._project = project
        self._place = f"results/{experiment}"
        folder = project / self._place
        if not all((folder / "provenance" / f"{stage}.json").is_file() for stage in _STAGES):
            raise InputError([Problem(self._place, message=f"there are no results yet: {_RUN}")])
        records = {stage: read_document(folder / "provenance" / f"{stage}.json") for stage in _STAGES}
        self._digests = {**records["validate"]["outputs"], **records["score"]["inputs"], **records["score"]["outputs"]}
        self.section: dict[str, Any] = {}
        found = []
        for stage in reversed(_STAGES):
            for part in plan.SECTIONS[stage]:
                value = records[stage]["parameters"][f"{experiment}.{part}"]
                if self.section.setdefault(part, value) != value:
                    message = f"the stages {stage} and score were run with different values of it: {_RUN}"
                    found.append(Problem(self._place, field=f"{experiment}.{part}", message=message))
        raise_problems(found)
        self.arms = plan.arms(self.section)
        self._lines = cache(self._read_lines)

    def arm(self, name: str) -> Arm:
        """The arm of that name; raises InputError with the nearest one."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise InputError([self._unknown("arm", name, [arm.name for arm in self.arms])])

    def queries(self) -> list[Query]:
        """The queries, in their order."""
        return sorted(from_records(Query, self._lines("normalise/queries.jsonl")), key=lambda query: query.order)

    def query(self, query_id: str) -> Query:
        """The query of that id; raises InputError with the nearest one."""
        queries = self.queries()
        for query in queries:
            if query.query_id == query_id:
                return query
        raise InputError([self._unknown("query", query_id, [query.query_id for query in queries])])

    def gold(self, query_id: str) -> Gold:
        """The gold of one query."""
        return self._of_query("normalise/facts.jsonl", query_id, gold.from_records)

    def raw(self) -> list[Document]:
        """The documents as they stand in the dataset."""
        return from_records(Document, self._lines("validate/documents.jsonl"))

    def rows(self, arm: Arm) -> list[dict[str, Any]]:
        """An arm's lines of queries.jsonl, in the queries' order."""
        return self._lines(f"score/{arm.name}.jsonl")

    def run(self, arm: Arm, query: Query) -> ArmRun:
        """Everything on one query of one arm."""
        section, query_id = self.section, query.query_id
        place = f"{arm.chunk}/{arm.eligibility}"
        used = plan.branches(section, arm.fuse)
        parent = section["select"][arm.select]["parent"]
        selected = f"select/{place}/{arm.fuse}/{arm.select}.jsonl"
        return ArmRun(
            arm,
            {**plan.arm_settings(section, arm), "chunk": section["chunk"][arm.chunk]},
            query,
            self.gold(query_id),
            self.raw(),
            from_records(Document, self._lines("normalise/documents.jsonl")),
            self._chunks(arm.chunk),
            None if parent is None else self._chunks(parent),
            self._lines("normalise/synonyms.jsonl"),
            {branch: self._index(f"index/{place}/{s['index']}", query_id) for branch, s in used.items()},
            {branch: self._ranking(f"retrieve/{place}/{branch}.jsonl", query_id) for branch in used},
            self._ranking(f"fuse/{place}/{arm.fuse}.jsonl", query_id),
            self._of_query(selected, query_id, context.from_records),
            next(row for row in self.rows(arm) if row["query_id"] == query_id),
        )

    def outdated(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        """Where a resolved params.yaml says something else than what made these results: {field, results, params} each,
        in ascending order of field; None on the side that has no such field."""
        now = params.get(self.experiment, {})
        held, wanted = (
            dict(_leaves({part: section.get(part) for part in sorted(self.section)}, self.experiment))
            for section in (self.section, now)
        )
        fields = sorted(field for field in {*held, *wanted} if held.get(field) != wanted.get(field))
        return [{"field": f, "results": held.get(f), "params": wanted.get(f)} for f in fields]

    def _unknown(self, what: str, name: str, valid: list[str]) -> Problem:
        return Problem(self._place, record=f"{what} '{name}'", message=nearest(name, valid))

    def _chunks(self, name: str) -> list[Chunk]:
        return from_records(Chunk, self._lines(f"chunk/{name}.jsonl"))

    def _ranking(self, path: str, query_id: str) -> Ranking:
        return self._of_query(path, query_id, ranking.from_records)

    def _of_query(self, path: str, query_id: str, build: Any) -> Any:
        (found,) = build([record for record in self._lines(path) if record["query_id"] == query_id])
        return found

    def _index(self, folder: str, query_id: str) -> Index:
        """The index of the query's eligibility class; the others are not read whole."""
        for path in sorted((self._project / self._place / folder).glob("class-*.jsonl")):
            with path.open("rb") as stream:
                if query_id in orjson.loads(stream.readline())["query_ids"]:
                    return indexing.from_records(self._lines(f"{folder}/{path.name}"))
        raise InputError([Problem(f"{self._place}/{folder}", message=f"has no index for this query: {_RUN}")])

    def _read_lines(self, name: str) -> list[Any]:
        path = f"{self._place}/{name}"
        file = self._project / path
        if not file.is_file():
            raise InputError([Problem(path, message=f"is missing: {_RUN}")])
        data = file.read_bytes()
        if self._digests.get(path) != sha256(data):
            raise InputError([Problem(path, message=f"is not the file of the run that was scored: {_RUN}")])
        return [orjson.loads(text) for text in data.splitlines()]


def _leaves(value: Any, field: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(value[key], f"{field}.{key}")
    else:
        yield field, value
