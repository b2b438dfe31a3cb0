"""Bad input, told in full: every problem found, each with its file, record and field."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault of the input.

    `file` is the path as the user gave it; `line` counts from 1 (0: the file as a whole); `record` names the record by
    its id, `field` is the path inside it; `message` says what was expected and what was found.
    """

    file: str
    line: int = 0
    record: str = ""
    field: str = ""
    message: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.record, self.field, self.message) if part)


class InputError(Exception):
    """Raised with all problems found; its text is what the user reads, one problem a line, in the order of the input."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = sorted(set(problems))
        count = len(self.problems)
        super().__init__("\n".join([f"{count} problem{'s' * (count != 1)} found:", *(f"  {p}" for p in self.problems)]))


def raise_problems(problems: Iterable[Problem]) -> None:
    """Raises InputError when there is at least one problem."""
    problems = list(problems)
    if problems:
        raise InputError(problems)


def nearest(name: str, valid: Iterable[str]) -> str:
    """The end of a message about an unknown name: the closest valid one where there is one, and all that are valid."""
    valid = sorted(map(str, valid))
    close = difflib.get_close_matches(str(name), valid, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return f"{hint}valid: {', '.join(valid) or 'none'}"
