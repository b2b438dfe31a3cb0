"""What a context costs."""

from collections.abc import Sequence
from typing import Any

from spanledger.core import units
from spanledger.core.analyzers import analyzer
from spanledger.core.records import Chunk
from spanledger.scoring.coverage import Passage
from spanledger.selection.rendering import Rendering
from spanledger.selection.shelf import Shelf


class Cost:
    """Counts a context as it would be sent, in the unit of the resolved section score.cost.

    `unit` is one of `units.UNITS`, a tokenizer, or `analyzer`: terms as the analyzer of the arm's first branch makes them.
    Where the selector declares a text (`rendering`), that is counted; `shelf` knows the titles in it. Where passages are
    sent apart, their lengths are summed, and `text` says what is counted of a chunk: its body, or its retrieval text.
    Text counts each time that it is sent.
    """

    def __init__(
        self,
        setting: dict[str, Any],
        analyzer_name: str,
        rendering: Rendering | None = None,
        shelf: Shelf | None = None,
    ):
        self.unit = setting["unit"]
        self._retrieval = setting["text"] == "retrieval"
        self._analyse = analyzer(analyzer_name)
        self._known: dict[str, int] = {}
        if self.unit != "analyzer":
            units.count("", self.unit)
        self._measure = None if rendering is None or rendering.apart else shelf.measure(rendering, self.unit)

    def text(self, passages: Sequence[Passage]) -> str | None:
        """The one text that a context is sent as; None where its passages are sent apart."""
        return None if self._measure is None else self._measure.render(passages)

    def of(self, passages: Sequence[Passage]) -> int:
        """The cost of a context."""
        if self._measure is None:
            return sum(map(self.of_passage, passages))
        return self._count(self._measure.render(passages))

    def of_passage(self, passage: Passage, rank: int = 1) -> int:
        """The cost of one passage by itself, `rank` its place in the context. They add up where passages are sent apart."""
        if self._measure is not None:
            return self._count(self._measure.text(passage, rank))
        if isinstance(passage, Chunk) and not self._retrieval and self.unit in passage.lengths:
            return passage.lengths[self.unit]
        text = passage.searched if self._retrieval and isinstance(passage, Chunk) else passage.body
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]

    def _count(self, text: str) -> int:
        return len(self._analyse(text)) if self.unit == "analyzer" else units.count(text, self.unit)
