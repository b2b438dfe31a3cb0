"""Plugins in params.yaml: what is told of them before anything runs."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from spanledger.audit.parameters import recorded_section
from spanledger.core.errors import InputError
from spanledger.core.plugins import Plugin
from spanledger.engine import params, plugins

MINE = """
def split(text, width, tail=None, *, overlap=0):
    return []
def score(query, passages, **options):
    return []
def choose(query, candidates, budget, top_k, most=1):
    return []
def positional(text, width, /):
    return []
made = lambda text: []
"""


def section(**parts):
    return {
        "normalise": {},
        "chunk": {"c": {"method": "plugins.mine:split", "options": {"width": 3}}},
        "eligibility": {"e": {}},
        "index": {"i": {"analyzer": "ascii_words"}},
        "retrieve": {"r": {"index": "i", "scorer": "plugins.mine:score"}},
        "fuse": {"f": {"branches": ["r"], "rerank": {"method": "plugins.mine:score"}}},
        "select": {"s": {"method": "plugins.mine:choose", "top_k": 2}},
        "score": {},
        "report": {},
        "arms": "grid",
        **parts,
    }


def problems_of(**parts):
    """The (field, message) of params.yaml with such a section."""
    with Path("params.yaml").open("w", encoding="utf-8") as stream:
        YAML().dump({"experiments": {"x": {"dataset": "d"}}, "x": section(**parts)}, stream)
    try:
        params.load("params.yaml")
    except InputError as error:
        return [(problem.field, problem.message) for problem in error.problems]
    return []


def test_all_four_kinds_are_taken_with_the_keys_of_a_built_in_one(plugins_in):
    plugins_in(mine=MINE)
    assert problems_of() == []
    resolved = params.load("params.yaml")["x"]
    assert resolved["chunk"]["c"] == {"method": "plugins.mine:split", "unit": "char", "options": {"width": 3}}
    assert resolved["retrieve"]["r"] == {
        **{"index": "i", "scorer": "plugins.mine:score", "depth": None, "tie": "document", "keep_zero": False},
        **{"repeat_query_terms": False, "expand": None, "options": {}},
    }
    assert resolved["fuse"]["f"]["rerank"] == {"method": "plugins.mine:score", "options": {}}
    assert resolved["select"]["s"] == {
        **{"method": "plugins.mine:choose", "top_k": 2, "budget": None, "unit": None, "redundancy": "keep"},
        **{"mmr": None, "parent": None, "merge": False, "options": {}},
        **{"separator": None, "template": None, "header": None, "footer": None},
    }
    assert [(field, role) for field, role, *_ in plugins.named(resolved)] == [
        ("chunk.c.method", "chunker"),
        ("retrieve.r.scorer", "scorer"),
        ("select.s.method", "selector"),
        ("fuse.f.rerank.method", "re-ranker"),
    ]


def test_what_is_resolved_can_be_resolved_again(plugins_in):
    """As records hold it, and as `spanledger.run` may be given it."""
    plugins_in(mine=MINE)
    assert problems_of() == []
    once = params.load("params.yaml")
    assert params.resolve(once) == once
    assert recorded_section("x", {"parameters": {f"x.{part}": value for part, value in once["x"].items()}}) == once["x"]


@pytest.mark.parametrize(("key", "value"), [("merge", True), ("merge", 0), ("template", "{body}"), ("header", "")])
def test_a_key_that_means_nothing_to_a_plugin_is_told(plugins_in, key, value):
    plugins_in(mine=MINE)
    chosen = {"method": "plugins.mine:choose", "top_k": 2, key: value}
    found = problems_of(select={"s": chosen})
    assert found == [(f"x.select.s.{key}", "unknown key: valid: budget, method, options, top_k, unit")]


@pytest.mark.parametrize(
    ("parts", "field", "message"),
    [
        (
            {"chunk": {"c": {"method": "plugins.mnie:split"}}},
            "x.chunk.c.method",
            "no module 'plugins.mnie' in the folder plugins: did you mean 'plugins.mine'? valid: plugins.mine",
        ),
        (
            {"chunk": {"c": {"method": "plugins.mine:splitt"}}},
            "x.chunk.c.method",
            "plugins/mine.py: no function 'splitt': did you mean 'split'? valid: choose, positional, score, split",
        ),
        (
            {"chunk": {"c": {"method": "plugins.mine:split", "options": {"widht": 3}}}},
            "x.chunk.c.method",
            "plugins/mine.py:2: split takes no option 'widht': did you mean 'width'? valid: overlap, tail, width",
        ),
        (
            {"chunk": {"c": {"method": "plugins.mine:split"}}},
            "x.chunk.c.method",
            "plugins/mine.py:2: split cannot be called as a chunker, with (text): missing a required argument: 'width'",
        ),
        (
            {"chunk": {"c": {"method": "plugins.mine:positional", "options": {"width": 3}}}},
            "x.chunk.c.method",
            "plugins/mine.py:8: positional takes no option 'width': valid: none",
        ),
        (
            {"select": {"s": {"method": "plugins.mine:score", "top_k": 2, "options": {"a": 1}}}},
            None,
            None,  # it takes anything
        ),
        ({"select": {"s": {"method": "plugins.mine:choose"}}}, "x.select.s", "expected top_k or budget"),
        (
            {"select": {"s": {"method": "plugins.mine:choose", "top_k": 1, "merge": True}}},
            "x.select.s.merge",
            "unknown key: valid: budget, method, options, top_k, unit",
        ),
        (
            {"retrieve": {"r": {"index": "i", "scorer": "plugins.mine:score", "k1": 1}}},
            "x.retrieve.r.k1",
            "unknown key: valid: depth, index, keep_zero, options, scorer, tie",
        ),
        (
            {"chunk": {"c": {"method": "plugin.mine:split"}}},
            "x.chunk.c.method",
            "unknown value 'plugin.mine:split': valid: aggregate, chonkie, document, langchain, paragraph, "
            "plugins.MODULE:FUNCTION, recursive, semchunk, sentence, structured, window",
        ),
        (
            {"chunk": {"c": {"method": "os.path:join"}}},
            "x.chunk.c.method",
            "unknown value 'os.path:join': valid: aggregate, chonkie, document, langchain, paragraph, "
            "plugins.MODULE:FUNCTION, recursive, semchunk, sentence, structured, window",
        ),
        (
            {"chunk": {"c": {"method": "plugins.mine:split", "options": {"width": {"size": 3}}}}},
            "x.chunk.c.options.width.size",
            "the name 'size' is not allowed: DVC's run cache ignores it; use another, as chunk_size",
        ),
        (
            {"chunk": {"c": {"method": "window", "chunk_size": 3, "options": {}}}},
            "x.chunk.c.options",
            "unknown key: valid: chunk_overlap, chunk_size, group_by, method, tail, unit",
        ),
    ],
)
def test_what_is_told(plugins_in, parts, field, message):
    plugins_in(mine=MINE)
    found = problems_of(**parts)
    assert found == ([] if field is None else [(field, message)])


def test_what_is_made_in_another_way_is_left_to_the_stage(plugins_in):
    plugins_in(mine=MINE, other="from plugins.mine import split\nif True:\n    def inner(text):\n        return []\n")
    for name in ("plugins.other:split", "plugins.mine:made", "plugins.other:inner"):
        assert problems_of(chunk={"c": {"method": name}}) == []
    plugins_in(other="x = 1\ndef f(text:\n    pass\n")
    assert problems_of(chunk={"c": {"method": "plugins.other:f"}}) == [
        ("x.chunk.c.method", "plugins/other.py:2: '(' was never closed")
    ]


@pytest.mark.parametrize("function", ["split", "score", "choose", "positional"])
@pytest.mark.parametrize("role", ["chunker", "scorer", "selector"])
@pytest.mark.parametrize(
    "options", [{}, {"width": 1}, {"width": 1, "overlap": 2}, {"most": 1}, {"text": 1}, {"odd": 1}]
)
def test_what_params_says_of_a_function_the_stage_says_too(plugins_in, function, role, options):
    plugins_in(mine=MINE)
    early = plugins._problem(role, f"plugins.mine:{function}", options)
    try:
        Plugin(f"plugins.mine:{function}", role, options)
        late = None
    except InputError as error:
        late = error.problems[0].message
    assert early is late is None or early.endswith(f": {function} {late}")


def test_options_have_one_form_as_dvc_sees_them(plugins_in):
    plugins_in(mine=MINE)
    raw = {"b": 1.0, "a": {"y": [2.0, 2.5, True, None], "x": "1.0"}}
    problems_of(chunk={"c": {"method": "plugins.mine:split", "options": {"width": raw}}})
    found = params.load("params.yaml")["x"]["chunk"]["c"]["options"]["width"]
    assert repr(found) == "{'a': {'x': '1.0', 'y': [2, 2.5, True, None]}, 'b': 1}"


def test_a_date_is_no_option(plugins_in):
    plugins_in(mine=MINE)
    problems_of()
    path = Path("params.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("width: 3", "width: 2026-01-01"), encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.chunk\.c\.options\.width: expected"):
        params.load("params.yaml")


def test_another_revision_is_read_without_its_plugins(plugins_in):
    """A revision's params.yaml is resolved where its plugins are not."""
    resolved = params.resolve({"experiments": {"x": {"dataset": "d"}}, "x": section()})
    assert resolved["x"]["chunk"]["c"]["options"] == {"width": 3}
