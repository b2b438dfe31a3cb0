"""In the terminal: the list of all questions, and one question over its arms."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from spanledger.cli.explain_words import cause, clean, coverage, keys, needed, number, quoted, spans
from spanledger.metrics import CHECKPOINTS

_QUESTION = 60  # cells
_EVIDENCE = 300


def list_of_queries(told: dict[str, Any]) -> Iterator[RenderableType]:
    """A row a question: what is covered, why the rest is lost, in one arm or over all."""
    several = len(told["arms"]) > 1
    over = f"{len(told['arms'])} arms" if several else f"arm {clean(told['arms'][0])}"
    yield heading(f"{told['experiment']}: {len(told['queries'])} questions, {over}")
    table = grid("question", ("complete arms" if several else "facts in context", "right"), "lost")
    for query in told["queries"]:
        asked = Text(clean(query["query_id"]), "bold").append(f"\n{quoted(query['text'], _QUESTION)}", "not bold")
        if several:
            answerable = [arm for arm in query["arms"] if arm["required"]]
            complete = sum(arm["covered"]["context"] == arm["required"] for arm in answerable)
            share = f"{complete}/{len(answerable)}" if answerable else "no facts"
            lost = Counter(fact["cause"] for arm in query["arms"] for fact in arm["lost"])
            why = "\n".join(f"{count} x {name}" for name, count in sorted(lost.items(), key=lambda n: (-n[1], n[0])))
        else:
            (arm,) = query["arms"]
            share = f"{arm['covered']['context']}/{arm['required']}" if arm["required"] else "no facts"
            why = "\n".join(f"{clean(fact['fact_id'])}: {fact['cause']}" for fact in arm["lost"])
        table.add_row(asked, share, Text(why))
    yield table
    chosen = "" if several else f" --arm '{clean(told['arms'][0])}'"
    yield Text(f"one of them: spanledger explain {told['experiment']}{chosen} --query QUESTION")


def arms_side_by_side(told: dict[str, Any]) -> Iterator[RenderableType]:
    """The question, its facts, and a row an arm."""
    yield heading(f"{told['experiment']}: {told['query']['query_id']}, {len(told['arms'])} arms")
    yield from question(told["query"])
    for fact in told["facts"]:
        yield Text(f"\nfact {clean(fact['fact_id'])}", "bold")
        yield from (Text(line) for line, _ in support(fact["support"], _EVIDENCE))
    unit = next(iter(told["arms"][0]["cost"]))
    headings = ("index", "cand.", "context", unit)
    table = grid("arm", *((name, "right") for name in headings), "lost")
    for arm in told["arms"]:
        lost = [fact for fact in arm["facts"] if fact["cause"]]
        why = [f"{clean(f['fact_id'])}: {f['cause']}{kept_by(f['needed'])}" for f in lost]
        table.add_row(
            Text(clean(arm["arm"])),
            *(f"{arm['covered'][point]}/{arm['required']}" for point in CHECKPOINTS),
            number(arm["cost"][unit]),
            Text("\n".join(why), "" if why else "green"),
        )
    yield table
    yield Text(
        f"the trail of one: spanledger explain {told['experiment']} --query '{clean(told['query']['query_id'])}' --arm ARM"
    )


def question(query: dict[str, Any]) -> Iterator[Text]:
    """The question whole, and who asks it."""
    yield Text.assemble(("question  ", "bold"), clean(query["text"]))
    about = [f"{name} {', '.join(map(clean, query[name]))}" for name in ("groups", "versions", "tags") if query[name]]
    if query["no_answer"]:
        about.append(f"no answer: {query['no_answer']}")
    if about:
        yield Text.assemble(("asked     ", "bold"), "; ".join(about))


def facts(told: dict[str, Any], cells: int) -> Iterator[Text]:
    """Each fact with its evidence, where it is covered, why it is lost and what would have kept it."""
    known = keys(told["facts"])
    for fact in told["facts"]:
        yield Text.assemble(
            (f"\n{known[fact['fact_id']]} {clean(fact['fact_id'])}", "bold"), "  ", coverage(fact, CHECKPOINTS)
        )
        for line, evidence in support(fact["support"], cells):
            yield Text(line + _lacking(evidence, fact))
        if fact["cause"]:
            kept = kept_by(fact["needed"], told["arm"]["parameters"]) or "; no one limit or depth alone would keep it"
            yield Text(f"  lost: {cause(fact['cause'])}{kept}", "red")


def support(groups: list[list[dict[str, Any]]], cells: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """A line for each span of a fact: `or` begins another group, `and` another span of the same one."""
    for group, held in enumerate(groups):
        for place, evidence in enumerate(held):
            word = "and " if place else "or " if group else ""
            where = spans([(evidence["start"], evidence["end"])])
            at = clean(f"{evidence['doc_id']} {evidence['version']}")
            yield f"  {word}{at} {where} {quoted(evidence['text'], cells)}", evidence


def kept_by(found: dict[str, Any] | None, parameters: dict[str, Any] | None = None) -> str:
    """What would have kept a lost fact (see `needed`); nothing where that is not known."""
    return f"; kept with {needed(found, parameters)}" if found else ""


def heading(text: str) -> Text:
    return Text(clean(text), "bold underline")


def grid(*columns: str | tuple[str, str]) -> Table:
    """An empty table; a column is its heading, or (heading, justify)."""
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column in columns:
        name, justify = column if isinstance(column, tuple) else (column, "left")
        table.add_column(name, justify=justify, overflow="fold", no_wrap=justify == "right")
    return table


def _lacking(evidence: dict[str, Any], fact: dict[str, Any]) -> str:
    """What the first checkpoint that does not cover a span lacks of it; nothing where the fact is kept."""
    if fact["context"]:
        return ""
    parts: Iterable[str] = ()
    if evidence["excluded_by"]:
        parts = [f"kept out by {', '.join(evidence['excluded_by'])}"]
    for point in CHECKPOINTS:
        state = evidence[point]
        if not state["covered"]:
            found = (
                f"holds {state['terms'][0]} of its {state['terms'][1]} terms"
                if state["terms"]
                else f"lacks {spans(state['missing'])}"
            )
            return f" ({'; '.join([*parts, f'{point} {found}'])})"
    return ""
