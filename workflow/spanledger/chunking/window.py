"""Fixed windows over a document, in any unit of length."""

from collections.abc import Iterator
from dataclasses import dataclass

from spanledger.chunking.piece import Piece, Stream, TextMethod, apart, runs
from spanledger.core import units
from spanledger.core.records import Document, Element
from spanledger.core.spans import Span


@dataclass(frozen=True, slots=True)
class Window(TextMethod):
    """Windows of at most `chunk_size` units; each next one starts `chunk_overlap` units before the last one's end.

    The first window that reaches the end of the text is the last. A window begins with its first atom and ends with
    its last one, so white space around words or lexical units belongs to no window that only touches it. An atom longer
    than `chunk_size` (a character of several bytes) is a window of its own. Where atoms differ in length the overlap is
    the largest that is not above `chunk_overlap`.

    `group_by` names what windows never cross: document alone, or also acl. Then the elements that the same groups may
    read are cut as one text, in order of the groups' first appearance, joined by LF where they are no neighbours, and
    text outside of elements is left out; a document without elements is cut as a whole.

    With `tail` keep the windows go on until the start, not the end, has passed the text's end, and windows may lie
    wholly inside their predecessors. With drop, the rule above, none does: each window holds something new.

    Raises ValueError unless 0 <= chunk_overlap < chunk_size, and with acl for elements that overlap.
    """

    unit: str
    chunk_size: int
    chunk_overlap: int
    tail: str = "drop"
    group_by: tuple[str, ...] = ("document",)

    def __post_init__(self):
        units.check(self.unit)
        if self.chunk_size < 1:
            raise ValueError(f"window: chunk_size must be at least 1, found {self.chunk_size}")
        if not 0 <= self.chunk_overlap < self.chunk_size:
            raise ValueError(
                f"window: chunk_overlap must be at least 0 and below chunk_size ({self.chunk_size}), "
                f"found {self.chunk_overlap}: the window would never advance"
            )
        if self.tail not in ("drop", "keep"):
            raise ValueError(f"window: tail '{self.tail}': expected drop or keep")
        if tuple(self.group_by) not in (("document",), ("document", "acl")):
            raise ValueError(f"window: group_by {list(self.group_by)}: expected [document] or [document, acl]")

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        """The windows of a document, group by group."""
        parts = apart("window", elements) if "acl" in self.group_by else []
        if not parts:
            yield from TextMethod.pieces(self, document, elements)
            return
        groups: dict[tuple[str, ...] | None, list[Element]] = {}
        for element in parts:
            groups.setdefault(element.acl, []).append(element)
        for group in groups.values():
            stream = Stream(document.text, runs(document, group))
            for span in self.split(stream.text):
                spans = stream.spans_of(span)
                if spans:
                    yield Piece(spans)

    def split(self, text: str) -> Iterator[Span]:
        """The windows of a text as spans of it, in ascending order of start. An empty text has none."""
        if self.unit == "char":  # the same windows without an atom for each character
            step = self.chunk_size - self.chunk_overlap
            for start in range(0, len(text), step):
                yield start, min(start + self.chunk_size, len(text))
                if self.tail == "drop" and start + self.chunk_size >= len(text):
                    return
            return
        atoms = units.Atoms(text, self.unit)
        first = reached = 0
        while first < len(atoms.spans):
            last = first + 1
            while last < len(atoms.spans) and atoms.before[last + 1] - atoms.before[first] <= self.chunk_size:
                last += 1
            if last > reached or self.tail == "keep":
                yield atoms.spans[first][0], atoms.spans[last - 1][1]
            if last == len(atoms.spans) and self.tail == "drop":
                return
            reached = last
            following = last
            end = atoms.before[last] if last < len(atoms.spans) else atoms.before[first] + self.chunk_size
            while following > first + 1 and end - atoms.before[following - 1] <= self.chunk_overlap:
                following -= 1
            first = following
