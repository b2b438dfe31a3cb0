"""Scorers: what one query term contributes to the score of each chunk that holds it."""

from collections.abc import Callable
from typing import Any

from spanledger.retrieval.scorers.bm25 import Bm25
from spanledger.retrieval.scorers.term_overlap import TermOverlap

SCORERS: dict[str, Callable[..., Any]] = {"term_overlap": TermOverlap, "bm25": Bm25}


def scorer(name: str, **options: Any) -> Any:
    """The scorer of that name with its options; raises ValueError for an unknown name or a value out of range."""
    if name not in SCORERS:
        raise ValueError(f"scorer '{name}': expected one of {', '.join(sorted(SCORERS))}")
    return SCORERS[name](**options)
