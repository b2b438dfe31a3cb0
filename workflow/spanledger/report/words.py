"""Plain words for what the settings and the lines of queries.jsonl name by code."""

from spanledger.core.document_measures import meaning
from spanledger.core.span_measures import SPAN_MEASURES
from spanledger.core.tokenizers import is_tokenizer

# Cause of loss: a few words, and a sentence on one fact of one arm.
CAUSES = {
    "ineligible": ("filtered out", "The arm's filter lets through no document version that could support it."),
    "not_chunked": ("in no chunk", "The chunks of the index, all of them together, do not cover it."),
    "not_matched": (
        "no shared term",
        "A chunk that is needed for it scored 0: it holds no term that was searched for (of a plugin: it is not above 0).",
    ),
    "below_depth": ("ranked too low", "What covers it scored above 0 but was ranked below the cut of every branch."),
    "not_retrieved": (
        "not in the run",
        "The candidates were made elsewhere and do not hold it. Whether it was not indexed, not matched or ranked below a "
        "cut there is not known.",
    ),
    "demoted": (
        "demoted by fusion or re-ranking",
        "It was among the candidates. The same selector covers it from a single branch's list, or from the list before "
        "re-ranking.",
    ),
    "crowded_out": (
        "crowded out by repeats",
        "It was among the candidates. Selected chunks that repeat text of earlier ones took its place, or what covers it "
        "was passed over because the context has its text already, in parts.",
    ),
    "does_not_fit": ("did not fit", "It was among the candidates but did not fit into what was left of the budget."),
    "outside_top_k": (
        "outside the top k",
        "It was among the candidates, but the context already had as many passages as it may.",
    ),
    "not_chosen": ("not chosen", "It was among the candidates, and the selector, a plugin, did not choose it."),
}

# Failure class: a few words, its rule, a fix, and the side effect of the fix.
FAILURES = {
    "acl": (
        "access groups",
        "The asker's groups may read neither the document nor any chunk that holds the evidence, and the arm filters by "
        "them.",
        "Correct the groups of the document, element or asker; where a chunk joins parts of different groups, use "
        "`structured`, or `group_by: [document, acl]`.",
        "Wider groups show text to more askers; chunks that keep to groups are shorter and more.",
    ),
    "visibility": (
        "visibility",
        "The arm lets in other visibilities than that of the document.",
        "Add the visibility to `eligibility.visibility`, or correct that of the document.",
        "Internal text reaches every asker of the arm.",
    ),
    "version": (
        "version",
        "The arm's version filter keeps out the version that holds the evidence.",
        "Correct `current_versions` or the versions that the question asks about, or let in more with "
        "`eligibility.versions`; gold of a version that is gone is for a person to move.",
        "Outdated text can crowd out and contradict the current one.",
    ),
    "cut_table": (
        "cut table",
        "The evidence is in a table, and no chunk holds it whole, or its chunk lacks the part of its row or of the table's "
        "header in which there are words of the question.",
        "Use `structured`, which keeps rows whole and searches them with their header, or a larger `chunk_size`.",
        "Headers are searched again with every row; a large table becomes large chunks, of which fewer fit.",
    ),
    "code_boundary": (
        "code boundary",
        "The evidence is in a code element, and no chunk holds it whole, or its chunk lacks the part of the code in which "
        "there are words of the question.",
        "Use `structured`, which keeps code apart from prose, with a `chunk_size` that holds a block.",
        "Long blocks become large chunks that match many questions a little.",
    ),
    "cut_condition": (
        "cut in two",
        "No chunk holds the evidence whole: a chunk boundary falls inside it, and a condition may be parted from "
        "what it rules.",
        "More `chunk_overlap` than the evidence is long, a larger `chunk_size`, `sentence` or `structured` chunks; or "
        "`select.parent`, which sends what is around a chunk.",
        "Overlap sends text twice and crowds out other evidence; larger chunks and parents cost more each.",
    ),
    "uncovered_text": (
        "in no chunk",
        "Some of the evidence is in no chunk at all: the chunking drops what lies between its chunks.",
        "Add the text to the elements, or use `window` in `char`, which drops nothing.",
        "Boilerplate that was left out on purpose comes back.",
    ),
    "repeated_text": (
        "crowded out by repeats",
        "The first cause is `crowded_out`: without the selected chunks that repeat text of others it would be in the "
        "context.",
        "Less `chunk_overlap`, `select.redundancy: drop`, `select.merge` or `select.mmr`.",
        "With less overlap boundaries cut more evidence; a diverse selection passes over second best chunks.",
    ),
    "lost_in_fusion": (
        "lost in fusion or re-ranking",
        "The first cause is `demoted`: from the list of one branch, or from that before re-ranking, the same selector "
        "takes it.",
        "Another `fuse.k`, other branches or weights of the re-ranker, or the single branch.",
        "What fusion and re-ranking had won elsewhere can be lost: look at the questions that change.",
    ),
    "missing_title": (
        "missing title",
        "The question has a word of the document's title, of a section's title or of the heading above, and no chunk with "
        "the evidence is searched by it.",
        "Search titles with the chunk (`structured` does, from `section_path`), or write them into the text.",
        "All chunks of a section get the same words, so that they tie and the title outweighs the body.",
    ),
    "vocabulary_mismatch": (
        "other words",
        "What holds the evidence shares no term with the question, or one of at least three, after the arm's own analyzer "
        "and synonyms.",
        "Synonym groups with `expand: synonym_groups`, another analyzer, or a second branch that finds other words.",
        "Added terms match wrong passages too, and push right ones down.",
    ),
    "mixed_topics": (
        "mixed topics",
        "Each chunk that holds the evidence spans several sections (without elements: paragraphs), and the evidence is "
        "less than a quarter of its characters.",
        "A smaller `chunk_size`, `paragraph` or `structured` chunks.",
        "More chunks to search, and evidence that needs its neighbours gets cut.",
    ),
    "top_k_too_small": (
        "too few taken",
        "What holds the evidence matches the question, but lies below the depth, outside the top k or beyond the budget.",
        "A larger `depth`, `top_k` or `budget`.",
        "Every context gets longer and dearer, for the questions that need nothing of it too.",
    ),
    "unclassified": (
        "unclassified",
        "No rule holds.",
        "Read the trail of the question, and write a judgement.",
        "None.",
    ),
    "wrong_gold": (
        "wrong gold?",
        "A suspicion for a person to judge, and never the primary class: the evidence has no term, the context holds the "
        "same words at another place, or it has a passage with all terms of the question while the evidence has none.",
        "Read question and evidence, and correct or complete the gold.",
        "Every number changes: results before and after cannot be compared.",
    ),
}

# Why a candidate was skipped.
REASONS = {
    "does-not-fit": "does not fit",
    "outside-top-k": "outside the top k",
    "redundant": "all of its text is in the context already",
    "parent-in-context": "its parent is in the context already",
    "not-chosen": "not chosen by the plugin",
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
    "elsewhere": (
        "Made elsewhere",
        "the candidates were read from a file, and nothing is known of how they were found",
    ),
    "held_out": ("Held out", "some questions are held out, and nothing of them is shown"),
    "empty_holdout": ("Empty holdout", "a holdout was asked for, and no question fell into it"),
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
    "outdated": (
        "Outdated text",
        "contexts hold text of versions that are not current: it takes up room, and may contradict the current one",
    ),
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
    "not_placed": (
        "Not placed",
        "some strings of a splitter do not stand in their document, or at more than one place: what is not placed is in "
        "no chunk",
    ),
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
    "unjudged": ("Not judged", "questions without judgements count in no measure of documents"),
    "short_lists": (
        "Short lists",
        "where a branch is cut above the cut-off of a measure of documents, that measure is bounded by the depth",
    ),
}

# Status of a gate: a word, and its tone on the page.
GATES = {
    "failed": ("failed", "bad"),
    "untrusted": ("cannot be trusted", "warn"),
    "deferred": ("open until spanledger gate", "muted"),
    "passed": ("passed", "good"),
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

# What was found in a run that was made elsewhere, by counter.
READ = {
    "missing": "questions that are not in it, which are scored with no candidates: {}",
    "held_out": "entries of questions that are held out, which were left out: {}",
    "forbidden": "entries that the asker may not have, which were dropped (the run leaks): {}",
    "empty": "entries of documents without text, which no passage can hold and which were left out: {}",
    "unfit": "contexts that are empty although there are candidates, because none fits the selector's budget: {}",
    "merged": "entries with the text and place of one above them once the text is normalised, which were left out: {}",
    "ties": "questions with equal scores, which stand by rank, then by id (trec_eval: by descending id): {}",
    "disagreeing": "questions whose ranks disagree with their scores, which decide as in trec_eval: {}",
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


def metric(name: str) -> tuple[str, str, str]:
    """A metric that arms may be compared by: its name, what it is, and of which questions it is the mean."""
    if name in METRICS:
        return *METRICS[name], "answerable"
    if name in SPAN_MEASURES:
        called, what = SPAN_MEASURES[name]
        return called, f"the mean over the answerable questions of {what}", "answerable"
    return name, f"the mean over the judged questions of {meaning(name)}", "judged"


def unit(name: str) -> tuple[str, str]:
    """A unit of length: the plural, and what one is."""
    if is_tokenizer(name):
        kind, _, encoding = name.partition("/")
        return "tokens", f"of {encoding}, by tiktoken" if kind == "tiktoken" else f"of tokenizers/{encoding}.json"
    return UNITS[name]


def measured(name: str) -> str:
    """A unit with what it means, as in: characters (Unicode code points)."""
    return "{} ({})".format(*unit(name))
