"""Each warning by a small experiment that has it, with its figures, and by one that has not."""

import json

import pytest

from builders import document, element, evidence, fact, gold, query
from spanledger.dataset import Dataset
from spanledger.experiment import run
from spanledger.gold import Judgement

CODES = (
    *(
        "saturated",
        "ceiling",
        "repeats",
        "outdated",
        "unreachable",
        "unequal_budget",
        "one_query",
        "tails",
        "not_placed",
    ),
    *("two_variables", "means", "refusals", "unjudged", "short_lists"),
)
# Three documents of three words; whole, each is a chunk. "b" stands in two of them.
DOCUMENTS = [document("one", "a b c"), document("two", "b d e"), document("three", "f g h")]
QUERIES = [query("q1", "a b"), query("q2", "f"), query("q3", "d")]
GOLDS = [
    gold("q1", fact("f1", [evidence(0, 1, "one")]), fact("f2", [evidence(0, 1, "two")])),
    gold("q2", fact("f3", [evidence(0, 5, "three")])),
    gold("q3", fact("f4", [evidence(2, 3, "two")])),
]
WHOLE = {"whole": {"method": "document"}}


def warnings(code=None, documents=DOCUMENTS, queries=QUERIES, golds=GOLDS, elements=(), judgements=(), **parts):
    """The warnings of an experiment whose sections, where they are not given, have one plain setting."""
    section = {
        "normalise": {},
        "chunk": WHOLE,
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"shared": {"index": "words", "scorer": "term_overlap"}},
        "fuse": {"single": {"branches": ["shared"]}},
        "select": {"top1": {"top_k": 1}},
        "score": {},
        "report": {},
        "arms": "grid",
        **parts,
    }
    dataset = Dataset(
        list(documents), list(elements), list(queries), list(golds), (), {"name": "trial"}, list(judgements)
    )
    settings = {"experiments": {"trial": {"dataset": "in-memory"}}, "trial": section}
    found = json.loads(run(settings, dataset).files["diagnostics.json"])
    assert [CODES.index(one["code"]) for one in found] == sorted(CODES.index(one["code"]) for one in found)
    return found if code is None else [(one["message"], one["arms"]) for one in found if one["code"] == code]


def test_an_index_of_no_more_chunks_than_k_is_saturated():
    """Three chunks: the first three are all of them."""
    selectors = {"top2": {"top_k": 2}, "top3": {"top_k": 3}, "top9": {"top_k": 9, "budget": 5}, "short": {"budget": 99}}
    assert warnings("saturated", select=selectors) == [
        (
            f"an index has 3 chunks and the selector takes {k}: recall is saturation, not retrieval",
            [f"whole+all+single+top{k}"],
        )
        for k in (3, 9)
    ]


def test_the_smallest_class_of_an_index_is_what_saturates():
    """Two of the three documents are current."""
    documents = [*DOCUMENTS[:2], document("three", "f g h", current=False)]
    found = warnings(
        "saturated", documents, eligibility={"current": {"versions": "current"}}, select={"top2": {"top_k": 2}}
    )
    assert [message.split(":")[0] for message, _ in found] == ["an index has 2 chunks and the selector takes 2"]


def test_a_ceiling_that_the_chunks_set():
    """q1 needs two documents, so one chunk can answer q2 and q3 at most; q2 and q3 have their document first."""
    assert warnings("ceiling") == [
        (
            "one chunk can hold all facts of at most 2 of 3 queries, whatever the ranking: complete@1 is 2 of an "
            "attainable 2",
            ["whole+all+single+top1"],
        )
    ]
    queries = [*QUERIES[:2], query("q3", "b")]  # one, which also has b, stands before two
    assert "complete@1 is 1 of an attainable 2" in warnings("ceiling", queries=queries)[0][0]


@pytest.mark.parametrize(
    "parts",
    [
        {"golds": [gold("q1", GOLDS[0].facts[0]), *GOLDS[1:]]},  # one chunk can hold all
        {"score": {"cutoffs": [2]}},  # nobody asked for the first place
        {"select": {"top1": {"top_k": 1, "parent": "whole"}}},  # a parent can hold more than a chunk
        {"select": {"top1": {"top_k": 1, "merge": True}}},
        {"golds": [gold(q.query_id) for q in QUERIES]},
    ],
)
def test_no_ceiling(parts):
    assert warnings("ceiling", **parts) == []


WINDOWS = {"windows": {"method": "window", "unit": "word", "chunk_size": 2, "chunk_overlap": 1}}


def test_repeats_in_a_context_and_what_they_crowd_out():
    """a b, b c and c d of one text: b is twice in the context of q, and without b c the third would be there."""
    documents = [document("one", "a b c d x")]
    wanted = [gold("q", fact("f", [evidence(4, 7, "one")])), gold("r", fact("g", [evidence(0, 1, "one")]))]
    queries = [query("q", "a b c"), query("r", "a")]
    found = warnings("repeats", documents, queries, wanted, chunk=WINDOWS, select={"top2": {"top_k": 2}})
    assert found == [
        (
            "1 of 2 contexts hold text twice, 1 characters in all; 1 facts would be there without the repeats",
            ["windows+all+single+top2"],
        )
    ]
    assert warnings("repeats", documents, queries, wanted, chunk=WINDOWS, select={"top1": {"top_k": 1}}) == []
    merged = {"top2": {"top_k": 2, "merge": True}}
    assert warnings("repeats", documents, queries, wanted, chunk=WINDOWS, select=merged) == []


def test_facts_that_no_eligible_chunk_holds():
    """f1 is of an old version; f2 lies outside of all elements; f3 is ranked below the first and could be found."""
    documents = [document("one", "a b c", current=False), document("two", "b d e"), document("three", "f d")]
    elements = [element("e1", (0, 3), "two"), element("e2", (0, 3), "three")]
    golds = [
        gold("q1", fact("f1", [evidence(0, 1, "one")]), fact("f2", [evidence(4, 5, "two")])),
        gold("q2", fact("f3", [evidence(0, 1, "two")])),
        gold("q3", fact("f4", [evidence(0, 1, "three")])),
    ]
    parts = {
        "chunk": {"structured": {"method": "structured", "chunk_size": 99}},
        "eligibility": {"current": {"versions": "current"}},
    }
    queries = [query("q1", "b"), query("q2", "f d"), query("q3", "f")]
    assert warnings("unreachable", documents, queries, golds, elements, **parts) == [
        (
            "2 of 3 lost facts are in no eligible chunk of the index (1 ineligible, 1 not chunked); no ranking can find "
            "them",
            ["structured+current+single+top1"],
        )
    ]
    assert warnings("unreachable") == []  # f2 of q1 is lost, but to the ranking


def test_equal_k_is_not_an_equal_budget():
    """Of one and three, whole, five characters; a paragraph or window of two words has three."""
    chunk = {**WHOLE, "windows": {"method": "window", "unit": "word", "chunk_size": 2}}
    queries, golds = [query("q1", "a"), query("q2", "f")], [gold("q1"), gold("q2")]
    found = warnings("unequal_budget", queries=queries, golds=golds, chunk=chunk, select={"top1": {"top_k": 1}})
    assert found == [
        (
            "equal k is not an equal budget: under top1 a context costs from 3.0 to 5.0 characters on average",
            ["whole+all+single+top1", "windows+all+single+top1"],
        )
    ]
    words = {"cost": {"unit": "word"}}
    ((message, _),) = warnings("unequal_budget", queries=queries, golds=golds, chunk=chunk, score=words)
    assert "from 2.0 to 3.0 words on average" in message


@pytest.mark.parametrize(
    "select",
    [
        {"short": {"budget": 3}},
        {"top1": {"top_k": 1, "budget": 5}},  # whose budget is stated
    ],
)
def test_where_a_budget_is_stated_k_is_no_budget(select):
    chunk = {**WHOLE, "windows": {"method": "window", "unit": "word", "chunk_size": 2}}
    assert warnings("unequal_budget", chunk=chunk, select=select) == []


def test_one_arm_or_equal_costs_compare_nothing():
    assert warnings("unequal_budget") == []
    same = {**WHOLE, "paragraph": {"method": "paragraph"}}
    assert warnings("unequal_budget", chunk=same) == []


def test_one_query_moves_a_mean():
    assert warnings("one_query") == [
        (
            "one query more or less moves a mean over 3 queries by up to 0.3333; that runs agree to the byte says nothing "
            "about the sampling error",
            [],
        )
    ]
    silent = [gold("q1"), gold("q2"), GOLDS[2]]  # the mean is over the queries with facts
    assert warnings("one_query", golds=silent)[0][0].startswith(
        "one query more or less moves a mean over 1 queries by up to 1.0000"
    )
    assert warnings("one_query", golds=[gold(q.query_id) for q in QUERIES]) == []


def test_a_tail_inside_its_predecessor():
    """Of five words (0,3) (2,5) (4,5): the last lies inside; each text of three words has its (2,3)."""
    kept = {"method": "window", "unit": "word", "chunk_size": 3, "chunk_overlap": 1, "tail": "keep"}
    documents = [*DOCUMENTS, document("long", "v w x y z")]
    chunk = {"kept": kept, "dropped": {**kept, "tail": "drop"}}
    assert warnings("tails", documents, chunk=chunk, select={"top1": {"top_k": 1}, "top2": {"top_k": 2}}) == [
        ("4 chunks of kept lie wholly inside the chunk before them", ["kept+all+single+top1", "kept+all+single+top2"])
    ]
    assert warnings("tails", documents, chunk={"dropped": chunk["dropped"]}) == []


ELEMENTS = [
    element("e1", (0, 5), "one", section_path=("Title",)),
    element("e2", (0, 5), "two", section_path=("Title",)),
]
STRUCTURED = {"structured": {"method": "structured", "chunk_size": 99}}


def test_titles_in_one_chunking_and_not_in_the_other_are_a_second_variable():
    found = warnings("two_variables", elements=ELEMENTS, chunk={**WHOLE, **STRUCTURED})
    assert found == [
        (
            "structured changes two things at once: where text is cut, and titles or headers in the text that is searched",
            ["structured+all+single+top1"],
        )
    ]
    assert warnings("two_variables", elements=ELEMENTS, chunk=STRUCTURED) == []  # with nothing to compare it to
    untitled = [element("e1", (0, 5), "one")]
    assert warnings("two_variables", elements=untitled, chunk={**WHOLE, **STRUCTURED}) == []


def listed(*arms):
    return [dict(zip(("name", "chunk", "eligibility", "fuse", "select"), arm, strict=True)) for arm in arms]


def test_an_arm_that_differs_from_every_other_in_two_settings_at_once():
    parts = {
        "chunk": {**WHOLE, "windows": {"method": "window", "unit": "word", "chunk_size": 2}},
        "select": {"top1": {"top_k": 1}, "top2": {"top_k": 2}},
        "retrieve": {
            "shared": {"index": "words", "scorer": "term_overlap"},
            "cut": {"index": "words", "scorer": "term_overlap", "depth": 1},
        },
        "fuse": {"single": {"branches": ["shared"]}, "cut": {"branches": ["cut"]}},
    }
    arms = listed(
        ("base", "whole", "all", "single", "top1"),
        ("more", "whole", "all", "single", "top2"),
        ("far", "windows", "all", "cut", "top2"),
    )
    assert warnings("two_variables", arms=arms, **parts) == [
        ("differs from every other arm in at least 2 settings at once", ["far"])
    ]
    between = listed(("near", "whole", "all", "cut", "top2"))
    assert warnings("two_variables", arms=[*arms, *between], **parts) == []
    alone = [arms[2]]
    parts = {"chunk": {"windows": parts["chunk"]["windows"]}, "select": {"top2": parts["select"]["top2"]}}
    assert warnings("two_variables", arms=[{**alone[0], "fuse": "single"}], **parts) == []


def test_a_name_is_no_difference_and_a_branch_with_its_depth_is_one():
    """Two fusions of the same branch and method differ in nothing; those of two branches in one thing, the branches."""
    parts = {
        "retrieve": {
            "shared": {"index": "words", "scorer": "term_overlap"},
            "cut": {"index": "words", "scorer": "term_overlap", "depth": 1},
        },
        "fuse": {"one": {"branches": ["shared"]}, "other": {"branches": ["cut"]}, "same": {"branches": ["shared"]}},
    }
    arms = listed(*((name, "whole", "all", name, "top1") for name in ("one", "other", "same")))
    assert warnings("two_variables", arms=arms, **parts) == []


def test_a_mean_cost_over_queries_without_facts():
    """Contexts of 5, 5, 5 characters and none for the silent one that shares no term."""
    queries, golds = [*QUERIES, query("q4", "zzz")], [*GOLDS, gold("q4", no_answer="absent")]
    assert warnings("means", queries=queries, golds=golds) == [
        (
            "mean cost 3.8 is over all 4 queries, 1 of them without facts; over the 3 answerable ones it is 5.0. Recall "
            "is over these alone",
            ["whole+all+single+top1"],
        )
    ]
    assert warnings("means") == []
    queries[3] = query("q4", "a")  # which costs as much as the others
    assert warnings("means", queries=queries, golds=golds) == []
    silent = [gold(q.query_id) for q in QUERIES]
    ((message, _),) = warnings("means", golds=silent)
    assert "3 of them without facts; over the 0 answerable ones it is null" in message


def test_the_rate_of_empty_results_is_no_refusal():
    queries = [*QUERIES, query("q4", "zzz"), query("q5", "a"), query("q6", "yyy")]
    golds = [
        *GOLDS,
        gold("q4", no_answer="absent"),
        gold("q5", no_answer="absent"),
        gold("q6", no_answer="unauthorized"),
    ]
    assert warnings("refusals", queries=queries, golds=golds) == [
        (
            "no_answer_accuracy is the rate of empty results, 2 of 3 no-answer queries: it tests that no term is "
            "shared, not that a question is refused",
            ["whole+all+single+top1"],
        )
    ]
    assert warnings("refusals") == []


def test_an_experiment_that_has_all_of_them(plugins_in):
    """And they stand in the order of their numbers."""
    plugins_in(mine="def shouted(text):\n    return [text, text.upper()]\n")
    kept = {"method": "window", "unit": "word", "chunk_size": 3, "chunk_overlap": 1, "tail": "keep"}
    documents = [*DOCUMENTS[:2], document("three", "f g h", current=False)]
    found = warnings(
        None,
        documents,
        [*QUERIES[:2], query("q3", "d e"), query("q4", "zzz")],  # e is in (b d e) and in the tail (e)
        [*GOLDS, gold("q4", no_answer="absent")],
        ELEMENTS,
        chunk={"kept": kept, "loud": {"method": "plugins.mine:shouted"}, **STRUCTURED},
        eligibility={"all": {}, "current": {"versions": "current"}},
        select={"top9": {"top_k": 9}},
        retrieve={"shared": {"index": "words", "scorer": "term_overlap", "depth": 9}},
        judgements=[Judgement("q1", "one", 1)],
    )
    assert list(dict.fromkeys(one["code"] for one in found)) == list(CODES)


def test_an_experiment_without_queries_says_nothing():
    chunk = {**WHOLE, "windows": {"method": "window", "unit": "word", "chunk_size": 2}}
    assert warnings(None, queries=[], golds=[], chunk=chunk) == []


JUDGED = {
    "golds": [gold(q.query_id) for q in QUERIES],
    "judgements": [Judgement("q1", "one", 1), Judgement("q3", "two", 2)],
}


def test_queries_without_judgements_are_counted():
    assert warnings("unjudged", **JUDGED) == [
        (
            "1 of 3 queries have no judgements and count in no measure of documents: these are means over the 2 others",
            [],
        )
    ]
    every = [*JUDGED["judgements"], Judgement("q2", "three", 0)]
    assert warnings("unjudged", golds=JUDGED["golds"], judgements=every) == []
    assert warnings("unjudged") == []


def test_queries_with_judgements_alone_are_no_no_answer_queries():
    found = warnings(**JUDGED)
    assert [one["code"] for one in found] == ["unjudged"]


def test_a_depth_above_the_cut_off_of_a_measure():
    def cut(*depths):
        each = {f"b{n}": {"index": "words", "scorer": "term_overlap", "depth": depth} for n, depth in enumerate(depths)}
        fuse = {"f": {"branches": list(each), **({"method": "rrf"} if len(each) > 1 else {})}}
        return {"retrieve": each, "fuse": fuse, "score": {"document_metrics": ["AP", "nDCG@5", "R@8", "RR@3"]}}

    (message, arms) = warnings("short_lists", **JUDGED, **cut(3, 4))[0]
    assert message.startswith("R@8 looks at 8 documents, and no list has more than 7 candidates")
    assert arms == ["whole+all+f+top1"]
    for depths in ((8,), (4, 4), (3, None)):
        assert warnings("short_lists", **JUDGED, **cut(*depths)) == []
    assert warnings("short_lists", **cut(3)) == []  # no judgements


def test_strings_that_could_not_be_placed(plugins_in):
    """Of each document three words and one that it does not have; of the first one, an a that could be either."""
    plugins_in(mine="def words(text):\n    return [*text.split()[-3:], 'xyz']\n")
    documents = [document("one", "a a b c"), *DOCUMENTS[1:]]
    chunk = {"words": {"method": "plugins.mine:words"}, **WHOLE}
    assert warnings("not_placed", documents=documents, chunk=chunk) == [
        (
            "3 of 12 strings that the splitter of words gave (25.0%) do not stand in their document and are in no chunk; 1 "
            "could stand at more than one place",
            ["words+all+single+top1"],
        )
    ]
    assert warnings("not_placed") == []
