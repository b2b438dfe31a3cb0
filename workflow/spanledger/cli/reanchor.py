"""`spanledger reanchor`: the gold of a dataset on another version of its documents."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from spanledger.core import files
from spanledger.core.errors import InputError, Problem, nearest, raise_problems
from spanledger.core.records import Query
from spanledger.dataset import DESCRIPTION, Dataset, load
from spanledger.dataset.anchors import AnchorText
from spanledger.engine import yaml12
from spanledger.gold import Evidence, Gold
from spanledger.importers.markdown import MARKDOWN, TEXT
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import read_texts
from spanledger.reanchor import KEPT, STATUSES, Anchor, MovedFact, reanchor

_WIDTH = 100  # characters of a text that a line shows
_LISTED = 5  # places that a line names


@dataclass(frozen=True, slots=True)
class _Target:
    """What gold is moved to: version and text by doc_id, the unit of its offsets, and whether all of it is current."""

    texts: dict[str, tuple[str, str]]
    unit: str
    current: bool


def run(
    dataset: Path,
    target: Path | None,
    source: str | None,
    to: str | None,
    out: Path | None,
    as_json: bool,
    encoding: str = "utf-8",
) -> int:
    """Prints what becomes of each fact of the dataset in `target` (another dataset folder or a folder of texts; None: the
    dataset itself), in the version `to` (None: the current ones); `source` takes the facts of that version alone. Of a
    folder of texts, in this `encoding`, files of Markdown and text are read, and those with endings of the dataset's own.

    `out` gets the queries of which every fact is unchanged or moved, as lines of queries.jsonl with offsets in the
    target's unit. Returns 0. Raises InputError for bad datasets, unknown versions, and an `out` that is there already.
    """
    if out is not None and out.exists():
        raise InputError([Problem(str(out), message="is there already: expected a name that is free")])
    held = load(dataset)
    goal = _target(dataset, target, held, to, encoding)
    golds = _taken(dataset, held.golds, source)
    facts = reanchor(golds, {document.key: document.text for document in held.documents}, goal.texts)
    kept, left_out = _queries(held, facts, goal)
    if out is not None:
        files.write(out, files.lines(kept))
    told = {
        "counts": {status: sum(fact.status == status for fact in facts) for status in STATUSES},
        "facts": [_fact(fact) for fact in facts],
        "queries": [record["query_id"] for record in kept],
        "left_out": left_out,
        "written": None if out is None else str(out),
    }
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=1))
    else:
        for line in _lines(facts, told):
            print(line)
    return 0


def _target(dataset: Path, target: Path | None, held: Dataset, to: str | None, encoding: str) -> _Target:
    folder = target or dataset
    if target is not None and not (target / DESCRIPTION).is_file():
        sources = Sources(encoding)
        own = {PurePosixPath(document.doc_id).suffix.lower() for document in held.documents}  # "": all files
        report = ImportReport("reanchor", ("documents",), (), ())
        texts = read_texts(sources, target, report, endings=(*MARKDOWN, *TEXT, *sorted(own)))
        raise_problems(sources.problems)
        version = to or target.resolve().name
        return _Target({text.path: (version, text.text) for text in texts}, "code_point", True)
    documents = held.documents if target is None else load(target).documents
    versions = {document.version for document in documents}
    if to is not None and to not in versions:
        raise InputError([Problem("--to", message=f"no document has the version {to!r}: {nearest(to, versions)}")])
    chosen = [document for document in documents if document.version == to or (to is None and document.current)]
    several = [doc_id for doc_id, count in Counter(document.doc_id for document in chosen).items() if count > 1]
    if several:
        message = f"is needed, because {several[0]!r} has several current versions"
        raise InputError([Problem("--to", message=message)])
    unit = yaml12.read(folder / DESCRIPTION).get("offset_unit", "code_point")
    texts = {document.doc_id: (document.version, document.text) for document in chosen}
    return _Target(texts, unit, all(document.current for document in chosen))


def _taken(dataset: Path, golds: list[Gold], source: str | None) -> list[Gold]:
    """The gold with the facts of one version alone."""
    if source is None:
        return golds
    versions = {e.version for gold in golds for fact in gold.facts for group in fact.support for e in group}
    if source not in versions:
        message = f"no fact of {dataset} is of the version {source!r}: {nearest(source, versions)}"
        raise InputError([Problem("--from", message=message)])
    return [
        replace(
            gold, facts=tuple(fact for fact in gold.facts if {e.version for g in fact.support for e in g} == {source})
        )
        for gold in golds
    ]


def _queries(held: Dataset, facts: list[MovedFact], goal: _Target) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The lines of the queries of which all facts were moved, and why each other one is left out."""
    found = {(fact.query_id, fact.fact_id): fact for fact in facts}
    kept, left_out = [], []
    for query, gold in zip(held.queries, held.golds, strict=True):
        moved = [found.get((gold.query_id, fact.fact_id)) for fact in gold.facts]
        lost = [fact for fact in moved if fact is not None and fact.status not in KEPT]
        if not gold.facts:
            reason = "it has no facts: that one version holds no answer says nothing of another"
        elif None in moved:
            reason = "it has facts of other versions"
        elif lost:
            reason = ", ".join(f"{fact.fact_id} is {fact.status}" for fact in lost)
        else:
            kept.append(_record(query, gold, [fact for fact in moved if fact is not None], goal))
            continue
        left_out.append({"query_id": query.query_id, "reason": reason})
    return kept, left_out


def _record(query: Query, gold: Gold, facts: list[MovedFact], goal: _Target) -> dict[str, Any]:
    """A line of queries.jsonl."""
    supports = [(moved.fact_id, moved.fact.support) for moved in facts if moved.fact is not None]
    versions = {e.version for _, support in supports for group in support for e in group}
    optional = {
        "position": query.position,
        "groups": list(query.groups) or None,
        "versions": None if goal.current else sorted(versions),
        "tags": list(gold.tags) or None,
    }
    return {
        "query_id": query.query_id,
        "text": query.text,
        "facts": [
            {"fact_id": fact_id, "support": [[_evidence(e, goal) for e in group] for group in support]}
            for fact_id, support in supports
        ],
        **{key: value for key, value in optional.items() if value is not None},
    }


def _evidence(evidence: Evidence, goal: _Target) -> dict[str, Any]:
    text = goal.texts[evidence.doc_id][1]
    start, end = (AnchorText(text, goal.unit).in_unit(place) for place in evidence.span)
    return {**_place(evidence), "start": start, "end": end, "text": text[slice(*evidence.span)]}


def _place(evidence: Evidence) -> dict[str, Any]:
    start, end = evidence.span
    return {"doc_id": evidence.doc_id, "version": evidence.version, "start": start, "end": end}


def _fact(fact: MovedFact) -> dict[str, Any]:
    return {
        "query_id": fact.query_id,
        "fact_id": fact.fact_id,
        "status": fact.status,
        "support": [[_anchor(one) for one in group] for group in fact.anchors],
    }


def _anchor(one: Anchor) -> dict[str, Any]:
    near = one.nearest
    return {
        "status": one.status,
        "how": one.how,
        "text": one.text,
        "old": _place(one.old),
        "new": None if one.new is None else _place(one.new),
        "places": [_place(place) for place in one.places],
        "nearest": None
        if near is None
        else {**_place(near.place), "similarity": near.similarity, "difference": near.difference},
    }


def _lines(facts: list[MovedFact], told: dict[str, Any]) -> Iterator[str]:
    counts = ", ".join(f"{count} {status}" for status, count in told["counts"].items())
    yield f"{len(facts)} facts: {counts}"
    for status in STATUSES:
        for fact in facts:
            if fact.status == status:
                for one in (one for group in fact.anchors for one in group):
                    yield from _told(fact, one)
    yield f"{len(told['queries'])} questions with all of their facts, {len(told['left_out'])} left out"
    for entry in told["left_out"]:
        yield f"  {entry['query_id']}: {entry['reason']}"
    if told["written"]:
        yield f"written: {told['written']}"


def _told(fact: MovedFact, one: Anchor) -> Iterator[str]:
    where = f"{one.old.doc_id} {one.old.version} {_span(one.old)}"
    to = "" if one.new is None else f" -> {one.new.version} {_span(one.new)}"
    yield f"  {one.status:<9}  {fact.query_id} {fact.fact_id}: {where}{to}: {one.how}"
    if one.nearest is not None:
        near = one.nearest
        place = f"{near.place.version} {_span(near.place)}, {near.similarity:.0%} alike"
        yield f"{'':13}nearest {place}: {_short(near.difference)}"
    elif one.new is None:
        yield f"{'':13}{_short(' '.join(one.text.split()))}"
    if one.places:
        more = f" and {len(one.places) - _LISTED} more" if len(one.places) > _LISTED else ""
        places = ", ".join(f"{place.doc_id} {_span(place)}" for place in one.places[:_LISTED])
        yield f"{'':13}it occurs at {places}{more}"


def _span(evidence: Evidence) -> str:
    return f"[{evidence.span[0]}, {evidence.span[1]})"


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
