"""A whole experiment in memory: the nine stages of the pipeline, in one process and to the same bytes."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from spanledger import gold
from spanledger.chunking import chunk_documents
from spanledger.core import files, ranking, records
from spanledger.core.errors import nearest
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, Document, Element
from spanledger.dataset import Dataset, load
from spanledger.engine import params, plan
from spanledger.fusion import fuse
from spanledger.gates import leaks
from spanledger.holdout import DEVELOPMENT, take
from spanledger.normalise import Policy, normalise_documents, normalise_elements
from spanledger.report import report
from spanledger.report.judgements import Sheet
from spanledger.retrieval import indexing, retrieve
from spanledger.retrieval.indexing import Index, build_indexes
from spanledger.scoring.arm import ArmScorer, Tables
from spanledger.selection import context, select
from spanledger.selection.context import Context
from spanledger.selection.shelf import Shelf


@dataclass
class Results:
    """Everything that an experiment makes, keyed by the names of the settings that it belongs to.

    `dataset` has the queries and the gold of the part that was run; its summary counts all. `rows` are the lines of
    queries.jsonl; `files` holds the bytes of every file that the pipeline would write below results/<experiment>/,
    provenance apart, by its path there; the report's are made of the development part alone.
    """

    dataset: Dataset
    documents: list[Document] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    chunks: dict[str, list[Chunk]] = field(default_factory=dict)
    indexes: dict[tuple[str, str, str], list[Index]] = field(default_factory=dict)
    rankings: dict[tuple[str, str, str], list[Ranking]] = field(default_factory=dict)
    candidates: dict[tuple[str, str, str], list[Ranking]] = field(default_factory=dict)
    contexts: dict[tuple[str, str, str, str], list[Context]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


def run(
    settings: dict[str, Any],
    dataset: Dataset | Path | str | None = None,
    experiment: str | None = None,
    *,
    judgements: Sheet | None = None,
    part: str = DEVELOPMENT,
    arms: Collection[str] | None = None,
) -> Results:
    """Runs one experiment.

    `settings` is a params.yaml in memory (resolved or not). `experiment` names the one to run and may be left out where
    there is only one; `dataset` replaces its dataset, as a folder or as one loaded before. `part` is the part of the
    queries that is run (development, holdout or all; see `spanledger.holdout`), and nothing takes note of a holdout that
    is scored in this way: `spanledger holdout` does. `arms` names those that are run; None stands for all.
    `judgements` are what people wrote about lost facts (see `report.judgements.read`).

    Raises InputError for a bad dataset or setting, for a part without queries, and for a leak, and ValueError where it is
    not clear which experiment, part or arm is meant.
    """
    resolved = params.resolve(settings)
    names = resolved["experiments"]
    if experiment is None:
        if len(names) != 1:
            raise ValueError(f"run: expected the name of one of several experiments: {nearest('', names)}")
        (experiment,) = names
    elif experiment not in names:
        raise ValueError(f"run: no experiment is called '{experiment}': {nearest(experiment, names)}")
    section = resolved[experiment] if arms is None else plan.narrowed(resolved[experiment], arms)
    if dataset is None:
        dataset = resolved["experiments"][experiment]["dataset"]
    results = Results(dataset if isinstance(dataset, Dataset) else load(Path(dataset)))
    _prepare(results, section, part)
    _search(results, section)
    _judge(results, section)
    if part != DEVELOPMENT:
        return results
    held = results.dataset
    counters = {
        arm.name: {key: orjson.loads(results.files[path]) for key, path in plan.counters(section, arm).items()}
        for arm in plan.arms(section)
    }
    written = report(
        experiment,
        section,
        held.summary,
        results.rows,
        held.golds,
        held.documents,
        held.queries,
        counters,
        leaks.of_files(section, results.files.__getitem__),
        judgements,
    )
    results.files.update(written)
    return results


def _prepare(results: Results, section: dict[str, Any], part: str) -> None:
    held, made, setting = results.dataset, results.files, section["normalise"]
    queries = take(held.queries, setting["holdout"], part)
    results.dataset = replace(
        held,
        queries=queries,
        golds=take(held.golds, setting["holdout"], part),
        judgements=gold.judgements_of(held.judgements, (query.query_id for query in queries)),
    )
    policy = Policy.of(setting)
    results.documents = normalise_documents(held.documents, policy)
    results.elements = normalise_elements(held.elements, results.documents, policy)
    for stage, dataset, documents, elements in (
        ("validate", held, held.documents, held.elements),
        ("normalise", results.dataset, results.documents, results.elements),
    ):
        made[f"{stage}/documents.jsonl"] = files.lines(map(records.to_record, documents))
        made[f"{stage}/elements.jsonl"] = files.lines(map(records.to_record, elements))
        made[f"{stage}/queries.jsonl"] = files.lines(map(records.to_record, dataset.queries))
        made[f"{stage}/facts.jsonl"] = files.lines(gold.to_records(dataset.golds))
        made[f"{stage}/qrels.jsonl"] = files.lines(gold.judgements_to_records(dataset.judgements))
        made[f"{stage}/synonyms.jsonl"] = files.lines(held.synonym_groups)
    made["validate/dataset.json"] = files.document(held.summary)
    for name, setting in section["chunk"].items():
        results.chunks[name], counters = chunk_documents(results.documents, results.elements, setting)
        made[f"chunk/{name}.jsonl"] = files.lines(map(records.to_record, results.chunks[name]))
        made[f"chunk/{name}.counters.json"] = files.document(counters)


def _search(results: Results, section: dict[str, Any]) -> None:
    queries, made = results.dataset.queries, results.files
    for chunk, eligibility in plan.pairs(section):
        chunks = results.chunks[chunk]
        place = f"{chunk}/{eligibility}"
        for name, setting in section["index"].items():
            rule = section["eligibility"][eligibility]
            indexes, counters = build_indexes(chunks, results.documents, queries, rule, setting)
            results.indexes[chunk, eligibility, name] = indexes
            for index in indexes:
                made[f"index/{place}/{name}/{index.name}.jsonl"] = files.lines(indexing.to_records(index))
            made[f"index/{place}/{name}/counters.json"] = files.document(counters)
        for name, setting in section["retrieve"].items():
            indexes = results.indexes[chunk, eligibility, setting["index"]]
            analyzer = section["index"][setting["index"]]["analyzer"]
            found, counters = retrieve(indexes, chunks, queries, analyzer, setting, results.dataset.synonym_groups)
            results.rankings[chunk, eligibility, name] = found
            made[f"retrieve/{place}/{name}.jsonl"] = files.lines(ranking.to_records(found))
            made[f"retrieve/{place}/{name}.counters.json"] = files.document(counters)
    for key in plan.fusions(section):
        chunk, eligibility, name = key
        used = {branch: results.rankings[chunk, eligibility, branch] for branch in section["fuse"][name]["branches"]}
        results.candidates[key], counters = fuse(used, results.chunks[chunk], queries, section["fuse"][name])
        made[f"fuse/{'/'.join(key)}.jsonl"] = files.lines(ranking.to_records(results.candidates[key]))
        made[f"fuse/{'/'.join(key)}.counters.json"] = files.document(counters)
    for key in plan.selections(section):
        setting = section["select"][key[3]]
        shelf = Shelf(results.chunks[key[0]], results.documents, results.chunks.get(setting["parent"]))
        rule = section["eligibility"][key[1]]
        contexts, counters = select(results.candidates[key[:3]], shelf, queries, setting, rule)
        results.contexts[key] = contexts
        made[f"select/{'/'.join(key)}.jsonl"] = files.lines(context.to_records(contexts))
        made[f"select/{'/'.join(key)}.counters.json"] = files.document(counters)


def _judge(results: Results, section: dict[str, Any]) -> None:
    held, made = results.dataset, results.files
    for arm in plan.arms(section):
        settings = plan.arm_settings(section, arm)
        indexes = {
            branch: results.indexes[arm.chunk, arm.eligibility, setting["index"]]
            for branch, setting in settings["branches"].items()
        }
        tables = Tables(
            results.chunks[arm.chunk],
            results.documents,
            held.queries,
            held.golds,
            indexes,
            {branch: results.rankings[arm.chunk, arm.eligibility, branch] for branch in settings["branches"]},
            held.synonym_groups,
            results.chunks.get(settings["select"]["parent"]),
            results.elements,
            held.judgements,
        )
        scorer = ArmScorer(arm.name, tables, settings)
        candidates = results.candidates[arm.chunk, arm.eligibility, arm.fuse]
        rows = scorer.score(candidates, results.contexts[arm.chunk, arm.eligibility, arm.fuse, arm.select])
        results.rows += rows
        made[f"score/{arm.name}.jsonl"] = files.lines(rows)
    made["queries.jsonl"] = files.lines(results.rows)
