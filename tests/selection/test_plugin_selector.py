"""Selectors of the user's own."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import chunk, query
from spanledger.core.errors import InputError
from spanledger.core.ranking import Ranking
from spanledger.selection import select
from spanledger.selection.context import Context, Skipped
from spanledger.selection.shelf import Shelf

MINE = """
seen = []
def choose(query, candidates, budget, top_k, places=()):
    seen.append((query, candidates, budget, top_k))
    return places
def cheapest(query, candidates, budget, top_k):
    order = sorted(range(len(candidates)), key=lambda place: candidates[place].cost)
    return [place for place in order if candidates[place].cost <= 3][:top_k]
"""
CHUNKS = [chunk(n, body, f"d{n}") for n, body in enumerate(("aaaa", "bb", "c d", "eeee"))]
RANKING = Ranking("q", (3, 1, 0, 2), (4.0, 3.0, 2.0, 1.0))


def selected(setting, ranking=RANKING, name="choose"):
    setting = {"method": f"plugins.mine:{name}", "top_k": None, "budget": None, "unit": None, "options": {}, **setting}
    (context,), counters = select([ranking], Shelf(CHUNKS), [query("q", "text")], setting, {"acl": "ignore"})
    return context, counters


def test_the_context_is_what_was_chosen_in_its_order(plugins_in):
    plugins_in(mine=MINE)
    context, counters = selected({"budget": 6, "unit": "char", "options": {"places": [2, 1]}})
    assert context == Context("q", (0, 1), (Skipped("not-chosen", 0, (3, 2)),))
    assert counters == {"queries": 1, "empty_contexts": 0, "selected": 2, "skipped": {"not-chosen": 2}}
    assert selected({"top_k": 1})[0] == Context("q", (), (Skipped("not-chosen", None, (3, 1, 0, 2)),))
    limits = {"top_k": 2, "budget": 9, "unit": "char"}
    assert selected(limits, name="cheapest")[0] == Context("q", (1, 2), (Skipped("not-chosen", 4, (3, 0)),))


def test_what_a_plugin_is_told(plugins_in):
    import sys

    plugins_in(mine=MINE)
    selected({"budget": 9, "unit": "word", "top_k": 3})
    (text, candidates, budget, top_k), again = sys.modules["plugins.mine"].seen
    assert (text, budget, top_k) == ("text", 9, 3) and again == (text, candidates, budget, top_k)
    assert [(c.text, c.cost, c.score, c.rank, c.doc_id, c.version, c.spans) for c in candidates] == [
        ("eeee", 1, 4.0, 1, "d3", "v1", ((0, 4),)),
        ("bb", 1, 3.0, 2, "d1", "v1", ((0, 2),)),
        ("aaaa", 1, 2.0, 3, "d0", "v1", ((0, 4),)),
        ("c d", 2, 1.0, 4, "d2", "v1", ((0, 3),)),
    ]
    with pytest.raises(AttributeError):
        candidates[0].cost = 0
    selected({"top_k": 3})
    assert {c.cost for c in sys.modules["plugins.mine"].seen[-1][1]} == {0}


def test_an_empty_list_is_not_asked_about(plugins_in):
    plugins_in(mine="def choose(query, candidates, budget, top_k):\n    raise ValueError\n")
    assert selected({"top_k": 1}, Ranking("q", (), ()))[0] == Context("q", (), ())


@pytest.mark.parametrize(
    ("setting", "places", "message"),
    [
        ({"top_k": 9}, [4], "expected places from 0 to 3 for query 'q', which has 4 candidates, found 4"),
        ({"top_k": 9}, [-1], "expected places from 0 to 3 for query 'q', which has 4 candidates, found -1"),
        ({"top_k": 9}, [1.0], "expected places from 0 to 3 for query 'q', which has 4 candidates, found 1.0"),
        ({"top_k": 9}, [True], "expected places from 0 to 3 for query 'q', which has 4 candidates, found True"),
        ({"top_k": 9}, ["0"], "expected places from 0 to 3 for query 'q', which has 4 candidates, found '0'"),
        ({"top_k": 9}, [2, 0, 2], "chooses place 2 twice for query 'q': [2, 0, 2]"),
        ({"top_k": 1}, [0, 1], "chooses 2 for query 'q', and top_k is 1: [0, 1]"),
        ({"budget": 5, "unit": "char"}, [1, 0], "chooses 6 char for query 'q', and the budget is 5: places [1, 0]"),
    ],
)
def test_each_violation(plugins_in, setting, places, message):
    plugins_in(mine=MINE)
    with pytest.raises(InputError) as caught:
        selected({**setting, "options": {"places": places}})
    (problem,) = caught.value.problems
    assert str(problem) == f"plugins/mine.py:3: plugins.mine:choose: {message}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    places=st.lists(st.integers(-1, 4), max_size=5),
    top_k=st.none() | st.integers(1, 4),
    budget=st.integers(1, 14),
)
def test_a_choice_is_believed_where_it_keeps_the_rules_and_nowhere_else(plugins_in, places, top_k, budget):
    plugins_in(mine=MINE)
    setting = {"top_k": top_k, "budget": budget, "unit": "char", "options": {"places": places}}
    known = all(0 <= place < 4 for place in places) and len(set(places)) == len(places)
    costs = (4, 2, 4, 3)
    if known and (top_k is None or len(places) <= top_k) and sum(costs[place] for place in places) <= budget:
        assert selected(setting)[0].chunks == tuple(RANKING.chunks[place] for place in places)
    else:
        with pytest.raises(InputError):
            selected(setting)
