"""Analyzers that need a library: Unicode words, English stems, Chinese words. Each library is loaded when first used.

unicode_words    the words of UAX 29 (default rules, by the library `regex`) that hold a letter or a digit, in lower
                 case; Han and Hiragana characters stand alone, as in Lucene's StandardTokenizer
english          the same, a possessive 's cut off, Lucene's 33 English stop words left out, then Porter's stemmer of
                 1980 (by PyStemmer): the steps of Lucene's EnglishAnalyzer, and so of Anserini's
english_porter2  the same with Porter's second stemmer (Snowball's `english`)
jieba            the text in lower case, cut by jieba's dictionary and its model of unknown words (by rjieba, its living
                 successor), then every piece that holds a letter or a digit; no stop words
"""

from functools import cache
from typing import Any

_STOP_WORDS = """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
this to was will with"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_POSSESSIVE = ("'s", "\u2019s", "\uff07s")


def unicode_words(text: str) -> list[str]:
    """Lower-cased words of UAX 29."""
    boundary, letter_or_digit = _patterns()
    return [word.lower() for word in boundary.split(text) if letter_or_digit.search(word)]


def english(text: str) -> list[str]:
    """Porter stems of English words that are no stop words."""
    return _stems(text, "porter")


def english_porter2(text: str) -> list[str]:
    """Porter2 stems of English words that are no stop words."""
    return _stems(text, "english")


def jieba(text: str) -> list[str]:
    """Chinese words by jieba's dictionary; other scripts as it cuts them."""
    _, letter_or_digit = _patterns()
    return [word for word in _jieba().cut(text.lower()) if letter_or_digit.search(word)]


def _stems(text: str, algorithm: str) -> list[str]:
    words = [word[:-2] if word.endswith(_POSSESSIVE) else word for word in unicode_words(text)]
    return _stemmer(algorithm).stemWords([word for word in words if word and word not in STOP_WORDS])


@cache
def _patterns() -> tuple[Any, Any]:
    import regex

    return regex.compile(r"(?V1w)\b"), regex.compile(r"[\p{Alphabetic}\p{N}]")


@cache
def _stemmer(algorithm: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(algorithm)


@cache
def _jieba() -> Any:
    import rjieba

    return rjieba
