"""A dataset folder as a whole: what it becomes, that the order of lines means nothing, and each kind of problem."""

import hashlib
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from dataset_folder import document, element, line, problems, query, quote, span, write
from spanledger.core.errors import InputError
from spanledger.dataset import load


def test_the_bundled_experiment_holds_what_was_published(shared):
    source = json.loads((shared / "fixtures/evidence_mapping.json").read_text(encoding="utf-8"))
    dataset = load(Path(__file__).parents[2] / "fixtures/evidence_mapping")
    assert {document.key: (document.text, document.visibility) for document in dataset.documents} == {
        (entry["id"], entry["version"]): (entry["text"], entry["visibility"]) for entry in source["documents"]
    }
    assert {document.key for document in dataset.documents if document.current} == set(
        source["currentVersions"].items()
    )
    assert [(query.query_id, query.text) for query in dataset.queries] == [
        (entry["id"], entry["query"]) for entry in source["queries"]
    ]
    assert dataset.golds == [
        builders.gold(
            entry["id"],
            *(
                builders.fact(
                    fact["id"],
                    *(
                        [builders.evidence(one["start"], one["end"], one["docId"], one["version"]) for one in group]
                        for group in fact["support"]
                    ),
                )
                for fact in entry["facts"]
            ),
            no_answer=None if entry["facts"] else "absent",
        )
        for entry in source["queries"]
    ]


def test_a_whole_dataset(tmp_path):
    documents = [
        document("zwei", doc_id="b", version="2", position=0, visibility="internal", metadata={"a": [1]}),
        document("eins", doc_id="b", version="1", position=2, acl=["y", "x"]),
        document(None, doc_id="a", version="1", position=1),
    ]
    elements = [
        element("late", "a", "1", text="row", position=9, kind="table_row", header_id="head", section_path=["T"]),
        element("head", "a", "1", text="top", position=-1, kind="table_header", labels={"k": None}, section_path=["T"]),
        element("ei", "b", "1", start=0, end=2, text="ei", acl=["x"]),
    ]
    queries = [
        query({"element_id": "late"}, query_id="z", position=0, groups=["x", "g"], versions=["2", "1"], tags=["t"]),
        query(query_id="a", position=1, no_answer="unauthorized"),
        query(query_id="b", position=2),
    ]
    settings = {
        "name": "whole",
        "language": "de",
        "current_versions": {"b": "2"},
        "synonym_groups": [["kill", "end"], ["log", "record", "entry"]],
        "element_separator": " | ",
    }
    dataset = load(write(tmp_path, documents, queries, elements, settings))
    assert dataset.documents == [
        builders.document("b", "zwei", "2", current=True, visibility="internal", position=0, metadata={"a": [1]}),
        builders.document("a", "top | row", "1", current=False, position=1),
        builders.document("b", "eins", "1", current=False, position=2, acl=("x", "y")),
    ]
    assert dataset.elements == [
        builders.element("head", (0, 3), "a", "1", kind="table_header", section_path=("T",), labels={"k": None}),
        builders.element("late", (6, 9), "a", "1", kind="table_row", section_path=("T",), header_id="head"),
        builders.element("ei", (0, 2), "b", "1", acl=("x",)),
    ]
    assert dataset.queries == [
        builders.query("z", "what?", groups=("g", "x"), versions=("1", "2"), position=0),
        builders.query("a", "what?", position=1),
        builders.query("b", "what?", position=2),
    ]
    assert [(gold.query_id, gold.no_answer, gold.tags) for gold in dataset.golds] == [
        ("z", None, ("t",)),
        ("a", "unauthorized", ()),
        ("b", None, ()),
    ]
    assert dataset.golds[0].facts == (builders.fact("f", [builders.evidence(6, 9, "a", "1")]),)
    assert dataset.synonym_groups == (("kill", "end"), ("log", "record", "entry"))
    assert dataset.summary == {
        "name": "whole",
        "language": "de",
        "description": None,
        "licence": None,
        "doc_ids": 2,
        "versions": 2,
        "documents": 3,
        "current_documents": 1,
        "characters": 17,
        "elements": 3,
        "queries": 3,
        "answerable_queries": 1,
        "facts": 1,
        "judged_queries": 0,
        "judgements": 0,
    }


def test_elements_are_joined_by_one_lf_unless_said_otherwise(tmp_path):
    elements = [element("b", text="two", position=2), element("a", text="one", position=1)]
    for settings, text in (({}, "one\ntwo"), ({"element_separator": ""}, "onetwo")):
        (only,) = load(write(tmp_path, [document()], [], elements, settings)).documents
        assert (only.text, only.raw_sha256) == (text, hashlib.sha256(text.encode()).hexdigest())


TABLES = ("documents", "queries", "elements")
SHUFFLED = {
    "documents": [
        line(document("one two", doc_id="b", version=version, metadata={"n": number}))
        for number, version in enumerate("132")
    ]
    + [line(document(doc_id="a")), line(document("alone", doc_id="c", version="1"))],
    "elements": [line(element(f"e{place}", "a", text=f"text {place}", position=-place)) for place in range(3)]
    + [line(element("part", "b", "1", start=0, end=3)), line(element("all", "b", "1", start=0, end=7))],
    "queries": [line(query(query_id=name)) for name in "ba"]
    + [line(query(quote("two", "b", "3"), {"element_id": "e1"}, query_id="c", tags=["y", "x"]))],
}


@given(
    st.permutations(SHUFFLED["documents"]),
    st.permutations(SHUFFLED["elements"]),
    st.permutations(SHUFFLED["queries"]),
)
def test_the_order_of_lines_means_nothing(tmp_path_factory, documents, elements, queries):
    settings = {"current_versions": {"b": ["1", "3"], "a": "v1"}}
    folder = tmp_path_factory.mktemp("dataset")
    plain = load(write(folder / "plain", *(b"".join(SHUFFLED[name]) for name in TABLES), settings))
    shuffled = load(write(folder / "shuffled", b"".join(documents), b"".join(queries), b"".join(elements), settings))
    assert shuffled == plain
    assert [document.key for document in plain.documents if document.current] == [
        ("a", "v1"),
        ("b", "1"),
        ("b", "3"),
    ]
    assert [element.element_id for element in plain.elements] == ["e2", "e1", "e0", "part", "all"]
    assert [query.query_id for query in plain.queries] == ["a", "b", "c"]


# Texts in files


def test_a_text_file_keeps_its_byte_order_mark_and_line_ends(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_bytes(b"\xef\xbb\xbfalpha beta\r\n")
    folder = write(tmp_path, [document(path="texts/a.txt")], [query(quote("beta"))])
    dataset = load(folder)
    assert dataset.documents[0].text == "\ufeffalpha beta\r\n"
    assert dataset.documents[0].text_sha256 == hashlib.sha256(b"\xef\xbb\xbfalpha beta\r\n").hexdigest()
    assert dataset.golds[0].facts[0].support == ((builders.evidence(7, 11, "d"),),)  # bug case 9, kept


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../outside.txt", "must stay inside the dataset folder, found '../outside.txt'"),
        ("link.txt", "must stay inside the dataset folder, found 'link.txt'"),
        ("up/outside.txt", "must stay inside the dataset folder, found 'up/outside.txt'"),
        ("absolute", "must stay inside the dataset folder, found "),
        ("none.txt", "'none.txt': no such file"),
        (".", "'.' is no file"),
        ("bad.txt", "the file 'bad.txt' is no UTF-8 at byte 2"),
        ("loop", "'loop' is a link that leads to itself"),
        ("a\0b", "embedded null byte"),
        ("", 'must not be empty, found ""'),
    ],
)
def test_a_path_must_lead_to_a_text_inside_the_folder(tmp_path, path, message):
    folder = tmp_path / "dataset"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("x")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    (folder / "bad.txt").write_bytes(b"ab\xff")
    path = str(folder / "bad.txt") if path == "absolute" else path
    ((_, line_number, record, field, told),) = problems(write(folder, [document(path=path)]))
    assert (line_number, record, field) == (1, "document 'd' 'v1'", "path")
    assert message in told


def test_a_link_inside_the_folder_is_followed(tmp_path):
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "b.txt").symlink_to("a.txt")
    assert load(write(tmp_path, [document(path="b.txt")])).documents[0].text == "text"


# Problems of single records


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        ({"version": "v1", "text": "a"}, "", "lacks doc_id"),
        (document("a", doc_id=""), "doc_id", 'must not be empty, found ""'),
        (document("a", version=1), "version", "expected a string, found 1"),
        (document("a", path="b"), "", "expected text or path, not both"),
        (document(), "", "expected text, path, or elements with a text that make up the document"),
        (document("a", acl=[]), "acl", "must not be empty, found []"),
        (document("a", acl=["x", "x"]), "acl", 'an entry stands twice, found ["x", "x"]'),
        (document("a", acl="x"), "acl", 'expected a list, found "x"'),
        (document("a", metadata=[]), "metadata", "expected a mapping, found []"),
        (document("a", position=1.5), "position", "expected a whole number, found 1.5"),
        (document("a", position=2**60), "position", "expected at most 9007199254740991, found 1152921504606846976"),
        (document("a", visiblity="public"), "visiblity", "unknown key: did you mean 'visibility'? valid: acl, doc_id,"),
        (document("a", sha256="00"), "sha256", "the text's digest is ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72"),
    ],
)
def test_documents_with_a_problem(tmp_path, record, field, message):
    ((name, number, _, place, told),) = problems(write(tmp_path, [document("x", doc_id="other"), record]))
    assert (name, number, place) == ("documents.jsonl", 2, field)
    assert told.startswith(message)


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        (element("x"), "", "expected start and end, or text"),
        (element("x", start=0), "", "'end' is needed beside 'start'"),
        (element("x", start=0, end=9), "end", "9 lies outside the text, which has 4 characters"),
        (element("x", start=2, end=2), "end", "must be greater than start (2), found 2"),
        (
            element("x", start=0, end=2, text="cd"),
            "text",
            '"cd" does not stand at (0, 2): found "ab"; it stands at (2, 4)',
        ),
        (element("x", text="ab"), "start", "start and end are needed: its document has a text already"),
        (element("x", start=0, end=2, position=1), "position", "only orders elements that make up a document"),
        (element("x", "parts", start=0, end=2), "start", "its document has no text: elements make it up"),
        (
            element("x", "parts", text="ab"),
            "position",
            "is needed here: the elements make up the document in this order",
        ),
        (element("x", "parts", text="ab", position=1), "position", "1 is the position of element 'part' too (line 1)"),
        (element("x", "parts", text="", position=2), "text", 'must not be empty, found ""'),
        (element("x", "d", "v3", start=0, end=2), "version", "document 'd' has no version 'v3': did you mean 'v1'?"),
        (element("x", "f", start=0, end=2), "doc_id", "no document is called 'f': valid: d, parts"),
        (element("part", start=0, end=2), "element_id", "stands twice: line 1 has the same element_id"),
        (element("x", start=0, end=2, kind=""), "kind", 'must not be empty, found ""'),
        (element("x", start=0, end=2, section_path="T"), "section_path", 'expected a list, found "T"'),
        (element("x", start=0, end=2, heading_id="h"), "heading_id", "unknown key: did you mean 'header_id'?"),
    ],
)
def test_elements_with_a_problem(tmp_path, record, field, message):
    elements = [element("part", "parts", text="ab", position=1), record]
    ((name, number, _, place, told),) = problems(
        write(tmp_path, [document("abcd"), document(doc_id="parts")], [], elements)
    )
    assert (name, number, place) == ("elements.jsonl", 2, field)
    assert told.startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"kind": "heading"}, "'h' is of kind 'heading', expected table_header"),
        (
            {"doc_id": "other"},
            """header 'h' has another doc_id: expected "d", found "other"; what it says would leak""",
        ),
        ({"version": "v2"}, """header 'h' has another version: expected "v1", found "v2"; what it says would leak"""),
        ({"section_path": ["U"]}, """header 'h' has another section_path: expected ["T"], found ["U"]; what it says"""),
        ({"acl": ["x"]}, """header 'h' has another acl: expected ["x", "y"], found ["x"]; what it says would leak"""),
        ({"acl": None}, """header 'h' has another acl: expected ["x", "y"], found none; what it says would leak"""),
        ({"element_id": "i"}, "no element is called 'h': valid: i, row"),
    ],
)
def test_a_header_is_of_the_same_table(tmp_path, change, message):
    common = {"section_path": ["T"], "acl": ["x", "y"]}
    row = element("row", start=3, end=5, kind="table_row", header_id="h", **common)
    header = {**element("h", start=0, end=2, kind="table_header"), **common, "acl": ["y", "x"], **change}
    header = {key: value for key, value in header.items() if value is not None}
    documents = [document("ab cd"), document("ab", doc_id="other"), document("ab", version="v2")]
    folder = write(tmp_path, documents, [], [header, row], {"current_versions": {}})
    if message is None:
        assert [element.header_id for element in load(folder).elements] == [None, "h"]
    else:
        ((_, number, record, field, told),) = problems(folder)
        assert (number, record, field) == (2, "element 'row'", "header_id")
        assert told.startswith(message)


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        (query(query_id="first"), "query_id", "stands twice: line 1 has the same query_id"),
        ({**query(), "text": ""}, "text", 'must not be empty, found ""'),
        ({"query_id": "q", "text": "what?"}, "", "lacks facts"),
        (query(span(0, 1), no_answer="absent"), "no_answer", "'absent' is only for a query without facts"),
        (query(no_answer="absnet"), "no_answer", "unknown value 'absnet': did you mean 'absent'?"),
        (query(versions=["v2"]), "versions[0]", "no document has the version 'v2': did you mean 'v1'? valid: v1"),
        (query(groups=["a", "a"]), "groups", 'an entry stands twice, found ["a", "a"]'),
        (query(tag=["a"]), "tag", "unknown key: did you mean 'tags'?"),
        ({**query(), "facts": {}}, "facts", "expected a list, found {}"),
        ({**query(), "facts": [{"id": "f", "support": [[span(0, 1)]]}]}, "facts[0]", "lacks fact_id"),
    ],
)
def test_queries_with_a_problem(tmp_path, record, field, message):
    (name, number, _, place, told), *rest = problems(
        write(tmp_path, [document("ab")], [query(query_id="first"), record])
    )
    assert (name, number, place) == ("queries.jsonl", 2, field)
    assert told.startswith(message)
    assert [place for *_, place, _ in rest] in ([], ["facts[0].id"])


@pytest.mark.parametrize("kind", ["documents", "queries"])
def test_all_records_have_a_position_or_none_and_no_two_the_same(tmp_path, kind):
    def told(*positions):
        make = (lambda n: document("a", doc_id=n)) if kind == "documents" else (lambda n: query(query_id=n))
        records = [
            {**make(name), **({} if position is None else {"position": position})}
            for name, position in zip("abc", positions, strict=True)
        ]
        found = problems(write(tmp_path, **{"documents": [], "queries": [], kind: records}))
        return [(number, field, message) for _, number, _, field, message in found]

    other = "document 'a' 'v1'" if kind == "documents" else "query 'a'"
    assert told(1, None, 2) == [
        (2, "position", "expected a position for all records or for none: 2 of 3 records have one")
    ]
    assert told(5, 1, 5) == [(3, "position", f"5 is the position of {other} too (line 1)")]


# Problems of dataset.yaml


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"language": "en", "name": ""}, "name", 'must not be empty, found ""'),
        ({"offset_unit": "bytes"}, "offset_unit", "unknown value 'bytes': did you mean 'byte'?"),
        ({"license": "MIT"}, "license", "unknown key: did you mean 'licence'?"),
        ({"synonym_groups": [["a"]]}, "synonym_groups[0]", 'expected at least 2, found ["a"]'),
        ({"synonym_groups": [["a", "a"]]}, "synonym_groups[0]", "an entry stands twice"),
        ({"synonym_groups": ["a"]}, "synonym_groups[0]", 'expected a list, found "a"'),
        ({"current_versions": {"d": 1}}, "current_versions.d", "expected a string or a list, found 1"),
        ({"current_versions": {"d": []}}, "current_versions.d", "must not be empty, found []"),
        ({"current_versions": {"e": "v1"}}, "current_versions.e", "no document is called 'e': valid: d"),
        ({"current_versions": {"d": "v"}}, "current_versions.d", "document 'd' has no version 'v': did you mean 'v1'?"),
        ({"current_versions": {"d": ["v1", "w"]}}, "current_versions.d", "document 'd' has no version 'w': valid: v1"),
        ({"element_separator": "\ud800"}, "element_separator", "\\ud800 is half a character"),
        (b"language: en\n", "", "lacks name"),
        (b"- a\n", "", 'expected a mapping, found ["a"]'),
        (b"", "", "expected a mapping, found null"),
        (b"name: a\nname: b\n", "", 'found duplicate key "name"'),
        (b"name: [a\n", "", "is no YAML"),
        (b"name: \xff\n", "", "is no UTF-8 at byte 6"),
        (b"name: a\nsynonym_groups: &a [*a]\n", "", "an anchor stands inside its own value"),
        (b"name: a\nlanguage: no\nlicence: 1.0\n", "licence", "expected a string, found 1.0"),
        (b"name: a\ncurrent_versions: {1: v1}\n", "current_versions", "expected a string, found 1"),
    ],
)
def test_dataset_yaml_with_a_problem(tmp_path, settings, field, message):
    ((name, _, record, place, told),) = problems(write(tmp_path, [document("ab")], [], settings=settings))
    assert (name, record, place) == ("dataset.yaml", "", field)
    assert told.startswith(message)


@pytest.mark.parametrize("settings", [b"name: [", b"3", b"name: a\ncurrent_versions: {d: 1}\n"])
def test_current_versions_that_are_at_fault_are_told_once(tmp_path, settings):
    documents = [document("a", version="v1"), document("a", version="v2")]
    assert len(problems(write(tmp_path, documents, settings=settings))) == 1


def test_several_versions_need_a_current_one(tmp_path):
    documents = [document("a", version="v1"), document("a", version="v2"), document("a", doc_id="e")]
    ((_, _, _, field, message),) = problems(write(tmp_path, documents))
    assert (field, message) == ("current_versions", "is needed, because 'd' has several versions: v1, v2")
    found = load(write(tmp_path, documents, settings={"current_versions": {"d": ["v1", "v2"]}})).documents
    assert [document.current for document in found] == [True, True, False]
    found = load(write(tmp_path, documents, settings={"current_versions": {}})).documents
    assert [document.current for document in found] == [False, False, False]
    assert load(write(tmp_path, documents[1:])).documents[0].current


# Files


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("none", "file"):
        with pytest.raises(InputError) as caught:
            load(tmp_path / name)
        assert [str(problem) for problem in caught.value.problems] == [
            f"{tmp_path / name}: no such folder: expected a dataset folder"
        ]


def test_missing_files_are_told_together_and_hide_nothing_else(tmp_path):
    assert problems(tmp_path) == [
        (name, 0, "", "", "no such file") for name in ("dataset.yaml", "documents.jsonl", "queries.jsonl")
    ]
    write(tmp_path, queries=[query({"element_id": "e"}, span(0, 1)), query(query_id="r", versions=["v"], tag=1)])
    (tmp_path / "documents.jsonl").unlink()
    (tmp_path / "elements.jsonl").symlink_to("none")
    assert [(name, field) for name, _, _, field, _ in problems(tmp_path)] == [
        ("documents.jsonl", ""),
        ("elements.jsonl", ""),
        ("queries.jsonl", "tag"),
    ]


def test_problems_name_files_as_the_user_gave_the_folder(tmp_path, monkeypatch):
    write(tmp_path / "data", [document()], [query(span(0, 1))])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        load("data")
    assert str(caught.value) == (
        "1 problem found:\n  data/documents.jsonl:1: document 'd' 'v1': "
        "expected text, path, or elements with a text that make up the document"
    )


def test_bug_case_9_a_byte_order_mark_hides_no_record(tmp_path):
    documents = b"\xef\xbb\xbf" + line(document("a", doc_id="a")) + line(document("b", doc_id="b"))
    assert [found.doc_id for found in load(write(tmp_path, documents)).documents] == ["a", "b"]


def test_cr_lf_and_blank_lines(tmp_path):
    documents = b"\r\n" + line(document("a", doc_id="a")).replace(b"\n", b"\r\n") + b"  \r\n" + line(document("b"))
    assert [found.text for found in load(write(tmp_path, documents)).documents] == ["a", "b"]


def test_all_problems_of_all_files_are_told_at_once(tmp_path):
    documents = b"".join(
        [
            b'{"doc_id": "a", "doc_id": "a", "version": "v1", "text": "x"}\n',
            b'{"doc_id": "b", "version": "v1", "text": "x", "metadata": {"n": NaN}, "colour": 1}\n',
            b'{"doc_id": "c", "version": "v1", "text": "\\ud800"}\n',
            b'["d"]\n',
            b'{"doc_id": "\xff"}\n',
            line(document("x", doc_id="e\n")),
            line(document("x", doc_id="e\n")),
        ]
    )
    elements = [element("e1", "a", start=0, end=1, header_id="e2"), element("e2", "f", start=0, end=1)]
    queries = [
        query(span(0, 1, doc_id="a"), span(0, 9, doc_id="b"), {"element_id": "e1"}),
        query(span(0, 1, doc_id="d"), query_id="r"),
    ]
    told = problems(write(tmp_path, documents, queries, elements, {"current_versions": {"z": "v1"}, "license": "x"}))
    assert [(name, number, record, field) for name, number, record, field, _ in told] == [
        ("dataset.yaml", 0, "", "current_versions.z"),
        ("dataset.yaml", 0, "", "license"),
        ("documents.jsonl", 1, "document 'a' 'v1'", "doc_id"),
        ("documents.jsonl", 2, "document 'b' 'v1'", "colour"),
        ("documents.jsonl", 2, "document 'b' 'v1'", "metadata.n"),
        ("documents.jsonl", 3, "document 'c' 'v1'", "text"),
        ("documents.jsonl", 4, "", ""),
        ("documents.jsonl", 5, "", ""),
        ("documents.jsonl", 7, "document 'e\\n' 'v1'", "doc_id"),
        ("elements.jsonl", 2, "element 'e2'", "doc_id"),
        ("queries.jsonl", 2, "query 'r'", "facts[0].support[0][0].doc_id"),
    ]
    assert all("\n" not in message for *_, message in told)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "d", "v1", "e", "ab", "absent"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["doc_id", "version", "start", "end", "quote", "support", "x"]), inner, max_size=3
        )
    ),
    max_leaves=4,
)


def spoilt(record):
    """The record with one key replaced by anything, or taken away."""
    keys = st.sampled_from(sorted(record))
    changed = st.builds(lambda key, value: {**record, key: value}, keys, ANYTHING)
    return changed | keys.map(lambda key: {name: value for name, value in record.items() if name != key})


@given(
    st.lists(spoilt(document("ab", position=1, acl=["g"], metadata={}, sha256="x", path="x")), max_size=2),
    st.lists(spoilt(query(span(0, 1), {"element_id": "e"}, no_answer="absent", versions=["v1"])), max_size=2),
    st.lists(spoilt(element("e", text="ab", position=1, start=0, end=2, header_id="e", labels={})), max_size=2),
    spoilt({"current_versions": {"d": "v1"}, "synonym_groups": [["a", "b"]], "name": "n", "offset_unit": "byte"}),
)
def test_whatever_stands_in_the_files_it_is_read_or_refused(tmp_path_factory, documents, queries, elements, settings):
    folder = tmp_path_factory.mktemp("dataset")
    write(folder, documents, queries, elements, json.dumps(settings).encode())
    try:
        load(folder)
    except InputError as error:
        str(error).encode("utf-8")


def test_a_thousand_queries_load_in_well_under_two_seconds(tmp_path):
    text = "".join(f"fact {number:04} stands here. " for number in range(1190))
    documents = [document(text, doc_id=f"doc-{number}") for number in range(6)]
    queries = [query(quote(f"fact {number:04}", f"doc-{number % 6}"), query_id=f"q{number}") for number in range(1190)]
    folder = write(tmp_path, documents, queries)
    start = time.process_time()
    assert len(load(folder).golds) == 1190
    assert time.process_time() - start < 2
