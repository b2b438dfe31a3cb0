"""Splitters of other libraries, held to their own strings, searched for without the adapters."""

import importlib
from importlib.metadata import version

import pytest

from builders import document
from spanledger.chunking import chunk_documents
from spanledger.core import libraries
from spanledger.core.errors import InputError
from spanledger.engine import params, provenance

TEXT = (
    """# Records

Records stay seven days. Records stay  seven days,
unless a hold is set.

## Export 导出

- One format: JSON lines.
- 每条记录一行。 Each record is one line.

| key | value |
|-----|-------|
| ttl | 7 d   |

Records stay seven days. 记录保留七天。
"""
    * 3
)


@pytest.fixture
def langchain():
    return pytest.importorskip("langchain_text_splitters", reason="the extra langchain is not installed")


@pytest.fixture
def chonkie():
    return pytest.importorskip("chonkie", reason="the extra chonkie is not installed")


@pytest.fixture
def semchunk():
    return pytest.importorskip("semchunk", reason="the extra semchunk is not installed")


def chunked(method, text=TEXT, **setting):
    """The spans of the chunks, and (fragments, not placed, ambiguous)."""
    setting = {"method": method, "version": version(libraries.OF_METHOD[method][0]), "unit": "char", **setting}
    table, counters = chunk_documents([document("d", text)], [], setting)
    assert all(chunk.body == text[slice(*chunk.spans[0])] for chunk in table)
    return [chunk.spans[0] for chunk in table], tuple(counters[k] for k in ("fragments", "not_placed", "ambiguous"))


def searched(text, strings):
    """Each string at its first occurrence behind the last one placed, by every place of the text in turn."""
    found, last = [], (-1, -1)
    for string in strings:
        places = ((n, n + len(string)) for n in range(len(text)) if text.startswith(string, n))
        last_or_next = next((span for span in places if span > last), None)
        if last_or_next:
            found.append(last_or_next)
            last = last_or_next
    return found


@pytest.mark.parametrize(
    ("name", "options", "lost"),
    [
        ("RecursiveCharacterTextSplitter", {"chunk_size": 60, "chunk_overlap": 20}, 0),
        ("RecursiveCharacterTextSplitter", {"chunk_size": 25, "chunk_overlap": 0, "separators": [" ", ""]}, 0),
        ("CharacterTextSplitter", {"chunk_size": 200, "chunk_overlap": 0}, 0),
        ("CharacterTextSplitter", {"chunk_size": 80, "chunk_overlap": 10, "separator": "\n"}, 12),  # drops blank lines
        ("MarkdownTextSplitter", {"chunk_size": 50, "chunk_overlap": 0}, 0),
    ],
)
def test_strings_of_langchain(langchain, name, options, lost):
    strings = getattr(langchain, name)(**options).split_text(TEXT)
    found, (fragments, not_placed, _) = chunked("langchain", splitter=name, options=options)
    assert found == searched(TEXT, strings)
    assert (fragments, not_placed) == (len(strings), lost) and len(strings) > 3


def test_what_langchain_changes_is_not_placed(langchain):
    """The splitter by headers strips lines and joins them anew."""
    options = {"headers_to_split_on": [["#", "one"], ["##", "two"]]}
    text = "# A\n\nsame line\n\n## B\n\nfirst\n\n\n   second\n"
    made = langchain.MarkdownHeaderTextSplitter([("#", "one"), ("##", "two")])
    assert [part.page_content for part in made.split_text(text)] == ["same line", "first  \nsecond"]
    found, counts = chunked("langchain", text, splitter="MarkdownHeaderTextSplitter", options=options)
    assert found == [(5, 14)]
    assert counts == (2, 1, 0)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RecursiveChunker", {"chunk_size": 60}),
        ("TokenChunker", {"chunk_size": 50, "chunk_overlap": 10}),
        ("SentenceChunker", {"chunk_size": 60, "chunk_overlap": 0}),
    ],
)
def test_offsets_of_chonkie(chonkie, name, options):
    made = getattr(chonkie, name)(**options).chunk(TEXT)
    own = [(c.start_index, c.end_index) for c in made]
    assert [TEXT[a:b] for a, b in own] == [c.text for c in made] and len(own) > 5
    assert chunked("chonkie", chunker=name, options=options) == (own, (len(own), 0, 0))


@pytest.mark.parametrize(
    ("size", "overlap", "unit"), [(12, 0, "word"), (30, 10, "lexical"), (20, 0, "tiktoken/cl100k_base")]
)
def test_offsets_of_semchunk(semchunk, size, overlap, unit):
    from spanledger.core import units

    chunker = semchunk.chunkerify(lambda text: units.count(text, unit), size)
    strings, own = chunker(TEXT, offsets=True, overlap=overlap or None)
    assert [TEXT[a:b] for a, b in own] == strings and len(own) > 3
    found, counts = chunked("semchunk", chunk_size=size, chunk_overlap=overlap, unit=unit)
    assert (found, counts) == (own, (len(own), 0, 0))
    assert all(units.count(TEXT[a:b], unit) <= size for a, b in found)


def test_a_version_that_is_not_there_is_told(monkeypatch):
    setting = {"method": "semchunk", "chunk_size": 3, "unit": "char", "version": "1.2.3"}
    monkeypatch.setattr(libraries, "installed", lambda name: None)
    with pytest.raises(InputError, match=r"needs semchunk 1\.2\.3, in the extra: pip install 'spanledger\[semchunk\]'"):
        chunk_documents([], [], setting)
    monkeypatch.setattr(libraries, "installed", lambda name: "4.5.6")
    with pytest.raises(InputError, match=r"expected semchunk 1\.2\.3 as params\.yaml says, found 4\.5\.6 installed"):
        chunk_documents([], [], setting)


def test_a_class_or_an_option_that_is_not_there_is_told(langchain):
    with pytest.raises(InputError, match=r"no class 'MarkdownSplitter': did you mean 'Markdown\w+Splitter'\?"):
        chunked("langchain", splitter="MarkdownSplitter", options={})
    with pytest.raises(InputError, match=r"MarkdownTextSplitter with \{'chunk_sise': 3\}: TypeError: .*'chunk_sise'"):
        chunked("langchain", splitter="MarkdownTextSplitter", options={"chunk_sise": 3})
    with pytest.raises(InputError, match="no class 'importlib'"):
        chunked("langchain", splitter="importlib", options={})


def test_an_error_of_the_library_names_the_document(langchain, monkeypatch):
    monkeypatch.setattr(langchain.MarkdownTextSplitter, "split_text", lambda *_: 1 / 0)
    with pytest.raises(
        InputError, match="chunk method 'langchain': document 'd' v1: ZeroDivisionError: division by zero"
    ):
        chunked("langchain", splitter="MarkdownTextSplitter", options={})


def test_settings_of_params():
    raw = {
        "normalise": {},
        "chunk": {
            "a": {"method": "langchain", "splitter": "S", "version": "1", "options": {"chunk_size": 4.0}},
            "b": {"method": "semchunk", "chunk_size": 4, "version": "1", "chunk_overlap": 4},
            "c": {"method": "chonkie", "chunker": "C"},
        },
        **{"eligibility": {"e": {}}, "index": {"i": {"analyzer": "ascii_words"}}},
        **{"retrieve": {"r": {"index": "i", "scorer": "bm25"}}, "fuse": {"f": {"branches": ["r"]}}},
        **{"select": {"s": {"top_k": 1}}, "score": {}, "report": {}, "arms": "grid"},
    }
    with pytest.raises(InputError) as caught:
        params.resolve({"experiments": {"x": {"dataset": "d"}}, "x": raw})
    assert [str(p) for p in caught.value.problems] == ["params.yaml: x.chunk.c: lacks version"]
    raw["chunk"].pop("c")
    with pytest.raises(InputError) as caught:
        params.resolve({"experiments": {"x": {"dataset": "d"}}, "x": raw})
    assert "x.chunk.b.chunk_overlap: must be below chunk_size (4), found 4" in str(caught.value)
    raw["chunk"]["b"]["chunk_overlap"] = 1
    resolved = params.resolve({"experiments": {"x": {"dataset": "d"}}, "x": raw})["x"]
    assert resolved["chunk"]["a"]["options"] == {"chunk_size": 4} and resolved["chunk"]["a"]["unit"] == "char"


def test_the_versions_are_part_of_the_provenance(langchain, tmp_path):
    chunkings = {"a": {"method": "langchain"}, "b": {"method": "window"}}
    record = provenance.record("x", "chunk", {"x.chunk": chunkings}, [], [], [])
    expected = {name: version(name) for name in ("langchain-text-splitters", "langchain-core")}
    own = {name: found for name, found in record["libraries"].items() if name not in provenance.LIBRARIES}
    assert own == expected
    record = provenance.record("x", "chunk", {"x.chunk": {"b": {"method": "window"}}}, [], [], [])
    assert set(record["libraries"]) == set(provenance.LIBRARIES)


def test_no_library_is_imported_before_it_is_asked_for():
    source = importlib.import_module("spanledger.chunking.adapters")
    assert not {"langchain_text_splitters", "chonkie", "semchunk"} & set(vars(source))
