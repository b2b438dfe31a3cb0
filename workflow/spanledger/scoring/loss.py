"""Loss attribution: the one first cause for which a required fact is not in the context.

In order of precedence: ineligible (no support group survives the arm's own filter), not_chunked (no union of the index's
chunks covers it), not_matched (the chunks that hold it score 0), below_depth (they are ranked under the cut of every
branch), demoted (the same selector covers it from some single branch's list, or from the list before re-ranking),
crowded_out (the context would cover it once every selected chunk that shares a source character with an earlier selected
one were dropped), then does_not_fit or outside_top_k, by what the selector said of the chunks that hold it.
"""

from collections.abc import Callable, Container, Iterable

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, DocumentKey
from spanledger.core.spans import SpanIndex
from spanledger.gold import Fact
from spanledger.scoring.coverage import Coverage
from spanledger.selection.context import DOES_NOT_FIT, Context


def cause_before_candidates(
    fact: Fact,
    coverage: Coverage,
    eligible: Container[int],
    every: Container[int],
    admitted: Callable[[tuple[str, str]], bool],
    matched: Callable[[], Container[int]],
) -> str:
    """The cause for a fact that the candidates do not cover.

    `eligible` and `every` are the chunks of the index and of the whole table; `admitted` says whether a document version
    passes the filter; `matched` gives the chunks that score above 0 in some branch, asked for only when it matters.
    """
    if not coverage.fact_covered(fact, eligible):
        for group in fact.support:
            if all(
                admitted(evidence.key)
                and (coverage.span_covered(evidence, eligible) or not coverage.span_covered(evidence, every))
                for evidence in group
            ):
                return "not_chunked"
        return "ineligible"
    return "below_depth" if coverage.fact_covered(fact, matched()) else "not_matched"


def cause_after_candidates(
    fact: Fact,
    coverage: Coverage,
    chunks: list[Chunk],
    candidates: Ranking,
    context: Context,
    other_lists: Iterable[Ranking],
    covered_from: Callable[[Ranking], bool],
) -> str:
    """The cause for a fact that the candidates cover and the context does not.

    `other_lists` are the single branches' lists and the one before re-ranking, where there are any; `covered_from` runs
    the arm's own selector over a list and says whether its context covers the fact.
    """
    if any(map(covered_from, other_lists)):
        return "demoted"
    repeated = repeats(chunks, context)
    if repeated:
        left = [(o, s) for o, s in zip(candidates.chunks, candidates.scores, strict=True) if o not in repeated]
        if covered_from(Ranking(candidates.query_id, tuple(o for o, _ in left), tuple(s for _, s in left))):
            return "crowded_out"
    pool = set(candidates.chunks)
    covered = (group for group in fact.support if all(coverage.span_covered(evidence, pool) for evidence in group))
    holders = {o for group in covered for evidence in group for o in coverage.holders(evidence)}
    reasons = {run.reason for run in context.skipped if not holders.isdisjoint(run.chunks)}
    return "does_not_fit" if DOES_NOT_FIT in reasons else "outside_top_k"


def repeats(chunks: list[Chunk], context: Context) -> set[int]:
    """The selected chunks that share a source character with an earlier selected one."""
    spans: dict[DocumentKey, list[tuple[int, int, int]]] = {}
    for place, ordinal in enumerate(context.chunks):
        spans.setdefault(chunks[ordinal].key, []).extend((start, end, place) for start, end in chunks[ordinal].spans)
    indexes = {key: SpanIndex(held) for key, held in spans.items()}
    return {
        ordinal
        for place, ordinal in enumerate(context.chunks)
        if any(
            earlier < place for span in chunks[ordinal].spans for earlier in indexes[chunks[ordinal].key].touching(span)
        )
    }
