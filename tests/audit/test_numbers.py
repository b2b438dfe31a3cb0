"""The number in the tables, and worked out anew from queries.jsonl and counters."""

import csv
import io
import json

import pytest
from in_memory import InMemory

from spanledger import run
from spanledger.audit.evidence import Files
from spanledger.audit.findings import Link
from spanledger.audit.numbers import Recount, named, table
from spanledger.audit.target import Target
from spanledger.core.errors import InputError
from spanledger.engine import params, plan

EXPERIMENT, ARM = "fusion", "rrf-rule-d2"
PLACE = f"results/{EXPERIMENT}"


@pytest.fixture(scope="module")
def section(project):
    return params.load(project / "params.yaml")[EXPERIMENT]


@pytest.fixture(scope="module")
def made(project):
    settings = params.load(project / "params.yaml")
    results = run(settings, project / "fixtures" / EXPERIMENT, EXPERIMENT)
    return {f"{PLACE}/{name}": data for name, data in results.files.items()}


def target(metric, arm=ARM):
    return Target(EXPERIMENT, "report", arm=arm, metric=metric)


def checked(files, section, metric, code=None):
    link = Link("number")
    Recount(Files(InMemory(files)), EXPERIMENT, section, code or {}).check_metric(link, target(metric))
    return link


def test_every_metric_is_worked_out_anew(made, section):
    row = table(EXPERIMENT, Files(InMemory(made)))[ARM]
    metrics = [name for name in row if name not in ("arm", "chunk", "eligibility", "fuse", "select")]
    assert {"macro_recall", "mean_cost", "lost_does_not_fit", "index_terms", "cost_unit"} <= set(metrics)
    for metric in metrics:
        link = checked(made, section, metric)
        assert link.findings == []
        assert f"worked out anew from queries.jsonl: {'null' if row[metric] is None else row[metric]}" in link.notes


def test_every_metric_that_was_changed_is_found(made, section):
    rows = list(csv.reader(io.StringIO(made[f"{PLACE}/arms.csv"].decode())))
    place = next(number for number, row in enumerate(rows) if row[0] == ARM)
    for column, metric in enumerate(rows[0]):
        if column < 5:
            continue
        changed = [list(row) for row in rows]
        changed[place][column] = "tokens" if metric == "cost_unit" else "0.123"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(changed)
        link = checked({**made, f"{PLACE}/arms.csv": text.getvalue().encode()}, section, metric)
        assert ("number_differs", f"{PLACE}/arms.csv") in {(f.verdict, f.path) for f in link.findings}, metric


def test_a_whole_number_where_a_share_stood_is_found(made, section):
    text = made[f"{PLACE}/arms.csv"].decode()
    assert text.count(",1.0,") > 0
    link = checked({**made, f"{PLACE}/arms.csv": text.replace(",1.0,", ",1,").encode()}, section, "macro_recall_index")
    assert [finding.verdict for finding in link.findings] == ["number_differs"]


def test_metrics_json_against_arms_csv(made, section):
    held = json.loads(made[f"{PLACE}/metrics.json"])
    held[EXPERIMENT][ARM]["macro_recall"] = 0.9
    files = {**made, f"{PLACE}/metrics.json": json.dumps(held).encode()}
    link = checked(files, section, "macro_recall")
    assert [(f.verdict, f.path) for f in link.findings] == [("number_differs", f"{PLACE}/metrics.json")]
    assert checked(files, section, "mrr").findings == []


def test_a_line_of_queries_jsonl_that_was_changed_makes_another_number(made, section):
    lines = made[f"{PLACE}/queries.jsonl"].splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if json.loads(line)["arm"] == ARM and json.loads(line)["required"])
    row = json.loads(lines[number])
    row["covered"]["context"] = 1 - row["covered"]["context"]
    lines[number] = json.dumps(row).encode() + b"\n"
    link = checked({**made, f"{PLACE}/queries.jsonl": b"".join(lines)}, section, "macro_recall")
    assert [(f.verdict, f.path) for f in link.findings] == [("number_differs", f"{PLACE}/arms.csv")]


def test_by_other_code_a_difference_is_told_and_proves_nothing(made, section):
    names = (f"{PLACE}/arms.csv", f"{PLACE}/metrics.json")
    files = {**made, **{name: made[name].replace(b"0.7857142857142857", b"0.75") for name in names}}
    link = checked(files, section, "macro_recall", {"workflow/spanledger/metrics.py": "0"})
    assert link.findings == []
    assert any("by other code than its run's (workflow/spanledger/metrics.py)" in note for note in link.notes)


def test_what_is_missing_or_torn_is_told(made, section):
    without = {path: data for path, data in made.items() if path != f"{PLACE}/queries.jsonl"}
    link = checked(without, section, "macro_recall")
    assert link.findings == [] and "not worked out anew: no such file" in link.notes
    torn = {**made, f"{PLACE}/queries.jsonl": made[f"{PLACE}/queries.jsonl"][:-9]}
    assert [f.verdict for f in checked(torn, section, "macro_recall").findings] == ["number_differs"]
    assert "not worked out anew" in checked(made, None, "macro_recall").notes[0]


def test_the_files_of_the_report_are_made_anew(made, section):
    def check(files, path):
        link = Link("number")
        Recount(Files(InMemory(files)), EXPERIMENT, section, {}).check_files(link, path)
        return link

    every = ", ".join(plan.WRITES["report"])
    assert check(made, PLACE).notes[0].endswith(f"with the same bytes: {every}") and "report.html" in every
    page = made[f"{PLACE}/report.html"]
    changed = {**made, f"{PLACE}/report.html": page[:-9] + b"x" + page[-8:]}
    assert [f.path for f in check(changed, PLACE).findings] == [f"{PLACE}/report.html"]
    assert check(changed, f"{PLACE}/arms.csv").findings == []


def test_unknown_arms_and_metrics(made, section):
    files = Files(InMemory(made))
    assert named(target("macro_recall"), files, section) == 0.7857142857142857
    with pytest.raises(InputError, match="did you mean 'macro_recall'"):
        named(target("macro_recal"), files, section)
    with pytest.raises(InputError, match="did you mean 'rrf-rule-d2'"):
        named(target("mrr", "rrf-rule-d2x"), files, section)
    assert named(target("mrr"), Files(InMemory({})), section) is None
    with pytest.raises(InputError, match="there is no arms.csv"):
        named(target("mrr"), Files(InMemory({})), None)
