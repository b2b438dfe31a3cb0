"""Splitters of other libraries: langchain-text-splitters, chonkie and semchunk, each an extra of the project.

They are run over each document's text, and what they return is placed in it: at their own offsets where they give any and
the text stands there, else by search (see `placing`). What they changed is not placed, and counted. The version of the
library is named in params.yaml, so that it is part of what decides a re-run; another one that is installed is refused.
"""

import importlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from spanledger.chunking.piece import Piece
from spanledger.chunking.placing import Fragment, place
from spanledger.core import libraries, units
from spanledger.core.errors import nearest
from spanledger.core.records import Document, Element

_Split = Callable[[str], list[Fragment]]


class Adapter:
    """What the adapters share. `unit` is what counters measure chunks in. Raises InputError where the library is missing
    or has another version, for a class or an option that it does not take, and for its own errors."""

    method: str
    version = 1

    def __init__(self, version: str, unit: str):
        units.check(unit)
        libraries.check(self.method, version)
        self.unit = unit
        self.counters = dict.fromkeys(("fragments", "not_placed", "ambiguous"), 0)
        self._split: _Split

    def pieces(self, document: Document, elements: list[Element]) -> Iterator[Piece]:
        """The chunks of a document that could be placed; elements are not used."""
        try:
            fragments = self._split(document.text)
        except Exception as error:  # whatever the library raises
            given = f"document '{document.doc_id}' {document.version}"
            raise libraries.error(self.method, f"{given}: {type(error).__name__}: {error}") from error
        placed = place(document.text, fragments)
        for name in self.counters:
            self.counters[name] += getattr(placed, name)
        return (Piece((span,)) for span in placed.spans)

    def _made(self, module: str, name: str, options: dict[str, Any], asked: str) -> Any:
        """An object of a class of the library that has a method `asked`."""
        library = importlib.import_module(module)
        known = {
            n: c
            for n in dir(library)
            if isinstance(c := getattr(library, n), type) and callable(getattr(c, asked, None))
        }
        if name not in known:
            raise libraries.error(self.method, f"no class '{name}': {nearest(name, known)}")
        try:
            return known[name](**options)
        except Exception as error:  # whatever the library raises
            raise libraries.error(self.method, f"{name} with {options}: {type(error).__name__}: {error}") from error


class LangChain(Adapter):
    """A class of langchain-text-splitters by its name, as RecursiveCharacterTextSplitter, with its own `options`.

    Sizes among the options are in the class's own unit, characters unless the class says otherwise. The class's own start
    indexes are a search of the kind that is made here, from a place that is a guess; they are not asked for.
    """

    method = "langchain"

    def __init__(self, splitter: str, version: str, unit: str = "char", options: dict[str, Any] | None = None):
        super().__init__(version, unit)
        logging.getLogger("langchain_text_splitters").setLevel(logging.ERROR)  # a line for each long chunk
        made = self._made("langchain_text_splitters", splitter, options or {}, "split_text")
        self._split = lambda text: [
            Fragment(p if isinstance(p, str) else p.page_content) for p in made.split_text(text)
        ]


class Chonkie(Adapter):
    """A class of chonkie by its name, as RecursiveChunker, with its own `options`; sizes among them are in the unit of
    its own `tokenizer`."""

    method = "chonkie"

    def __init__(self, chunker: str, version: str, unit: str = "char", options: dict[str, Any] | None = None):
        super().__init__(version, unit)
        made = self._made("chonkie", chunker, options or {}, "chunk")
        self._split = lambda text: [Fragment(c.text, (c.start_index, c.end_index)) for c in made.chunk(text)]


class Semchunk(Adapter):
    """semchunk.chunkerify with our own count of `unit`: chunks of at most `chunk_size` units, and `chunk_overlap` of them
    again in the next one."""

    method = "semchunk"

    def __init__(self, chunk_size: int, version: str, unit: str = "char", chunk_overlap: int = 0):
        super().__init__(version, unit)
        if not 0 <= chunk_overlap < chunk_size:
            raise ValueError(
                f"semchunk: chunk_overlap must be at least 0 and below chunk_size ({chunk_size}), found {chunk_overlap}"
            )
        chunker = importlib.import_module("semchunk").chunkerify(lambda text: units.count(text, unit), chunk_size)

        def split(text: str) -> list[Fragment]:
            strings, offsets = chunker(text, offsets=True, overlap=chunk_overlap or None)
            return [Fragment(string, span) for string, span in zip(strings, offsets, strict=True)]

        self._split = split
