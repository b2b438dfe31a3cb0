"""A context as it would be sent."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from spanledger.core import templates
from spanledger.core.records import DocumentKey


class Sendable(Protocol):
    """What a template is filled with: a chunk, or a piece of a context."""

    doc_id: str
    version: str
    body: str
    heading: str

    @property
    def key(self) -> DocumentKey: ...


@dataclass(frozen=True, slots=True)
class Rendering:
    """How passages become text.

    Where nothing is declared, passages are sent apart, each a text of its own (`apart`). Where anything is, a context is
    one text: `header`, the passages, each by `template` (None: its body) with `separator` between them (None: nothing),
    `footer`. Header and footer are sent without passages too, and braces in them are braces. Raises ValueError for a
    template with a fault.
    """

    separator: str | None = None
    template: str | None = None
    header: str | None = None
    footer: str | None = None

    def __post_init__(self):
        if self.template is not None:
            templates.parts(self.template)

    @property
    def apart(self) -> bool:
        return self.separator is self.template is self.header is self.footer is None

    @property
    def frame(self) -> tuple[str, str, str]:
        """The text in front of all passages, between two of them, and after all."""
        return self.header or "", self.separator or "", self.footer or ""

    @property
    def parts(self) -> tuple[tuple[str, str | None], ...]:
        """The template of a passage (see `templates.parts`)."""
        return (("", "body"),) if self.template is None else templates.parts(self.template)

    @property
    def ranks(self) -> bool:
        """Whether a passage's text says its place in the context."""
        return any(name == "rank" for _, name in self.parts)

    def passage(self, passage: Sendable, rank: int, title: str) -> str:
        """A passage by the template; `rank` counts from 1, `title` is that of its document."""
        return self.filled(self.parts, passage, rank, title)

    def filled(self, parts: Iterable[tuple[str, str | None]], passage: Sendable, rank: int | None, title: str) -> str:
        """Some parts of the template, filled for a passage."""
        values = {"body": passage.body, "heading": passage.heading, "title": title, "rank": str(rank)}
        values |= {"doc_id": passage.doc_id, "version": passage.version}
        return "".join(literal + (values[name] if name else "") for literal, name in parts)

    def text(self, passages: Iterable[str]) -> str:
        """The whole context; `passages` are the texts of its passages, in order."""
        header, separator, footer = self.frame
        return f"{header}{separator.join(passages)}{footer}"
