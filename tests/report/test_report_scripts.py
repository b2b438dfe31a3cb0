"""The page's scripts under Node.js, where there is one: what they read, and how the page goes from state to state."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from spanledger.report import page

FOLDER = Path(page.__file__).parent


@pytest.mark.parametrize("name", page.SCRIPTS)
def test_scripts_parse(node, name):
    subprocess.run([shutil.which("node"), "--check", str(FOLDER / name)], check=True)


def test_spans_are_cut_in_code_points(node):
    texts = ["plain", "\U0001f600a\U0001f680\U0001f680b", "日志\U00020bb7x", "e\u0301", ""]
    spans = [(text, start, end) for text in texts for start in range(len(text)) for end in range(start, len(text) + 1)]
    cut = node("value.map(([text, start, end]) => new SourceText(text).slice(start, end))", spans)
    assert cut == [text[start:end] for text, start, end in spans]
    assert node("value.map((text) => new SourceText(text).length)", texts) == [len(text) for text in texts]


def test_pieces_of_a_text_with_marks(node):
    marks = [
        {"start": 2, "end": 6, "label": 1},
        {"start": 4, "end": 9, "label": 2},
        {"start": 20, "end": 30, "label": 3},
    ]
    assert node("pieces(3, 12, value)", marks) == [
        {"start": 3, "end": 4, "labels": [1]},
        {"start": 4, "end": 6, "labels": [1, 2]},
        {"start": 6, "end": 9, "labels": [2]},
        {"start": 9, "end": 12, "labels": []},
    ]
    assert node("pieces(0, 2, value)", marks) == [{"start": 0, "end": 2, "labels": []}]


def test_long_stretches_without_a_mark_are_left_out(node):
    marked = [
        {"start": 0, "end": 100, "labels": []},
        {"start": 100, "end": 900, "labels": [1]},
        {"start": 900, "end": 930, "labels": []},
    ]
    assert node("shorten(value, 10)", marked) == [
        {"start": 0, "end": 20, "labels": []},
        {"start": 20, "end": 90, "omitted": True},
        {"start": 90, "end": 100, "labels": []},
        *marked[1:],
    ]


def test_links_keep_the_state_and_read_a_plus_as_it_stands(node):
    state = {"question": "a&b=c #1 日志", "arm": "fixed+all", "show": "", "cause": "below_depth", "text": "50 %"}
    link = node("writeHash(value)", state)
    assert "arm=fixed+all" in link and " " not in link
    assert node("readHash(value)", link) == {name: value for name, value in state.items() if value}
    assert node("readHash(value)", "#question=two-facts&arm=a%2Bb&other=1&cause") == {
        "question": "two-facts",
        "arm": "a+b",
    }
    assert node("[readHash('#arms'), readHash(''), readHash('#text=%'), writeHash({})]") == [{}, {}, {"text": "%"}, ""]


def test_filters_find_what_the_lines_say(node, evidence_mapping, carried):
    def lost(row, cause=None):
        return any(f["cause"] == cause if cause else f["cause"] for f in row["facts"])

    data, rows = carried(evidence_mapping), evidence_mapping.rows
    order = [asked["id"] for asked in data["queries"]]
    arms = [None, *(arm["name"] for arm in data["arms"])]
    filters, expected = [], []
    for arm in arms:
        mine = [row for row in rows if arm in (None, row["arm"])]
        for cause in (None, *(cause for cause, *_ in data["causes"])):
            filters.append({"arm": arm or "", "cause": cause or "", "show": "lost"})
            expected.append([q for q in order if any(row["query_id"] == q and lost(row, cause) for row in mine)])
        filters.append({"arm": arm or "", "show": "complete"})
        expected.append([q for q in order if all(row["recall"] == 1 for row in mine if row["query_id"] == q)])
    filters += [{"show": "no_answer"}, {"show": "differ"}, {"text": "EXPORT"}, {"text": "two-"}, {}]
    expected += [
        ["no-evidence"],
        ["boundary-condition", "two-facts", "current-version"],
        ["two-facts"],
        ["two-facts"],
        order,
    ]
    found = node(
        "((data) => value[1].map((wanted) => data.queries.filter((query) => passes(data, query, wanted))"
        ".map((query) => query.id)))(decode(value[0]))",
        [data, filters],
    )
    assert found == expected


@pytest.mark.parametrize("name", ["evidence_mapping", "fusion", "granularity", "selectors"])
def test_trails_are_read_as_the_lines_say(node, carried, name, request):
    experiment = request.getfixturevalue(name)
    data = carried(experiment)
    trails = node(
        "((data) => data.arms.flatMap((_, arm) => data.queries.map((query) => trail(data, query, arm))))(decode(value))",
        data,
    )
    for read, row in zip(trails, experiment.rows, strict=True):
        ids = [data["chunks"][candidate["chunk"]][0] for candidate in read["candidates"]]
        assert ids == [candidate["chunk_id"] for candidate in row["candidates"]]
        places = {i: candidate["place"] for i, candidate in zip(ids, read["candidates"], strict=True)}
        assert [places[chunk_id] for chunk_id in row["context"]] == list(range(1, len(row["context"]) + 1))
        skipped = [
            (i, c["skipped"]["reason"][0], c["skipped"]["remaining"])
            for i, c in zip(ids, read["candidates"], strict=True)
            if c["skipped"]
        ]
        told = [(skip["chunk_id"], skip["reason"], skip["remaining"]) for skip in row["skipped"]]
        assert skipped == sorted(told, key=lambda skip: ids.index(skip[0]))
        scores = [candidate["score"] for candidate in row["candidates"]]
        assert [candidate["tied"] for candidate in read["candidates"]] == [scores.count(score) > 1 for score in scores]
        assert [state["cause"] and state["cause"][0] for state in read["facts"]] == [f["cause"] for f in row["facts"]]
        for candidate, told in zip(read["candidates"], row["candidates"], strict=True):
            ranks = candidate["branches"] and {branch["name"]: branch["rank"] for branch in candidate["branches"]}
            assert ranks == told.get("ranks")
            assert (candidate["before"] or {}).get("rank") == told.get("rank_before")
            points = candidate["features"] and sum(f["weight"] * f["value"] for f in candidate["features"])
            assert points == (told["score"] if "features" in told else None)
        passages = read["passages"] and [(p["spans"], p["characters"]) for p in read["passages"]]
        assert passages == (
            [([*map(list, p["spans"])], p["char"]) for p in row["passages"]] if "passages" in row else None
        )


STATE = """(() => {
  const list = document.getElementById("question-list");
  const buttons = (item, state) => item.all("button").filter((button) => button.attributes[state] === "true");
  const show = () => ({
    address: location.hash,
    count: document.getElementById("question-count").textContent,
    ids: list.children.map((item) => item.dataset.question),
    open: list.children.filter((item) => buttons(item, "aria-expanded").length).map((item) => item.dataset.question),
    arms: list.children.flatMap((item) => buttons(item, "aria-pressed").map((button) => button.text)),
  });
  const item = (id) => list.children.find((child) => child.dataset.question === id);
  const toggle = (id) => item(id).all("button")[0].fire("click");
  const states = [show()];
  STEPS
  return states;
})()"""


def states(node, data, address, *steps):
    taken = "".join(f"{step}; states.push(show());" for step in steps)
    return node(STATE.replace("STEPS", taken), data, address)


def test_a_link_opens_its_question_with_its_arm(node, evidence_mapping, carried):
    link = "#question=two-facts&arm=overlap+current+single+chars240"
    (state,) = states(node, carried(evidence_mapping), link)
    assert state == {
        "address": link,
        "count": "4 of 4 questions.",
        "ids": ["boundary-condition", "two-facts", "current-version", "no-evidence"],
        "open": ["two-facts"],
        "arms": ["overlap+current+single+chars240"],
    }


def test_a_link_to_nothing_says_so(node, evidence_mapping, carried):
    (state,) = states(node, carried(evidence_mapping), "#question=three-facts&trail=none")
    assert state["count"] == '4 of 4 questions. No question is called "three-facts". No arm is called "none".'
    assert state["open"] == []


def test_a_tag_of_the_table_leads_to_its_questions(node, granularity, carried, parsed):
    links = [
        link.attributes["href"]
        for link in parsed(granularity.files()["report.html"]).one("section", id="tags").all("a")
    ]
    counts = [states(node, carried(granularity), link)[0]["count"] for link in links]
    assert counts == ["6 of 14 questions.", "8 of 14 questions."]


def test_filters_and_clicks_change_the_list_and_the_address(node, evidence_mapping, carried):
    opened, other, closed, filtered, reopened = states(
        node,
        carried(evidence_mapping),
        "",
        "toggle('two-facts')",
        "item('two-facts').all('button').find((button) => button.text === 'fixed+all+single+top2').fire('click')",
        "toggle('two-facts')",
        "document.getElementById('filter-cause').value = 'does_not_fit'; document.getElementById('filters').fire('input')",
        "toggle('boundary-condition')",
    )[1:]
    # without a choice the first arm that lost something is shown
    assert (opened["address"], opened["arms"]) == ("#question=two-facts", ["overlap+all+single+chars240"])
    assert other["address"] == "#question=two-facts&trail=fixed+all+single+top2"
    assert other["arms"] == ["fixed+all+single+top2"] and other["open"] == ["two-facts"]
    assert (closed["address"], closed["open"]) == ("", [])
    assert filtered["address"] == "#cause=does_not_fit" and filtered["count"] == "2 of 4 questions."
    assert filtered["ids"] == ["boundary-condition", "current-version"]
    # the first arm that lost something to this cause
    assert reopened["arms"] == ["paragraph+all+single+chars240"]


@pytest.mark.parametrize(
    ("column", "numeric", "direction", "expected"),
    [(0, "true", 1, "bdac"), (0, "true", -1, "abdc"), (1, "false", 1, "abcd"), (1, "false", -1, "dcba")],
)
def test_rows_sort_by_exact_value_with_null_last(node, evidence_mapping, carried, column, numeric, direction, expected):
    rows = [["2", "b"], ["10", "a"], [None, "c"], ["2", "d"]]
    cell = "row.map((value) => ({ dataset: value === null ? {} : { value } }))"
    made = f"{json.dumps(rows)}.map((row) => ({{ name: row[1], cells: {cell} }}))"
    call = f"sorted({made}, {column}, {numeric}, {direction}).map((row) => row.name)"
    assert "".join(node(call, carried(evidence_mapping), "")) == expected
