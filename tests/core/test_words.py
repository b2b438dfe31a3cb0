"""Analyzers of a library, by hand, against another UAX 29, and against the published steps of Porter's stemmer."""

import pytest
import uniseg.wordbreak
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.analyzers import ANALYZERS, analyzer, char_ngrams
from spanledger.core.words import STOP_WORDS, english, english_porter2, jieba, unicode_words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("The quick (“Brown”) fox can't jump 32.3 feet, right?",
         ["the", "quick", "brown", "fox", "can't", "jump", "32.3", "feet", "right"]),  # the example of UAX 29
        ("naïve CAFÉ foo_bar _ R-17", ["naïve", "café", "foo_bar", "r", "17"]),
        ("日志 タワー", ["日", "志", "タワー"]),  # Han characters stand alone, Katakana run on
        ("한국어 привет", ["한국어", "привет"]),
        ("\U0001f600 !?", []),
    ],
)  # fmt: skip
def test_unicode_words_by_hand(text, terms):
    assert unicode_words(text) == terms


@given(st.text(st.sampled_from("aB9-_' .,:é日タ한ÅßСฟ\u200d\u0301\U0001f600\n\"״א"), max_size=25))
def test_unicode_words_are_those_of_another_uax_29(text):
    other = [word.lower() for word in uniseg.wordbreak.words(text) if any(c.isalpha() or c.isnumeric() for c in word)]
    assert unicode_words(text) == other


@pytest.mark.parametrize(
    ("word", "stem"),
    [  # the examples of Porter (1980), An algorithm for suffix stripping, steps 1a to 5b
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("agreed", "agre"), ("plastered", "plaster"),
        ("motoring", "motor"), ("sing", "sing"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"),
        ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("conditional", "condit"),
        ("triplicate", "triplic"), ("hopeful", "hope"), ("adjustment", "adjust"), ("effective", "effect"),
        ("probate", "probat"), ("cease", "ceas"), ("controll", "control"), ("roll", "roll"),
    ],
)  # fmt: skip
def test_english_gives_porters_stems(word, stem):
    assert english(word.upper()) == [stem]


def test_english_leaves_out_stop_words_and_possessives():
    assert english("The dog's tail, dogs’ tails and that of DOG’S") == ["dog", "tail", "dog", "tail", "dog"]
    assert len(STOP_WORDS) == 33
    assert english("it's") == []  # as in Lucene, the possessive goes before stop words


def test_the_second_stemmer_differs_where_porter_changed_it():
    assert english("generously fairly skies") == ["gener", "fairli", "ski"]
    assert english_porter2("generously fairly skies") == ["generous", "fair", "sky"]


def test_jieba_cuts_by_its_dictionary():
    # the first example of jieba's own documentation
    assert jieba("我来到北京清华大学") == ["我", "来到", "北京", "清华大学"]
    assert jieba("BM25 算法，R-17！") == ["bm25", "算法", "r-17"]
    assert jieba("") == []


@pytest.mark.parametrize(
    ("text", "n", "terms"),
    [
        ("", 3, []),
        (" \n", 3, []),
        ("Ab", 3, ["ab"]),
        ("Ab  c", 3, ["ab ", "b c"]),
        ("日志保留", 2, ["日志", "志保", "保留"]),
        ("abcd", 4, ["abcd"]),
    ],
)
def test_char_ngrams_by_hand(text, n, terms):
    assert char_ngrams(text, n) == terms
    assert analyzer(f"char_{n}grams")(text) == terms


@given(st.sampled_from(sorted(ANALYZERS)), st.text(max_size=40))
def test_every_analyzer_gives_the_same_terms_again_and_none_is_empty(name, text):
    terms = analyzer(name)(text)
    assert terms == analyzer(name)(text)
    assert all(terms)
