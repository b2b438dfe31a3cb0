"""What plugins are given: texts, places and settings, and nothing of the gold."""

import sys

import pytest

from builders import document, evidence, fact, gold, query
from spanledger.dataset import Dataset
from spanledger.experiment import run
from spanledger.selection.plugin import Candidate

MINE = """
seen = []
def split(text, **options):
    seen.append(((text,), options))
    return [(0, len(text))]
def score(query, passages, **options):
    seen.append(((query, passages), options))
    return [1] * len(passages)
def choose(query, candidates, budget, top_k, **options):
    seen.append(((query, candidates, budget, top_k), options))
    return [0]
"""
OPTIONS = {"deep": {"list": [1, "two"]}}


def flat(value):
    """All that can be reached from an argument, as (type, value)."""
    yield type(value), value
    if isinstance(value, tuple | list):
        for item in value:
            yield from flat(item)
    elif isinstance(value, dict):
        yield from flat(tuple(value.items()))
    elif isinstance(value, Candidate):
        yield from flat(tuple(getattr(value, name) for name in Candidate.__slots__))


@pytest.fixture
def seen(plugins_in):
    plugins_in(mine=MINE)
    section = {
        "normalise": {},
        "chunk": {"c": {"method": "plugins.mine:split", "options": OPTIONS}},
        "eligibility": {"e": {}},
        "index": {"i": {"analyzer": "ascii_words"}},
        "retrieve": {"r": {"index": "i", "scorer": "plugins.mine:score", "options": OPTIONS, "depth": 2}},
        "fuse": {"f": {"branches": ["r"], "rerank": {"method": "plugins.mine:score", "options": OPTIONS}}},
        "select": {"s": {"method": "plugins.mine:choose", "top_k": 1, "options": OPTIONS}},
        **{"score": {}, "report": {}, "arms": "grid"},
    }
    golds = [gold("q", fact("SECRET-fact", [evidence(0, 3, "b")], [evidence(0, 3, "c")]))]
    documents = [document(doc_id, f"text of {doc_id}") for doc_id in "abc"]
    dataset = Dataset(documents, [], [query("q", "which text", groups=("asker",))], golds, (), {"name": "x"})
    found = run({"experiments": {"x": {"dataset": "-"}}, "x": section}, dataset)
    assert found.rows[0]["facts"][0]["cause"] is not None  # so that score has asked the plugins again
    return sys.modules["plugins.mine"].seen


def test_no_argument_leads_to_gold(seen):
    assert len({len(arguments) for arguments, _ in seen}) == 3
    assert all(options == OPTIONS for _, options in seen)
    kinds = {kind for arguments, _ in seen for kind, _ in flat(arguments)}
    assert kinds == {str, tuple, int, float, type(None), Candidate}
    texts = {value for arguments, _ in seen for kind, value in flat(arguments) if kind is str}
    assert texts == {"which text", *(f"text of {doc_id}" for doc_id in "abc"), "a", "b", "v1"}  # c is below the depth
