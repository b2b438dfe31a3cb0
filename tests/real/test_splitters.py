"""Splitters of other libraries over real documents, placed as every place of the text in turn says."""

from importlib.metadata import version

import pytest

from builders import document
from spanledger.chunking import chunk_documents
from spanledger.core import libraries

pytestmark = pytest.mark.real
SIZE = 400


@pytest.fixture(scope="module")
def documents(shared):
    """The opening of each corpus of Chroma's evaluation, cut in the middle of whatever stands there."""
    paths = sorted((shared / "data" / "chroma" / "corpora").glob("*.md"))
    if not paths:
        pytest.skip("the corpora of Chroma's evaluation are not here")
    return [document(path.stem, path.read_text(encoding="utf-8")[:60_000]) for path in paths]


@pytest.mark.parametrize(
    ("method", "module", "setting"),
    [
        (
            "langchain",
            "langchain_text_splitters",
            {"splitter": "RecursiveCharacterTextSplitter", "options": {"chunk_size": SIZE, "chunk_overlap": 80}},
        ),
        ("chonkie", "chonkie", {"chunker": "RecursiveChunker", "options": {"chunk_size": SIZE}}),
        ("chonkie", "chonkie", {"chunker": "SentenceChunker", "options": {"chunk_size": SIZE, "chunk_overlap": 60}}),
        ("semchunk", "semchunk", {"chunk_size": SIZE, "chunk_overlap": 80}),
    ],
)
def test_every_chunk_has_its_place(documents, method, module, setting):
    pytest.importorskip(module, reason=f"the extra {method} is not installed")
    setting = {"method": method, "unit": "char", "version": version(libraries.OF_METHOD[method][0]), **setting}
    table, counters = chunk_documents(documents, [], setting)
    assert counters["not_placed"] == 0 and counters["fragments"] == counters["chunks"] > 500
    texts = {document.doc_id: document.text for document in documents}
    before = {}
    for chunk in table:
        (span,) = chunk.spans
        assert texts[chunk.doc_id][slice(*span)] == chunk.body
        assert span > before.get(chunk.doc_id, (-1, -1))
        before[chunk.doc_id] = span
    # Each leaves out white space alone: together they hold every other character.
    for doc_id, text in texts.items():
        held = bytearray(len(text))
        for start, end in (chunk.spans[0] for chunk in table if chunk.doc_id == doc_id):
            held[start:end] = b"\1" * (end - start)
        assert not "".join(character for character, in_chunk in zip(text, held, strict=True) if not in_chunk).strip()


def test_our_recursive_chunker_cuts_as_langchain_does(documents):
    """Placed strings are the spans that our own gives without a search, but where a string could stand twice."""
    pytest.importorskip("langchain_text_splitters", reason="the extra langchain is not installed")
    options = {"chunk_size": SIZE, "chunk_overlap": 80}
    found = version("langchain-text-splitters")
    theirs = {"method": "langchain", "splitter": "RecursiveCharacterTextSplitter", "version": found, "options": options}
    placed, counters = chunk_documents(documents, [], {**theirs, "unit": "char"})
    ours, _ = chunk_documents(documents, [], {"method": "recursive", "unit": "char", **options})
    assert [chunk.body for chunk in placed] == [chunk.body for chunk in ours]
    different = sum(a.spans != b.spans for a, b in zip(placed, ours, strict=True))
    assert different <= counters["ambiguous"] < 20
