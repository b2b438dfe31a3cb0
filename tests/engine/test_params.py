"""params.yaml: what is inherited, what is filled in, and every kind of fault with its place."""

import copy
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.errors import InputError
from spanledger.engine import params, plan

TEXT = """
experiments:
  trial: {dataset: folder}
trial:
  normalise: {newlines: lf}
  chunk:
    fixed: {method: window, chunk_size: 120}
    whole: {method: document}
  eligibility:
    all: {}
    current: {versions: current}
  index:
    words: {analyzer: ascii_words}
  retrieve:
    shared: {index: words, scorer: term_overlap}
    ranked: {index: words, scorer: bm25, k1: 0.9}
  fuse:
    first: {branches: [shared]}
    second: {branches: [ranked]}
  select:
    top2: {top_k: 2}
    short: {budget: 240}
  score: {}
  report: {}
  arms: grid
"""


PLAIN_SELECT = {
    **{"method": "walk", "redundancy": "keep", "mmr": None, "parent": None, "merge": False},
    **{"separator": None, "template": None, "header": None, "footer": None},
}


@pytest.fixture
def parse(tmp_path):
    def parsed(text):
        (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
        return params.yaml12.read(tmp_path / "params.yaml")

    return parsed


@pytest.fixture
def raw(parse):
    return parse(TEXT)


def faults(value):
    """(field, message) of every problem."""
    with pytest.raises(InputError) as caught:
        params.resolve(value)
    assert {problem.file for problem in caught.value.problems} == {"params.yaml"}
    return [(problem.field, problem.message) for problem in caught.value.problems]


def test_every_setting_ends_up_with_all_of_its_values(raw):
    assert params.resolve(raw) == {
        "experiments": {"trial": {"dataset": "folder"}},
        "trial": {
            "normalise": {"newlines": "lf", "bom": "keep", "zero_width": "keep", "unicode": "keep", "holdout": None},
            "chunk": {
                "fixed": {
                    "method": "window",
                    "unit": "char",
                    "chunk_size": 120,
                    "chunk_overlap": 0,
                    "tail": "drop",
                    "group_by": ["document"],
                },
                "whole": {"method": "document"},
            },
            "eligibility": {
                "all": {"versions": "all", "visibility": None, "acl": "ignore"},
                "current": {"versions": "current", "visibility": None, "acl": "ignore"},
            },
            "index": {"words": {"analyzer": "ascii_words", "revision": "1"}},
            "retrieve": {
                "shared": {
                    "scorer": "term_overlap",
                    "index": "words",
                    "depth": None,
                    "tie": "document",
                    "keep_zero": False,
                    "repeat_query_terms": False,
                    "expand": None,
                },
                "ranked": {
                    "scorer": "bm25",
                    "index": "words",
                    "k1": 0.9,
                    "b": 0.75,
                    "depth": None,
                    "tie": "document",
                    "keep_zero": False,
                    "repeat_query_terms": False,
                    "expand": None,
                },
            },
            "fuse": {
                "first": {"branches": ["shared"], "method": "single", "rerank": None},
                "second": {"branches": ["ranked"], "method": "single", "rerank": None},
            },
            "select": {
                "top2": {"top_k": 2, "budget": None, "unit": None, **PLAIN_SELECT},
                "short": {"top_k": None, "budget": 240, "unit": "char", **PLAIN_SELECT},
            },
            "score": {
                "coverage": {"rule": "span"},
                "cost": {"unit": "char", "text": "body"},
                "trail": None,
                "random_orders": 20,
                "cutoffs": [1],
                "span_metrics": [
                    *("char_precision", "char_recall", "char_iou", "char_recall_candidates", "precision_omega")
                ],
                "document_metrics": ["nDCG@10", "R@100", "P@10", "AP", "RR"],
            },
            "report": {"primary": {"metric": "macro_recall"}},
            "arms": "grid",
            "gates": [],
        },
    }


def test_what_is_resolved_resolves_to_itself_and_the_input_stays_as_it_was(raw):
    before = copy.deepcopy(raw)
    resolved = params.resolve(raw)
    assert raw == before
    assert params.resolve(resolved) == resolved


def in_order(value):
    """The bytes of a value, mappings in the order in which they stand."""
    return json.dumps(value, ensure_ascii=False).encode()


def reordered(value, draw):
    """The value with every mapping in it in an order that is drawn; lists as they are."""
    if isinstance(value, dict):
        return {key: reordered(value[key], draw) for key in draw(st.permutations(list(value)))}
    return [reordered(item, draw) for item in value] if isinstance(value, list) else value


MANY = {
    "experiments": {"trial": {"dataset": "folder"}, "other": {"dataset": "folder"}},
    "trial": {
        "normalise": {"newlines": "lf", "unicode": "NFC"},
        "chunk": {
            "defaults": {"method": "window", "unit": "word"},
            "w8": {"chunk_size": 8},
            "w9": {"chunk_size": 9},
            "w10": {"chunk_size": 10, "chunk_overlap": 1},
        },
        "eligibility": {"all": {}, "current": {"versions": "current", "acl": "asker"}},
        "index": {"words": {"analyzer": "ascii_words"}, "pairs": {"analyzer": "cjk_bigrams"}},
        "retrieve": {
            "defaults": {"scorer": "bm25", "k1": 1},
            "shared": {"index": "words"},
            "ranked": {"index": "pairs", "b": 0.5},
        },
        "fuse": {
            "one": {"branches": ["shared"], "rerank": {"method": "rule", "weights": {"number": 2, "identifier": 3}}},
            "both": {"branches": ["shared", "ranked"], "method": "rrf", "k": 10},
        },
        "select": {"top10": {"top_k": 10, "mmr": {"weight": 1, "analyzer": "lexical_terms"}}, "top9": {"top_k": 9}},
        "score": {"cost": {"unit": "word", "text": "body"}, "coverage": {"rule": "one_chunk"}, "cutoffs": [3, 1]},
        "report": {"primary": {"metric": "mrr"}},
        "arms": "grid",
    },
}
MANY["other"] = {
    **MANY["trial"],
    "arms": [
        {"name": name, "chunk": chunk, "eligibility": eligibility, "fuse": fuse, "select": select}
        for name, chunk, eligibility, fuse, select in (
            ("z", "w8", "all", "one", "top10"),
            ("y", "w9", "current", "both", "top9"),
            ("x", "w10", "all", "one", "top9"),
        )
    ],
}


@given(st.data())
def test_the_order_of_names_in_the_file_changes_nothing(data):
    """Nor that of a section's parts, of defaults, or of the keys of a setting: DVC sees none of them. The entries of a
    list of arms keep theirs, which nothing reads."""
    shuffled = {name: reordered(section, data.draw) for name, section in MANY.items()}
    found, expected = params.resolve(shuffled), params.resolve(MANY)
    assert found == expected
    for name in MANY["experiments"]:
        mine, wanted = found[name], expected[name]
        assert list(mine) == list(wanted)
        assert [in_order(mine[part]) for part in mine if part != "arms"] == [
            in_order(wanted[part]) for part in wanted if part != "arms"
        ]
        assert plan.arms(mine) == plan.arms(wanted)


def test_names_that_differ_in_leading_zeros_alone_have_an_order_of_their_own(raw):
    found = set()
    for names in (["w8", "w08"], ["w08", "w8"]):
        raw["trial"]["chunk"] = {name: {"method": "document"} for name in names}
        found.add(tuple(params.resolve(raw)["trial"]["chunk"]))
    assert len(found) == 1


def test_names_stand_in_their_natural_order_and_lists_in_that_of_the_file(raw):
    names = ["window128", "window128_overlap25", "window256", "window1024"]  # by code point, 1024 would be the first
    for given_order in itertools.permutations(names):
        raw["trial"]["chunk"] = {name: {"method": "document"} for name in given_order}
        resolved = params.resolve(raw)["trial"]
        assert list(resolved["chunk"]) == names
        assert list(dict.fromkeys(arm.chunk for arm in plan.arms(resolved))) == names
    resolved = params.resolve(MANY)["other"]
    assert [arm["name"] for arm in resolved["arms"]] == ["z", "y", "x"]
    assert resolved["fuse"]["both"]["branches"] == ["shared", "ranked"]


@pytest.mark.parametrize(("whole", "point"), [("1", "1.0"), ("0", "0.0"), ("60", "6e1")])
def test_a_number_is_the_same_with_and_without_a_point(parse, whole, point):
    """1 and 1.0 are equal to DVC, and would not be to a checksum."""
    one, other = (params.resolve(parse(TEXT.replace("k1: 0.9", f"k1: {text}"))) for text in (whole, point))
    assert in_order(one) == in_order(other)
    found = one["trial"]["retrieve"]["ranked"]["k1"]
    assert found == float(whole) and type(found) is float


def test_load_reads_yaml_1_2_and_names_the_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT.replace("k1: 0.9", "k1: 1e-3").replace("chunk_size: 120", "chunk_size: 010"))
    section = params.load(path)["trial"]
    assert section["retrieve"]["ranked"]["k1"] == 0.001
    assert section["chunk"]["fixed"]["chunk_size"] == 10
    path.write_text(TEXT.replace("newlines: lf", "newlines: yes"))
    with pytest.raises(InputError) as caught:
        params.load(path)
    assert str(caught.value) == (
        f"1 problem found:\n  {path}: trial.normalise.newlines: unknown value 'yes': valid: keep, lf"
    )
    path.write_text(TEXT.replace("    all: {}\n", "    current: {}\n"))
    with pytest.raises(InputError, match='found duplicate key "current"'):
        params.load(path)
    with pytest.raises(InputError, match="no such file"):
        params.load(tmp_path / "none.yaml")


def test_a_whole_number_may_be_written_with_a_point_and_is_one(raw):
    raw["trial"]["chunk"]["fixed"]["chunk_size"] = 120.0
    found = params.resolve(raw)["trial"]["chunk"]["fixed"]["chunk_size"]
    assert found == 120 and type(found) is int


def test_defaults_are_inherited_and_a_setting_s_own_value_wins(raw):
    raw["trial"]["chunk"] = {
        "defaults": {"method": "window", "chunk_size": 90, "chunk_overlap": 30, "unit": "word"},
        "one": {},
        "two": {"chunk_overlap": 0, "unit": "char"},
        "whole": {"method": "document"},  # takes nothing of all that
    }
    plain = {"method": "window", "unit": "word", "chunk_size": 90, "chunk_overlap": 30, "tail": "drop"}
    plain["group_by"] = ["document"]
    assert params.resolve(raw)["trial"]["chunk"] == {
        "one": plain,
        "two": {**plain, "unit": "char", "chunk_overlap": 0},
        "whole": {"method": "document"},
    }


def test_one_line_of_defaults_varies_every_setting(raw):
    raw["trial"]["retrieve"]["defaults"] = {"depth": 4, "b": 0.4}
    found = params.resolve(raw)["trial"]["retrieve"]
    assert [(found[name]["depth"], found[name].get("b")) for name in ("shared", "ranked")] == [(4, None), (4, 0.4)]


def test_a_default_that_no_setting_takes_is_told(raw):
    raw["trial"]["chunk"] = {"defaults": {"chunksize": 9, "tail": "keep"}, "whole": {"method": "document"}}
    assert faults(raw) == [
        (
            "trial.chunk.defaults.chunksize",
            "no setting takes this key: did you mean 'chunk_size'? "
            "valid: chunk_overlap, chunk_size, chunker, group_by, method, options, separators, splitter, tail, unit, "
            "version",
        ),
        ("trial.chunk.defaults.tail", "no setting takes this key"),
    ]


def test_a_setting_of_no_known_method_does_not_make_its_defaults_faults_too(raw):
    raw["trial"]["chunk"] = {"defaults": {"chunk_size": 9}, "one": {"method": "windw"}, "two": {}}
    assert faults(raw) == [
        (
            "trial.chunk.one.method",
            "unknown value 'windw': did you mean 'window'? "
            "valid: aggregate, chonkie, document, langchain, paragraph, plugins.MODULE:FUNCTION, recursive, semchunk, "
            "sentence, structured, window",
        ),
        ("trial.chunk.two", "lacks method"),
    ]


def test_a_bad_value_in_defaults_is_told_at_each_setting_that_takes_it(raw):
    raw["trial"]["select"]["defaults"] = {"top_k": 0}
    assert [field for field, _ in faults(raw)] == ["trial.select.short.top_k"]  # top2 has a top_k of its own
    raw["trial"]["select"]["defaults"] = 3
    assert faults(raw) == [("trial.select.defaults", "expected a mapping, found 3")]


@pytest.mark.parametrize(
    ("part", "change", "expected"),
    [
        (
            "chunk",
            {"fixed": {"method": "window", "chunk_size": 9, "chunk_overlap": 9}},
            [("chunk.fixed.chunk_overlap", "must be below chunk_size (9), found 9")],
        ),
        (
            "chunk",
            {"fixed": {"method": "window", "chunk_size": 9, "chunk_overlap": 10}},
            [("chunk.fixed.chunk_overlap", "must be below chunk_size (9), found 10")],
        ),
        (
            "chunk",
            {"fixed": {"method": "window", "chunk_size": 9, "chunk_overlap": -1}},
            [("chunk.fixed.chunk_overlap", "expected at least 0, found -1")],
        ),
        (
            "chunk",
            {"fixed": {"method": "window", "chunk_size": 0}},
            [("chunk.fixed.chunk_size", "expected at least 1, found 0")],
        ),
        ("chunk", {"fixed": None}, [("chunk.fixed", "expected a mapping, found null")]),
        ("chunk", None, [("chunk", "expected a mapping, found null")]),
        ("chunk", {1: {"method": "document"}}, [("chunk", "expected a string, found 1")]),
        (
            "retrieve",
            {"shared": {"index": "word", "scorer": "term_overlap"}},
            [("retrieve.shared.index", "no setting is called 'word': did you mean 'words'? valid: words")],
        ),
        (
            "fuse",
            {"first": {"branches": ["share"]}},
            [
                (
                    "fuse.first.branches[0]",
                    "no setting is called 'share': did you mean 'shared'? valid: ranked, shared",
                ),
                ("retrieve.shared", "no arm uses this setting"),
            ],
        ),
        (
            "index",
            {"pairs": {"analyzer": "cjk_bigrams"}},
            [("index.pairs", "no arm uses this setting")],
        ),
        ("fuse", {"second": {"branches": ["shared"]}}, [("retrieve.ranked", "no arm uses this setting")]),
        ("select", {"top2": {"top_k": None}}, [("select.top2", "expected a number for top_k or budget")]),
        (
            "select",
            {"top2": {"top_k": 2, "budget": None, "unit": "char"}},
            [("select.top2.unit", "counts the budget, and there is none")],
        ),
        (
            "eligibility",
            {"all": {"versions": "curent"}},
            [
                (
                    "eligibility.all.versions",
                    "unknown value 'curent': did you mean 'current'? valid: all, asked, current",
                )
            ],
        ),
        (
            "retrieve",
            {"shared": {"index": "words", "scorer": "bm25", "k1": float("inf")}},
            [("retrieve.shared.k1", "expected a finite number, found Infinity")],
        ),
        (
            "retrieve",
            {"shared": {"index": "words", "scorer": "bm25", "b": float("nan")}},
            [("retrieve.shared.b", "expected a finite number, found NaN")],
        ),
        (
            "retrieve",
            {"shared": {"index": "words", "scorer": "bm25", "depth": 2**63}},
            [("retrieve.shared.depth", "expected a number below 2**63, found 9223372036854775808")],
        ),
        (
            "score",
            {"cost": {"unit": "token"}},
            [
                (
                    "score.cost.unit",
                    "expected char, word, lexical, byte, or a tokenizer: tiktoken/cl100k_base, or tokenizer/NAME for the "
                    'file tokenizers/NAME.json; or analyzer, found "token"',
                )
            ],
        ),
        (
            "score",
            {"cost": {"unit": "tokenizer/mine"}},
            [("score.cost.unit", "unit 'tokenizer/mine': expected the file tokenizers/mine.json")],
        ),
        (
            "report",
            {"primary": {"metric": "recall"}},
            [
                (
                    "report.primary.metric",
                    "no arms can be compared by 'recall': did you mean 'char_recall'? valid: AP, P@10, R@100, RR, "
                    "char_iou, char_precision, char_recall, char_recall_candidates, complete_rate, macro_recall, "
                    "macro_recall_candidates, macro_recall_index, mrr, nDCG@10, precision_omega",
                )
            ],
        ),
        (
            "score",
            {"document_metrics": ["ndcg@5", "AP", "R"]},
            [
                (
                    "score.document_metrics[0]",
                    "no document-level measure is called 'ndcg@5': did you mean 'nDCG@5'? "
                    "valid: AP@5, P@5, R@5, RR@5, nDCG@5",
                ),
                (
                    "score.document_metrics[2]",
                    "no document-level measure is called 'R': did you mean 'RR'? valid: AP, P@10, R@100, RR, nDCG@10",
                ),
            ],
        ),
        (
            "score",
            {"span_metrics": ["char_recal"]},
            [
                (
                    "score.span_metrics[0]",
                    "unknown value 'char_recal': did you mean 'char_recall'? valid: char_iou, char_precision, "
                    "char_recall, char_recall_candidates, precision_omega, precision_omega_published",
                )
            ],
        ),
        ("arms", "gird", [("arms", 'expected "grid", found "gird"'), ("arms", 'expected a list, found "gird"')]),
    ],
)
def test_faults(raw, part, change, expected):
    section = raw["trial"]
    section[part] = {**section[part], **change} if isinstance(change, dict) else change
    assert faults(raw) == [(f"trial.{field}", message) for field, message in expected]


ARM = {"name": "a", "chunk": "fixed", "eligibility": "all", "fuse": "first", "select": "top2"}


@pytest.mark.parametrize(
    ("part", "change", "expected"),
    [
        (
            "chunk",
            {"fixed": {"method": "paragraph", "chunk_overlap": 8}},
            [("chunk.fixed.chunk_overlap", "needs a chunk_size, found 8")],
        ),
        (
            "chunk",
            {"fixed": {"method": "paragraph", "chunk_size": None, "chunk_overlap": 8}},
            [("chunk.fixed.chunk_overlap", "needs a chunk_size, found 8")],
        ),
        ("chunk", {"fixed": {"method": "paragraph", "chunk_overlap": 0}}, []),
        ("chunk", {"fixed": {"method": "sentence", "chunk_size": 9}}, []),
        (
            "chunk",
            {"fixed": {"method": "structured", "chunk_size": 9, "chunk_overlap": 9}},
            [("chunk.fixed.chunk_overlap", "must be below chunk_size (9), found 9")],
        ),
        (
            "chunk",
            {"fixed": {"method": "paragraph", "chunk_size": 9, "chunk_overlap": 12}},
            [("chunk.fixed.chunk_overlap", "must be below chunk_size (9), found 12")],
        ),
        (
            "select",
            {"top2": {"top_k": 2, "parent": "hole"}},
            [("select.top2.parent", "no setting is called 'hole': did you mean 'whole'? valid: fixed, whole")],
        ),
        (
            "select",
            {"top2": {"top_k": 2, "parent": "whole", "merge": True}},
            [("select.top2.merge", "parent and merge exclude each other")],
        ),
        ("select", {"top2": {"top_k": 2, "parent": "whole", "redundancy": "drop", "mmr": {"weight": 0.5}}}, []),
        ("select", {"top2": {"top_k": 2, "merge": True}}, []),
        (
            "select",
            {"top2": {"top_k": 2, "unit": "char"}},
            [("select.top2.unit", "counts the budget, and there is none")],
        ),
        (
            "fuse",
            {"first": {"branches": ["shared"], "method": "rrf"}},
            [("fuse.first.branches", 'expected at least 2, found ["shared"]')],
        ),
        (
            "fuse",
            {"first": {"branches": ["shared", "ranked"]}},
            [("fuse.first.branches", 'expected at most 1 entry, found ["shared", "ranked"]')],
        ),
        (
            "fuse",
            {"first": {"branches": ["shared", "rankd"], "method": "rrf"}},
            [
                (
                    "fuse.first.branches[1]",
                    "no setting is called 'rankd': did you mean 'ranked'? valid: ranked, shared",
                )
            ],
        ),
        (
            "fuse",
            {"first": {"branches": ["shared"], "rerank": {"method": "rule", "weights": {"navigations": 1}}}},
            [
                (
                    "fuse.first.rerank.weights.navigations",
                    "unknown key: did you mean 'navigation'? "
                    "valid: constraint, identifier, navigation, number, query_term",
                )
            ],
        ),
        (
            "fuse",
            {"first": {"branches": ["shared"], "rerank": {"method": "rule", "weights": {"number": float("nan")}}}},
            [("fuse.first.rerank.weights.number", "expected a finite number, found NaN")],
        ),
        ("score", {"coverage": {"rule": "token_share"}}, [("score.coverage", "lacks analyzer, at_least")]),
        (
            "score",
            {"coverage": {"rule": "token_share", "at_least": 0.6, "analyzer": "ascii_words"}},
            [("score.coverage.at_least", 'expected a decimal from 0 to 1 in quotes, as "0.6", found 0.6')],
        ),
        ("score", {"coverage": {"rule": "one_chunk"}, "cutoffs": [1, 3], "cost": {"unit": "analyzer"}}, []),
    ],
)
def test_faults_of_fusion_selectors_and_rules(raw, part, change, expected):
    section = raw["trial"]
    section[part] = {**section[part], **change}
    if expected:
        assert faults(raw) == [(f"trial.{field}", message) for field, message in expected]
    else:
        params.resolve(raw)


def test_what_is_not_given_of_a_rule_of_coverage_or_a_re_ranker_is_filled_in(raw):
    raw["trial"]["score"] = {"coverage": {"rule": "token_share", "at_least": "0.60", "analyzer": "cjk_bigrams"}}
    raw["trial"]["fuse"]["first"] = {
        "branches": ["shared", "ranked"],
        "method": "rrf",
        "rerank": {"method": "rule", "weights": {"identifier": 2.5}, "navigation_words": []},
    }
    raw["trial"]["select"]["top2"]["mmr"] = {"weight": 1}
    found = params.resolve(raw)["trial"]
    assert found["score"]["coverage"] == {
        "rule": "token_share",
        "at_least": "0.60",  # as it is written: a float would not be exact
        "within": "one_chunk",
        "analyzer": "cjk_bigrams",
    }
    assert found["fuse"]["first"] == {
        "branches": ["shared", "ranked"],
        "method": "rrf",
        "k": 60,
        "tie": "document",
        "rerank": {
            "method": "rule",
            "analyzer": "ascii_words",
            "weights": {"query_term": 1, "identifier": 2.5, "number": 1, "constraint": 1, "navigation": -4},
            "constraint_words": ["only", "never", "unless"],
            "navigation_words": [],
        },
    }
    assert found["select"]["top2"]["mmr"] == {"weight": 1, "analyzer": "ascii_words"}


def test_a_unit_in_the_defaults_of_select_is_that_of_the_budgets_alone(raw):
    raw["trial"]["select"] = {
        "defaults": {"unit": "word"},
        "two": {"top_k": 2},
        "short": {"budget": 9},
        "own": {"budget": 9, "unit": "byte"},
        "none": {"top_k": 1, "budget": None},
    }
    found = params.resolve(raw)["trial"]["select"]
    assert {name: setting["unit"] for name, setting in found.items()} == {
        "two": None,
        "short": "word",
        "own": "byte",
        "none": None,
    }
    raw["trial"]["select"] = {"defaults": {"unit": "word"}, "two": {"top_k": 2}}
    assert faults(raw) == [("trial.select.defaults.unit", "no setting takes this key")]


def test_an_overlap_in_the_defaults_of_chunk_is_that_of_the_sizes_alone(raw):
    raw["trial"]["chunk"] = {
        "defaults": {"chunk_overlap": 3},
        "window": {"method": "window", "chunk_size": 9},
        "whole": {"method": "paragraph"},
        "cut": {"method": "paragraph", "chunk_size": 9},
    }
    found = params.resolve(raw)["trial"]["chunk"]
    assert {name: setting["chunk_overlap"] for name, setting in found.items()} == {"window": 3, "whole": 0, "cut": 3}


def test_a_chunking_that_is_only_a_parent_is_used(raw):
    raw["trial"]["select"]["top2"]["parent"] = "whole"
    raw["trial"]["arms"] = [
        {**ARM, "fuse": fuse, "select": select, "name": f"{fuse}-{select}", "eligibility": eligibility}
        for fuse, select, eligibility in (("first", "top2", "all"), ("second", "short", "current"))
    ]
    assert params.resolve(raw)["trial"]["select"]["top2"]["parent"] == "whole"
    raw["trial"]["select"]["top2"]["parent"] = "fixed"
    assert faults(raw) == [("trial.chunk.whole", "no arm uses this setting")]


def test_the_parent_of_a_selector_that_no_arm_uses_is_unused_too(raw):
    raw["trial"]["select"]["spare"] = {"top_k": 1, "parent": "whole"}
    raw["trial"]["arms"] = [
        {**ARM, "fuse": fuse, "select": select, "name": f"{fuse}-{select}", "eligibility": eligibility}
        for fuse, select, eligibility in (("first", "top2", "all"), ("second", "short", "current"))
    ]
    assert faults(raw) == [
        ("trial.chunk.whole", "no arm uses this setting"),
        ("trial.select.spare", "no arm uses this setting"),
    ]


def test_a_branch_that_only_a_merged_list_uses_is_used(raw):
    raw["trial"]["fuse"] = {"both": {"branches": ["shared", "ranked"], "method": "rrf"}}
    resolved = params.resolve(raw)["trial"]
    assert list(resolved["retrieve"]) == ["ranked", "shared"]
    assert resolved["fuse"]["both"]["branches"] == ["shared", "ranked"]  # a list keeps its order


def test_a_list_of_arms_uses_what_it_names_and_nothing_else(raw):
    raw["trial"]["arms"] = [ARM, {**ARM, "name": "b", "chunk": "whole", "eligibility": "current"}]
    assert faults(raw) == [
        ("trial.fuse.second", "no arm uses this setting"),
        ("trial.retrieve.ranked", "no arm uses this setting"),
        ("trial.select.short", "no arm uses this setting"),
    ]
    raw["trial"]["arms"].append({**ARM, "name": "c", "fuse": "second", "select": "short"})
    assert params.resolve(raw)["trial"]["arms"] == raw["trial"]["arms"]


def test_what_only_an_unused_setting_uses_is_unused_too(raw):
    raw["trial"]["index"]["pairs"] = {"analyzer": "cjk_bigrams"}
    raw["trial"]["retrieve"]["ranked"]["index"] = "pairs"
    raw["trial"]["arms"] = [ARM, {**ARM, "name": "b", "chunk": "whole", "eligibility": "current", "select": "short"}]
    assert [field for field, _ in faults(raw)] == [
        *("trial.fuse.second", "trial.index.pairs", "trial.retrieve.ranked"),
    ]


def test_arms_with_one_name_and_arms_that_name_nothing(raw):
    raw["trial"]["arms"] = [
        ARM,
        {**ARM, "chunk": "whole", "eligibility": "current", "fuse": "second", "select": "short"},
        {**ARM, "name": "c", "chunk": "fix", "select": "top3"},
    ]
    assert faults(raw) == [
        ("trial.arms[1].name", "'a' is the name of arms[0] too"),
        ("trial.arms[2].chunk", "no setting is called 'fix': did you mean 'fixed'? valid: fixed, whole"),
        ("trial.arms[2].select", "no setting is called 'top3': did you mean 'top2'? valid: short, top2"),
    ]


def test_a_grid_over_nothing_has_no_arm(raw):
    for part in params.NAMED_SECTIONS:
        raw["trial"][part] = {}
    assert faults(raw) == [("trial.arms", "no arm: chunk, eligibility, fuse and select need a setting each")]


@pytest.mark.parametrize("name", ["size", "nfiles"])
def test_names_that_the_run_cache_of_dvc_ignores_are_refused_at_any_depth(raw, name):
    raw["trial"]["chunk"]["fixed"][name] = 1
    raw["trial"]["chunk"][name] = {"method": "document"}
    raw["trial"]["score"] = {"cost": {name: 1}}
    raw["trial"]["arms"] = [{**ARM, name: 1}]
    told = [field for field, message in faults(raw) if message.startswith(f"the name '{name}' is not allowed")]
    assert told == [
        f"trial.arms[0].{name}",
        f"trial.chunk.fixed.{name}",
        f"trial.chunk.{name}",
        f"trial.score.cost.{name}",
    ]


def test_a_name_of_that_kind_is_refused_in_defaults_too(raw):
    raw["trial"]["chunk"]["defaults"] = {"size": 9}
    assert (
        "trial.chunk.defaults.size",
        "no setting takes this key: did you mean 'chunk_size'? "
        "valid: chunk_overlap, chunk_size, chunker, group_by, method, options, separators, splitter, tail, unit, "
        "version",
    ) in faults(raw)


def test_experiments_and_sections_belong_together(raw):
    raw["experiments"] = {"trail": {"dataset": "x"}, "other": {"dataset": "", "data": 1}}
    assert faults(raw) == [
        ("experiments.other", "no section of this name: valid: trial"),
        ("experiments.other.data", "unknown key: did you mean 'dataset'? valid: dataset"),
        ("experiments.other.dataset", 'must not be empty, found ""'),
        ("experiments.trail", "no section of this name: did you mean 'trial'? valid: trial"),
        ("trial", "a section that experiments does not name: did you mean 'trail'? valid: other, trail"),
    ]


def test_no_experiment_takes_the_name_of_the_list(raw):
    raw["experiments"]["experiments"] = {"dataset": "x"}
    assert faults(raw) == [("experiments.experiments", "no experiment can have the name of the list itself")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, [("", "expected a mapping, found null")]),
        ([1], [("", "expected a mapping, found [1]")]),
        ({}, [("", "lacks experiments")]),
        ({"experiments": None}, [("experiments", "expected a mapping, found null")]),
        ({"experiments": {}}, [("experiments", "must not be empty, found {}")]),
        (
            {"experiments": {"a": {"dataset": "x"}}, "a": {"arms": "grid"}},
            [("a", "lacks chunk, eligibility, fuse, index, normalise, report, retrieve, score, select")],
        ),
    ],
)
def test_a_file_that_is_hardly_one(value, expected):
    assert faults(value) == expected


def test_several_faults_are_told_at_once(raw):
    raw["trial"]["chunk"]["fixed"] = {"method": "window", "chunk_size": -1, "unit": "token"}
    raw["trial"]["normalise"]["unicode"] = "nfc"
    raw["trial"]["extra"] = {}
    raw["another"] = {}
    with pytest.raises(InputError) as caught:
        params.resolve(raw, "some/params.yaml")
    text = str(caught.value)
    assert text.startswith("6 problems found:\n  some/params.yaml: another: a section that experiments does not name")
    assert [problem.field for problem in caught.value.problems] == [
        *("another", "another", "trial.chunk.fixed.chunk_size", "trial.chunk.fixed.unit"),
        *("trial.extra", "trial.normalise.unicode"),
    ]


PLACES = [
    ("trial",),
    *(("trial", part) for part in ("normalise", "chunk", "eligibility", "index", "retrieve", "fuse", "select", "arms")),
    *(("trial", "chunk", "fixed"), ("trial", "chunk", "fixed", "method"), ("trial", "chunk", "fixed", "chunk_size")),
    *(("trial", "retrieve", "ranked", "scorer"), ("trial", "retrieve", "ranked", "index"), ("trial", "fuse", "first")),
    *(("trial", "fuse", "first", "branches"), ("trial", "select", "short"), ("trial", "score"), ("trial", "report")),
    *(("experiments",), ("experiments", "trial"), ("experiments", "trial", "dataset"), ("trial", "chunk", "defaults")),
    *(("trial", "fuse", "first", "method"), ("trial", "fuse", "first", "rerank"), ("trial", "select", "short", "mmr")),
    *(("trial", "select", "short", "parent"), ("trial", "score", "coverage"), ("trial", "select", "defaults")),
]
KEYS = ["defaults", "method", "size", "fixed", "budget", "unit", "rule", "name", "chunk", 1, None, "\n"]
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["grid", "window", "words", "shared", "x", "", "rrf", "whole", "token_share"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["defaults", "method", "size", "fixed", "budget", "unit", "rule", "name", "chunk", 1, None, "\n"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)


@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=3))
def test_whatever_stands_in_the_file_it_is_resolved_or_told(parsed_once, changes):
    value = copy.deepcopy(parsed_once)
    for place, junk in changes:
        inner = value
        for key in place[:-1]:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner[place[-1]] = junk
    try:
        assert params.resolve(params.resolve(value)) == params.resolve(value)
    except InputError as error:
        assert all(problem.message for problem in error.problems)


@pytest.fixture(scope="module")
def parsed_once(tmp_path_factory):
    path = tmp_path_factory.mktemp("params") / "params.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return params.yaml12.read(path)


def test_faults_of_a_context_s_text_are_told_at_once(raw):
    raw["trial"]["select"] = {
        "top2": {"top_k": 2, "template": "{titel}: {body:>3}"},
        "short": {"budget": 6, "unit": "word", "header": "Answer from what follows:", "footer": "and say so if not"},
        "tokens": {"budget": 1, "unit": "tiktoken/cl100k_base", "header": "hello"},
    }
    raw["trial"]["score"] = {"cost": {"text": "retrieval"}}
    with pytest.raises(InputError) as caught:
        params.resolve(raw)
    told = [(problem.field, problem.message) for problem in caught.value.problems]
    text = (
        "'retrieval' counts what select.{} does not send: it declares the text of a context ({}), which cost counts; "
    )
    text += "expected body, with {{heading}} in a template"
    assert told == [
        ("trial.score.cost.text", text.format("short", "header, footer")),
        ("trial.score.cost.text", text.format("tokens", "header")),
        ("trial.score.cost.text", text.format("top2", "template")),
        ("trial.select.short.budget", "header and footer alone have 8 units, found 6"),
        ("trial.select.top2.template", "placeholder 'body': expected the name alone in the braces, without a format"),
        (
            "trial.select.top2.template",
            "unknown placeholder 'titel': did you mean 'title'? valid: body, doc_id, heading, rank, title, version",
        ),
    ]
