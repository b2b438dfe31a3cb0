"""The lost facts of an experiment by failure class, with what people judged of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spanledger.core.failures import CLASSES, SUSPICION
from spanledger.core.records import Document, DocumentKey, Query
from spanledger.gold import Gold
from spanledger.report.judgements import COLUMNS, Row, Sheet, guarded, key_of

_LONGEST = 1000  # characters of a span of evidence in a judgement sheet
FAILURE_COLUMNS = ("arm", "query_id", "fact_id", "cause", "class", "other_classes", "judgement")
_BETWEEN_ARMS = " "  # no name of an arm has one
Trails = Mapping[tuple[str, str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """A fact that some arms lost for one primary class.

    `others` are the further classes of any of these arms, in the order of precedence, a suspicion of the gold included;
    `why` and `suspicion` are those of the first arm that has one. `judgement` and `note` are a person's, empty where
    there are none.
    """

    query_id: str
    fact_id: str
    failure: str
    others: tuple[str, ...]
    arms: tuple[str, ...]
    why: str
    suspicion: str
    judgement: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.query_id, self.fact_id, self.failure

    @property
    def agrees(self) -> bool | None:
        """Whether the person found the automatic class; None where nobody judged."""
        return self.judgement == self.failure if self.judgement else None

    @property
    def verdict(self) -> str:
        """How a judgement stands to the rules: agrees (the primary class), also found (another class of the fact) or
        differs; empty where nobody judged."""
        if not self.judgement:
            return ""
        return "agrees" if self.agrees else "also found" if self.judgement in self.others else "differs"


def cases(arms: Iterable[str], query_ids: Iterable[str], trails: Trails, sheet: Sheet) -> list[Case]:
    """The lost facts in the order of the queries and of their facts, those of a fact by precedence; the arms of a case
    in the order of `arms`. `trails` are lines of queries.jsonl by (arm, query_id)."""
    judged = sheet.by_key()
    arms = list(arms)
    found = []
    for query_id in query_ids:
        places: dict[tuple[int, int], list[tuple[str, dict[str, Any]]]] = {}
        for arm in arms:
            for place, fact in enumerate(trails[arm, query_id]["facts"]):
                if fact["failures"]:
                    rank = CLASSES.index(fact["failures"][0]["class"])
                    places.setdefault((place, rank), []).append((arm, fact))
        for (_, rank), lost in sorted(places.items(), key=lambda item: item[0]):
            whys = [{f["class"]: f["why"] for f in fact["failures"]} for _, fact in lost]
            primary, fact_id = CLASSES[rank], lost[0][1]["fact_id"]
            others = tuple(name for name in CLASSES if name != primary and any(name in why for why in whys))
            suspicion = next((why[SUSPICION] for why in whys if SUSPICION in why), "")
            row = judged.get((query_id, fact_id, primary), {})
            written = row.get("judgement", ""), row.get("note", "")
            named = tuple(arm for arm, _ in lost)
            found.append(Case(query_id, fact_id, primary, others, named, whys[0][primary], suspicion, *written))
    return found


def stale(sheet: Sheet, found: Iterable[Case]) -> list[Row]:
    """The rows with a judgement or a note that no lost fact of these results has."""
    keys = {case.key for case in found}
    return [row for row in sheet.rows if (row["judgement"] or row["note"]) and key_of(row) not in keys]


def counts(arms: Iterable[str], trails: Trails) -> dict[str, dict[str, int]]:
    """For each arm and class how many facts it lost for this primary class; by SUSPICION how many have one."""
    result = {arm: dict.fromkeys(CLASSES, 0) for arm in arms}
    for (arm, _), row in trails.items():
        for classes in ([failure["class"] for failure in fact["failures"]] for fact in row["facts"]):
            for name in {*classes[:1], *(name for name in classes if name == SUSPICION)}:
                result[arm][name] += 1
    return result


def table(arms: Iterable[str], query_ids: Iterable[str], trails: Trails, found: Iterable[Case]) -> list[dict[str, str]]:
    """failures.csv: a row for each lost fact of each arm, arms and queries in their order."""
    judged = {case.key: case.judgement for case in found}
    query_ids = list(query_ids)
    rows = []
    for arm in arms:
        for query_id in query_ids:
            for fact in trails[arm, query_id]["facts"]:
                if fact["failures"]:
                    primary, *others = (failure["class"] for failure in fact["failures"])
                    row = {
                        "arm": arm,
                        "query_id": guarded(query_id),
                        "fact_id": guarded(fact["fact_id"]),
                        "cause": fact["cause"],
                        "class": primary,
                        "other_classes": " ".join(others),
                        "judgement": judged[query_id, fact["fact_id"], primary],
                    }
                    rows.append(row)
    return rows or [dict.fromkeys(FAILURE_COLUMNS)]


def sheet_rows(
    found: Iterable[Case],
    queries: Iterable[Query],
    golds: Mapping[str, Gold],
    documents: Mapping[DocumentKey, Document],
) -> list[Row]:
    """The rows of a judgement sheet, without what people write. `documents` hold raw text."""
    texts = {query.query_id: query.text for query in queries}
    facts = {(gold.query_id, fact.fact_id): fact for gold in golds.values() for fact in gold.facts}

    def quoted(evidence: Any) -> str:
        text = documents[evidence.key].text[slice(*evidence.span)]
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} […]"

    return [
        {
            **dict.fromkeys(COLUMNS, ""),
            "query_id": case.query_id,
            "fact_id": case.fact_id,
            "class": case.failure,
            "other_classes": " ".join(case.others),
            "arms": _BETWEEN_ARMS.join(case.arms),
            "why": case.why + (f"; suspected: {case.suspicion}" if case.suspicion else ""),
            "question": texts[case.query_id],
            "evidence": "\nor: ".join(
                "\nand: ".join(map(quoted, group)) for group in facts[case.query_id, case.fact_id].support
            ),
        }
        for case in found
    ]
