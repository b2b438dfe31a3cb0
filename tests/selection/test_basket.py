"""The context while it is filled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core import units
from spanledger.core.ranking import Ranking
from spanledger.core.spans import union
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

TEXT = "ab c\nd, ef ü-gh i"


def spans():
    """One to three spans of the text with gaps between them."""
    cuts = st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=6, unique=True).map(sorted)
    return cuts.map(lambda edges: tuple(union(zip(edges[::2], edges[1::2], strict=False))))


def table(places):
    found = []
    for ordinal, (doc_id, held) in enumerate(places):
        body = "\n".join(TEXT[start:end] for start, end in held)
        found.append(chunk(ordinal, body, doc_id, spans=held))
    return found


TABLES = st.lists(st.tuples(st.sampled_from(["d", "e"]), spans()), min_size=1, max_size=7).map(table)


SENT = [
    {},
    {"separator": " "},
    {"separator": "\n", "header": "Q: ", "footer": "."},
    {"template": "{rank}. {body}\n"},
    {"template": "{body}{doc_id}"},
]


def walk_of(chunks, **limits):
    shelf = Shelf(chunks, [document("d", TEXT), document("e", TEXT)])
    order = tuple(range(len(chunks)))
    return Selector(**limits).walk(Ranking("q", order, tuple(1.0 for _ in order)), shelf, query())


@given(
    TABLES,
    st.sampled_from(["char", "byte", "word", "lexical", "tiktoken/cl100k_base"]),
    st.booleans(),
    st.integers(1, 60),
    st.sampled_from(SENT),
)
def test_a_context_grows_by_at_least_what_is_said_until_a_candidate_is_in_it(chunks, unit, merge, budget, sent):
    walk = walk_of(chunks, budget=budget, unit=unit, merge=merge, **sent)
    said: list[tuple[int, int, int]] = []  # (candidate, used when it was said, at least)
    while (ordinal := walk.next()) is not None:
        basket = walk.basket
        said += [(later, basket.used, basket.least(later, None)) for later in range(ordinal, len(chunks))]
        if walk.put(ordinal) is None:
            assert all(basket.used - used >= least for later, used, least in said if later == ordinal)
            pieces = walk.pieces()
            if pieces is not None and not sent:
                assert basket.used == sum(units.count(piece.body, unit) for piece in pieces) <= budget


def test_what_is_said_is_the_length_where_nothing_is_merged_and_what_is_new_where_it_is():
    chunks = table([("d", ((0, 8),)), ("d", ((4, 12),)), ("d", ((0, 2), (10, 12)))])
    assert [walk_of(chunks, budget=9, unit="char").basket.least(n, None) for n in range(3)] == [8, 8, 5]
    merged = walk_of(chunks, budget=30, unit="char", merge=True)
    assert [merged.basket.least(n, None) for n in range(3)] == [8, 8, 4]
    merged.put(merged.next())
    assert [merged.basket.least(n, None) for n in range(3)] == [0, 4, 2]
    assert walk_of(chunks, budget=30, unit="word", merge=True).basket.least(0, None) == 0


@pytest.mark.parametrize("mmr", [None, {"weight": 0.5, "analyzer": "ascii_words"}])
def test_a_copy_of_a_walk_goes_its_own_way(mmr):
    chunks = table([("d", ((0, 8),)), ("d", ((4, 12),)), ("e", ((0, 2),)), ("e", ((0, 4),))])
    walk = walk_of(chunks, budget=16, unit="char", merge=True) if mmr is None else _mmr(chunks, mmr)
    walk.put(walk.next())
    other = walk.copy()
    taken, used = list(walk.kept), walk.basket.used
    while (ordinal := other.next()) is not None:
        other.put(ordinal)
    assert (walk.kept, walk.basket.used) == (taken, used)
    assert len(other.kept) > len(taken)
    rest = []
    while (ordinal := walk.next()) is not None:
        if walk.put(ordinal) is None:
            rest.append(ordinal)
    assert [*taken, *rest] == other.kept
    assert walk.pieces() == other.pieces()


def _mmr(chunks, mmr):
    selector = Selector.of({"budget": 22, "unit": "char", "mmr": mmr})
    return selector.walk(Ranking("q", (0, 1, 2, 3), (4.0, 3.0, 2.0, 1.0)), Shelf(chunks), query())
