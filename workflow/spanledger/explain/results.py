"""The results of one experiment, as far as they explain one question of one arm."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from spanledger import gold
from spanledger.core import ranking
from spanledger.core.errors import InputError, Problem, nearest, raise_problems
from spanledger.core.files import sha256
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.engine import plan
from spanledger.engine.plan import Arm
from spanledger.gold import Gold
from spanledger.retrieval import indexing
from spanledger.retrieval.indexing import Index
from spanledger.selection import context
from spanledger.selection.context import Context
from spanledger.snapshot import Snapshot

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
    """results/<experiment> of a snapshot of the project, with the parameters that its provenance records.

    Raises InputError where there are no results, where stages were run with different parameters, and, on reading, for a
    file that is not the one that the score stage saw: such results explain nothing.
    """

    def __init__(self, experiment: str, snapshot: Snapshot):
        self.experiment = experiment
        self._snapshot = snapshot
        self._place = f"results/{experiment}"
        provenance = {stage: f"{self._place}/provenance/{stage}.json" for stage in _STAGES}
        if not all(map(snapshot.exists, provenance.values())):
            raise InputError([self._problem(self._place, f"there are no results: {_RUN}")])
        records = {stage: orjson.loads(snapshot.read(path)) for stage, path in provenance.items()}
        self._digests = {**records["validate"]["outputs"], **records["score"]["inputs"], **records["score"]["outputs"]}
        self.section: dict[str, Any] = {}
        found = []
        for stage in reversed(_STAGES):
            for part in plan.SECTIONS[stage]:
                field = f"{experiment}.{part}"
                if field not in records[stage]["parameters"]:
                    found.append(self._problem(self._place, f"another version of spanledger made them: {_RUN}"))
                    continue
                value = records[stage]["parameters"][field]
                if self.section.setdefault(part, value) != value:
                    message = f"the stages {stage} and score were run with different values of it: {_RUN}"
                    found.append(self._problem(self._place, message, field=field))
        raise_problems(found)
        self.arms = plan.arms(self.section)
        self._lines = cache(self._read_lines)

    def arm(self, name: str) -> Arm:
        """The arm of that name; raises InputError with the nearest one."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise InputError(
            [self._problem(self._place, nearest(name, [a.name for a in self.arms]), record=f"arm '{name}'")]
        )

    def queries(self) -> list[Query]:
        """The queries, in their order."""
        return sorted(from_records(Query, self._lines("normalise/queries.jsonl")), key=lambda query: query.order)

    def query(self, query_id: str) -> Query:
        """The query of that id; raises InputError with the nearest one."""
        queries = self.queries()
        for query in queries:
            if query.query_id == query_id:
                return query
        message = nearest(query_id, [query.query_id for query in queries])
        raise InputError([self._problem(self._place, message, record=f"query '{query_id}'")])

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

    def _problem(self, path: str, message: str, **place: str) -> Problem:
        return Problem(
            path if self._snapshot.commit is None else f"{self._snapshot.name}:{path}", message=message, **place
        )

    def _chunks(self, name: str) -> list[Chunk]:
        return from_records(Chunk, self._lines(f"chunk/{name}.jsonl"))

    def _ranking(self, path: str, query_id: str) -> Ranking:
        return self._of_query(path, query_id, ranking.from_records)

    def _of_query(self, path: str, query_id: str, build: Any) -> Any:
        (found,) = build([record for record in self._lines(path) if record["query_id"] == query_id])
        return found

    def _index(self, folder: str, query_id: str) -> Index:
        """The index of the query's eligibility class."""
        for path in self._snapshot.below(f"{self._place}/{folder}"):
            name = path.removeprefix(f"{self._place}/")
            if name.startswith(f"{folder}/class-"):
                index = indexing.from_records(self._lines(name))
                if query_id in index.query_ids:
                    return index
        raise InputError([self._problem(f"{self._place}/{folder}", f"has no index for this query: {_RUN}")])

    def _read_lines(self, name: str) -> list[Any]:
        path = f"{self._place}/{name}"
        if not self._snapshot.exists(path):
            raise InputError([self._problem(path, f"is missing: {_RUN}")])
        data = self._snapshot.read(path)
        if self._digests.get(path) != sha256(data):
            raise InputError([self._problem(path, f"is not the file of the run that was scored: {_RUN}")])
        return [orjson.loads(text) for text in data.splitlines()]


def _leaves(value: Any, field: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(value[key], f"{field}.{key}")
    else:
        yield field, value
