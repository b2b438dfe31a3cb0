"""The SQuAD importer on small data made by hand, on faulty data, and on real files."""

import gzip
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.importers.squad import import_squad


def answer(start, text):
    return {"text": text, "answer_start": start}


def question(query_id, *answers, text="what?", **rest):
    return {"id": query_id, "question": text, "answers": list(answers), **rest}


def paragraph(context, *questions):
    return {"context": context, "qas": list(questions)}


def article(title, *paragraphs):
    return {"title": title, "paragraphs": list(paragraphs)}


def source(folder, *articles, name="small.json"):
    data = json.dumps({"version": "1.1", "data": list(articles)}, ensure_ascii=False).encode()
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def imported(folder, *articles, **options):
    report = import_squad(source(folder, *articles), folder / "out", **options)
    assert report == json.loads((folder / "out/import_report.json").read_text(encoding="utf-8"))
    return load(folder / "out"), report


def spans(dataset):
    """Query id -> (doc_id, text, span) of each alternative answer."""
    texts = {document.key: document.text for document in dataset.documents}
    return {
        gold.query_id: [
            (one.doc_id, texts[one.key][slice(*one.span)], one.span) for fact in gold.facts for (one,) in fact.support
        ]
        for gold in dataset.golds
    }


def test_small_data(tmp_path):
    articles = [
        article(
            "Kaffee",
            paragraph(
                "Ein 😀 Café.", question("q2", answer(6, "Café")), question("q1", answer(0, "Ein"), answer(4, "😀"))
            ),
            paragraph("Zwei.", question(7, answer(0, "Zwei"), answer(0, "Zwei."), answer(0, "Zwei"))),
        ),
        article("Tee", paragraph("Grün.", question("none"), question("no", is_impossible=True))),
    ]
    dataset, report = imported(tmp_path, *articles, language="de", licence="CC BY-SA 4.0")
    assert [(document.key, document.text) for document in dataset.documents] == [
        (("Kaffee", "1"), "Ein 😀 Café.\n\nZwei."),
        (("Tee", "1"), "Grün."),
    ]
    assert spans(dataset) == {
        "q2": [("Kaffee", "Café", (6, 10))],
        "q1": [("Kaffee", "Ein", (0, 3)), ("Kaffee", "😀", (4, 5))],
        "7": [("Kaffee", "Zwei", (13, 17)), ("Kaffee", "Zwei.", (13, 18))],
        "none": [],
        "no": [],
    }
    assert [(query.query_id, query.position) for query in dataset.queries] == [
        ("q2", 0),
        ("q1", 1),
        ("7", 2),
        ("none", 3),
        ("no", 4),
    ]
    assert [gold.no_answer for gold in dataset.golds] == [None, None, None, "absent", "absent"]
    assert {fact.fact_id for gold in dataset.golds for fact in gold.facts} == {"answer"}
    assert (dataset.summary["name"], dataset.summary["language"], dataset.summary["licence"]) == (
        "small",
        "de",
        "CC BY-SA 4.0",
    )
    assert report == {
        "format": "squad",
        "sources": {"small.json": hashlib.sha256((tmp_path / "small.json").read_bytes()).hexdigest()},
        "read": {"articles": 2, "paragraphs": 3, "questions": 5, "answers": 6},
        "kept": {"documents": 2, "questions": 5, "answerable_questions": 3, "answers": 5},
        "merged": {"questions": 0, "answers": 1},
        "rejected": {"questions": [], "answers": []},
    }


def test_evidence_states_its_text(tmp_path):
    imported(tmp_path, article("T", paragraph("a b", question("q", answer(2, "b")))))
    (line,) = (tmp_path / "out/queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["facts"][0]["support"] == [
        [{"doc_id": "T", "version": "1", "start": 2, "end": 3, "text": "b"}]
    ]


@pytest.mark.parametrize("language", ["no", "1e3", "é: #", "", None])
def test_settings_survive_yaml(tmp_path, language):
    dataset, _ = imported(tmp_path, article("T"), language=language, licence=language)
    assert (dataset.summary["language"], dataset.summary["licence"]) == (language or None, language or None)


def test_gzip_gives_the_same_dataset(tmp_path):
    articles = [article("T", paragraph("a b", question("q", answer(2, "b"))))]
    plain, _ = imported(tmp_path, *articles)
    import_squad(source(tmp_path, *articles, name="small.json.gz"), tmp_path / "zip")
    zipped = load(tmp_path / "zip")
    assert (zipped.documents, zipped.queries, zipped.golds) == (plain.documents, plain.queries, plain.golds)


def test_repeated_titles_get_the_first_free_number(tmp_path):
    titles = ["T", "T", "T_2", "T", "U", "T_2", None, "", "article_7", "T_2_2"]
    dataset, _ = imported(tmp_path, *(article(title, paragraph(str(place))) for place, title in enumerate(titles)))
    assert {int(document.text): document.doc_id for document in dataset.documents} == {
        0: "T",
        1: "T_3",
        2: "T_2",
        3: "T_4",
        4: "U",
        5: "T_2_3",
        6: "article_7",
        7: "article_8",
        8: "article_7_2",
        9: "T_2_2",
    }


CONTEXT = "😀 An éclair, one éclair."  # éclair is at 5 and 17


@pytest.mark.parametrize(
    ("start", "text", "found", "reason", "nearest"),
    [
        (4, "éclair", " éclai", "the text does not stand at the offset", 5),
        (6, "éclair", "clair,", "the text does not stand at the offset; it does if offsets count UTF-16 code units", 5),
        (8, "éclair", "air, o", "the text does not stand at the offset; it does if offsets count bytes of UTF-8", 5),
        (21, "éclair", "ir.", "the text does not stand at the offset; it does if offsets count bytes of UTF-8", 17),
        (13, "éclair", "one éc", "the text does not stand at the offset", 17),
        (20, "éclair", "air.", "the span lies outside the paragraph, which has 24 characters", 17),
        (-1, "éclair", "", "the span lies outside the paragraph, which has 24 characters", 5),
        (99, "éclair", "", "the span lies outside the paragraph, which has 24 characters", 17),
        (5, "eclair", "éclair", "the text does not stand at the offset", None),
        (5, "", "", "the text is empty", None),
    ],
)
def test_an_answer_that_does_not_stand_at_its_offset_is_told_and_not_scored(
    tmp_path, start, text, found, reason, nearest
):
    good, bad = answer(2, "An"), answer(start, text)
    data = article("T", paragraph("x"), paragraph(CONTEXT, question("some", good, bad), question("all", bad)))
    dataset, report = imported(tmp_path, data)
    assert spans(dataset) == {"some": [("T", "An", (5, 7))]}
    told = {"article": "T", "text": text, "offset": start, "found": found, "reason": reason, "nearest": nearest}
    told["similar"] = {"start": 6, "end": 11, "text": "clair", "similarity": 0.91} if text == "eclair" else None
    places = [("some", "data[0].paragraphs[1].qas[0]", 1), ("all", "data[0].paragraphs[1].qas[1]", 0)]
    assert report["rejected"] == {
        "answers": [{**told, "question_id": name, "path": f"{path}.answers[{n}]"} for name, path, n in places],
        "questions": [
            {"article": "T", "question_id": "all", "path": places[1][1], "reason": "all of its answers were rejected"}
        ],
    }
    assert (report["read"]["answers"], report["kept"]["answers"]) == (3, 1)


def test_an_impossible_question_with_answers_has_none(tmp_path):
    dataset, report = imported(
        tmp_path, article("T", paragraph("a b", question("q", answer(2, "b"), is_impossible=True)))
    )
    assert [(gold.facts, gold.no_answer) for gold in dataset.golds] == [((), "absent")]
    assert [entry["reason"] for entry in report["rejected"]["answers"]] == ["its question is marked is_impossible"]


def test_repeated_question_ids(tmp_path):
    same = question("q", answer(0, "a"), answer(2, "b"))
    reordered = question("q", answer(2, "b"), answer(0, "a"))
    data = [
        article("T", paragraph("a b", same, reordered, question("q", answer(0, "a"))), paragraph("a b", same)),
        article("U", paragraph("a b", question("q", answer(0, "a"), answer(2, "b"), text="why?"))),
    ]
    dataset, report = imported(tmp_path, *data)
    assert spans(dataset) == {"q": [("T", "a", (0, 1)), ("T", "b", (2, 3))]}
    assert report["merged"] == {"questions": 1, "answers": 0}
    reason = "the id is that of another question, data[0].paragraphs[0].qas[0]"
    assert [(entry["path"], entry["reason"]) for entry in report["rejected"]["questions"]] == [
        ("data[0].paragraphs[0].qas[2]", reason),
        ("data[0].paragraphs[1].qas[0]", reason),
        ("data[1].paragraphs[0].qas[0]", reason),
    ]


def test_an_empty_question_is_told(tmp_path):
    dataset, report = imported(tmp_path, article("T", paragraph("a", question("q", answer(0, "a"), text=""))))
    assert (dataset.queries, report["kept"]["questions"]) == ([], 0)
    assert [entry["reason"] for entry in report["rejected"]["questions"]] == ["the question is empty"]


def refused(path, out):
    with pytest.raises(InputError) as caught:
        import_squad(path, out)
    return [(problem.file, problem.field, problem.message) for problem in caught.value.problems]


def test_malformed_input_is_told_with_its_places(tmp_path):
    path = tmp_path / "bad.json"
    good = question("q", answer(0, "a"))
    articles = [
        {"title": 3, "paragraphs": [paragraph("a", good), paragraph(None), {"context": "a"}]},
        {"paragraphs": [paragraph("a", good, {**good, "answers": {}}, {**good, "id": 1.5}, "q")]},
        [],
        article("T", paragraph("a", question("r", {"text": "a"}, answer(True, 1), is_impossible="no"))),
    ]
    path.write_text(json.dumps({"data": articles}))
    assert refused(path, tmp_path / "out") == [
        (str(path), "data[0].paragraphs[1].context", "expected a string, found null"),
        (str(path), "data[0].paragraphs[2].qas", "is missing"),
        (str(path), "data[0].title", "expected a string or null, found 3"),
        (str(path), "data[1].paragraphs[0].qas[1].answers", "expected a list, found {}"),
        (str(path), "data[1].paragraphs[0].qas[2].id", "expected a string or a whole number, found 1.5"),
        (str(path), "data[1].paragraphs[0].qas[3]", 'expected an object, found "q"'),
        (str(path), "data[2]", "expected an object, found []"),
        (str(path), "data[3].paragraphs[0].qas[0].answers[0].answer_start", "is missing"),
        (str(path), "data[3].paragraphs[0].qas[0].answers[1].answer_start", "expected a whole number, found true"),
        (str(path), "data[3].paragraphs[0].qas[0].answers[1].text", "expected a string, found 1"),
        (str(path), "data[3].paragraphs[0].qas[0].is_impossible", 'expected true or false or null, found "no"'),
    ]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        (b"[]", "", "expected an object, found []"),
        (b"{}", "data", "is missing"),
        (b'{"data": []', "", "is no JSON: Expecting ',' delimiter at column 12"),
        (b'{"data": [], "data": []}', "data", "the key stands more than once"),
        (b'{"data": "\xff"}', "", "is no UTF-8 at byte 10"),
        (gzip.compress(b'{"data": []}', mtime=0)[:-4], "", "is a damaged gzip file"),
        (gzip.compress(b'{"data": []}', mtime=0)[:10] + b"garbage", "", "is a damaged gzip file"),
        (b'{"data": [{"title": "\\ud800", "paragraphs": []}]}', "data[0].title", "\\ud800 is half a character"),
    ],
)
def test_files_that_are_no_squad(tmp_path, data, field, message):
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    ((file, place, told),) = refused(path, tmp_path / "out")
    assert (file, place) == (str(path), field)
    assert told.startswith(message)
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_never_overwritten(tmp_path):
    path = source(tmp_path, article("T", paragraph("a")))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/note").write_text("mine")
    taken = "is not empty: expected an empty folder, or a name that is free"
    assert refused(path, tmp_path / "full") == [(str(tmp_path / "full"), "", taken)]
    assert refused(path, path) == [
        (str(path), "", "expected a folder to write to, or a name that is free: it is neither")
    ]
    assert [problem[0] for problem in refused(tmp_path / "none", tmp_path / "full")] == [
        str(tmp_path / "full"),
        str(tmp_path / "none"),
    ]
    assert (tmp_path / "full/note").read_text() == "mine"


def test_an_empty_folder_and_a_missing_one_are_filled(tmp_path, monkeypatch):
    path = source(tmp_path, article("T", paragraph("a")))
    (tmp_path / "empty").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for out in (tmp_path / "empty", tmp_path / "deep/er", "."):
        import_squad(path, out)
        assert load(tmp_path / "here" if out == "." else out).summary["documents"] == 1


def test_a_failing_write_leaves_nothing_behind(tmp_path, monkeypatch):
    path = source(tmp_path, article("T", paragraph("a")))

    def fail(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("spanledger.core.files.document", fail)  # the report is written last
    with pytest.raises(KeyboardInterrupt):
        import_squad(path, tmp_path / "out")
    assert list(tmp_path.iterdir()) == [path]


def test_the_remains_of_a_killed_run_do_no_harm(tmp_path):
    path = source(tmp_path, article("T", paragraph("a")))
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial/elements.jsonl").write_text("half a li")
    import_squad(path, tmp_path / "out")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "dataset.yaml",
        "documents.jsonl",
        "import_report.json",
        "queries.jsonl",
    ]


WORD = st.text(st.sampled_from('ab é😀\r\n"'), max_size=5)
ANSWERS = st.lists(st.builds(answer, st.integers(-1, 6), WORD), max_size=3)
IDS = st.sampled_from(["q", "r", "", 1])
QUESTION = st.builds(
    lambda name, answers, text, impossible: question(name, *answers, text=text, is_impossible=impossible),
    IDS,
    ANSWERS,
    WORD,
    st.none() | st.booleans(),
)
PARAGRAPH = st.builds(lambda context, questions: paragraph(context, *questions), WORD, st.lists(QUESTION, max_size=3))
TITLES = st.sampled_from(["T", "T_2", "", None]) | WORD
ARTICLE = st.builds(lambda title, paragraphs: article(title, *paragraphs), TITLES, st.lists(PARAGRAPH, max_size=3))


@given(st.lists(ARTICLE, max_size=3))
def test_whatever_is_imported_loads_and_every_question_is_accounted_for(tmp_path_factory, articles):
    dataset, report = imported(tmp_path_factory.mktemp("squad"), *articles)
    kept, rejected = report["kept"], report["rejected"]
    assert dataset.summary["queries"] == kept["questions"]
    assert dataset.summary["facts"] == kept["answerable_questions"]
    assert report["read"]["questions"] == kept["questions"] + report["merged"]["questions"] + len(rejected["questions"])
    others = sum(report.get("left_out", {}).values())
    assert report["read"]["answers"] == (
        kept["answers"] + report["merged"]["answers"] + len(rejected["answers"]) + others
    )
    asked = [one for entry in articles for part in entry["paragraphs"] for one in part["qas"]]
    stated = {(str(one["id"]), given["text"]) for one in asked for given in one["answers"]}
    for name, found in spans(dataset).items():
        assert {(name, text) for _, text, _ in found} <= stated


@pytest.mark.real
@pytest.mark.parametrize(("language", "characters"), [("en", 188_746), ("zh", 60_982)])
def test_xquad(shared, tmp_path, language, characters):
    path = shared / f"data/xquad/xquad.{language}.json.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in ../shared/data/xquad")
    report = import_squad(path, tmp_path / "out", language=language)
    assert report["kept"] == {"documents": 48, "questions": 1190, "answerable_questions": 1190, "answers": 1190}
    assert report["rejected"] == {"questions": [], "answers": []}
    dataset = load(tmp_path / "out")
    articles = json.loads(gzip.decompress(path.read_bytes()))["data"]
    asked = [one for entry in articles for part in entry["paragraphs"] for one in part["qas"]]
    assert [query.query_id for query in dataset.queries] == [one["id"] for one in asked]
    found = spans(dataset)
    for one in asked:
        assert [text for _, text, _ in found[one["id"]]] == [one["answers"][0]["text"]]
    contexts = [len(part["context"]) for entry in articles for part in entry["paragraphs"]]
    assert dataset.summary["characters"] == characters == sum(contexts) + 2 * (len(contexts) - 48)


@pytest.mark.real
def test_real_offsets_in_another_unit_are_told(shared, tmp_path):
    path = shared / "data/cmrc2018/cmrc2018_trial.json.gz"
    if not path.is_file():
        pytest.skip("cmrc2018_trial.json.gz is not in ../shared/data/cmrc2018")
    report = import_squad(path, tmp_path / "out", language="zh")
    rejected = report["rejected"]["answers"]
    assert {entry["question_id"] for entry in rejected} == {f"TRIAL_210_QUERY_{number}" for number in range(5)}
    assert all(entry["offset"] - entry["nearest"] == 1 and "UTF-16" in entry["reason"] for entry in rejected)
    assert len(load(tmp_path / "out").queries) == 995
