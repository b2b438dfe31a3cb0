"""Units of length: what a chunk's size, an overlap, a budget or a cost is counted in.

char     Unicode code points
word     maximal runs of characters that are not white space
lexical  ASCII runs of [A-Za-z0-9_], and every other single character that is not white space, punctuation included
byte     bytes of the UTF-8 form; a character is never cut

and tokens of a tokenizer, by its name (see `tokenizers`), as tiktoken/cl100k_base; a character is never cut here either.
"""

import re
from itertools import accumulate

from spanledger.core.spans import Span
from spanledger.core.tokenizers import is_tokenizer, tokenizer

UNITS = ("char", "word", "lexical", "byte")
_WORD = re.compile(r"[A-Za-z0-9_]")
_PATTERNS = {"word": re.compile(r"\S+"), "lexical": re.compile(r"[A-Za-z0-9_]+|\S")}


def count(text: str, unit: str) -> int:
    """How many units the text holds. Raises ValueError for an unknown unit."""
    if unit == "char":
        return len(text)
    if unit == "byte":
        return len(text.encode())
    if is_tokenizer(unit):
        return tokenizer(unit).count(text)
    return sum(1 for _ in _pattern(unit).finditer(text))


def separates(left: str, right: str, unit: str) -> bool:
    """Whether nothing joins where two texts meet, so that `left + right` counts as many units as the two do, and in any
    text that goes on before or after them too. It looks at the last character of `left` and at the beginning of `right`
    alone. False is no claim, nor is anything said of an empty text."""
    if not left or not right:
        return False
    if unit in ("char", "byte"):
        return True
    if is_tokenizer(unit):
        return tokenizer(unit).separates(left, right)
    if unit == "lexical":
        return not (_WORD.match(left[-1]) and _WORD.match(right[0]))
    return left[-1].isspace() or right[0].isspace()


class Atoms:
    """The indivisible pieces of a text in a unit: `spans[i]` is half-open in code points, ascending and disjoint, and
    `before[i]` is the number of units in front of it (`before[-1]` all of them). What lies between two atoms (white
    space) counts nothing."""

    def __init__(self, text: str, unit: str):
        self.spans: list[Span]
        if unit in ("char", "byte"):
            self.spans = [(i, i + 1) for i in range(len(text))]
            widths = [1] * len(text) if unit == "char" or text.isascii() else [len(c.encode()) for c in text]
        elif is_tokenizer(unit):
            atoms = tokenizer(unit).atoms(text)
            self.spans, widths = [span for span, _ in atoms], [tokens for _, tokens in atoms]
        else:
            self.spans = [match.span() for match in _pattern(unit).finditer(text)]
            widths = [1] * len(self.spans)
        self.before = list(accumulate(widths, initial=0))


def check(unit: str) -> None:
    """Raises ValueError for what is no unit, or a tokenizer that cannot be had."""
    if unit not in UNITS:
        count("", unit)


def _pattern(unit: str) -> re.Pattern:
    if unit not in _PATTERNS:
        raise ValueError(f"unit '{unit}': expected one of {', '.join(UNITS)}, or a tokenizer")
    return _PATTERNS[unit]
