"""report.html: one page that holds all that it shows, and loads nothing."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from spanledger.report.payload import payload
from spanledger.report.results import Results
from spanledger.report.sections import SECTIONS

_FOLDER = Path(__file__).parent
SCRIPTS = (
    "data.js",
    "question.js",
    "candidates.js",
    "page.js",
)  # one script: each file uses the names of those before it


def render(results: Results) -> bytes:
    """The page as UTF-8; the same results give the same bytes. Raises KeyError for a document that is missing."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (_FOLDER / "page.css").read_text(encoding="utf-8")
    script = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    page = environment.get_template("page.html").render(
        experiment=results.experiment,
        sections=[(section, section.view(results)) for section in SECTIONS],
        style=Markup(style),
        script=Markup(script),
        style_source=_source(style),
        script_source=_source(script),
        data=Markup(embedded(payload(results))),
    )
    return page.encode()


def embedded(value: Any) -> str:
    """A value as JSON that may stand inside a script element: no character of it can end the element or a line."""
    text = orjson.dumps(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _source(text: str) -> str:
    """The Content-Security-Policy source that lets in this inline text alone."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
