"""Functions of the user's own: how they are found, called and not believed."""

import importlib
import sys

import pytest

from spanledger.core import files, plugins
from spanledger.core.errors import InputError
from spanledger.core.plugins import Plugin


def called(name="plugins.mine:f", *arguments, role="chunker", **options):
    return Plugin(name, role, options).items("document 'd' v1", *(arguments or ("abc",)))


def told(action, *arguments, **options):
    """The one message of a fault."""
    with pytest.raises(InputError) as caught:
        action(*arguments, **options)
    (problem,) = caught.value.problems
    return str(problem)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("plugins.a:f", True),
        ("plugins.a.b_1:_f", True),
        ("plugins:f", False),
        ("plugins.a", False),
        ("plugins.a:f.g", False),
        ("os.path:join", False),
        ("myplugins.a:f", False),
        ("plugins.a:f\n", False),
        ("plugins..a:f", False),
        ("plugins./a:f", False),
        (None, False),
        (1, False),
    ],
)
def test_what_names_a_plugin(name, is_one):
    assert plugins.is_plugin(name) is is_one
    if isinstance(name, str) and not is_one:
        with pytest.raises(ValueError, match=r"expected plugins\.MODULE:FUNCTION"):
            plugins.parts(name)


def test_modules_import_each_other_and_read_files_of_the_folder(plugins_in, tmp_path):
    plugins_in(
        mine="""
            from pathlib import Path
            from plugins import words
            from plugins.words import first
            from .words import last
            def f(text):
                return [first(text), words.last(text), last(text), (Path(__file__).parent / "list.txt").read_text()]
        """,
        words="def first(text):\n    return text[0]\ndef last(text):\n    return text[-1]\n",
    )
    (tmp_path / "plugins" / "list.txt").write_text("of the folder")
    assert called() == ["a", "c", "c", "of the folder"]


def test_packages_with_and_without_init(plugins_in, tmp_path):
    for name in ("plain", "packed"):
        (tmp_path / "plugins" / name).mkdir()
        (tmp_path / "plugins" / name / "deep.py").write_text(f"def f(text):\n    return ['{name}']\n")
    (tmp_path / "plugins" / "packed" / "__init__.py").write_text("def f(text):\n    return ['init']\n")
    assert [called(f"plugins.{name}:f") for name in ("plain.deep", "packed.deep", "packed")] == [
        ["plain"],
        ["packed"],
        ["init"],
    ]
    assert plugins.modules() == ["plugins.packed", "plugins.packed.deep", "plugins.plain.deep"]


def test_modules_behind_a_linked_folder_are_none(plugins_in, tmp_path):
    """Neither engine looks behind it, so that an edit would run nothing again."""
    plugins_in(mine="def f(text):\n    return []\n")
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    for name in ("one.py", "__init__.py", "deep/two.py"):
        (tmp_path / "elsewhere" / name).write_text("def f(text):\n    return []\n")
    (tmp_path / "plugins" / "linked").symlink_to("../elsewhere")
    (tmp_path / "plugins" / "file.py").symlink_to("../elsewhere/one.py")
    for name in ("linked.one", "linked", "linked.deep.two"):
        assert "no module of this name in plugins" in told(called, f"plugins.{name}:f")
    assert called("plugins.file:f") == []
    assert plugins.modules() == ["plugins.file", "plugins.mine"]


def test_an_edited_module_is_loaded_anew_whatever_byte_code_lies_beside_it(plugins_in, tmp_path, monkeypatch):
    plugins_in(mine="from plugins.other import VALUE\ndef f(text):\n    return [VALUE]\n", other="VALUE = 1\n")
    assert called() == [1]
    assert not list(tmp_path.rglob("*.pyc"))
    plugins_in(other="VALUE = 2\n")  # of the same length, within the second that byte code is compared by
    assert called() == [2]
    path = tmp_path / "plugins" / "other.py"
    cache = importlib.util.cache_from_source(str(path))
    stale = compile("VALUE = 3", str(path), "exec")
    files.write(cache, importlib._bootstrap_external._code_to_timestamp_pyc(stale, int(path.stat().st_mtime), 10))
    sys.modules.pop("plugins.other"), sys.modules.pop("plugins.mine")
    assert called() == [2]


def test_another_folder_is_another_set_of_plugins(plugins_in, tmp_path, monkeypatch):
    plugins_in(mine="def f(text):\n    return [1]\n")
    assert called() == [1]
    (tmp_path / "else" / "plugins").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "else")
    assert "no module of this name in plugins" in told(called)
    (tmp_path / "else" / "plugins" / "mine.py").write_text("def f(text):\n    return [2]\n")
    assert called() == [2]


def test_a_module_of_that_name_elsewhere_is_none(plugins_in, tmp_path, monkeypatch):
    (tmp_path / "site" / "plugins").mkdir(parents=True)
    (tmp_path / "site" / "plugins" / "away.py").write_text("def f(text):\n    return [1]\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    plugins_in(mine="from plugins import away\n")
    message = told(called)
    assert message == (
        "plugins/mine.py:1: plugins.mine:f: raised ImportError for its import: cannot import name 'away' from 'plugins' "
        "(unknown location)"
    )
    assert told(called, "plugins.away:f") == (
        "plugins: plugins.away:f: no module of this name in plugins: did you mean 'plugins.mine'? valid: plugins.mine"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def g(text):\n    return []\ndef h(text):\n    return []\n", ":0 no function 'f': valid: g, h"),
        ("f = 3\n", ":0 no function 'f': valid: none"),
        ("x = 1\ndef f(text:\n    return []\n", ":2 '(' was never closed"),
        ("\n1 / 0\n", ":2 raised ZeroDivisionError for its import: division by zero"),
        ("import no_such_library\n", ":1 raised ModuleNotFoundError for its import: No module named 'no_such_library'"),
        ("\ndef f(text):\n    return text.nope\n", ":3 raised AttributeError for document 'd' v1: 'str' object has no"),
        ("def f(text):\n    yield 1\n    raise KeyError('k')\n", ":3 raised KeyError for document 'd' v1: 'k'"),
        ("import sys\ndef f(text):\n    sys.exit(0)\n", ":3 raised SystemExit for document 'd' v1: 0"),
        ("def f(text):\n    return f(text)\n", ":2 raised RecursionError for document 'd' v1: maximum recursion depth"),
        ("def f(text):\n    return 'abc'\n", ":1 expected a sequence for document 'd' v1, found 'abc'"),
        ("def f(text):\n    return None\n", ":1 expected a sequence for document 'd' v1, found None"),
        ("def f(text):\n    return {1: 2}\n", ":1 expected a sequence for document 'd' v1, found {1: 2}"),
        (
            "def f(text, size):\n    return []\n",
            ":1 cannot be called as a chunker, with (text): missing a required argument",
        ),
        ("def f():\n    return []\n", ":1 cannot be called as a chunker, with (text): too many positional arguments"),
    ],
)
def test_what_is_told_of_a_broken_plugin(plugins_in, text, message):
    plugins_in(mine=text)
    place, _, rest = message.partition(" ")
    file = f"plugins/mine.py{place.removesuffix(':0')}"
    assert told(called).startswith(f"{file}: plugins.mine:f: {rest}")


def test_the_line_is_that_of_the_plugin_s_own_code(plugins_in):
    """Not that of the library which it called, and that of the module of the folder which did."""
    plugins_in(
        mine="from plugins.helper import parsed\ndef f(text):\n    return parsed(text)\n",
        helper="import json\n\ndef parsed(text):\n    return json.loads(text)\n",
    )
    assert told(called).startswith("plugins/helper.py:4: plugins.mine:f: raised JSONDecodeError for document 'd' v1: ")


def test_an_option_that_is_not_taken_names_the_nearest(plugins_in):
    plugins_in(mine="def f(text, *, width=1, deep=2):\n    return [width, deep]\n")
    assert called(width=7) == [7, 2]
    assert told(called, widht=7) == (
        "plugins/mine.py:1: plugins.mine:f: takes no option 'widht': did you mean 'width'? valid: deep, width"
    )
    plugins_in(mine="def f(text, **options):\n    return sorted(options)\n")
    assert called(b=1, a=2) == ["a", "b"]
    plugins_in(mine="def f(query, candidates, top_k, budget, width=1):\n    return []\n")
    assert "takes no option 'query': valid: width" in told(called, role="selector", query=1)


@pytest.mark.parametrize(
    ("signature", "role", "named"),
    [
        ("text, /, width=1", "chunker", {}),
        ("*given, width=1", "chunker", {}),
        ("query, *rest, width=1", "scorer", {}),
        ("query, candidates, /, budget, top_k, width=1", "selector", {"budget": None, "top_k": 2}),
        ("*given, width=1, **limits", "selector", {"budget": None, "top_k": 2}),
    ],
)
def test_an_option_is_found_however_the_places_are_taken(plugins_in, signature, role, named):
    plugins_in(mine=f"def f({signature}):\n    return [width]\n")
    assert Plugin("plugins.mine:f", role, {"width": 7}).items("x", *plugins.ROLES[role][0], **named) == [7]


def test_a_limit_is_no_option_of_a_selector_that_takes_anything(plugins_in):
    plugins_in(mine="def f(query, candidates, **more):\n    return []\n")
    assert "takes no option 'budget': valid: none" in told(called, role="selector", budget=1)


def test_what_a_plugin_prints_is_no_output_of_the_command(plugins_in, capsys):
    plugins_in(mine="print('here')\ndef f(text):\n    print(text)\n    yield 1\n    print('last')\n")
    assert called() == [1]
    assert capsys.readouterr() == ("", "here\n" + "abc\nlast\n" * 2)


def test_values_and_errors_that_cannot_be_shown(plugins_in):
    plugins_in(
        mine="""
            class Odd(Exception):
                def __repr__(self):
                    raise ValueError
                __str__ = __repr__
                def __eq__(self, other):
                    return True
            def f(query, passages):
                return [Odd()]
            def g(query, passages):
                raise Odd
            def h(query, passages):
                return [[1] * 1000]
        """
    )

    def numbers(name):
        return told(lambda: Plugin(f"plugins.mine:{name}", "scorer", {}).numbers("query 'q'", 1, "?", ("a",)))

    assert numbers("f").endswith(
        "expected a finite number for passage 0 of query 'q', found a Odd that cannot be shown"
    )
    assert numbers("g").endswith(
        "plugins/mine.py:11: plugins.mine:g: raised Odd for query 'q': a Odd that cannot be shown"
    )
    assert len(numbers("h")) < 200


def test_the_first_call_is_made_twice(plugins_in):
    plugins_in(mine="calls = []\ndef f(text):\n    calls.append(text)\n    return [len(calls)]\n")
    assert told(called) == (
        "plugins/mine.py:2: plugins.mine:f: returns other values when it is called again for document 'd' v1: [1], then [2]"
    )
    plugins_in(mine="calls = []\ndef f(text):\n    calls.append(text)\n    return list(calls[-1])\n")
    plugin = Plugin("plugins.mine:f", "chunker", {})
    assert [plugin.items("x", text) for text in ("a", "b", "c")] == [["a"], ["b"], ["c"]]
    assert sys.modules["plugins.mine"].calls == ["a", "a", "b", "c"]


def test_a_plugin_cannot_change_the_options_of_the_setting(plugins_in):
    plugins_in(mine="def f(text, words):\n    words.append(text)\n    return list(words)\n")
    options = {"words": ["w"]}
    plugin = Plugin("plugins.mine:f", "chunker", options)
    assert plugin.items("x", "a") == plugin.items("x", "a") == ["w", "a"]
    assert options == {"words": ["w"]}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("[1]", "expected one number for each of 2 passages of query 'q', found 1"),
        ("[1, 2, 3]", "expected one number for each of 2 passages of query 'q', found 3"),
        ("[1, float('nan')]", "expected a finite number for passage 1 of query 'q', found nan"),
        ("[float('-inf'), 1]", "expected a finite number for passage 0 of query 'q', found -inf"),
        ("[1, '2']", "expected a finite number for passage 1 of query 'q', found '2'"),
        ("[1, True]", "expected a finite number for passage 1 of query 'q', found True"),
        ("[1, 10**400]", "expected a finite number for passage 1 of query 'q', found 1000"),
        ("[1, 2j]", "expected a finite number for passage 1 of query 'q', found 2j"),
    ],
)
def test_numbers_are_checked(plugins_in, returned, message):
    plugins_in(mine=f"def f(query, passages):\n    return {returned}\n")
    plugin = Plugin("plugins.mine:f", "scorer", {})
    assert message in told(plugin.numbers, "query 'q'", 2, "text", ("a", "b"))


def test_numbers_of_any_library_become_floats_without_a_negative_zero(plugins_in):
    plugins_in(
        mine="""
            from fractions import Fraction
            import numpy as np
            def f(query, passages):
                return (-0.0, 3, np.float32(0.5), Fraction(1, 4))
            def g(query, passages):
                return np.array([1.0, 2.0])
        """
    )
    found = Plugin("plugins.mine:f", "scorer", {}).numbers("query 'q'", 4, "text", ("a",) * 4)
    assert found == [0.0, 3.0, 0.5, 0.25]
    assert [repr(number) for number in found] == ["0.0", "3.0", "0.5", "0.25"]
    assert Plugin("plugins.mine:g", "scorer", {}).numbers("query 'q'", 2, "text", ("a",) * 2) == [1.0, 2.0]


def test_byte_code_is_no_part_of_a_folder(tmp_path):
    for name in ("a.py", "__pycache__/a.cpython-311.pyc", "b.pyc", "sub/__pycache__/c.txt", "sub/d.txt", ".hidden"):
        files.write(tmp_path / name, b"")
    assert [path.relative_to(tmp_path).as_posix() for path in files.below(tmp_path)] == ["a.py", "sub/d.txt"]
