"""A whole experiment in memory: which one is run, and what it says where that is not clear."""

import dataclasses

import pytest

import spanledger
from builders import document, evidence, fact, gold, query
from spanledger.core.errors import InputError
from spanledger.dataset import Dataset
from spanledger.experiment import run

SECTION = {
    "normalise": {},
    "chunk": {"small": {"method": "sentence"}, "large": {"method": "document"}},
    "eligibility": {"all": {}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {
        "shared": {"index": "words", "scorer": "term_overlap"},
        "expanded": {"index": "words", "scorer": "bm25", "expand": "synonym_groups"},
    },
    "fuse": {"both": {"branches": ["shared", "expanded"], "method": "rrf", "rerank": {"method": "rule"}}},
    "select": {"whole": {"top_k": 1, "parent": "large"}, "merged": {"budget": 40, "merge": True}},
    "score": {},
    "report": {},
    "arms": [
        {"name": f"{select}-arm", "chunk": "small", "eligibility": "all", "fuse": "both", "select": select}
        for select in ("whole", "merged")
    ],
}
DATASET = Dataset(
    [document("d", "Fees are due. A charge is a fee.")],
    [],
    [query("q", "charge")],
    [gold("q", fact("f", [evidence(0, 13, "d")]))],
    (("charge", "fees"),),
    {"name": "small"},
)


def settings(*names):
    return {"experiments": {name: {"dataset": "nowhere"} for name in names}, **dict.fromkeys(names, SECTION)}


def test_the_only_experiment_needs_no_name():
    results = run(settings("one"), DATASET)
    assert [row["arm"] for row in results.rows] == ["whole-arm", "merged-arm"]
    assert results.rows == run(settings("one"), DATASET, "one").rows
    assert spanledger.run is run


def test_of_several_experiments_one_is_named():
    results = run(settings("one", "two"), DATASET, "two")
    assert list(results.chunks) == ["large", "small"]
    assert results.rows == run(settings("one"), DATASET).rows
    with pytest.raises(ValueError, match="run: expected the name of one of several experiments: valid: one, two"):
        run(settings("one", "two"), DATASET)
    with pytest.raises(ValueError, match="no experiment is called 'tow': did you mean 'two'\\? valid: one, two"):
        run(settings("one", "two"), DATASET, "tow")


def test_a_dataset_is_that_of_the_experiment_unless_another_is_given(tmp_path):
    with pytest.raises(InputError, match="nowhere: no such folder"):
        run(settings("one"))
    with pytest.raises(InputError, match="no such folder"):
        run(settings("one"), tmp_path / "none")


def test_parents_and_merged_chunks_reach_the_lines():
    """charge finds the second sentence and, as a synonym, the first: its parent is the document."""
    whole, merged = run(settings("one"), DATASET).rows
    assert [passage["spans"] for passage in whole["passages"]] == [((0, 32),)]
    assert (whole["covered"]["context"], whole["facts"][0]["cause"]) == (1, None)
    assert [passage["spans"] for passage in merged["passages"]] == [((14, 32),), ((0, 13),)]
    assert merged["context"] == [c["chunk_id"] for c in merged["candidates"]]
    assert [c["matched_terms"] for c in merged["candidates"]] == [["charge"], []]


def test_the_order_of_records_changes_no_byte():
    """And neither does that of the synonym groups or of their words."""
    more = dataclasses.replace(
        DATASET,
        documents=[*DATASET.documents, document("b", "No fee. A fine."), document("a", "A charge.")],
        queries=[*DATASET.queries, query("r", "fine")],
        golds=[*DATASET.golds, gold("r")],
        synonym_groups=(("charge", "fees"), ("fine", "fee")),
    )
    expected = run(settings("one"), more).files
    other = dataclasses.replace(
        more, documents=more.documents[::-1], queries=more.queries[::-1], golds=more.golds[::-1]
    )
    found = run(settings("one"), other).files
    kept = {name for name in expected if not name.startswith(("validate/", "normalise/"))}
    assert {name for name in kept if found[name] != expected[name]} == set()
    turned = dataclasses.replace(more, synonym_groups=tuple(group[::-1] for group in more.synonym_groups[::-1]))
    assert run(settings("one"), turned).rows == run(settings("one"), more).rows


def test_a_context_of_one_text_from_params_to_the_tables():
    """The context of two sentences costs all of its text, and a budget of one character less has room for one of them."""
    title = document("d", "Fees are due. A charge is a fee.", metadata={"title": "Bank"})
    data = dataclasses.replace(DATASET, documents=[title])
    sent = {"template": "{title}: {body}", "separator": "\n", "header": "<", "footer": ">", "unit": "char"}

    def made(**select):
        section = {**SECTION, "select": {"s": select}}
        section["arms"] = [{"name": "a", "chunk": "small", "eligibility": "all", "fuse": "both", "select": "s"}]
        section["chunk"] = {"small": {"method": "sentence"}}
        found = run({"experiments": {"one": {"dataset": "nowhere"}}, "one": section}, data)
        header, line = found.files["arms.csv"].decode().splitlines()[:2]
        return found, dict(zip(header.split(","), line.split(","), strict=True))

    bodies = [chunk.body for chunk in made(top_k=2)[0].chunks["small"]]
    whole = 1 + sum(map(len, bodies)) + 2 * len("Bank: ") + 1 + 1
    found, row = made(budget=whole, **sent)
    assert float(row["mean_cost"]) == whole
    assert found.rows[0]["cost"]["unique_char"] == sum(map(len, bodies))
    assert float(row["macro_recall"]) == 1
    found, row = made(budget=whole - 1, **sent)
    first = found.chunks["small"][found.contexts["small", "all", "both", "s"][0].chunks[0]].body
    assert float(row["mean_cost"]) == 2 + 6 + len(first)
    page = found.files["report.html"].decode()
    assert "sends a context as one text" in page
    assert "what separates and frames the passages counts too" in page


def test_no_character_of_a_template_is_evidence():
    """The header says all that is wanted, and the context is empty of it."""
    section = {**SECTION, "select": {"s": {"budget": 40, "header": "Fees are due."}}}
    section["arms"] = [{"name": "a", "chunk": "small", "eligibility": "all", "fuse": "both", "select": "s"}]
    section["chunk"] = {"small": {"method": "sentence"}}
    silent = dataclasses.replace(DATASET, queries=[query("q", "nothing")])
    (row,) = run({"experiments": {"one": {"dataset": "nowhere"}}, "one": section}, silent).rows
    assert (row["context"], row["recall"], row["cost"]["char"]) == ([], 0, 13)
