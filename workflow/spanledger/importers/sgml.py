"""TREC's SGML: documents (<DOC>) and topics (<top>, or <DOC> as CACM's are written).

It is no XML: files have many roots, end tags are left out, & and < stand bare. So documents and topics are found by their
own tags, and all others that look like <NAME ...> or </NAME> are dropped; a < that no name follows stays. References such
as &amp; become what they stand for, unknown ones stay as they are.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

STATED = "the tags were dropped, all text after DOCNO was kept, and references such as &amp; became characters"
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9_.-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
_DOCUMENT = re.compile(r"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<(num|title|desc|narr)>(.*?)(?=<(?:num|title|desc|narr)>|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = {
    "num": re.compile(r"\A\s*Number\s*:", re.IGNORECASE),
    "title": re.compile(r"\A\s*Topic\s*:", re.IGNORECASE),
    "desc": re.compile(r"\A\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\A\s*Narrative\s*:", re.IGNORECASE),
}
FIELDS = ("title", "desc", "narr")


@dataclass(frozen=True, slots=True)
class Part:
    """One document or topic: the line on which it begins, its id (empty where it has none), and its text, or that of each
    field of a topic."""

    line: int
    name: str
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def documents(text: str) -> Iterator[Part]:
    """The documents of a file, in its order. White space at both ends of a text goes."""
    for line, body in _blocks(_DOCUMENT, text):
        number = _NUMBER.search(body)
        yield Part(line, _plain(number[1]) if number else "", _plain(body[number.end() :] if number else body))


def topics(text: str) -> Iterator[Part]:
    """The topics of a file, in its order. A <top> has fields, without their labels (Number:, Description:, ...); a <DOC>
    has its text as the title. A run of white space is one space."""
    if not _DOCUMENT.search(text):
        for line, body in _blocks(_TOPIC, text):
            found: dict[str, str] = {}
            for name, value in _FIELD.findall(body):
                name = name.lower()
                found.setdefault(name, " ".join(_plain(_LABEL[name].sub("", value)).split()))
            yield Part(line, found.pop("num", ""), fields=tuple(found.items()))
        return
    for part in documents(text):
        yield Part(part.line, part.name, fields=(("title", " ".join(part.text.split())),))


def outside(text: str) -> str:
    """What of a file of documents lies outside of them, white space apart; empty where all of it was read."""
    return _DOCUMENT.sub("", text).strip()


def _blocks(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    line, here = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", here, match.start())
        here = match.start()
        yield line, match[1]


def _plain(markup: str) -> str:
    return html.unescape(_TAG.sub("", markup)).strip()
