"""`spanledger reanchor` from the command line: one dataset of two versions, two datasets, a folder of texts, bad input."""

import json
from pathlib import Path

import pytest

from dataset_folder import document, query, span, write
from spanledger.cli import main
from spanledger.dataset import load

OLD = "é The port is 80 by default.\nThe limit is five requests.\nIt was removed long ago, 2019.\n"
NEW = "é Note.\n\nThe port is 80 by default.\nThe limit is seven requests.\n"
PORT, LIMIT, GONE = span(2, 28), span(29, 56), span(57, 87)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    queries = [
        query(PORT, query_id="port", tags=["a", "b"], groups=["g"], position=1),
        query(LIMIT, query_id="limit", position=2),
        query(PORT, GONE, query_id="two", position=3),
        query(query_id="none", position=4, no_answer="absent"),
        query(span(9, 35, version="v2"), query_id="new", position=5),
    ]
    documents = [document(OLD), document(NEW, version="v2")]
    return write(tmp_path / "both", documents, queries, settings={"name": "x", "current_versions": {"d": "v2"}})


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(["reanchor", *map(str, arguments)])
    return caught.value.code, capsys.readouterr().out


def test_one_dataset_with_two_versions(folder, capsys):
    code, told = run(capsys, "both", "--from", "v1", "--out", "gold.jsonl")
    assert code == 0
    assert told.splitlines() == [
        "3 facts: 0 unchanged, 1 moved, 0 ambiguous, 1 changed, 1 gone",
        "  moved      port f: d v1 [2, 28) -> v2 [9, 35): the only place",
        "  changed    limit f: d v1 [29, 56): the text is another one",
        "             nearest v2 [36, 64), 91% alike: The limit is [-five-]{+seven+} requests.",
        "  moved      two f: d v1 [2, 28) -> v2 [9, 35): the only place",
        "  gone       two f: d v1 [57, 87): nothing in the document is like it",
        "             It was removed long ago, 2019.",
        "1 questions with all of their facts, 4 left out",
        "  limit: f is changed",
        "  two: f is gone",
        "  none: it has no facts: that one version holds no answer says nothing of another",
        "  new: it has facts of other versions",
        "written: gold.jsonl",
    ]
    assert [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()] == [
        {
            "query_id": "port",
            "text": "what?",
            "facts": [
                {
                    "fact_id": "f",
                    "support": [[{**span(9, 35, version="v2"), "text": "The port is 80 by default."}]],
                }
            ],
            "position": 1,
            "groups": ["g"],
            "tags": ["a", "b"],
        }
    ]


def test_the_new_gold_is_a_dataset_again(folder, capsys):
    run(capsys, "both", "--out", "gold.jsonl")
    Path("both/queries.jsonl").write_bytes(Path("gold.jsonl").read_bytes())
    dataset = load(folder)
    assert [(one.query_id, one.facts[0].support[0][0].span) for one in dataset.golds] == [
        ("port", (9, 35)),
        ("new", (9, 35)),
    ]
    assert run(capsys, "both")[1].splitlines()[0] == "2 facts: 2 unchanged, 0 moved, 0 ambiguous, 0 changed, 0 gone"


def test_back_to_a_version_that_is_not_current(folder, capsys):
    run(capsys, "both", "--from", "v2", "--to", "v1", "--out", "gold.jsonl")
    (record,) = map(json.loads, Path("gold.jsonl").read_text().splitlines())
    assert (record["query_id"], record["versions"]) == ("new", ["v1"])
    assert record["facts"][0]["support"] == [[{**span(2, 28), "text": "The port is 80 by default."}]]


def test_another_dataset_with_offsets_in_bytes(folder, capsys):
    write(folder.parent / "later", [document(NEW, version="v3")], settings={"name": "y", "offset_unit": "byte"})
    code, told = run(capsys, "both", "later", "--from", "v1", "--out", "gold.jsonl")
    assert (code, told.splitlines()[1]) == (0, "  moved      port f: d v1 [2, 28) -> v3 [9, 35): the only place")
    Path("later/queries.jsonl").write_bytes(Path("gold.jsonl").read_bytes())
    (record,) = map(json.loads, Path("gold.jsonl").read_text().splitlines())
    assert record["facts"][0]["support"][0][0]["start"] == 10  # é has two bytes
    assert load("later").golds[0].facts[0].support[0][0].span == (9, 35)


def test_a_folder_of_texts_and_json(folder, capsys):
    Path("texts").mkdir()
    Path("texts/d").write_text(NEW, encoding="utf-8")
    code, told = run(capsys, "both", "texts", "--from", "v1", "--json")
    told = json.loads(told)
    assert code == 0
    assert told["counts"] == {"unchanged": 0, "moved": 1, "ambiguous": 0, "changed": 1, "gone": 1}
    assert (told["queries"], told["written"]) == (["port"], None)
    assert [entry["query_id"] for entry in told["left_out"]] == ["limit", "two", "none", "new"]
    (moved,), (gone,) = told["facts"][2]["support"]
    assert moved == {
        "status": "moved",
        "how": "the only place",
        "text": "The port is 80 by default.",
        "old": span(2, 28),
        "new": span(9, 35, version="texts"),
        "places": [],
        "nearest": None,
    }
    assert (gone["status"], gone["new"]) == ("gone", None)
    assert told["facts"][1]["support"][0][0]["nearest"] == {
        **span(36, 64, version="texts"),
        # "The limit is ", "ve" (of five and seven) and " requests." are common: 25 of 27 and 28 characters
        "similarity": round(2 * 25 / 55, 2),
        "difference": "The limit is [-five-]{+seven+} requests.",
    }
    assert run(capsys, "both", "texts", "--to", "v9", "--from", "v1")[1].splitlines()[1].count("-> v9 [9, 35)") == 1


def test_a_folder_of_texts_holds_other_files_too(tmp_path, monkeypatch, capsys):
    """Those that are no texts, and texts in an encoding of their own."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "old", [document("端口 80。", doc_id="a.RST")], [query(span(0, 5, doc_id="a.RST"))])
    Path("new").mkdir()
    Path("new/a.RST").write_bytes("新：端口 80。".encode("gb18030"))
    Path("new/b.md").write_bytes("无".encode("gb18030"))
    Path("new/logo.png").write_bytes(b"\x89PNG\xff")
    assert "1 moved" in run(capsys, "old", "new", "--encoding", "gb18030")[1]
    refused = run(capsys, "old", "new")[0]
    assert "a.RST: is no UTF-8 at byte 0; if it has another encoding, name it by --encoding" in refused
    assert "b.md: is no UTF-8" in refused and "logo.png" not in refused


def test_bad_input_is_told_and_nothing_is_written(folder, capsys):
    assert (
        "--to: no document has the version 'v3': did you mean 'v2'? valid: v1, v2"
        in run(capsys, "both", "--to", "v3")[0]
    )
    code = run(capsys, "both", "--from", "v3", "--out", "gold.jsonl")[0]
    assert "--from: no fact of both is of the version 'v3'" in code
    assert "nowhere: expected a folder, or a tar archive, of documents" in run(capsys, "both", "nowhere")[0]
    assert "nowhere: no such folder: expected a dataset folder" in run(capsys, "nowhere")[0]
    assert not Path("gold.jsonl").exists()
    Path("gold.jsonl").write_text("mine")
    assert "gold.jsonl: is there already: expected a name that is free" in run(capsys, "both", "--out", "gold.jsonl")[0]
    assert Path("gold.jsonl").read_text() == "mine"


def test_several_current_versions_need_a_name(folder, capsys):
    (folder / "dataset.yaml").write_text("name: x\ncurrent_versions: {d: [v1, v2]}\n")
    assert "--to: is needed, because 'd' has several current versions" in run(capsys, "both")[0]
    assert run(capsys, "both", "--from", "v1", "--to", "v2")[0] == 0
