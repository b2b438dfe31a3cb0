"""The data that the page carries for the questions: every text once, everything else as numbers that lead to it.

Documents, chunks, causes and reasons stand in tables; queries and arms refer to them by place. Chunks have spans only,
because the page cuts their text out of the documents. Candidate lists that arms share are written once a query.
"""

from typing import Any, NamedTuple

import orjson

from spanledger.core.causes import CAUSES
from spanledger.core.failures import CLASSES
from spanledger.core.files import canonical
from spanledger.core.records import DocumentKey
from spanledger.core.spans import overlap
from spanledger.engine.plan import Arm, branches
from spanledger.metrics import CHECKPOINTS, POOLS
from spanledger.report import words
from spanledger.report.results import Results

SHOWN = 30  # candidates of a list that the page shows in any case, so that it opens quickly whatever the depth


def payload(results: Results) -> dict[str, Any]:
    """The embedded data, as a value for JSON; page.js and its modules read it."""
    tables = _Tables(results)
    queries = [tables.query(place) for place in range(len(results.queries))]
    return {
        "unit": words.unit(results.unit)[0],
        "checkpoints": [[point, words.CHECKPOINTS[point]] for point in CHECKPOINTS],
        "failures": [[name, words.FAILURES[name][0], words.FAILURES[name][2]] for name in CLASSES],
        "causes": [[cause, *words.CAUSES[cause]] for cause in CAUSES],
        "reasons": list(words.REASONS.items()),
        "shown": SHOWN,
        "cutoffs": results.section["score"]["cutoffs"],
        "arms": [_arm(results, arm) for arm in results.arms],
        "documents": tables.documents,
        "chunks": tables.chunks,
        "queries": queries,
    }


def _arm(results: Results, arm: Arm) -> dict[str, Any]:
    """What the page must know of an arm's settings. `headed`: titles or table headers were searched with some chunks, and
    are no part of their spans. `features` are (words for one, words for several, weight) of what its
    re-ranker gives points for, in the order of the numbers in a list; None without one, and where it is a plugin."""
    section = results.section
    select, fuse = section["select"][arm.select], section["fuse"][arm.fuse]
    used = branches(section, arm.fuse)
    return {
        "name": arm.name,
        "top_k": select["top_k"],
        "budget": select["budget"],
        "unit": None if select["unit"] is None else words.unit(select["unit"])[0],
        "parents": select["parent"] is not None,
        "headed": results.counters[arm.name]["chunk", arm.chunk]["with_heading"] > 0,
        "branches": list(used),
        "depths": [setting["depth"] for setting in used.values()],
        "expands": any(setting["expand"] is not None for setting in used.values()),
        **({"elsewhere": True, "unknown": _unknown(results, arm)} if results.elsewhere else {}),
        "keeps_zero": any(setting["keep_zero"] for setting in used.values()),
        "features": None
        if "weights" not in (fuse["rerank"] or {})
        else [[*words.FEATURES[name], fuse["rerank"]["weights"][name]] for name in words.FEATURES],
    }


def _unknown(results: Results, arm: Arm) -> bool:
    """Whether it is not known what the index of an arm holds."""
    return any(results.trails[arm.name, q.query_id]["covered"]["index"] is None for q in results.queries)


class _Tables:
    """Numbers documents and chunks in the order in which the queries first name them."""

    def __init__(self, results: Results):
        self._results = results
        self.documents: list[list[Any]] = []
        self.chunks: list[list[Any]] = []
        self._document_places: dict[DocumentKey, int] = {}
        self._chunk_places: dict[str, int] = {}
        self._branches = [list(branches(results.section, arm.fuse)) for arm in results.arms]
        self._causes = {cause: place for place, cause in enumerate(CAUSES, 1)}
        self._reasons = {reason: place for place, reason in enumerate(words.REASONS)}

    def query(self, place: int) -> dict[str, Any]:
        query = self._results.queries[place]
        gold = self._results.golds[query.query_id]
        evidence = [e for fact in gold.facts for group in fact.support for e in group]
        matched: dict[tuple[str, ...], int] = {}
        lists: dict[_List, int] = {}
        whys: dict[tuple[int, str], int] = {}
        needs: dict[bytes, int] = {}
        trails = [self._results.trails[arm.name, query.query_id] for arm in self._results.arms]
        return {
            "id": query.query_id,
            "text": query.text,
            "groups": query.groups,
            "versions": query.versions,
            "tags": gold.tags,
            "no_answer": gold.no_answer,
            "facts": [
                {
                    "id": fact.fact_id,
                    "support": [[[self._document(e.key), *e.span] for e in group] for group in fact.support],
                }
                for fact in gold.facts
            ],
            "arms": [
                self._trail(row, names, evidence, matched, lists)
                for row, names in zip(trails, self._branches, strict=True)
            ],
            "failed": [_failed(row, whys) for row in trails],
            "whys": list(whys),
            "needed": [
                [_need(fact, needs) for fact in self._results.trails[arm.name, query.query_id]["facts"]]
                for arm in self._results.arms
            ],
            "needs": list(map(orjson.loads, needs)),
            "lists": [held.carried() for held in lists],
            "terms": list(matched),
        }

    def _trail(
        self,
        row: dict[str, Any],
        names: list[str],
        evidence: list,
        matched: dict[tuple[str, ...], int],
        lists: dict["_List", int],
    ) -> list[Any]:
        """[list, chunks of the context, runs of [reason, remaining, how many], a number a fact, cost, unique
        characters, duplicate characters, passages not current, place of the first evidence, facts of the best single
        chunk, facts covered at each cutoff, facts attainable from the candidates and from the index: twice the number,
        and 1 more for an upper bound, null where it is not known], and where the passages are not the chunks: passages
        as [document, characters, chunks, edges of spans]. A fact's number is 1 for index + 2 for candidates + 4 for
        context where it is covered there, + 8 times the cause from 1."""
        context = set(row["context"])
        kept = [
            candidate
            for candidate in row["candidates"]
            if candidate["rank"] <= SHOWN or candidate["chunk_id"] in context or _holds(candidate, evidence)
        ]
        key = _List(
            row["candidate_count"],
            row["candidate_char"],
            tuple(candidate["rank"] for candidate in kept),
            tuple(self._chunk(candidate) for candidate in kept),
            tuple(candidate["score"] for candidate in kept),
            tuple(matched.setdefault(tuple(candidate["matched_terms"]), len(matched)) for candidate in kept),
            *_reasons(kept, names),
        )
        skipped = {skip["chunk_id"]: skip for skip in row["skipped"]}
        runs: list[list[Any]] = []
        for candidate in kept:
            if candidate["chunk_id"] in context:
                continue
            skip = skipped[candidate["chunk_id"]]
            reason, remaining = self._reasons[skip["reason"]], skip["remaining"]
            if runs and runs[-1][:2] == [reason, remaining]:
                runs[-1][2] += 1
            else:
                runs.append([reason, remaining, 1])
        carried = [
            lists.setdefault(key, len(lists)),
            [self._place(chunk_id) for chunk_id in row["context"]],
            runs,
            [self._fact(fact) for fact in row["facts"]],
            row["cost"][self._results.unit],
            row["cost"]["unique_char"],
            row["cost"]["duplicate_char"],
            row["not_current"],
            row["first_rank"],
            row["best_single"],
            [row["covered_at"][str(n)] for n in self._results.section["score"]["cutoffs"]],
            [_bound(row["attainable"][pool]) for pool in POOLS],
        ]
        if "passages" in row:
            carried.append([self._passage(passage) for passage in row["passages"]])
        return carried

    def _passage(self, passage: dict[str, Any]) -> list[Any]:
        return [
            self._document((passage["doc_id"], passage["version"])),
            passage["char"],
            [self._place(chunk_id) for chunk_id in passage["chunks"]],
            *(edge for span in passage["spans"] for edge in span),
        ]

    def _fact(self, fact: dict[str, Any]) -> int:
        held = sum(1 << bit for bit, point in enumerate(CHECKPOINTS) if fact[point])
        return held + 8 * (self._causes[fact["cause"]] if fact["cause"] else 0)

    def _document(self, key: DocumentKey) -> int:
        if key not in self._document_places:
            document = self._results.documents[key]
            self._document_places[key] = len(self.documents)
            self.documents.append([*key, document.current, document.visibility, document.text])
        return self._document_places[key]

    def _chunk(self, candidate: dict[str, Any]) -> int:
        place = self._place(candidate["chunk_id"])
        if len(self.chunks[place]) == 1:
            key = candidate["doc_id"], candidate["version"]
            self.chunks[place] += [self._document(key), *(edge for span in candidate["spans"] for edge in span)]
        return place

    def _place(self, chunk_id: str) -> int:
        """The place of a chunk in the table; it has no document while only a context names it."""
        if chunk_id not in self._chunk_places:
            self._chunk_places[chunk_id] = len(self.chunks)
            self.chunks.append([chunk_id])
        return self._chunk_places[chunk_id]


class _List(NamedTuple):
    """A candidate list as it is carried: columns over its candidates. Where fusion or re-ranking gave reasons, also the
    ranks in each branch, the ranks and scores before, and the numbers of each feature; None where they did not."""

    count: int
    char: int
    ranks: tuple[int, ...]
    chunks: tuple[int, ...]
    scores: tuple[float, ...]
    terms: tuple[int, ...]
    branch_ranks: tuple[tuple[int | None, ...], ...] | None
    ranks_before: tuple[int, ...] | None
    scores_before: tuple[float, ...] | None
    features: tuple[tuple[float, ...], ...] | None

    def carried(self) -> dict[str, Any]:
        """Without what is None, and without ranks that only count from 1."""
        plain = self.ranks == tuple(range(1, len(self.ranks) + 1))
        fields = self._asdict()
        return {name: v for name, v in fields.items() if v is not None and not (plain and name == "ranks")}


def _reasons(kept: list[dict[str, Any]], names: list[str]) -> tuple[Any, ...]:
    """The last four fields of a `_List`; candidates of a list have the same ones, and `names` are its branches."""
    first = kept[0] if kept else {}
    return (
        tuple(tuple(c["ranks"][branch] for c in kept) for branch in names) if "ranks" in first else None,
        tuple(c["rank_before"] for c in kept) if "rank_before" in first else None,
        tuple(c["score_before"] for c in kept) if "score_before" in first else None,
        tuple(tuple(c["features"][name] for c in kept) for name in words.FEATURES) if "features" in first else None,
    )


def _bound(bound: dict[str, Any] | None) -> int | None:
    return None if bound is None else 2 * bound["facts"] + (bound["kind"] != "exact")


def _failed(row: dict[str, Any], whys: dict[tuple[int, str], int]) -> list[list[int]]:
    """For each lost fact of a line, in their order, the places in `whys` of its failure classes, each a pair of the
    class's place and why it holds."""
    lost = (fact["failures"] for fact in row["facts"] if fact["cause"])
    return [[whys.setdefault((CLASSES.index(f["class"]), f["why"]), len(whys)) for f in found] for found in lost]


def _need(fact: dict[str, Any], needs: dict[bytes, int]) -> int:
    """The place, from 1, of what a fact needs among what facts of the query need; 0 where that is nothing or not known."""
    return 0 if fact["needed"] is None else needs.setdefault(canonical(fact["needed"]), len(needs) + 1)


def _holds(candidate: dict[str, Any], evidence: list) -> bool:
    return any(
        (candidate["doc_id"], candidate["version"]) == e.key
        and any(overlap(span, e.span) for span in candidate["spans"])
        for e in evidence
    )
