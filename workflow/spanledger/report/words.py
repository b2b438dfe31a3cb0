"""Plain words for what the settings and the lines of queries.jsonl name by code."""

from spanledger.core.tokenizers import is_tokenizer

# Cause of loss: a few words, and a sentence on one fact of one arm.
CAUSES = {
    "ineligible": ("filtered out", "The arm's filter lets through no document version that could support it."),
    "not_chunked": ("in no chunk", "The chunks of the index, all of them together, do not cover it."),
    "not_matched": (
        "no shared term",
        "A chunk that is needed for it scored 0: it holds no term that was searched for.",
    ),
    "below_depth": ("ranked too low", "What covers it scored above 0 but was ranked below the cut of every branch."),
    "demoted": (
        "demoted by fusion or re-ranking",
        "It was among the candidates. The same selector covers it from a single branch's list, or from the list before "
        "re-ranking.",
    ),
    "crowded_out": (
        "crowded out by repeats",
        "It was among the candidates. Selected chunks that repeat text of earlier ones took its place.",
    ),
    "does_not_fit": ("did not fit", "It was among the candidates but did not fit into what was left of the budget."),
    "outside_top_k": (
        "outside the top k",
        "It was among the candidates, but the context already had as many passages as it may, or what covers it was "
        "passed over as redundant.",
    ),
}

# Why a candidate was skipped.
REASONS = {
    "does-not-fit": "does not fit",
    "outside-top-k": "outside the top k",
    "redundant": "all of its text is in the context already",
    "parent-in-context": "its parent is in the context already",
}

# What a re-ranker gives points for: for one of it, and for several.
FEATURES = {
    "query_term": ("1 term of the question", "{} terms of the question"),
    "identifier": ("1 identifier among them", "{} identifiers among them"),
    "number": ("a number", "{} numbers"),
    "constraint": ("a constraint word", "{} constraint words"),
    "navigation": ("a navigation word", "{} navigation words"),
}

# Warning: a title, and a sentence that stands for its cases where there are several.
WARNINGS = {
    "saturated": (
        "Saturation",
        "where a selector may take every chunk of an index, recall is saturation, not retrieval",
    ),
    "ceiling": (
        "A ceiling",
        "no single chunk holds all facts of some questions, so complete@1 is bounded by the chunking, whatever the "
        "ranking",
    ),
    "repeats": ("Text sent twice", "chunks that overlap take up room in contexts"),
    "unreachable": (
        "Out of reach",
        "some lost facts are in no eligible chunk of the index, and no ranking can find them",
    ),
    "unequal_budget": (
        "Unequal budgets",
        "contexts of as many chunks cost different amounts: equal k is no equal budget",
    ),
    "one_query": ("Sampling error", "a mean over few questions moves with each of them"),
    "tails": ("Chunks inside others", "a last window that lies inside the chunk before it adds no text"),
    "two_variables": (
        "Two things at once",
        "some arms differ from the others in more than one way, so that a difference has no single reason",
    ),
    "means": (
        "Two denominators",
        "questions without facts count in the mean cost and not in recall; the mean cost over the others stands beside it",
    ),
    "refusals": (
        "Empty is not refused",
        "no-answer accuracy is the rate of empty results: it tests that no term is shared, not that a question is refused",
    ),
}

# Unit of length: the plural, and what one is.
UNITS = {
    "char": ("characters", "Unicode code points"),
    "word": ("words", "runs of characters that are not white space"),
    "lexical": (
        "lexical units",
        "runs of ASCII letters, digits and _, and every other single character but white space",
    ),
    "byte": ("bytes", "of the UTF-8 form"),
    "analyzer": ("terms", "as the analyzer of the arm's first branch makes them"),
}

# Metric that arms are compared by: its name, and what it is.
METRICS = {
    **{
        metric: (f"macro recall of {place}", "the mean over the answerable questions of covered / required facts")
        for metric, place in (
            ("macro_recall", "the context"),
            ("macro_recall_candidates", "the candidates"),
            ("macro_recall_index", "the index"),
        )
    },
    "complete_rate": (
        "complete rate",
        "the share of the answerable questions with all of their facts in the context",
    ),
    "mrr": (
        "MRR",
        "the mean over the answerable questions of 1 / the place in the context of the first passage that covers a span "
        "of some fact on its own, 0 where none does",
    ),
}

CHECKPOINTS = {
    "index": "all eligible chunks together",
    "candidates": "the candidates",
    "context": "the final context",
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


def unit(name: str) -> tuple[str, str]:
    """A unit of length: the plural, and what one is."""
    if is_tokenizer(name):
        kind, _, encoding = name.partition(":")
        return "tokens", f"of {encoding}, by tiktoken" if kind == "tiktoken" else f"of tokenizers/{encoding}.json"
    return UNITS[name]


def measured(name: str) -> str:
    """A unit with what it means, as in: characters (Unicode code points)."""
    return "{} ({})".format(*unit(name))
