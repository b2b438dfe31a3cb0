"""Failure classes: what about the corpus, its chunks or the settings let a required fact get lost, and so what to change.

The first cause (see `scoring.loss`) says in which stage a fact was lost; the classes say why, by rules that read the
elements of the documents, the chunks and the terms of the arm's own analyzers, synonyms included where a branch expands.
`report.words.FAILURES` has every rule in words, with a fix and its side effect. Several classes may hold; they stand in
the order of `core.failures.CLASSES`, and the first is the primary one.

A fact with several support groups is judged by the one that came furthest: through the filter, into the index, among the
candidates; then by the one whose primary class stands last in the order, then by the gold's order. Only spans that the
context does not cover are judged.
"""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from spanledger.core.failures import CLASSES, SUSPICION, UNCLASSIFIED
from spanledger.core.records import Chunk, Document, Query
from spanledger.core.spans import Span, covers, length, union
from spanledger.gold import Evidence, Fact
from spanledger.retrieval.eligibility import Eligibility
from spanledger.scoring.coverage import Coverage, Passage
from spanledger.scoring.structure import CODE, TABLE, Structure
from spanledger.scoring.terms import Terms
from spanledger.selection.context import DOES_NOT_FIT, OUTSIDE_TOP_K, Context

SMALL_SHARE = Fraction(1, 4)  # of a chunk's characters: less evidence than this is little of it
FEW = 1  # shared terms
OF_MANY = 3  # from so many terms of the question on, FEW shared ones are few

_BLANK_LINES = re.compile(r"\n\s*\n")
_SHOWN = 6  # terms that an explanation names
Found = dict[str, str]  # from a class to why it holds


@dataclass(frozen=True)
class Loss:
    """A fact that the context of a query lacks, with its first cause.

    `eligible` and `candidates` are ordinals of the chunk table; `passages` is what the context sends; `kept` says
    whether the context covers a span.
    """

    fact: Fact
    cause: str
    query: Query
    eligible: Container[int]
    candidates: Container[int]
    context: Context
    passages: Sequence[Passage]
    kept: Callable[[Evidence], bool]


@dataclass(frozen=True)
class Classifier:
    """Finds the classes of the facts that one arm lost. `coverage` is that of the chunk table; `searched` and `complete` as
    in `arm.Tables`: no class is given for terms or chunks that are not known."""

    chunks: list[Chunk]
    coverage: Coverage
    structure: Structure
    eligibility: Eligibility
    terms: Terms
    searched: bool = True
    complete: bool = True

    def classes(self, loss: Loss) -> list[dict[str, str]]:
        """The classes of one lost fact, each with why it holds: the primary one first, `wrong_gold` last."""
        groups = [_Group(self, loss, group) for group in loss.fact.support]
        furthest = max(groups, key=lambda group: (group.stage, group.rank))  # of equals the first
        unknown = "how the run was made is not known"
        found = furthest.found or {UNCLASSIFIED: "no rule holds" if self.searched else unknown}
        suspicion = self._suspicion(loss)
        if suspicion is not None:
            found = {**found, SUSPICION: suspicion}
        return [{"class": name, "why": found[name]} for name in CLASSES if name in found]

    def _suspicion(self, loss: Loss) -> str | None:
        """Why the gold itself may be wrong; None where nothing hints at it."""
        spans = dict.fromkeys(evidence for group in loss.fact.support for evidence in group)
        texts = {evidence: self.structure.text(evidence).strip() for evidence in spans}
        if not any(map(self.terms.own, texts.values())):
            return "the evidence holds no term at all"
        for text in (text for evidence, text in texts.items() if not loss.kept(evidence)):
            if len(self.terms.own(text)) > 1 and any(text in passage.body for passage in loss.passages):
                return f"the context holds the same words at another place: {_quoted(text)}"
        asked = self.terms.own(loss.query.text)
        if asked and not any(self.terms.shared(loss.query, text) for text in texts.values()):
            for passage in loss.passages:
                if asked <= self.terms.own(passage.body):
                    place = f"{passage.doc_id} {passage.version}"
                    return f"the evidence shares no term with the question, and a passage of {place} has them all"
        return None


class _Group:
    """One support group of a lost fact, judged."""

    def __init__(self, arm: Classifier, loss: Loss, group: tuple[Evidence, ...]):
        self._arm = arm
        self._loss = loss
        self._group = group
        self._lost = [evidence for evidence in group if not loss.kept(evidence)]

    @cached_property
    def stage(self) -> int:
        """How far the group came: 0 held back by the filter, 1 let through, 2 in the index, 3 among the candidates."""
        covered = self._arm.coverage.span_covered
        for stage, pool in ((3, self._loss.candidates), (2, self._loss.eligible)):
            if all(covered(evidence, pool) for evidence in self._group):
                return stage
        return 0 if any(map(self._held_back, self._group)) else 1

    @property
    def rank(self) -> int:
        """The place of the primary class."""
        return min(map(CLASSES.index, self.found), default=CLASSES.index(UNCLASSIFIED))

    @cached_property
    def found(self) -> Found:
        """Every class that holds, in no order."""
        rules = [self._filtered] if self.stage == 0 else [self._cut, self._uncovered]
        if self.stage and not self._arm.complete:
            rules = []
        elif self.stage > 1:
            rules += [self._titles, self._vocabulary] if self._arm.searched else []
            rules += [] if self._loss.cause == "not_matched" else [self._topics]
        found: Found = self._passed_over() if self.stage > 1 else {}
        for evidence in self._lost:
            for rule in rules:
                found = {**rule(evidence), **found}
        return found

    def _held_back(self, evidence: Evidence) -> bool:
        """As the cause `ineligible` has it."""
        document, covered = self._arm.structure.document(evidence.key), self._arm.coverage.span_covered
        if not self._arm.complete:
            return self._loss.cause == "ineligible"
        return not self._arm.eligibility.admits(document.acl, document, self._loss.query) or (
            not covered(evidence, self._loss.eligible) and covered(evidence, range(len(self._arm.chunks)))
        )

    def _filtered(self, evidence: Evidence) -> Found:
        """acl, visibility, version: the parts of the filter that keep the asker from the evidence or its chunks."""
        arm, document = self._arm, self._arm.structure.document(evidence.key)
        held = [arm.chunks[ordinal] for ordinal in (*arm.coverage.touching(evidence), *arm.coverage.holders(evidence))]
        found = self._closed(document.acl, document, document.doc_id)
        for part in [] if arm.complete else arm.structure.touching(evidence.key, evidence.span):
            found = {**self._closed(part.element.acl, document, f"an element of {document.doc_id}"), **found}
        for chunk in (chunk for chunk in held if chunk.ordinal not in self._loss.eligible):
            document = arm.structure.document(chunk.key)
            found = {**self._closed(chunk.acl, document, f"a chunk of {document.doc_id}"), **found}
        return found

    def _closed(self, acl: tuple[str, ...] | None, document: Document, what: str) -> Found:
        rule, query = self._arm.eligibility, self._loss.query
        found: Found = {}
        if not replace(rule, versions="all", visibility=None).admits(acl, document, query):
            readers = ", ".join(acl or ()) or "nobody, because it joins parts of different groups"
            found["acl"] = f"{what} may be read by {readers}; the asker's groups: {', '.join(query.groups) or 'none'}"
        if not replace(rule, versions="all", acl="ignore").admits(acl, document, query):
            found["visibility"] = (
                f"{document.doc_id} is {document.visibility}; let in: {', '.join(rule.visibility or ())}"
            )
        if not replace(rule, visibility=None, acl="ignore").admits(acl, document, query):
            asked = rule.versions == "asked" and query.versions
            known = f"the question asks about {', '.join(query.versions)}" if asked else "it is not the current one"
            found["version"] = f"version {document.version} of {document.doc_id} is not let in: {known}"
        return found

    def _cut(self, evidence: Evidence) -> Found:
        """cut_table, code_boundary, cut_condition."""
        structure = self._arm.structure
        whole, parts = self._holding(evidence)
        kinds = {
            "cut_table": structure.belonging(evidence, TABLE),
            "code_boundary": structure.belonging(evidence, CODE),
        }
        edges = {edge for ordinal in parts for span in self._arm.chunks[ordinal].spans for edge in span}
        inside = sorted(edge for edge in edges if evidence.span[0] < edge < evidence.span[1])
        if not whole and len(parts) > 1 and inside:
            between = [structure.text(replace(evidence, span=span)) for span in pairwise(inside)]
            apart = [inside[0], *(edge for edge, text in zip(inside[1:], between, strict=True) if text.strip())]
            where = " and ".join(f"“{structure.around(evidence.key, edge)}”" for edge in apart[:2])
            why = f"no chunk holds it whole; cut at {where}"
            return {name: why for name, belonging in kinds.items() if belonging} or {"cut_condition": why}
        found: Found = {}
        for name, belonging in kinds.items() if self._arm.searched else ():
            missing = self._missing([(part.span, part.text) for part in belonging], evidence)
            if missing:
                what = "table" if name == "cut_table" else "code"
                found[name] = f"its chunk lacks the part of the {what} that has {_named(missing)}"
        return found

    def _uncovered(self, evidence: Evidence) -> Found:
        if self._holding(evidence)[0]:
            return {}
        chunks = (self._arm.chunks[ordinal] for ordinal in self._arm.coverage.touching(evidence))
        for start, end in _gaps((span for chunk in chunks for span in chunk.spans), evidence.span):
            return {"uncovered_text": f"no chunk holds its characters [{start}, {end})"}
        return {}

    def _titles(self, evidence: Evidence) -> Found:
        missing = self._missing([(None, title) for title in self._arm.structure.titles(evidence)], evidence)
        return {"missing_title": f"a title above it has {_named(missing)}, its chunk has not"} if missing else {}

    def _vocabulary(self, evidence: Evidence) -> Found:
        asked = len(self._arm.terms.own(self._loss.query.text))
        if not self._covered_sharing(evidence, 1):
            return {"vocabulary_mismatch": "what holds it shares no term with the question"}
        if asked >= OF_MANY and not self._covered_sharing(evidence, FEW + 1):
            return {"vocabulary_mismatch": f"what holds it shares {FEW} of the {asked} terms of the question"}
        return {}

    def _topics(self, evidence: Evidence) -> Found:
        mixed = [self._mixed(self._arm.chunks[ordinal], evidence) for ordinal in self._holding(evidence)[0]]
        return {"mixed_topics": mixed[0]} if mixed and mixed[0] and all(mixed) else {}

    def _mixed(self, chunk: Chunk, evidence: Evidence) -> str | None:
        """What is mixed in a chunk that covers the evidence, and how little of it the evidence is; None where it is not."""
        topics, kind = self._arm.structure.topics(chunk.key, chunk.spans), "sections"
        if topics is None:
            topics, kind = len(_BLANK_LINES.split(chunk.body.strip())), "paragraphs"
        start, end = evidence.span
        held = length(union((max(s, start), min(e, end)) for s, e in chunk.spans if chunk.key == evidence.key))
        share = Fraction(held, length(chunk.spans))
        if topics < 2 or not 0 < share < SMALL_SHARE:
            return None
        return f"its chunk holds {topics} {kind}, and the evidence is {float(share):.1%} of it"

    def _passed_over(self) -> Found:
        """repeated_text and lost_in_fusion, which are causes of their own, and top_k_too_small."""
        cause, found = self._loss.cause, {}
        if cause == "crowded_out":
            found["repeated_text"] = "it is in the context once selected chunks that repeat text are dropped"
        if cause == "demoted":
            found["lost_in_fusion"] = (
                "the same selector takes it from the list of one branch, or from that before re-ranking"
            )
        if cause in ("not_matched", "not_retrieved"):
            return found
        if self._arm.searched and not all(self._covered_sharing(evidence, 1) for evidence in self._lost):
            return found
        if cause == "below_depth":
            return {"top_k_too_small": "what holds it matches, but below the depth of every branch"}
        holders = {ordinal for evidence in self._lost for ordinal in self._arm.coverage.holders(evidence)}
        reasons = {run.reason for run in self._loss.context.skipped if not holders.isdisjoint(run.chunks)}
        for reason, why in ((DOES_NOT_FIT, "did not fit the budget"), (OUTSIDE_TOP_K, "is outside the top k")):
            if reason in reasons:
                return {**found, "top_k_too_small": f"what holds it is a candidate, but {why}"}
        return found

    def _holding(self, evidence: Evidence) -> tuple[list[int], list[int]]:
        """The eligible chunks that cover the evidence alone, and those that hold at least one character of it."""
        coverage, eligible = self._arm.coverage, self._loss.eligible
        holders = (ordinal for ordinal in coverage.holders(evidence) if ordinal in eligible)
        whole = [ordinal for ordinal in holders if coverage.span_covered(evidence, (ordinal,))]
        return whole, [ordinal for ordinal in coverage.touching(evidence) if ordinal in eligible]

    def _covered_sharing(self, evidence: Evidence, terms: int) -> bool:
        """Whether the eligible chunks that share so many terms with the question cover the evidence."""
        query, chunks = self._loss.query, self._arm.chunks
        held = {ordinal for ordinals in self._holding(evidence) for ordinal in ordinals}
        pool = {o for o in held if len(self._arm.terms.shared(query, chunks[o].searched)) >= terms}
        return self._arm.coverage.span_covered(evidence, pool)

    def _missing(self, texts: list[tuple[Span | None, str]], evidence: Evidence) -> frozenset[str]:
        """The terms of the question in some texts that no chunk with the evidence is searched by. A text with a raw span
        counts only for chunks that do not hold all of it."""
        query, terms = self._loss.query, self._arm.terms
        whole, parts = self._holding(evidence)
        missing: list[frozenset[str]] = []
        for chunk in (self._arm.chunks[ordinal] for ordinal in whole or parts):
            beyond = [text for span, text in texts if span is None or not covers(chunk.spans, span)]
            asked = frozenset().union(*(terms.shared(query, text) for text in beyond))
            missing.append(asked - terms.own(chunk.searched))
        return frozenset.intersection(*missing) if missing else frozenset()


def _gaps(spans: Iterable[Span], target: Span) -> list[Span]:
    """What of a span no other one holds, ascending."""
    gaps, here = [], target[0]
    for start, end in union(spans):
        if here < min(start, target[1]):
            gaps.append((here, min(start, target[1])))
        here = max(here, end)
    return [*gaps, (here, target[1])] if here < target[1] else gaps


def _named(terms: Iterable[str]) -> str:
    names = sorted(terms)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(f"“{name}”" for name in names[:_SHOWN]) + more


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text if len(text) <= 60 else text[:60] + '…'}”"
