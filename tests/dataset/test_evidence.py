"""Evidence in every form, and each way in which it names no place."""

import pytest

from builders import evidence
from dataset_folder import document, element, problems, query, quote, span, write
from spanledger.dataset import load

TEXT = "one two\n\nthree two"  # two is at (4, 7) and (15, 18)
ELEMENTS = [element("first", start=0, end=7), element("second", start=9, end=18)]


def located(folder, *forms, **rest):
    """The span of each piece of evidence."""
    (gold,) = load(write(folder, queries=[query(*forms)], **rest)).golds
    return [group[0] for group in gold.facts[0].support]


def messages(folder, *forms, settings=None, **rest):
    """(field below the piece of evidence, message) of each problem."""
    told = problems(write(folder, queries=[query(*forms)], settings=settings, **rest))
    assert {(name, line, record) for name, line, record, _, _ in told} == {("queries.jsonl", 1, "query 'q'")}
    return [(field.removeprefix("facts[0].support"), message) for _, _, _, field, message in told]


def test_every_form(tmp_path):
    digest = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"  # of two
    forms = [
        span(4, 7),
        span(4, 7, text="two"),
        quote("one two"),
        {"element_id": "second"},
        {"element_id": "second", "quote": "two"},
        span(4.0, 7e0),
        span(15, 18, sha256=digest),
    ]
    found = located(tmp_path, *forms, documents=[document(TEXT)], elements=ELEMENTS)
    assert [one.span for one in found] == [(4, 7), (4, 7), (0, 7), (9, 18), (15, 18), (4, 7), (15, 18)]
    assert all(one.key == ("d", "v1") for one in found)
    ((_, message),) = messages(tmp_path / "bad", span(0, 3, sha256=digest), documents=[document(TEXT)])
    assert message.startswith('is not the digest of what stands at (0, 3): found "one"')


@pytest.mark.parametrize(("unit", "start", "end"), [("code_point", 2, 3), ("utf16", 2, 4), ("byte", 3, 7)])
def test_offsets_in_each_unit_give_the_same_span(tmp_path, unit, start, end):
    found = located(
        tmp_path, span(start, end, text="😀"), documents=[document("aé😀b")], settings={"offset_unit": unit}
    )
    assert found == [evidence(2, 3, "d")]


@pytest.mark.parametrize(("unit", "offset"), [("utf16", 3), ("byte", 2), ("byte", 4)])
def test_an_offset_inside_a_character_is_refused(tmp_path, unit, offset):
    for form, field in ((span(0, offset), "end"), (span(offset, 99), "start")):
        told = messages(tmp_path, form, documents=[document("aé😀b")], settings={"offset_unit": unit})
        assert told[0][0] == f"[0][0].{field}"
        assert f"{offset} lies inside a character" in told[0][1]


def test_bug_case_7_text_that_does_not_stand_at_the_span(tmp_path):
    told = messages(tmp_path, span(5, 8, text="ccc"), documents=[document("a\r\nbb\r\nccc\r\n")])
    assert told == [("[0][0].text", '"ccc" does not stand at (5, 8): found "\\r\\nc"; it stands at (7, 10)')]


def test_bug_case_8_a_quote_is_placed_in_the_raw_text(tmp_path):
    assert located(tmp_path, quote("noir"), documents=[document("cafe\u0301 noir")]) == [evidence(6, 10, "d")]


def test_a_quote_must_occur_once(tmp_path):
    forms = [quote("two"), quote("four"), {"element_id": "first", "quote": "three"}, {"element_id": "second"}]
    told = messages(tmp_path, *forms, documents=[document(TEXT)], elements=ELEMENTS)
    assert told == [
        ("[0][0].quote", '"two" occurs 2 times in the document (at 4, 15), expected once'),
        ("[1][0].quote", '"four" occurs 0 times in the document, expected once'),
        ("[2][0].quote", '"three" occurs 0 times in the element, expected once'),
    ]


def test_what_does_not_exist_is_told_with_the_nearest_name(tmp_path):
    forms = [span(0, 1, doc_id="retri"), span(0, 1, doc_id="retry", version="v2"), {"element_id": "frist"}]
    told = messages(
        tmp_path,
        *forms,
        documents=[document("ab", doc_id="retry"), document("ab", doc_id="logs")],
        elements=[element("first", doc_id="logs", start=0, end=1)],
    )
    assert told == [
        ("[0][0].doc_id", "no document is called 'retri': did you mean 'retry'? valid: logs, retry"),
        ("[1][0].version", "document 'retry' has no version 'v2': did you mean 'v1'? valid: v1"),
        ("[2][0].element_id", "no element is called 'frist': did you mean 'first'? valid: first"),
    ]


def test_among_many_names_only_the_nearest_is_told(tmp_path):
    documents = [document("a", doc_id=f"page-{number}") for number in range(30)]
    told = messages(tmp_path, span(0, 1, doc_id="pag-17"), documents=documents)
    assert told == [("[0][0].doc_id", "no document is called 'pag-17': did you mean 'page-17'?")]


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        (span(1, 1), "[0][0].end", "must be greater than start (1), found 1"),
        (span(2, 1), "[0][0].end", "must be greater than start (2), found 1"),
        (span(0, 3), "[0][0].end", "3 lies outside the text, which has 2 characters"),
        (span(-1, 1), "[0][0].start", "expected at least 0, found -1"),
        (span("0", 1), "[0][0].start", 'expected a whole number, found "0"'),
        (span(0.5, 1), "[0][0].start", "expected a whole number, found 0.5"),
        (span(True, 2), "[0][0].start", "expected a whole number, found true"),
        (quote(""), "[0][0].quote", 'must not be empty, found ""'),
        ({"element_id": "e", "start": 1}, "[0][0]", 'expected element_id, alone or with a quote, found "start"'),
        ({**quote("a"), "start": 0}, "[0][0]", "expected a quote with doc_id and version, or with element_id, and no"),
        ({"doc_id": "d", "version": "v1", "start": 0}, "[0][0]", "lacks end"),
        ({"quote": "a"}, "[0][0]", "lacks doc_id, version"),
        ({}, "[0][0]", "lacks doc_id, end, start, version"),
        (span(0, 1, sha="x"), "[0][0].sha", "unknown key: did you mean 'sha256'?"),
        ("ab", "[0][0]", "expected evidence: {doc_id, version, start, end}, {doc_id, version, quote}, {element_id}"),
    ],
)
def test_what_is_no_evidence(tmp_path, form, field, message):
    told = messages(tmp_path, form, documents=[document("ab")])
    assert [place for place, _ in told][0] == field
    assert told[0][1].startswith(message)


NESTING = "[[evidence, ...], ...]"


@pytest.mark.parametrize("flat", [["d1", "d2"], [span(0, 1), span(1, 2)]])
def test_bug_case_14_a_flat_support_is_refused(tmp_path, flat):
    broken = {**query(), "facts": [{"fact_id": "f", "support": flat}]}
    told = problems(write(tmp_path, [document("ab")], [broken]))
    assert [field for _, _, _, field, _ in told] == ["facts[0].support[0]", "facts[0].support[1]"]
    assert all(NESTING in message for *_, message in told)


def test_bug_case_14_the_two_nestings_mean_what_they_say(tmp_path):
    def support(*groups):
        folder = write(tmp_path, [document("ab")], [{**query(), "facts": [{"fact_id": "f", "support": groups}]}])
        return load(folder).golds[0].facts[0].support

    first, second = span(0, 1), span(1, 2)
    assert support([first], [second]) == ((evidence(0, 1, "d"),), (evidence(1, 2, "d"),))
    assert support([first, second]) == ((evidence(0, 1, "d"), evidence(1, 2, "d")),)


@pytest.mark.parametrize(
    ("fact", "field"),
    [
        ({"fact_id": "f", "support": []}, "facts[0].support"),
        ({"fact_id": "f", "support": [[]]}, "facts[0].support[0]"),
        ({"fact_id": "", "support": [[span(0, 1)]]}, "facts[0].fact_id"),
    ],
)
def test_nothing_in_a_fact_may_be_empty(tmp_path, fact, field):
    ((_, _, _, place, message),) = problems(write(tmp_path, [document("ab")], [{**query(), "facts": [fact]}]))
    assert (place, message.startswith("must not be empty")) == (field, True)


def test_fact_ids_are_unique_within_a_query(tmp_path):
    fact = {"fact_id": "f", "support": [[span(0, 1)]]}
    other = {"fact_id": "g", "support": [[span(0, 1)]]}
    told = problems(write(tmp_path, [document("ab")], [{**query(), "facts": [fact, other, fact]}]))
    assert told == [("queries.jsonl", 1, "query 'q'", "facts[2].fact_id", "'f' is the fact_id of facts[0] too")]
    load(write(tmp_path, [document("ab")], [query(span(0, 1)), query(span(0, 1), query_id="r")]))


def access(tmp_path, form, groups, acl=None, **rest):
    asker = {} if groups is None else {"groups": groups}
    guard = {} if acl is None else {"acl": acl}
    return write(tmp_path, [document("secret open", **guard)], [query(form, **asker)], **rest)


STAFF = [element("s", start=0, end=6, acl=["staff", "admin"]), element("o", start=7, end=11)]


@pytest.mark.parametrize("form", [{"element_id": "s"}, quote("secret"), span(5, 8), {"element_id": "s", "quote": "t"}])
def test_evidence_that_the_asker_may_not_read_is_refused(tmp_path, form):
    load(access(tmp_path, form, ["admin", "sales"], elements=STAFF))
    for groups, told in ((["sales", "hr"], "hr, sales"), ([], "none"), (None, "none")):
        ((_, _, _, field, message),) = problems(access(tmp_path, form, groups, elements=STAFF))
        assert field == "facts[0].support[0][0]"
        assert message == (
            f"the asker may not read it (element 's' is for admin, staff; the query's groups: {told}): "
            "use no_answer: unauthorized"
        )


def test_evidence_beside_what_is_guarded_is_allowed(tmp_path):
    load(access(tmp_path, span(6, 11), [], elements=STAFF))


def test_a_document_may_shut_the_asker_out(tmp_path):
    load(access(tmp_path, quote("open"), ["a"], acl=["a"]))
    ((*_, message),) = problems(access(tmp_path, quote("open"), ["b"], acl=["a"]))
    assert "the document is for a; the query's groups: b" in message
