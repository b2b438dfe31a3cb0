"""Query expansion by groups of synonyms that a dataset declares."""

from collections.abc import Callable, Iterable


class Synonyms:
    """One step of expansion: the query's own terms alone trigger groups, and each triggered group adds all its terms.

    A word of a group is what the analyzer makes of it; it triggers its group when the query has all of its terms. Words
    that the analyzer makes nothing of trigger and add nothing.
    """

    def __init__(self, groups: Iterable[Iterable[str]], analyse: Callable[[str], list[str]]):
        self._groups = [[set(analyse(word)) for word in group] for group in groups]

    def __len__(self) -> int:
        """The number of groups that are checked for each query."""
        return len(self._groups)

    def added(self, terms: Iterable[str]) -> list[str]:
        """The terms that the groups add to a query of these terms, in code point order, without those it has."""
        own = set(terms)
        added: set[str] = set()
        for group in self._groups:
            if any(word and word <= own for word in group):
                added.update(*group)
        return sorted(added - own)
