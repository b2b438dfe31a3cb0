"""The command: what is chosen, what is refused, and that a pipe gets plain text."""

import contextlib
import io
import json
import shutil

import orjson
import pytest
from explain_projects import PROJECT, make_project
from rich.cells import cell_len

from spanledger.cli import main
from spanledger.cli.explain import explain
from spanledger.core.errors import InputError
from spanledger.explain.results import ResultsFolder
from spanledger.snapshot import Workspace

TRAIL = {
    "kind": str,
    "experiment": str,
    "revision": type(None),
    "outdated": list,
    "arm": dict,
    "query": dict,
    "facts": list,
    "eligibility": dict,
    "branches": list,
    "candidates": dict,
    "selection": dict,
    "context": dict,
    "chunks": list,
    "result": dict,
    "warnings": list,
}


@pytest.fixture
def printed(projects, monkeypatch, capfdbinary):
    """What the command prints in the project of an experiment."""

    def of(experiment, *arguments):
        monkeypatch.chdir(projects(experiment))
        with pytest.raises(SystemExit) as ended:
            main(["explain", experiment, *arguments])
        assert ended.value.code == 0
        return capfdbinary.readouterr().out.decode()

    return of


@pytest.fixture
def project(tmp_path):
    """A project of its own, to be spoilt."""
    return make_project(tmp_path, "evidence_mapping")


def keys(value, place=""):
    """Every key in a value with its path; the entries of a list share one."""
    if isinstance(value, dict):
        return set().union({f"{place}.{k}" for k in value}, *(keys(v, f"{place}.{k}") for k, v in value.items()))
    return set().union(*(keys(entry, f"{place}[]") for entry in value)) if isinstance(value, list) else set()


class TestChoice:
    def test_all_queries(self, projects):
        told = explain("evidence_mapping", project=projects("evidence_mapping"))
        assert [query["query_id"] for query in told["queries"]] == [
            "boundary-condition",
            "two-facts",
            "current-version",
            "no-evidence",
        ]
        assert len(told["arms"]) == 12 and told["arms"][0] == "fixed+all+single+chars240"
        by_arm = {arm["arm"]: arm for arm in told["queries"][1]["arms"]}
        lost = by_arm["overlap+current+single+chars240"]
        assert (lost["required"], lost["covered"]) == (2, {"index": 2, "candidates": 2, "context": 1})
        assert lost["lost"] == [{"fact_id": "logs-export-json", "cause": "crowded_out"}]

    def test_one_arm_s_queries(self, projects):
        told = explain("evidence_mapping", "paragraph+current+single+top2", project=projects("evidence_mapping"))
        assert told["arms"] == ["paragraph+current+single+top2"]
        assert [arm["lost"] for query in told["queries"] for arm in query["arms"]] == [[], [], [], []]

    def test_one_query_over_the_arms(self, projects):
        told = explain("fusion", query="two-facts", project=projects("fusion"))
        recalls = {arm["arm"]: arm["recall"] for arm in told["arms"]}
        assert recalls["rrf-rule-d4"] == 1.0 and recalls["rrf-d4"] == 0.5  # published
        assert told["facts"][0]["support"][0][0]["text"] == "Logs retention is 7 days."

    def test_an_only_arm_needs_no_name(self, tmp_path):
        def change(section):
            section["chunk"] = {"paragraph": {"method": "paragraph"}}
            section["eligibility"] = {"all": {}}
            section["select"] = {"top2": {"top_k": 2}}

        made = make_project(tmp_path, "evidence_mapping", change)
        assert explain("evidence_mapping", query="two-facts", project=made)["kind"] == "trail"


class TestJson:
    def test_it_parses_and_has_the_documented_keys(self, printed):
        told = json.loads(printed("fusion", "--arm", "rrf-rule-d2", "--query", "two-facts", "--json"))
        assert {name: type(value) for name, value in told.items()} == TRAIL
        assert list(told) == list(TRAIL)  # in this order

    @pytest.mark.parametrize(
        "experiment, arm, query",
        [
            ("fusion", "rrf-rule-d2", "two-facts"),
            ("evidence_mapping", "overlap+current+single+top2", "two-facts"),
            ("structure_lab", "structured+asker+single+top3", "q6"),
            ("granularity", "para_90+all+single+top3", "m2"),
        ],
    )
    def test_every_key_is_in_the_page_of_keys(self, projects, experiment, arm, query):
        page = (PROJECT / "docs" / "explain.md").read_text(encoding="utf-8")
        for chosen in ((arm, query), (None, query), (None, None)):
            told = json.loads(orjson.dumps(explain(experiment, *chosen, project=projects(experiment))))
            free = (
                "arm.parameters.",
                "ranks.",
                "rrf.",
                "terms.",
                "weights.",
                "features.",
                "points.",
                "needed.",
                "cost.",
            )
            missing = {
                key
                for key in keys(told)
                if f"`{key.rpartition('.')[2]}`" not in page and not any(f in key for f in free)
            }
            assert missing == set()

    def test_two_runs_give_the_same_bytes(self, printed):
        arguments = ("--arm", "para_90+all+single+top3", "--query", "m2", "--json")
        assert printed("granularity", *arguments) == printed("granularity", *arguments)

    def test_texts_are_whole(self, printed):
        arguments = ("fixed_500+all+single+top3", "--query", "m2")
        told = json.loads(printed("granularity", "--json", "--arm", *arguments))
        assert max(len(chunk["text"]) for chunk in told["chunks"]) == 500
        assert "…”" in printed("granularity", "--arm", *arguments)


class TestTerminal:
    def test_a_pipe_gets_no_escape_codes_and_lines_that_fit(self, printed):
        for experiment, arguments in (
            ("fusion", ("--arm", "rrf-rule-d4", "--query", "two-facts")),
            ("fusion", ("--query", "two-facts")),
            ("evidence_mapping", ()),
            ("granularity", ("--arm", "overlap_50_15+all+single+top3", "--query", "m2")),
        ):
            text = printed(experiment, *arguments)
            assert "\x1b" not in text
            assert max(map(cell_len, text.splitlines())) <= 100

    def test_columns_stand_below_each_other_in_chinese_too(self, printed):
        text = printed("granularity", "--arm", "overlap_50_15+all+single+top3")
        rows = [line for line in text.splitlines() if "“" in line]
        assert len(rows) == 14 and len({cell_len(row) for row in rows if row.endswith(" ")}) == 1

    def test_what_a_reader_looks_for(self, printed):
        text = printed("evidence_mapping", "--arm", "overlap+current+single+chars240", "--query", "two-facts")
        for line in (
            "F2 logs-export-json  index yes  candidates yes  context NO",
            "  logs v2 [187,213) “Export format: JSON lines.” (context lacks [187,213))",
            "index  overlap, current: 9 of 12 chunks; kept out: 3 by versions",
            "  holds evidence, but no searched term: #6 retention v2 [0,24)",
        ):
            assert line in text.splitlines()
        assert "  lost: crowded_out (crowded out by repeats); kept with budget 333 (now 240)" in text.splitlines()
        assert "    3   #2 logs v2 [120,213)   does not fit     93      0   * F2" in text

    def test_terms_of_synonyms_and_fused_ranks(self, printed):
        text = printed("fusion", "--arm", "rrf-d4", "--query", "synonym-only")
        assert "revoke~" in text and "(~ by a synonym group)" in " ".join(text.split())
        assert "expanded_d4 1: 0.0163934" in " ".join(text.split())  # 1/61


class TestBadInput:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            (("evidence_maping",), "did you mean 'evidence_mapping'"),
            (("evidence_mapping", "overlap+curent+single+top2"), "did you mean 'overlap+current+single+top2'"),
            (("evidence_mapping", None, "two-fact"), "query 'two-fact': did you mean 'two-facts'"),
            (("evidence_mapping", None, None, -1), "expected a number from 0, found -1"),
        ],
    )
    def test_unknown_names(self, projects, arguments, message):
        with pytest.raises(InputError, match=message.replace("+", r"\+")):
            explain(*arguments, project=projects("evidence_mapping"))

    def test_it_ends_with_status_1_and_no_traceback(self, projects, monkeypatch, capsys):
        monkeypatch.chdir(projects("fusion"))
        with pytest.raises(SystemExit, match="spanledger: 1 problem found:\n.*did you mean 'fusion'"):
            main(["explain", "fusoin"])

    def test_no_results(self, project):
        shutil.rmtree(project / "results")
        with pytest.raises(InputError, match="there are no results: run make repro"):
            explain("evidence_mapping", project=project)

    @pytest.mark.parametrize("name", ["chunk/overlap.jsonl", "normalise/facts.jsonl", "validate/documents.jsonl"])
    def test_one_changed_byte(self, project, name):
        path = project / "results/evidence_mapping" / name
        path.write_bytes(path.read_bytes().replace(b"logs", b"logz", 1))
        with pytest.raises(InputError, match=f"{name}: is not the file of the run that was scored"):
            explain("evidence_mapping", "overlap+all+single+top2", "two-facts", project=project)

    def test_a_missing_file(self, project):
        (project / "results/evidence_mapping/fuse/overlap/all/single.jsonl").unlink()
        with pytest.raises(InputError, match=r"single.jsonl: is missing: run make repro"):
            explain("evidence_mapping", "overlap+all+single+top2", "two-facts", project=project)

    def test_stages_of_different_runs(self, project):
        path = project / "results/evidence_mapping/provenance/retrieve.json"
        record = json.loads(path.read_bytes())
        record["parameters"]["evidence_mapping.retrieve"]["shared_terms"]["depth"] = 3
        path.write_bytes(orjson.dumps(record))
        with pytest.raises(InputError, match="evidence_mapping.retrieve: the stages retrieve and score were run with"):
            explain("evidence_mapping", project=project)


class TestOutdated:
    def test_results_older_than_params_are_told_and_explained_by_their_own_parameters(
        self, project, monkeypatch, capfd
    ):
        raw = orjson.loads((project / "params.yaml").read_bytes())
        raw["evidence_mapping"]["select"]["chars240"]["budget"] = 333
        (project / "params.yaml").write_bytes(orjson.dumps(raw))
        arguments = ("overlap+current+single+chars240", "two-facts")
        told = explain("evidence_mapping", *arguments, project=project)
        field = "evidence_mapping.select.chars240.budget"
        assert told["outdated"] == [{"field": field, "results": 240, "params": 333}]
        assert told["selection"]["budget"] == 240 and told["facts"][1]["cause"] == "crowded_out"
        monkeypatch.chdir(project)
        with contextlib.suppress(SystemExit):
            main(["explain", "evidence_mapping", "--arm", arguments[0], "--query", arguments[1]])
        first = " ".join(capfd.readouterr().out.split())
        assert first.startswith(
            f"! made with other parameters than params.yaml has now ({field} was 240, is 333): make repro renews them"
        )

    def test_a_setting_that_came_or_went(self, project):
        raw = orjson.loads((project / "params.yaml").read_bytes())
        section = raw["evidence_mapping"]
        section["eligibility"]["now"] = section["eligibility"].pop("current")
        (project / "params.yaml").write_bytes(orjson.dumps(raw))
        told = {
            f["field"].rpartition("eligibility.")[2]: f
            for f in explain("evidence_mapping", project=project)["outdated"]
        }
        assert (told["current.versions"]["results"], told["current.versions"]["params"]) == ("current", None)
        assert (told["now.versions"]["results"], told["now.versions"]["params"]) == (None, "current")

    def test_scores_that_this_code_does_not_give(self, project):
        """As from another machine's logarithm: the digests agree with each other, the scores with nothing."""
        results = ResultsFolder("evidence_mapping", Workspace(project))
        run = results.run(results.arm("overlap+all+single+top2"), results.query("two-facts"))
        changed = run.rankings["shared_terms"]
        other = type(changed)(changed.query_id, changed.chunks, tuple(score + 1 for score in changed.scores))
        from dataclasses import replace

        from spanledger.explain.trail import trail

        assert trail(run, 10)["warnings"] == []
        (warning,) = trail(replace(run, rankings={"shared_terms": other}), 10)["warnings"]
        assert warning.startswith("branch shared_terms: this code ranks otherwise than the results say")


def test_evidence_that_is_filtered_out_says_by_what(tmp_path):
    """The fact of current-version moved into an outdated document."""
    dataset = shutil.copytree(PROJECT / "fixtures/evidence_mapping", tmp_path / "dataset")
    lines = [json.loads(line) for line in io.StringIO((dataset / "queries.jsonl").read_text())]
    old = {"doc_id": "retention", "version": "v1", "start": 0, "end": 59}
    for line in lines:
        if line["query_id"] == "current-version":
            line["facts"][0]["support"] = [[old]]
    (dataset / "queries.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    made = make_project(tmp_path / "project", "evidence_mapping", dataset=dataset)
    told = explain("evidence_mapping", "overlap+current+single+top2", "current-version", project=made)
    (fact,) = told["facts"]
    ((evidence,),) = fact["support"]
    assert (fact["cause"], evidence["excluded_by"]) == ("ineligible", ["versions"])
    assert fact["needed"] == {"eligibility": ["versions"]}
    assert evidence["text"] == "Current logs retention policy: archive copies stay 30 days."
    assert evidence["index"] == {"covered": False, "missing": [(0, 59)], "terms": None}
    holding = [(c["version"], c["spans"], c["excluded_by"]) for c in told["chunks"] if c["holds"]]
    assert holding == [("v1", ((0, 120),), ["versions"])]
