"""The trail of a question: figures worked out by hand from the fixtures, or published."""

import math

import pytest

from spanledger.cli.explain import explain


@pytest.fixture(scope="module")
def two_facts(projects):
    """The worked case of the design: overlap, current, 240 characters."""
    project = projects("evidence_mapping")
    return explain("evidence_mapping", "overlap+current+single+chars240", "two-facts", project=project)


@pytest.fixture(scope="module")
def fused(projects):
    """A trail of the experiment fusion, by arm and query."""

    def of(arm, query, depth=10):
        return explain("fusion", arm, query, depth, project=projects("fusion"))

    return of


def place(told, chunk_id):
    (chunk,) = [chunk for chunk in told["chunks"] if chunk["chunk_id"] == chunk_id]
    return chunk["doc_id"], chunk["version"], *chunk["spans"]


def names(told, entries):
    return [place(told, entry["chunk_id"])[0] for entry in entries]


class TestEvidence:
    def test_facts_with_their_evidence_quoted_from_the_raw_document(self, two_facts):
        kept, lost = two_facts["facts"]
        assert [kept["fact_id"], lost["fact_id"]] == ["logs-kept-7-days", "logs-export-json"]
        (first,), (second,) = kept["support"]  # either of two spans will do
        assert (first["doc_id"], first["version"], first["start"], first["end"]) == ("logs", "v2", 65, 90)
        assert first["text"] == "Logs retention is 7 days."
        assert (second["doc_id"], second["start"], second["end"]) == ("retention", 0, 24)
        assert second["text"] == "Records stay seven days."
        assert (kept["cause"], lost["cause"]) == (None, "crowded_out")
        assert [lost[point] for point in ("index", "candidates", "context")] == [True, True, False]

    def test_what_would_have_kept_a_lost_fact(self, two_facts, fused):
        """120 + 120 + 93 = 333; 93 + 27 + 25 = 145."""
        assert [fact["needed"] for fact in two_facts["facts"]] == [None, {"budget": 333}]
        assert fused("rrf-d4", "two-facts")["facts"][0]["needed"]["budget"] == 145

    def test_what_each_checkpoint_lacks_of_a_span(self, two_facts):
        ((export,),) = two_facts["facts"][1]["support"]
        assert export["candidates"] == {"covered": True, "missing": [], "terms": None}
        assert export["context"] == {"covered": False, "missing": [(187, 213)], "terms": None}
        ((_,), (records,)) = two_facts["facts"][0]["support"]
        assert records["candidates"]["missing"] == [(0, 24)]  # no word of the question is in it

    def test_eligible_chunks_and_the_filters_that_keep_the_others_out(self, two_facts):
        # Windows of 120 every 60: 242 characters give 4, 50 one, 213 three, 24 one; retention v1, of 240, gives 3.
        assert two_facts["eligibility"] == {
            "chunks": 12,
            "eligible": 9,
            "excluded_by": {"versions": 3, "visibility": 0, "acl": 0},
        }

    def test_several_filters_may_keep_one_chunk_out(self, fused):
        told = fused("rrf-rule-d4", "eligibility")["eligibility"]
        assert told == {"chunks": 19, "eligible": 17, "excluded_by": {"versions": 1, "visibility": 1, "acl": 0}}

    def test_evidence_that_the_filter_keeps_out_says_by_what(self, projects):
        project = projects("structure_lab")
        told = explain("structure_lab", "structured+asker+single+top3", "q9", project=project)
        assert told["query"]["no_answer"] == "unauthorized" and told["facts"] == []
        assert told["eligibility"]["excluded_by"]["acl"] > 0

    def test_shares_of_terms_where_these_are_the_rule(self, projects):
        project = projects("granularity")
        told = explain("granularity", "overlap_50_15+all+single+top3", "m2", project=project)
        lost, _ = told["facts"]
        assert (lost["fact_id"], lost["cause"]) == ("kv", "crowded_out")
        (first,) = lost["support"][0]
        assert first["text"].startswith("KV 缓存保存每层注意力的键和值") and first["text"].endswith("显存。")
        # kv, 缓存 存保 保存 存每 每层 层注 注意 意力 力的 的键 键和 和值, 长度 度随 随上 上下 下文 文线 线性 性增 增长,
        # 一条, 8192, 的长 长会 会话 话常 常先 先耗 耗尽 尽显 显存: 33 distinct terms.
        assert first["context"]["terms"][1] == 33 and first["context"]["missing"] is None
        assert first["candidates"]["covered"] and not first["context"]["covered"]


class TestRetrieval:
    def test_shared_terms_count_one_each(self, two_facts):
        (branch,) = two_facts["branches"]
        assert [(t["term"], t["df"], t["expanded"]) for t in branch["terms"]] == [
            ("export", 1, False),
            ("format", 1, False),
            ("logs", 2, False),
            ("retention", 2, False),
        ]
        assert [(e["rank"], e["score"], place(two_facts, e["chunk_id"])[2]) for e in branch["ranked"]] == [
            (1, 2.0, (0, 120)),
            (2, 2.0, (60, 180)),
            (3, 2.0, (120, 213)),
        ]
        assert [[c["term"] for c in e["contributions"]] for e in branch["ranked"]] == [
            ["logs", "retention"],
            ["logs", "retention"],
            ["export", "format"],
        ]
        assert [place(two_facts, chunk_id)[0] for chunk_id in branch["unmatched"]] == ["retention"]

    def test_bm25_by_hand(self, fused):
        """logs-retention has 5 terms of 154 in 17 passages; logs and retention stand in 3 passages each."""
        original, _ = fused("rrf-rule-d2", "two-facts")["branches"]
        assert (original["eligible"], original["average_length"]) == (17, 154 / 17)
        third = original["ranked"][2]
        idf = math.log(1 + (17 - 3 + 0.5) / (3 + 0.5))
        part = 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 5 / (154 / 17)))
        assert third["length"] == 5
        assert [(c["term"], c["tf"]) for c in third["contributions"]] == [("logs", 1), ("retention", 1)]
        for told in third["contributions"]:
            assert told["tf_part"] == pytest.approx(part, rel=1e-15)
            assert told["contribution"] == pytest.approx(idf * part, rel=1e-15)
        assert {t["term"]: t["idf"] for t in original["terms"]}["logs"] == idf

    def test_ranks_go_on_below_the_cut(self, fused):
        told = fused("rrf-rule-d2", "two-facts")
        original = told["branches"][0]
        assert names(told, original["ranked"]) == ["logs-overview", "logs-export", "logs-retention", "atlas-rule"]
        assert [entry["above_cut"] for entry in original["ranked"]] == [True, True, False, False]
        assert original["depth"] == 2

    def test_terms_of_a_synonym_group_are_marked(self, fused):
        _, expanded = fused("rrf-rule-d4", "synonym-only")["branches"]
        assert {t["term"]: t["expanded"] for t in expanded["terms"]} == {
            "terminate": False,
            "credential": False,
            **dict.fromkeys(("cancel", "revoke", "disable", "key", "token"), True),
        }

    def test_a_list_holds_its_first_entries_and_all_that_matter(self, projects):
        project = projects("granularity")
        (branch,) = explain("granularity", "overlap_50_15+all+single+top3", "m2", 1, project=project)["branches"]
        assert [entry["rank"] for entry in branch["ranked"]] == [1, 2, 3, 4, 5, 6, 13]  # 13 scores 0 and holds evidence
        assert (branch["count"], branch["left_out"]) == (28, 21)


class TestFusion:
    def test_reciprocal_ranks_tie_exactly(self, fused):
        """Published: ranks 1 and 2 against 2 and 1, so 1/61 + 1/62 for both."""
        told = fused("rrf-d4", "fusion-regression")
        faq, policy = told["candidates"]["ranked"][:2]
        assert names(told, (faq, policy)) == ["vault-faq", "vault-policy"]
        assert faq["ranks"] == {"original_d4": 2, "expanded_d4": 1}
        assert policy["ranks"] == {"original_d4": 1, "expanded_d4": 2}
        assert faq["rrf_terms"] == {"original_d4": 1 / 62, "expanded_d4": 1 / 61}
        assert faq["score"] == policy["score"] == math.fsum(policy["rrf_terms"].values())
        assert f"{faq['score']:.12f}" == "0.032522474881"
        assert faq["rank_before"] is faq["points"] is None

    def test_points_of_the_rules_and_what_they_turned_round(self, fused):
        """logs-export has logs, export, format of the question; the overview has all four and is one."""
        told = fused("rrf-rule-d2", "two-facts")
        export, overview = told["candidates"]["ranked"]
        assert names(told, (export, overview)) == ["logs-export", "logs-overview"]
        assert (export["rank_before"], overview["rank_before"]) == (2, 1)
        assert export["features"] == {"query_term": 3, "identifier": 0, "number": 0, "constraint": 0, "navigation": 0}
        assert (overview["features"]["query_term"], overview["features"]["navigation"]) == (4, 1)
        for entry in (export, overview):
            weights = told["candidates"]["weights"]
            assert entry["points"] == {name: weights[name] * held for name, held in entry["features"].items()}
            assert entry["score"] == math.fsum(entry["points"].values())
        assert overview["score_before"] == math.fsum([1 / 61, 1 / 61])

    def test_a_single_branch_has_ranks_and_nothing_else(self, two_facts):
        found = two_facts["candidates"]
        assert (found["method"], found["k"], found["weights"]) == ("single", None, None)
        assert [entry["ranks"] for entry in found["ranked"]] == [{"shared_terms": rank} for rank in (1, 2, 3)]
        assert all(entry["rrf_terms"] is None for entry in found["ranked"])


class TestSelection:
    def test_costs_and_what_is_left(self, two_facts):
        found = two_facts["selection"]
        assert (found["top_k"], found["budget"], found["unit"]) == (None, 240, "char")
        told = [(s["step"], s["rank"], s["taken"], s["reason"], s["cost"], s["remaining"]) for s in found["steps"]]
        assert told == [
            (1, 1, True, None, 120, 120),
            (2, 2, True, None, 120, 0),
            (3, 3, False, "does-not-fit", 93, 0),
        ]

    def test_published_remains(self, fused):
        """rrf-d4: 93 + 27 of 140 are taken, and the 25 of logs-retention meet 20."""
        told = fused("rrf-d4", "two-facts")
        steps = {names(told, [step])[0]: step for step in told["selection"]["steps"]}
        assert [name for name, step in steps.items() if step["taken"]] == ["logs-overview", "logs-export"]
        lost = steps["logs-retention"]
        assert (lost["reason"], lost["cost"], lost["remaining"]) == ("does-not-fit", 25, 20)

    def test_what_the_context_holds(self, two_facts):
        first, second = two_facts["context"]["passages"]
        assert (two_facts["context"]["unit"], two_facts["context"]["cost"]) == ("char", 240)
        assert (first["place"], first["spans"], first["cost"]) == (1, ((0, 120),), 120)
        assert first["holds"] == [
            {"fact_id": "logs-kept-7-days", "group": 0, "span": 0, "parts": [(65, 90)], "covers": True}
        ]
        assert second["text"].startswith(".... Logs retention is 7 days.")
        assert two_facts["result"]["covered"] == {"index": 2, "candidates": 2, "context": 1}
        assert two_facts["warnings"] == []
