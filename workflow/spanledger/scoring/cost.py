"""What a context costs."""

from collections.abc import Sequence
from typing import Any

from spanledger.core import units
from spanledger.core.analyzers import analyzer
from spanledger.core.records import Chunk
from spanledger.scoring.coverage import Passage


class Cost:
    """Counts passages in the unit of the resolved section score.cost.

    `unit` is one of `units.UNITS`, or `analyzer`: terms as the analyzer of the arm's first branch makes them. `text` says
    what is counted of a chunk: its body, or its retrieval text. A passage counts each time that it is sent.
    """

    def __init__(self, setting: dict[str, Any], analyzer_name: str):
        self.unit = setting["unit"]
        self._retrieval = setting["text"] == "retrieval"
        self._analyse = analyzer(analyzer_name)
        self._known: dict[str, int] = {}
        if self.unit != "analyzer":
            units.count("", self.unit)

    def of(self, passages: Sequence[Passage]) -> int:
        """The cost of a context."""
        return sum(map(self.of_passage, passages))

    def of_passage(self, passage: Passage) -> int:
        """The cost of one passage."""
        if isinstance(passage, Chunk) and not self._retrieval and self.unit in passage.lengths:
            return passage.lengths[self.unit]
        text = passage.searched if self._retrieval and isinstance(passage, Chunk) else passage.body
        if text not in self._known:
            self._known[text] = len(self._analyse(text)) if self.unit == "analyzer" else units.count(text, self.unit)
        return self._known[text]
