"""Messages about values that break a schema, and the defaults that schemas hold."""

import datetime

import pytest

from spanledger.engine import schema


def told(value, part):
    return list(schema.problems(value, "params", part))


WINDOW = {"method": "window", "chunk_size": 9}
SENTENCE_KEYS = "unknown key: did you mean 'chunk_size'? valid: chunk_size, method, unit"
SHARE = {"rule": "token_share", "at_least": "0.6", "analyzer": "cjk_bigrams"}
SHARE_EXPECTED = 'expected a decimal from 0 to 1 in quotes, as "0.6"'


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
                    "unknown key: did you mean 'chunk_size'? "
                    "valid: chunk_overlap, chunk_size, group_by, method, tail, unit",
                )
            ],
        ),
        (
            "chunk",
            {"method": "windw"},
            [
                (
                    "method",
                    "unknown value 'windw': did you mean 'window'? "
                    "valid: aggregate, chonkie, document, langchain, paragraph, plugins.MODULE:FUNCTION, recursive, "
                    "semchunk, sentence, structured, window",
                )
            ],
        ),
        (
            "chunk",
            {"method": 3},
            [
                (
                    "method",
                    'expected one of "window", "paragraph", "aggregate", "sentence", "recursive", "structured", '
                    '"document", "langchain", "chonkie", "semchunk", "plugins.MODULE:FUNCTION", found 3',
                )
            ],
        ),
        ("chunk", {}, [("", "lacks method")]),
        ("chunk", {"chunk_size": "many", "tail": 1}, [("", "lacks method")]),  # without it nothing else can be said
        ("chunk", {"method": "aggregate"}, [("", "lacks chunk_size")]),
        ("chunk", {"method": "structured"}, [("", "lacks chunk_size")]),
        ("chunk", {"method": "sentence"}, []),
        ("chunk", {"method": "sentence", "chunk_size": None}, []),
        ("chunk", {"method": "sentence", "chunk_overlap": 2}, [("chunk_overlap", SENTENCE_KEYS)]),
        ("chunk", {"method": "aggregate", "chunk_size": 9, "chunk_overlap": 2}, [("chunk_overlap", SENTENCE_KEYS)]),
        ("chunk", {"method": "paragraph", "chunk_size": 0}, [("chunk_size", "expected at least 1, found 0")]),
        (
            "chunk",
            {**WINDOW, "group_by": ["acl"]},
            [("group_by", 'expected one of ["document"], ["document", "acl"], found ["acl"]')],
        ),
        ("chunk", {"method": "window"}, [("", "lacks chunk_size")]),
        ("chunk", {"method": "document", "chunk_size": 9}, [("chunk_size", "unknown key: valid: method")]),
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
            [("k1", "unknown key: valid: depth, expand, index, keep_zero, repeat_query_terms, scorer, tie")],
        ),
        (
            "retrieve",
            {"index": "i", "scorer": "bm25", "expand": True, "keep_zero": 1, "repeat_query_terms": None},
            [
                ("expand", 'expected one of null, "synonym_groups", found true'),
                ("keep_zero", "expected true or false, found 1"),
                ("repeat_query_terms", "expected true or false, found null"),
            ],
        ),
        ("index", {"analyzer": "ascii_words", "revision": ""}, [("revision", 'must not be empty, found ""')]),
        ("fuse", {"branches": []}, [("branches", "must not be empty, found []")]),
        (
            "fuse",
            {"branches": ["a", 3]},
            [("branches", 'expected at most 1 entry, found ["a", 3]'), ("branches[1]", "expected a string, found 3")],
        ),
        ("fuse", {"branches": ["a"]}, []),
        ("fuse", {"branches": ["a", "b"], "method": "rrf", "k": 0}, []),
        ("fuse", {"branches": ["a", "b"]}, [("branches", 'expected at most 1 entry, found ["a", "b"]')]),
        ("fuse", {"branches": ["a"], "method": "rrf"}, [("branches", 'expected at least 2, found ["a"]')]),
        ("fuse", {"branches": ["a", "a"], "method": "rrf"}, [("branches", 'an entry stands twice, found ["a", "a"]')]),
        ("fuse", {"branches": ["a", "b"], "method": "rrf", "k": -1}, [("k", "expected at least 0, found -1")]),
        ("fuse", {"branches": ["a"], "k": 60}, [("k", "unknown key: valid: branches, method, rerank")]),
        (
            "fuse",
            {"branches": ["a", "b"], "method": "rff", "k": 60},
            [("method", "unknown value 'rff': did you mean 'rrf'? valid: rrf, single")],
        ),
        ("fuse", {"branches": ["a"], "rerank": {}}, [("rerank", "lacks method")]),
        (
            "fuse",
            {"branches": ["a"], "rerank": {"method": "model"}},
            [("rerank.method", "unknown value 'model': valid: plugins.MODULE:FUNCTION, rule")],
        ),
        (
            "fuse",
            {"branches": ["a"], "rerank": {"method": "rule", "weights": {"query": 2, "number": "1"}}},
            [
                ("rerank.weights.number", 'expected a number, found "1"'),
                (
                    "rerank.weights.query",
                    "unknown key: did you mean 'query_term'? "
                    "valid: constraint, identifier, navigation, number, query_term",
                ),
            ],
        ),
        ("eligibility", {"visibility": ["a", "a"]}, [("visibility", 'an entry stands twice, found ["a", "a"]')]),
        ("select", {}, [("", "expected top_k or budget")]),
        ("select", {"top_k": 1, "mmr": {"analyzer": "ascii_words"}}, [("mmr", "lacks weight")]),
        ("select", {"top_k": 1, "mmr": {"weight": 1.5}}, [("mmr.weight", "expected at most 1, found 1.5")]),
        ("select", {"top_k": 1, "mmr": 0.5}, [("mmr", "expected a mapping or null, found 0.5")]),
        (
            "select",
            {"top_k": 1, "merge": "yes", "redundancy": "none", "parent": 3},
            [
                ("merge", 'expected true or false, found "yes"'),
                ("parent", "expected a string or null, found 3"),
                ("redundancy", "unknown value 'none': valid: drop, keep"),
            ],
        ),
        ("normalise", {"unicode": "nfc"}, [("unicode", "unknown value 'nfc': valid: NFC, NFD, NFKC, NFKD, keep")]),
        (
            "score",
            {"coverage": {"rule": "spam"}},
            [("coverage.rule", "unknown value 'spam': did you mean 'span'? valid: one_chunk, span, token_share")],
        ),
        ("score", {"coverage": {"rule": "token_share"}}, [("coverage", "lacks analyzer, at_least")]),
        ("score", {"coverage": {**SHARE, "at_least": "1.0"}}, []),
        (
            "score",
            {"coverage": {**SHARE, "at_least": "1.2"}},
            [("coverage.at_least", f'{SHARE_EXPECTED}, found "1.2"')],
        ),
        ("score", {"coverage": {**SHARE, "at_least": ".6"}}, [("coverage.at_least", f'{SHARE_EXPECTED}, found ".6"')]),
        ("score", {"coverage": {**SHARE, "at_least": 0.6}}, [("coverage.at_least", f"{SHARE_EXPECTED}, found 0.6")]),
        (
            "score",
            {"coverage": {**SHARE, "within": "all"}},
            [("coverage.within", "unknown value 'all': valid: one_chunk")],
        ),
        (
            "score",
            {"coverage": {"rule": "one_chunk", "at_least": "0.6"}},
            [("coverage.at_least", "unknown key: valid: rule")],
        ),
        ("score", {"coverage": {"at_least": "0.6"}}, [("coverage.at_least", "unknown key: valid: rule")]),
        (
            "score",
            {"cutoffs": [0, 3, 3], "cost": {"text": "title"}},
            [
                ("cost.text", "unknown value 'title': valid: body, retrieval"),
                ("cutoffs", "an entry stands twice, found [0, 3, 3]"),
                ("cutoffs[0]", "expected at least 1, found 0"),
            ],
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
    measures = {
        "span_metrics": ["char_precision", "char_recall", "char_iou", "char_recall_candidates", "precision_omega"],
        "document_metrics": ["nDCG@10", "R@100", "P@10", "AP", "RR"],
    }
    assert schema.defaults({}, "params", "score") == {
        "coverage": {},  # whose defaults are those of its rule
        "cost": {"unit": "char", "text": "body"},
        "trail": None,
        "random_orders": 20,
        "cutoffs": [1],
        **measures,
    }
    assert schema.defaults({"trail": 3, "cost": {"unit": "word"}}, "params", "score") == {
        "coverage": {},
        "cost": {"unit": "word", "text": "body"},
        "trail": 3,
        "random_orders": 20,
        "cutoffs": [1],
        **measures,
    }
    assert schema.defaults({}, "params", "coverage_span") == {"rule": "span"}
    assert schema.defaults(SHARE, "params", "coverage_token_share") == {**SHARE, "within": "one_chunk"}
    rerank = schema.defaults({"method": "rule", "weights": {"number": 3}}, "params", "rerank_rule")
    assert rerank["weights"] == {
        "query_term": 1,
        "identifier": 4,
        "number": 3,
        "constraint": 1,
        "navigation": -4,
    }
    assert schema.defaults({"branches": ["a"]}, "params", "fuse_single") == {
        "branches": ["a"],
        "method": "single",
        "rerank": None,
    }
    filled = schema.defaults({"k1": 0.9, "scorer": "bm25", "index": "i"}, "params", "retrieve_bm25")
    assert list(filled.items()) == [
        *(("scorer", "bm25"), ("index", "i"), ("k1", 0.9), ("b", 0.75), ("depth", None), ("tie", "document")),
        *(("keep_zero", False), ("repeat_query_terms", False), ("expand", None)),
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
