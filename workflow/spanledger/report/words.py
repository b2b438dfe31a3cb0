"""Plain words for what the settings and the lines of queries.jsonl name by code."""

# Cause of loss: a few words, and a sentence on one fact of one arm.
CAUSES = {
    "ineligible": ("filtered out", "The arm's filter lets through no document version that could support it."),
    "not_chunked": ("in no chunk", "The chunks of the index, all of them together, do not cover it."),
    "not_matched": ("no shared term", "A chunk that is needed for it scored 0: it holds no term that was searched for."),
    "below_depth": ("ranked too low", "What covers it scored above 0 but was ranked below the cut of every branch."),
    "demoted": (
        "demoted by fusion",
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
        "It was among the candidates, but the context already had as many passages as it may.",
    ),
}

# Why a candidate was skipped.
REASONS = {
    "does-not-fit": "does not fit",
    "outside-top-k": "outside the top k",
    "redundant": "all of its text is in the context already",
    "parent-in-context": "its parent is in the context already",
}

# What a re-ranker looks at in a candidate: for one, and for several.
FEATURES = {
    "query_term": ("term of the question", "terms of the question"),
    "identifier": ("of them an identifier", "of them identifiers"),
    "number": ("a number", "numbers"),
    "constraint": ("a constraint word", "constraint words"),
    "navigation": ("a navigation word", "navigation words"),
}

# Warning: what it is about, and a sentence that stands for all of its cases.
WARNINGS = {
    "saturated": (
        "The index is no larger than the context",
        "Where a selector may take every chunk of an index, recall is saturation, not retrieval.",
    ),
    "ceiling": (
        "What one chunk can hold",
        "For some questions no single chunk holds all facts, so complete@1 has a ceiling that no ranking can lift.",
    ),
    "repeats": ("Text that is sent twice", "Chunks that overlap take up room in some contexts."),
    "unreachable": (
        "Facts that no ranking can find",
        "Some lost facts are in no eligible chunk of the index; the others were ranked or selected badly.",
    ),
    "unequal_budget": ("Equal k is not an equal budget", "Contexts of as many chunks cost very different amounts."),
    "one_query": ("One question moves the mean", "A mean over few questions moves with each of them."),
    "tails": ("Chunks inside the chunk before them", "A last window that lies inside its predecessor adds no text."),
    "two_variables": (
        "Two things changed at once",
        "Some arms differ from the others in more than one way, so that a difference has no single reason.",
    ),
    "means": (
        "Mean cost is over more questions than recall",
        "Questions without facts count in the mean cost and not in recall; the mean over the others stands beside it.",
    ),
    "refusals": (
        "An empty result is not a refusal",
        "No-answer accuracy is the rate of empty results: it tests that no term is shared, not that a question is "
        "refused.",
    ),
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
