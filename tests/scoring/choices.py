"""Arms over chunks made by hand, whose selector is run over any list of them; and Hypothesis strategies for all parts."""

from itertools import permutations

from hypothesis import strategies as st

from builders import evidence, fact, query
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.scoring.passages import Passages
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

TEXT = "ab c def 日g h ij"
RULES = [
    {"rule": "span"},
    {"rule": "one_chunk"},
    {"rule": "token_share", "at_least": "0.5", "analyzer": "ascii_words"},
]
# How a context is sent: apart, where nothing is declared, or as one text.
SENT = [
    *[{}] * 6,
    {"separator": ""},
    {"separator": " "},
    {"separator": "\n\n"},
    {"separator": "\n---\n", "header": "Read:\n", "footer": "\nEnd"},
    {"template": "{body}\n"},
    {"template": "[{rank}] {body}", "separator": "\n"},
    {"template": "{rank}{body}{rank}"},
    {"template": "<{doc_id} {version} {title}>\n{heading}{body}\n\n", "footer": "\n"},
]


class Arm:
    """A selector and a coverage rule; `selector` holds the selector's values."""

    def __init__(self, documents, chunks, rule=RULES[0], parents=None, acl="ignore", **selector):
        self.chunks, self.documents, self.acl = chunks, documents, acl
        self.selector = Selector(**selector)
        self.shelf = Shelf(chunks, documents, parents)
        self.rule = Rule(rule, documents)
        self.coverage = Coverage(chunks, self.rule)
        self.passages = Passages(self.shelf, parents, self.selector, self.rule, self.coverage, acl)

    def covered(self, facts, order, asker=None):
        """How many of the facts the context holds that the selector makes of this list."""
        listed = Ranking("q", tuple(order), tuple(float(len(order) - n) for n in range(len(order))))
        context = self.selector.select(listed, self.shelf, asker or query(), self.acl)
        if context.pieces is None:
            return sum(self.coverage.fact_covered(one, set(context.chunks)) for one in facts)
        sent = Coverage(context.pieces, self.rule)
        return sum(sent.fact_covered(one, range(len(context.pieces))) for one in facts)

    def best(self, facts, pool):
        """The most that any list of chunks of the pool gives, in any order."""
        orders = (order for size in range(len(pool) + 1) for order in permutations(pool, size))
        return max(self.covered(facts, order) for order in orders)


def table(spans_of_chunks, text=TEXT, acl=None):
    """Chunks of the document doc with these spans."""
    bodies = ["\n".join(text[start:end] for start, end in spans) for spans in spans_of_chunks]
    return [
        Chunk(f"id-{n}", n, "doc", "v1", spans, body, {"char": len(body)}, acl=acl)
        for n, (spans, body) in enumerate(zip(spans_of_chunks, bodies, strict=True))
    ]


SPANS = st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=2, unique=True).map(lambda ends: tuple(sorted(ends)))


@st.composite
def chunk_spans(draw):
    """One span, or two that are apart."""
    first = draw(SPANS)
    rest = (len(TEXT) - first[1]) // 2
    if rest and draw(st.integers(0, 3)) == 0:
        start = first[1] + draw(st.integers(1, rest))
        return (first, (start, draw(st.integers(start + 1, len(TEXT)))))
    return (first,)


@st.composite
def facts(draw):
    """One to four facts with one or two groups of one or two spans."""
    groups = st.lists(st.lists(SPANS, min_size=1, max_size=2), min_size=1, max_size=2)
    drawn = draw(st.lists(groups, min_size=1, max_size=4))
    return [fact(f"f{n}", *([evidence(*s) for s in group] for group in one)) for n, one in enumerate(drawn)]


@st.composite
def selectors(draw, forms=({}, {}, {"merge": True}, {"parent": "big"}), sent=SENT):
    """The values of a selector of one of these forms, with top_k, a budget in some unit, or both, and what it sends."""
    chosen = {**draw(st.sampled_from(forms)), "redundancy": draw(st.sampled_from(["keep", "keep", "drop"]))}
    limits = draw(st.sampled_from(["top_k", "budget", "both"]))
    if limits != "budget":
        chosen["top_k"] = draw(st.integers(1, 3))
    if limits != "top_k":
        chosen["unit"] = draw(st.sampled_from(["char", "word", "lexical", "byte", "tiktoken/cl100k_base"]))
        chosen["budget"] = draw(st.integers(1, 12))
    declared = draw(st.sampled_from(sent))
    if declared and "budget" in chosen:
        chosen["budget"] += draw(st.integers(0, 40 if chosen["unit"] in ("char", "byte") else 12))
    return chosen | declared
