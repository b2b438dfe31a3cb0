import base64
import hashlib
import json
import os
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from builders import document, evidence, fact, gold, query
from spanledger import selection
from spanledger.engine import params, schema
from spanledger.report import words
from spanledger.scoring.loss import CAUSES

HOSTILE = (
    "</script><img src=x onerror=alert(1)> <b>bold</b> \"quoted\" 'single' & amp; &lt; ]]> <!-- \u2028\u2029 \U0001f600"
)
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


@pytest.fixture(scope="module")
def hostile(ran):
    texts = [f"{HOSTILE} evidence", f"\U0001f600\U0001f600 {HOSTILE} evidence evidence"]
    documents = [document(f"{HOSTILE}{place}", text, HOSTILE) for place, text in enumerate(texts)]
    queries = [query(HOSTILE, f"evidence {HOSTILE}", groups=(HOSTILE,))]
    golds = [gold(HOSTILE, fact(HOSTILE, [evidence(3, 9, documents[1].doc_id, HOSTILE)]))]
    summary = {"name": HOSTILE, "description": HOSTILE, "language": HOSTILE, "licence": HOSTILE}
    return ran("hostile", SECTION, documents, queries, golds, summary)


def data_of(page):
    return json.loads(page.one("script", type="application/json").text)


def cells(page):
    """The rows of the table of arms: each cell as (text, exact value)."""
    table = page.one("table", id="arms-table")
    return [
        [(" ".join(cell.text.split()), cell.attributes.get("data-value")) for cell in row.children if cell != "\n"]
        for row in table.one("tbody").all("tr")
    ]


def test_arms_table_shows_the_published_numbers(evidence_mapping, parsed):
    page = parsed(evidence_mapping.files()["report.html"])
    rows = cells(page)
    assert [row[0][0] for row in rows] == [str(number) for number in range(1, 13)]
    assert [row[1][0] for row in rows][::5] == [
        "fixed+all+single+top2",
        "overlap+all+single+chars240",
        "paragraph+current+single+top2",
    ]
    contexts = [row[7][0] for row in rows]
    assert contexts == [
        *("0.3332/4", "0.3332/4", "0.6673/4", "0.6673/4"),
        *("0.5002/4", "0.5002/4", "0.8333/4", "0.8333/4"),
        *("0.6673/4", "0.3332/4", "best 1.0004/4", "0.6673/4"),
    ]
    assert [float(row[7][1]) for row in rows[:7]] == [1 / 3, 1 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 5 / 6]
    assert rows[0] == [
        *(("1", "1"), ("fixed+all+single+top2", "fixed+all+single+top2")),
        *(("fixed", "fixed"), ("all", "all"), ("top2", "top2")),
        *(("1.0004/4", "1.0"), ("0.6673/4", "0.6666666666666666"), ("0.3332/4", "0.3333333333333333"), ("1", "1")),
        *(("215.8", "215.75"), ("207.7", "207.66666666666666")),
        *(("2.00", "2.0"), ("0.0", "0.0"), ("0", "0"), ("4", "4")),
    ]


def test_headline_states_what_the_means_are_over(evidence_mapping, parsed):
    section = parsed(evidence_mapping.files()["report.html"]).one("section", id="headline")
    text = " ".join(section.text.split())
    assert "Highest macro recall of the context: 1.000, reached by one arm: paragraph+current+single+top2." in text
    assert "mean over the 3 answerable questions" in text and "mean over all 4 questions, in characters" in text
    assert "Equal scores stand in ascending order of doc_id, version, start and end" in text
    assert "top2 keeps at most 2 chunks. chars240 keeps at most 240 characters of text." in text
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
    assert [row[5][0] for row in cells(page)] == ["best 1.0004/4"] * 12
    assert "12 of 12 arms, which are equal on it" in " ".join(page.one("section", id="headline").text.split())


def test_losses_stand_as_numbers_and_as_bars(evidence_mapping, parsed):
    section = parsed(evidence_mapping.files()["report.html"]).one("section", id="loss")
    heads = [" ".join(head.text.split()) for head in section.one("thead").all("th")]
    assert heads[3:] == [
        "in the context",
        "no shared term",
        "crowded out by repeats",
        "did not fit",
        "outside the top k",
    ]
    rows = list(section.one("tbody").all("tr"))
    numbers = [[cell.text for cell in row.all("td", **{"class": "number"})] for row in rows]
    # overlap+current+chars240 loses the export format to repeats; paragraph+current+chars240 loses the retry rule
    counts = [[int(cell.text) for cell in list(row.all("td"))[2:]] for row in rows]
    assert [counts[7], counts[10], counts[11]] == [[3, 0, 1, 0, 0], [4, 0, 0, 0, 0], [3, 0, 0, 1, 0]]
    assert all(sum(row) == 4 for row in counts) and numbers
    bar = rows[7].one("svg")
    assert bar.attributes["aria-label"] == "3 in the context, 1 crowded out by repeats"
    assert [(part.attributes["x"], part.attributes["width"]) for part in bar.all("rect")] == [
        ("0.000", "75.000"),
        ("75.000", "25.000"),
    ]
    assert rows[7].one("a").attributes["href"] == "#arm=overlap+current+single+chars240&cause=crowded_out"


def test_scatter_has_every_arm_once(evidence_mapping, parsed):
    plot = parsed(evidence_mapping.files()["report.html"]).one("svg", **{"class": "plot"})
    titles = "\n".join(title.text for title in plot.all("title")).splitlines()
    assert sorted(int(line.split()[0]) for line in titles) == list(range(1, 13))
    assert "11 paragraph+current+single+top2: 1.000 at 172.2" in titles
    assert {label.text for label in plot.all("text", **{"class": "label"})} >= {"11", "7, 8", "1, 2"}


def test_page_refers_to_nothing_outside_itself(evidence_mapping, hostile, parsed):
    for experiment in (evidence_mapping, hostile):
        page = parsed(experiment.files()["report.html"])
        tags = {node.tag for node in page.all()}
        assert not tags & {"img", "link", "iframe", "object", "embed", "base", "audio", "video", "image", "use", "b"}
        ids = {node.attributes["id"] for node in page.all() if "id" in node.attributes}
        for node in page.all():
            assert not {"src", "srcset", "style", "xlink:href", "action"} & set(node.attributes)
            assert not any(name.startswith("on") for name in node.attributes)
            href = node.attributes.get("href", "#arms")
            assert href.startswith("#") and ("=" in href or href[1:] in ids)
        static = [page.one("style").text, *(node.text for node in page.all("script") if not node.attributes)]
        for text in static:
            assert not re.search(r"https?:|//[a-z]|url\(|@import|import\s*\(|fetch\(|XMLHttpRequest|WebSocket", text)


def test_only_the_scripts_and_the_style_of_the_page_may_run(hostile, parsed):
    page = parsed(hostile.files()["report.html"])
    (policy,) = (
        node.attributes["content"]
        for node in page.all("meta")
        if node.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    sources = {
        kind: f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for kind, text in (
            ("script-src", next(node.text for node in page.all("script") if not node.attributes)),
            ("style-src", page.one("style").text),
        )
    }
    assert rules == {
        "default-src": "'none'",
        **sources,
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
    }


def test_scripts_put_data_into_the_page_as_text_only(hostile, parsed):
    script = next(node.text for node in parsed(hostile.files()["report.html"]).all("script") if not node.attributes)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc", script)


def test_hostile_text_stays_text(hostile, parsed):
    raw = hostile.files()["report.html"]
    page = parsed(raw)
    assert HOSTILE in page.one("section", id="headline").text
    data = data_of(page)
    (asked,) = data["queries"]
    assert (asked["id"], asked["text"], asked["groups"]) == (HOSTILE, f"evidence {HOSTILE}", [HOSTILE])
    assert asked["facts"][0]["id"] == HOSTILE
    assert sorted(text for *_, text in data["documents"]) == sorted(d.text for d in hostile.arguments["documents"])
    embedded = raw.split(b'id="data">')[1].split(b"</script>")[0].decode()
    assert not re.search("[<>&\u2028\u2029]", embedded)
    assert raw.count(b"</script>") == 2 and b"<img" not in raw


def test_page_is_whole_without_javascript(evidence_mapping, parsed):
    page = parsed(evidence_mapping.files()["report.html"])
    assert "needs JavaScript" in page.one("noscript").text
    assert [link.text for link in page.one("nav").all("a")] == [head.text for head in page.all("h2")]


def test_null_is_shown_as_null(ran, parsed):
    asked = query("q", "word")
    none = ran("none", SECTION, [document("d", "word")], [asked], [gold("q", no_answer="absent")])
    page = parsed(none.files()["report.html"])
    (row,) = cells(page)
    texts = {text for text, value in row if value is None}
    assert texts == {"null0/0", "null"} and not any(text.startswith("best") for text, _ in row)
    assert "Highest macro recall of the context: null" in page.one("section", id="headline").text
    assert "none can be lost" in page.one("section", id="loss").text
    assert "Not drawn, because their value is null: whole+all+single+first." in page.one("section", id="cost").text


def test_same_bytes_whatever_the_order_of_the_lists(evidence_mapping):
    shuffle = random.Random(2)
    arguments = evidence_mapping.arguments
    mixed = {
        name: shuffle.sample(list(arguments[name]), len(arguments[name]))
        for name in ("rows", "golds", "documents", "queries")
    }
    assert evidence_mapping.files(**mixed) == evidence_mapping.files()


def test_same_bytes_in_another_process(hostile, tmp_path, request):
    program = (
        "import pickle, sys; from spanledger.report import report;"
        "sys.stdout.buffer.write(report(**pickle.load(sys.stdin.buffer))['report.html'])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    environment["PYTHONPATH"] = str(request.config.rootpath / "workflow")
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(hostile.arguments),
        capture_output=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout == hostile.files()["report.html"]


def test_lists_of_different_queries_are_refused(evidence_mapping):
    arguments = evidence_mapping.arguments
    for name in ("golds", "queries"):
        with pytest.raises(ValueError, match="expected those of the queries"):
            evidence_mapping.files(**{name: arguments[name][1:]})


def test_every_code_and_setting_has_plain_words():
    definitions = schema.load("params")["$defs"]
    assert set(words.CAUSES) == set(CAUSES)
    assert set(words.REASONS) == {selection.DOES_NOT_FIT, selection.OUTSIDE_TOP_K}
    units = {*definitions["score"]["properties"]["cost"]["properties"]["unit"]["enum"]}
    assert set(words.UNITS) >= units | {*definitions["select"]["properties"]["unit"]["enum"]} - {None}
    metrics = definitions["report"]["properties"]["primary"]["properties"]["metric"]["enum"]
    assert set(words.METRICS) >= set(metrics)
    assert set(words.PARTS) == set(definitions["experiment"]["properties"]) - {"arms"}


@pytest.mark.parametrize("tie", schema.load("params")["$defs"]["tie"]["enum"])
@pytest.mark.parametrize(
    "rule", schema.load("params")["$defs"]["score"]["properties"]["coverage"]["properties"]["rule"]["enum"]
)
def test_rules_can_be_said_for_every_setting(tie, rule):
    bm25 = {"index": "words", "scorer": "bm25", "tie": tie}
    section = {**SECTION, "retrieve": {"bm25": bm25}, "score": {"coverage": {"rule": rule}}}
    section["select"] = {"both": {"top_k": 1, "budget": 1200, "unit": "word"}}
    resolved = params.resolve({"experiments": {"x": {"dataset": "d"}}, "x": section})["x"]
    said = dict(words.rules(resolved))
    assert "both keeps at most 1 chunk and at most 1,200 words of text." in said["Selection"]
    assert said["Order"].startswith("Candidates stand in descending order of score") and said["Coverage"]


def test_branches_with_different_ties_are_told_apart():
    section = {
        **SECTION,
        "retrieve": {
            name: {"index": "words", "scorer": "bm25", "tie": tie}
            for name, tie in (("a", "position"), ("b", "document"))
        },
        "fuse": {"one": {"branches": ["a"]}, "two": {"branches": ["b"]}},
    }
    resolved = params.resolve({"experiments": {"x": {"dataset": "d"}}, "x": section})["x"]
    order = dict(words.rules(resolved))["Order"]
    assert "Equal scores (a) stand in ascending order of the place in the chunk table" in order
    assert "Equal scores (b) stand in ascending order of doc_id" in order


def test_assets_have_no_end_tags():
    folder = Path(words.__file__).parent
    for path in sorted([*folder.glob("*.js"), *folder.glob("*.css")]):
        assert not re.search("</(script|style)|<!--", path.read_text(encoding="utf-8"), re.IGNORECASE), path.name
