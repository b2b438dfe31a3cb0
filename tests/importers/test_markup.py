"""Text out of HTML and TREC SGML, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.importers import sgml
from spanledger.importers.html_text import html_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one\n  two</p><p>three", "one two\nthree"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("a <b>b</b> <i> c</i>d", "a b cd"),
        ("&lt;p&gt; &amp;amp; &eacute;&#233; &nbsp;x &bogus;", "<p> &amp; éé \u00a0x &bogus;"),
        ("<html>\n<pre>\n\n a\n\n  b < c <=d &lt;e\n</pre>\n</html>\n", "a\n\n  b < c <=d <e"),
        ("x<pre>a<br>b</pre>y", "x\na\nb\ny"),
        ("<script>var a = '<p>no';</script>a<style>b</style><!-- c --><template><p>d</p></template>e", "ae"),
        ("<noscript>no <b>no</b></noscript>yes", "yes"),
        ("<ul><li>one</li>\n <li>two</li></ul>", "one\ntwo"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1\n2"),
        ("a</p></div>b", "a\nb"),
        ("<p>", ""),
        ("", ""),
    ],
)
def test_html(markup, text):
    assert html_text(markup) == (text, "")


def test_the_title_is_metadata():
    assert html_text("<head><title>A &amp;\n B</title></head><body>c") == ("c", "A & B")


@given(st.lists(st.text("ab é<", max_size=6), max_size=6))
def test_a_text_between_tags_survives(parts):
    words = [part.replace("<", "&lt;") for part in parts]
    text, _ = html_text("<div>".join(words))
    assert text.split() == " ".join(parts).split()


DOCUMENTS = """\
<DOC>
<DOCNO> FT-1 </DOCNO>
<HL>A &amp; B</HL>
<TEXT>
one < two <P> three <!-- no -->
</TEXT>
</DOC>

<doc><docno>2</docno>x &bogus; y</doc>
<DOC>no number</DOC>
"""


def test_documents_of_sgml():
    found = [(part.line, part.name, part.text) for part in sgml.documents(DOCUMENTS)]
    assert found == [
        (1, "FT-1", "A & B\n\none < two  three"),
        (9, "2", "x &bogus; y"),
        (10, "", "no number"),
    ]
    assert sgml.outside(DOCUMENTS) == ""
    assert sgml.outside(f"{DOCUMENTS}<DOC> <DOCNO>3</DOCNO> cut off") == "<DOC> <DOCNO>3</DOCNO> cut off"


TOPICS = """
<top>
<num> Number: 301
<title> International   Organized Crime

<desc> Description:
Identify organizations & crimes.

<narr> Narrative:
A relevant <document>.
</top>
<top>
<num> Number: 051 </num>
<title> Topic: Airbus </title>
"""


def test_topics_of_sgml():
    assert [(part.line, part.name, part.fields) for part in sgml.topics(TOPICS)] == [
        (
            2,
            "301",
            (
                ("title", "International Organized Crime"),
                ("desc", "Identify organizations & crimes."),
                ("narr", "A relevant ."),
            ),
        ),
        (12, "051", (("title", "Airbus"),)),
    ]
    found = list(sgml.topics("<DOC>\n<DOCNO> 1 </DOCNO>\n\n What\n articles?\n</DOC>"))
    assert [(part.name, part.fields) for part in found] == [("1", (("title", "What articles?"),))]
