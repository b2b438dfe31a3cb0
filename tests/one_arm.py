"""One arm of an experiment in memory: its resolved settings, and its way through the stages from chunk to score."""

from dataclasses import dataclass
from typing import Any

from spanledger.chunking import chunk_documents
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk
from spanledger.engine import params, plan
from spanledger.fusion import fuse
from spanledger.retrieval import retrieve
from spanledger.retrieval.indexing import build_indexes
from spanledger.scoring.arm import ArmScorer, Tables
from spanledger.selection import select
from spanledger.selection.context import Context
from spanledger.selection.shelf import Shelf

WORDS = {"words": {"index": "words", "scorer": "term_overlap"}}


def section(**parts) -> dict[str, Any]:
    """The resolved section with one arm, an-arm. `chunk`, `index` and `retrieve` are sections, `eligibility`, `fuse`,
    `select` and `score` one setting; the first chunking is the arm's. Not given: whole documents, words, shared terms,
    all branches, the first two."""
    chunk, retrieve_section = parts.get("chunk", {"whole": {"method": "document"}}), parts.get("retrieve", WORDS)
    raw = {
        "normalise": {},
        "chunk": chunk,
        "eligibility": {"e": parts.get("eligibility", {})},
        "index": parts.get("index", {"words": {"analyzer": "ascii_words"}}),
        "retrieve": retrieve_section,
        "fuse": {"f": {"branches": list(retrieve_section), **parts.get("fuse", {})}},
        "select": {"s": parts.get("select", {"top_k": 2})},
        "score": parts.get("score", {}),
        "report": {},
        "arms": [{"name": "an-arm", "chunk": next(iter(chunk)), "eligibility": "e", "fuse": "f", "select": "s"}],
    }
    return params.resolve({"experiments": {"x": {"dataset": "in-memory"}}, "x": raw})["x"]


def arm_settings(**parts) -> dict[str, Any]:
    """What the score stage is told of that arm."""
    resolved = section(**parts)
    return plan.arm_settings(resolved, plan.arms(resolved)[0])


@dataclass
class Ran:
    """What the arm made; `tables` holds each chunking's chunks, `counters` those of a stage."""

    settings: dict[str, Any]
    chunking: str
    tables: dict[str, list[Chunk]]
    rankings: dict[str, list[Ranking]]
    candidates: list[Ranking]
    contexts: list[Context]
    rows: list[dict[str, Any]]
    counters: dict[tuple[str, str], dict[str, Any]]

    @property
    def chunks(self) -> list[Chunk]:
        """Those of the arm's own chunking."""
        return self.tables[self.chunking]


def run(documents, queries, golds, elements=(), synonyms=(), **parts) -> Ran:
    """Runs the arm (see `section`) on these records."""
    resolved = section(**parts)
    (arm,) = plan.arms(resolved)
    settings = plan.arm_settings(resolved, arm)
    counters, tables, indexes, rankings = {}, {}, {}, {}
    for name, setting in resolved["chunk"].items():
        tables[name], counters["chunk", name] = chunk_documents(documents, list(elements), setting)
    chunks = tables[arm.chunk]
    for name, setting in settings["branches"].items():
        index = resolved["index"][setting["index"]]
        built = build_indexes(chunks, documents, queries, settings["eligibility"], index)
        indexes[name], counters["index", setting["index"]] = built
        found = retrieve(indexes[name], chunks, queries, index["analyzer"], setting, synonyms)
        rankings[name], counters["retrieve", name] = found
    candidates, counters["fuse", "f"] = fuse(rankings, chunks, queries, settings["fuse"])
    parents = tables.get(settings["select"]["parent"])
    shelf = Shelf(chunks, documents, parents)
    contexts, counters["select", "s"] = select(candidates, shelf, queries, settings["select"], settings["eligibility"])
    held = Tables(chunks, documents, queries, golds, indexes, rankings, synonyms, parents, elements)
    rows = ArmScorer("an-arm", held, settings).score(candidates, contexts)
    return Ran(settings, arm.chunk, tables, rankings, candidates, contexts, rows, counters)
