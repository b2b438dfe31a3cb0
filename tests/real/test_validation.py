"""The numbers of others, made with the settings of docs/validation/params.yaml; the page has the same numbers."""

import json
import statistics
from collections import defaultdict

import pytest

from spanledger.chunking import chunk_documents
from spanledger.core.span_measures import span_measure
from spanledger.dataset import load
from spanledger.engine import params
from spanledger.experiment import run
from spanledger.gold import Judgement
from spanledger.importers.chroma import import_chroma
from spanledger.importers.trec import import_trec
from spanledger.scoring.coverage import Coverage, Rule
from spanledger.scoring.documents import DocumentMeasures
from spanledger.scoring.excerpts import Excerpts

pytestmark = pytest.mark.real

MEASURES = ["P@5", "P@30", "R@10", "R@100", "AP", "AP@10", "RR", "nDCG", "nDCG@10"]


@pytest.fixture(scope="module")
def data(shared):
    found = shared / "data"
    if not found.exists():
        pytest.skip("../shared/data is absent")
    return found


@pytest.fixture(scope="module")
def settings(project):
    return params.load(project / "docs" / "validation" / "params.yaml")


@pytest.fixture(scope="module")
def page(project):
    return (project / "docs" / "validation.md").read_text(encoding="utf-8")


def published(data, name):
    results = json.loads((data / "published_baselines.json").read_text(encoding="utf-8"))["anserini"]["results"]
    return results[name]["models"][0]["results"]


def in_memory(settings, dataset, name):
    (arm,) = json.loads(run(settings, dataset, name).files["metrics.json"])[name].values()
    return arm


def judged(path):
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return [Judgement(query_id, doc_id, int(grade)) for query_id, _, doc_id, grade in rows]


def test_scifact_is_within_a_hundredth_of_anserini(data, tmp_path, settings, page):
    folder = data / "scifact"
    import_trec(
        folder / "documents.jsonl.gz",
        tmp_path / "out",
        topics=folder / "topics.test.tsv",
        qrels=folder / "qrels.test.txt",
    )
    ours = in_memory(settings, tmp_path / "out", "scifact")
    theirs = published(data, "beir-v1.0.0-scifact.flat")
    for name in ("nDCG@10", "R@100", "R@1000"):
        assert abs(ours[name] - theirs[name]) <= 0.01, name
        assert f"| {name} | {ours[name]:.4f} | {theirs[name]:.4f} |" in page


def test_cacm_is_within_a_hundredth_of_anserini(data, tmp_path, settings, page):
    folder = data / "cacm"
    import_trec(
        folder / "cacm.tar.gz", tmp_path / "out", topics=folder / "topics.cacm.txt", qrels=folder / "qrels.cacm.txt"
    )
    results = run(settings, tmp_path / "out", "cacm")
    (ours,) = json.loads(results.files["metrics.json"])["cacm"].values()
    theirs = published(data, "cacm")
    assert abs(ours["P@30"] - theirs["P30"]) <= 0.01
    # trec_eval counts the 55 judgements of documents that are not there as relevant ones that were not found
    measures = DocumentMeasures(["AP", "P@30"], judged(folder / "qrels.cacm.txt"))
    doc_ids = [chunk.doc_id for chunk in results.chunks["whole"]]
    (lists,) = results.candidates.values()
    found = [measures.of(ranking.query_id, [doc_ids[n] for n in ranking.chunks]) for ranking in lists]
    every = {name: statistics.fmean(one[name] for one in found if one) for name in ("AP", "P@30")}
    assert every["P@30"] == pytest.approx(ours["P@30"], abs=1e-12)
    assert abs(every["AP"] - theirs["MAP"]) <= 0.01
    assert f"| AP, all 796 judgements | {every['AP']:.4f} | {theirs['MAP']:.4f} |" in page
    assert f"| AP, the 741 of documents that exist | {ours['AP']:.4f} | |" in page
    assert f"| P@30 | {ours['P@30']:.4f} | {theirs['P30']:.4f} |" in page


def test_the_published_run_on_cacm_has_the_values_of_ir_measures(data, page):
    ir_measures = pytest.importorskip("ir_measures", reason="the dev extra ir-measures is not installed")
    listed = defaultdict(list)
    for line in (data / "cacm" / "cacm-bm25.txt").read_text(encoding="utf-8").splitlines():
        query_id, _, doc_id, rank, score, _ = line.split()
        listed[query_id].append((int(rank), doc_id, float(score)))
    scores = {query_id: {doc_id: score for _, doc_id, score in held} for query_id, held in listed.items()}
    judgements = judged(data / "cacm" / "qrels.cacm.txt")
    qrels = defaultdict(dict)
    for one in judgements:
        qrels[one.query_id][one.doc_id] = one.relevance
    wanted = [ir_measures.parse_measure(name) for name in MEASURES]
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(wanted, qrels, scores)}
    ours = DocumentMeasures(MEASURES, judgements)
    found = {query_id: ours.of(query_id, [doc_id for _, doc_id, _ in sorted(listed[query_id])]) for query_id in qrels}
    assert len(found) == 52 and len(listed) == 64
    for query_id, values in found.items():
        for name in MEASURES:
            assert values[name] == pytest.approx(theirs[query_id, name], abs=1e-12), (query_id, name)
    means = {name: statistics.fmean(values[name] for values in found.values()) for name in MEASURES}
    assert round(means["P@30"], 4) == published(data, "cacm")["P30"]
    for name in MEASURES:
        assert f"| {name} | {means[name]:.4f} |" in page


@pytest.fixture(scope="module")
def chroma(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("chroma") / "out"
    import_chroma(data / "chroma", out)
    return load(out)


@pytest.mark.parametrize("size_overlap", ["800_400", "400_200", "400_0", "200_0"])
@pytest.mark.parametrize(("kind", "name"), [("token", "TokenText"), ("recursive", "Recursive")])
def test_precision_omega_to_the_printed_digit(data, settings, page, chroma, kind, name, size_overlap):
    setting = settings["chroma"]["chunk"][f"{kind}_{size_overlap}"]
    size, overlap = size_overlap.split("_")
    table = json.loads((data / "chroma" / "published_tables.json").read_text(encoding="utf-8"))
    rows = table["tables"]["text-embedding-3-large"]
    wanted = {"chunker": name, "size_tokens": int(size), "overlap_tokens": int(overlap)}
    (row,) = (row["precision_omega"] for row in rows if wanted.items() <= row.items())
    chunks, counters = chunk_documents(chroma.documents, chroma.elements, setting)
    coverage = Coverage(chunks, Rule({"rule": "span"}))
    excerpts = Excerpts(chunks, chroma.documents, coverage, settings["chroma"]["score"]["span_metrics"])
    every, nothing = range(len(chunks)), Coverage([], Rule({"rule": "span"}))
    counted = [excerpts.of(gold.facts, [], nothing, [], every) for gold in chroma.golds]
    theirs, ours = (
        [float(span_measure(metric, one)) * 100 for one in counted]
        for metric in ("precision_omega_published", "precision_omega")
    )
    assert f"{statistics.fmean(theirs):.1f}" == f"{row['mean']:.1f}"
    assert f"{statistics.pstdev(theirs):.1f}" == f"{row['std']:.1f}"
    shown = [name, size, overlap, str(counters["chunks"]), f"{row['mean']:.1f} ± {row['std']:.1f}"]
    shown += [f"{statistics.fmean(found):.2f} ± {statistics.pstdev(found):.2f}" for found in (theirs, ours)]
    assert f"| {' | '.join(shown)} |" in page
