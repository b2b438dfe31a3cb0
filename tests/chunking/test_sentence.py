"""Sentences by hand, against a twin that goes character by character, and promise by promise."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanledger.chunking.paragraph import Paragraph
from spanledger.chunking.sentence import Sentence
from spanledger.core.units import UNITS, count

PIECES = st.sampled_from(
    [
        *"。！？；….!?\"'”’」』）)]】》 \n\t\u3000",
        "a",
        "J",
        "word",
        "日志",
        "3.14",
        "e.g.",
        "Dr.",
        "\n\n",
        "\r\n",
        "..",
        "“",
        "(",
    ]
)
TEXT = st.lists(PIECES, max_size=14).map("".join)
FULL, ASCII, CLOSING = "。！？；…", ".!?", "\"'”’」』）)]】》"
ABBREVIATIONS = ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "etc", "cf", "Fig", "No", "al")


def cut(text, *arguments):
    return [text[start:end] for start, end in Sentence(*arguments).split(text)]


def after(text, place, end, characters):
    """Where the run of these characters that begins at `place` is over."""
    while place < end and text[place] in characters:
        place += 1
    return place


def word_before(text, start, place):
    """The letters, digits and underscores in front of a place, back to `start`."""
    first = place
    while first > start and (text[first - 1].isalnum() or text[first - 1] == "_"):
        first -= 1
    return text[first:place]


def slowly(text):
    found = []
    for first, last in Paragraph().split(text):
        start = place = first
        while place < last:
            if text[place] in FULL:
                end = after(text, after(text, place, last, FULL + ASCII), last, CLOSING)
                found.append((start, end))
                start = place = end
                continue
            marks = after(text, place, last, ASCII)
            end = after(text, marks, last, CLOSING)
            if marks == place or not (end == last or text[end].isspace()):
                place += 1
                continue
            word = word_before(text, start, place)
            initial = len(word) == 1 and word.isascii() and word.isalpha()
            if end == last or text[place:marks] != "." or not (initial or word in ABBREVIATIONS):
                found.append((start, end))
                start = end
            place = end
        found.append((start, last))
    spans = []
    for start, end in found:
        places = [place for place in range(start, end) if not text[place].isspace()]
        if places:
            spans.append((places[0], places[-1] + 1))
    return spans


@given(TEXT)
def test_the_sentences_are_those_of_the_twin(text):
    assert list(Sentence().split(text)) == slowly(text)


@given(TEXT)
def test_sentences_and_white_space_are_the_text_and_each_sentence_is_inside_one_paragraph(text):
    spans = list(Sentence().split(text))
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))
    held = {place for start, end in spans for place in range(start, end)}
    assert not "".join(c for place, c in enumerate(text) if place not in held).strip()
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""
        assert sum(first <= start and end <= last for first, last in Paragraph().split(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\u3000", []),
        ("没有标点", ["没有标点"]),
        ("一。二！三？四；五……六", ["一。", "二！", "三？", "四；", "五……", "六"]),
        ("他说：“走吧。”然后走了。", ["他说：“走吧。”", "然后走了。"]),
        ("《问？》「答。」』）】后", ["《问？》", "「答。」』）】", "后"]),
        ("真的？！是。", ["真的？！", "是。"]),
        ("真的？! 是。", ["真的？!", "是。"]),  # an ASCII mark after a full-width one belongs to it
        ("甲，乙、丙：丁。", ["甲，乙、丙：丁。"]),
        ("价格是3.14元。版本v2.0；完", ["价格是3.14元。", "版本v2.0；", "完"]),
    ],
)
def test_chinese_by_hand(text, expected):
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ('He said "go." (Then he left.) Done.', ['He said "go."', "(Then he left.)", "Done."]),
        ("Dr. Smith met Mrs. Jones et al. in St. Ives.", ["Dr. Smith met Mrs. Jones et al. in St. Ives."]),
        ("See Fig. 3 and No. 7, e.g. this, i.e. that.", ["See Fig. 3 and No. 7, e.g. this, i.e. that."]),
        ("J. R. R. Tolkien wrote it. He did.", ["J. R. R. Tolkien wrote it.", "He did."]),
        ("The U.S. law. Then", ["The U.S. law.", "Then"]),
        ("It is 3.14 or .5 or v2.0.1 here. Next.", ["It is 3.14 or .5 or v2.0.1 here.", "Next."]),
        ("It has 3. Four more.", ["It has 3.", "Four more."]),
        ("Hello.World. Next", ["Hello.World.", "Next"]),  # no white space behind the first one
        ("Plan A! Plan B? C... D", ["Plan A!", "Plan B?", "C...", "D"]),  # only one full stop makes an initial
        ("It ends with Dr.", ["It ends with Dr."]),
        ("Adr. No", ["Adr.", "No"]),  # the whole word counts
        ("mr. x", ["mr.", "x"]),  # and its case
        ("One\ttwo.\r\nThree.", ["One\ttwo.", "Three."]),
        ("A line\nbreak is no end.  Two spaces", ["A line\nbreak is no end.", "Two spaces"]),
    ],
)
def test_english_by_hand(text, expected):
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("用 Python. 然后用Go。OK? 好", ["用 Python.", "然后用Go。", "OK?", "好"]),
        ("日志保留30天（见 Fig. 2）。Logs: 3.5 GB. 完", ["日志保留30天（见 Fig. 2）。", "Logs: 3.5 GB.", "完"]),
        ("方案A. 下一步", ["方案A.", "下一步"]),  # A is no word of one letter: 案 stands before it
        ("end.”后", ["end.”后"]),  # an ASCII mark needs white space behind its closing quotes
    ],
)
def test_mixed_by_hand(text, expected):
    assert cut(text) == expected


def test_a_paragraph_ends_a_sentence():
    assert cut("no mark\n\nanother\n \nDr.\n\nSmith") == ["no mark", "another", "Dr.", "Smith"]


def test_a_long_run_of_marks_is_looked_at_once():
    """Tried from each of its marks, a run of 50000 would take half a minute."""
    started = time.process_time()
    assert cut("." * 50_000 + "word. End") == ["." * 50_000 + "word.", "End"]
    assert len(cut("A. " * 50_000)) == 1  # and each initial, from the beginning of its sentence
    assert time.process_time() - started < 3


def slow_join(text, unit, chunk_size):
    """Neighbouring sentences of one paragraph, each run as long as it may be."""
    spans = []
    for first, last in Paragraph().split(text):
        todo = [(s, e) for s, e in slowly(text) if first <= s and e <= last]
        while todo:
            taken = 1
            while taken < len(todo) and count(text[todo[0][0] : todo[taken][1]], unit) <= chunk_size:
                taken += 1
            spans.append((todo[0][0], todo[taken - 1][1]))
            todo = todo[taken:]
    return spans


@given(TEXT, st.sampled_from(UNITS), st.integers(1, 14))
def test_joined_sentences_are_those_of_the_twin(text, unit, chunk_size):
    assert list(Sentence(unit, chunk_size).split(text)) == slow_join(text, unit, chunk_size)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("char", 1), ["Aa.", "Bb bb bb.", "Cc.", "Dd.", "Ee."]),  # a longer sentence stays whole
        (("char", 7), ["Aa.", "Bb bb bb.", "Cc. Dd.", "Ee."]),  # the space between counts
        (("char", 6), ["Aa.", "Bb bb bb.", "Cc.", "Dd.", "Ee."]),
        (("char", 13), ["Aa. Bb bb bb.", "Cc. Dd.", "Ee."]),
        (("word", 2), ["Aa.", "Bb bb bb.", "Cc. Dd.", "Ee."]),
        (("word", 4), ["Aa. Bb bb bb.", "Cc. Dd.", "Ee."]),
        (("char", 99), ["Aa. Bb bb bb. Cc. Dd.", "Ee."]),  # and no chunk reaches into the next paragraph
    ],
)
def test_joined_sentences_by_hand(arguments, expected):
    assert cut("Aa. Bb bb bb. Cc. Dd.\n\nEe.", *arguments) == expected


def test_a_size_below_1_is_refused():
    with pytest.raises(ValueError, match="sentence: chunk_size must be at least 1, found 0"):
        Sentence("char", 0)
