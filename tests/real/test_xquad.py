"""XQuAD, English and Chinese, from import to results, against a twin that shares no code with the library."""

import pytest
from xquad_twin import Bm25, positions, read, windows

from spanledger.cli.add_experiment import Windows
from spanledger.dataset import load
from spanledger.experiment import run
from spanledger.importers.squad import import_squad

pytestmark = pytest.mark.real
WINDOWS = Windows(None, (128, 256, 512, 1024), (0, 20), 200, 10, 1024)
SIZES = {(128, 0), (128, 25), (256, 0), (256, 51), (512, 0), (512, 102), (1024, 0), (1024, 204)}


def covered(answer, chunks, chosen) -> bool:
    return positions([answer]) <= positions([chunks[n] for n in chosen if chunks[n][0] == answer[0]])


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
    articles = read(source)
    assert chunks == windows(articles, size, overlap)
    bm25, lost = Bm25(articles, language, chunks), 0
    for query_id, text, answer in articles.questions:
        ranked = [n for n, _ in bm25.rank(text)]
        fitting, left = [], 1024
        for n in ranked:
            length = chunks[n][2] - chunks[n][1]
            if length <= left:
                fitting.append(n)
                left -= length
        assert list(rankings[query_id].chunks) == ranked
        for selector, chosen in (("top10", ranked[:10]), ("chars1024", fitting)):
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
