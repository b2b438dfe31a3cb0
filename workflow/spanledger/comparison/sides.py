"""The two sides of a comparison: an arm each, as it was run, with what it was run on."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.records import Query
from spanledger.core.span_measures import PUBLISHED
from spanledger.engine import plan
from spanledger.gold import Gold

# What a dataset is made of, and the file of the stage validate that holds it.
DATASET = {
    "documents": "documents.jsonl",
    "elements": "elements.jsonl",
    "queries": "queries.jsonl",
    "gold": "facts.jsonl",
    "judgements": "qrels.jsonl",
    "synonyms": "synonyms.jsonl",
}


@dataclass(frozen=True)
class Experiment:
    """An experiment as it was run.

    `section` holds the parameters that its stages used, resolved; `dataset` the digest of each part of the dataset, by
    the keys of DATASET; `code` the digests of the files and `libraries` the versions of the libraries that made the
    scores; `primary` is the metric that its arms are compared by. `stale` says that params.yaml beside the results has
    other settings by now; `place` is where they are, for messages.
    """

    name: str
    place: str
    section: dict[str, Any]
    dataset: dict[str, str]
    queries: list[Query]
    golds: list[Gold]
    primary: str = "macro_recall"
    code: dict[str, str] | None = None
    libraries: dict[str, str] | None = None
    stale: bool = False

    @property
    def arms(self) -> list[str]:
        """The names of its arms, in their order."""
        return [arm.name for arm in plan.arms(self.section)]

    def arm(self, name: str) -> plan.Arm:
        """The arm of that name. Raises InputError where there is none."""
        if name not in self.arms:
            raise InputError([Problem(self.place, field=name, message=f"no such arm: {nearest(name, self.arms)}")])
        return plan.arm(self.section, name)

    @cached_property
    def query_by_id(self) -> dict[str, Query]:
        return {query.query_id: query for query in self.queries}

    @cached_property
    def gold_by_id(self) -> dict[str, Gold]:
        return {gold.query_id: gold for gold in self.golds}


@dataclass(frozen=True)
class Side:
    """An arm of an experiment; `rows` are its lines of queries.jsonl. `intact` is False, and there are no rows,
    where they are not those that the stage score wrote."""

    experiment: Experiment
    arm: plan.Arm
    rows: list[dict[str, Any]]
    intact: bool = True

    @property
    def name(self) -> str:
        return f"{self.experiment.name}/{self.arm.name}"

    @property
    def select(self) -> dict[str, Any]:
        """The setting of its selector."""
        return self.experiment.section["select"][self.arm.select]

    @property
    def coverage(self) -> dict[str, Any]:
        """The rule by which a fact counts as covered."""
        return self.experiment.section["score"]["coverage"]

    @property
    def cost(self) -> dict[str, Any]:
        """What its cost counts: unit and text; in terms of an analyzer, that one too."""
        cost = dict(self.experiment.section["score"]["cost"])
        if cost["unit"] == "analyzer":
            settings = plan.arm_settings(self.experiment.section, self.arm)
            cost["analyzer"] = next(iter(settings["analyzers"].values()))
        return cost

    @property
    def cutoffs(self) -> list[int]:
        return self.experiment.section["score"].get("cutoffs", [])

    @property
    def spans(self) -> list[str]:
        """Its span metrics, the published kind of one apart; none where its lines were made before there were any."""
        held = all("characters" in row for row in self.rows)
        names = self.experiment.section["score"].get("span_metrics", []) if held else []
        return [name for name in names if name != PUBLISHED]

    @property
    def documents(self) -> list[str]:
        """Its measures of documents, if it has judgements."""
        held = any("documents" in row for row in self.rows)
        return self.experiment.section["score"].get("document_metrics", []) if held else []
