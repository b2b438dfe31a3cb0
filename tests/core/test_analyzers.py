"""Terms, worked out by hand and against character-by-character twins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.analyzers import ANALYZERS, analyzer, ascii_words, cjk_bigrams, lexical_terms

TEXT = st.text(st.sampled_from("aZ9-_ ,日志七\u4e00\u9fff\u4dff\ua000éİ"), max_size=20)
ASCII = "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("R-17 wait, wait SECONDS", ["r-17", "wait", "wait", "seconds"]),
        ("-a--b- c-", ["a", "b", "c"]),  # a hyphen joins only between two runs
        ("24-hour-v2", ["24-hour-v2"]),
        ("snake_case", ["snake", "case"]),
        ("naïve 日志", ["na", "ve"]),
        ("e.g. 3.14", ["e", "g", "3", "14"]),
    ],
)
def test_ascii_words_by_hand(text, terms):
    assert ascii_words(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("日志保留", ["日志", "志保", "保留"]),
        ("日", []),  # a lone character gives none
        ("日,志", []),  # punctuation breaks a run
        ("日志JSON导出v2", ["日志", "json", "导出", "v2"]),
        ("R-17", ["r", "17"]),
        ("\u4e00\u9fff", ["\u4e00\u9fff"]),
        ("\u4dff\u4e00\ua000", []),  # the neighbours of the range are outside
        ("日志日志", ["日志", "志日", "日志"]),  # repeats stay, in the order of the text
    ],
)
def test_cjk_bigrams_by_hand(text, terms):
    assert cjk_bigrams(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("日志保留", ["日志", "志保", "保留"]),
        ("日", ["日"]),  # a lone character stands alone
        ("日,志 留", ["日", "志", "留"]),
        ("R-17 Snake_Case", ["r", "17", "snake_case"]),
        ("查log_v2表", ["查", "log_v2", "表"]),
        ("_ __", ["_", "__"]),
        ("naïve 3.14", ["na", "ve", "3", "14"]),
        ("日志日志", ["日志", "志日", "日志"]),
        ("\u4dff\u4e00\ua000", ["\u4e00"]),  # the neighbours of the range are outside
        ("İ", []),  # in lower case it would be an i and a dot; runs are found first
    ],
)
def test_lexical_terms_by_hand(text, terms):
    assert lexical_terms(text) == terms


@given(TEXT)
def test_ascii_words_against_a_twin(text):
    lowered = text.lower()
    kept = [
        c
        if c in ASCII
        or (c == "-" and 0 < place < len(lowered) - 1 and {lowered[place - 1], lowered[place + 1]} <= set(ASCII))
        else " "
        for place, c in enumerate(lowered)
    ]
    assert ascii_words(text) == "".join(kept).split()


@given(TEXT)
def test_cjk_bigrams_against_a_twin(text):
    lowered = text.lower()
    terms, place = [], 0
    while place < len(lowered):
        if lowered[place] in ASCII:
            end = place
            while end < len(lowered) and lowered[end] in ASCII:
                end += 1
            terms.append(lowered[place:end])
            place = end
        else:
            pair = lowered[place : place + 2]
            if len(pair) == 2 and all(0x4E00 <= ord(c) <= 0x9FFF for c in pair):
                terms.append(pair)
            place += 1
    assert cjk_bigrams(text) == terms


@given(TEXT)
def test_lexical_terms_against_a_twin(text):
    """Runs are grown one character at a time; a run of CJK characters gives its pairs, or itself when it has but one."""

    def kind(character):
        if 0x4E00 <= ord(character) <= 0x9FFF:
            return "cjk"
        return "ascii" if character.isascii() and (character.isalnum() or character == "_") else None

    runs = []
    for place, character in enumerate(text):
        if kind(character) and place and kind(text[place - 1]) == kind(character):
            runs[-1] += character
        elif kind(character):
            runs.append(character)
    terms = []
    for run in runs:
        if kind(run[0]) == "ascii":
            terms.append(run.lower())
        else:
            terms += [run] if len(run) == 1 else [a + b for a, b in zip(run, run[1:], strict=False)]
    assert lexical_terms(text) == terms


def test_analyzers_go_by_name():
    text = "r-17 日志 x_y 留"
    assert (
        {name: analyzer(name)("R-17 日志 X_y 留") for name in ANALYZERS}
        == {
            "ascii_words": ["r-17", "x", "y"],
            "cjk_bigrams": ["r", "17", "日志", "x", "y"],
            "lexical_terms": ["r", "17", "日志", "x_y", "留"],
            "unicode_words": ["r", "17", "日", "志", "x_y", "留"],
            "english": ["r", "17", "日", "志", "x_y", "留"],
            "english_porter2": ["r", "17", "日", "志", "x_i", "留"],  # a y behind what is no vowel
            "jieba": ["r-17", "日志", "x_y", "留"],
            "char_2grams": ["r-", "-1", "17", "7 ", " 日", "日志", "志 ", " x", "x_", "_y", "y ", " 留"],
            **{
                f"char_{n}grams": ["".join(run) for run in zip(*(text[k:] for k in range(n)), strict=False)]
                for n in (3, 4, 5)
            },
        }
    )
    every = (
        "ascii_words, char_2grams, char_3grams, char_4grams, char_5grams, cjk_bigrams, english, english_porter2, jieba, "
        "lexical_terms, unicode_words"
    )
    with pytest.raises(ValueError, match=f"analyzer 'words': expected one of {every}"):
        analyzer("words")
