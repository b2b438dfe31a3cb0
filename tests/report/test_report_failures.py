"""Lost facts by failure class: cases, the CSV, the section of the page, and judgements beside the classes."""

import csv
import io

import pytest

from spanledger.report import failures
from spanledger.report.judgements import COLUMNS, Sheet

CUT = ("boundary-condition", "retry-30s-idempotent-only", "cut_condition")
CROWDED = ("two-facts", "logs-export-json", "repeated_text")


def judged(*rows):
    columns = (*COLUMNS,)
    return Sheet(columns, tuple({**dict.fromkeys(columns, ""), **row} for row in rows))


def line(key, judgement="", note=""):
    return {**dict(zip(("query_id", "fact_id", "class"), key, strict=True)), "judgement": judgement, "note": note}


def found(experiment, sheet=None, arms=None):
    trails = {(row["arm"], row["query_id"]): row for row in experiment.rows}
    names = list(dict.fromkeys(row["arm"] for row in experiment.rows))
    queries = sorted(experiment.arguments["queries"], key=lambda query: query.order)
    return failures.cases(arms or names, [q.query_id for q in queries], trails, sheet or Sheet())


def test_cases_are_in_the_order_of_queries_and_classes_and_name_their_arms(evidence_mapping):
    cases = found(evidence_mapping)
    assert [case.key for case in cases] == [
        CUT,
        (*CUT[:2], "top_k_too_small"),
        CROWDED,
        ("current-version", "current-retention-7-days", "top_k_too_small"),
    ]
    assert cases[0].arms == (
        *("fixed+all+single+chars240", "fixed+all+single+top2"),
        *("fixed+current+single+chars240", "fixed+current+single+top2"),
    )
    assert cases[0].others == ("vocabulary_mismatch",) and cases[2].others == ("missing_title", "top_k_too_small")
    assert [len(case.arms) for case in cases] == [4, 2, 4, 6]
    # the order of the arms is that of their names in a case, and changes nothing else
    backwards = found(evidence_mapping, arms=list(dict.fromkeys(r["arm"] for r in evidence_mapping.rows))[::-1])
    assert [(c.key, c.others, sorted(c.arms)) for c in backwards] == [(c.key, c.others, sorted(c.arms)) for c in cases]


def test_counts_add_up_to_the_lost_facts(fusion):
    trails = {(row["arm"], row["query_id"]): row for row in fusion.rows}
    counted = failures.counts([row["arm"] for row in fusion.rows], trails)
    for arm, numbers in counted.items():
        lost = [fact for row in fusion.rows if row["arm"] == arm for fact in row["facts"] if fact["cause"]]
        assert sum(number for name, number in numbers.items() if name != "wrong_gold") == len(lost)
    assert counted["bm25-d2"]["vocabulary_mismatch"] == 1 and counted["bm25-d2"]["wrong_gold"] == 2


def test_failures_csv_has_a_row_for_each_lost_fact_and_arm(evidence_mapping):
    sheet = judged(line(CUT, "cut_condition"))
    data = evidence_mapping.files(judgements=sheet)["failures.csv"]
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    lost = [
        (row["arm"], row["query_id"], f["cause"]) for row in evidence_mapping.rows for f in row["facts"] if f["cause"]
    ]
    assert [(row["arm"], row["query_id"], row["cause"]) for row in rows] == lost and len(lost) == 16
    assert rows[0] == {
        "arm": "fixed+all+single+chars240",
        **{"query_id": CUT[0], "fact_id": CUT[1], "cause": "not_matched", "class": "cut_condition"},
        **{"other_classes": "vocabulary_mismatch", "judgement": "cut_condition"},
    }
    assert {row["judgement"] for row in rows if row["class"] != "cut_condition"} == {""}


def test_failures_csv_of_nothing_lost_has_its_columns(structure_lab):
    data = structure_lab.files()["failures.csv"]
    assert data.decode().splitlines()[0].split(",") == list(failures.FAILURE_COLUMNS)


def test_the_section_shows_classes_fixes_and_links(evidence_mapping, parsed):
    section = parsed(evidence_mapping.files()["report.html"]).one("section", id="failures")
    table = section.one("table", **{"class": "failures"})
    assert [cell.text for cell in list(table.one("thead").all("th"))[2:]] == [
        *("cut in two", "crowded out by repeats", "too few taken"),
    ]
    rows = [[int(cell.text) for cell in list(row.all("td"))[1:]] for row in table.one("tbody").all("tr")]
    assert rows[0] == [1, 0, 1] and rows[6] == [0, 1, 0] and rows[11] == [0, 0, 0]
    links = [link.attributes["href"] for link in table.all("a")]
    assert links[0] == "#arm=fixed+all+single+chars240&failure=cut_condition"
    fixes = section.one("table", **{"class": "fixes"}).one("tbody")
    assert [list(row.all("td"))[0].text for row in fixes.all("tr")] == ["4", "4", "8"]
    assert (
        "More chunk_overlap than" in fixes.text and "`" not in section.text and "Overlap sends text twice" in fixes.text
    )
    assert "Nobody has judged these." in section.text


def test_judgements_stand_beside_the_classes(evidence_mapping, parsed):
    sheet = judged(
        line(CUT, "cut_condition", "断条件"),
        line(CROWDED, "missing_title"),
        line((*CUT[:2], "top_k_too_small"), "wrong_gold"),
        line(("two-facts", "logs-export-json", "acl"), "acl", "of an older run"),
    )
    section = parsed(evidence_mapping.files(judgements=sheet)["report.html"]).one("section", id="failures")
    assert "1 of 3 judged lines agree with the automatic class; 1 of 4 is not judged." in " ".join(section.text.split())
    rows = section.one("table", **{"class": "judgements"}).one("tbody").all("tr")
    assert [[cell.text.strip() for cell in list(row.all("td"))[1:]] for row in rows] == [
        ["4", "cut_condition", "cut_condition agrees", "断条件"],
        ["2", "top_k_too_small", "wrong_gold differs", ""],
        ["4", "repeated_text", "missing_title also found", ""],
    ]
    fixes = section.one("table", **{"class": "fixes"}).one("tbody")
    assert [list(row.all("td"))[1].text for row in fixes.all("tr")] == ["1 of 1", "0 of 1", "0 of 1"]
    assert "1 judged line that no longer applies" in section.text and "of an older run" in section.text


def test_suspicions_are_listed_and_never_primary(fusion, parsed):
    section = parsed(fusion.files()["report.html"]).one("section", id="failures")
    assert "lost facts whose gold may be wrong" in section.text
    assert all(case.failure != "wrong_gold" for case in found(fusion))
    suspected = {case.query_id for case in found(fusion) if case.suspicion}
    assert suspected == {"synonym-only", "depth-omission"}


def test_a_page_without_losses_says_so(structure_lab, parsed):
    section = parsed(structure_lab.files()["report.html"]).one("section", id="failures")
    assert "No arm lost a fact." in section.text


@pytest.mark.parametrize("name", ["evidence_mapping", "fusion"])
def test_the_filter_finds_the_questions_of_a_class(node, carried, name, request):
    experiment = request.getfixturevalue(name)
    data = carried(experiment)
    order = [asked["id"] for asked in data["queries"]]
    filters, expected = [], []
    for arm in ("", data["arms"][0]["name"], data["arms"][-1]["name"]):
        mine = [row for row in experiment.rows if arm in ("", row["arm"])]
        for failure, *_ in data["failures"]:
            filters.append({"arm": arm, "failure": failure})
            places = {
                row["query_id"]
                for row in mine
                for fact in row["facts"]
                for n, one in enumerate(fact["failures"])
                if one["class"] == failure and (n == 0 or failure == "wrong_gold")
            }
            expected.append([q for q in order if q in places])
    both = {"failure": "top_k_too_small", "cause": "does_not_fit"}
    answer = node(
        "((data) => value[1].map((wanted) => data.queries.filter((query) => passes(data, query, wanted))"
        ".map((query) => query.id)))(decode(value[0]))",
        [data, [*filters, both]],
    )
    assert answer[:-1] == expected and any(expected) and answer[-1]
    trails = node(
        "((data) => data.arms.flatMap((_, arm) => data.queries.map((query) => trail(data, query, arm).facts)))"
        "(decode(value))",
        data,
    )
    told = [[[one["name"] for one in state["failures"]] for state in facts] for facts in trails]
    assert told == [[[f["class"] for f in fact["failures"]] for fact in row["facts"]] for row in experiment.rows]


def test_rows_of_a_sheet_quote_all_evidence(evidence_mapping):
    arguments = evidence_mapping.arguments
    rows = failures.sheet_rows(
        found(evidence_mapping),
        arguments["queries"],
        {gold.query_id: gold for gold in arguments["golds"]},
        {document.key: document for document in arguments["documents"]},
    )
    assert rows[3]["evidence"] == "Logs retention is 7 days.\nor: Records stay seven days."
    assert rows[0]["evidence"].startswith("R-17: wait 30 seconds") and rows[0]["question"] == "R-17 wait seconds"
    assert rows[2]["arms"].split() == list(found(evidence_mapping)[2].arms)
    assert all(set(row) == set(COLUMNS) and row["judgement"] == row["note"] == "" for row in rows)
