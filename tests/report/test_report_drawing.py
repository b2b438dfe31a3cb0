"""What the page's scripts draw of a question into a document of nodes, under Node.js, where there is one."""

import json

from builders import document, evidence, fact, gold, query
from spanledger.engine import plan
from spanledger.foreign.scored import Options, score_run

DRAW = """
((data) => data.queries.map((query) => data.arms.map((arm) => {
  const drawn = drawQuestion(data, query, arm.name, () => {});
  const listed = (kind) => drawn.all("li").filter((item) => (item.attributes.class || "").startsWith(kind));
  const texts = (nodes) => nodes.map((node) => node.text);
  const pairs = (list) => Object.fromEntries(list.all("div").map((row) => texts(row.children)));
  const told = (item) => texts(item.all("div").find((div) => div.attributes.class === "chunk-text").all("p"));
  const items = listed("candidate");
  return {
    text: drawn.text,
    about: pairs(drawn.all("dl")[0]),
    matrix: drawn.all("tr").slice(1).map((row) => texts(row.children)),
    heads: texts(drawn.all("tr")[0].children),
    why: items.map((item) => pairs(item.all("dl")[0])),
    facets: items.map((item) => item.all("p")[0].text),
    passages: listed("passage").map((item) => [item.all("p")[0].text, ...told(item)]),
    around: texts(drawn.all("blockquote")),
    quotes: drawn.all("blockquote").map((quote) => texts(quote.all("mark"))),
    chunks: items.map(told),
    marked: items.map((item) => texts(item.all("mark"))),
    tags: [...new Set(["script", "img", "a", "b"].filter((tag) => drawn.all(tag).length))],
  };
})))(decode(value))
"""


def test_a_drawn_question_quotes_its_evidence_and_says_what_was_skipped(node, evidence_mapping, carried):
    drawn = node(DRAW, carried(evidence_mapping))
    crowded = drawn[1][6]  # two-facts under overlap+current+single+chars240
    assert crowded["quotes"] == [
        ["Logs retention is 7 days."],
        ["Records stay seven days."],
        ["Export format: JSON lines."],
    ]
    assert crowded["marked"] == [
        ["Logs retention is 7 days."],
        ["Logs retention is 7 days."],
        ["Export format: JSON lines."],
    ]
    text = next(d.text for d in evidence_mapping.arguments["documents"] if d.doc_id == "logs")
    assert crowded["around"] == [f"{text[:180]} …", "Records stay seven days.", f"… {text[97:]}"]
    assert "3 candidates of 333 characters together, 2 selected (at most 240 characters)." in crowded["text"]
    assert "240 characters: 180 distinct source characters, 60 repeated" in crowded["text"]
    assert "skipped: does not fit, 0 characters were left" in crowded["text"]
    assert "fact 2 logs-export-json is lost: crowded out by repeats." in crowded["text"]
    assert "Needs budget 333 instead of 240, all else equal." in crowded["text"]
    assert crowded["heads"][3:] == [
        *("candidates", "recall", "facts@1", "first evidence", "attainable", "in the index", "best chunk"),
        *("cost, characters", "repeated characters", "outdated passages"),
    ]
    # the first window, [0, 120), holds the retention span and not the export format; with the last, [120, 213), it has both
    assert crowded["matrix"][6][3:] == ["3", "0.500", "1/2", "1", "2/2", "2/2", "1/2", "240", "60", "0"]


def test_a_question_without_an_answer_is_drawn_like_any_other(node, evidence_mapping, fusion, carried):
    absent = node(DRAW, carried(evidence_mapping))[3]
    found, nothing = absent[0], absent[2]  # with versions of every age, and with the current ones alone
    assert found["about"]["no answer"].startswith("absent: no fact is required, and recall is null.")
    assert "nothing was found would be no refusal" in found["about"]["no answer"]
    assert len(found["facets"]) == len(found["why"]) == int(found["matrix"][0][1]) > 0
    assert ["selected, place" in facets for facets in found["facets"]] == [True, True]  # both chunks of the old version
    assert "No candidate: nothing that is eligible scored above 0." in nothing["text"]
    assert nothing["heads"] == [
        "arm",
        "candidates",
        "recall",
        "cost, characters",
        "repeated characters",
        "outdated passages",
    ]
    assert nothing["matrix"][2] == ["fixed+current+single+chars240", "0", "null", "0", "0", "0"]
    # published: every arm of fusion returns candidates for it, by synonyms or shared words
    query, trails = carried(fusion)["queries"][7], node(DRAW, carried(fusion))[7]
    assert query["id"] == "no-answer" and all(trail["facets"] for trail in trails)
    outcome = node("drawOutcomes(value, value.queries[7], '').text", carried(fusion), "")
    assert outcome == "no fact is required; candidates in 10 of 10 arms"


def test_candidates_say_what_fusion_and_re_ranking_did(node, selectors, carried):
    drop, merged, parents, mmr, ranked = node(DRAW, carried(selectors))[0]
    assert drop["why"][0] == {"rank by branch": "first 1every 1", "shared terms": "b2d4"}
    assert drop["why"][3] == {"rank by branch": "first not in its listevery 4", "shared terms": "b2"}
    assert list(mmr["why"][0]) == ["shared terms"]
    assert ranked["why"][0] == {
        "rank by branch": "first not in its listevery 3",
        "before re-ranking": "rank 3, score 0.015873",
        "points": "+2 for 2 terms of the question+1 for a constraint word",
        "shared terms": "d4e5",
    }
    assert ranked["why"][3]["points"] == "+1 for 1 term of the question−4 for a navigation word"
    assert [facets.split("doc")[0] for facets in ranked["facets"][:2]] == [
        "1.score 3selected, place 1",
        "2.score 2tieskipped: outside the top k",
    ]


def test_a_skipped_candidate_says_why_and_a_passage_what_it_holds(node, selectors, carried):
    drop, merged, parents, mmr, _ = node(DRAW, carried(selectors))[0]
    assert "skipped: all of its text is in the context already" in drop["facets"][4]
    assert "skipped: its parent is in the context already" in parents["facets"][4]
    assert [facets.split("doc")[0] for facets in mmr["facets"]] == [
        "1.score 2tieselected, place 1",
        "2.score 2tieskipped: outside the top k",
        "3.score 2tieselected, place 2",
        "4.score 1tieskipped: outside the top k",
        "5.score 1tieskipped: outside the top k",
    ]
    (passage,) = merged["passages"]
    assert passage[0].startswith("passage 112 charactersfrom candidate 1, candidate 2doc v1 [5, 17)")
    assert passage[1:] == ["b2 c3\n\nd4 e5"]
    assert "selected, passage 1" in merged["facets"][0] and "selected, passage 1" in merged["facets"][1]
    assert "skipped: does not fit, 0 characters were left" in merged["facets"][2]
    assert "2 selected (at most 12 characters) and sent as 1 passage." in merged["text"]
    # windows 2 and 3 reach over both paragraphs and stand for themselves
    text = selectors.arguments["documents"][0].text
    spans = [(5, 14), (8, 17), (12, 20), (0, 10)]
    assert [passage[1] for passage in parents["passages"]] == [text[start:end] for start, end in spans]
    assert "4 selected (at most 4 passages) and sent as 4 passages." in parents["text"]
    assert drop["passages"] == mmr["passages"] == []


def test_a_lost_fact_says_what_it_needs(node, fusion, carried):
    """In rrf-rule-d2 either branch could go deeper; in bm25-d2 no limit helps by itself."""
    drawn = node(DRAW, carried(fusion))
    names = [arm.name for arm in plan.arms(fusion.arguments["section"])]
    places = {row["query_id"]: n for n, row in enumerate(fusion.rows[: len(drawn)])}
    omitted = drawn[places["depth-omission"]]
    original, expanded = (
        f"depth {n} instead of 2 in branch {name}" for n, name in ((4, "original_d2"), (5, "expanded_d2"))
    )
    assert f"Needs {original}, or {expanded}, all else equal." in omitted[names.index("rrf-rule-d2")]["text"]
    assert "No larger budget or depth brings it back by itself." in omitted[names.index("bm25-d2")]["text"]
    two = drawn[places["two-facts"]][names.index("rrf-d4")]["text"]
    assert "did not fit" in two and "Needs budget 145 instead of 140, all else equal." in two


def test_what_no_chunk_holds_and_what_a_filter_keeps_out_is_said(node, ran, carried):
    section = {
        "normalise": {},
        "chunk": {"windows": {"method": "window", "chunk_size": 4}},
        "eligibility": {"asker": {"acl": "asker", "versions": "current"}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"all": {"index": "words", "scorer": "term_overlap"}},
        "fuse": {"single": {"branches": ["all"]}},
        "select": {"top1": {"top_k": 1}},
        "score": {"coverage": {"rule": "one_chunk"}},
        "report": {},
        "arms": "grid",
    }
    documents = [document("d", "aa bb cc"), document("closed", "aa", version="v2", acl=("board",), current=False)]
    required = gold("q", fact("f", [evidence(0, 5, "d")]), fact("g", [evidence(0, 2, "closed", "v2")]))
    told = node(DRAW, carried(ran("gaps", section, documents, [query("q", "aa")], [required])))[0][0]["text"]
    assert "Needs a chunk that holds [0, 5) of d/v1." in told
    assert "Needs a filter that lets it in (versions, acl)." in told


def test_terms_that_expansion_found_are_not_called_missing(node, fusion, carried):
    drawn = node(DRAW, carried(fusion))[1]  # synonym-only: terminate credential
    rule = next(place for place, facets in enumerate(drawn[1]["facets"]) if "key-rule" in facets)
    assert drawn[1]["why"][rule]["shared terms"] == "none of the question's own (synonyms were searched for too)"
    assert all("key-rule" not in facets for facets in drawn[0]["facets"])


def test_terms_of_titles_and_table_headers_are_accounted_for(node, structure_lab, carried):
    note = "Titles and table headers were searched with the text"
    told = [[note in trail["text"] for trail in trails] for trails in node(DRAW, carried(structure_lab))[:7]]
    assert told == [[False, True]] * 7  # fixed_window, structured


def test_hostile_and_astral_text_is_drawn_as_it_stands(node, ran, carried):
    section = {
        "normalise": {},
        "chunk": {"windows": {"method": "window", "chunk_size": 20}},
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
        "fuse": {"single": {"branches": ["bm25"]}},
        "select": {"top1": {"top_k": 1}},
        "score": {},
        "report": {},
        "arms": "grid",
    }
    text = "\U0001f600\U0001f600 <b>x</b> </script><img src=x onerror=alert(1)> \U0001f680 x y"
    required = gold("q", fact("<b>f</b>", [evidence(0, 12)]), fact("g", [evidence(50, 55)]))
    drawn = node(DRAW, carried(ran("hostile", section, [document("doc", text)], [query("q", "x <img>")], [required])))[
        0
    ][0]
    assert drawn["tags"] == []
    assert drawn["quotes"] == [[text[0:12]], [text[50:55]]]
    windows = [text[start : start + 20] for start in range(0, len(text), 20)]
    assert sorted(part for (part,) in drawn["chunks"]) == sorted(
        window for window in windows if "x" in window or "img" in window
    )
    assert [text[0:12]] in drawn["marked"] and "<b>f</b>" in drawn["text"]


def test_what_is_not_known_of_a_run_of_others_is_drawn_as_such(node, parsed, project, monkeypatch, tmp_path):
    monkeypatch.chdir(project)
    path = tmp_path / "theirs.csv"
    path.write_text("query_id,doc_id,version,start,end\ntwo-facts,logs,v2,0,120\n", encoding="utf-8")
    scored = score_run(path, "evidence_mapping", Options(arm="overlap+current+single+chars240"))
    page = parsed(scored.files["report.html"])
    value = json.loads(page.one("script", type="application/json").text)
    drawn = [arms[0] for arms in node(DRAW, value)]
    (two_facts,) = (one for one, query in zip(drawn, value["queries"], strict=True) if query["id"] == "two-facts")
    (row,) = two_facts["matrix"]
    assert row[0] == "theirs" and row[1].startswith("?✓✓") and row[2].startswith("?✗✗ not in the run")
    assert row[3:10] == ["1", "0.500", "1/2", "1", "1/2", "not known", "not known"]
    assert "The candidates were made elsewhere and do not hold it." in two_facts["text"]
    assert "No candidate: the run has none for this question." in drawn[0]["text"]
    loss = page.one("section", id="loss").text
    assert "not_retrieved" in loss and "not_matched" not in loss and "below_depth" not in loss
