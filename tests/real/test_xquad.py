"""XQuAD, English and Chinese, from import to results, against a twin that shares no code with the library."""

import gzip
import json
import math
import re
from collections import Counter

import pytest

from spanledger.cli.add_experiment import Windows
from spanledger.dataset import load
from spanledger.experiment import run
from spanledger.importers.squad import import_squad

pytestmark = pytest.mark.real
WINDOWS = Windows(None, (128, 256, 512, 1024), (0, 20), 200, 10, 1024)
SIZES = {(128, 0), (128, 25), (256, 0), (256, 51), (512, 0), (512, 102), (1024, 0), (1024, 204)}


def terms_of(language: str, text: str) -> list[str]:
    if language == "en":
        return re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text.lower())
    text = text.lower()
    pairs = [a + b for a, b in zip(text, text[1:], strict=False) if all("\u4e00" <= c <= "\u9fff" for c in a + b)]
    return pairs + re.findall(r"[a-z0-9]+", text)


def twin(path, language: str, size: int, overlap: int):
    """Rankings and both contexts of every question, by loops over plain tuples; a chunk is (title, start, end)."""
    with gzip.open(path) as stream:
        articles = json.load(stream)["data"]
    documents, questions = {}, []
    for article in articles:
        paragraphs = [p["context"] for p in article["paragraphs"]]
        documents[article["title"]] = "\n\n".join(paragraphs)
        for place, paragraph in enumerate(article["paragraphs"]):
            shift = sum(len(p) + 2 for p in paragraphs[:place])
            for question in paragraph["qas"]:
                start = shift + question["answers"][0]["answer_start"]
                answer = (article["title"], start, start + len(question["answers"][0]["text"]))
                questions.append((question["id"], question["question"], answer))
    chunks = []
    for title in sorted(documents):
        text, start = documents[title], 0
        while True:
            chunks.append((title, start, min(start + size, len(text))))
            if start + size >= len(text):
                break
            start += size - overlap
    counted = [Counter(terms_of(language, documents[t][s:e])) for t, s, e in chunks]
    lengths = [sum(c.values()) for c in counted]
    average = sum(lengths) / len(lengths)
    holders: dict[str, list[int]] = {}
    for number, counts in enumerate(counted):
        for term in counts:
            holders.setdefault(term, []).append(number)
    for query_id, text, answer in questions:
        scores: dict[int, float] = {}
        for term in sorted(set(terms_of(language, text))):
            df = len(holders.get(term, ()))
            idf = math.log(1 + (len(chunks) - df + 0.5) / (df + 0.5))
            for n in holders.get(term, ()):
                tf = counted[n][term]
                part = idf * tf * (1.2 + 1) / (tf + 1.2 * (1 - 0.75 + 0.75 * lengths[n] / average))
                scores[n] = scores.get(n, 0.0) + part
        ranked = sorted(scores, key=lambda n: (-scores[n], chunks[n]))[:200]
        fitting, left = [], 1024
        for n in ranked:
            length = chunks[n][2] - chunks[n][1]
            if length <= left:
                fitting.append(n)
                left -= length
        yield query_id, answer, chunks, ranked, ranked[:10], fitting


def covered(answer, chunks, chosen) -> bool:
    title, start, end = answer
    held = {position for n in chosen if chunks[n][0] == title for position in range(chunks[n][1], chunks[n][2])}
    return held.issuperset(range(start, end))


@pytest.fixture(scope="module", params=["en", "zh"])
def imported(request, shared, tmp_path_factory):
    source = shared / "data" / "xquad" / f"xquad.{request.param}.json.gz"
    folder = tmp_path_factory.mktemp("xquad") / "dataset"
    import_squad(source, folder, language=request.param)
    section = WINDOWS.section(request.param)
    settings = {"experiments": {"xquad": {"dataset": str(folder)}}, "xquad": section}
    return request.param, source, run(settings, load(folder))


def test_eight_windows_and_two_selectors(imported):
    language, _, results = imported
    section = WINDOWS.section(language)
    settings = {(s["chunk_size"], s["chunk_overlap"]) for n, s in section["chunk"].items() if n != "defaults"}
    assert settings == SIZES
    assert section["index"]["terms"]["analyzer"] == {"en": "ascii_words", "zh": "cjk_bigrams"}[language]
    assert len(results.rows) == 8 * 2 * 1190


def test_windows_lose_nothing_before_retrieval(imported):
    _, _, results = imported
    assert all(row["covered"]["index"] == row["required"] == 1 for row in results.rows)


@pytest.mark.parametrize(("size", "overlap"), [(128, 25), (512, 0)])
def test_every_ranking_context_and_coverage_is_the_twins(imported, size, overlap):
    language, source, results = imported
    name = f"window{size}" + (f"_overlap{overlap}" if overlap else "")
    chunks = [(c.doc_id, *c.spans[0]) for c in results.chunks[name]]
    rankings = {r.query_id: r for r in results.candidates[name, "all", "single"]}
    contexts = {s: {c.query_id: c for c in results.contexts[name, "all", "single", s]} for s in ("top10", "chars1024")}
    rows = {(row["arm"], row["query_id"]): row for row in results.rows}
    lost = 0
    for query_id, answer, twin_chunks, ranked, first, fitting in twin(source, language, size, overlap):
        assert chunks == twin_chunks
        assert list(rankings[query_id].chunks) == ranked
        for selector, chosen in (("top10", first), ("chars1024", fitting)):
            assert list(contexts[selector][query_id].chunks) == chosen
            row = rows[f"{name}+all+single+{selector}", query_id]
            assert row["covered"]["candidates"] == covered(answer, chunks, ranked)
            assert row["covered"]["context"] == covered(answer, chunks, chosen)
            lost += not row["covered"]["context"]
    assert 0 < lost < 1190


def test_causes_add_up_to_the_lost_facts(imported):
    _, _, results = imported
    for row in results.rows:
        (fact,) = row["facts"]
        assert (fact["cause"] is None) == fact["context"]
        if not fact["candidates"]:
            assert fact["cause"] in ("not_matched", "below_depth")
        elif not fact["context"]:
            assert fact["cause"] in ("crowded_out", "does_not_fit", "outside_top_k")
