"""Chunkers of the user's own."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import document, element
from spanledger.chunking import chunk_documents
from spanledger.core.errors import InputError
from spanledger.normalise import Policy, normalise_documents

RETURNS = (
    "import json\ndef f(text, value):\n    return [tuple(v) if isinstance(v, list) else v for v in json.loads(value)]\n"
)


def chunked(value, text="abcdef", **setting):
    setting = {"method": "plugins.mine:f", "unit": "char", "options": {"value": json.dumps(value)}, **setting}
    return chunk_documents([document("d", text)], [], setting)


def spans(value, text="abcdef"):
    return [chunk.spans for chunk in chunked(value, text)[0]]


def test_spans_become_chunks_in_their_order(plugins_in):
    plugins_in(mine=RETURNS)
    table, counters = chunked([[0, 4], [1, 3], [1, 5]])
    assert [(c.ordinal, c.spans, c.body) for c in table] == [
        (0, ((0, 4),), "abcd"),
        (1, ((1, 3),), "bc"),
        (2, ((1, 5),), "bcde"),
    ]
    assert (counters["covered_char"], counters["duplicated_char"], counters["source_char"]) == (5, 5, 6)
    assert "fragments" not in counters
    assert spans([]) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[0, 7]], "not empty and inside the 6 characters of document 'd' v1, found (0, 7) at place 0"),
        ([[-1, 3]], "not empty and inside the 6 characters of document 'd' v1, found (-1, 3) at place 0"),
        ([[0, 2], [3, 3]], "not empty and inside the 6 characters of document 'd' v1, found (3, 3) at place 1"),
        ([[3, 2]], "found (3, 2) at place 0"),
        ([[2, 4], [0, 1]], "ascending order, none twice, for document 'd' v1, found (0, 1) at place 1 after (2, 4)"),
        ([[1, 4], [1, 3]], "ascending order, none twice, for document 'd' v1, found (1, 3) at place 1 after (1, 4)"),
        ([[1, 4], [1, 4]], "ascending order, none twice, for document 'd' v1, found (1, 4) at place 1 after (1, 4)"),
        ([[0, 2.0]], "whole numbers, or strings alone, for document 'd' v1, found (0, 2.0) at place 0"),
        ([[False, True]], "found (False, True) at place 0"),
        ([[0, 1, 2]], "found (0, 1, 2) at place 0"),
        ([[0, 1], "cd"], "found 'cd' at place 1"),
        (["ab", [2, 3]], "found 'ab' at place 0"),
        ([None], "found None at place 0"),
    ],
)
def test_each_violation(plugins_in, value, message):
    plugins_in(mine=RETURNS)
    with pytest.raises(InputError) as caught:
        chunked(value)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.record) == ("plugins/mine.py", 2, "plugins.mine:f")
    assert message in problem.message


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.lists(st.lists(st.integers(-1, 5), min_size=2, max_size=2), max_size=4))
def test_spans_are_taken_as_they_are_or_not_at_all(plugins_in, value):
    plugins_in(mine=RETURNS)
    fit = all(0 <= start < end <= 4 for start, end in value) and sorted(value) == value
    if fit and len(set(map(tuple, value))) == len(value):
        assert spans(value, "abcd") == [((start, end),) for start, end in value]
    else:
        with pytest.raises(InputError):
            spans(value, "abcd")


def test_strings_are_placed_and_counted(plugins_in):
    plugins_in(mine="def f(text):\n    return text.split(' ')\ndef g(text):\n    return [' '.join(text.split())]\n")
    setting = {"method": "plugins.mine:f", "unit": "word", "options": {}}
    documents = [document("d", "aa bb\naa  bb"), document("e", "x")]
    table, counters = chunk_documents(documents, [], setting)
    assert [(c.doc_id, c.spans[0], c.body, c.lengths["word"]) for c in table] == [
        ("d", (0, 2), "aa", 1),
        ("d", (3, 8), "bb\naa", 2),
        ("d", (10, 12), "bb", 1),
        ("e", (0, 1), "x", 1),
    ]
    # The string between the two spaces is empty. "aa" can stand at 6 in no way: "bb\naa" must come after it.
    assert {name: counters[name] for name in ("fragments", "not_placed", "ambiguous")} == {
        **{"fragments": 4, "not_placed": 0, "ambiguous": 0},
    }
    table, counters = chunk_documents(documents, [], {**setting, "method": "plugins.mine:g"})
    assert [c.body for c in table] == ["x"]
    assert (counters["fragments"], counters["not_placed"], counters["ambiguous"]) == (2, 1, 0)


def test_a_plugin_gets_normalised_text_and_its_chunks_lead_back_to_the_raw_one(plugins_in):
    plugins_in(mine="def f(text):\n    assert '\\r' not in text\n    return [(2, 4)]\n")
    documents = normalise_documents([document("d", "a\r\nbc")], Policy(newlines="lf"))
    (chunk,), _ = chunk_documents(documents, [], {"method": "plugins.mine:f", "options": {}})
    assert (chunk.body, chunk.spans) == ("bc", ((3, 5),))


def test_groups_of_elements_guard_chunks_of_a_plugin_too(plugins_in):
    plugins_in(mine=RETURNS)
    setting = {"method": "plugins.mine:f", "options": {"value": "[[0, 2], [2, 5]]"}}
    elements = [element("one", (0, 3), "d", acl=("x",)), element("two", (3, 6), "d", acl=("y",))]
    table, _ = chunk_documents([document("d", "abcdef")], elements, setting)
    assert [c.acl for c in table] == [("x",), ()]
