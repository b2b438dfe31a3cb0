"""How explanations are written in the terminal: texts, places, coverage and causes, each in one way."""

from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from spanledger.report import words

# What a terminal would obey: control characters, and marks that turn round the rest of a line.
_OBEYED = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_SHOWN = {**dict.fromkeys(_OBEYED, "\ufffd"), **dict.fromkeys((0x0A, 0x2028, 0x2029), "⏎"), 0x09: " "}


def clean(text: str, cells: int | None = None) -> str:
    """A text of the data with nothing in it that a terminal would obey: line ends become ⏎, tabs spaces, the rest �. It
    is cut with … where it is wider than so many cells of the terminal; a Chinese character takes two."""
    text = text.replace("\r\n", "\n").translate(_SHOWN)
    if cells is not None and cell_len(text) > cells:
        text = set_cell_size(text, cells - 1).rstrip() + "…"
    return text


def quoted(text: str, cells: int) -> str:
    """A text in quotes, cleaned and cut."""
    return f"“{clean(text, cells)}”"


def number(value: float) -> str:
    """At most six digits; counts whole."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def spans(found: list) -> str:
    """Half-open spans, as [0,24) [60,90)."""
    return " ".join(f"[{start},{end})" for start, end in found)


def passage(item: dict[str, Any]) -> str:
    """Where a chunk or a passage stands: document, version, spans."""
    return clean(f"{item['doc_id']} {item['version']} {spans(item['spans'])}")


def chunk(item: dict[str, Any]) -> str:
    """A chunk by its number in the chunk table and its place."""
    return f"#{item['ordinal']} {passage(item)}"


def keys(facts: list[dict[str, Any]]) -> dict[str, str]:
    """A short name for each fact, F1 and so on, by its id."""
    return {fact["fact_id"]: f"F{place}" for place, fact in enumerate(facts, 1)}


def holds(found: list[dict[str, Any]], known: dict[str, str]) -> Text:
    """The facts that a passage holds evidence of, by their keys; part: it covers no span of that fact on its own."""
    whole: dict[str, bool] = {}
    for held in found:
        whole[held["fact_id"]] = whole.get(held["fact_id"], False) or held["covers"]
    told = [f"{known[fact]}{'' if all_of_it else ' part'}" for fact, all_of_it in whole.items()]
    return Text(f"* {', '.join(told)}" if told else "", "green")


def coverage(fact: dict[str, Any], points: tuple[str, ...]) -> Text:
    """A fact at the checkpoints."""
    text = Text()
    for point in points:
        text.append("  " if text else "").append(f"{point} ")
        text.append(*(("yes", "green") if fact[point] else ("NO", "bold red")))
    return text


def cause(name: str) -> str:
    """A cause by its code and in words."""
    return f"{name} ({words.CAUSES[name][0]})" if name in words.CAUSES else name


def needed(found: dict[str, Any], parameters: dict[str, Any] | None = None) -> str:
    """What would have kept a fact, any one of it by itself; `parameters` (those of the arm) add the present values."""
    now = {"select": {}, "branches": {}} if parameters is None else parameters
    ways = []
    for name, value in found.items():
        if name == "depth":
            ways += [f"depth {n} of {clean(b)}{_now(now['branches'].get(b, {}), name)}" for b, n in value.items()]
        elif name not in ("eligibility", "chunk", "unknown"):
            ways.append(f"{name} {clean(str(value))}{_now(now['select'], name)}")
    before = [f"{', '.join(found['eligibility'])} let it in"] if "eligibility" in found else []
    if "chunk" in found:
        places = (f"{e['doc_id']} {e['version']} {spans([(e['start'], e['end'])])}" for e in found["chunk"])
        before.append(clean(f"a chunk holds {', another '.join(places)}"))
    if not ways and not before:
        return f"a larger {' or '.join(found['unknown'])} perhaps: a plugin decides"
    return " or ".join(ways) if ways else f"an index where {' and '.join(before)}"


def _now(setting: dict[str, Any], name: str) -> str:
    return f" (now {setting[name]})" if setting.get(name) is not None else ""
