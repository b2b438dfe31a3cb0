"""Tokens as a unit of length: published tokens, exact places, and what cannot be had."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordLevel, WordPiece
from tokenizers.normalizers import NFD, BertNormalizer, Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel, Whitespace, WhitespaceSplit
from tokenizers.trainers import BpeTrainer, WordPieceTrainer

from spanledger.chunking.window import Window
from spanledger.core import joins, tokenizers
from spanledger.core.tokenizers import is_tokenizer, tokenizer
from spanledger.core.units import Atoms, count, separates

CL100K = "tiktoken/cl100k_base"


def test_cl100k_by_published_examples():
    # from the examples of OpenAI's cookbook, "How to count tokens with tiktoken"
    assert count("tiktoken is great!", CL100K) == 6
    assert count("antidisestablishmentarianism", CL100K) == 6
    assert count("2 + 2 = 4", CL100K) == 7
    assert count("お誕生日おめでとう", CL100K) == 9
    assert count("<|endoftext|>", CL100K) == 7  # ordinary text, not the special token


def test_atoms_end_where_a_token_and_a_character_end():
    text = "hello 😀留é"  # 留 is no token of its own: two tokens share its three bytes
    assert [(text[start:end], tokens) for (start, end), tokens in tokenizer(CL100K).atoms(text)] == [
        ("hello", 1),
        (" 😀", 1),
        ("留", 2),
        ("é", 1),
    ]


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from("ab 9\n\t日本語,😀\U0001f468\u200dé\u3000<|>") | st.characters(codec="utf-8"), max_size=40)
)
def test_the_atoms_are_the_text_and_their_tokens_all_tokens(text):
    atoms = Atoms(text, CL100K)
    assert "".join(text[start:end] for start, end in atoms.spans) == text
    assert all(end == start for (_, end), (start, _) in zip(atoms.spans, atoms.spans[1:], strict=False))
    assert atoms.before[-1] == count(text, CL100K)


def test_windows_of_tokens():
    text = "tiktoken is great!"  # t ik token  is  great !
    windows = [text[start:end] for start, end in Window(CL100K, 3, 1).split(text)]
    assert windows == ["tiktoken", "token is great", " great!"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokenizers").mkdir()
    tokenizers.tokenizer.cache_clear()
    yield tmp_path / "tokenizers"
    tokenizers.tokenizer.cache_clear()


def test_a_tokenizer_file(folder):
    made = Tokenizer(WordLevel({"[UNK]": 0, "log": 1, "kept": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.enable_padding(length=50)
    made.enable_truncation(2)
    made.save(str(folder / "words.json"))
    assert count("log kept  日志!", "tokenizer/words") == 4  # neither padded nor cut
    assert tokenizer("tokenizer/words").atoms("log  日志!") == [((0, 3), 1), ((5, 7), 1), ((7, 8), 1)]
    digest = tokenizer("tokenizer/words").digest
    (folder / "words.json").write_text((folder / "words.json").read_text().replace("kept", "lost"))
    tokenizers.tokenizer.cache_clear()
    assert tokenizer("tokenizer/words").digest != digest


def test_several_tokens_of_one_character_are_one_atom(folder):
    alphabet = {symbol: number for number, symbol in enumerate(sorted(ByteLevel.alphabet()))}
    made = Tokenizer(BPE(alphabet, []))
    made.pre_tokenizer = ByteLevel(add_prefix_space=False)
    made.normalizer = NFD()
    made.save(str(folder / "bytes.json"))
    assert tokenizer("tokenizer/bytes").atoms("aé日") == [((0, 1), 1), ((1, 2), 3), ((2, 3), 3)]
    assert count("aé日", "tokenizer/bytes") == 7


CORPUS = ["the log is kept, the logs' text", "don't log 2024-01-02!", "日志 保留。", "tea tree  the\n\nlog"]
CUT = st.text(st.sampled_from("the logs't2 \n\t.,日é\u0301\u00a0ΣA"), max_size=6)


def trained(kind):
    """A small tokenizer that joins letters, of one of the kinds that are known."""
    if kind == "bytes":
        made = Tokenizer(BPE())
        made.pre_tokenizer = ByteLevel(add_prefix_space=True)
        trainer = BpeTrainer(vocab_size=320, initial_alphabet=ByteLevel.alphabet())
    else:
        made = Tokenizer(WordPiece(unk_token="[UNK]"))
        made.pre_tokenizer = {"bert": BertPreTokenizer, "words": Whitespace, "split": WhitespaceSplit}[kind]()
        made.normalizer = {"bert": BertNormalizer, "words": Lowercase, "split": Lowercase}[kind]()
        trainer = WordPieceTrainer(vocab_size=80, special_tokens=["[UNK]"])
    made.train_from_iterator(CORPUS * 3, trainer)
    return made


@pytest.mark.parametrize("kind", ["bytes", "bert", "words", "split"])
def test_where_texts_of_a_known_kind_separate_their_counts_add_up(folder, kind):
    trained(kind).save(str(folder / f"{kind}.json"))
    unit = f"tokenizer/{kind}"
    assert count("the log", unit) < len("the log") - 1  # letters do join
    assert separates("the", " log", unit)
    assert not separates("the", "log", unit)
    assert separates("the ", "log", unit) == (kind != "bytes")

    @given(CUT, CUT, CUT, CUT)
    def check(before, left, right, after):
        if separates(left, right, unit):
            whole = count(before + left + right + after, unit)
            assert whole == count(before + left, unit) + count(right + after, unit)

    check()


def test_of_other_tokenizers_nothing_is_claimed():
    plain = {"added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "Whitespace"}}
    token = {"content": "<mask>", "lstrip": False, "rstrip": False, "single_word": False}
    assert joins.of_file({**plain, "added_tokens": [token]}) is joins.at_white_space
    for other in (
        {"added_tokens": [{**token, "lstrip": True}]},
        {"added_tokens": [{**token, "content": "a b"}]},
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": None},
        {"pre_tokenizer": {"type": "Metaspace"}},
        {"pre_tokenizer": {"type": "ByteLevel", "use_regex": False}},
    ):
        assert joins.of_file({**plain, **other}) is joins.nowhere
    assert joins.of_pattern(joins.CL100K) is joins.cl100k
    assert joins.of_pattern(r"\w+") is joins.nowhere


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiktoken/nonsense", "tiktoken has no such encoding; it has .*cl100k_base"),
        ("tiktoken/o200k_base", "TIKTOKEN_CACHE_DIR names, which is not set"),
        ("tokenizer/absent", "expected the file tokenizers/absent.json"),
        ("tokenizer/broken", "tokenizers/broken.json is no tokenizer file"),
        ("words", "expected tiktoken/ENCODING or tokenizer/NAME"),
    ],
)
def test_what_cannot_be_had(folder, monkeypatch, name, message):
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    (folder / "broken.json").write_text("{}")
    with pytest.raises(ValueError, match=message):
        tokenizer(name)


def test_names():
    assert is_tokenizer(CL100K) and is_tokenizer("tokenizer/my-own.v2")
    assert not any(map(is_tokenizer, ("char", "tiktoken/", "tokenizer/../x", "other/x")))
