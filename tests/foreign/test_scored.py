"""An arm's own candidates, exported and scored as the run of another, have the numbers of the arm."""

import csv
import functools
import io
import json
from importlib.metadata import version
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import spanledger.experiment
from dataset_folder import document, query, quote, write
from spanledger.core.errors import InputError
from spanledger.core.files import file_sha256
from spanledger.engine import params, plan
from spanledger.exports.levels import Exporter, of_candidates
from spanledger.exports.trec import run_lines
from spanledger.foreign.scored import Options, score_run

PROJECT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ("evidence_mapping", "fusion", "structure_lab", "granularity")
SAME = ("query_id", "candidate_count", "context", "required", "recall", "covered_at", "first_rank", "tags", "no_answer")
# What else is the same where the run's items are chunks of ours: all that a chunk table tells.
OF_TABLE = ("covered", "best_single", "attainable", "random", "cost", "not_current", "skipped", "candidate_char")
SPAN_METRICS = ["char_recall", "char_iou", "precision_omega", "precision_omega_published"]
UNKNOWN = {"not_matched", "below_depth"}


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(PROJECT)


@functools.cache
def ran(experiment):
    settings = params.load(PROJECT / "params.yaml")
    dataset = PROJECT / settings["experiments"][experiment]["dataset"]
    return settings[experiment], spanledger.experiment.run(settings, dataset, experiment)


def rows_of(results, arm):
    return [row for row in results.rows if row["arm"] == arm.name]


def table(data):
    (row,) = csv.DictReader(io.StringIO(data.decode()))
    return row


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_chunk_level_run_of_ours(experiment, tmp_path):
    section, results = ran(experiment)
    for arm in plan.arms(section):
        chunks = results.chunks[arm.chunk]
        held = results.dataset
        coverage = section["score"]["coverage"]
        exporter = Exporter(chunks, results.documents, held.queries, held.golds, held.judgements, coverage)
        lists = of_candidates(results.candidates[arm.chunk, arm.eligibility, arm.fuse], chunks)
        path = tmp_path / "ours.run"
        path.write_text("".join(f"{line}\n" for line in run_lines(exporter.run(lists, "chunk"), "t")), encoding="utf-8")
        scored = score_run(path, experiment, Options(arm=arm.name, chunk=arm.chunk))
        for row, own in zip(scored.rows, rows_of(results, arm), strict=True):
            assert [row[name] for name in (*SAME, *OF_TABLE)] == [own[name] for name in (*SAME, *OF_TABLE)]
            for fact, ours in zip(row["facts"], own["facts"], strict=True):
                points = ("fact_id", "index", "candidates", "context")
                assert [fact[name] for name in points] == [ours[name] for name in points]
                if ours["cause"] in UNKNOWN:
                    assert fact["cause"] == "not_retrieved"
                elif ours["cause"] != "demoted":
                    assert fact["cause"] == ours["cause"]
                else:
                    assert fact["cause"] in ("crowded_out", "does_not_fit", "outside_top_k")
        numbers, csv_rows = (
            table(scored.files["arms.csv"]),
            csv.DictReader(io.StringIO(results.files["arms.csv"].decode())),
        )
        (ours,) = (row for row in csv_rows if row["arm"] == arm.name)
        for name in (
            "macro_recall_index",
            "macro_recall_candidates",
            "macro_recall",
            "mrr",
            "mean_cost",
            "smallest_index",
        ):
            assert numbers[name] == ours[name]
        assert numbers["term_checks"] == numbers["index_terms"] == ""


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_spans_of_ours(experiment, tmp_path):
    section, results = ran(experiment)
    for arm in plan.arms(section):
        path = tmp_path / "ours.jsonl"
        entries = [
            {"query_id": row["query_id"], "rank": one["rank"], **{n: one[n] for n in ("doc_id", "version", "spans")}}
            for row in rows_of(results, arm)
            for one in row["candidates"]
        ]
        path.write_text("".join(f"{json.dumps(entry)}\n" for entry in reversed(entries)), encoding="utf-8")
        scored = score_run(path, experiment, Options(arm=arm.name))
        for row, own in zip(scored.rows, rows_of(results, arm), strict=True):
            names = [name for name in SAME if name != "context"]
            assert [row[name] for name in names] == [own[name] for name in names]
            for point in ("candidates", "context"):
                assert row["covered"][point] == own["covered"][point]
                assert [fact[point] for fact in row["facts"]] == [fact[point] for fact in own["facts"]]
            assert row["attainable"] == {**own["attainable"], "index": None}
            assert row["covered"]["index"] is row["best_single"] is None
            assert {fact["index"] for fact in row["facts"]} <= {None}
            assert all(candidate["index_entry_id"] is None for candidate in row["candidates"])
            assert row["cost"]["unique_char"] == own["cost"]["unique_char"]
            for fact, ours in zip(row["facts"], own["facts"], strict=True):
                if ours["cause"] in (*UNKNOWN, "not_chunked"):
                    assert fact["cause"] == "not_retrieved"
                elif ours["cause"] != "demoted":
                    assert fact["cause"] == ours["cause"]
        numbers = table(scored.files["arms.csv"])
        assert numbers["facts_in_index"] == numbers["macro_recall_index"] == numbers["complete_at_1_ceiling"] == ""
        assert "what else could have been found is not known" in scored.files["diagnostics.json"].decode()


@pytest.mark.parametrize(
    "selector",
    [
        {"budget": 200, "unit": "char", "merge": True},
        {"top_k": 2, "parent": "paragraph"},
        {"budget": 240, "unit": "char", "redundancy": "drop"},
        {"top_k": 2, "mmr": {"weight": 0.5, "analyzer": "ascii_words"}},
    ],
)
def test_every_form_of_context(selector, tmp_path):
    section = {
        "chunk": {
            "overlap": {"method": "window", "unit": "char", "chunk_size": 80, "chunk_overlap": 40},
            "paragraph": {"method": "paragraph"},
        },
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
        "fuse": {"single": {"branches": ["bm25"]}},
        "select": {"one": selector},
        "score": {"coverage": {"rule": "span"}, "cost": {"unit": "char"}, "span_metrics": SPAN_METRICS},
        "report": {"primary": {"metric": "macro_recall"}},
        "arms": [{"name": "ours", "chunk": "overlap", "eligibility": "all", "fuse": "single", "select": "one"}],
    }
    if "parent" not in selector:
        del section["chunk"]["paragraph"]
    dataset = PROJECT / "fixtures" / "evidence_mapping"
    settings = {"experiments": {"e": {"dataset": str(dataset)}}, "e": {"normalise": {}, **section}}
    results = spanledger.experiment.run(settings)
    with (tmp_path / "params.yaml").open("w", encoding="utf-8") as stream:
        YAML().dump(settings, stream)
    path = tmp_path / "ours.jsonl"
    entries = [
        {"query_id": r["query_id"], "score": one["score"], "rank": one["rank"], "doc_id": one["doc_id"]}
        | {"version": one["version"], "start": one["spans"][0][0], "end": one["spans"][0][1]}
        for r in results.rows
        for one in r["candidates"]
    ]
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    scored = score_run(path, "e", Options(select="one"), tmp_path / "params.yaml")
    names = ["query_id", "recall", "covered_at", "first_rank", "cost", "candidate_char", "not_current"]
    for row, own in zip(scored.rows, results.rows, strict=True):
        assert [row[name] for name in names] == [own[name] for name in names]
        assert [f["context"] for f in row["facts"]] == [f["context"] for f in own["facts"]]
        spans = [[(p["doc_id"], p["spans"], p["char"]) for p in r.get("passages", ())] for r in (row, own)]
        assert spans[0] == spans[1] and bool(spans[0]) <= ("merge" in selector or "parent" in selector)
    assert any(row["cost"]["char"] for row in scored.rows)
    theirs, ours = table(scored.files["arms.csv"]), table(results.files["arms.csv"])
    assert theirs["char_recall"] == ours["char_recall"] != "" and theirs["char_iou"] == ours["char_iou"]
    assert theirs["precision_omega"] == theirs["precision_omega_published"] == "" != ours["precision_omega"]


def test_a_document_level_run(tmp_path):
    """fusion: a passage is a whole document, so that documents are its chunks."""
    section, results = ran("fusion")
    arm = plan.arm(section, "rrf-d4")
    path = tmp_path / "documents.run"
    lines = [
        f"{row['query_id']} Q0 {one['doc_id']}@{one['version']} {one['rank']} {-one['rank']} t\n"
        for row in rows_of(results, arm)
        for one in row["candidates"]
    ]
    path.write_text("".join(sorted(lines)), encoding="utf-8")
    scored = score_run(path, "fusion", Options(select="chars140", eligibility="public_current"))
    for row, own in zip(scored.rows, rows_of(results, arm), strict=True):
        assert [row[name] for name in (*SAME, *OF_TABLE)] == [own[name] for name in (*SAME, *OF_TABLE)]
    assert score_run(path, "fusion", Options(arm="rrf-d4")).files.keys() == scored.files.keys()


def test_the_same_input_gives_the_same_bytes(tmp_path):
    path = tmp_path / "a.csv"
    lines = ["two-facts,logs,0,120", "two-facts,retry,0,40", "boundary-condition,retry,0,40"]
    header = "query_id,doc_id,version,start,end,score"
    rows = [line.replace(",0,", ",v2,0,") + ",1" for line in lines]
    made = []
    for order in (rows, rows[::-1]):
        path.write_text("\n".join([header, *order]), encoding="utf-8")
        found = score_run(path, "evidence_mapping", Options(arm="overlap+current+single+chars240")).files
        made.append({name: data for name, data in found.items() if name.endswith((".csv", "queries.jsonl"))})
    assert made[0] == made[1]


def test_provenance_names_what_the_numbers_come_from(tmp_path):
    path = tmp_path / "empty.run"
    path.write_bytes(b"")
    scored = score_run(path, "fusion", Options(arm="rrf-d4", name="theirs"))
    told = json.loads(scored.files["provenance.json"])
    assert told["run"] == {
        "file": "empty.run",
        "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "format": "trec",
        "level": "document",
        "order": "line",
    }
    assert told["options"]["name"] == "theirs" and "fixtures/fusion/documents.jsonl" in told["inputs"]
    assert told["parameters"]["fusion"]["arms"][0]["select"] == "chars140"
    assert "workflow/spanledger/foreign/passages.py" in told["code"]
    assert {"plugins/README.md", "tokenizers/README.md"} <= told["inputs"].keys() and told["tokenizers"] == {}
    assert told["counts"]["missing"] == 8 and table(scored.files["arms.csv"])["macro_recall"] == "0.0"
    assert str(tmp_path).encode() not in b"".join(scored.files.values())
    assert {row["arm"] for row in scored.rows} == {"theirs"}


def test_provenance_names_plugins_tokenizers_and_other_libraries(tmp_path, monkeypatch):
    """What chose and counted by another's code: the run is one of chunks that a library cut."""
    pytest.importorskip("semchunk", reason="the extra semchunk is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "mine.py").write_text("def first(query, candidates, budget, top_k):\n    return [0]\n")
    section = {
        "normalise": {},
        "chunk": {"c": {"method": "semchunk", "version": version("semchunk"), "chunk_size": 400}},
        "eligibility": {"e": {}},
        "index": {"i": {"analyzer": "ascii_words"}},
        "retrieve": {"r": {"index": "i", "scorer": "bm25"}},
        "fuse": {"f": {"branches": ["r"]}},
        "select": {"s": {"method": "plugins.mine:first", "budget": 900, "unit": "tiktoken/cl100k_base"}},
        **{"score": {}, "report": {}, "arms": "grid"},
    }
    dataset = str(PROJECT / "fixtures" / "fusion")
    (tmp_path / "params.yaml").write_text(json.dumps({"experiments": {"x": {"dataset": dataset}}, "x": section}))
    (tmp_path / "empty.run").write_bytes(b"")
    scored = score_run(tmp_path / "empty.run", "x", Options(select="s", chunk="c"))
    told = json.loads(scored.files["provenance.json"])
    assert told["inputs"]["plugins/mine.py"] == file_sha256("plugins/mine.py")
    assert told["libraries"]["semchunk"] == version("semchunk")
    assert list(told["tokenizers"]) == ["tiktoken/cl100k_base"]


def test_a_budget_that_no_document_fits_is_told(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("lost-at-boundary Q0 x 1 1 t\n", encoding="utf-8")
    _, results = ran("evidence_mapping")
    longest = max(results.documents, key=lambda d: (len(d.text), d.current))
    path.write_text(f"two-facts Q0 {longest.doc_id}@{longest.version} 1 1 t\n", encoding="utf-8")
    assert len(longest.text) > 240
    scored = score_run(path, "evidence_mapping", Options(select="chars240", eligibility="all"))
    assert scored.unfit == 1
    assert "because none fits the selector's budget: 1" in scored.files["diagnostics.json"].decode()


def faults(path, experiment, **options):
    with pytest.raises(InputError) as caught:
        score_run(path, experiment, Options(**options))
    return [f"{problem.file}: {problem.message}" for problem in caught.value.problems]


def test_all_faults_of_options_and_file_at_once(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("two-facts Q0 logs 1\n", encoding="utf-8")
    found = faults(path, "evidence_mapping", arm="overlap+all+single", chunk="fixd", offset_unit="byte")
    assert [line.split(":")[0] for line in found] == ["--arm", "--chunk", "--offset-unit", str(path)]
    assert "did you mean 'fixed'" in found[1]
    assert "expected either --arm or --select" in faults(path, "evidence_mapping")[0]
    assert "is needed, because arms with the selector top2 differ" in faults(path, "evidence_mapping", select="top2")[0]
    assert "no such file" in faults(tmp_path / "none.run", "fusion", arm="rrf-d4")[0].lower()
    with pytest.raises(InputError, match="did you mean 'fusion'"):
        score_run(path, "fusio", Options(arm="rrf-d4"))


def test_a_leak_fails_unless_it_is_dropped(tmp_path):
    section, results = ran("fusion")
    outdated = next(document for document in results.documents if not document.current)
    query = results.dataset.queries[0].query_id
    path = tmp_path / "a.run"
    path.write_text(f"{query} Q0 {outdated.doc_id}@{outdated.version} 1 1 t\n", encoding="utf-8")
    (found,) = faults(path, "fusion", arm="rrf-d4")
    assert "leak: " in found
    scored = score_run(path, "fusion", Options(arm="rrf-d4", drop_forbidden=True))
    assert scored.counts["forbidden"] == 1
    assert (
        "entries that the asker may not have, which were dropped (the run leaks): 1"
        in scored.files["diagnostics.json"].decode()
    )
    assert score_run(path, "fusion", Options(arm="rrf-d4-unfiltered")).counts["forbidden"] == 0


def test_faults_of_lines_and_of_what_they_name_are_told_at_once(tmp_path):
    path = tmp_path / "bad.csv"
    rows = ["two-facts,logs,0,5,v2,x", "no-such,logs,0,5,v2,1", "two-facts,logs,0,5,v2,1_0", "two-facts,logs,0,5,v9,"]
    path.write_text("\n".join(["query_id,doc_id,start,end,version,score", *rows]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        score_run(path, "evidence_mapping", Options(select="chars240", eligibility="all"))
    found = [(problem.line, problem.record, problem.field) for problem in caught.value.problems]
    assert found == [
        (2, "", "score"),
        (3, "query 'no-such'", ""),
        (4, "", "score"),
        (5, "", "score"),
        (5, "query 'two-facts'", ""),
    ]


def test_a_chunking_of_the_name_of_what_a_run_has(plugins_in, tmp_path):
    """The table of the run has another name than the parents that a selector gives: whole documents, not two characters."""
    write(tmp_path / "data", [document("a b", "d")], [query(quote("b", "d"))])
    chunks = {"documents": {"method": "window", "unit": "char", "chunk_size": 2, "chunk_overlap": 0}}
    lay_out({"up": {"top_k": 1, "parent": "documents"}}, chunks)
    Path("a.run").write_text("q Q0 d 1 2 t\n", encoding="utf-8")
    scored = score_run(Path("a.run"), "x", Options(select="up"))
    told = json.loads(scored.files["provenance.json"])["parameters"]["x"]
    assert told["chunk"]["documents"]["method"] == "window"
    assert told["chunk"]["documents of the run"] == {"method": "document"}
    assert [row["chunk"] for row in [table(scored.files["arms.csv"])]] == ["documents of the run"]
    assert scored.rows[0]["covered"] == {"index": 1, "candidates": 1, "context": 1}


def lay_out(select, chunk=None):
    """params.yaml of the current folder, with the dataset data and these settings of select and chunk."""
    section = {
        "normalise": {},
        "chunk": chunk or {"whole": {"method": "document"}},
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
        "fuse": {"single": {"branches": ["bm25"]}},
        "select": select,
        "score": {},
        "report": {},
        "arms": "grid",
    }
    with Path("params.yaml").open("w", encoding="utf-8") as stream:
        YAML().dump({"experiments": {"x": {"dataset": "data"}}, "x": section}, stream)
