"""Names in files whose columns are separated by white space: one word each, and back again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core.errors import InputError
from spanledger.exports.items import decoded, document_names, encoded


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q1", "q1"),
        ("two words", "two%20words"),
        ("tab\tand\nline", "tab%09and%0Aline"),
        ("#first", "%23first"),
        ("a#b", "a#b"),
        ("100%", "100%25"),
        ("%20", "%2520"),
        ("中 文", "中%20文"),
        ("\u3000", "%E3%80%80"),
        ("a/b@c:d", "a/b@c:d"),
        ("\ufeffx", "%EF%BB%BFx"),
    ],
)
def test_what_is_encoded(name, text):
    assert encoded(name) == text
    assert decoded(text) == name


@given(st.text(st.characters(), min_size=1))
def test_any_name_is_one_word_and_comes_back(name):
    text = encoded(name)
    assert text.split() == [text] and not text.startswith("#")
    assert decoded(text) == name


@pytest.mark.parametrize("text", ["a%", "a%2", "%2f", "a b", "%41", "#a", "%FF"])
def test_a_text_that_nothing_is_encoded_as(text):
    with pytest.raises(ValueError, match="no encoded name|codec"):
        decoded(text)


def test_versions_are_named_where_the_dataset_has_several():
    assert document_names([("a", "1"), ("b c", "2")]) == {("a", "1"): "a", ("b c", "2"): "b%20c"}
    assert document_names([("a", "1"), ("a", "2"), ("b", "1")]) == {
        ("a", "1"): "a@1",
        ("a", "2"): "a@2",
        ("b", "1"): "b@1",
    }


def test_two_versions_that_would_share_a_name():
    with pytest.raises(InputError, match="are both called 'a@1@2'"):
        document_names([("a@1", "2"), ("a", "1@2"), ("a", "3")])
