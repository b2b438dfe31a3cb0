"""All questions of an experiment in short, and one question over its arms: to choose what to explain."""

from typing import Any

from spanledger.engine.plan import Arm
from spanledger.explain.results import ResultsFolder
from spanledger.metrics import CHECKPOINTS


def all_queries(results: ResultsFolder, arms: list[Arm]) -> dict[str, Any]:
    """Every query, in its order, and for each of the arms how many of its facts are covered and why the others are not."""
    by_arm = {arm.name: {row["query_id"]: row for row in results.rows(arm)} for arm in arms}
    queries = [
        {
            "query_id": query.query_id,
            "text": query.text,
            "arms": [
                {
                    "arm": arm.name,
                    "required": row["required"],
                    "covered": row["covered"],
                    "recall": row["recall"],
                    "lost": [{"fact_id": f["fact_id"], "cause": f["cause"]} for f in row["facts"] if f["cause"]],
                }
                for arm, row in ((arm, by_arm[arm.name][query.query_id]) for arm in arms)
            ],
        }
        for query in results.queries()
    ]
    return {"kind": "queries", "arms": [arm.name for arm in arms], "queries": queries, "warnings": []}


def all_arms(results: ResultsFolder, query_id: str) -> dict[str, Any]:
    """One query, its facts with their evidence, and what became of them in every arm, in the arms' order."""
    query, gold = results.query(query_id), results.gold(query_id)
    texts = {document.key: document.text for document in results.raw()}
    facts = [
        {
            "fact_id": fact.fact_id,
            "support": [
                [
                    {
                        "doc_id": e.doc_id,
                        "version": e.version,
                        "start": e.span[0],
                        "end": e.span[1],
                        "text": texts[e.key][slice(*e.span)],
                    }
                    for e in group
                ]
                for group in fact.support
            ],
        }
        for fact in gold.facts
    ]
    arms = []
    for arm in results.arms:
        row = next(row for row in results.rows(arm) if row["query_id"] == query_id)
        arms.append(
            {
                "arm": arm.name,
                **{name: row[name] for name in ("required", "covered", "recall", "cost", "candidate_count")},
                "passages": len(row.get("passages", row["context"])),
                "facts": [
                    {**{name: f[name] for name in ("fact_id", *CHECKPOINTS, "cause")}, "needed": f.get("needed")}
                    for f in row["facts"]
                ],
            }
        )
    asked = {name: getattr(query, name) for name in ("query_id", "text", "groups", "versions")}
    return {
        "kind": "arms",
        "query": {**asked, "tags": gold.tags, "no_answer": gold.no_answer},
        "facts": facts,
        "arms": arms,
        "warnings": [],
    }
