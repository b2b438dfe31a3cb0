"""The length of a context as it would be sent, while it grows."""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from spanledger.core import units
from spanledger.core.records import Chunk, DocumentKey
from spanledger.selection.rendering import Rendering, Sendable

_SIGHT = 64  # characters from each end of a passage's text in which a place to cut it is looked for
_KEPT = 50_000  # counts that are kept


class Sent(NamedTuple):
    """A context without its footer: the units of its text up to a place where the count can be cut, the text from there
    on, and its number of passages."""

    closed: int = 0
    open: str = ""
    passages: int = 0


class Measure:
    """Counts contexts of one rendering in one unit, exactly: the units of the whole text, not a sum over its passages,
    because words and tokens may join where texts meet.

    A count is cut where `units.separates` says that nothing joins: between passages, and inside a passage near its ends,
    so that the most of it is counted once and a passage more is a few counts of short texts.
    `chunks` are all chunks and parents that a context may hold by themselves, `title` leads to that of a document.
    """

    def __init__(self, rendering: Rendering, unit: str, chunks: Iterable[Chunk], title: Callable[[DocumentKey], str]):
        self.rendering = rendering
        self.unit = unit
        self._chunks = chunks
        self._title = title
        self._counts: dict[str, int] = {}
        # By the id of a chunk, which is kept alive beside its value.
        self._weights: dict[int, tuple[Chunk, int]] = {}
        self._parts: dict[tuple[int, int], tuple[Chunk, tuple[str, ...]]] = {}
        self._header, self._separator, self._footer = rendering.frame
        self.empty = self._grown(Sent(), self._header)

    def text(self, passage: Sendable, rank: int) -> str:
        """What is sent of a passage; `rank` is its place in the context, from 1."""
        return self.rendering.passage(passage, rank, self._title_of(passage))

    def render(self, passages: Iterable[Sendable]) -> str:
        """The whole text of a context that is not sent apart."""
        return self.rendering.text(self.text(passage, rank) for rank, passage in enumerate(passages, 1))

    def of(self, passages: Iterable[Sendable]) -> int:
        """The length of a context, counted at once."""
        if self.rendering.apart:
            return sum(units.count(passage.body, self.unit) for passage in passages)
        return units.count(self.render(passages), self.unit)

    def add(self, sent: Sent, passage: Sendable) -> Sent:
        """The context with a passage more at its end."""
        if self.rendering.apart:
            length = self.weight(passage) if isinstance(passage, Chunk) else self._count(passage.body)
            return Sent(sent.closed + length, "", sent.passages + 1)
        if sent.passages:
            sent = self._grown(sent, self._separator)
        for part in self._parts_of(passage, sent.passages + 1):
            sent = self._grown(sent, part)
        return Sent(sent.closed, sent.open, sent.passages + 1)

    def total(self, sent: Sent) -> int:
        """The length of the context with its footer."""
        closed, text, _ = self._grown(sent, self._footer)
        return closed + self._count(text)

    @cached_property
    def adds_up(self) -> bool:
        """Whether the length of any context of the chunks is `floor` and their weights, in any order."""
        if self.rendering.apart:
            return True
        if self.rendering.ranks:
            return False
        separator, footer = self._separator, self._footer
        return self.unit in ("char", "byte") or (
            self._parted
            and all(
                (not separator or units.separates(text, separator, self.unit))
                and (not footer or units.separates(text, footer, self.unit))
                for text in self._first_texts
            )
        )

    @cached_property
    def floor(self) -> int:
        """A number of units, such that no context is shorter than this and the weights of its passages together; below 0
        where separators are counted with the weights, one too many."""
        if self.rendering.apart:
            return 0
        header, separator, footer = map(self._count, (self._header, self._separator, self._footer))
        if self.unit in ("char", "byte") or self.adds_up:
            return header + footer - separator
        return header if self._parted else 0

    def weight(self, chunk: Chunk) -> int:
        """What a chunk or a parent adds to the length of a context at least (see `floor`), at any place among any others;
        0 where nothing is known."""
        if id(chunk) not in self._weights:
            self._weights[id(chunk)] = chunk, self._weigh(chunk)
        return self._weights[id(chunk)][1]

    def _weigh(self, chunk: Chunk) -> int:
        rendering = self.rendering
        if rendering.apart:
            return chunk.lengths[self.unit] if self.unit in chunk.lengths else self._count(chunk.body)
        if self.unit in ("char", "byte") or self.adds_up:
            return self._count(self.text(chunk, 1)) + self._count(self._separator)
        # What follows the last rank is the same wherever the passage stands.
        parts = rendering.parts
        tail = parts[max((n for n, (_, name) in enumerate(parts, 1) if name == "rank"), default=0) :]
        text = rendering.filled(tail, chunk, None, self._title_of(chunk))
        if self._parted and text and (not rendering.ranks or units.separates("0", text, self.unit)):
            return min(self._count(text + self._separator), self._count(text + self._footer))
        return sum(map(self._count, self._cut(text)[1:-1]))

    @cached_property
    def _first_texts(self) -> list[str]:
        """The text of each chunk in the first place."""
        return [self.text(chunk, 1) for chunk in self._chunks]

    @cached_property
    def _parted(self) -> bool:
        """Whether nothing joins where any chunk's text begins, whatever stands before it."""
        texts = self._first_texts
        before = {self._separator[-1:]} if self._separator else {text[-1:] for text in texts}
        if self._header:
            before.add(self._header[-1:])
        return all(text and end and units.separates(end, text, self.unit) for text in texts for end in before)

    def _parts_of(self, passage: Sendable, rank: int) -> tuple[str, ...]:
        """The text of a passage; of a chunk cut near its ends, for it comes again."""
        if not isinstance(passage, Chunk):
            return (self.text(passage, rank),)
        place = id(passage), rank if self.rendering.ranks else 1
        if place not in self._parts:
            self._parts[place] = passage, self._cut(self.text(passage, rank))
        return self._parts[place][1]

    def _cut(self, text: str) -> tuple[str, ...]:
        """A text, cut at the first place and at the last one near its ends where nothing joins."""
        if self.unit in ("char", "byte"):
            return (text,)
        near = list(islice((place for place in range(1, min(_SIGHT, len(text))) if self._separated(text, place)), 1))
        far = range(len(text) - 1, max(near[0] if near else 0, len(text) - _SIGHT), -1)
        near += islice((place for place in far if self._separated(text, place)), 1)
        return tuple(text[start:end] for start, end in pairwise([0, *near, len(text)]))

    def _separated(self, text: str, place: int) -> bool:
        return units.separates(text[place - 1 : place], text[place : place + _SIGHT], self.unit)

    def _grown(self, sent: Sent, text: str) -> Sent:
        if not text:
            return sent
        if sent.open and units.separates(sent.open, text, self.unit):
            return Sent(sent.closed + self._count(sent.open), text, sent.passages)
        return Sent(sent.closed, sent.open + text, sent.passages)

    def _count(self, text: str) -> int:
        if self.unit == "char":
            return len(text)
        if text not in self._counts:
            if len(self._counts) == _KEPT:
                self._counts.clear()
            self._counts[text] = units.count(text, self.unit)
        return self._counts[text]

    def _title_of(self, passage: Sendable) -> str:
        return self._title(passage.key)
