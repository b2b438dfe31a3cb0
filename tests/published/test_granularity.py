"""Every published figure of the experiment granularity."""

import csv
import io
import json
from fractions import Fraction

import pytest

from spanledger.engine import params


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "expected" / "granularity.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(bundled):
    return bundled("granularity")


def rows_of(results, strategy, tag=None):
    return [r for r in results.rows if r["arm"] == f"{strategy}+all+single+top3" and (tag is None or tag in r["tags"])]


def hits(rows, cutoff):
    return sum(row["covered_at"][str(cutoff)] == row["required"] for row in rows)


def table(results, name):
    return list(csv.DictReader(io.StringIO(results.files[name].decode())))


def test_the_corpus_and_the_parameters_are_the_published_ones(results, expected, project):
    published = expected["published"]
    section = params.load(project / "params.yaml")["granularity"]
    assert len(results.elements) == published["paragraphs"]
    assert len({fact.fact_id for gold in results.dataset.golds for fact in gold.facts}) == published["topics"]
    for gold in results.dataset.golds:
        assert all(len(fact.support) == published["paragraphs_per_topic"] for fact in gold.facts)
        wanted = published["topics_per_multi_hop"] if "multi_hop" in gold.tags else 1
        assert len(gold.facts) == wanted
    assert [sum(tag in g.tags for g in results.dataset.golds) for tag in ("single_hop", "multi_hop")] == [
        published["single_hop"],
        published["multi_hop"],
    ]
    assert (section["retrieve"]["bm25"]["k1"], section["retrieve"]["bm25"]["b"]) == (published["k1"], published["b"])
    assert section["select"]["top3"]["top_k"] == published["k"]
    assert float(section["score"]["coverage"]["at_least"]) == published["topic_coverage"]
    assert len(results.documents[0].text) == expected["chosen_here"]["characters"]


def test_published_recalls_counts_and_costs(results, expected):
    published = expected["published"]
    for strategy, figures in published["strategies"].items():
        rows = rows_of(results, strategy)
        assert len(rows) == published["queries"]
        if "chunk_count" in figures:
            assert len(results.chunks[strategy]) == figures["chunk_count"]
        if "recall_at_1" in figures:
            assert f"{hits(rows, 1) / 14:.3f}" == figures["recall_at_1"]
        assert f"{hits(rows, 3) / 14:.3f}" == figures["recall_at_k"]
        cost = sum(row["cost"]["analyzer"] for row in rows) / 14
        digits = len(figures["mean_cost_tokens"].partition(".")[2])
        assert f"{cost:.{digits}f}" == figures["mean_cost_tokens"]


def test_inferred_hits_and_totals(results, expected):
    inferred = expected["inferred"]
    for strategy in expected["published"]["strategies"]:
        rows = rows_of(results, strategy)
        assert hits(rows, 1) == inferred["hits_at_1"][strategy]
        assert hits(rows, 3) == inferred["hits_at_k"][strategy]
        low, high = inferred["cost_tokens_total"][strategy]
        assert low <= sum(row["cost"]["analyzer"] for row in rows) <= high
    assert len(results.chunks["fixed_500"]) == inferred["fixed_500_chunk_count"]


def test_figures_of_this_fixture(results, expected):
    chosen = expected["chosen_here"]
    arms = {row["chunk"]: row for row in table(results, "arms.csv")}
    assert len(chosen["rows"]) == 5
    for values in chosen["rows"]:
        row = dict(zip(chosen["columns"], values, strict=True))
        strategy = row["strategy"]
        for tag, name in (("single_hop", "single"), ("multi_hop", "multi")):
            mine = rows_of(results, strategy, tag)
            assert hits(mine, 1) == row[f"{name}_hits_at_1"]
            assert hits(mine, 3) == row[f"{name}_hits_at_k"]
        assert sum(r["cost"]["analyzer"] for r in rows_of(results, strategy)) == row["cost_tokens_total"]
        assert len(results.chunks[strategy]) == row["chunk_count"]
        (index,) = results.indexes[strategy, "all", "bigrams"]
        assert sum(index.lengths) == row["index_tokens"]
        assert round(float(arms[strategy]["complete_at_1_ceiling"]), 4) == row["recall_at_1_ceiling"]
        assert float(arms[strategy]["complete_at_1"]) == hits(rows_of(results, strategy), 1) / 14


def test_published_comparisons(results, expected):
    published = expected["published"]

    def at_1(s):
        return Fraction(hits(rows_of(results, s), 1), 14)

    def at_3(s):
        return Fraction(hits(rows_of(results, s), 3), 14)

    def cost(s):
        return Fraction(sum(row["cost"]["analyzer"] for row in rows_of(results, s)), 14)

    strategies = list(published["strategies"])
    assert f"{float(min(map(at_1, strategies))):.3f}" == published["recall_at_1_min"]
    assert f"{float(max(map(at_1, strategies))):.3f}" == published["recall_at_1_max"]
    gain = at_1("overlap_50_15") / at_1("fixed_50") - 1
    assert f"{float(100 * gain):.0f}" == published["overlap_recall_at_1_gain_percent"]
    assert (
        f"{float(100 * (cost('overlap_50_15') / cost('fixed_50') - 1)):.1f}" == published["overlap_cost_gain_percent"]
    )
    chunks = {s: len(results.chunks[s]) for s in strategies}
    ratio = chunks["overlap_50_15"] / chunks["fixed_50"]
    assert f"{100 * (ratio - 1):.0f}" == published["overlap_chunk_gain_percent"]
    assert f"{float(cost('fixed_500') / cost('fixed_50')):.1f}" == published["cost_ratio_fixed_500_to_fixed_50"]
    for low, high in (("para_90", "para_180"), ("fixed_50", "fixed_500")):
        assert f"{float(at_3(high) - at_3(low)):.3f}" == published[f"recall_at_k_gain_{low}_to_{high}"]
        assert f"{float(cost(high) - cost(low)):.0f}" == published[f"cost_gain_{low}_to_{high}"]
    loosely = expected["published_loosely"]["fixed_50_multi_hop_misses_nearly_half_of"]
    multi = rows_of(results, "fixed_50", "multi_hop")
    assert (len(multi), hits(multi, 3)) == (loosely, 3)


def test_the_elbow_is_para_180(results):
    frontier = table(results, "frontier.csv")
    assert [row["arm"] for row in frontier if row["elbow"] == "1"] == ["para_180+all+single+top3"]
    assert [row["arm"].partition("+")[0] for row in frontier] == [
        "fixed_50",
        "overlap_50_15",
        "para_90",
        "para_180",
        "fixed_500",
    ]
    assert all(row["on_frontier"] == "1" for row in frontier)
    # (13 - 11) / 14 more complete answers for (4781 - 2136) / 14 more tokens
    gains = {row["arm"].partition("+")[0]: row["marginal_gain"] for row in frontier}
    assert float(gains["para_180"]) == pytest.approx(2 / 2645, abs=1e-15)
    assert gains["fixed_50"] == ""


def test_diagnostics_name_the_traps_of_the_text(results):
    found = json.loads(results.files["diagnostics.json"])
    by_code = {}
    for diagnostic in found:
        by_code.setdefault(diagnostic["code"], []).append(diagnostic)
    (saturated,) = by_code["saturated"]
    assert saturated["arms"] == ["fixed_500+all+single+top3"]
    assert "2 chunks" in saturated["message"]
    ceilings = {d["arms"][0].partition("+")[0]: d["message"] for d in by_code["ceiling"]}
    assert "8 of 14" in ceilings["fixed_50"]
    assert "5 of an attainable 8" in ceilings["fixed_50"]
    (unequal,) = by_code["unequal_budget"]
    assert "113.4 to 748.0" in unequal["message"]
    assert "tails" not in by_code  # the last window starts at 945 and ends at 971, its predecessor at 960
    assert "0.0714" in by_code["one_query"][0]["message"]  # 1/14
    assert [d["arms"] for d in by_code["repeats"]] == [["overlap_50_15+all+single+top3"]]
