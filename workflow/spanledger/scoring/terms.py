"""What an arm's branches make of a question and find of it in a text."""

from collections.abc import Iterable
from typing import Any

from spanledger.core.analyzers import analyzer
from spanledger.core.records import Query
from spanledger.retrieval.expansion import Synonyms


class Terms:
    """The terms of an arm's branches: `settings` are those of `plan.arm_settings`."""

    def __init__(self, settings: dict[str, Any], synonym_groups: Iterable[Iterable[str]]):
        groups = list(synonym_groups)
        kinds = {(settings["analyzers"][n], bool(b.get("expand"))): None for n, b in settings["branches"].items()}
        self._kinds = [(analyzer(name), Synonyms(groups if expand else (), analyzer(name))) for name, expand in kinds]
        self._known: dict[str, list[frozenset[str]]] = {}

    def own(self, text: str) -> frozenset[str]:
        """The distinct terms of a text, as any branch makes them."""
        return frozenset().union(*self._of(text))

    def shared(self, query: Query, text: str) -> frozenset[str]:
        """The terms that some branch searches for the query and finds in the text."""
        each = zip(self._kinds, self._of(query.text), self._of(text), strict=True)
        return frozenset().union(*(held & own.union(synonyms.added(own)) for (_, synonyms), own, held in each))

    def _of(self, text: str) -> list[frozenset[str]]:
        if text not in self._known:
            self._known[text] = [frozenset(analyse(text)) for analyse, _ in self._kinds]
        return self._known[text]
