"""The examples of docs/plugins.md, run as they stand there."""

import csv
import io
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from spanledger.core.plugins import Plugin
from spanledger.experiment import run

PROJECT = Path(__file__).resolve().parents[1]
PAGE = (PROJECT / "docs" / "plugins.md").read_text(encoding="utf-8")
# What the page's pieces of params.yaml are pieces of.
REST = """
mine:
  normalise: {}
  eligibility: {all: {}}
  index: {words: {analyzer: ascii_words}}
  score: {cost: {unit: char}}
  report: {}
  arms: grid
"""


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def section(plugins_in):
    """The section that the page's pieces of params.yaml make, splitters of other libraries apart."""
    for text in blocks("python"):
        name = re.match(r"# plugins/(\w+)\.py\n", text)[1]
        plugins_in(**{name: text})
    section = YAML(typ="safe").load(REST)["mine"]
    for text in blocks("yaml"):
        if "langchain" in text:
            continue
        piece = YAML(typ="safe").load(text if text.startswith("mine:") else f"mine:\n{text}")["mine"]
        section |= piece
    return section


def test_all_four_kinds_run_in_memory(section):
    assert {"chunk", "retrieve", "fuse", "select"} <= set(section)
    found = run({"experiments": {"mine": {"dataset": str(PROJECT / "fixtures" / "evidence_mapping")}}, "mine": section})
    assert [chunk.spans[0] for chunk in found.chunks["lines"]] == [(0, len(d.text)) for d in found.documents]
    (rankings,) = found.rankings.values()
    asked = {query.query_id: set(query.text.lower().split()) for query in found.dataset.queries}
    for ranking in rankings:  # the share of the question's words that a chunk has, twice
        words = asked[ranking.query_id]
        for ordinal, score in zip(ranking.chunks, ranking.scores, strict=True):
            held = words & set(found.chunks["lines"][ordinal].body.lower().split())
            assert score == 2 * len(held) / len(words)
    ((_, candidates),) = found.candidates.items()
    lengths = [[len(found.chunks["lines"][o].body) for o in ranking.chunks] for ranking in candidates]
    assert any(len(set(row)) > 1 for row in lengths) and all(row == sorted(row) for row in lengths)
    (contexts,) = found.contexts.values()
    for context, ranking in zip(contexts, candidates, strict=True):
        documents = [found.chunks["lines"][o].doc_id for o in context.chunks]
        assert len(set(documents)) == len(documents) <= 3 and set(context.chunks) <= set(ranking.chunks)
    (row,) = csv.DictReader(io.StringIO(found.files["arms.csv"].decode()))
    assert row["arm"] == "lines+all+short+spread" and row["strings_not_placed"] == "0"
    page = found.files["report.html"].decode()
    assert "the number that the plugin plugins.my_scorer:share (weight 2) gives the searched text" in page
    assert "chooses within these limits" in page and "the plugin plugins.my_reranker:short_first gives the body" in page


def test_the_chunker_of_the_page_cuts_lines(section):
    chunker = Plugin("plugins.my_chunker:split", "chunker", {"lines_each": 2})
    assert chunker.items("x", "a\nb\nc\nd\ne") == [(0, 4), (4, 8), (8, 9)]
    assert chunker.items("x", "a\nb\nc\nd\n") == [(0, 4), (4, 8)]
    assert chunker.items("x", "") == []


def test_the_splitters_of_the_page_run(section):
    for library in ("langchain_text_splitters", "chonkie", "semchunk"):
        pytest.importorskip(library, reason="an extra is not installed")
    (text,) = (text for text in blocks("yaml") if "langchain" in text)
    section |= YAML(typ="safe").load(f"mine:\n{text}")["mine"]
    found = run({"experiments": {"mine": {"dataset": str(PROJECT / "fixtures" / "evidence_mapping")}}, "mine": section})
    assert set(found.chunks) == {"recursive", "sentences", "semantic"} and all(found.chunks.values())
