"""What old versions of documents do to contexts: question by question, and in one sentence an arm.

`outdated` of a line of queries.jsonl says which passages of a context are outdated, and which facts they displace (see
`scoring.outdated`). Where the experiment has an arm that differs in nothing but that it lets in current versions alone,
that arm's context shows the same thing in another way: with other statistics of its index, too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spanledger.engine.plan import Arm

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A question with outdated text in the context of at least one arm. `arms` are these; `place` is the first place of an
    outdated passage in any of them, from 1; `documents` are (doc_id, version, current versions, whether all such passages
    stand in a current version word for word); `displaced` leads from a fact to the arms in which it comes back without
    outdated candidates, `held` to those that lost it and whose counterpart of current versions holds it."""

    query_id: str
    arms: tuple[str, ...]
    place: int
    documents: tuple[tuple[str, str, tuple[str, ...], bool], ...]
    displaced: dict[str, tuple[str, ...]]
    held: dict[str, tuple[str, ...]]


def counterparts(section: dict[str, Any], planned: Iterable[Arm]) -> dict[str, str]:
    """From the name of an arm that lets in other versions than the current ones to that of the first arm that differs in
    nothing else."""
    planned = list(planned)
    rules = {
        name: {key: value for key, value in rule.items() if key != "versions"}
        for name, rule in section["eligibility"].items()
    }
    current = {name for name, rule in section["eligibility"].items() if rule["versions"] == "current"}
    found: dict[str, str] = {}
    for arm in planned:
        for other in planned:
            same = (arm.chunk, arm.fuse, arm.select) == (other.chunk, other.fuse, other.select)
            less = other.eligibility in current and arm.eligibility not in current
            if same and less and rules[arm.eligibility] == rules[other.eligibility]:
                found.setdefault(arm.name, other.name)
    return found


def spoiled(
    arms: Iterable[str], query_ids: Iterable[str], trails: Mapping[tuple[str, str], Line], current: Mapping[str, str]
) -> list[Spoiled]:
    """The questions that old versions spoil, in the order given; `trails` leads from (arm, query_id) to a line of
    queries.jsonl, `current` is that of `counterparts`."""
    arms = list(arms)
    found = []
    for query_id in query_ids:
        lines = {arm: trails[arm, query_id] for arm in arms if trails[arm, query_id].get("outdated")}
        if not lines:
            continue
        passages = [passage for line in lines.values() for passage in line["outdated"]["passages"]]
        documents: dict[tuple[str, str, tuple[str, ...]], bool] = {}
        for one in passages:
            key = one["doc_id"], one["version"], tuple(one["current"])
            documents[key] = documents.get(key, True) and one["unchanged"]
        facts = [fact["fact_id"] for fact in next(iter(lines.values()))["facts"]]
        back = {arm: line["outdated"]["displaced"] for arm, line in lines.items()}
        held = {arm: held_again(line, trails, current) for arm, line in lines.items()}
        found.append(
            Spoiled(
                query_id,
                tuple(lines),
                min(passage["place"] for passage in passages),
                tuple((*key, same) for key, same in sorted(documents.items())),
                _by_fact(facts, back),
                _by_fact(facts, held),
            )
        )
    return found


def held_again(line: Line, trails: Mapping[tuple[str, str], Line], current: Mapping[str, str]) -> list[str]:
    """The facts that the context of a line lacks and that of its counterpart has."""
    if line["arm"] not in current:
        return []
    other = {fact["fact_id"]: fact["context"] for fact in trails[current[line["arm"]], line["query_id"]]["facts"]}
    return [fact["fact_id"] for fact in line["facts"] if not fact["context"] and other[fact["fact_id"]]]


def _by_fact(facts: list[str], by_arm: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    turned = {fact: tuple(arm for arm, held in by_arm.items() if fact in held) for fact in facts}
    return {fact: arms for fact, arms in turned.items() if arms}


def sentence(
    lines: list[Line], trails: Mapping[tuple[str, str], Line], current: Mapping[str, str]
) -> tuple[int, str] | None:
    """How many lost facts come back without outdated candidates, and a sentence on what old versions do to the contexts of
    one arm; None where none holds outdated text."""
    with_old = [line for line in lines if line.get("outdated")]
    if not with_old:
        return None
    first = sum(line["outdated"]["passages"][0]["place"] == 1 for line in with_old)
    lost = sum(not fact["context"] for line in with_old for fact in line["facts"])
    back = sum(len(line["outdated"]["displaced"]) for line in with_old)
    told = (
        f"{len(with_old)} of {len(lines)} contexts hold outdated text, {first} in the first place; of the {lost} facts "
    )
    told += f"that these lack, {back} come back without outdated candidates"
    other = current.get(lines[0]["arm"])
    if other is not None:
        held = sum(len(held_again(line, trails, current)) for line in with_old)
        told += f", and {other} has {held}"
    return back, told
