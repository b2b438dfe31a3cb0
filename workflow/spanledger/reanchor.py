"""Moves gold from one version of the documents to another: what is unchanged, moved, changed or gone. Nothing is guessed.

A text is looked for, character by character, in the document of the same doc_id; where that document is gone, in all
others. It is

- `unchanged`, where it stands at the same offset of the same document, and none of its other occurrences has neighbours
  that are more like those it had;
- `moved`, where it stands elsewhere and that is the only place it can be: it occurs once in both versions (a text shorter
  than SURE characters must have its neighbours too), or its neighbours tell: those of the best place agree with the old
  ones in at least ENOUGH characters, and in at least CLEARLY times as many as those of the next best;
- `ambiguous`, where it occurs and neither says which place it is;
- `changed`, where it does not occur, but something like it does: most of it, or a good part in one piece (at least PIECE
  of it and SURE characters);
- `gone`, where nothing like it occurs.

How far neighbours agree is the number of equal characters directly in front of a text and directly behind it, up to
CONTEXT on each side; where both texts end there, that counts as ENOUGH.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from os.path import commonprefix

from spanledger.core.records import DocumentKey
from spanledger.core.spans import Span
from spanledger.dataset.anchors import occurrences
from spanledger.gold import Evidence, Fact, Gold
from spanledger.importers.placing import similar

STATUSES = ("unchanged", "moved", "ambiguous", "changed", "gone")
KEPT = ("unchanged", "moved")
CONTEXT, ENOUGH, CLEARLY, SURE = 200, 8, 2, 16
PIECE = 0.33  # of a text: less of it in one piece is no trace of it
_COMPARED = 12  # lines; all runs of them are compared
_LONG = 2000  # characters; comparing texts takes the square of their length
_SHOWN = 24  # characters of an unchanged run that an excerpt shows at each end
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_LINE_ENDS = ("\n", "\r")


@dataclass(frozen=True, slots=True)
class Nearest:
    """What comes closest to a text that is not there: its place, how like it is (twice the characters in common over
    those of both, of long texts words, in two digits), and both texts in one, as [-old-]{+new+}."""

    place: Evidence
    similarity: float
    difference: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """One piece of evidence: where it stood, what became of it, and where it stands now (None unless unchanged or moved).
    `how` says by what that is known. `places` are all occurrences of an ambiguous text, and those in other documents of
    one that is changed or gone; `nearest` is of a changed one."""

    old: Evidence
    text: str
    status: str
    how: str
    new: Evidence | None = None
    places: tuple[Evidence, ...] = ()
    nearest: Nearest | None = None


@dataclass(frozen=True, slots=True)
class MovedFact:
    """A fact of a query with what became of its evidence, group by group. Its status is the one that stands last in
    STATUSES among its pieces'; `fact` is it on the new version, None unless unchanged or moved."""

    query_id: str
    fact_id: str
    status: str
    anchors: tuple[tuple[Anchor, ...], ...]
    fact: Fact | None


def reanchor(
    golds: Iterable[Gold], old: Mapping[DocumentKey, str], new: Mapping[str, tuple[str, str]]
) -> list[MovedFact]:
    """What becomes of each fact, in the order of the golds. `old` holds the raw texts that the gold was made on, `new`
    leads from a doc_id to its version and raw text there."""
    found: dict[Evidence, Anchor] = {}
    facts = []
    for gold in golds:
        for fact in gold.facts:
            for evidence in (e for group in fact.support for e in group if e not in found):
                found[evidence] = anchor(evidence, old[evidence.key], new)
            anchors = tuple(tuple(found[evidence] for evidence in group) for group in fact.support)
            status = max((one.status for group in anchors for one in group), key=STATUSES.index)
            moved = None
            if status in KEPT:
                support = tuple(tuple(one.new for one in group if one.new) for group in anchors)
                moved = replace(fact, support=support)
            facts.append(MovedFact(gold.query_id, fact.fact_id, status, anchors, moved))
    return facts


def anchor(evidence: Evidence, text: str, new: Mapping[str, tuple[str, str]]) -> Anchor:
    """What becomes of one piece of evidence in a document with this text."""
    quote = text[slice(*evidence.span)]
    here = evidence.doc_id in new
    places = _places(quote, new, [evidence.doc_id] if here else sorted(new))
    if places:
        return _chosen(evidence, text, quote, places, new)
    elsewhere = tuple(_places(quote, new, [name for name in sorted(new) if name != evidence.doc_id])) if here else ()
    near = _nearest(evidence, text, *new[evidence.doc_id]) if here else None
    if near is not None:
        now = new[evidence.doc_id][1][slice(*near.place.span)]
        same = quote.split() == now.split()
        how = "the same words with other white space or line ends" if same else "the text is another one"
        return Anchor(evidence, quote, "changed", how, None, elsewhere, near)
    how = "nothing in the document is like it" if here else "the document is gone, and no other one holds the text"
    return Anchor(evidence, quote, "gone", how, None, elsewhere)


def _places(quote: str, new: Mapping[str, tuple[str, str]], names: Sequence[str]) -> list[Evidence]:
    return [
        Evidence(name, new[name][0], (place, place + len(quote)))
        for name in names
        for place in occurrences(quote, new[name][1], 0, len(new[name][1]))
    ]


def _chosen(
    evidence: Evidence, text: str, quote: str, places: list[Evidence], new: Mapping[str, tuple[str, str]]
) -> Anchor:
    alike = [_agreement(text, evidence.span, new[place.doc_id][1], place.span) for place in places]
    best = max(alike)
    same = [place for place in places if (place.doc_id, place.span) == (evidence.doc_id, evidence.span)]
    if same and alike[places.index(same[0])] == best:
        return Anchor(evidence, quote, "unchanged", "same offset, same text", same[0])
    first, *others = sorted(range(len(places)), key=lambda n: (-alike[n], n))
    place, second = places[first], alike[others[0]] if others else 0
    document = "" if place.doc_id == evidence.doc_id else f" in {place.doc_id}, because its own document is gone"
    once = not others and _occurs_once(quote, text)
    if once and (len(quote) >= SURE or best >= ENOUGH):
        return Anchor(evidence, quote, "moved", f"the only place{document}", place)
    if best >= ENOUGH and best >= CLEARLY * second:
        against = f" against {second} at the next best of {len(places)} places" if others else ""
        how = f"by its neighbours{document}: {best} characters agree{against}"
        return Anchor(evidence, quote, "moved", how, place)
    times = f"{len(places)} time{'s' * (len(places) != 1)}"
    how = f"it occurs {times}, and its neighbours do not tell where it belongs: {best} characters agree at best"
    return Anchor(evidence, quote, "ambiguous", how, None, tuple(places))


def _occurs_once(quote: str, text: str) -> bool:
    places = occurrences(quote, text, 0, len(text))
    return next(places, None) is not None and next(places, None) is None


def _agreement(old: str, was: Span, new: str, now: Span) -> int:
    """How many characters around two places agree (see above)."""
    front = old[max(0, was[0] - CONTEXT) : was[0]][::-1], new[max(0, now[0] - CONTEXT) : now[0]][::-1]
    behind = old[was[1] : was[1] + CONTEXT], new[now[1] : now[1] + CONTEXT]
    agreed = 0
    for one, other in (front, behind):
        shared = len(commonprefix((one, other)))
        ended = shared == len(one) == len(other) < CONTEXT
        agreed += max(shared, ENOUGH) if ended else shared
    return agreed


def _nearest(evidence: Evidence, text: str, version: str, new: str) -> Nearest | None:
    """What is most like the evidence. Where that fills lines, so does what is found; else it is grown to whole words."""
    quote = text[slice(*evidence.span)]
    found = _alike(quote, new)
    if found is None:
        return None
    start, end = found
    lines = _begins_line(text, evidence.span[0]), _ends_line(text, evidence.span[1])
    while start and not (_begins_line(new, start) if lines[0] else _between_words(new, start)):
        start -= 1
    while end < len(new) and not (_ends_line(new, end) if lines[1] else _between_words(new, end)):
        end += 1
    if all(lines):
        start, end = _lines_most_like(quote, new, (start, end))
    place = Evidence(evidence.doc_id, version, (start, end))
    return Nearest(place, round(_likeness(quote, new[start:end]), 2), difference(quote, new[start:end]))


def _alike(quote: str, new: str) -> Span | None:
    """Where something like a text is: most of it, or a good part of it in one piece."""
    found = similar(quote, new)
    if found is not None:
        return found[0]
    return _longest_piece(quote[:_LONG], new)


def _longest_piece(quote: str, text: str) -> Span | None:
    """Where the longest part of a quote that a text has stands, of equals the first in the quote; None where it is too
    little to be a trace."""
    found, size = None, max(SURE, round(len(quote) * PIECE)) - 1
    for begin in range(len(quote)):
        while begin + size < len(quote) and (place := text.find(quote[begin : begin + size + 1])) >= 0:
            found, size = place, size + 1
    return None if found is None else (found, found + size)


def _lines_most_like(quote: str, text: str, span: Span) -> Span:
    """The run of lines of a span that is most like a text; of equals the shortest, then the first."""
    starts = [place for place in range(*span) if _begins_line(text, place)]
    ends = [place for place in range(span[0] + 1, span[1] + 1) if _ends_line(text, place)]
    if len(starts) > _COMPARED:
        return span
    runs = ((start, end) for start in starts for end in ends if start < end)
    return max(runs, key=lambda run: (_likeness(quote, text[slice(*run)]), run[0] - run[1], -run[0]), default=span)


def _likeness(one: str, other: str) -> float:
    """Twice the characters in common over those of both; of long texts words."""
    if max(len(one), len(other)) > _LONG:
        return SequenceMatcher(None, _TOKEN.findall(one), _TOKEN.findall(other), autojunk=False).ratio()
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _begins_line(text: str, place: int) -> bool:
    return not text[:place] or text[place - 1] in _LINE_ENDS


def _ends_line(text: str, place: int) -> bool:
    return place == len(text) or text[place] in _LINE_ENDS


def _between_words(text: str, place: int) -> bool:
    return not (text[place - 1].isalnum() and text[place].isalnum())


def difference(old: str, new: str) -> str:
    """Two texts in one, word by word: what only the old one has as [-...-], what only the new one has as {+...+}; long
    runs that both have are shortened, and runs of white space shown as one space."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    parts = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        dropped, added = _shown(before[a:b]), _shown(after[c:d])
        if kind == "equal":
            long = len(dropped) > 2 * _SHOWN + 3
            parts.append(f"{dropped[:_SHOWN]}…{dropped[-_SHOWN:]}" if long else dropped)
        else:
            parts.append((f"[-{dropped}-]" if dropped else "") + (f"{{+{added}+}}" if added else ""))
    return "".join(parts)


def _shown(tokens: Sequence[str]) -> str:
    return re.sub(r"\s+", " ", "".join(tokens))
