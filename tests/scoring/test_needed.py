"""What would have kept a lost fact: each value against all others, by running the real stages at every one of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import document, element, evidence, fact, gold, query
from one_arm import run, section
from spanledger import experiment
from spanledger.chunking import chunk_documents
from spanledger.core.records import Query
from spanledger.dataset import load
from spanledger.engine import params, plan
from spanledger.fusion import fuse
from spanledger.retrieval import retrieve
from spanledger.retrieval.indexing import build_indexes
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.selection import select
from spanledger.selection.shelf import Shelf

SYNONYMS = [("a", "c")]


class Stages:
    """One arm and one query: from the index on the stages run again, with other values of some parameters."""

    def __init__(self, documents, asked, parts, synonyms=SYNONYMS):
        resolved = section(**parts)
        (arm,) = plan.arms(resolved)
        self.settings = plan.arm_settings(resolved, arm)
        self.documents, self.asked, self.synonyms = documents, asked, synonyms
        tables = {name: chunk_documents(documents, [], setting)[0] for name, setting in resolved["chunk"].items()}
        self.chunks, self.parents = tables[arm.chunk], tables.get(self.settings["select"]["parent"])
        self.indexes = {
            name: build_indexes(
                self.chunks, documents, [asked], self.settings["eligibility"], resolved["index"][setting["index"]]
            )[0]
            for name, setting in self.settings["branches"].items()
        }
        self.rule = Rule(self.settings["score"]["coverage"], documents)

    def covers(self, wanted, depths=(), **limits):
        """Whether the context holds each of these facts with other depths (by branch), top_k or budget."""
        rankings = {
            name: retrieve(
                self.indexes[name],
                self.chunks,
                [self.asked],
                self.settings["analyzers"][name],
                {**setting, "depth": dict(depths).get(name, setting["depth"])},
                self.synonyms,
            )[0]
            for name, setting in self.settings["branches"].items()
        }
        candidates, _ = fuse(rankings, self.chunks, [self.asked], self.settings["fuse"])
        shelf = Shelf(self.chunks, self.documents, self.parents)
        chosen = {**self.settings["select"], **limits}
        ((context,), _) = select(candidates, shelf, [self.asked], chosen, self.settings["eligibility"])
        sent = context.pieces if context.pieces is not None else [self.chunks[o] for o in context.chunks]
        held = Coverage(sent, self.rule)
        return [held.fact_covered(one, range(len(sent))) for one in wanted]

    def by_trying(self, wanted, parameters, longest):
        """`needed` of each fact, from every value of these parameters up to bounds above which nothing changes: all text
        fits into `longest`, and no list has more than all chunks."""
        chosen, many = self.settings["select"], len(self.chunks) + 1
        tries = {}
        for name, bound in (("top_k", many), ("budget", longest)):
            if name in parameters and chosen[name]:
                tries[name,] = range(chosen[name] + 1, bound + 1)
        for name, setting in self.settings["branches"].items():
            if "depth" in parameters and setting["depth"]:
                tries["depth", name] = range(setting["depth"] + 1, many + 1)
        needed = [{} for _ in wanted]
        for (parameter, *branch), values in tries.items():
            for value in values:
                changed = {"depths": {branch[0]: value}} if branch else {parameter: value}
                for place, back in enumerate(self.covers(wanted, **changed)):
                    if back and branch:
                        needed[place].setdefault("depth", {}).setdefault(branch[0], value)
                    elif back:
                        needed[place].setdefault(parameter, value)
        return needed


@pytest.fixture(scope="module")
def published(project):
    """The lines of evidence_mapping and fusion, by arm and query."""
    every = params.load(project / "params.yaml")
    found = {}
    for name in ("evidence_mapping", "fusion"):
        rows = experiment.run(every, load(project / "fixtures" / name), name).rows
        found[name] = {(row["arm"], row["query_id"]): {one["fact_id"]: one for one in row["facts"]} for row in rows}
    return found


def test_published_cases(published):
    export = published["evidence_mapping"]["overlap+current+single+chars240", "two-facts"]["logs-export-json"]
    assert (export["cause"], export["needed"]) == ("crowded_out", {"budget": 333})
    retention = published["fusion"]["rrf-d4", "two-facts"]["logs-kept-7-days"]
    assert (retention["cause"], retention["needed"]) == ("does_not_fit", {"budget": 145})


@pytest.mark.parametrize(
    ("present", "needed"),
    [(1, 93), (92, 93), (119, None), (120, 213), (212, 213), (239, None), (240, 333), (332, 333), (333, None)],
)
def test_the_export_fact_comes_and_goes_with_the_budget(project, present, needed):
    """It is in the context at 93 to 119, at 213 to 239 and from 333, so that 120 loses it again."""
    every = params.load(project / "params.yaml")
    every["evidence_mapping"]["select"]["chars240"]["budget"] = present
    rows = experiment.run(every, load(project / "fixtures" / "evidence_mapping"), "evidence_mapping").rows
    name = "overlap+current+single+chars240", "two-facts"
    (row,) = (row for row in rows if (row["arm"], row["query_id"]) == name)
    found = row["facts"][1]["needed"]
    assert (found and found["budget"]) == needed


def needed(documents, wanted, asked="a", elements=(), synonyms=(), **parts):
    """What a fact of the query `asked` needs."""
    asked = asked if isinstance(asked, Query) else query("q", asked)
    ran = run(documents, [asked], [gold("q", wanted)], elements=elements, synonyms=synonyms, **parts)
    return ran.rows[0]["facts"][0]["needed"]


HELD = [document("d1", "a a a"), document("d2", "a a"), document("d3", "a")]


def test_a_larger_top_k_or_budget_by_hand():
    wanted = fact("f", [evidence(0, 1, "d3")])  # third of equals
    assert needed(HELD, wanted, select={"top_k": 1}) == {"top_k": 3}
    assert needed(HELD, wanted, select={"budget": 8}) == {"budget": 9}
    assert needed(HELD, wanted, select={"budget": 5}) == {"budget": 6}  # d1 and d3: d2 does not fit
    assert needed(HELD, wanted, select={"budget": 6}) is None  # d1, d3
    assert needed(HELD, wanted, select={"budget": 7, "top_k": 1}) == {"top_k": 2}  # d1, then d3
    four = [document("d1", "a a a"), document("d2", "a bb")]  # at 4 the first does not fit and the second just does
    assert needed(four, fact("f", [evidence(0, 4, "d2")]), select={"budget": 1}) == {"budget": 4}
    assert needed(four, fact("f", [evidence(0, 4, "d2")]), select={"budget": 5}) == {"budget": 9}
    # no budget helps: d1 and d2 are the two
    assert needed(HELD, wanted, select={"budget": 8, "top_k": 2}) is None


def test_a_larger_depth_by_hand():
    wanted = fact("f", [evidence(0, 1, "d3")])
    branch = {"words": {"index": "words", "scorer": "term_overlap", "depth": 1}}
    assert needed(HELD, wanted, retrieve=branch, select={"top_k": 9}) == {"depth": {"words": 3}}
    assert needed(HELD, wanted, retrieve=branch, select={"top_k": 2}) is None  # both would have to change
    assert needed(HELD, wanted, retrieve=branch, select={"budget": 7}) == {"depth": {"words": 3}}  # d2 does not fit
    assert needed(HELD, wanted, "b", retrieve=branch, select={"top_k": 9}) is None  # nothing is found at all


def test_each_branch_has_its_own_depth():
    """The synonym c finds c1 and c2 in one branch alone, behind d1; the other needs d2."""
    documents = [document("c1", "c x"), document("d1", "a"), document("d2", "a x x")]
    branches = {
        "plain": {"index": "words", "scorer": "bm25", "depth": 1},
        "expanded": {"index": "words", "scorer": "bm25", "depth": 1, "expand": "synonym_groups"},
    }
    parts = {"retrieve": branches, "fuse": {"method": "rrf"}, "select": {"top_k": 9}, "synonyms": [("a", "c")]}
    # plain: d1 (shorter), d2; expanded: c1 (the rare term), d1, d2
    assert needed(documents, fact("f", [evidence(0, 1, "d2")]), **parts) == {"depth": {"plain": 2, "expanded": 3}}
    branches["plain"]["depth"] = None
    branches["expanded"]["depth"] = None
    assert needed(documents, fact("f", [evidence(0, 1, "d2")]), **parts) is None  # it is there


def test_merged_windows_hold_together_what_neither_holds_alone():
    """Two windows of 4 become one passage of 7 characters, by one_chunk too."""
    parts = {"chunk": {"w": {"method": "window", "chunk_size": 4}}, "score": {"coverage": {"rule": "one_chunk"}}}
    wanted = fact("f", [evidence(2, 7, "d")])
    found = needed([document("d", "a a a a")], wanted, select={"budget": 4, "merge": True}, **parts)
    assert found == {"budget": 7, "chunk": spans(("d", 2, 7))}
    found = needed([document("d", "a a a a")], wanted, select={"budget": 4}, **parts)
    assert found == {"chunk": spans(("d", 2, 7))}


def spans(*found):
    return [{"doc_id": doc_id, "version": "v1", "start": start, "end": end} for doc_id, start, end in found]


def test_a_span_without_a_chunk_is_named_with_its_document():
    """By one_chunk no window of 4 holds 6 characters. The group with fewer characters without a chunk is named."""
    one = {"score": {"coverage": {"rule": "one_chunk"}}, "chunk": {"w": {"method": "window", "chunk_size": 4}}}
    documents = [document("d", "a bb cc dd ee"), document("e", "a bb cc dd")]
    assert needed(documents, fact("f", [evidence(2, 8, "d")]), **one) == {"chunk": spans(("d", 2, 8))}
    groups = (
        [evidence(0, 9, "d")],
        [evidence(0, 2, "d"), evidence(2, 7, "e")],
        [evidence(2, 6, "d"), evidence(3, 7, "e")],
    )
    assert needed(documents, fact("f", *groups), **one) == {"chunk": spans(("e", 2, 7))}
    assert needed(documents, fact("f", groups[0], groups[2]), **one) == {"chunk": spans(("d", 2, 6), ("e", 3, 7))}


def test_evidence_without_a_term_is_covered_by_no_chunk():
    share = {"score": {"coverage": {"rule": "token_share", "at_least": "0.6", "analyzer": "ascii_words"}}}
    assert needed([document("d", "a -- a")], fact("f", [evidence(2, 4, "d")]), **share) is None


@pytest.mark.parametrize(
    ("closed", "setting", "parts"),
    [
        ({"current": False}, {"versions": "current"}, ["versions"]),
        ({"visibility": "internal"}, {"visibility": ["public"]}, ["visibility"]),
        ({"acl": ("board",)}, {"acl": "asker"}, ["acl"]),
        (
            {"current": False, "visibility": "internal", "acl": ("board",)},
            {"versions": "current", "visibility": ["public"], "acl": "asker"},
            ["versions", "visibility", "acl"],
        ),
    ],
)
def test_the_parts_of_the_filter_that_keep_a_document_out_are_named(closed, setting, parts):
    documents = [document("d", "a a", **closed), document("e", "a")]
    wanted = fact("f", [evidence(0, 3, "d")])
    assert needed(documents, wanted, eligibility=setting) == {"eligibility": parts}
    open_too = fact("f", [evidence(0, 3, "d")], [evidence(0, 1, "e")])
    assert needed(documents, open_too, eligibility=setting) is None  # it is there


def test_the_group_that_fewest_parts_of_the_filter_keep_out_is_named():
    documents = [document("d", "a", current=False, acl=("board",)), document("e", "a", acl=("board",))]
    wanted = fact("f", [evidence(0, 1, "d")], [evidence(0, 1, "e")])
    assert needed(documents, wanted, eligibility={"versions": "current", "acl": "asker"}) == {"eligibility": ["acl"]}


def test_a_chunk_that_the_asker_may_not_read_is_kept_out_by_its_groups():
    """The document is open and one of its elements is not. The chunk of both may be read by those who may read both."""
    documents = [document("d", "a a\nb b")]
    elements = [element("e1", (0, 3), "d"), element("e2", (4, 7), "d", acl=("board",))]
    parts = {"chunk": {"w": {"method": "aggregate", "chunk_size": 90}}, "eligibility": {"acl": "asker"}}
    wanted = fact("f", [evidence(0, 3, "d")])
    assert needed(documents, wanted, elements=elements, **parts) == {"eligibility": ["acl"]}
    asker = query("q", "a", groups=("board",))
    assert needed(documents, wanted, asker, elements=elements, **parts) is None  # it is there


def test_what_is_filtered_out_and_in_no_chunk_needs_both():
    documents = [document("d", "a b", current=False)]
    parts = {"chunk": {"w": {"method": "window", "chunk_size": 2}}, "eligibility": {"versions": "current"}}
    found = needed(documents, fact("f", [evidence(0, 3, "d")]), score={"coverage": {"rule": "one_chunk"}}, **parts)
    assert found == {"eligibility": ["versions"], "chunk": spans(("d", 0, 3))}


TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "dd", "eee"]), min_size=1, max_size=9).map(" ".join),
    min_size=1,
    max_size=4,
)
RERANK = {"method": "rule", "weights": {"query_term": 1, "constraint": -2}, "constraint_words": ["dd"]}
MMR = [{"weight": 0.5, "analyzer": "ascii_words"}, {"weight": 0, "analyzer": "ascii_words"}]
CHUNKINGS = st.sampled_from(
    [
        {"method": "window", "chunk_size": 4, "chunk_overlap": 2},
        {"method": "window", "chunk_size": 5, "chunk_overlap": 0},
        {"method": "window", "chunk_size": 3, "chunk_overlap": 1},
        {"method": "window", "unit": "word", "chunk_size": 2, "chunk_overlap": 1},
        {"method": "document"},
    ]
)
SENT = [  # how a context is sent: apart, where nothing is declared, or as one text
    *[{}] * 3,
    {"separator": " "},
    {"separator": "", "unit": "tiktoken/cl100k_base"},
    {"separator": "\n\n", "footer": "\nd", "unit": "tiktoken/cl100k_base"},
    {"template": "{rank}. {body}\n", "header": "e"},
]
SELECTORS = st.fixed_dictionaries(
    {
        "top_k": st.none() | st.integers(1, 4),
        "budget": st.none() | st.integers(1, 16),
        "unit": st.sampled_from(["char", "char", "word", "lexical"]),
        "redundancy": st.sampled_from(["keep", "drop"]),
        "mmr": st.none() | st.sampled_from(MMR),
        "form": st.sampled_from(["chunks", "merge", "parent"]),
        "sent": st.sampled_from(SENT),
    }
).filter(lambda setting: setting["top_k"] or setting["budget"])
RULES = st.sampled_from(
    [{"rule": "span"}, {"rule": "one_chunk"}, {"rule": "token_share", "at_least": "0.6", "analyzer": "ascii_words"}]
)
BRANCHES = {
    "overlap": {"index": "words", "scorer": "term_overlap"},
    "expanded": {"index": "words", "scorer": "bm25", "expand": "synonym_groups"},
    "third": {"index": "words", "scorer": "bm25", "b": 0, "tie": "id_version"},
}
ARMS = st.fixed_dictionaries(
    {
        "chunk": CHUNKINGS,
        "select": SELECTORS,
        "coverage": RULES,
        "branches": st.sampled_from([("overlap",), ("expanded",), ("overlap", "expanded"), tuple(BRANCHES)]),
        "depths": st.lists(st.none() | st.integers(1, 4), min_size=3, max_size=3),
        "keep_zero": st.booleans(),
        "rerank": st.sampled_from([None, RERANK]),
        "versions": st.sampled_from(["all", "current"]),
        "asked": st.sampled_from(["a", "a b", "c", "b dd", "eee a"]),
    }
)


def parts_of(arm):
    chosen = dict(arm["select"])
    form, sent = chosen.pop("form"), chosen.pop("sent", {})
    chosen |= sent
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if "budget" not in chosen:
        del chosen["unit"]
    chunk = {"small": arm["chunk"]}
    if form == "merge":
        chosen["merge"] = True
    elif form == "parent":
        chosen["parent"] = "big"
        chunk["big"] = {"method": "window", "chunk_size": 9, "chunk_overlap": 2}
    retrieve = {
        name: {**BRANCHES[name], "depth": depth, "keep_zero": arm["keep_zero"]}
        for name, depth in zip(arm["branches"], arm["depths"], strict=False)
    }
    return {
        "chunk": chunk,
        "eligibility": {"versions": arm["versions"]},
        "retrieve": retrieve,
        "fuse": {"method": "single" if len(retrieve) == 1 else "rrf", "rerank": arm["rerank"]},
        "select": chosen,
        "score": {"coverage": arm["coverage"]},
    }


@st.composite
def golds(draw, texts):
    def part():
        place = draw(st.integers(0, len(texts) - 1))
        start = draw(st.integers(0, len(texts[place]) - 1))
        return evidence(start, draw(st.integers(start + 1, min(len(texts[place]), start + 7))), f"d{place}")

    sizes = st.lists(st.integers(1, 2), min_size=1, max_size=2)
    return [fact(f"f{n}", *([part() for _ in range(size)] for size in draw(sizes))) for n in range(3)]


def check(texts, arm, wanted, parameters=("budget", "top_k", "depth")):
    """`needed` of every lost fact against every value of these parameters."""
    documents = [document(f"d{n}", text, current=n != 1) for n, text in enumerate(texts)]
    parts, asked = parts_of(arm), query("q", arm["asked"])
    (row,) = run(documents, [asked], [gold("q", *wanted)], synonyms=SYNONYMS, **parts).rows
    stages = Stages(documents, asked, parts)
    assert [one["context"] for one in row["facts"]] == stages.covers(wanted)
    assert sum(one["cause"] is not None for one in row["facts"]) == row["required"] - row["covered"]["context"]
    assert all(one["needed"] is None for one in row["facts"] if one["context"])
    lost = [(f, one) for f, one in zip(wanted, row["facts"], strict=True) if not one["context"]]
    # no context is longer than all candidates together, and no candidate's passage is longer than the longest text
    longest = len(stages.chunks) * (max(map(len, texts)) + 7) + 3  # 7 and 3: what any of SENT adds
    expected = stages.by_trying([f for f, _ in lost], parameters, longest)
    for (_, one), by_trying in zip(lost, expected, strict=True):
        needed = one["needed"] or {}
        assert one["needed"] != {}
        assert {name: needed[name] for name in parameters if name in needed} == by_trying
        if one["index"]:
            assert needed.keys() <= {"budget", "top_k", "depth"}


@settings(max_examples=60)
@given(TEXTS, ARMS, st.data())
def test_each_value_brings_the_fact_back_and_none_from_the_present_one_up_to_it_does(texts, arm, data):
    """Every value of every parameter is tried; what is not named is brought back by none."""
    check(texts, arm, data.draw(golds(texts), label="facts"))


LISTED = st.fixed_dictionaries(
    {
        "texts": st.lists(
            st.lists(st.sampled_from("abcx"), min_size=1, max_size=5).map(" ".join), min_size=6, max_size=9
        ),
        "branches": st.sampled_from([("overlap", "expanded"), ("expanded", "third"), tuple(BRANCHES), ("third",)]),
        "depths": st.lists(st.integers(1, 3), min_size=3, max_size=3),
        "rerank": st.sampled_from([None, None, {**RERANK, "constraint_words": ["c"]}]),
        "mmr": st.sampled_from([None, *MMR]),
        "top_k": st.none() | st.integers(1, 3),
        "budget": st.integers(1, 14),
    }
)


@settings(max_examples=150)
@given(LISTED)
def test_depths_of_merged_branches_are_tried_one_by_one(arm):
    """Of several branches cut early, over more chunks than candidates; each document is a fact."""
    texts = arm["texts"]
    chosen = {"top_k": arm["top_k"], "budget": arm["budget"], "unit": "char", "mmr": arm["mmr"]}
    whole = {
        "chunk": {"method": "document"},
        "select": {**chosen, "redundancy": "keep", "form": "chunks"},
        "coverage": {"rule": "span"},
        "keep_zero": True,
        "versions": "all",
        "asked": "a b",
        **{name: arm[name] for name in ("branches", "depths", "rerank")},
    }
    check(texts, whole, [fact(f"f{n}", [evidence(0, 1, f"d{n}")]) for n in range(len(texts))], ("depth",))
