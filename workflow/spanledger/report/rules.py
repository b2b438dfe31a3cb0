"""The rules behind the numbers of an experiment, in sentences that are made from its settings."""

import json
from collections.abc import Iterable
from typing import Any

from spanledger.core.plugins import is_plugin
from spanledger.core.ranking import ELSEWHERE
from spanledger.engine.plan import arms, branches
from spanledger.report.words import measured, unit

_GROUPS = "A fact is covered when any one of its support groups is, and counts once. A group is covered when"

_TIES = {
    "document": "doc_id, version, start and end, texts compared by code point",
    "id_version": "the text doc_id/version, compared by code point, then the place in the chunk table",
    "position": "the place in the chunk table",
}

_READ_ORDER = {  # how the entries of a question in a run of others are put in order, by what the file has
    "score": "Candidates stand in descending order of score, equal ones in ascending order of rank where the file has "
    "ranks, then of id compared by code point (of spans: doc_id, version, start and end).",
    "rank": "Candidates stand in ascending order of rank, equal ones by id compared by code point (of spans: doc_id, "
    "version, start and end). The scores shown count down to 1.",
    "line": "Candidates stand in the order of the lines of the file. The scores shown count down to 1.",
}


def rules(section: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """(name, paragraphs) of each rule that stands behind the numbers of an experiment, from its resolved section."""
    used = _used(section)
    fused = _fusion(section)
    holdout = section["normalise"]["holdout"]
    return [
        *([("Holdout", [_holdout(holdout)])] if holdout else []),
        ("Coverage", [_coverage(section["score"]["coverage"])]),
        ("Retrieval", _retrieval(section, used)),
        *([("Fusion", fused)] if fused else []),
        ("Order", _order(section, used)),
        ("Selection", _selection(section)),
        ("Cost", [" ".join(_cost(section))]),
        (
            "Positions",
            [
                "Spans count Unicode code points of the raw text from 0, start included and end excluded: [0,\u00a03) is "
                "the first three characters."
            ],
        ),
    ]


def _holdout(setting: dict[str, Any]) -> str:
    return (
        f"A question is held out when the SHA-256 of the seed {setting['seed']}, a line feed and its id, read as a "
        f"fraction of 2 to the power of 256, is below {setting['share']}. Everything here is of the other "
        "questions; the command `spanledger holdout` scores those held out, and records that it did."
    )


def _coverage(setting: dict[str, Any]) -> str:
    if setting["rule"] == "span":
        return (
            f"{_GROUPS} each of its spans lies whole inside the union of the passages' spans of that document version: "
            "touching spans join, one missing character fails."
        )
    if setting["rule"] == "one_chunk":
        return f"{_GROUPS} each of its spans lies whole inside one single passage: passages do not join."
    return (
        f"{_GROUPS}, for each of its spans, one single passage holds at least {setting['at_least']} of the distinct terms "
        f"of the span's text (analyzer {setting['analyzer']}), wherever that passage stands. Counts are compared, not "
        "rounded shares; a span without terms is never covered."
    )


def _used(section: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The branches that some arm reads, by name."""
    used: dict[str, dict[str, Any]] = {}
    for fuse in _fuses(section):
        used.update(branches(section, fuse))
    return used


def _fuses(section: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(arm.fuse for arm in arms(section)))


def _retrieval(section: dict[str, Any], used: dict[str, dict[str, Any]]) -> list[str]:
    by_scorer: dict[str, list[str]] = {}
    for name, setting in used.items():
        if setting["scorer"] == ELSEWHERE:
            return _elsewhere(section, setting)
        analyzer = section["index"][setting["index"]]["analyzer"]
        depth = "every candidate" if setting["depth"] is None else f"the first {setting['depth']:,} candidates"
        terms = "" if is_plugin(setting["scorer"]) else f", on terms of {analyzer}"
        by_scorer.setdefault(f"{_scorer(setting)}{terms}; {depth}", []).append(name)
    sentences = [f"{_names(names)}: {scorer}." for scorer, names in by_scorer.items()]
    for key, sentence in (
        (
            "expand",
            "{} also searched for all terms of each synonym group of the dataset that the question's own terms trigger; "
            "added terms trigger nothing. The shared terms that are shown are the question's own.",
        ),
        ("repeat_query_terms", "{} counted a term as often as the question has it."),
    ):
        names = [name for name, setting in used.items() if setting[key]]
        sentences += [sentence.format(_names(names))] if names else []
    return [
        *sentences,
        "Only eligible chunks are indexed: the number of chunks, their lengths and frequencies are of these alone.",
    ]


def _elsewhere(section: dict[str, Any], setting: dict[str, Any]) -> list[str]:
    return [
        f"Candidates were read from {setting['file']} (SHA-256 {setting['sha256']}): {setting['what']}. How they were "
        "found is not known.",
        "Terms that question and passage share are those of the analyzer "
        f"{section['index'][setting['index']]['analyzer']}, and say nothing of what was searched.",
    ]


def _scorer(setting: dict[str, Any]) -> str:
    if setting["scorer"] == "bm25":
        return f"BM25 with k1 {_number(setting['k1'])} and b {_number(setting['b'])}"
    if is_plugin(setting["scorer"]):
        return f"the number that {_plugin(setting['scorer'], setting)} gives the searched text of each eligible chunk"
    return "the number of distinct terms that question and chunk share"


def _fusion(section: dict[str, Any]) -> list[str]:
    sentences = []
    merging: dict[str, list[str]] = {}
    ranking: dict[str, list[str]] = {}
    for name in _fuses(section):
        setting = section["fuse"][name]
        if setting["method"] == "rrf":
            merging.setdefault(_number(setting["k"]), []).append(name)
        if setting["rerank"] is not None:
            ranking.setdefault(_points(setting["rerank"]), []).append(name)
    for k, names in merging.items():
        sentences.append(
            f"{_names(names)}: reciprocal rank fusion. A chunk scores the sum of 1 / ({k} + rank) over the branches that "
            "found it, ranks counted from 1, and is one candidate however many found it."
        )
    for points, names in ranking.items():
        sentences.append(
            f"{_names(names)}: the list is then ranked again by {points} keep the order before; "
            "nothing is added or removed."
        )
    return sentences


def _points(setting: dict[str, Any]) -> str:
    if is_plugin(setting["method"]):
        return f"the number that {_plugin(setting['method'], setting)} gives the body of each. Equal numbers"
    weights = {name: _number(weight) for name, weight in setting["weights"].items()}
    return (
        f"points. Points: {weights['query_term']} for each distinct term of the question as asked, synonyms apart, that "
        f"the body holds (analyzer {setting['analyzer']}), {weights['identifier']} more for each of these that is letters, "
        f"a hyphen and digits, {weights['number']} where a term of the body is all digits, {weights['constraint']} where "
        f"it holds {_any(setting['constraint_words'])}, {weights['navigation']} where it holds "
        f"{_any(setting['navigation_words'])}. Equal points"
    )


def _plugin(name: str, setting: dict[str, Any]) -> str:
    given = ", ".join(f"{option} {value}" for option, value in setting["options"].items())
    return f"the plugin {name}{f' ({given})' if given else ''}"


def _number(value: float) -> str:
    """A setting as a person writes it: 60, not 60.0."""
    return str(value).removesuffix(".0")


def _any(words: list[str]) -> str:
    return f"any of {', '.join(words)}" if words else "a word of an empty list"


def _order(section: dict[str, Any], used: dict[str, dict[str, Any]]) -> list[str]:
    for setting in used.values():
        if setting["scorer"] == ELSEWHERE:
            return [_READ_ORDER[setting["order"]]]
    zero = [name for name, setting in used.items() if setting["keep_zero"]]
    if len(zero) == len(used):
        sentences = ["Candidates stand in descending order of score, those that score 0 among them."]
    else:
        sentences = ["Candidates stand in descending order of score; a score of 0 is no candidate."]
        sentences += [f"{_names(zero)} also kept chunks that score 0."] if zero else []
    lists = {name: setting["tie"] for name, setting in used.items()}
    lists |= {
        name: section["fuse"][name]["tie"] for name in _fuses(section) if section["fuse"][name]["method"] == "rrf"
    }
    ties = dict.fromkeys(lists.values())
    for tie in ties:
        where = "" if len(ties) == 1 else f" ({_names(name for name in lists if lists[name] == tie)})"
        sentences.append(f"Equal scores{where} stand in ascending order of {_TIES[tie]}.")
    return sentences


def _selection(section: dict[str, Any]) -> list[str]:
    chosen = {arm.select: section["select"][arm.select] for arm in arms(section)}
    general = "Candidates are walked in order, and a passage is taken whole or not at all."
    if any(setting["budget"] is not None for setting in chosen.values()):
        general += " One that does not fit into what is left of a budget is passed over, and the walk goes on."
    return [
        general,
        *(
            " ".join(
                [
                    f"{name} takes {' and '.join(_limits(setting))}.",
                    *(f"It {text}" for text in (*_manner(setting), *_sent(setting))),
                ]
            )
            for name, setting in chosen.items()
        ),
    ]


def _limits(setting: dict[str, Any]) -> list[str]:
    limits = []
    if setting["top_k"] is not None:
        noun = "parent" if setting["parent"] else "chunk"
        limits.append(f"at most {setting['top_k']:,} {noun}{'s' * (setting['top_k'] != 1)}")
    if setting["budget"] is not None:
        limits.append(f"at most {setting['budget']:,} {unit(setting['unit'])[0]} of text")
    return limits


def _manner(setting: dict[str, Any]) -> list[str]:
    """How a selector differs from one that walks by rank and takes the chunks themselves."""
    sentences = []
    if is_plugin(setting.get("method")):
        sentences.append(f"is no walk: {_plugin(setting['method'], setting)} chooses within these limits, and orders.")
    if setting["mmr"] is not None:
        weight, analyzer = _number(setting["mmr"]["weight"]), setting["mmr"]["analyzer"]
        sentences.append(
            f"walks by maximal marginal relevance instead of rank: next comes the greatest {weight} x relevance - "
            f"(1 - {weight}) x similarity. Relevance is the score divided by the first one's, similarity the greatest "
            f"Jaccard index of a chunk's distinct terms (analyzer {analyzer}) and those of a chunk that was taken."
        )
    if setting["redundancy"] == "drop":
        sentences.append("passes over a candidate all of whose source characters are in the context already.")
    if setting["parent"] is not None:
        sentences.append(
            f"gives in place of a candidate the chunk of {setting['parent']} that holds all of it, once: a candidate whose "
            "parent is there is passed over, and one without a parent that the asker may read stands for itself."
        )
    if setting["merge"]:
        sentences.append(
            "makes one passage of taken chunks of a document version that overlap or touch, at the place of the first. "
            "Overlap is paid once, a candidate's fit is worked out with the merged text, and top_k counts chunks before "
            "merging."
            if setting["top_k"] is not None
            else "makes one passage of taken chunks of a document version that overlap or touch, at the place of the "
            "first. Overlap is paid once, and a candidate's fit is worked out with the merged text."
        )
    return sentences


def _declared(setting: dict[str, Any]) -> list[str]:
    """The parts of a context's text that a selector declares, each with what it is; none where passages are sent apart."""
    keys = ("header", "template", "separator", "footer")
    return [f"{key} {json.dumps(setting[key], ensure_ascii=False)}" for key in keys if setting[key] is not None]


def _sent(setting: dict[str, Any]) -> list[str]:
    if not (declared := _declared(setting)):
        return []
    counted = " The budget counts all of it." if setting["budget"] is not None else ""
    return [f"sends a context as one text: {', '.join(declared)}.{counted}"]


def _cost(section: dict[str, Any]) -> list[str]:
    cost = section["score"]["cost"]
    retrieval = cost["text"] == "retrieval"
    text = "retrieval text, titles and table headers with it" if retrieval else "body"
    chosen = {arm.select: section["select"][arm.select] for arm in arms(section)}
    whole = [name for name, setting in chosen.items() if _declared(setting)]
    sentences = []
    if len(whole) < len(chosen):
        sentences.append(
            f"The sum over the context's passages of the length of their {text}, in {measured(cost['unit'])}."
        )
    if whole:
        by = "" if len(whole) == len(chosen) else f" by {_names(whole)}"
        sentences.append(
            f"The length of the whole context as it would be sent{by}, in {measured(cost['unit'])}: what separates and "
            "frames the passages counts too."
        )
    if retrieval and any(setting["parent"] or setting["merge"] for setting in chosen.values()):
        sentences.append("Parents and merged chunks count their body alone.")
    sentences.append("Text that stands in two passages is paid for twice.")
    return sentences


def _names(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
