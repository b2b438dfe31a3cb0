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
from spanledger.report import words

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


def test_page_refers_to_nothing_outside_itself(evidence_mapping, granularity, fusion, hostile, parsed):
    for experiment in (evidence_mapping, granularity, fusion, hostile):
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


def test_a_line_may_hold_its_fields_in_any_order(fusion, selectors):
    for ran in (fusion, selectors):
        read = json.loads(json.dumps(ran.rows, sort_keys=True))
        assert ran.files(rows=read) == ran.files()


def test_assets_have_no_end_tags():
    folder = Path(words.__file__).parent
    for path in sorted([*folder.glob("*.js"), *folder.glob("*.css")]):
        assert not re.search("</(script|style)|<!--", path.read_text(encoding="utf-8"), re.IGNORECASE), path.name
