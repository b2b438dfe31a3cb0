"""What the sections of the page show, read back from its elements."""

import csv
import io
import json

from builders import document, evidence, fact, gold, query
from spanledger.gold import Gold

SECTION = {
    "normalise": {},
    "chunk": {"whole": {"method": "document"}},
    "eligibility": {"all": {}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
    "fuse": {"single": {"branches": ["bm25"]}},
    "select": {"first": {"top_k": 1}},
    "score": {},
    "report": {},
    "arms": "grid",
}

CHARACTERS = {
    "char. precision": "char_precision",
    "char. recall": "char_recall",
    "char. IoU": "char_iou",
    "char. recall, candidates": "char_recall_candidates",
    "precision Ω": "precision_omega",
}


def cells(page, table="arms-table"):
    """The rows of a table of arms: each is a dict from the header to (text, exact value)."""
    table = page.one("table", id=table)
    heads = [" ".join(head.text.split()) for head in list(table.one("thead").all("tr"))[1].all("th")]
    rows = [
        [(" ".join(cell.text.split()), cell.attributes.get("data-value")) for cell in row.children if cell != "\n"]
        for row in table.one("tbody").all("tr")
    ]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def words_of(node):
    return " ".join(node.text.split())


def test_arms_table_shows_the_published_numbers(evidence_mapping, parsed):
    page = parsed(evidence_mapping.files()["report.html"])
    rows = cells(page)
    assert [row["#"][0] for row in rows] == [str(number) for number in range(1, 13)]
    assert [row["arm"][0] for row in rows][::5] == [
        "fixed+all+single+chars240",
        "overlap+all+single+top2",
        "paragraph+current+single+chars240",
    ]
    contexts = [row["context"][0] for row in rows]
    assert contexts == [
        *("0.3332/4", "0.3332/4", "0.6673/4", "0.6673/4"),
        *("0.5002/4", "0.5002/4", "0.8333/4", "0.8333/4"),
        *("0.3332/4", "0.6673/4", "0.6673/4", "best 1.0004/4"),
    ]
    assert [float(row["context"][1]) for row in rows[:7]] == [1 / 3, 1 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 5 / 6]
    # two-facts has both of its facts, a chunk each. current-version keeps chunks of the old version, though one chunk
    # holds its fact. A window ends at 120, inside the span [100, 178) of boundary-condition.
    assert {name: value for name, value in rows[1].items() if name not in CHARACTERS} == {
        **{"#": ("2", "2"), "arm": ("fixed+all+single+top2", "fixed+all+single+top2")},
        **{"index": ("1.0004/4", "1.0"), "candidates": ("0.6673/4", "0.6666666666666666")},
        **{"context": ("0.3332/4", "0.3333333333333333"), "recall@1": ("0.167", "0.16666666666666666")},
        **{"complete": ("0.3331/3", "0.3333333333333333"), "complete@1": ("0.0000/3", "0.0")},
        **{"attainable": ("0.6673/3 exact", "0.6666666666666666"), "in the index": ("1.0003/3 exact", "1.0")},
        # (0 + 1/2 + 2/3) / 3, and (1/36 + 23/72 + 5/12) / 3
        **{"random order": ("0.3893/3 exact", "0.3888888888888889")},
        **{"random, index": ("0.2553/3 exact", "0.25462962962962965")},
        **{"of attainable": ("0 of 1", "0.3333333333333333"), "MRR": ("0.333", "0.3333333333333333")},
        "no-answer accuracy": ("0.0000/1 empty", "0.0"),
        **{"all": ("215.8", "215.75"), "answerable": ("207.7", "207.66666666666666")},
        **{"chunks": ("2.00", "2.0"), "repeated": ("0.0", "0.0"), "empty": ("0", "0"), "outdated": ("4", "4")},
        **{"chunk": ("fixed", "fixed"), "eligibility": ("all", "all"), "select": ("top2", "top2")},
    }


def test_evidence_by_characters_has_columns_of_its_own(evidence_mapping, parsed):
    rows = cells(parsed(evidence_mapping.files()["report.html"]))
    table = list(csv.DictReader(io.StringIO(evidence_mapping.files()["arms.csv"].decode())))
    for header, name in CHARACTERS.items():
        assert [row[header][1] for row in rows] == [row[name] for row in table]
    assert not any("published" in header or "nDCG@10" in header for header in rows[0])


def test_what_is_attained_stands_beside_what_is_attainable(granularity, parsed):
    # inferred from the published figures: hits at 1, and the ceiling that the chunking sets
    rows = cells(parsed(granularity.files()["report.html"]))
    assert [row["of attainable"][0] for row in rows] == ["5 of 8", "12 of 12", "8 of 8", "8 of 8", "8 of 9"]
    assert [row["complete@1"][0] for row in rows] == ["0.3575/14", "0.85712/14", "0.5718/14", "0.5718/14", "0.5718/14"]
    assert [row["complete@3"][0] for row in rows] == [row["complete"][0].removeprefix("best ") for row in rows]
    assert rows[1]["complete"] == ("best 1.00014/14", "1.0")
    assert "no-answer accuracy" not in rows[0]


def test_a_ceiling_of_chunks_is_none_for_parents_and_merged_chunks(selectors, parsed):
    # no window holds the second fact's first group and b2 c3; the merged passage does, in the first place
    rows = {row["arm"][0]: row for row in cells(parsed(selectors.files()["report.html"]))}
    assert [rows[arm]["of attainable"][0] for arm in ("drop", "merged", "parents", "mmr")] == [
        "0 of 0",
        "0",
        "0",
        "0 of 0",
    ]
    assert rows["merged"]["complete@1"][0] == "1.0001/1" and rows["drop"]["complete@1"][0] == "0.0000/1"


def test_an_empty_result_is_called_that_and_no_refusal(structure_lab, parsed):
    page = parsed(structure_lab.files()["report.html"])
    assert [row["no-answer accuracy"][0] for row in cells(page)] == ["1.0002/2 empty"] * 2
    said = words_of(page.one("section", id="arms"))
    assert "No-answer accuracy is the rate of empty results among the questions that have no answer." in said
    assert "tests that no term is shared with a question, not that a question is refused" in said


def test_work_and_sizes_show_the_published_operation_counts(fusion, parsed, shared):
    page = parsed(fusion.files()["report.html"])
    rows = {row["arm"][0]: row for row in cells(page, "work-table")}
    shown = {name: text for name, (text, _) in rows["rrf-rule-d4"].items()}
    expected = json.loads((shared / "expected" / "fusion.json").read_text(encoding="utf-8"))
    published = expected["operationTable"]["rrf-rule-d4"]
    assert shown["records"] == str(expected["otherCounts"]["indexedRecords"]["rrf-rule-d4"])
    assert shown["terms"] == f"{expected['otherCounts']['indexedTokens']['rrf-rule-d4']:,}"
    assert shown["term checks"] == f"{published['termDocChecks']:,}"
    assert shown["contributions"] == str(published["nonzeroContributions"])
    assert (shown["synonym checks"], shown["added terms"]) == ("64", "16")
    assert (shown["rank visits"], shown["merged"]) == (
        str(published["rrfVisits"]),
        str(published["mergedDuplicateIds"]),
    )
    assert shown["rules"] == str(published["ruleEvaluations"])
    assert float(rows["rrf-rule-d4"]["characters"][1]) == published["candidateCharsMean"]
    # every eligible passage is a document: nothing is duplicated
    assert (shown["number"], shown["duplication"], shown["smallest"]) == ("19", "0.000", "17")


def test_warnings_of_a_kind_stand_together(granularity, parsed):
    listed = parsed(granularity.files()["report.html"]).one("ul", **{"class": "warnings"})
    kinds = [item for item in listed.children if item != "\n"]
    assert [item.attributes["id"].removeprefix("warning-") for item in kinds] == list(
        dict.fromkeys(warning["code"] for warning in json.loads(granularity.files()["diagnostics.json"]))
    )
    by_code = {item.attributes["id"]: item for item in kinds}
    assert words_of(by_code["warning-saturated"]) == (
        "Saturation: an index has 2 chunks and the selector takes 3: recall is saturation, not retrieval. "
        "Arm fixed_500+all+single+top3."
    )
    # all five arms share one case, so none is named
    assert words_of(by_code["warning-unequal_budget"]).endswith("costs from 113.4 to 748.0 terms on average.")
    ceiling = by_code["warning-ceiling"]
    assert words_of(ceiling.one("summary")).endswith("whatever the ranking. 4 cases")
    cases = [words_of(case) for case in ceiling.all("li")]
    assert cases[2] == (
        "one chunk can hold all facts of at most 8 of 14 queries, whatever the ranking: complete@1 is 8 of an "
        "attainable 8. overlap_50_15+all+single+top3, para_90+all+single+top3"
    )


def test_every_warning_is_on_the_page(fusion, granularity, structure_lab, evidence_mapping, parsed):
    for ran in (fusion, granularity, structure_lab, evidence_mapping):
        files = ran.files()
        said = words_of(parsed(files["report.html"]).one("section", id="warnings"))
        warnings = json.loads(files["diagnostics.json"])
        assert warnings and all(f"{warning['message']}." in said for warning in warnings)


def test_steps_along_the_frontier(granularity, parsed):
    # complete 9, 10, 11, 13 and 14 of 14; 1588, 1645, 2136, 4781 and 10472 terms over 14 questions
    section = parsed(granularity.files()["report.html"]).one("section", id="frontier")
    rows = [[words_of(cell) for cell in row.children if cell != "\n"] for row in section.one("tbody").all("tr")]
    terms, complete = (1588, 1645, 2136, 4781, 10472), (9, 10, 11, 13, 14)
    assert [row[0] for row in rows] == [
        "1",
        "3",
        "4",
        "5",
        "2",
    ]  # the arms' numbers: fixed_500 is the second and dearest
    assert [row[2] for row in rows] == [f"{total / 14:.1f}" for total in terms]
    assert [row[3] for row in rows] == [f"{number / 14:.3f}" for number in complete]
    assert [row[4] for row in rows] == ["", "+4.1", "+35.1", "+188.9", "+406.5"]
    assert [row[5] for row in rows] == ["", "+0.071", "+0.071", "+0.143", "+0.071"]
    assert [row[6] for row in rows] == ["", "0.017544", "0.002037", "0.000756", "0.000176"]
    assert [row[1].endswith("elbow") for row in rows] == [False, False, False, True, False]  # published: para_180


def test_metrics_by_tag_stand_in_groups(granularity, parsed):
    section = parsed(granularity.files()["report.html"]).one("section", id="tags")
    groups = list(section.all("tbody"))
    assert [words_of(group.one("tr", **{"class": "tag-head"})) for group in groups] == [
        "multi_hop 6 questions",
        "single_hop 8 questions",
    ]
    assert [group.one("a").attributes["href"] for group in groups] == ["#text=multi_hop", "#text=single_hop"]
    complete = [[words_of(list(row.all("td"))[2]) for row in list(group.all("tr"))[1:]] for group in groups]
    assert complete == [
        ["0.5003/6", "1.0006/6", "0.3332/6", "0.5003/6", "0.8335/6"],
        ["0.7506/8", "1.0008/8", "1.0008/8", "1.0008/8", "1.0008/8"],
    ]


def test_a_long_table_by_tag_is_folded(granularity, ran, parsed):
    assert (
        "open" in next(parsed(granularity.files()["report.html"]).one("section", id="tags").all("details")).attributes
    )
    queries = [query(f"q{n}", "word") for n in range(41)]
    golds = [Gold(f"q{n}", (), None, (f"tag{n}",)) for n in range(41)]
    many = ran("many", SECTION, [document("d", "word")], queries, golds)
    folded = next(parsed(many.files()["report.html"]).one("section", id="tags").all("details"))
    assert "open" not in folded.attributes and words_of(folded.one("summary")) == "41 tags"


def test_headline_states_what_the_means_are_over(evidence_mapping, parsed):
    section = parsed(evidence_mapping.files()["report.html"]).one("section", id="headline")
    text = words_of(section)
    assert "Highest macro recall of the context: 1.000, reached by one arm: paragraph+current+single+top2." in text
    # two of five paragraphs: one that holds a fact is among them in 2/5 of all pairs, one of two in 7/10. The facts of the
    # questions are in one, in two and in one, and in two: (2/5 + (7/10 + 2/5) / 2 + 7/10) / 3
    assert (
        "paragraph+current+single+top2: macro recall 1.000 of an attainable 1.000 from its candidates (exact for 3 of 3 "
        "queries), 1.000 from the whole index (exact for 3 of 3 queries); in random order its candidates reach 1.000, the "
        "chunks of the index 0.550."
    ) in text
    assert "mean over the 3 answerable questions" in text and "mean over all 4 questions, in characters" in text
    assert "Equal scores stand in ascending order of doc_id, version, start and end" in text
    assert "top2 takes at most 2 chunks." in text and "chars240 takes at most 240 characters of text." in text
    figures = {div.one("dt").text: div.one("dd").text for div in section.one("dl", **{"class": "figures"}).all("div")}
    assert figures == {
        "questions": "4",
        "answerable": "3",
        "without an answer": "1",
        "required facts": "4",
        "arms": "12",
    }


def test_every_arm_with_the_highest_value_is_marked(evidence_mapping, parsed):
    section = evidence_mapping.arguments["section"]
    by_index = {**section, "report": {"primary": {"metric": "macro_recall_index"}}}
    page = parsed(evidence_mapping.files(section=by_index)["report.html"])
    assert [row["index"][0] for row in cells(page)] == ["best 1.0004/4"] * 12
    assert "12 of 12 arms, which are equal on it" in " ".join(page.one("section", id="headline").text.split())


def test_losses_stand_as_numbers_and_as_bars(evidence_mapping, parsed):
    section = parsed(evidence_mapping.files()["report.html"]).one("section", id="loss")
    lost = section.one("table", **{"class": "loss"})
    heads = [" ".join(head.text.split()) for head in lost.one("thead").all("th")]
    assert heads[3:] == [
        "in the context",
        "no shared term",
        "crowded out by repeats",
        "did not fit",
        "outside the top k",
    ]
    rows = list(lost.one("tbody").all("tr"))
    numbers = [[cell.text for cell in row.all("td", **{"class": "number"})] for row in rows]
    # overlap+current+chars240 loses the export format to repeats; paragraph+current+chars240 loses the retry rule
    counts = [[int(cell.text) for cell in list(row.all("td"))[2:]] for row in rows]
    assert [counts[6], counts[10], counts[11]] == [[3, 0, 1, 0, 0], [3, 0, 0, 1, 0], [4, 0, 0, 0, 0]]
    assert all(sum(row) == 4 for row in counts) and numbers
    bar = rows[6].one("svg")
    assert bar.attributes["aria-label"] == "3 in the context, 1 crowded out by repeats"
    assert [(part.attributes["x"], part.attributes["width"]) for part in bar.all("rect")] == [
        ("0.000", "75.000"),
        ("75.000", "25.000"),
    ]
    assert rows[6].one("a").attributes["href"] == "#arm=overlap+current+single+chars240&cause=crowded_out"


def returning(page):
    """The table of what would bring lost facts back: its heads, and the cells of each row but its number."""
    table = page.one("section", id="loss").one("table", **{"class": "back"})
    rows = [
        [" ".join(cell.text.split()) for cell in row.all() if cell.tag in ("th", "td")]
        for row in table.one("tbody").all("tr")
    ]
    return [head.text for head in table.one("thead").all("th")][3:], [row[1:] for row in rows]


def test_what_would_bring_lost_facts_back_is_counted_by_arm_and_cause(evidence_mapping, fusion, parsed):
    heads, rows = returning(parsed(evidence_mapping.files()["report.html"]))
    assert heads == ["facts", "by budget", "by top_k", "by none of these"]
    assert ["overlap+current+single+chars240", "crowded out by repeats", "1", "1 up to 333", "", "0"] in rows
    assert ["overlap+all+single+top2", "outside the top k", "1", "", "1 up to 4", "0"] in rows
    assert ["fixed+current+single+top2", "no shared term", "1", "", "0", "1"] in rows
    heads, rows = returning(parsed(fusion.files()["report.html"]))
    assert heads == ["facts", "by budget", "by depth", "by none of these"]
    # retention and atlas of rrf-d4 need 145 and 187; in rrf-rule-d2 one needs depth 3 and the other 4 or 5
    assert ["rrf-d4", "did not fit", "2", "2 up to 187", "0", "0"] in rows
    assert ["rrf-rule-d2", "ranked too low", "2", "0", "2 up to 4", "0"] in rows
    assert ["bm25-d2", "ranked too low", "2", "0", "0", "2"] in rows


def test_scatter_has_every_arm_once(evidence_mapping, parsed):
    page = parsed(evidence_mapping.files()["report.html"])
    plot = page.one("svg", **{"class": "plot"})
    titles = "\n".join(spot.one("title").text for spot in plot.all("g")).splitlines()
    assert sorted(int(line.split()[0]) for line in titles) == list(range(1, 13))
    assert "12 paragraph+current+single+top2: 1.000 at 172.2" in titles
    assert {label.text for label in plot.all("text", **{"class": "label"})} >= {"12", "7, 8", "1, 2"}


def test_the_frontier_is_a_line_through_its_marks_and_the_elbow_a_ring(granularity, parsed):
    plot = parsed(granularity.files()["report.html"]).one("svg", **{"class": "plot"})
    marks = [spot.one("circle").attributes for spot in plot.all("g")]
    corners = plot.one("polyline").attributes["points"].split()
    marks.append(marks.pop(1))  # from the cheapest arm on: fixed_500, the second by name, is the dearest
    assert corners == [f"{mark['cx']},{mark['cy']}" for mark in marks] and len(corners) == 5
    ring = plot.one("circle", **{"class": "elbow"}).attributes
    assert (ring["cx"], ring["cy"]) == (marks[3]["cx"], marks[3]["cy"])


def test_null_is_shown_as_null(ran, parsed):
    asked = query("q", "word")
    none = ran("none", SECTION, [document("d", "word")], [asked], [gold("q", no_answer="absent")])
    page = parsed(none.files()["report.html"])
    (row,) = cells(page)
    texts = {text for text, value in row.values() if value is None}
    assert texts == {"null0/0", "null0/0 exact", "null"} and not any(
        text.startswith("best") for text, _ in row.values()
    )
    assert "Highest macro recall of the context: null" in page.one("section", id="headline").text
    assert "none can be lost" in page.one("section", id="loss").text
    assert "Not drawn, because their value is null: whole+all+single+first." in page.one("section", id="cost").text


def test_gates_stand_with_their_figures_and_every_arm_that_failed(ran, parsed):
    gates = [
        {"metric": "macro_recall", "arm": "whole+all+single+first", "at_least": 0.5},
        {"metric": "mean_cost", "at_most": 3},
        {"metric": "mean_cost", "baseline": "main", "worse_by_at_most": 2},
    ]
    section = {**SECTION, "select": {"first": {"top_k": 1}, "two": {"top_k": 2}}, "gates": gates}
    documents = [document("a", "x1 y1"), document("b", "x1")]
    made = ran("gated", section, documents, [query("q", "x1")], [gold("q", fact("f", [evidence(0, 2, "b")]))])
    files = made.files()
    shown = parsed(files["report.html"]).one("section", id="gates")
    assert words_of(shown.one("p")).startswith("1 failed, 1 open until spanledger gate, 2 passed.")
    rows = [[words_of(cell) for cell in row.children if cell != "\n"] for row in shown.one("tbody").all("tr")]
    assert rows[:2] == [
        ["leaks 0", "every arm", "passed", "0 of 2 chunks and passages in 2 arms"],
        ["macro_recall at least 0.5", "whole+all+single+first", "passed", "1"],
    ]
    # the shorter document comes first; it costs 2 characters, both cost 7
    assert rows[2][:3] == ["mean_cost at most 3", "every arm", "failed"]
    assert rows[2][3] == "1 of 2 arms: highest 7 (whole+all+single+two)"
    assert rows[3][:3] == ["mean_cost at most 2 above main", "every arm", "open until spanledger gate"]
    assert rows[3][3].startswith("2 of 2 arms: needs `spanledger gate`")
    verdicts = json.loads(files["gates.json"])
    assert [verdict["status"] for verdict in verdicts] == ["passed", "passed", "failed", "deferred"]
    assert [row[0] for row in rows] == [verdict["rule"] for verdict in verdicts]


def test_an_experiment_without_gates_says_so(fusion, parsed):
    shown = words_of(parsed(fusion.files()["report.html"]).one("section", id="gates"))
    assert "1 passed. The section gates of params.yaml has none" in shown and "leaks 0" in shown


def test_what_a_plugin_would_do_is_not_known(plugins_in, ran, parsed):
    """A selector of one passage in three arms: by the walk a second one brings the fact back, of the plugin that is not
    known, and what no chunk matches is brought back by nothing."""
    plugins_in(mine="def first(query, candidates, budget, top_k):\n    return [0]\n")
    documents = [document("one", "a b"), document("two", "a"), document("three", "z")]
    golds = [gold("q", fact("low", [evidence(0, 1, "two")]), fact("off", [evidence(0, 1, "three")]))]
    section = {
        **SECTION,
        "chunk": {"c": {"method": "document"}},
        "select": {"mine": {"method": "plugins.mine:first", "top_k": 1}, "walk": {"top_k": 1}},
        "arms": "grid",
    }
    heads, rows = returning(
        parsed(ran("plugin", section, documents, [query("q", "a b")], golds).files()["report.html"])
    )
    assert heads == ["facts", "by top_k", "by none of these", "not known"]
    assert rows == [
        ["c+all+single+mine", "no shared term", "1", "0", "1", "0"],
        ["c+all+single+mine", "not chosen", "1", "", "0", "1"],
        ["c+all+single+walk", "no shared term", "1", "0", "1", "0"],
        ["c+all+single+walk", "outside the top k", "1", "1 up to 2", "0", "0"],
    ]
    walk = {**section, "select": {"walk": {"top_k": 1}}}
    heads, rows = returning(parsed(ran("walk", walk, documents, [query("q", "a b")], golds).files()["report.html"]))
    assert heads == ["facts", "by top_k", "by none of these"]
    assert rows[1] == ["c+all+single+walk", "outside the top k", "1", "1 up to 2", "0"]
