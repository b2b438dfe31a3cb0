"""What trec_eval computes from exported runs is what the lines of queries.jsonl say."""

import csv
import functools
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanledger.experiment
from spanledger.core.records import Chunk, Document, Query
from spanledger.engine import params, plan
from spanledger.exports.levels import Exporter, Listed, of_candidates, of_contexts
from spanledger.exports.trec import qrels_lines, run_lines
from spanledger.gold import Evidence, Fact, Gold, Judgement

pytrec_eval = pytest.importorskip("pytrec_eval")
PROJECT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ("evidence_mapping", "fusion", "structure_lab", "granularity")


@functools.cache
def ran(experiment):
    settings = params.load(PROJECT / "params.yaml")
    dataset = PROJECT / settings["experiments"][experiment]["dataset"]
    return settings[experiment], spanledger.experiment.run(settings, dataset, experiment)


def trec_eval(run, qrels, measure):
    """The values of a measure by query, read from the lines as trec_eval reads them; 0 for a query without a line."""
    judged = pytrec_eval.parse_qrel([f"{line}\n" for line in qrels])
    found = pytrec_eval.RelevanceEvaluator(judged, {measure}).evaluate(
        pytrec_eval.parse_run([f"{line}\n" for line in run]) if run else {}
    )
    return {query: found.get(query, {}).get(measure.replace(".", "_"), 0.0) for query in judged}


def lists_of(results, arm):
    chunks = results.chunks[arm.chunk]
    candidates = of_candidates(results.candidates[arm.chunk, arm.eligibility, arm.fuse], chunks)
    contexts = of_contexts(results.contexts[arm.chunk, arm.eligibility, arm.fuse, arm.select], chunks)
    return candidates, contexts


def exporter_of(section, results, arm):
    held = results.dataset
    return Exporter(
        results.chunks[arm.chunk],
        results.documents,
        held.queries,
        held.golds,
        held.judgements,
        section["score"]["coverage"],
    )


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_recall_and_mrr_of_trec_eval_are_those_of_the_rows(experiment):
    section, results = ran(experiment)
    for arm in plan.arms(section):
        exporter = exporter_of(section, results, arm)
        candidates, contexts = lists_of(results, arm)
        rows = {row["query_id"]: row for row in results.rows if row["arm"] == arm.name and row["required"]}
        for point, lists in (("candidates", candidates), ("context", contexts)):
            run, qrels = run_lines(exporter.run(lists, "fact"), "t"), qrels_lines(exporter.qrels(lists, "fact"))
            expected = {query: row["covered"][point] / row["required"] for query, row in rows.items()}
            assert trec_eval(run, qrels, "set_recall") == pytest.approx(expected, abs=1e-12)
        for n in section["score"]["cutoffs"]:
            run = run_lines(exporter.run(contexts, "fact", n), "t")
            expected = {query: row["covered_at"][str(n)] / row["required"] for query, row in rows.items()}
            assert trec_eval(run, qrels, "set_recall") == pytest.approx(expected, abs=1e-12)
        run, qrels = run_lines(exporter.run(contexts, "chunk"), "t"), qrels_lines(exporter.qrels(contexts, "chunk"))
        expected = {query: 1 / row["first_rank"] if row["first_rank"] else 0 for query, row in rows.items()}
        assert trec_eval(run, qrels, "recip_rank") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_means_of_ir_measures_are_those_of_the_table_of_arms(experiment):
    ir_measures = pytest.importorskip("ir_measures")
    section, results = ran(experiment)
    table = {row["arm"]: row for row in csv.DictReader(io.StringIO(results.files["arms.csv"].decode()))}
    for arm in plan.arms(section):
        exporter = exporter_of(section, results, arm)
        _, contexts = lists_of(results, arm)
        for level, measure, column in (("fact", "SetR", "macro_recall"), ("chunk", "RR", "mrr")):
            qrels = "\n".join(qrels_lines(exporter.qrels(contexts, level)))
            run = "\n".join(run_lines(exporter.run(contexts, level), "t"))
            parsed = ir_measures.parse_measure(measure)
            read = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
            mean = ir_measures.calc_aggregate([parsed], *map(list, read))[parsed]
            assert mean == pytest.approx(float(table[arm.name][column]), abs=1e-12)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_trec_eval_reads_our_order(experiment):
    section, results = ran(experiment)
    for arm in plan.arms(section):
        exporter = exporter_of(section, results, arm)
        for lists in lists_of(results, arm):
            for level in ("document", "chunk", "fact"):
                made = exporter.run(lists, level)
                read = pytrec_eval.parse_run([f"{line}\n" for line in run_lines(made, "t")])
                for query, items in made.items():
                    held = read.get(query, {})
                    # trec_eval: by score, then by item, both descending
                    again = sorted(held, key=lambda item, held=held: (held[item], item), reverse=True)
                    assert again == [item for item, _ in items]


def chunk(ordinal, doc_id, *spans, version="1"):
    return Chunk(f"c{ordinal}", ordinal, doc_id, version, spans, "x", {"char": 1})


def document(doc_id, version="1"):
    return Document(doc_id, version, "x" * 40, "", "")


def exporter(chunks, facts, documents=None, judgements=(), rule="span"):
    documents = documents or [document("a"), document("b")]
    golds = [Gold("q", tuple(Fact(f"f{n}", support) for n, support in enumerate(facts)))]
    return Exporter(chunks, documents, [Query("q", "?")], golds, list(judgements), {"rule": rule})


def listed(*chunks):
    return {"q": Listed(chunks, [one.chunk_id for one in chunks], [None] * len(chunks))}


def span(doc_id, start, end, version="1"):
    return Evidence(doc_id, version, (start, end))


def test_facts_stand_where_the_list_first_covers_them():
    chunks = [chunk(0, "a", (0, 5)), chunk(1, "b", (0, 9)), chunk(2, "a", (5, 12)), chunk(3, "a", (20, 30))]
    facts = [
        ((span("a", 3, 8),),),  # by chunks 0 and 2 together
        ((span("a", 22, 40),),),  # never
        ((span("a", 6, 7),),),  # by chunk 2
        ((span("a", 21, 39),), (span("b", 1, 2), span("a", 0, 1))),  # by its second group, chunks 0 and 1
    ]
    made = exporter(chunks, facts)
    assert made.run(listed(*chunks), "fact") == {"q": [("f3", None), ("f0", None), ("f2", None)]}
    assert made.run(listed(*chunks), "fact", 2) == {"q": [("f3", None)]}
    assert made.qrels(listed(*chunks), "fact") == {"q": dict.fromkeys(("f0", "f1", "f2", "f3"), 1)}
    alone = exporter(chunks, facts, rule="one_chunk")
    assert alone.run(listed(*chunks), "fact") == {"q": [("f3", None), ("f2", None)]}


def test_chunks_are_graded_by_whole_facts_and_by_spans():
    chunks = [chunk(0, "a", (0, 5)), chunk(1, "b", (0, 9)), chunk(2, "a", (5, 12)), chunk(3, "a", (0, 12))]
    facts = [((span("a", 3, 8),),), ((span("b", 1, 2), span("a", 0, 1)),)]
    # chunk 3 holds fact 0 whole and a span of fact 1; 0 and 1 hold a span of fact 1 each; 2 holds half of fact 0 only
    assert exporter(chunks, facts).qrels({}, "chunk") == {"q": {"c0": 1, "c1": 1, "c3": 2}}


def test_a_document_stands_at_its_first_chunk():
    chunks = [chunk(0, "b", (0, 1)), chunk(1, "a", (0, 1)), chunk(2, "b", (1, 2))]
    facts = [((span("a", 3, 8),), (span("b", 1, 2),))]
    made = exporter(chunks, facts)
    lists = {"q": Listed(chunks, ["c0", "c1", "c2"], [3.0, 3.0, 1.0])}
    assert made.run(lists, "document") == {"q": [("b", 3.0), ("a", 3.0)]}
    assert run_lines(made.run(lists, "document"), "t") == ["q Q0 b 1 3 t", "q Q0 a 2 2.99999976 t"]
    assert made.qrels(lists, "document") == {"q": {"a": 1, "b": 1}}


def test_versions_are_documents_of_their_own_unless_documents_are_judged():
    documents = [document("a", "1"), document("a", "2"), document("b", "1")]
    chunks = [chunk(0, "a", (0, 1), version="2"), chunk(1, "b", (0, 1)), chunk(2, "a", (0, 1), version="1")]
    facts = [((span("a", 3, 8, "2"),),)]
    made = exporter(chunks, facts, documents)
    assert [item for item, _ in made.run(listed(*chunks), "document")["q"]] == ["a@2", "b@1", "a@1"]
    assert made.qrels({}, "document") == {"q": {"a@2": 1}}
    judged = exporter(chunks, facts, documents, [Judgement("q", "a", 0), Judgement("q", "b", 3)])
    assert [item for item, _ in judged.run(listed(*chunks), "document")["q"]] == ["a", "b"]
    assert judged.qrels({}, "document") == {"q": {"a": 0, "b": 3}}


def test_queries_without_gold_are_in_no_qrels():
    chunks = [chunk(0, "a", (0, 1))]
    made = exporter(chunks, [])
    for level, expected in (("document", [("a", None)]), ("chunk", [("c0", None)]), ("fact", [])):
        assert made.run(listed(*chunks), level) == {"q": expected}
        assert made.qrels({}, level) == {}
    judged = exporter(chunks, [((span("a", 0, 1),),)], judgements=[Judgement("other", "a", 1)])
    assert judged.qrels({}, "document") == {}


SPANS = st.tuples(st.integers(0, 39), st.integers(1, 12)).map(lambda pair: (pair[0], min(40, sum(pair))))
EVIDENCE = st.builds(lambda doc_id, place: Evidence(doc_id, "1", place), st.sampled_from("ab"), SPANS)
FACTS = st.lists(st.lists(st.lists(EVIDENCE, min_size=1, max_size=3), min_size=1, max_size=3), min_size=1, max_size=5)
PASSAGES = st.lists(st.tuples(st.sampled_from("ab"), SPANS), max_size=8)


@given(PASSAGES, FACTS, st.sampled_from(["span", "one_chunk"]), st.integers(1, 8))
def test_recall_at_n_and_mrr_by_brute_force(passages, facts, rule, n):
    chunks = [chunk(ordinal, doc_id, place) for ordinal, (doc_id, place) in enumerate(passages)]
    made = exporter(chunks, [tuple(map(tuple, support)) for support in facts], rule=rule)
    cells = [{(doc_id, at) for at in range(*place)} for doc_id, place in passages]

    def holds(evidence, some):
        wanted = {(evidence.doc_id, at) for at in range(*evidence.span)}
        return wanted <= set().union(*some) if rule == "span" else any(wanted <= one for one in some)

    covered = sum(any(all(holds(e, cells[:n]) for e in group) for group in support) for support in facts)
    spans = [e for support in facts for group in support for e in group]
    first = next((rank for rank, one in enumerate(cells, 1) if any(holds(e, [one]) for e in spans)), None)
    qrels = qrels_lines(made.qrels(listed(*chunks), "fact"))
    recall = trec_eval(run_lines(made.run(listed(*chunks), "fact", n), "t"), qrels, "set_recall")
    assert recall == pytest.approx({"q": covered / len(facts)}, abs=1e-12)
    qrels = qrels_lines(made.qrels(listed(*chunks), "chunk"))
    mrr = trec_eval(run_lines(made.run(listed(*chunks), "chunk"), "t"), qrels, "recip_rank")
    assert mrr == pytest.approx({"q": 1 / first if first else 0}, abs=1e-12)
