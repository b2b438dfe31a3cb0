"""What the report says of old versions: a sentence an arm, and a row a question."""

import json

from builders import document, evidence, fact, gold, query

SECTION = {
    "normalise": {},
    "chunk": {"parts": {"method": "paragraph"}},
    "eligibility": {"all": {}, "current": {"versions": "current"}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {"shared": {"index": "words", "scorer": "term_overlap"}},
    "fuse": {"single": {"branches": ["shared"]}},
    "select": {"top1": {"top_k": 1}, "top2": {"top_k": 2}},
    "score": {},
    "report": {},
    "arms": "grid",
}
DOCUMENTS = [
    document("d", "the port is 80\n\nsame words here", "v1", current=False),
    document("d", "same words here\n\nthe port is 90", "v2"),
    document("gone", "it is closed", "v1", current=False),
]
QUERIES = [query("port", "the port is"), query("same", "same words"), query("gone", "closed it"), query("none", "zzz")]
GOLDS = [
    gold("port", fact("ninety", [evidence(17, 31, "d", "v2")])),
    gold("same", fact("words", [evidence(0, 15, "d", "v2")])),
    gold("gone", no_answer="absent"),
    gold("none", no_answer="absent"),
]


def shown(node):
    return " ".join(node.text.split())


def test_each_question_that_is_spoiled(ran, parsed):
    files = ran("x", SECTION, DOCUMENTS, QUERIES, GOLDS).files()
    section = parsed(files["report.html"]).one("section", id="versions")
    rows = [[shown(cell) for cell in row.children if cell != "\n"] for row in section.one("tbody").all("tr")]
    one = "in 1 arm"
    assert rows == [
        ["gone closed it", "2", "1", "gone v1, gone", "", ""],
        ["port the port is", "2", "1", "d v1, current: v2", f"ninety {one}", f"ninety {one}"],
        ["same same words", "2", "1", "d v1, current: v2, the same text", f"words {one}", f"words {one}"],
    ]
    links = [link.attributes["href"] for link in section.one("tbody").all("a")]
    assert links[0] == "#question=gone&arm=parts+all+single+top1"
    told = [one for one in json.loads(files["diagnostics.json"]) if one["code"] == "outdated"]
    told = [(one["message"], one["arms"]) for one in told]
    assert told == [
        (
            "3 of 4 contexts hold outdated text, 3 in the first place; of the 2 facts that these lack, 2 come back without "
            "outdated candidates, and parts+current+single+top1 has 2",
            ["parts+all+single+top1"],
        ),
        (
            "3 of 4 contexts hold outdated text, 3 in the first place; of the 0 facts that these lack, 0 come back without "
            "outdated candidates, and parts+current+single+top2 has 0",
            ["parts+all+single+top2"],
        ),
    ]


def test_without_a_counterpart_there_is_no_such_column(ran, parsed):
    section = {**SECTION, "eligibility": {"all": {}}}
    page = ran("x", section, DOCUMENTS, QUERIES, GOLDS).files()["report.html"]
    heads = [shown(head) for head in parsed(page).one("section", id="versions").one("thead").all("th")]
    assert heads == ["question", "arms", "first place", "outdated text of", "displaced facts"]


def test_where_nothing_is_outdated_it_is_said(ran, parsed):
    section = {**SECTION, "eligibility": {"current": {"versions": "current"}}}
    page = ran("x", section, DOCUMENTS, QUERIES, GOLDS).files()["report.html"]
    told = shown(parsed(page).one("section", id="versions").one("p"))
    assert told == "No context holds text of a version that is neither current nor asked about."
    page = ran("x", SECTION, DOCUMENTS[1:2], QUERIES, GOLDS).files()["report.html"]
    assert shown(parsed(page).one("section", id="versions").one("p")) == "All documents are current."
