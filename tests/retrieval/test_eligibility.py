"""Who may be answered from what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.retrieval.eligibility import Eligibility

OLD, NEW = document("d", "", "v1", current=False), document("d", "", "v2")
INTERNAL = document("i", "", visibility="internal")
NOBODY = query()
GROUPS = st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(tuple)
VERSIONS = st.lists(st.sampled_from(["v1", "v2", "v3"]), max_size=2, unique=True).map(tuple)
ELIGIBILITY = st.builds(
    Eligibility,
    versions=st.sampled_from(["all", "current", "asked"]),
    visibility=st.sampled_from([None, ("public",), ("public", "internal")]),
    acl=st.sampled_from(["ignore", "asker"]),
)


@pytest.mark.parametrize(
    ("versions", "asked", "old", "new"),
    [
        ("all", (), True, True),
        ("all", ("v1",), True, True),
        ("current", (), False, True),
        ("current", ("v1",), False, True),  # what the query asks about does not matter here
        ("asked", (), False, True),  # nothing asked: the current ones
        ("asked", ("v1",), True, False),
        ("asked", ("v2",), False, True),
        ("asked", ("v1", "v2"), True, True),
        ("asked", ("v9",), False, False),
    ],
)
def test_versions(versions, asked, old, new):
    rule, asker = Eligibility(versions=versions), query(versions=asked)
    assert (rule.admits(None, OLD, asker), rule.admits(None, NEW, asker)) == (old, new)


def test_visibility():
    for visibility, admitted in (
        (None, True),
        (("public",), False),
        (("internal", "public"), True),
        (("internal",), True),
    ):
        assert Eligibility(visibility=visibility).admits(None, INTERNAL, NOBODY) is admitted
    assert not Eligibility(visibility=("internal",)).admits(None, NEW, NOBODY)


@pytest.mark.parametrize(
    ("acl", "groups", "admitted"),
    [
        (None, (), True),  # no list: everyone
        (None, ("a",), True),
        (("a", "b"), ("b", "z"), True),
        (("a", "b"), ("z",), False),
        (("a",), (), False),
        ((), ("a",), False),  # an empty list: nobody
        ((), (), False),
    ],
)
def test_acl(acl, groups, admitted):
    assert Eligibility(acl="asker").admits(acl, NEW, query(groups=groups)) is admitted
    assert Eligibility(acl="ignore").admits(acl, NEW, query(groups=groups))


@given(
    ELIGIBILITY,
    st.sampled_from([None, (), ("a",), ("a", "b")]),
    st.sampled_from([OLD, NEW, INTERNAL]),
    GROUPS,
    VERSIONS,
)
def test_every_filter_must_let_a_part_in(rule, acl, source, groups, versions):
    asker = query(groups=groups, versions=versions)
    alone = [Eligibility(versions=rule.versions), Eligibility(visibility=rule.visibility), Eligibility(acl=rule.acl)]
    assert rule.admits(acl, source, asker) == all(single.admits(acl, source, asker) for single in alone)
    names = ("versions", "visibility", "acl")
    closed = [name for name, single in zip(names, alone, strict=True) if not single.admits(acl, source, asker)]
    assert list(rule.against(acl, source, asker)) == closed


def test_a_setting_of_params_makes_a_rule():
    resolved = {"versions": "asked", "visibility": ["public"], "acl": "asker"}
    assert Eligibility.of(resolved) == Eligibility("asked", ("public",), "asker")
    assert Eligibility.of({"versions": "all", "visibility": None, "acl": "ignore"}) == Eligibility()
    assert Eligibility.of({}) == Eligibility()


def test_classes_by_hand():
    queries = [
        query("4", groups=("b", "a"), versions=("v1",)),
        query("1", groups=("a",)),
        query("3", groups=("a", "b", "a")),
        query("2"),
    ]

    def classes(rule):
        return [(c.name, c.groups, c.versions, [q.query_id for q in c.queries]) for c in rule.classes(queries)]

    assert classes(Eligibility()) == [("class-1", (), (), ["1", "2", "3", "4"])]
    assert classes(Eligibility(acl="asker")) == [
        ("class-1", (), (), ["2"]),
        ("class-2", ("a",), (), ["1"]),
        ("class-3", ("a", "b"), (), ["3", "4"]),  # neither the order of groups nor a repeat matters
    ]
    assert classes(Eligibility(versions="asked")) == [
        ("class-1", (), (), ["1", "2", "3"]),
        ("class-2", (), ("v1",), ["4"]),
    ]
    assert [c[1:3] for c in classes(Eligibility(versions="asked", acl="asker"))] == [
        ((), ()),
        (("a",), ()),
        (("a", "b"), ()),
        (("a", "b"), ("v1",)),
    ]
    assert Eligibility().classes([]) == []


def test_queries_of_a_class_stand_in_their_own_order():
    queries = [query("a"), query("b", position=2), query("c", position=1)]
    ((only),) = Eligibility().classes(queries)
    assert [q.query_id for q in only.queries] == ["c", "b", "a"]


@given(
    ELIGIBILITY,
    st.lists(st.tuples(GROUPS, VERSIONS), max_size=6),
    st.lists(
        st.tuples(st.sampled_from([OLD, NEW, INTERNAL]), st.sampled_from([None, (), ("a",), ("b", "c")])), max_size=8
    ),
    st.randoms(use_true_random=False),
)
def test_queries_of_one_class_may_be_answered_from_the_same_chunks(rule, askers, parts, rng):
    queries = [query(f"q{place}", groups=groups, versions=versions) for place, (groups, versions) in enumerate(askers)]
    chunks = [chunk(place, "x", source.doc_id, source.version, acl=acl) for place, (source, acl) in enumerate(parts)]
    documents = {source.key: source for source in (OLD, NEW, INTERNAL)}
    classes = rule.classes(queries)
    assert sorted(q.query_id for c in classes for q in c.queries) == [q.query_id for q in queries]
    assert [(c.groups, c.versions) for c in classes] == sorted({(c.groups, c.versions) for c in classes})
    for member in classes:
        for asker in member.queries:
            expected = [place for place, (source, acl) in enumerate(parts) if rule.admits(acl, source, asker)]
            assert rule.eligible(chunks, documents, asker) == expected
            assert rule.eligible(chunks, documents, member.queries[0]) == expected
    rng.shuffle(queries)
    assert rule.classes(queries) == classes
