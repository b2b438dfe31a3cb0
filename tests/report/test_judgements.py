"""The sheet of judgements: what is written is read, what people wrote is kept, and bad input is told in full."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.errors import InputError
from spanledger.report import judgements
from spanledger.report.judgements import COLUMNS, Sheet, guarded, merge, parse, read, render, unguarded

HEADER = "query_id,fact_id,class,judgement,note\n"


def row(query_id="q", fact_id="f", failure="acl", **rest):
    return {**dict.fromkeys(COLUMNS, ""), "query_id": query_id, "fact_id": fact_id, "class": failure, **rest}


def problems(data):
    with pytest.raises(InputError) as caught:
        parse(data if isinstance(data, bytes) else data.encode(), "sheet.csv")
    return [(problem.line, problem.field, problem.message) for problem in caught.value.problems]


def test_the_bytes_of_a_sheet():
    """A byte order mark, CR LF, and quotes where a cell has a comma, a quote or a line end."""
    sheet = Sheet(
        ("query_id", "fact_id", "class", "judgement", "note"), ({**row(), "note": '断了, "here"\nand there'},)
    )
    assert render(sheet) == (
        b"\xef\xbb\xbfquery_id,fact_id,class,judgement,note\r\n" + 'q,f,acl,,"断了, ""here""\nand there"\r\n'.encode()
    )
    assert parse(render(sheet), "x").rows[0]["note"] == '断了, "here"\nand there'


@pytest.mark.parametrize("data", ["q,f,acl, acl ,注\n", "q,f,acl,acl,注\r\n", "\nq,f,acl,acl,注\n,,,,\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_spreadsheets_make_of_a_sheet_is_read(data, mark):
    sheet = parse(f"{mark}{HEADER}{data}".encode(), "x")
    assert [(r["judgement"], r["note"]) for r in sheet.rows] == [("acl", "注")]


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_cell_begins_like_a_formula(first):
    for text in (f"{first}1+1", f"'{first}1+1", f"''{first}"):
        assert guarded(text) == f"'{text}" and unguarded(guarded(text)) == text
    assert unguarded(f"{first}1") == f"{first}1"  # as a person typed it


def test_other_cells_stay_as_they_are():
    for text in ("", "a=1", "'tis", "'", "1-2", " =1", "“=”"):
        assert guarded(text) == text == unguarded(text)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12) | st.sampled_from(
    ["=cmd", "'=x", "''+", '"', "a\r\nb", "\n", "\r", ",,", ";", "\ufeff", " x "]
)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=4))
def test_a_sheet_survives_the_round_trip(cells):
    columns = (*COLUMNS, "reviewer")
    rows = tuple(
        {**row(f"q{n}{query_id}"), "note": note, "evidence": evidence, "reviewer": note}
        for n, (query_id, evidence, note) in enumerate(cells)
    )
    sheet = Sheet(columns, rows)
    assert parse(render(sheet), "x") == sheet
    assert render(parse(render(sheet), "x")) == render(sheet)
    # what a spreadsheet reads: no cell that it would evaluate
    for line in csv.reader(io.StringIO(render(sheet).decode("utf-8-sig"), newline="")):
        assert not any(cell.startswith(tuple("=+-@\t\r\n＝＋－＠")) for cell in line)


def test_all_problems_are_told_with_line_and_column():
    data = HEADER + (
        'q,f,acl,acl,"two\nlines"\n'  # lines 2 and 3
        "q,f,version,vocabulary,\n"  # 4
        ",f,acl,ACL,\n"  # 5
        "q,f,acl,,again\n"  # 6
        "q,f\n"  # 7
    )
    found = problems(data)
    assert [(line, field) for line, field, _ in found] == [
        (4, "judgement"),
        (5, "judgement"),
        (5, "query_id"),
        (6, "class"),
        (7, ""),
    ]
    assert found[0][2].startswith("'vocabulary' is no class: did you mean 'vocabulary_mismatch'? valid: acl, ")
    assert found[2][2] == "is empty"
    assert found[3][2] == "line 2 has the same query, fact and class"
    assert found[4][2] == "expected 5 cells, found 2"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", [(1, "class"), (1, "fact_id"), (1, "judgement"), (1, "note"), (1, "query_id")]),
        ("query_id,fact_id,class,note,note,\n", [(1, "judgement"), (1, "note")]),
        ("query_id;fact_id;class;judgement;note\nq;f;acl;;\n", [(1, "")]),
        (HEADER + 'q,f,acl,acl,"never ended\n', [(2, "")]),
        (HEADER + 'q,f,acl,acl,"a"b\n', [(2, "")]),
    ],
)
def test_what_is_no_sheet_is_refused(data, expected):
    assert [(line, field) for line, field, _ in problems(data)] == expected


def test_another_encoding_is_told():
    data = (HEADER + "q,f,acl,acl,词汇\n").encode("gbk")
    assert problems(data) == [(2, "", f"byte {len(HEADER) + 12} is not UTF-8: save it as CSV UTF-8")]


def test_a_sheet_that_is_not_there_is_empty(tmp_path):
    assert read(tmp_path / "none.csv") == Sheet()


def test_merging_keeps_what_people_wrote():
    """By query, fact and class; a written row whose key is gone stays at the end without arms, another goes."""
    old = Sheet(
        (*COLUMNS, "reviewer"),
        (
            {**row("q1", arms="a b", why="old", judgement="version", note="see"), "reviewer": "Li"},
            {**row("q2", arms="a", note="gone but noted"), "reviewer": ""},
            {**row("q3", arms="a"), "reviewer": ""},
            {**row("q4", arms="a"), "reviewer": "Wu"},
        ),
    )
    sheet, stale = merge(old, [row("q0", arms="a", why="new"), row("q1", arms="b", why="new")])
    assert sheet.columns == (*COLUMNS, "reviewer")
    assert sheet.rows == (
        {**row("q0", arms="a", why="new"), "reviewer": ""},
        {**row("q1", arms="b", why="new", judgement="version", note="see"), "reviewer": "Li"},
        {**row("q2", note="gone but noted"), "reviewer": ""},
        {**row("q4"), "reviewer": "Wu"},
    )
    assert stale == list(sheet.rows[2:])
    # and comes to life again when the fact is lost again
    again, none = merge(sheet, [row("q2", arms="c"), row("q4", arms="c")])
    assert [(r["query_id"], r["arms"], r["note"]) for r in again.rows[:2]] == [
        ("q2", "c", "gone but noted"),
        ("q4", "c", ""),
    ]
    assert [r["query_id"] for r in none] == ["q1"]


def test_merging_with_a_sheet_of_few_columns():
    old = parse((HEADER + "q,f,acl,version,x\nz,f,acl,version,\n").encode(), "x")
    sheet, stale = merge(old, [row(arms="a", evidence="text")])
    assert sheet.rows == (row(arms="a", evidence="text", judgement="version", note="x"), row("z", judgement="version"))
    assert [r["query_id"] for r in stale] == ["z"]
    assert judgements.merge(sheet, [row(arms="a", evidence="text")])[0] == sheet
