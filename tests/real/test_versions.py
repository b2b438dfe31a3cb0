"""The documentation of uvicorn and starlette at two releases: imported, searched with and without old versions, and its
gold moved from one release to the other. Every figure is counted anew from the published files."""

import json
from pathlib import Path

import pytest

from spanledger.dataset import load
from spanledger.experiment import run
from spanledger.importers.markdown import import_markdown
from spanledger.reanchor import reanchor

DATA = Path(__file__).parents[2].parent / "shared/data/versioned_docs"
VERSIONS = {"uvicorn": ("0.15.0", "0.35.0"), "starlette": ("0.20.0", "0.47.3")}
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/versioned_docs is not here"),
]
SECTION = {
    "normalise": {},
    "chunk": {
        "window": {"method": "window", "unit": "char", "chunk_size": 512, "chunk_overlap": 0},
        "structured": {"method": "structured", "unit": "char", "chunk_size": 512, "chunk_overlap": 0},
    },
    "eligibility": {"all": {}, "current": {"versions": "current"}},
    "index": {"terms": {"analyzer": "ascii_words"}},
    "retrieve": {"bm25": {"index": "terms", "scorer": "bm25", "k1": 1.2, "b": 0.75, "depth": 200, "tie": "document"}},
    "fuse": {"single": {"branches": ["bm25"]}},
    "select": {"top5": {"top_k": 5}},
    "score": {},
    "report": {},
    "arms": "grid",
}


def published(project):
    lines = (DATA / "changed_facts.jsonl").read_text(encoding="utf-8").splitlines()
    return {one["query_id"]: one for one in map(json.loads, lines) if one["project"] == project}


def text(project, version, path):
    return (DATA / project / version / path).read_bytes().decode("utf-8")


@pytest.fixture(scope="module", params=VERSIONS)
def project(request):
    return request.param


@pytest.fixture(scope="module")
def imported(project, tmp_path_factory):
    """The dataset with the gold of the new release, its report, and the one with that of the old release."""
    folder = tmp_path_factory.mktemp(project)
    folders = [DATA / project / version for version in VERSIONS[project]]
    facts = DATA / "changed_facts.jsonl"
    report = import_markdown(folders, folder / "new", evidence=facts)
    import_markdown(folders, folder / "old", evidence=facts, gold=VERSIONS[project][0])
    return load(folder / "new"), report, load(folder / "old")


def test_import(project, imported):
    dataset, report, _ = imported
    files = {
        (path.relative_to(DATA / project / version).as_posix(), version): path.read_bytes().decode()
        for version in VERSIONS[project]
        for path in (DATA / project / version).rglob("*.md")
    }
    assert {document.key: document.text for document in dataset.documents} == files
    assert {document.key for document in dataset.documents if document.current} == {
        key for key in files if key[1] == VERSIONS[project][1]
    }
    asked = published(project)
    assert [gold.query_id for gold in dataset.golds] == list(asked)
    for gold in dataset.golds:
        spans = [(e.doc_id, e.version, *e.span) for fact in gold.facts for (group,) in [fact.support] for e in group]
        evidence = asked[gold.query_id]["evidence"][VERSIONS[project][1]]
        assert spans == [(e["path"], VERSIONS[project][1], e["start"], e["end"]) for e in evidence]
        assert gold.tags == (asked[gold.query_id]["kind"],)
    assert report["left_out"] == {"questions without evidence for this version": 16 - len(asked)}
    assert report["rejected"] == {"questions": [], "spans": []}
    paths = {version: {path for path, of in files if of == version} for version in VERSIONS[project]}
    alone = set.symmetric_difference(*paths.values())
    assert set(report["notes"]["versions"]["not_in_all"]) == alone


def test_every_word_is_in_an_element(imported):
    dataset = imported[0]
    held = {}
    for element in dataset.elements:
        held.setdefault((element.doc_id, element.version), []).append(element.span)
    for document in dataset.documents:
        before = 0
        for start, end in [*sorted(held[document.key]), (len(document.text), len(document.text))]:
            assert before <= start
            assert not any(character.isalnum() for character in document.text[before:start])
            before = end


def test_current_lets_no_outdated_text_in_and_all_shows_whom_it_spoils(project, imported):
    dataset = imported[0]
    results = run({"experiments": {project: {"dataset": "in-memory"}}, project: SECTION}, dataset)
    new = VERSIONS[project][1]
    rows = {(row["arm"], row["query_id"]): row for row in results.rows}
    versions = {row: [c["version"] for c in rows[row]["candidates"]] for row in rows}
    sent = {
        key: [(c["doc_id"], c["version"]) for n in row["context"] for c in row["candidates"] if c["chunk_id"] == n]
        for key, row in rows.items()
    }
    assert all(len(sent[key]) == 5 for key in rows)
    for key, row in rows.items():
        old = [place for place, (_, version) in enumerate(sent[key], 1) if version != new]
        if "+current+" in key[0]:
            assert set(versions[key]) == {new} and not old and "outdated" not in row
            continue
        assert [one["place"] for one in row.get("outdated", {"passages": []})["passages"]] == old
        kept = [c for c in row["candidates"] if c["version"] == new][:5]
        lost = [fact["fact_id"] for fact in row["facts"] if not fact["context"]]
        back = [
            e["fact_id"]
            for e, gold in zip(row["facts"], _facts(dataset, key[1]), strict=True)
            if e["fact_id"] in lost
            and all(
                any(c["doc_id"] == doc_id and s <= span[0] and span[1] <= t for c in kept for s, t in c["spans"])
                for doc_id, span in gold
            )
        ]
        if SECTION["chunk"][key[0].split("+")[0]]["method"] == "structured":  # a fact may need two chunks of a window
            assert row.get("outdated", {"displaced": []})["displaced"] == back
        assert set(back) <= set(row.get("outdated", {"displaced": []})["displaced"])
    told = [one for one in json.loads(results.files["diagnostics.json"]) if one["code"] == "outdated"]
    assert {one["arms"][0] for one in told} == {f"{chunk}+all+single+top5" for chunk in ("structured", "window")}
    page = results.files["report.html"].decode()
    section = page[page.index('id="versions"') : page.index('id="questions"')]
    spoiled = {query_id for (_, query_id), row in rows.items() if "outdated" in row}
    assert {query_id for query_id in published(project) if f">{query_id}<" in section} == spoiled != set()


def _facts(dataset, query_id):
    (gold,) = (one for one in dataset.golds if one.query_id == query_id)
    return [[(e.doc_id, e.span) for group in fact.support for e in group] for fact in gold.facts]


@pytest.mark.parametrize("back", [False, True])
def test_gold_of_one_release_on_the_other(project, imported, back):
    """An unchanged fact moves to its published place; a changed one is never moved, and what is nearest is at its published
    place, but for one that lost its second half; and what one release lacks is gone, never found."""
    old, new = reversed(VERSIONS[project]) if back else VERSIONS[project]
    dataset = imported[0] if back else imported[2]
    asked = published(project)
    texts = {document.key: document.text for document in dataset.documents}
    target = {doc_id: (version, held) for (doc_id, version), held in texts.items() if version == new}
    found = reanchor(dataset.golds, texts, target)
    expected = {"unchanged": "moved", "changed": "changed", "only_new": "gone", "only_old": "gone"}
    assert [(fact.query_id, fact.status) for fact in found] == [
        (name, expected[one["kind"]]) for name, one in asked.items() if one["evidence"][old]
    ]
    for fact in found:
        ((one,),) = fact.anchors
        places = [(e["path"], e["start"], e["end"]) for e in asked[fact.query_id]["evidence"][new]]
        if fact.status == "moved":
            assert [(one.new.doc_id, *one.new.span)] == places
            assert text(project, new, one.new.doc_id)[slice(*one.new.span)] == one.text
        elif fact.status == "changed":
            (path, start, end), (first, last) = places[0], one.nearest.place.span
            assert one.nearest.place.doc_id == path
            if fact.query_id == "u03":
                assert first == start and last < end
            else:
                assert (first, last) == (start, end)
        else:
            assert places == []
