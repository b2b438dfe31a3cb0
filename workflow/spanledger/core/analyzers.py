"""Analyzers: from a text to the terms that are indexed and searched, in the order of the text, repeats kept.

ascii_words  the text in lower case, then every [a-z0-9]+(?:-[a-z0-9]+)*, so that R-17 stays one term
lexical_terms  every [A-Za-z0-9_]+ run in lower case and every pair of adjacent CJK characters; a lone CJK character
             stands alone
cjk_bigrams  the text in lower case, then every [a-z0-9]+ run whole and every pair of adjacent CJK characters
             (U+4E00 to U+9FFF); pairs overlap, and a lone CJK character gives none
char_2grams  to char_5grams: the text in lower case, runs of white space as one space and none at the ends, then every n
             neighbouring characters, spaces among them; a shorter text is one term

unicode_words, english, english_porter2 and jieba are those of `words`.
"""

import re
from collections.abc import Callable
from functools import partial

from spanledger.core import words

_ASCII_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LEXICAL = re.compile(r"[\u4e00-\u9fff]+|[A-Za-z0-9_]+")
_CJK_OR_RUN = re.compile(r"[\u4e00-\u9fff]{2,}|[a-z0-9]+")


def ascii_words(text: str) -> list[str]:
    """Lower-cased ASCII words, inner hyphens kept."""
    return _ASCII_WORD.findall(text.lower())


def cjk_bigrams(text: str) -> list[str]:
    """Lower-cased ASCII runs, and pairs of adjacent CJK characters."""
    terms: list[str] = []
    for run in _CJK_OR_RUN.findall(text.lower()):
        if run[0] < "\u4e00":
            terms.append(run)
        else:
            terms.extend(run[place : place + 2] for place in range(len(run) - 1))
    return terms


def lexical_terms(text: str) -> list[str]:
    """Lower-cased runs of ASCII letters, digits and underscores, and pairs of adjacent CJK characters or lone ones."""
    terms: list[str] = []
    for run in _LEXICAL.findall(text):
        if run[0] < "\u4e00":
            terms.append(run.lower())
        else:
            terms.extend(run[place : place + 2] for place in range(max(1, len(run) - 1)))
    return terms


def char_ngrams(text: str, n: int) -> list[str]:
    """Every n neighbouring characters of the lower-cased text."""
    text = " ".join(text.lower().split())
    return [text[place : place + n] for place in range(max(1, len(text) - n + 1))] if text else []


ANALYZERS: dict[str, Callable[[str], list[str]]] = {
    "ascii_words": ascii_words,
    "cjk_bigrams": cjk_bigrams,
    "lexical_terms": lexical_terms,
    "unicode_words": words.unicode_words,
    "english": words.english,
    "english_porter2": words.english_porter2,
    "jieba": words.jieba,
    **{f"char_{n}grams": partial(char_ngrams, n=n) for n in (2, 3, 4, 5)},
}


def analyzer(name: str) -> Callable[[str], list[str]]:
    """The analyzer of that name; raises ValueError when there is none."""
    if name not in ANALYZERS:
        raise ValueError(f"analyzer '{name}': expected one of {', '.join(sorted(ANALYZERS))}")
    return ANALYZERS[name]
