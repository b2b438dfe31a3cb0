import json

import pytest

from builders import document, evidence, fact, gold, query
from spanledger.report import words
from spanledger.report.payload import SHOWN, payload
from spanledger.report.results import Results

DEEP = {
    "normalise": {},
    "chunk": {"words": {"method": "window", "chunk_size": 5}},
    "eligibility": {"all": {}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {"shared": {"index": "words", "scorer": "term_overlap"}},
    "fuse": {"single": {"branches": ["shared"]}},
    "select": {"top2": {"top_k": 2}, "top3": {"top_k": 3}},
    "score": {},
    "report": {},
    "arms": "grid",
}


def carried(ran):
    return json.loads(json.dumps(payload(Results.of(**changed_names(ran.arguments)))))


def changed_names(arguments):
    return {"dataset" if name == "dataset_summary" else name: value for name, value in arguments.items()}


def rebuilt(data, query_place, arm_place):
    """The parts of a line of queries.jsonl that the page carries, read back from the form that payload.py states."""
    asked, arm = data["queries"][query_place], data["arms"][arm_place]
    place, context, runs, numbers, cost, unique, duplicate, not_current, first, single, at, most, *passages = asked[
        "arms"
    ][arm_place]
    held = asked["lists"][place]
    ranks = held.get("ranks", list(range(1, len(held["chunks"]) + 1)))
    skips = iter([(reason, remaining) for reason, remaining, many in runs for _ in range(many)])
    candidates, skipped = [], []
    for n, (rank, chunk, score, terms) in enumerate(
        zip(ranks, held["chunks"], held["scores"], held["terms"], strict=True)
    ):
        chunk_id, source, *edges = data["chunks"][chunk]
        candidate = {"chunk_id": chunk_id, **source_of(data, source, edges)}
        candidate |= {"rank": rank, "score": score, "matched_terms": asked["terms"][terms]}
        if "branch_ranks" in held:
            candidate["ranks"] = {b: c[n] for b, c in zip(arm["branches"], held["branch_ranks"], strict=True)}
        if "features" in held:
            candidate |= {"rank_before": held["ranks_before"][n], "score_before": held["scores_before"][n]}
            candidate["features"] = {
                name: column[n] for name, column in zip(words.FEATURES, held["features"], strict=True)
            }
        candidates.append(candidate)
        if chunk not in context:
            reason, remaining = next(skips)
            skipped.append({"chunk_id": chunk_id, "reason": data["reasons"][reason][0], "remaining": remaining})
    failed = iter(asked["failed"][arm_place])
    facts = [
        {
            "fact_id": fact["id"],
            **{name: bool(number >> bit & 1) for bit, (name, _) in enumerate(data["checkpoints"])},
            "cause": data["causes"][(number >> 3) - 1][0] if number >> 3 else None,
            "needed": asked["needs"][needed - 1] if needed else None,
            "failures": [
                {"class": data["failures"][failure][0], "why": why}
                for failure, why in (asked["whys"][n] for n in (next(failed) if number >> 3 else ()))
            ],
        }
        for fact, number, needed in zip(asked["facts"], numbers, asked["needed"][arm_place], strict=True)
    ]
    unit = {"characters": "char", "lexical units": "lexical", "terms": "analyzer"}[data["unit"]]
    line = {
        "arm": arm["name"],
        "query_id": asked["id"],
        "candidate_count": held["count"],
        "candidate_char": held["char"],
        "candidates": candidates,
        "context": [data["chunks"][chunk][0] for chunk in context],
        "skipped": skipped,
        "facts": facts,
        "covered_at": {str(n): covered for n, covered in zip(data["cutoffs"], at, strict=True)},
        "first_rank": first,
        "best_single": single,
        "attainable": {
            pool: {"facts": number >> 1, "kind": "upper_bound" if number & 1 else "exact"}
            for pool, number in zip(("candidates", "index"), most, strict=True)
        },
        "no_answer": asked["no_answer"],
        "tags": asked["tags"],
        "not_current": not_current,
        "cost": {unit: cost, "unique_char": unique, "duplicate_char": duplicate},
    }
    if passages:
        line["passages"] = [
            {
                **source_of(data, source, edges),
                "char": characters,
                "chunks": [data["chunks"][chunk][0] for chunk in chunks],
            }
            for source, characters, chunks, *edges in passages[0]
        ]
    return line


def source_of(data, document, edges):
    doc_id, version, *_ = data["documents"][document]
    return {"doc_id": doc_id, "version": version, "spans": [edges[n : n + 2] for n in range(0, len(edges), 2)]}


def carried_part(row):
    """A line without what can be worked out from its other fields, and without the names of index entries and what is
    shown of all queries together alone (or in a section of its own, as `outdated`); skipped candidates in the order of
    their ranks."""
    apart = ("covered", "required", "recall", "random", "outdated", "characters")
    left = {name: value for name, value in row.items() if name not in apart}
    left["candidates"] = [
        {name: value for name, value in candidate.items() if name != "index_entry_id"}
        for candidate in row["candidates"]
    ]
    order = [candidate["chunk_id"] for candidate in row["candidates"]]
    return {**left, "skipped": sorted(row["skipped"], key=lambda skip: order.index(skip["chunk_id"]))}


@pytest.mark.parametrize("name", ["evidence_mapping", "fusion", "structure_lab", "granularity", "selectors"])
def test_the_page_carries_whole_lines(name, request):
    experiment = request.getfixturevalue(name)
    data = carried(experiment)
    lines = [rebuilt(data, q, arm) for arm in range(len(data["arms"])) for q in range(len(data["queries"]))]
    assert lines == json.loads(json.dumps([carried_part(row) for row in experiment.rows]))


def test_what_fusion_and_re_ranking_knew_is_carried_in_columns(selectors):
    data = carried(selectors)
    (asked,) = data["queries"]
    arms = {
        arm["name"]: (arm, asked["lists"][trail[0]]) for arm, trail in zip(data["arms"], asked["arms"], strict=True)
    }
    assert arms["drop"][0]["branches"] == ["first", "every"]
    assert arms["drop"][1]["branch_ranks"] == [[1, 2, None, None, None], [1, 2, 3, 4, 5]]
    assert "branch_ranks" not in arms["mmr"][1] and arms["mmr"][0]["features"] is None
    ranked, held = arms["ranked"]
    assert held["ranks_before"] == [3, 1, 2, 4, 5]
    assert held["scores_before"] == [1 / 63, 2 / 61, 2 / 62, 1 / 64, 1 / 65]
    points = [
        sum(weight * column[n] for (_, _, weight), column in zip(ranked["features"], held["features"], strict=True))
        for n in range(5)
    ]
    assert points == held["scores"] == [3, 2, 2, -3, -3]


def test_a_passage_has_the_spans_of_its_text(selectors):
    data = carried(selectors)
    ((merged,), parents) = (trail[12] for trail in data["queries"][0]["arms"][1:3])
    assert merged[1:2] + merged[3:] == [12, 5, 17] and len(merged[2]) == 2
    assert [passage[3:] for passage in parents] == [[5, 14], [8, 17], [12, 20], [0, 10]]


def test_texts_stand_once_and_lists_are_shared_by_the_arms_that_have_them(evidence_mapping):
    data = carried(evidence_mapping)
    texts = {(d.doc_id, d.version): d.text for d in evidence_mapping.arguments["documents"]}
    assert {(doc_id, version): text for doc_id, version, _, _, text in data["documents"]} == texts
    assert len(data["documents"]) == 5
    # two selections read each of the 6 lists; with no version filter and with it they are equal where v1 has no match
    assert [len(asked["lists"]) for asked in data["queries"]] == [3, 6, 6, 4]
    two_facts = data["queries"][1]["facts"][0]["support"]
    assert [[[data["documents"][d][0], start, end] for d, start, end in group] for group in two_facts] == [
        [["logs", 65, 90]],
        [["retention", 0, 24]],
    ]


def test_a_long_list_keeps_its_head_the_context_and_what_holds_evidence(ran):
    text = "word " * 100
    asked = query("q", "word")
    required = gold("q", fact("f", [evidence(450, 455)]))
    data = carried(ran("deep", DEEP, [document("doc", text)], [asked], [required]))
    (held,) = data["queries"][0]["lists"]
    assert held["count"] == 100
    assert held["ranks"] == [*range(1, SHOWN + 1), 91]
    assert data["chunks"][held["chunks"][-1]][2:] == [450, 455]
    assert data["queries"][0]["arms"][1][1:3] == [[0, 1, 2], [[1, None, SHOWN + 1 - 3]]]


def test_a_long_list_keeps_a_selected_chunk_from_its_end(ran):
    # 40 paragraphs of two shared terms that do not fit, and at rank 41 a short one of one term that does
    documents = [document("doc", "\n\n".join(["word term"] * 40 + ["word"]))]
    section = {**DEEP, "chunk": {"paragraph": {"method": "paragraph"}}, "select": {"short": {"budget": 4}}}
    data = carried(ran("short", section, documents, [query("q", "word term")], [gold("q")]))
    (held,) = data["queries"][0]["lists"]
    assert held["ranks"] == [*range(1, SHOWN + 1), 41]
    assert data["queries"][0]["arms"][0][1:3] == [[SHOWN], [[0, 4, SHOWN]]]


def test_a_context_below_the_written_trail_has_its_text(ran):
    section = {**DEEP, "score": {"trail": 1}}
    data = carried(ran("cut", section, [document("doc", "word " * 4)], [query("q", "word")], [gold("q")]))
    context = data["queries"][0]["arms"][0][1]
    assert [len(data["chunks"][chunk]) for chunk in context] == [4, 4]
