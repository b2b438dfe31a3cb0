"""Where two texts meet without a token of both: what is certain of a tokenizer by its definition.

A rule says of two texts that are not empty whether any text that they are neighbours in has the tokens of what ends with
the first and those of what begins with the second, each by itself. It looks at the last character of the first and at the
beginning of the second. False is no claim.
"""

from collections.abc import Callable
from typing import Any

Rule = Callable[[str, str], bool]

# How cl100k_base cuts a text into pieces before it makes tokens.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_HAN_MARKS = "\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f"


def nowhere(left: str, right: str) -> bool:
    """Of a tokenizer of which nothing is known."""
    return False


def of_pattern(pattern: str) -> Rule:
    """Of an encoding of tiktoken, by its pattern: that of cl100k_base is known."""
    return cl100k if pattern == CL100K else nowhere


def of_file(value: dict[str, Any]) -> Rule:
    """Of a Hugging Face tokenizer, by its file. Known are those that make words at white space or as BERT does, and the
    bytes of GPT-2, where no text is changed before in a way that looks at neighbours, and no added token does."""
    if any(token[key] for token in value["added_tokens"] for key in ("lstrip", "rstrip", "single_word")):
        return nowhere
    if any(character.isspace() for token in value["added_tokens"] for character in token["content"]):
        return nowhere
    normalizer = (value["normalizer"] or {}).get("type")
    cutter = value["pre_tokenizer"] or {}
    if cutter.get("type") in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit"):
        return at_white_space if normalizer in (None, "BertNormalizer", "Lowercase") else nowhere
    if cutter.get("type") == "ByteLevel" and cutter.get("use_regex", True) and normalizer is None:
        return before_a_space
    return nowhere


def cl100k(left: str, right: str) -> bool:
    """Of cl100k_base, where a piece ends because

    - a line feed ends a run of white space, or of punctuation, unless the run goes on to another one; behind white space
      at the end of a text nothing is known, for the text may go on with a line feed
    - no piece goes on from something else to white space that is no line feed
    - a run of letters or digits ends with them, and of other characters in front of a digit; of ASCII, Han characters
      and their punctuation alone, for which all versions of Unicode's tables agree

    and a piece is found by what follows its beginning, never by what is before.
    """
    last, first = left[-1], right[0]
    if last in "\r\n":
        begun = right.lstrip()
        lead = right[: len(right) - len(begun)]
        return bool(begun) and "\r" not in lead and "\n" not in lead
    if last.isspace():
        return False
    if first in " \t":
        return True
    kind, other = _kind(last), _kind(first)
    if None in (kind, other):
        return False
    return kind != other if kind != "mark" else other == "digit"


def at_white_space(left: str, right: str) -> bool:
    """Of words between white space, of which no token is made."""
    return left[-1] in " \t\r\n" or right[0] in " \t\r\n"


def before_a_space(left: str, right: str) -> bool:
    """Of GPT-2's pieces: a space behind something else begins one."""
    return right[0] == " " and not left[-1].isspace()


def _kind(character: str) -> str | None:
    if character.isascii() or "\u4e00" <= character <= "\u9fa5" or character in _HAN_MARKS:
        return "letter" if character.isalpha() else "digit" if character.isdigit() else "mark"
    return None
