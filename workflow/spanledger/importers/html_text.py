"""The text of an HTML page, by the standard library's parser.

Kept are all characters between tags, references such as &amp; as what they stand for. Dropped are tags, comments,
declarations, and what is inside script, style, template and noscript; the title goes to the document's metadata. Outside
pre and textarea a run of white space is one space; a block element begins a new line, and there are no empty lines. White
space at both ends goes.
"""

import re
from html.parser import HTMLParser

DROPPED = ("noscript", "script", "style", "template")
STATED = (
    "tags, comments, declarations and the content of noscript, script, style and template were dropped; the title went to "
    "metadata; white space outside pre and textarea was reduced to one space, "
    "or to one line end between blocks, and at both ends of the page to nothing"
)
_PRESERVED = ("pre", "textarea")
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
        "figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol option p pre section summary "
        "table tbody td tfoot th thead title tr ul",
    )
)


class _Text(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._dropped: list[str] = []
        self._preserved = 0
        self._in_title = False

    def handle_starttag(self, tag, attributes):
        if tag in DROPPED:
            self._dropped.append(tag)
        if self._dropped:
            return
        self._in_title = self._in_title or tag == "title"
        if tag == "br" and self._preserved:
            self._add("\n")
        if tag in _BLOCKS:
            self._new_line()
        self._preserved += tag in _PRESERVED

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)  # in HTML the slash means nothing

    def handle_endtag(self, tag):
        if self._dropped:
            if tag in self._dropped:
                while self._dropped.pop() != tag:
                    pass
            return
        self._in_title = self._in_title and tag != "title"
        self._preserved = max(0, self._preserved - (tag in _PRESERVED))
        if tag in _BLOCKS:
            self._new_line()

    def handle_data(self, data):
        if self._in_title:
            self.title.append(data)
        elif not self._dropped:
            self._add(data if self._preserved else re.sub(r"[ \t\n\r\f]+", " ", data))

    def _add(self, text: str) -> None:
        last = self.parts[-1] if self.parts else "\n"
        if not self._preserved and last[-1] in " \n":
            text = text.removeprefix(" ")
        if text:
            self.parts.append(text)

    def _new_line(self) -> None:
        if self.parts and not self._preserved:
            self.parts[-1] = self.parts[-1].removesuffix(" ")
            if not self.parts[-1]:
                self.parts.pop()
            if self.parts and not self.parts[-1].endswith("\n"):
                self.parts.append("\n")


def html_text(markup: str) -> tuple[str, str]:
    """The text and the title of a page."""
    parser = _Text()
    parser.feed(markup)
    parser.close()
    return "".join(parser.parts).strip(" \t\n\r\f"), " ".join("".join(parser.title).split())
