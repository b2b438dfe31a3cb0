"""Which parameters differ, with the paths of params.yaml on both sides."""

from spanledger.comparison.parameters import ParameterDifference, arm_differences, file_differences, section_differences


def told(differences):
    return [(d.key_a, d.key_b, d.a, d.b) for d in differences]


def test_two_depths_of_two_branches(fusion):
    """Branches of other names are held against each other in their order."""
    assert told(arm_differences(fusion("rrf-d2"), fusion("rrf-d4"))) == [
        ("retrieve.original_d2.depth", "retrieve.original_d4.depth", 2, 4),
        ("retrieve.expanded_d2.depth", "retrieve.expanded_d4.depth", 2, 4),
        ("fuse", "fuse", "rrf_d2", "rrf_d4"),
        ("fuse.rrf_d2.branches", "fuse.rrf_d4.branches", *(["original_" + d, "expanded_" + d] for d in ("d2", "d4"))),
    ]


def test_a_branch_that_only_one_arm_has(fusion):
    found = {d.key_a or d.key_b: d for d in arm_differences(fusion("bm25-d4"), fusion("rrf-d4"))}
    branch = found["retrieve.expanded_d4"]
    assert (branch.key_a, branch.a, branch.b["depth"]) == (None, None, 4)
    assert (found["fuse.bm25_d4.method"].a, found["fuse.bm25_d4.method"].b) == ("single", "rrf")
    assert (found["fuse.rrf_d4.k"].key_a, found["fuse.rrf_d4.k"].b) == (None, 60)
    assert "retrieve.original_d4" not in {key.rsplit(".", 1)[0] for key in found}


def test_the_parents_of_a_selector_are_parameters_of_the_arm(ran):
    def change(section):
        section["chunk"] = {"fixed": {"method": "window", "chunk_size": 40}, "paragraph": {"method": "paragraph"}}
        section["select"] = {"alone": {"top_k": 2}, "whole": {"top_k": 2, "parent": "paragraph"}}

    side = ran("evidence_mapping", change)[1]
    found = told(arm_differences(side("fixed+all+single+alone"), side("fixed+all+single+whole")))
    assert (None, "chunk.paragraph", None, {"method": "paragraph"}) in [
        (a, b, c, d and {"method": d["method"]} if isinstance(d, dict) else d) for a, b, c, d in found
    ]
    assert ("select.alone.parent", "select.whole.parent", None, "paragraph") in found


def test_whole_sections(ran):
    def change(section):
        section["chunk"]["overlap"]["chunk_overlap"] = 30
        del section["chunk"]["fixed"]
        section["select"]["top5"] = {"top_k": 5}

    before, after = ran("evidence_mapping")[0], ran("evidence_mapping", change)[0]
    overlap, fixed, top5 = ("chunk.overlap.chunk_overlap",) * 2 + (60, 30), "chunk.fixed", "select.top5"
    found = told(section_differences(before, after))
    assert [entry[:2] for entry in found] == [(fixed, None), overlap[:2], (None, top5)]
    assert found[1] == overlap and found[0][2]["chunk_size"] == 120 and found[2][3]["top_k"] == 5
    assert [d.mirrored() for d in section_differences(before, after)] == section_differences(after, before)
    assert section_differences(before, before) == []


def test_files_that_differ():
    assert file_differences({"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"}) == ["a", "c", "d"]
    assert file_differences(None, {"a": "1"}) == file_differences({}, {}) == []


def test_mirrored():
    assert ParameterDifference("x", None, 1, None).mirrored() == ParameterDifference(None, "x", None, 1)
