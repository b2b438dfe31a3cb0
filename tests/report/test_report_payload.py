import json

from builders import document, evidence, fact, gold, query
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
    asked = data["queries"][query_place]
    place, context, runs, numbers, cost, unique, duplicate, not_current = asked["arms"][arm_place]
    held = asked["lists"][place]
    ranks = held.get("ranks", list(range(1, len(held["chunks"]) + 1)))
    skips = iter([(reason, remaining) for reason, remaining, many in runs for _ in range(many)])
    candidates, skipped = [], []
    for rank, chunk, score, terms in zip(ranks, held["chunks"], held["scores"], held["terms"], strict=True):
        chunk_id, source, *edges = data["chunks"][chunk]
        doc_id, version, *_ = data["documents"][source]
        spans = [edges[n : n + 2] for n in range(0, len(edges), 2)]
        named = {"chunk_id": chunk_id, "doc_id": doc_id, "version": version, "spans": spans}
        candidates.append({**named, "rank": rank, "score": score, "matched_terms": asked["terms"][terms]})
        if chunk not in context:
            reason, remaining = next(skips)
            skipped.append({"chunk_id": chunk_id, "reason": data["reasons"][reason][0], "remaining": remaining})
    facts = [
        {
            "fact_id": fact["id"],
            **{name: bool(number >> bit & 1) for bit, (name, _) in enumerate(data["checkpoints"])},
            "cause": data["causes"][(number >> 3) - 1][0] if number >> 3 else None,
        }
        for fact, number in zip(asked["facts"], numbers, strict=True)
    ]
    return {
        "arm": data["arms"][arm_place]["name"],
        "query_id": asked["id"],
        "candidate_count": held["count"],
        "candidates": candidates,
        "context": [data["chunks"][chunk][0] for chunk in context],
        "skipped": skipped,
        "facts": facts,
        "no_answer": asked["no_answer"],
        "tags": asked["tags"],
        "not_current": not_current,
        "cost": {"char": cost, "unique_char": unique, "duplicate_char": duplicate},
    }


def test_the_page_carries_whole_lines(evidence_mapping):
    data = carried(evidence_mapping)
    lines = [rebuilt(data, place, arm) for arm in range(12) for place in range(4)]
    aggregates = ("covered", "required", "recall")
    expected = [{name: v for name, v in row.items() if name not in aggregates} for row in evidence_mapping.rows]
    assert lines == json.loads(json.dumps(expected))


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
