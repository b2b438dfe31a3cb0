"""Attainable facts against every choice in every order, run through the selector itself, and by hand."""

from itertools import permutations

from hypothesis import event, given
from hypothesis import strategies as st

from builders import document, evidence, fact, query
from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk
from spanledger.scoring.bounds import Attainable
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.scoring.passages import Passages
from spanledger.scoring.room import Room
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

TEXT = "ab c def 日g h ij"
RULES = [
    {"rule": "span"},
    {"rule": "one_chunk"},
    {"rule": "token_share", "at_least": "0.5", "analyzer": "ascii_words"},
]


class Arm:
    """An arm's selector and rule over chunks made by hand, and its bounds."""

    def __init__(self, documents, chunks, rule, parents=None, acl="ignore", limit=None, **selector):
        self.chunks = chunks
        self.selector = Selector(**selector)
        self.acl = acl
        self.shelf = Shelf(chunks, documents, parents)
        self.rule = Rule(rule, documents)
        self.coverage = Coverage(chunks, self.rule)
        passages = Passages(self.shelf, parents, self.selector, self.rule, self.coverage, acl)
        limits = {} if limit is None else {"limit": limit}
        self.bounds = Attainable(passages, Room(passages, documents), **limits)

    def of(self, facts, pool=None, asker=None, reached=0):
        pool = range(len(self.chunks)) if pool is None else pool
        return self.bounds.of(facts, set(pool), asker or query(), reached)

    def covered(self, facts, order, asker=None):
        """What the selector covers of a list."""
        listed = Ranking("q", tuple(order), tuple(float(len(order) - n) for n in range(len(order))))
        context = self.selector.select(listed, self.shelf, asker or query(), self.acl)
        if context.pieces is None:
            return sum(self.coverage.fact_covered(one, set(context.chunks)) for one in facts)
        sent = Coverage(context.pieces, self.rule)
        return sum(sent.fact_covered(one, range(len(context.pieces))) for one in facts)

    def best(self, facts, pool, asker=None):
        """The most of any list of chunks of the pool, in any order."""
        orders = (order for size in range(len(pool) + 1) for order in permutations(pool, size))
        return max(self.covered(facts, order, asker) for order in orders)


def table(spans_of_chunks, acl=None):
    """Chunks of the document TEXT with these spans."""
    return [
        Chunk(f"id-{n}", n, "doc", "v1", spans, body, {"char": len(body)}, acl=acl)
        for n, spans in enumerate(spans_of_chunks)
        for body in ["\n".join(TEXT[s:e] for s, e in spans)]
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
    groups = st.lists(st.lists(SPANS, min_size=1, max_size=2), min_size=1, max_size=2)
    drawn = draw(st.lists(groups, min_size=1, max_size=4))
    return [fact(f"f{n}", *([evidence(*s) for s in group] for group in one)) for n, one in enumerate(drawn)]


@st.composite
def selectors(draw):
    form = draw(st.sampled_from([{}, {}, {"merge": True}, {"parent": "big"}]))
    limits = draw(st.sampled_from(["top_k", "budget", "both"]))
    chosen = {**form, "redundancy": draw(st.sampled_from(["keep", "keep", "drop"]))}
    if limits != "budget":
        chosen["top_k"] = draw(st.integers(1, 3))
    if limits != "top_k":
        chosen["unit"] = draw(st.sampled_from(["char", "word", "lexical", "byte"]))
        chosen["budget"] = draw(st.integers(1, 12))
    return chosen


@given(
    chunks=st.lists(chunk_spans(), min_size=1, max_size=5, unique=True),
    parents=st.lists(chunk_spans(), max_size=3, unique=True),
    wanted=facts(),
    rule=st.sampled_from(RULES),
    selector=selectors(),
    limit=st.sampled_from([None, None, 0, 15, 60]),
    data=st.data(),
)
def test_no_choice_covers_more_and_an_exact_bound_is_reached(chunks, parents, wanted, rule, selector, limit, data):
    readers = data.draw(st.sampled_from([None, ("insider",)]))
    arm = Arm([document("doc", TEXT)], table(chunks), rule, table(parents, readers), "asker", limit, **selector)
    pool = data.draw(st.lists(st.sampled_from(range(len(chunks))), max_size=4, unique=True))
    best, reached = arm.best(wanted, pool), arm.covered(wanted, pool)
    bound = arm.of(wanted, pool, reached=data.draw(st.sampled_from([0, reached])))
    event(f"{bound.kind}, {'merge' if arm.selector.merge else 'parent' if arm.selector.parent else 'chunks'}")
    assert bound.facts >= best >= reached
    if bound.kind == "exact":
        assert bound.facts == best
    else:
        assert limit is not None or arm.selector.merge
