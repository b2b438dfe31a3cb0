"""Contexts: the walk that goes on, what is left of the budget, and why a candidate was passed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core.ranking import Ranking
from spanledger.core.units import UNITS, count
from spanledger.selection import select
from spanledger.selection.context import Context, Piece, Skipped
from spanledger.selection.mmr import MaximalMarginalRelevance
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

SIZES = st.lists(st.integers(0, 9), max_size=8)
LIMIT = st.none() | st.integers(1, 12)
OPEN = {"versions": "all", "visibility": None, "acl": "ignore"}


def choose(sizes, order=None, **limits):
    """The context of a query whose candidates have these lengths, each of a document of its own."""
    chunks = [chunk(place, "x" * size, f"d{place}", spans=[(0, max(size, 1))]) for place, size in enumerate(sizes)]
    return take(Shelf(chunks), order, **limits)


def take(shelf, order=None, asker=(), acl="ignore", **limits):
    order = tuple(range(len(shelf.chunks)) if order is None else order)
    ranking = Ranking("q", order, tuple(float(len(order) - place) for place in range(len(order))))
    limits.setdefault("unit", "char" if limits.get("budget") else None)
    return Selector(**limits).select(ranking, shelf, query(groups=asker), acl)


def test_what_does_not_fit_is_passed_over_and_the_walk_goes_on():
    context = choose([50, 60, 30, 25, 20], budget=100)
    assert context.chunks == (0, 2, 4)
    assert context.skipped == (
        Skipped("does-not-fit", 50, (1,)),
        Skipped("does-not-fit", 20, (3,)),
    )


def test_an_exact_fit_is_kept_and_then_nothing_is_left():
    context = choose([60, 40, 1], budget=100)
    assert context.chunks == (0, 1)
    assert context.skipped == (Skipped("does-not-fit", 0, (2,)),)


def test_one_unit_too_many_does_not_fit():
    assert choose([101, 100], budget=100).chunks == (1,)
    assert choose([101], budget=100).skipped == (Skipped("does-not-fit", 100, (0,)),)


def test_top_k_counts_what_was_kept():
    context = choose([1, 1, 1, 1], top_k=2)
    assert context.chunks == (0, 1)
    assert context.skipped == (Skipped("outside-top-k", None, (2, 3)),)


def test_with_both_limits_a_candidate_that_does_not_fit_takes_no_place():
    context = choose([8, 9, 2, 1, 50], top_k=3, budget=11)
    assert context.chunks == (0, 2, 3)
    assert context.skipped == (Skipped("does-not-fit", 3, (1,)), Skipped("outside-top-k", 0, (4,)))
    context = choose([8, 2, 9, 1], top_k=2, budget=100)
    assert context.skipped == (Skipped("outside-top-k", 90, (2, 3)),)


def test_the_candidates_order_counts_not_the_table_s():
    context = choose([10, 10, 10], order=(2, 0, 1), budget=20)
    assert context.chunks == (2, 0)
    assert context.skipped == (Skipped("does-not-fit", 0, (1,)),)


def test_a_larger_budget_may_lose_what_a_smaller_one_held():
    """The walk is not monotone: with 3 more units the second candidate fits and takes the place of the third."""
    assert choose([5, 6, 4], budget=9).chunks == (0, 2)
    assert choose([5, 6, 4], budget=11).chunks == (0, 1)
    assert choose([5, 6, 4], budget=15).chunks == (0, 1, 2)


@given(SIZES, LIMIT, LIMIT)
def test_every_promise(sizes, top_k, budget):
    if top_k is None and budget is None:
        top_k = 1
    context = choose(sizes, top_k=top_k, budget=budget)
    assert len(context.chunks) <= (top_k or len(sizes))
    assert budget is None or sum(sizes[o] for o in context.chunks) <= budget
    skipped = [(ordinal, run.reason, run.remaining) for run in context.skipped for ordinal in run.chunks]
    assert sorted([*context.chunks, *(ordinal for ordinal, _, _ in skipped)]) == list(range(len(sizes)))
    assert [ordinal for ordinal, _, _ in skipped] == sorted(ordinal for ordinal, _, _ in skipped)
    for ordinal, reason, remaining in skipped:
        before = [kept for kept in context.chunks if kept < ordinal]
        left = None if budget is None else budget - sum(sizes[kept] for kept in before)
        assert remaining == left
        assert reason == ("outside-top-k" if len(before) == top_k else "does-not-fit")
        assert reason == "outside-top-k" or sizes[ordinal] > left


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "expected top_k, budget or both"),
        ({"top_k": 0}, "top_k must be at least 1, found 0"),
        ({"budget": 0, "unit": "char"}, "budget must be at least 1, found 0"),
        ({"budget": 9}, "budget and unit belong together"),
        ({"top_k": 9, "unit": "char"}, "budget and unit belong together"),
        ({"top_k": 9, "redundancy": "merge"}, "redundancy 'merge': expected keep or drop"),
        ({"top_k": 9, "parent": "whole", "merge": True}, "parent and merge exclude each other"),
    ],
)
def test_a_selector_that_cannot_be_is_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        Selector(**limits)


TEXT = "abcdefghijklmnopqrstuvwxyz"


def windows(*spans, text=TEXT, doc_id="doc", **rest):
    """Chunks of one document with these spans, each a span or several."""
    several = [[span] if isinstance(span[0], int) else list(span) for span in spans]
    return [
        chunk(place, "\n".join(text[a:b] for a, b in one), doc_id, spans=one, **rest)
        for place, one in enumerate(several)
    ]


def shelf_of(chunks, parents=None, text=TEXT):
    names = sorted({c.doc_id for c in chunks})
    return Shelf(chunks, [document(name, text) for name in names], parents)


# redundancy: drop


def test_what_the_context_holds_already_is_passed_over_and_takes_no_place():
    chunks = windows((0, 6), (4, 10), (2, 8), (8, 12), (0, 6))
    context = take(shelf_of(chunks), top_k=4, redundancy="drop")
    assert context.chunks == (0, 1, 3)  # 2 lies in the union of 0 and 1, though in neither alone
    assert context.skipped == (Skipped("redundant", None, (2, 4)),)
    assert context.pieces is None
    assert take(shelf_of(chunks), top_k=4).chunks == (0, 1, 2, 3)


def test_one_new_character_is_enough_to_be_taken():
    assert take(shelf_of(windows((0, 6), (0, 7))), top_k=2, redundancy="drop").chunks == (0, 1)
    assert take(shelf_of(windows((0, 6), (7, 9), (5, 8))), top_k=3, redundancy="drop").chunks == (0, 1, 2)


def test_only_the_same_document_version_makes_a_chunk_redundant():
    chunks = [chunk(0, "abc", "a"), chunk(1, "abc", "b"), chunk(2, "abc", "a", "v2"), chunk(3, "abc", "a")]
    context = take(Shelf(chunks), top_k=9, redundancy="drop")
    assert context.chunks == (0, 1, 2)
    assert context.skipped == (Skipped("redundant", None, (3,)),)


def test_what_was_passed_over_makes_nothing_redundant():
    context = take(shelf_of(windows((0, 9), (2, 5), (3, 5))), budget=4, redundancy="drop")
    assert context.chunks == (1,)
    assert context.skipped == (Skipped("does-not-fit", 4, (0,)), Skipped("redundant", 1, (2,)))


def test_redundant_comes_before_the_limits():
    context = take(shelf_of(windows((0, 6), (2, 4), (6, 8))), top_k=1, redundancy="drop")
    assert context.skipped == (Skipped("redundant", None, (1,)), Skipped("outside-top-k", None, (2,)))


def test_a_chunk_of_several_spans_is_redundant_when_all_of_them_are_held():
    chunks = windows((0, 6), [(1, 2), (4, 6)], [(1, 2), (8, 9)])
    assert take(shelf_of(chunks), top_k=9, redundancy="drop").chunks == (0, 2)


SPANS = st.lists(
    st.lists(st.integers(0, 20), min_size=2, max_size=4, unique=True).map(
        lambda cuts: [(a, b) for a, b in zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False)]
    ),
    max_size=7,
)


def positions(chunks):
    return {(*c.key, place) for c in chunks for span in c.spans for place in range(*span)}


@given(SPANS, LIMIT, LIMIT)
def test_with_redundancy_drop_every_chunk_that_is_taken_brings_something_new(spans, top_k, budget):
    chunks = windows(*spans)
    context = take(shelf_of(chunks), top_k=top_k if budget else top_k or 3, budget=budget, redundancy="drop")
    for place, ordinal in enumerate(context.chunks):
        assert not positions([chunks[ordinal]]) <= positions([chunks[o] for o in context.chunks[:place]])
    for run in context.skipped:
        for ordinal in run.chunks:
            before = [chunks[o] for o in context.chunks if o < ordinal]
            assert (positions([chunks[ordinal]]) <= positions(before)) == (run.reason == "redundant")


# parent


def parents(*spans, **rest):
    return windows(*spans, **rest)


def test_a_candidate_is_given_as_its_parent_once_in_the_order_of_the_best_candidate():
    chunks = windows((0, 3), (3, 6), (6, 9), (9, 12), (12, 15))
    shelf = shelf_of(chunks, parents((0, 6), (6, 12), (12, 18)))
    context = take(shelf, (3, 0, 1, 2, 4), top_k=2, parent="big")
    assert context.chunks == (3, 0)
    assert context.skipped == (Skipped("parent-in-context", None, (1, 2)), Skipped("outside-top-k", None, (4,)))
    assert context.pieces == (
        Piece("doc", "v1", ((6, 12),), TEXT[6:12], None, (3,)),
        Piece("doc", "v1", ((0, 6),), TEXT[0:6], None, (0,)),
    )


def test_the_budget_pays_for_the_parent_and_the_walk_goes_on():
    chunks = windows((0, 3), (6, 8), (20, 22), (9, 10))
    shelf = shelf_of(chunks, parents((0, 6), (6, 13), (20, 23)))
    context = take(shelf, budget=9, parent="big")
    assert context.chunks == (0, 2)
    assert context.skipped == (Skipped("does-not-fit", 3, (1,)), Skipped("does-not-fit", 0, (3,)))
    assert [piece.body for piece in context.pieces] == [TEXT[0:6], TEXT[20:23]]


def test_a_parent_is_counted_in_the_unit_of_the_budget():
    text = "one two three four"
    shelf = Shelf(windows((0, 3), (8, 13), text=text), (), parents((0, 7), (8, 18), text=text))
    assert take(shelf, budget=3, unit="word", parent="big").chunks == (0,)
    assert take(shelf, budget=4, unit="word", parent="big").chunks == (0, 1)


def test_a_chunk_without_a_parent_stands_for_itself():
    shelf = shelf_of(windows((0, 3), (5, 8)), parents((0, 6), (6, 12)))  # (5, 8) is cut by both
    context = take(shelf, top_k=2, parent="big")
    assert [(piece.spans, piece.body) for piece in context.pieces] == [(((0, 6),), TEXT[0:6]), (((5, 8),), TEXT[5:8])]
    assert take(shelf, budget=9, parent="big").chunks == (0, 1)
    assert take(shelf, budget=8, parent="big").chunks == (0,)


def test_a_parent_that_the_asker_may_not_read_is_not_given():
    """A parent is readable by those alone who may read all of it; the chunk is by more."""
    chunks = windows((0, 3), (3, 6))
    shelf = shelf_of(chunks, parents((0, 6), acl=("boss",)))
    spans = {
        "outsider": [((0, 3),), ((3, 6),)],
        "boss": [((0, 6),)],
    }
    for group, expected in spans.items():
        context = take(shelf, top_k=2, parent="big", asker=(group,), acl="asker")
        assert [piece.spans for piece in context.pieces] == expected
    context = take(shelf, top_k=2, parent="big", asker=("outsider",), acl="ignore")
    assert [(piece.spans, piece.acl) for piece in context.pieces] == [(((0, 6),), ("boss",))]


def test_a_parent_that_nobody_may_read_is_given_to_nobody():
    shelf = shelf_of(windows((0, 3)), parents((0, 6), acl=()))
    assert [p.spans for p in take(shelf, top_k=1, parent="big", asker=("a",), acl="asker").pieces] == [((0, 3),)]


@given(SPANS, SPANS, LIMIT, LIMIT, st.sampled_from([(), ("a",), ("b",)]))
def test_every_promise_of_parents(spans, above, top_k, budget, asker):
    """Each passage is a parent once or a chunk that has none, the limits hold, and every candidate has a say."""
    chunks = windows(*spans)
    table = [
        chunk(n, "\n".join(TEXT[a:b] for a, b in one), spans=one, acl=(None, ("a",), ("a", "b"))[n % 3])
        for n, one in enumerate(above)
    ]
    shelf = shelf_of(chunks, table) if chunks else Shelf([])
    context = take(shelf, top_k=top_k if budget else top_k or 2, budget=budget, parent="big", asker=asker, acl="asker")
    assert len(context.chunks) == len(context.pieces) <= (top_k or 99)
    assert budget is None or sum(len(piece.body) for piece in context.pieces) <= budget
    given = []
    for ordinal, piece in zip(context.chunks, context.pieces, strict=True):
        holding = [p for p in table if positions([chunks[ordinal]]) <= positions([p])]
        readable = holding and (holding[0].acl is None or set(holding[0].acl) & set(asker))
        wanted = holding[0] if readable else chunks[ordinal]
        assert (piece.spans, piece.body, piece.acl, piece.chunks) == (wanted.spans, wanted.body, wanted.acl, (ordinal,))
        given.append(wanted)
    assert len({id(one) for one in given}) == len(given)
    every = [ordinal for run in context.skipped for ordinal in run.chunks]
    assert sorted([*context.chunks, *every]) == list(range(len(chunks)))


# merge


def merged(context):
    return [(piece.spans, piece.body, piece.chunks) for piece in context.pieces]


def test_chunks_that_overlap_or_touch_become_one_passage_at_the_place_of_the_first():
    chunks = windows((10, 14), (0, 3), (12, 17), (3, 5), (20, 22), (6, 8))
    context = take(shelf_of(chunks), top_k=9, merge=True)
    assert merged(context) == [
        (((10, 17),), TEXT[10:17], (0, 2)),
        (((0, 5),), TEXT[0:5], (1, 3)),
        (((20, 22),), TEXT[20:22], (4,)),
        (((6, 8),), TEXT[6:8], (5,)),  # one character away from (0, 5)
    ]
    assert context.chunks == (0, 1, 2, 3, 4, 5)


def test_a_chunk_between_two_passages_joins_both_at_the_place_of_the_first():
    context = take(shelf_of(windows((10, 12), (20, 22), (0, 4), (4, 10))), top_k=9, merge=True)
    assert merged(context) == [(((0, 12),), TEXT[0:12], (0, 2, 3)), (((20, 22),), TEXT[20:22], (1,))]


def test_overlap_is_paid_once():
    chunks = windows((0, 6), (3, 9), (6, 12))
    assert take(shelf_of(chunks), budget=11).chunks == (0,)
    context = take(shelf_of(chunks), budget=11, merge=True)
    assert context.chunks == (0, 1)
    assert context.skipped == (Skipped("does-not-fit", 2, (2,)),)  # 9 are used, and 3 more would be needed
    assert merged(take(shelf_of(chunks), budget=12, merge=True)) == [(((0, 12),), TEXT[0:12], (0, 1, 2))]


def test_what_lies_in_the_passage_already_is_free():
    context = take(shelf_of(windows((0, 6), (2, 5), (9, 12))), budget=6, merge=True)
    assert context.chunks == (0, 1)
    assert merged(context) == [(((0, 6),), TEXT[0:6], (0, 1))]


def test_top_k_counts_what_is_taken_before_merging():
    context = take(shelf_of(windows((0, 6), (3, 9), (6, 12))), top_k=2, merge=True)
    assert context.skipped == (Skipped("outside-top-k", None, (2,)),)
    assert merged(context) == [(((0, 9),), TEXT[0:9], (0, 1))]


def test_other_documents_and_versions_stay_apart():
    chunks = [
        chunk(0, "abc", "a"),
        chunk(1, "abc", "b"),
        chunk(2, "abc", "a", "v2"),
        chunk(3, "bc", "a", spans=[(1, 3)]),
    ]
    documents = [document("a", "abc"), document("b", "abc"), document("a", "abc", "v2")]
    context = take(Shelf(chunks, documents), top_k=9, merge=True)
    assert [(piece.key, piece.chunks) for piece in context.pieces] == [
        (("a", "v1"), (0, 3)),
        (("b", "v1"), (1,)),
        (("a", "v2"), (2,)),
    ]


def test_a_chunk_of_several_spans_stays_one_passage():
    context = take(shelf_of(windows([(0, 2), (5, 7)])), top_k=9, merge=True)
    assert merged(context) == [(((0, 2), (5, 7)), "ab\nfg", (0,))]
    assert take(shelf_of(windows([(0, 2), (5, 7)])), budget=4, merge=True).chunks == ()  # the joining LF is sent too
    context = take(shelf_of(windows([(0, 2), (5, 7)], (6, 9), (2, 4))), budget=9, merge=True)
    assert merged(context) == [(((0, 4), (5, 9)), "abcd\nfghi", (0, 1, 2))]


def test_words_that_grow_together_are_one():
    """ab and cd are two words, abcd is one: taking the second costs nothing."""
    context = take(shelf_of(windows((0, 2), (2, 4))), budget=1, unit="word", merge=True)
    assert merged(context) == [(((0, 4),), "abcd", (0, 1))]


def test_chunks_cut_inside_a_change_of_normalise_are_paid_with_the_text_that_is_sent():
    """Each f of the normalised ﬀ leads back to the whole raw character: merged with x they are the text xff."""
    chunks = [chunk(0, "x", spans=[(0, 1)]), chunk(1, "f", spans=[(1, 2)])]
    shelf = Shelf(chunks, [document("doc", "xff", offsets=((1, 3, 1, 2),))])

    def sent(budget, *order):
        setting = {"budget": budget, "unit": "char", "merge": True}
        ranking = Ranking("q", order, (1.0,) * len(order))
        contexts, _ = select([ranking], shelf, [query()], setting, OPEN)
        return [piece.body for piece in contexts[0].pieces]

    assert sent(2, 0, 1) == ["x"]
    assert sent(3, 0, 1) == ["xff"]
    assert sent(1, 1) == ["f"]


def test_a_merged_passage_may_be_read_by_the_groups_that_may_read_every_chunk():
    chunks = [
        chunk(0, "ab", spans=[(0, 2)], acl=("x", "y")),
        chunk(1, "bc", spans=[(1, 3)], acl=("z", "y")),
        chunk(2, "cd", spans=[(2, 4)]),
        chunk(3, "hi", spans=[(7, 9)]),
    ]
    context = take(shelf_of(chunks), top_k=9, merge=True)
    assert [(piece.chunks, piece.acl) for piece in context.pieces] == [((0, 1, 2), ("y",)), ((3,), None)]


def slow_merge(chunks, taken):
    """Sets of chunks that hang together, by joining any two that share a position or have neighbouring ones."""
    parts = [[ordinal] for ordinal in taken]

    def near(one, other):
        mine = {place for o in one for span in chunks[o].spans for place in range(span[0], span[1] + 1)}
        return any(a in mine or b in mine for o in other for a, b in chunks[o].spans) or any(
            a <= place <= b for o in other for a, b in chunks[o].spans for place in mine
        )

    for _ in taken:
        for one in parts:
            for other in parts:
                if one is not other and one and other and near(one, other):
                    one += other
                    other.clear()
    parts = [sorted(part, key=taken.index) for part in parts if part]
    return sorted(parts, key=lambda part: taken.index(part[0]))


def text_of(chunks, part):
    """The text of the positions of several chunks: neighbours stay together, LF joins the runs."""
    if len(part) == 1:
        return chunks[part[0]].body
    held = sorted({place for o in part for span in chunks[o].spans for place in range(*span)})
    runs = [[]]
    for place in held:
        if runs[-1] and runs[-1][-1] != place - 1:
            runs.append([])
        runs[-1].append(place)
    return "\n".join("".join(TEXT[place] for place in run) for run in runs)


@given(SPANS, LIMIT, LIMIT, st.sampled_from(UNITS))
def test_every_promise_of_merging(spans, top_k, budget, unit):
    chunks = windows(*spans)
    top_k = top_k if budget else top_k or 3
    unit = unit if budget else None
    context = take(shelf_of(chunks) if chunks else Shelf([]), top_k=top_k, budget=budget, unit=unit, merge=True)
    taken, passed = [], []
    for ordinal in range(len(chunks)):  # the walk again: a candidate is taken when all that would be sent fits
        wanted = [*taken, ordinal]
        cost = sum(count(text_of(chunks, part), unit) for part in slow_merge(chunks, wanted)) if budget else 0
        if len(taken) == top_k or (budget and cost > budget):
            passed.append((ordinal, "outside-top-k" if len(taken) == top_k else "does-not-fit"))
        else:
            taken = wanted
    assert list(context.chunks) == taken
    assert [(ordinal, run.reason) for run in context.skipped for ordinal in run.chunks] == passed
    parts = slow_merge(chunks, taken)
    assert [sorted(piece.chunks) for piece in context.pieces] == [sorted(part) for part in parts]
    assert [piece.body for piece in context.pieces] == [text_of(chunks, part) for part in parts]
    for piece in context.pieces:
        body = "\n".join(TEXT[a:b] for a, b in piece.spans)
        assert piece.body == body


# combinations


def test_redundancy_and_merge():
    """What lies in the merged passage is dropped, not merged in."""
    context = take(shelf_of(windows((0, 4), (3, 8), (2, 6), (8, 9))), top_k=9, redundancy="drop", merge=True)
    assert merged(context) == [(((0, 9),), TEXT[0:9], (0, 1, 3))]
    assert context.skipped == (Skipped("redundant", None, (2,)),)


def test_redundancy_and_parent():
    """(4, 6) has a parent that only the boss may read; for others it stands for itself, and (0, 6) holds it already."""
    chunks = windows((0, 2), (2, 4), (4, 6))
    table = [chunk(0, TEXT[4:9], spans=[(4, 9)], acl=("boss",)), chunk(1, TEXT[0:6], spans=[(0, 6)])]
    shelf = shelf_of(chunks, table)
    context = take(shelf, top_k=9, parent="big", redundancy="drop", acl="asker")
    assert [piece.spans for piece in context.pieces] == [((0, 6),)]
    assert context.skipped == (Skipped("parent-in-context", None, (1,)), Skipped("redundant", None, (2,)))
    context = take(shelf, top_k=9, parent="big", redundancy="drop", asker=("boss",), acl="asker")
    assert [piece.spans for piece in context.pieces] == [((0, 6),), ((4, 9),)]  # the parent brings something new


def test_mmr_and_parent_and_merge():
    """The walk takes c d before the second a b; parents and merged passages follow that order."""
    text = "a b a b c d"
    chunks = windows((0, 3), (4, 7), (8, 11), text=text)
    mmr = MaximalMarginalRelevance(0.5, "ascii_words")
    big = parents((0, 7), (8, 11), text=text)
    context = take(Shelf(chunks, (), big), top_k=9, mmr=mmr, parent="big")
    assert context.chunks == (0, 2)
    assert [piece.body for piece in context.pieces] == ["a b a b", "c d"]
    assert context.skipped == (Skipped("parent-in-context", None, (1,)),)
    context = take(Shelf(chunks, [document("doc", text)]), top_k=2, mmr=mmr, merge=True)
    assert (context.chunks, [piece.body for piece in context.pieces]) == ((0, 2), ["a b", "c d"])


# the stage


def test_the_stage():
    chunks = [chunk(0, "aaaa"), chunk(1, "bbbbbb"), chunk(2, "cc")]
    candidates = [Ranking("q1", (1, 0, 2), (3.0, 2.0, 1.0)), Ranking("q2", (), ()), Ranking("q3", (1,), (1.0,))]
    queries = [query(name) for name in ("q1", "q2", "q3")]
    contexts, counters = select(candidates, Shelf(chunks), queries, {"top_k": None, "budget": 9, "unit": "char"}, OPEN)
    assert contexts == [
        Context("q1", (1, 2), (Skipped("does-not-fit", 3, (0,)),)),
        Context("q2", (), ()),
        Context("q3", (1,), ()),
    ]
    assert counters == {
        "queries": 3,
        "empty_contexts": 1,
        "selected": 3,
        "skipped": {"does-not-fit": 1, "outside-top-k": 0, "redundant": 0, "parent-in-context": 0},
    }
    _, counters = select(candidates, Shelf(chunks), queries, {"top_k": 1, "budget": None, "unit": None}, OPEN)
    assert counters["skipped"] == {"does-not-fit": 0, "outside-top-k": 2, "redundant": 0, "parent-in-context": 0}


def test_a_setting_as_params_resolves_it_makes_the_selector():
    setting = {"top_k": 3, "budget": None, "unit": None, "redundancy": "drop", "parent": "big", "merge": False}
    found = Selector.of({**setting, "mmr": {"weight": 0.5, "analyzer": "ascii_words"}})
    assert found == Selector(3, None, None, "drop", MaximalMarginalRelevance(0.5, "ascii_words"), "big", False)
    assert Selector.of({"top_k": 3, "mmr": None}) == Selector(3)


def test_the_stage_asks_the_arm_s_eligibility_who_may_read_a_parent():
    shelf = shelf_of(windows((0, 3)), parents((0, 6), acl=("boss",)))
    setting, candidates = {"top_k": 1, "parent": "big"}, [Ranking("q", (0,), (1.0,))]
    for acl, asker, spans in (("asker", (), (0, 3)), ("asker", ("boss",), (0, 6)), ("ignore", (), (0, 6))):
        (context,), counters = select(candidates, shelf, [query(groups=asker)], setting, {**OPEN, "acl": acl})
        assert [piece.spans for piece in context.pieces] == [(spans,)]
        assert counters["selected"] == 1


@pytest.mark.parametrize(
    ("setting", "pieces", "message"),
    [
        ({"budget": 4, "unit": "char"}, None, "the context of query 'q' is over its budget: 5"),
        ({"top_k": 1}, None, "the context of query 'q' has more passages than top_k"),
        (
            {"budget": 4, "unit": "char", "merge": True},
            (Piece("doc", "v1", ((0, 9),), "aaaabbbbb", None, (0, 1)),),
            "is over its budget: 9",
        ),
    ],
)
def test_a_context_that_breaks_a_limit_is_not_believed(monkeypatch, setting, pieces, message):
    wrong = Context("q", (0, 1), (), pieces)
    monkeypatch.setattr(Selector, "select", lambda *_: wrong)
    with pytest.raises(ValueError, match=message):
        select([Ranking("q", (0, 1), (1.0, 1.0))], Shelf([chunk(0, "aaaa"), chunk(1, "b")]), [query()], setting, OPEN)


@given(
    SPANS,
    st.permutations(range(7)),
    st.tuples(LIMIT, LIMIT),
    st.sampled_from(["keep", "drop"]),
    st.sampled_from([None, 0.0, 0.5]),
    st.sampled_from(["chunks", "parent", "merge"]),
)
def test_a_context_is_of_candidates_alone_each_once_and_within_its_limits(
    spans, order, limits, redundancy, weight, form
):
    top_k, budget = limits
    chunks = windows(*spans)
    order = [ordinal for ordinal in order if ordinal < len(chunks)][: max(0, len(chunks) - 1)]
    setting = {
        "top_k": top_k if budget else top_k or 3,
        "budget": budget,
        "unit": "char" if budget else None,
        "redundancy": redundancy,
        "mmr": None if weight is None else {"weight": weight, "analyzer": "ascii_words"},
        "parent": "big" if form == "parent" else None,
        "merge": form == "merge",
    }
    shelf = Shelf(chunks, [document(text=TEXT)], parents((0, 9), (5, 20)))
    ranking = Ranking("q", tuple(order), tuple(9.0 - place for place in range(len(order))))
    (context,), counters = select([ranking], shelf, [query()], setting, OPEN)  # which checks the limits itself
    passed = [ordinal for run in context.skipped for ordinal in run.chunks]
    assert sorted([*context.chunks, *passed]) == sorted(order)
    assert counters["selected"] + sum(counters["skipped"].values()) == len(order)
    assert (context.pieces is None) == (form == "chunks")
    sent = [chunks[o] for o in context.chunks] if context.pieces is None else context.pieces
    assert budget is None or sum(len(one.body) for one in sent) <= budget
    if context.pieces is not None:
        assert sorted(o for piece in context.pieces for o in piece.chunks) == sorted(context.chunks)
        held = positions(context.pieces)
        assert positions([chunks[o] for o in context.chunks]) <= held
