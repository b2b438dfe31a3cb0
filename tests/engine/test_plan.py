"""Which combinations an experiment has, and which parameters and files reach a stage."""

import pytest

from spanledger.engine import params, plan

ARMS = [
    {"name": "one", "chunk": "b", "eligibility": "x", "fuse": "f", "select": "s"},
    {"name": "two", "chunk": "a", "eligibility": "x", "fuse": "f", "select": "s"},
    {"name": "three", "chunk": "b", "eligibility": "x", "fuse": "g", "select": "s"},
    {"name": "four", "chunk": "b", "eligibility": "x", "fuse": "f", "select": "t"},
    {"name": "again", "chunk": "b", "eligibility": "x", "fuse": "f", "select": "s"},
]
SECTION = {
    "chunk": {"b": {}, "a": {}},
    "eligibility": {"x": {"versions": "all"}},
    "index": {"i": {"analyzer": "ascii_words", "revision": "1"}, "j": {"analyzer": "cjk_bigrams", "revision": "two/2"}},
    "retrieve": {"r": {"index": "i"}, "q": {"index": "j"}, "p": {"index": "i"}},
    "fuse": {"f": {"branches": ["r"]}, "g": {"branches": ["q", "r"]}},
    "select": {"s": {"top_k": 1}, "t": {"top_k": 2}},
    "score": {"trail": None},
    "arms": ARMS,
}


def test_a_grid_is_every_combination_and_chunk_varies_slowest():
    grid = plan.arms({**SECTION, "arms": "grid"})
    assert [arm.name for arm in grid] == [
        *("b+x+f+s", "b+x+f+t", "b+x+g+s", "b+x+g+t", "a+x+f+s", "a+x+f+t", "a+x+g+s", "a+x+g+t"),
    ]
    assert grid[5] == plan.Arm("a+x+f+t", "a", "x", "f", "t")


def test_listed_arms_keep_their_order():
    assert [arm.name for arm in plan.arms(SECTION)] == ["one", "two", "three", "four", "again"]
    assert plan.arm(SECTION, "three") == plan.Arm("three", "b", "x", "g", "s")
    with pytest.raises(KeyError, match="no arm is called 'five'"):
        plan.arm(SECTION, "five")


def test_what_arms_share_is_worked_out_once_in_the_order_of_the_arms():
    assert plan.pairs(SECTION) == [("b", "x"), ("a", "x")]
    assert plan.fusions(SECTION) == [("b", "x", "f"), ("a", "x", "f"), ("b", "x", "g")]
    assert plan.selections(SECTION) == [
        ("b", "x", "f", "s"),
        ("a", "x", "f", "s"),
        ("b", "x", "g", "s"),
        ("b", "x", "f", "t"),
    ]


def test_an_arm_s_settings_are_those_that_score_needs():
    assert plan.arm_settings(SECTION, plan.arm(SECTION, "three")) == {
        "eligibility": {"versions": "all"},
        "select": {"top_k": 1},
        "score": {"trail": None},
        "fuse": {"branches": ["q", "r"]},
        "branches": {"q": {"index": "j"}, "r": {"index": "i"}},
        "analyzers": {"q": "cjk_bigrams", "r": "ascii_words"},
        "revisions": {"q": "cjk_bigrams/two/2", "r": "ascii_words/1"},
    }
    assert list(plan.branches(SECTION, "g")) == ["q", "r"]  # the fusion's order, not the section's


def test_the_counters_of_an_arm_lie_where_its_stages_write_them():
    """Branches that share an index have its counters once."""
    assert plan.counters(SECTION, plan.arm(SECTION, "three")) == {
        ("chunk", "b"): "chunk/b.counters.json",
        ("index", "j"): "index/b/x/j/counters.json",
        ("index", "i"): "index/b/x/i/counters.json",
        ("retrieve", "q"): "retrieve/b/x/q.counters.json",
        ("retrieve", "r"): "retrieve/b/x/r.counters.json",
        ("fuse", "g"): "fuse/b/x/g.counters.json",
        ("select", "s"): "select/b/x/g/s.counters.json",
    }
    both = {**SECTION, "fuse": {**SECTION["fuse"], "g": {"branches": ["p", "r"]}}}
    assert [key for key in plan.counters(both, plan.arm(both, "three")) if key[0] == "index"] == [("index", "i")]


def test_the_parameters_of_a_stage_are_keyed_by_their_place():
    resolved = {"experiments": {"e": {"dataset": "d"}}, "e": SECTION}
    assert plan.parameters("e", resolved, "validate") == {"experiments.e": {"dataset": "d"}}
    assert plan.parameters("e", resolved, "fuse") == {"e.fuse": SECTION["fuse"], "e.arms": ARMS}


def test_every_section_reaches_some_stage_and_facts_reach_score_and_report_alone(project):
    (section,) = (value for name, value in params.load(project / "params.yaml").items() if name == "evidence_mapping")
    for stage in plan.STAGES:
        assert set(plan.SECTIONS[stage]) <= set(section)
    assert all(stage in plan.SECTIONS[stage] for stage in plan.STAGES if stage != "validate")
    # report shows every setting, so what is asked is where else a section goes
    others = {part for stage in plan.STAGES if stage != "report" for part in plan.SECTIONS[stage]}
    assert set(section) - others == {"report", "gates"}
    # what may be missing in params.yaml DVC can only see as part of the whole section
    assert set(plan.OPTIONAL) == {"gates"} and set(plan.SECTIONS["report"]) == set(section)
    assert not any(set(plan.OPTIONAL) & set(plan.SECTIONS[stage]) for stage in plan.STAGES if stage != "report")
    readers = {stage for stage in plan.STAGES if any("facts" in name for name in plan.READS[stage])}
    assert readers == {"score", "report"}
    assert [stage for stage in plan.STAGES if any("qrels" in name for name in plan.READS[stage])] == ["score"]


def test_what_a_stage_reads_an_earlier_one_wrote():
    written = set()
    for stage in plan.STAGES:
        for name in plan.READS[stage]:
            assert {name, name.split("/")[0]} & written, f"{stage} reads {name}"
        assert not written & set(plan.WRITES[stage])
        written |= set(plan.WRITES[stage])


def test_reads_and_writes_are_places_in_the_project():
    resolved = {"experiments": {"e": {"dataset": "fixtures/e"}}}
    reads = plan.reads("e", resolved, "validate")
    assert reads and all(name.startswith("fixtures/e") for name in reads)
    assert plan.reads("e", resolved, "select") == [
        *("results/e/chunk", "results/e/fuse"),
        *("results/e/normalise/documents.jsonl", "results/e/normalise/queries.jsonl"),
        *("plugins", "tokenizers"),
    ]
    assert plan.reads("e", resolved, "report")[-1] == "judgements"
    assert plan.writes("e", "select") == ["results/e/select"]


def test_a_section_with_some_arms_has_what_they_use_alone():
    section = {**SECTION, "select": {"s": {"parent": None}, "t": {"parent": "a"}}, "arms": ARMS}
    kept = plan.narrowed(section, ["four", "three"])
    assert [arm.name for arm in plan.arms(kept)] == ["three", "four"]
    assert {part: list(kept[part]) for part in ("chunk", "eligibility", "fuse", "select", "retrieve", "index")} == {
        "chunk": ["b", "a"],  # a for the parents of four
        "eligibility": ["x"],
        "fuse": ["f", "g"],
        "select": ["s", "t"],
        "retrieve": ["r", "q"],
        "index": ["i", "j"],
    }
    assert kept["score"] == section["score"]
    one = plan.narrowed(section, {"one"})
    assert (list(one["chunk"]), list(one["retrieve"]), list(one["index"])) == (["b"], ["r"], ["i"])
    grid = plan.narrowed({**section, "arms": "grid"}, ["a+x+g+t"])
    assert plan.arms(grid) == [plan.Arm("a+x+g+t", "a", "x", "g", "t")]
    with pytest.raises(ValueError, match="no arm is called 'five': valid: again, four, one, three, two"):
        plan.narrowed(section, ["five"])
