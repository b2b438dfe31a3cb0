"""The names of document-level measures, in the notation of ir_measures: P@5, R@100, AP, RR@10, nDCG@10."""

import re
from dataclasses import dataclass

from spanledger.core.errors import nearest

_CUT = ("P", "R")  # these need a cut-off; the others may have one
_KINDS = (*_CUT, "AP", "RR", "nDCG")
_PATTERN = re.compile(rf"({'|'.join(_KINDS)})(?:@([1-9][0-9]{{0,8}}))?")
_EXAMPLES = ("P@10", "R@100", "AP", "RR", "nDCG@10")


@dataclass(frozen=True, slots=True)
class DocumentMeasure:
    """A measure: its name, its kind (P, R, AP, RR or nDCG), and how many documents it looks at (None: all)."""

    name: str
    kind: str
    cutoff: int | None


def document_measure(name: str) -> DocumentMeasure:
    """The measure of that name. Raises ValueError, with the nearest name, where there is none."""
    if not is_document_measure(name):
        _, at, cutoff = name.partition("@")
        alike = [f"{kind}@{cutoff}" for kind in _KINDS] if re.fullmatch("[1-9][0-9]*", cutoff) else list(_EXAMPLES)
        raise ValueError(f"no document-level measure is called '{name}': {nearest(name, alike)}")
    kind, _, cutoff = name.partition("@")
    return DocumentMeasure(name, kind, int(cutoff) if cutoff else None)


def is_document_measure(name: str) -> bool:
    """Whether a measure has that name."""
    found = _PATTERN.fullmatch(name)
    return bool(found) and (found[2] is not None or found[1] not in _CUT)


def meaning(name: str) -> str:
    """What a measure is, in a few words; the mean of it is over the judged questions."""
    measure = document_measure(name)
    first = "the candidates" if measure.cutoff is None else f"the first {measure.cutoff:,} documents of the candidates"
    return {
        "P": f"the share of {first} that are relevant, of {measure.cutoff} whether found or not",
        "R": f"the share of the relevant documents that are among {first}",
        "AP": f"the average precision of {first}: the mean over the relevant documents of the precision at their rank, 0 "
        "for one that is not among them",
        "RR": f"1 / the rank of the first relevant document among {first}, 0 without one",
        "nDCG": f"the discounted cumulative gain of {first} (grade / log2(rank + 1)), divided by that of the best order",
    }[measure.kind]
