"""Span-level metrics of one query, of the characters that `scoring.excerpts` counted.

With E the characters of its excerpts (the evidence, each character once), R those retrieved, a character counted once for
each passage that holds it, and S the distinct ones of them that are excerpt:

char_precision             S / R; 0 where nothing was retrieved
char_recall                S / E
char_iou                   S / (R + E - S), intersection over union
char_recall_candidates     S / E of all candidates instead of the context
precision_omega            the precision of a perfect retrieval of whole chunks: of the distinct characters of all eligible
                           chunks that share one with an excerpt, the part that is excerpt; 0 where no chunk does
precision_omega_published  the same as in the figures published with it, to compare with them alone

That every character of a fact is there is said by the coverage of facts, not by these.

Source: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma technical report, July 2024), which names
the first three and precision_omega over tokens and computes them over characters.
"""

from collections.abc import Mapping
from fractions import Fraction

Counted = Mapping[str, Mapping[str, int] | None]

PUBLISHED = "precision_omega_published"
# name: (what it is called, what it is of one question)
SPAN_MEASURES = {
    "char_precision": ("char. precision", "the part of the context's characters that is evidence, repeats counted"),
    "char_recall": ("char. recall", "the part of the evidence's characters that is in the context"),
    "char_iou": ("char. IoU", "characters of evidence in the context / characters of either, repeats counted"),
    "char_recall_candidates": (
        "char. recall, candidates",
        "the part of the evidence's characters that is in the candidates",
    ),
    "precision_omega": (
        "precision Ω",
        "the precision of a perfect retrieval: the part that is evidence of all eligible chunks that share a character "
        "with it",
    ),
    PUBLISHED: (
        "precision Ω, published kind",
        "the same with the closed intervals and the text search of the published figures: to compare with them alone",
    ),
}


def span_measure(name: str, counted: Counted) -> Fraction | None:
    """The metric of that name; None where the index is not known and it rests on that.

    Raises KeyError for an unknown one and for one that was not counted.
    """
    match name:
        case "char_precision":
            return _precision(counted["context"])
        case "char_recall":
            return _recall(counted["context"])
        case "char_iou":
            found = counted["context"]
            return Fraction(found["shared"], found["retrieved"] + found["evidence"] - found["shared"])
        case "char_recall_candidates":
            return _recall(counted["candidates"])
        case "precision_omega":
            return _precision(counted["omega"])
        case "precision_omega_published":
            return _precision(counted["omega_published"])
    raise KeyError(name)


def _precision(counted: Mapping[str, int] | None) -> Fraction | None:
    if counted is None:
        return None
    return Fraction(counted["shared"], counted["retrieved"]) if counted["retrieved"] else Fraction(0)


def _recall(counted: Mapping[str, int]) -> Fraction:
    return Fraction(counted["shared"], counted["evidence"])
