"""The section of the page on what old versions of documents do to contexts."""

from typing import Any
from urllib.parse import quote

from spanledger.report import outdated
from spanledger.report.results import Results

_OPEN = 40  # questions up to which the table is open


def versions(results: Results) -> dict[str, Any]:
    """What old versions do to the contexts: a row a question that has outdated text in some context."""
    names = [arm.name for arm in results.arms]
    current = outdated.counterparts(results.section, results.arms)
    texts = {query.query_id: query.text for query in results.queries}
    found = outdated.spoiled(names, texts, results.trails, current)
    return {
        "rows": [
            {
                "query_id": one.query_id,
                "text": texts[one.query_id],
                "link": f"#question={quote(one.query_id, safe='')}&arm={quote(one.arms[0], safe='+')}",
                "arms": one.arms,
                "place": one.place,
                "documents": one.documents,
                "displaced": one.displaced,
                "held": one.held,
            }
            for one in found
        ],
        "queries": len(results.queries),
        "arms": len(names),
        "old": sum(not document.current for document in results.documents.values()),
        "counterparts": bool(current),
        "open": len(found) <= _OPEN,
    }
