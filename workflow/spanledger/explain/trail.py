"""The whole trail of one question through one arm, as a value for JSON: docs/explain.md lists its keys."""

from typing import Any

from spanledger.core.records import Chunk
from spanledger.explain.candidates import candidates
from spanledger.explain.holding import Holding
from spanledger.explain.ranked import branches
from spanledger.explain.results import ArmRun
from spanledger.explain.selected import Selection
from spanledger.metrics import CHECKPOINTS
from spanledger.retrieval.eligibility import Eligibility
from spanledger.scoring.coverage import Rule


def trail(run: ArmRun, depth: int) -> dict[str, Any]:
    """The trail of a run. Of each list it holds the first `depth` entries, those that hold evidence and those that were
    selected, in the order of the list, and says how many it leaves out."""
    rule = Rule(run.settings["score"]["coverage"], run.documents)
    holding = Holding(run.gold, run.chunks, rule)
    gate = _Gate(run)
    holders = set(holding.holders())
    kept = holders | set(run.context.chunks)
    selection = Selection(run, rule)
    searched, warnings = branches(run, depth, kept, holders & gate.eligible)
    parts = {
        "branches": searched,
        "candidates": candidates(run, depth, kept),
        "selection": selection.steps(depth, kept),
    }
    warnings += selection.warnings
    named = {run.chunks[ordinal].chunk_id: ordinal for ordinal in kept | _ordinals(run, parts)}
    return {
        "kind": "trail",
        "arm": arm(run),
        "query": query(run),
        "facts": _facts(run, rule, holding, gate),
        "eligibility": gate.told(),
        **parts,
        "context": selection.context(),
        "chunks": [_chunk(run.chunks[o], gate, holding, o in holders) for o in sorted(named.values())],
        "result": {name: run.row[name] for name in ("required", "covered", "recall", "cost")},
        "warnings": warnings,
    }


def arm(run: ArmRun) -> dict[str, Any]:
    """The arm's name, those of its settings, and what the settings are."""
    names = {part: getattr(run.arm, part) for part in ("chunk", "eligibility", "fuse", "select")}
    held = {part: run.settings[part] for part in ("chunk", "eligibility", "branches", "fuse", "select", "score")}
    return {"name": run.arm.name, **names, "branches": list(run.settings["branches"]), "parameters": held}


def query(run: ArmRun) -> dict[str, Any]:
    """The question and who asks it."""
    asked = {name: getattr(run.query, name) for name in ("query_id", "text", "groups", "versions")}
    return {**asked, "tags": run.gold.tags, "no_answer": run.gold.no_answer}


class _Gate:
    """What the arm's filter lets through for this query."""

    def __init__(self, run: ArmRun):
        rule = Eligibility.of(run.settings["eligibility"])
        self._documents = {document.key: document for document in run.documents}
        self._excludes = lambda acl, key: [*rule.against(acl, self._documents[key], run.query)]
        self.excluded = [self._excludes(chunk.acl, chunk.key) for chunk in run.chunks]
        self.eligible = {ordinal for ordinal, filters in enumerate(self.excluded) if not filters}

    def of_document(self, key: tuple[str, str]) -> list[str]:
        """The filters that keep a whole document version out."""
        return self._excludes(self._documents[key].acl, key)

    def told(self) -> dict[str, Any]:
        """Counts of chunks; one that several filters keep out counts at each of them."""
        by_filter = {
            name: sum(name in filters for filters in self.excluded) for name in ("versions", "visibility", "acl")
        }
        return {"chunks": len(self.excluded), "eligible": len(self.eligible), "excluded_by": by_filter}


def _facts(run: ArmRun, rule: Rule, holding: Holding, gate: _Gate) -> list[dict[str, Any]]:
    texts = {document.key: document.text for document in run.raw}
    sent = run.context.pieces if run.context.pieces is not None else [run.chunks[o] for o in run.context.chunks]
    in_context = Holding(run.gold, sent, rule)
    at = {
        "index": (holding, gate.eligible),
        "candidates": (holding, set(run.candidates.chunks)),
        "context": (in_context, set(range(len(sent)))),
    }
    found = []
    for fact, row in zip(run.gold.facts, run.row["facts"], strict=True):
        support = [
            [
                {
                    "doc_id": evidence.doc_id,
                    "version": evidence.version,
                    "start": evidence.span[0],
                    "end": evidence.span[1],
                    "text": texts[evidence.key][slice(*evidence.span)],
                    "excluded_by": gate.of_document(evidence.key),
                    **{point: at[point][0].span(evidence, at[point][1]) for point in CHECKPOINTS},
                }
                for evidence in group
            ]
            for group in fact.support
        ]
        told = {name: row[name] for name in ("fact_id", *CHECKPOINTS, "cause")}
        found.append({**told, "needed": row.get("needed"), "support": support})
    return found


def _ordinals(run: ArmRun, parts: dict[str, Any]) -> set[int]:
    """The chunks that the lists name."""
    by_id = {chunk.chunk_id: chunk.ordinal for chunk in run.chunks}
    lists = [*(branch["ranked"] for branch in parts["branches"]), parts["candidates"]["ranked"]]
    lists.append(parts["selection"]["steps"])
    return {by_id[entry["chunk_id"]] for entries in lists for entry in entries}


def _chunk(chunk: Chunk, gate: _Gate, holding: Holding, holds: bool) -> dict[str, Any]:
    return {
        **{name: getattr(chunk, name) for name in ("chunk_id", "ordinal", "doc_id", "version", "spans")},
        "text": chunk.body,
        "retrieval_text": chunk.retrieval_text,
        "acl": chunk.acl,
        "excluded_by": gate.excluded[chunk.ordinal],
        "holds": holding.of(chunk.ordinal) if holds else [],
    }
