"""Plain words for what the settings and the lines of queries.jsonl name by code."""

from typing import Any

from spanledger.engine.plan import arms, branches

# Cause of loss: a few words, and a sentence on one fact of one arm.
CAUSES = {
    "ineligible": ("filtered out", "The arm's filter lets through no document version that could support it."),
    "not_chunked": ("in no chunk", "The chunks of the index, all of them together, do not hold the whole of it."),
    "not_matched": ("no shared term", "A chunk that is needed for it scored 0: it shares no term with the question."),
    "below_depth": ("ranked too low", "What holds it scored above 0 but was ranked below the cut of every branch."),
    "demoted": (
        "demoted by fusion",
        "It was among the candidates; the same selector takes it from one branch alone or before re-ranking.",
    ),
    "crowded_out": (
        "crowded out by repeats",
        "It was among the candidates; selected chunks that repeat text of earlier ones took its place.",
    ),
    "does_not_fit": ("did not fit", "It was among the candidates but did not fit into what was left of the budget."),
    "outside_top_k": (
        "outside the top k",
        "It was among the candidates, but the context already had its top k chunks.",
    ),
}

# Why a candidate was skipped.
REASONS = {
    "does-not-fit": "does not fit",
    "outside-top-k": "outside the top k",
    "redundant": "all of its text is in the context",
    "parent-in-context": "its parent is in the context",
}

# Unit of length: the plural, and what one is.
UNITS = {
    "char": ("characters", "Unicode code points"),
    "word": ("words", "runs of characters that are not white space"),
    "lexical": ("lexical units", "runs of ASCII letters, digits and _, and every other single character"),
    "byte": ("bytes", "of the UTF-8 form"),
    "analyzer": ("terms", "as the analyzer of the arm's first branch makes them"),
}

METRICS = {
    "macro_recall": "macro recall of the context",
    "macro_recall_candidates": "macro recall of the candidates",
    "macro_recall_index": "macro recall of the index",
    "complete_rate": "share of questions with all of their facts in the context",
    "mrr": "mean reciprocal rank of the first evidence in the context",
}

CHECKPOINTS = {
    "index": "all eligible chunks together",
    "candidates": "the candidates",
    "context": "the final context",
}

_COVERAGE = {
    "span": "A fact is covered when any one of its support groups is. A group is covered when each of its spans lies "
    "whole inside the union of the chunks' spans of that document version: touching spans join, one missing character "
    "fails. A fact counts once.",
    "one_chunk": "A fact is covered when any one of its support groups is. A group is covered when each of its spans lies "
    "whole inside one single passage of that document version. A fact counts once.",
    "token_share": "A fact is covered when any one of its support groups is. A group is covered when, for each of its "
    "spans, one single passage holds the stated share of the distinct terms of the span's text. A fact counts once.",
}

_TIES = {
    "document": "doc_id, version, start and end",
    "id_version": "the string doc_id/version, then the place in the chunk table",
    "position": "the place in the chunk table",
}

# The sections of settings, in the order in which a query passes them.
PARTS = {
    "normalise": "Normalisation",
    "chunk": "Chunking",
    "eligibility": "Eligibility",
    "index": "Index",
    "retrieve": "Retrieval",
    "fuse": "Fusion",
    "select": "Selection",
    "score": "Scoring",
    "report": "Report",
}


def measured(unit: str) -> str:
    """A unit with what it means, as in: characters (Unicode code points)."""
    return "{} ({})".format(*UNITS[unit])


def rules(section: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, sentences) of each rule that stands behind the numbers of an experiment, from its resolved section."""
    return [
        ("Coverage", _COVERAGE[section["score"]["coverage"]["rule"]]),
        ("Order", " ".join(_order(section))),
        ("Selection", " ".join(_selection(section))),
        (
            "Cost",
            f"The sum of the lengths of the context's chunks in {measured(section['score']['cost']['unit'])}; text "
            "that stands in two chunks is paid for twice.",
        ),
        (
            "Positions",
            "Spans count Unicode code points of the raw text from 0, start included and end excluded: [0,\u00a03) is "
            "the first three characters.",
        ),
    ]


def _order(section: dict[str, Any]) -> list[str]:
    used: dict[str, str] = {}
    for fuse in dict.fromkeys(arm.fuse for arm in arms(section)):
        used.update({name: setting["tie"] for name, setting in branches(section, fuse).items()})
    ties = dict.fromkeys(used.values())
    sentences = ["Candidates stand in descending order of score; a score of 0 is no candidate."]
    for tie in ties:
        where = "" if len(ties) == 1 else f" ({', '.join(name for name in used if used[name] == tie)})"
        sentences.append(f"Equal scores{where} stand in ascending order of {_TIES[tie]}, compared by code point.")
    return sentences


def _selection(section: dict[str, Any]) -> list[str]:
    chosen = {arm.select: section["select"][arm.select] for arm in arms(section)}
    sentences = ["Candidates are walked in order, and a chunk is kept whole or not at all."]
    sentences += [f"{name} keeps {' and '.join(_limits(setting))}." for name, setting in chosen.items()]
    if any(setting["budget"] is not None for setting in chosen.values()):
        sentences.append("A chunk that does not fit into what is left of a budget is passed over and the walk goes on.")
    return sentences


def _limits(setting: dict[str, Any]) -> list[str]:
    limits = []
    if setting["top_k"] is not None:
        limits.append(f"at most {setting['top_k']:,} chunk{'s' * (setting['top_k'] != 1)}")
    if setting["budget"] is not None:
        limits.append(f"at most {setting['budget']:,} {UNITS[setting['unit']][0]} of text")
    return limits
