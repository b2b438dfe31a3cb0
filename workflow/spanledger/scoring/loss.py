"""Loss attribution: the one first cause for which a required fact is not in the context.

In order of precedence: ineligible (no support group survives the arm's own filter), not_chunked (no union of the index's
chunks covers it), not_matched (the chunks that hold it score 0), below_depth (they are ranked under the cut of every
branch) or, of candidates that were made elsewhere, not_retrieved in place of these two, demoted (the same selector covers
it from some single branch's list, or from the list before re-ranking), crowded_out (the context would cover it once every
selected chunk that shares a source character with an earlier selected one were dropped; or a chunk that would have helped
was passed over because the context held its text already), then does_not_fit, outside_top_k or, of a plugin, not_chosen,
by what the selector said of the chunks that would have helped.

What shares a character is what is sent: of parents, not of the chunks that stand for them. Merged chunks send nothing
twice, so a repeat among them crowds out by its place among the top k alone. Where the context holds a chunk's text
already (redundancy: drop) and the fact is lost all the same, the text is there in parts, and the rule (one_chunk,
token_share) asks for one passage: the chunk in one piece was given up for passages that repeat parts of it.
"""

from collections.abc import Callable, Container, Iterable, Sequence

from spanledger.core.ranking import Ranking
from spanledger.core.records import Chunk, DocumentKey
from spanledger.core.spans import SpanIndex
from spanledger.gold import Evidence, Fact
from spanledger.scoring.coverage import Coverage, Passage
from spanledger.selection.context import DOES_NOT_FIT, NOT_CHOSEN, OUTSIDE_TOP_K, PARENT_IN_CONTEXT, REDUNDANT, Context
from spanledger.selection.plugin import PluginSelector
from spanledger.selection.selector import Selector


def cause_before_candidates(
    fact: Fact,
    coverage: Coverage,
    eligible: Container[int],
    every: Container[int],
    admitted: Callable[[tuple[str, str]], bool],
    matched: Callable[[], Container[int]] | None,
) -> str:
    """The cause for a fact that the candidates do not cover.

    `eligible` and `every` are the chunks of the index and of the whole table; `admitted` says whether a document version
    passes the filter; `matched` gives the chunks that score above 0 in some branch, asked for only when it matters; None
    where that is not known.
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
    if matched is None:
        return "not_retrieved"
    return "below_depth" if coverage.fact_covered(fact, matched()) else "not_matched"


def cause_without_index(fact: Fact, readable: Callable[[Evidence], bool]) -> str:
    """The cause for a fact that the candidates do not cover where it is not known what could have been found; `readable`
    says whether a span passes the filter."""
    return "not_retrieved" if any(all(map(readable, group)) for group in fact.support) else "ineligible"


def cause_after_candidates(
    fact: Fact,
    coverage: Coverage,
    chunks: list[Chunk],
    selector: Selector | PluginSelector,
    candidates: Ranking,
    context: Context,
    other_lists: Iterable[Ranking],
    covered_from: Callable[[Ranking], bool],
) -> str:
    """The cause for a fact that the candidates cover and the context does not.

    `other_lists` are the single branches' lists and the one before re-ranking, where there are any; `covered_from` runs
    the selector over a list and says whether its context covers the fact.
    """
    if any(map(covered_from, other_lists)):
        return "demoted"
    sent: Sequence[Passage] = [chunks[o] for o in context.chunks] if context.pieces is None else context.pieces
    reasons = _reasons(fact, coverage, candidates, context, sent)
    # Merged chunks pay for what they share once: a repeat takes up no budget, but one of the top k all the same.
    if not (selector.merge and DOES_NOT_FIT in reasons):
        repeated = repeats(context, [chunks[o] for o in context.chunks] if selector.merge else sent)
        left = [(o, s) for o, s in zip(candidates.chunks, candidates.scores, strict=True) if o not in repeated]
        if repeated and covered_from(
            Ranking(candidates.query_id, tuple(o for o, _ in left), tuple(s for _, s in left))
        ):
            return "crowded_out"
    if NOT_CHOSEN in reasons:  # the only reason that a plugin has
        return "not_chosen"
    if reasons.isdisjoint((DOES_NOT_FIT, OUTSIDE_TOP_K)) or not reasons.isdisjoint((REDUNDANT, PARENT_IN_CONTEXT)):
        return "crowded_out"
    return "does_not_fit" if DOES_NOT_FIT in reasons else "outside_top_k"


def _reasons(
    fact: Fact, coverage: Coverage, candidates: Ranking, context: Context, sent: Sequence[Passage]
) -> set[str]:
    """Why chunks were passed over that would have helped: for a span that the context does not cover, in a group that
    the candidates cover."""
    pool, held = set(candidates.chunks), Coverage(sent, coverage.rule)
    helpful: set[int] = set()
    for group in fact.support:
        if all(coverage.span_covered(evidence, pool) for evidence in group):
            for evidence in group:
                if not held.span_covered(evidence, range(len(sent))):
                    spans = [span for passage in sent if passage.key == evidence.key for span in passage.spans]
                    helpful.update(coverage.helpful(evidence, spans))
    return {run.reason for run in context.skipped if not helpful.isdisjoint(run.chunks)}


def repeats(context: Context, passages: Sequence[Passage]) -> set[int]:
    """The selected chunks whose passages share a source character with that of an earlier selected one; `passages` are
    those of the selected chunks, in their order."""
    spans: dict[DocumentKey, list[tuple[int, int, int]]] = {}
    for place, passage in enumerate(passages):
        spans.setdefault(passage.key, []).extend((start, end, place) for start, end in passage.spans)
    indexes = {key: SpanIndex(held) for key, held in spans.items()}
    return {
        context.chunks[place]
        for place, passage in enumerate(passages)
        if any(earlier < place for span in passage.spans for earlier in indexes[passage.key].touching(span))
    }
