"""The published BM25 run of CACM, scored as a run of others: our numbers are those of trec_eval on the same file."""

import csv
import io
from collections import defaultdict
from fractions import Fraction

import pytest
from ruamel.yaml import YAML

from spanledger.dataset import load
from spanledger.foreign.scored import Options, score_run
from spanledger.importers.trec import import_trec

pytestmark = pytest.mark.real
TOP = 30
MEASURES = {"document_metrics": ["AP", "P@30", "R@30", "nDCG@10"]}


@pytest.fixture(scope="module")
def cacm(shared, tmp_path_factory):
    folder = shared / "data" / "cacm"
    if not folder.exists():
        pytest.skip("cacm is not in ../shared/data")
    project = tmp_path_factory.mktemp("cacm")
    import_trec(
        folder / "cacm.tar.gz",
        project / "cacm",
        topics=folder / "topics.cacm.txt",
        qrels=folder / "qrels.cacm.txt",
        ignore_zeros=True,
        fact_mode="whole-document",
    )
    section = {
        "normalise": {},
        "chunk": {"whole": {"method": "document"}},
        "eligibility": {"all": {}},
        "index": {"words": {"analyzer": "ascii_words"}},
        "retrieve": {"bm25": {"index": "words", "scorer": "bm25"}},
        "fuse": {"single": {"branches": ["bm25"]}},
        "select": {"top": {"top_k": TOP}, "everything": {"top_k": 1000}},
        "score": {"coverage": {"rule": "span"}, "cost": {"unit": "char"}, "random_orders": 0} | MEASURES,
        "report": {"primary": {"metric": "macro_recall"}},
        "arms": "grid",
    }
    settings = project / "params.yaml"
    with settings.open("w", encoding="utf-8") as stream:
        YAML().dump({"experiments": {"cacm": {"dataset": str(project / "cacm")}}, "cacm": section}, stream)
    return folder / "cacm-bm25.txt", settings, load(project / "cacm")


def test_recall_and_first_rank_of_the_published_run(cacm):
    path, settings, dataset = cacm
    scored = score_run(path, "cacm", Options(select="top"), settings)
    lists = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc_id, rank, score, _ = line.split()
        lists[query].append((-float(score), int(rank), doc_id))
    relevant = defaultdict(set)
    for judgement in dataset.judgements:
        if judgement.relevance > 0:
            relevant[judgement.query_id].add(judgement.doc_id)
    assert scored.counts["missing"] == len({q.query_id for q in dataset.queries} - set(lists))
    assert scored.counts["entries"] == sum(map(len, lists.values()))
    for row in scored.rows:
        wanted = relevant[row["query_id"]]
        found = [doc_id for _, _, doc_id in sorted(lists[row["query_id"]])]
        assert row["required"] == len(wanted) and row["candidate_count"] == len(found)
        assert row["covered"]["candidates"] == len(wanted & set(found))
        assert row["covered"]["context"] == len(wanted & set(found[:TOP]))
        first = next((rank for rank, doc_id in enumerate(found[:TOP], 1) if doc_id in wanted), None)
        assert row["first_rank"] == first
        assert {fact["cause"] for fact in row["facts"]} <= {None, "not_retrieved", "outside_top_k"}


def test_trec_eval_on_the_published_run(cacm):
    """trec_eval orders equal scores by descending id, so it is asked of the order that we read, written strictly."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    path, settings, dataset = cacm
    scored = score_run(path, "cacm", Options(select="top"), settings)
    qrels = defaultdict(dict)
    for judgement in dataset.judgements:
        qrels[judgement.query_id][judgement.doc_id] = judgement.relevance
    names = {f"recall.{TOP}", "num_rel_ret"}
    ours = pytrec_eval.RelevanceEvaluator(dict(qrels), names).evaluate(
        {
            row["query_id"]: {one["doc_id"]: float(-one["rank"]) for one in row["candidates"]}
            for row in scored.rows
            if row["candidates"]
        }
    )
    plain = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc_id, _, score, _ = line.split()
        plain[query][doc_id] = float(score)
    theirs = pytrec_eval.RelevanceEvaluator(dict(qrels), names).evaluate(dict(plain))
    for row in (row for row in scored.rows if row["required"]):
        value = ours[row["query_id"]]
        assert value[f"recall_{TOP}"] == pytest.approx(
            float(Fraction(row["covered"]["context"], row["required"])), abs=1e-12
        )
        assert value["num_rel_ret"] == theirs[row["query_id"]]["num_rel_ret"] == row["covered"]["candidates"]


def test_measures_of_documents_are_those_of_ir_measures(cacm):
    ir_measures = pytest.importorskip("ir_measures")
    path, settings, dataset = cacm
    scored = score_run(path, "cacm", Options(select="top"), settings)
    qrels = [ir_measures.Qrel(j.query_id, j.doc_id, j.relevance) for j in dataset.judgements]
    run = [
        ir_measures.ScoredDoc(row["query_id"], one["doc_id"], float(-one["rank"]))
        for row in scored.rows
        for one in row["candidates"]
    ]
    measures = {name: ir_measures.parse_measure(name) for name in MEASURES["document_metrics"]}
    means = ir_measures.calc_aggregate(measures.values(), qrels, run)
    (table,) = csv.DictReader(io.StringIO(scored.files["arms.csv"].decode()))
    for name, measure in measures.items():
        assert float(table[name]) == pytest.approx(means[measure], abs=1e-12)


def test_the_page_tells_what_rejected_judgements_do(cacm, shared, project, tmp_path):
    """AP of the published run by trec_eval on the qrels file as it is, by ours on the 741 judgements of documents that
    exist, and by both where the 55 others are taken for those that they mean."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    path, settings, dataset = cacm
    folder = shared / "data" / "cacm"
    import_trec(
        folder / "cacm.tar.gz", tmp_path / "d", topics=folder / "topics.cacm.txt", qrels=folder / "qrels.cacm.txt"
    )
    plain, fixed, run = defaultdict(dict), defaultdict(dict), defaultdict(dict)
    for line in (folder / "qrels.cacm.txt").read_text(encoding="utf-8").splitlines():
        query, _, doc_id, grade = line.split()
        plain[query][doc_id] = fixed[query][f"CACM-{int(doc_id.removeprefix('CACM-')):04}"] = int(grade)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc_id, _, score, _ = line.split()
        run[query][doc_id] = float(score)

    def by_trec_eval(qrels):
        found = pytrec_eval.RelevanceEvaluator(dict(qrels), {"map"}).evaluate(dict(run))
        return sum(values["map"] for values in found.values()) / len(qrels)

    def by_ours(file):
        (table,) = csv.DictReader(
            io.StringIO(score_run(path, "cacm", Options(select="top"), file).files["arms.csv"].decode())
        )
        return float(table["AP"])

    other = settings.with_name("rejected.yaml")
    section = YAML(typ="safe").load(settings)
    section["experiments"]["cacm"]["dataset"] = str(tmp_path / "d")
    with other.open("w", encoding="utf-8") as stream:
        YAML().dump(section, stream)
    assert by_ours(settings) == pytest.approx(by_trec_eval(fixed), abs=1e-12)
    told = f"{by_ours(settings):.4f} by both, else {by_ours(other):.4f} here and {by_trec_eval(plain):.4f} there"
    assert told in (project / "docs" / "interchange.md").read_text(encoding="utf-8")
