"""Messages about values that break a schema, and the defaults that schemas hold."""

import datetime

import pytest

from spanledger.engine import schema


def told(value, part):
    return list(schema.problems(value, "params", part))


WINDOW = {"method": "window", "chunk_size": 9}


@pytest.mark.parametrize(
    ("part", "value", "expected"),
    [
        ("chunk", WINDOW, []),
        ("chunk", {"method": "paragraph"}, []),
        ("chunk", {**WINDOW, "chunk_size": "9"}, [("chunk_size", 'expected a whole number, found "9"')]),
        ("chunk", {**WINDOW, "chunk_size": True}, [("chunk_size", "expected a whole number, found true")]),
        ("chunk", {**WINDOW, "chunk_size": 9.5}, [("chunk_size", "expected a whole number, found 9.5")]),
        ("chunk", {**WINDOW, "chunk_size": 0}, [("chunk_size", "expected at least 1, found 0")]),
        (
            "chunk",
            {**WINDOW, "chunksize": 1},
            [
                (
                    "chunksize",
                    "unknown key: did you mean 'chunk_size'? valid: chunk_overlap, chunk_size, method, tail, unit",
                )
            ],
        ),
        (
            "chunk",
            {"method": "windw"},
            [("method", "unknown value 'windw': did you mean 'window'? valid: document, paragraph, window")],
        ),
        ("chunk", {"method": 3}, [("method", 'expected one of "window", "paragraph", "document", found 3')]),
        ("chunk", {}, [("", "lacks method")]),
        ("chunk", {"method": "window"}, [("", "lacks chunk_size")]),
        ("chunk", {"method": "paragraph", "chunk_size": 9}, [("chunk_size", "unknown key: valid: method")]),
        ("chunk", None, [("", "expected a mapping, found null")]),
        ("retrieve", {}, [("", "lacks index, scorer")]),
        (
            "retrieve",
            {"index": "i", "scorer": "bm25", "b": 1.5, "k1": -1, "depth": "all"},
            [
                ("b", "expected at most 1, found 1.5"),
                ("depth", 'expected a whole number or null, found "all"'),
                ("k1", "expected at least 0, found -1"),
            ],
        ),
        (
            "retrieve",
            {"index": "i", "scorer": "term_overlap", "k1": 1},
            [("k1", "unknown key: valid: depth, index, scorer, tie")],
        ),
        ("fuse", {"branches": []}, [("branches", "must not be empty, found []")]),
        (
            "fuse",
            {"branches": ["a", 3]},
            [("branches", 'expected at most 1 entry, found ["a", 3]'), ("branches[1]", "expected a string, found 3")],
        ),
        ("eligibility", {"visibility": ["a", "a"]}, [("visibility", 'an entry stands twice, found ["a", "a"]')]),
        ("select", {}, [("", "expected top_k or budget")]),
        ("select", {"unit": "char", "top_k": 1}, [("", "'budget' is needed beside 'unit'")]),
        ("normalise", {"unicode": "nfc"}, [("unicode", "unknown value 'nfc': valid: NFC, NFD, NFKC, NFKD, keep")]),
        (
            "score",
            {"coverage": {"rule": "spam"}},
            [("coverage.rule", "unknown value 'spam': did you mean 'span'? valid: span")],
        ),
        (
            "chunk_section",
            {"a b": WINDOW, "ok\n": WINDOW},
            [
                ("", 'expected letters, digits, _ and - (in an arm\'s name + too), found "a b"'),
                ("", 'expected letters, digits, _ and - (in an arm\'s name + too), found "ok\\n"'),
            ],
        ),
    ],
)
def test_messages(part, value, expected):
    assert told(value, part) == expected


ARM = {"name": "a", "chunk": "c", "eligibility": "e", "fuse": "f", "select": "s"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("grid", []),
        ([ARM, {**ARM, "name": "a+b"}], []),
        ("gird", [("", 'expected "grid", found "gird"'), ("", 'expected a list, found "gird"')]),
        ([], [("", "must not be empty, found []")]),
        (
            [{**ARM, "chunk": 3}, {"name": "a", "fuse": None}],
            [
                ("[0].chunk", "expected a string, found 3"),
                ("[1]", "lacks chunk, eligibility, select"),
                ("[1].fuse", "expected a string, found null"),
            ],
        ),
        (
            [{**ARM, "name": "a/b"}],
            [("[0].name", 'expected letters, digits, _ and - (in an arm\'s name + too), found "a/b"')],
        ),
    ],
)
def test_of_alternatives_the_one_that_the_value_has_the_type_for_speaks(value, expected):
    assert told(value, "arms") == expected


def test_all_problems_are_told_in_the_order_of_their_fields():
    value = {"method": "window", "tail": "x", "chunk_size": -1, "zzz": 0, "chunk_overlap": None}
    assert [field for field, _ in told(value, "chunk")] == ["chunk_overlap", "chunk_size", "tail", "zzz"]


def test_a_value_is_shown_as_json_and_shortened():
    assert schema.shown({"a": [1, None, "é"]}) == '{"a": [1, null, "é"]}'
    assert schema.shown("x" * 99) == '"' + "x" * 56 + "..."
    assert len(schema.shown(list(range(99)))) == 60
    assert schema.shown(datetime.date(2020, 1, 31)) == '"2020-01-31"'
    assert schema.shown({datetime.date(2020, 1, 31): 1, (1, 2): 2}).startswith("{datetime.date(2020, 1, 31): 1")


def test_defaults_are_filled_in_at_every_depth_in_the_schema_s_order():
    assert schema.defaults({}, "params", "score") == {
        "coverage": {"rule": "span"},
        "cost": {"unit": "char"},
        "trail": None,
    }
    assert schema.defaults({"trail": 3, "cost": {"unit": "word"}}, "params", "score") == {
        "coverage": {"rule": "span"},
        "cost": {"unit": "word"},
        "trail": 3,
    }
    filled = schema.defaults({"k1": 0.9, "scorer": "bm25", "index": "i"}, "params", "retrieve_bm25")
    assert list(filled.items()) == [
        *(("scorer", "bm25"), ("index", "i"), ("k1", 0.9), ("b", 0.75), ("depth", None), ("tie", "document")),
    ]


def test_a_whole_number_is_an_int_however_it_is_written():
    filled = schema.defaults({"method": "window", "chunk_size": 120.0}, "params", "chunk_window")
    assert filled["chunk_size"] == 120 and type(filled["chunk_size"]) is int
    filled = schema.defaults({"k1": 1.0, "depth": 5.0}, "params", "retrieve_bm25")
    assert (type(filled["k1"]), type(filled["depth"])) == (float, int)


def test_every_key_of_params_has_a_description():
    def undescribed(rule, place):
        for key, inner in rule.get("properties", {}).items():
            if inner and "$ref" not in inner and "description" not in inner:
                yield f"{place}.{key}"
            yield from undescribed(inner, f"{place}.{key}")

    definitions = schema.load("params")["$defs"]
    assert [name for name, rule in definitions.items() if "description" not in rule] == []
    assert [place for name, rule in definitions.items() for place in undescribed(rule, name)] == []
