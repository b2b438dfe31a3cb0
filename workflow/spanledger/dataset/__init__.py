"""A dataset folder, loaded and checked as a whole: dataset.yaml, documents.jsonl, elements.jsonl, queries.jsonl and
qrels.jsonl."""

import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spanledger.core.errors import InputError, Problem, raise_problems
from spanledger.core.records import Document, DocumentKey, Element, Query
from spanledger.dataset import tables
from spanledger.dataset.corpus import DOCUMENT_IDS, ELEMENT_IDS, Corpus, names, position_of
from spanledger.dataset.evidence import EvidenceReader
from spanledger.dataset.strict_json import repaired
from spanledger.dataset.tables import Row, Table
from spanledger.engine import schema, yaml12
from spanledger.gold import Gold, Judgement

DESCRIPTION, DOCUMENTS, ELEMENTS, QUERIES = "dataset.yaml", "documents.jsonl", "elements.jsonl", "queries.jsonl"
QRELS, JUDGEMENT_IDS = "qrels.jsonl", ("query_id", "doc_id")


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a dataset holds. Documents are raw; documents, elements and queries stand in the order of their records,
    gold in that of the queries, and so do judgements, those of one query by doc_id. `summary` holds its name,
    description, language, licence and counts."""

    documents: list[Document]
    elements: list[Element]
    queries: list[Query]
    golds: list[Gold]
    synonym_groups: tuple[tuple[str, ...], ...]
    summary: dict[str, Any]
    judgements: list[Judgement] = field(default_factory=list)


def load(folder: str | os.PathLike) -> Dataset:
    """The dataset in a folder, the same for every order of the lines in its files.

    Every piece of evidence comes out as a half-open span in code points of the raw text, whatever names it in the files
    and in whatever unit. Raises InputError with the problems of all files.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError([Problem(str(folder), message="no such folder: expected a dataset folder")])
    settings, problems = _settings(folder)
    documents = tables.read(folder, DOCUMENTS, "document", DOCUMENT_IDS)
    elements = Table([], [], [])
    if os.path.lexists(folder / ELEMENTS):
        elements = tables.read(folder, ELEMENTS, "element", ELEMENT_IDS)
    queries = tables.read(folder, QUERIES, "query", ("query_id",))
    qrels = Table([], [], [])
    if os.path.lexists(folder / QRELS):
        qrels = tables.read(folder, QRELS, "judgement", JUDGEMENT_IDS)
    corpus = Corpus(folder, documents, elements, settings["offset_unit"], settings["element_separator"])
    current, outdated = _current(str(folder / DESCRIPTION), settings.get("current_versions"), corpus)
    reader = EvidenceReader(corpus)
    pairs, doubtful = _queries(queries, corpus, reader)
    judgements, misjudged = _judgements(qrels, queries, corpus)
    for more in (documents, elements, queries, qrels, corpus):
        problems += more.problems
    for more in (outdated, doubtful, misjudged):
        problems += more
    raise_problems(problems + reader.problems)
    pairs.sort(key=lambda pair: pair[0].order)
    order = {query.query_id: place for place, (query, _) in enumerate(pairs)}
    judgements.sort(key=lambda judgement: (order[judgement.query_id], judgement.doc_id))
    dataset = Dataset(
        corpus.documents(current),
        sorted(corpus.elements.values(), key=lambda element: element.order),
        [query for query, _ in pairs],
        [gold for _, gold in pairs],
        tuple(map(tuple, settings["synonym_groups"])),
        {name: settings.get(name) for name in ("name", "description", "language", "licence")},
        judgements,
    )
    dataset.summary.update(_counts(dataset))
    return dataset


def _settings(folder: Path) -> tuple[dict[str, Any], list[Problem]]:
    """dataset.yaml with its defaults; what is at fault is left out, so that the other files can be checked."""
    path = folder / DESCRIPTION
    # where it cannot be known which versions are current, it is no second fault that none is named
    unknown = {**schema.defaults({}, "dataset", "dataset"), "current_versions": {}}
    try:
        value, faults = repaired(yaml12.read(path))
    except InputError as error:
        return unknown, error.problems
    except RecursionError:
        return unknown, [Problem(str(path), message="is nested too deeply")]
    faults += schema.problems(value, "dataset", "dataset")
    problems = [Problem(str(path), field=field, message=message) for field, message in faults]
    if not isinstance(value, dict):
        return unknown, problems
    wrong = {field.replace("[", ".").split(".")[0] for field, _ in faults}
    sound = {key: inner for key, inner in value.items() if key not in wrong}
    if "current_versions" in wrong:
        sound["current_versions"] = {}
    return schema.defaults(sound, "dataset", "dataset"), problems


def _current(file: str, named: dict[str, Any] | None, corpus: Corpus) -> tuple[set[DocumentKey], list[Problem]]:
    """The documents that are current, and what is wrong with how dataset.yaml names them."""
    versions: dict[str, set[str]] = defaultdict(set)
    for doc_id, version in corpus.keys:
        versions[doc_id].add(version)
    problems = []
    if named is None:
        for doc_id, several in versions.items():
            if len(several) > 1:
                message = f"is needed, because {doc_id!r} has several versions: {', '.join(sorted(several))}"
                problems.append(Problem(file, field="current_versions", message=message))
        return corpus.keys, problems
    current = set()
    for doc_id, value in named.items():
        for version in [value] if isinstance(value, str) else value:
            current.add((doc_id, version))
            if unknown := corpus.unknown_document((doc_id, version)):
                problems.append(Problem(file, field=f"current_versions.{doc_id}", message=unknown[1]))
    return current, problems


def _queries(table: Table, corpus: Corpus, reader: EvidenceReader) -> tuple[list[tuple[Query, Gold]], list[Problem]]:
    problems = list(tables.positions(table.rows))
    versions = {version for _, version in corpus.keys}
    pairs = []
    for query_id, row in tables.unique(table.rows, ("query_id",), problems).items():
        value = schema.defaults(row.value, "dataset", "query")
        query = Query(query_id, value["text"], names(value, "groups"), names(value, "versions"), position_of(value))
        problems += _query_problems(row, query, versions if corpus.named else None)
        facts = reader.facts(row, query)
        pairs.append((query, Gold(query_id, facts, value["no_answer"], names(value, "tags"))))
    return pairs, problems


def _query_problems(row: Row, query: Query, versions: set[str] | None) -> list[Problem]:
    problems = []
    for place, version in enumerate(row.value.get("versions", [])):
        if versions is not None and version not in versions:
            message = f"no document has the version {version!r}: {tables.unknown(version, versions)}"
            problems.append(row.problem(f"versions[{place}]", message))
    no_answer = row.value.get("no_answer")
    if row.value["facts"] and no_answer is not None:
        message = f"'{no_answer}' is only for a query without facts, and this one has {len(row.value['facts'])}"
        problems.append(row.problem("no_answer", message))
    return problems


def _judgements(table: Table, queries: Table, corpus: Corpus) -> tuple[list[Judgement], list[Problem]]:
    """The judgements of qrels.jsonl, and a problem for each that stands twice or names what does not exist."""
    problems: list[Problem] = []
    named = (row.value.get("query_id") for row in (*queries.rows, *queries.broken))
    asked = {query_id for query_id in named if isinstance(query_id, str)}
    doc_ids = {doc_id for doc_id, _ in corpus.keys}
    found = []
    for (query_id, doc_id), row in tables.unique(table.rows, JUDGEMENT_IDS, problems).items():
        if query_id not in asked and queries.read:
            message = f"no query is called {query_id!r}: {tables.unknown(query_id, asked)}"
            problems.append(row.problem("query_id", message))
        if doc_id not in doc_ids and corpus.named:
            problems.append(
                row.problem("doc_id", f"no document is called {doc_id!r}: {tables.unknown(doc_id, doc_ids)}")
            )
        found.append(Judgement(query_id, doc_id, int(row.value["relevance"])))
    return found, problems


def _counts(dataset: Dataset) -> dict[str, int]:
    return {
        "doc_ids": len({document.doc_id for document in dataset.documents}),
        "versions": len({document.version for document in dataset.documents}),
        "documents": len(dataset.documents),
        "current_documents": sum(document.current for document in dataset.documents),
        "characters": sum(len(document.text) for document in dataset.documents),
        "elements": len(dataset.elements),
        "queries": len(dataset.queries),
        "answerable_queries": sum(bool(gold.facts) for gold in dataset.golds),
        "facts": sum(len(gold.facts) for gold in dataset.golds),
        "judged_queries": len({judgement.query_id for judgement in dataset.judgements}),
        "judgements": len(dataset.judgements),
    }
