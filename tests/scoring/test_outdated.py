"""Outdated text in contexts: which passages it is, what they displace, and a brute-force twin of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document, evidence, fact, gold, query
from one_arm import run

PARAGRAPHS = {"parts": {"method": "paragraph"}}
OLD = "the port is 80\n\nsame words here\n\nport"  # (0, 14), (16, 31), (33, 37)
NEW = "same words here\n\nthe port is 90"  # (0, 15), (17, 31)
DOCUMENTS = [
    document("d", OLD, "v1", current=False),
    document("d", NEW, "v2"),
    document("gone", "port is closed", "v1", current=False),
]
PORT = fact("port", [evidence(17, 31, "d", "v2")])


def row(question, *facts, documents=DOCUMENTS, versions=(), **parts):
    parts = {"chunk": PARAGRAPHS, **parts}
    ran = run(documents, [query("q", question, versions=versions)], [gold("q", *facts)], **parts)
    return ran.rows[0]


def passage(place, doc_id, version, current, unchanged):
    return {"place": place, "doc_id": doc_id, "version": version, "current": current, "unchanged": unchanged}


def test_an_old_text_in_the_first_place_displaces_the_current_one():
    found = row("the port is what", PORT, select={"top_k": 1})
    assert found["facts"][0]["context"] is False
    assert found["outdated"] == {"passages": [passage(1, "d", "v1", ["v2"], False)], "displaced": ["port"]}


def test_with_room_for_both_nothing_is_displaced():
    found = row("the port is what", PORT, select={"top_k": 2})
    assert found["facts"][0]["context"] is True
    assert found["outdated"] == {"passages": [passage(1, "d", "v1", ["v2"], False)], "displaced": []}


def test_a_text_that_did_not_change_and_a_document_that_is_gone():
    found = row("same words here closed", select={"top_k": 3})
    # three shared terms each, and the old version stands first in the order of ties; one term in the document that is gone
    assert found["outdated"]["passages"] == [passage(1, "d", "v1", ["v2"], True), passage(3, "gone", "v1", [], False)]


def test_under_current_and_where_the_old_version_is_asked_about_nothing_is_outdated():
    assert "outdated" not in row("the port is what", PORT, eligibility={"versions": "current"})
    asked = row("the port is what", versions=("v1",), eligibility={"versions": "asked"})
    assert asked["not_current"] == 2 and "outdated" not in asked
    assert "outdated" not in row("the port", documents=[document("d", OLD, "v1"), document("d", NEW, "v2")])


def test_a_fact_that_no_candidate_holds_does_not_come_back():
    found = row("port", fact("far", [evidence(0, 15, "d", "v2")]), select={"top_k": 1})
    assert (found["facts"][0]["candidates"], found["outdated"]["displaced"]) == (False, [])


def test_places_are_those_of_the_passages_that_are_sent():
    windows = {"windows": {"method": "window", "unit": "word", "chunk_size": 4, "chunk_overlap": 2}}
    found = row("the port same words here", select={"top_k": 9, "merge": True}, chunk=windows)
    assert len(found["passages"]) < len(found["context"])
    places = [one["place"] for one in found["outdated"]["passages"]]
    assert places == [n for n, one in enumerate(found["passages"], 1) if one["version"] == "v1"]


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)
VERSIONS = st.lists(st.tuples(WORDS, st.booleans()), min_size=2, max_size=6)


@given(VERSIONS, WORDS, st.integers(1, 3), st.data())
def test_what_comes_back_is_what_the_selector_takes_from_the_other_candidates(texts, question, top_k, data):
    """A document a text, so that the list is the documents by shared words; top_k takes the first of it."""
    documents = [document("d", text, f"v{n}", current=current) for n, (text, current) in enumerate(texts)]
    target = data.draw(st.sampled_from(documents))
    wanted = fact("f", [evidence(0, len(target.text), "d", target.version)])
    found = row(question, wanted, documents=documents, select={"top_k": top_k})
    shared = {one.version: len(set(one.text.split()) & set(question.split())) for one in documents}
    ranked = sorted(
        (one for one in documents if shared[one.version]), key=lambda one: (-shared[one.version], one.version)
    )
    old = [n for n, one in enumerate(ranked[:top_k], 1) if not one.current]
    if not old:
        assert "outdated" not in found
        return
    assert [one["place"] for one in found["outdated"]["passages"]] == old
    current = {one.text for one in documents if one.current}
    assert [one["unchanged"] for one in found["outdated"]["passages"]] == [
        any(ranked[n - 1].text in text for text in current) for n in old
    ]
    lost = target in ranked and target not in ranked[:top_k]
    back = target in [one for one in ranked if one.current][:top_k]
    assert found["outdated"]["displaced"] == (["f"] if lost and back else [])


@pytest.mark.parametrize("select", [{"top_k": 1}, {"budget": 14, "unit": "char"}])
def test_by_number_and_by_budget(select):
    assert row("the port is what", PORT, select=select)["outdated"]["displaced"] == ["port"]
