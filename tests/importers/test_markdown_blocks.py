"""The blocks of Markdown: what they are by hand, and that for any text they are whole lines, in order, and miss no word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.importers.markup import blocks, title


def told(text):
    return [(block.kind, text[slice(*block.span)], block.section) for block in blocks(text)]


def test_sections_of_both_kinds_of_headings():
    text = "intro\n\nThe *first*\n===\none\n\n## `code` & [link](/u) ##\ntwo\n### deep\n## next\n\nTop\n---\n# again"
    assert told(text) == [
        ("paragraph", "intro", ()),
        ("heading", "The *first*\n===", ("The first",)),
        ("paragraph", "one", ("The first",)),
        ("heading", "## `code` & [link](/u) ##", ("The first", "code & link")),
        ("paragraph", "two", ("The first", "code & link")),
        ("heading", "### deep", ("The first", "code & link", "deep")),
        ("heading", "## next", ("The first", "next")),
        ("heading", "Top\n---", ("The first", "Top")),
        ("heading", "# again", ("again",)),
    ]
    assert title(blocks(text)) == "The first"


def test_a_title_is_of_text_alone_and_an_empty_one_is_none():
    text = "# <b>A</b> ![pic *one*](p)\n#\nx"
    assert told(text) == [
        ("heading", "# <b>A</b> ![pic *one*](p)", ("A pic *one*",)),
        ("heading", "#", ()),
        ("paragraph", "x", ()),
    ]
    assert title(blocks("text\n\n> # quoted")) == ""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_code_lists_and_quotations_keep_what_stands_in_front(end):
    text = end.join(
        [
            "* one",
            "  more",
            "  - two",
            "",
            "    ```py",
            "    # no heading",
            "",
            "    ```",
            "> # in it",
            "> said",
            "",
            "\tcode",
            "",
        ]
    )
    assert told(text) == [
        ("paragraph", f"* one{end}  more", ()),
        ("paragraph", "  - two", ()),
        ("code", end.join(["    ```py", "    # no heading", "", "    ```"]), ()),
        ("heading", "> # in it", ()),
        ("paragraph", "> said", ()),
        ("code", "\tcode", ()),
    ]


def test_a_table_is_its_header_with_the_dashes_and_its_rows():
    text = "# T\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n3 | 4\n\nend\n\n|x|\n|-|\n"
    found = blocks(text)
    assert told(text)[1:] == [
        ("table_header", "| a | b |\n|---|:-:|", ("T",)),
        ("table_row", "| 1 | 2 |", ("T",)),
        ("table_row", "3 | 4", ("T",)),
        ("paragraph", "end", ("T",)),
        ("table_header", "|x|\n|-|", ("T",)),
    ]
    assert [block.header for block in found] == [None, None, 1, 1, None, None]


def test_a_byte_order_mark_and_front_matter():
    assert told("\ufeff# T\n") == [("heading", "# T", ("T",))]
    assert told("\ufeff---\r\ntitle: x\r\n---\r\n# T") == [
        ("front_matter", "---\r\ntitle: x\r\n---", ()),
        ("heading", "# T", ("T",)),
    ]
    assert told("---\nno end") == [("paragraph", "no end", ())]


def test_html_links_and_rules():
    text = "<div>\na\n</div>\n\n***\n\n[a]: /u\n[b]: /v\n\ntext\n\n<!-- note\n\nit ends -->"
    assert told(text) == [
        ("html", "<div>\na\n</div>", ()),
        ("other", "[a]: /u\n[b]: /v", ()),
        ("paragraph", "text", ()),
        ("html", "<!-- note\n\nit ends -->", ()),
    ]


def test_what_nests_too_deeply_is_not_lost():
    text = "> " * 40 + "deep\n\nafter"
    assert told(text) == [("other", "> " * 40 + "deep", ()), ("paragraph", "after", ())]


@pytest.mark.parametrize("text", ["", "\n\n", " \t\r\n", "\ufeff", "***", "\ufeff\n"])
def test_texts_without_a_block(text):
    assert blocks(text) == []


PARTS = [
    "a",
    "é",
    "😀",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "# ",
    "##",
    "- ",
    "* ",
    "> ",
    "1. ",
    "```\n",
    "~~~",
    "|",
    "|-|-|\n",
]
PARTS += ["---\n", "===\n", "<div>", "</div>", "<!--", "-->", "[a]: /u\n", "`", "\\", "...\n"]
PARTS += ["\x00", "\ufeff", "\u2028", "\x0c", "\x0b", "\x85", "\u00a0"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PARTS), max_size=40).map("".join)))
def test_blocks_are_whole_lines_in_order_and_hold_every_word(text):
    ends = list(re.finditer(r"\r\n|\r|\n", text))
    begins = {0, int(text.startswith("\ufeff")), *(match.end() for match in ends)}
    found = blocks(text)
    before = 0
    for block in found:
        start, end = block.span
        assert before <= start < end <= len(text)
        assert start in begins and end in {len(text), *(match.start() for match in ends)}
        assert text[start:end].strip()
        assert not any(character.isalnum() for character in text[before:start])
        assert (block.header is None) == (block.kind != "table_row")
        if block.header is not None:
            assert (found[block.header].kind, found[block.header].section) == ("table_header", block.section)
        before = end
    assert not any(character.isalnum() for character in text[before:])
