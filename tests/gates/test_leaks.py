"""Leaks among hand-made lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger import experiment
from spanledger.core import ranking
from spanledger.core.ranking import Ranking
from spanledger.engine import params, plan
from spanledger.gates.leaks import Leaks, count, of_files
from spanledger.retrieval.eligibility import Eligibility
from spanledger.selection import context
from spanledger.selection.context import Context, Piece

DOCUMENTS = [
    document("open", "abcdefghij"),
    document("open", "abcdefghij", "v0", current=False),
    document("secret", "klmnopqrst", acl=("hr",)),
    document("draft", "uvwxyz", visibility="internal"),
]
CHUNKS = [
    chunk(0, "abcde", "open", spans=[(0, 5)]),
    chunk(1, "fghij", "open", spans=[(5, 10)], acl=("ops",)),
    chunk(2, "abcde", "open", "v0"),
    chunk(3, "klmno", "secret", acl=("hr",)),
    chunk(4, "uvw", "draft"),
]
QUERIES = [query("q", "a"), query("h", "a", groups=("hr",)), query("o", "a", groups=("ops",), versions=("v0",))]
ASKER = {"versions": "current", "visibility": ["public"], "acl": "asker"}


def leaks(candidates=(), contexts=(), setting=ASKER, chunks=CHUNKS, pieces=None):
    lists = ranking.to_records([Ranking(query_id, tuple(held), (1.0,) * len(held)) for query_id, held in candidates])
    taken = context.to_records([Context(query_id, tuple(held), (), pieces) for query_id, held in contexts])
    return count(chunks, DOCUMENTS, QUERIES, setting, lists, taken)


def test_what_the_asker_may_read_is_no_leak():
    assert leaks([("q", [0]), ("h", [3, 0]), ("o", [1, 0])], [("h", [3])]) == Leaks(0, 6)


@pytest.mark.parametrize(
    ("query_id", "ordinal", "named"),
    [
        ("q", 1, "chunk id-1 of open/v1"),
        ("q", 2, "chunk id-2 of open/v0"),
        ("h", 1, "chunk id-1 of open/v1"),
        ("o", 3, "chunk id-3 of secret/v1"),
        ("h", 4, "chunk id-4 of draft/v1"),
        ("q", 5, "no chunk 5"),
        ("q", -1, "no chunk -1"),
    ],
)
def test_what_the_filter_excludes_is_a_leak_in_either_list(query_id, ordinal, named):
    assert leaks([(query_id, [0, ordinal])]) == Leaks(1, 2, f"query '{query_id}', candidates: {named}")
    assert leaks([], [(query_id, [ordinal])]) == Leaks(1, 1, f"query '{query_id}', context: {named}")


def test_only_the_arm_s_own_filter_counts():
    every = [("q", [0, 1, 2, 3, 4])]
    assert leaks(every, setting={}).number == 0
    assert leaks(every, setting={"versions": "current"}).number == 1
    assert leaks(every, setting={"visibility": ["internal"]}).number == 4
    assert leaks(every, setting={"acl": "asker"}).number == 2
    assert leaks([("o", [2, 0])], setting={"versions": "asked"}).first == "query 'o', candidates: chunk id-0 of open/v1"


def test_a_chunk_table_that_forgot_whom_a_document_is_for_is_found_out():
    forgot = [*CHUNKS[:3], chunk(3, "klmno", "secret"), CHUNKS[4]]
    assert leaks([("q", [3])], chunks=forgot).number == 1
    assert leaks([("h", [3])], chunks=forgot).number == 0


def test_a_list_of_no_query_is_a_leak():
    assert leaks([("x", [0])]) == Leaks(1, 1, "query 'x', candidates: there is no such query")


def test_the_first_leak_is_that_of_the_first_query_candidates_first():
    found = leaks([("q", [0, 2]), ("h", [1])], [("h", [4]), ("q", [0])])
    assert found == Leaks(3, 5, "query 'h', candidates: chunk id-1 of open/v1")


def test_a_passage_needs_chunks_that_are_open_for_all_of_its_text():
    def passage(span, acl, parts):
        return (Piece("open", "v1", (span,), "", acl, parts),)

    assert leaks([], [("o", [0, 1])], pieces=passage((0, 10), ("ops",), (0, 1))).number == 0
    # nobody may read all of it by its access, and all of it is in chunks that the asker may read
    assert leaks([], [("o", [0, 1])], pieces=passage((0, 10), (), (0, 1))).number == 0
    found = leaks([], [("o", [0])], pieces=passage((0, 10), (), (0,)))
    assert found == Leaks(1, 2, "query 'o', context: a passage of open/v1")
    # the chunk of the second half is closed to this asker, as candidate and as part of the passage
    assert leaks([], [("q", [0, 1])], pieces=passage((0, 10), ("ops",), (0, 1))).number == 2


@given(
    st.lists(st.sampled_from(["hr", "ops"]), unique=True),
    st.lists(st.sampled_from(["v0", "v1"]), unique=True),
    st.lists(st.integers(0, 4), unique=True),
    st.sampled_from([{}, ASKER, {"acl": "asker"}, {"versions": "asked", "visibility": ["public", "internal"]}]),
)
def test_the_rule_is_that_of_the_search_though_stated_twice(groups, versions, held, setting):
    asker = query("q", "a", groups=tuple(groups), versions=tuple(versions))
    found = count(CHUNKS, DOCUMENTS, [asker], setting, [{"query_id": "q", "chunks": held}], [])
    documents = {document.key: document for document in DOCUMENTS}
    eligible = Eligibility.of(setting).eligible(CHUNKS, documents, asker)
    assert found.number == len(set(held) - set(eligible))


def test_the_files_of_a_run_are_counted_arm_by_arm(project):
    settings = params.load(project / "params.yaml")
    made = experiment.run(settings, project / "fixtures" / "structure_lab", "structure_lab")
    arms = [arm.name for arm in plan.arms(settings["structure_lab"])]
    found = of_files(settings["structure_lab"], made.files.__getitem__)
    assert [found[arm].number for arm in arms] == [0, 0] and all(leak.looked_at > 20 for leak in found.values())
    # q1 asks for the group platform; the capacity plan is for the group capacity
    place = "fuse/structured/asker/single.jsonl"
    first, *others = made.files[place].splitlines(keepends=True)
    assert made.chunks["structured"][5].acl == ("capacity",) and b'"chunks":[2,1,0]' in first
    changed = {**made.files, place: b"".join([first.replace(b"[2,1,0]", b"[2,1,5]"), *others])}
    found = of_files(settings["structure_lab"], changed.__getitem__)
    assert {arm: leak.number for arm, leak in found.items()} == {
        arm: int(arm.startswith("structured+")) for arm in arms
    }
    named = f"chunk {made.chunks['structured'][5].chunk_id} of capacity-plan/2026-07-r2"
    assert found[arms[1]].first == f"query 'q1', candidates: {named}"
