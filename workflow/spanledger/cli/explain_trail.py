"""In the terminal: the whole trail of one question through one arm, stage after stage."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from spanledger.cli.explain_overview import facts, grid, heading, question
from spanledger.cli.explain_words import chunk, clean, holds, keys, number, passage, quoted, spans
from spanledger.core.plugins import is_plugin
from spanledger.report import words

_EVIDENCE = 300  # cells of a text
_PASSAGE = 240
_SYNONYM = "~"  # behind a term that a synonym group brought in


def whole_trail(told: dict[str, Any]) -> Iterator[RenderableType]:
    """The parts in the order in which the pipeline makes them."""
    named = {item["chunk_id"]: item for item in told["chunks"]}
    known = keys(told["facts"])
    arm, result = told["arm"], told["result"]
    yield heading(f"{told['experiment']}: {told['query']['query_id']}, arm {arm['name']}")
    yield from question(told["query"])
    yield Text.assemble(("result    ", "bold"), _result(result, told["context"]["unit"]))
    yield from facts(told, _EVIDENCE)
    yield from _eligibility(told, known)
    for branch in told["branches"]:
        yield from _branch(branch, named, known)
    yield from _candidates(told["candidates"], arm, named, known)
    yield from _selection(told["selection"], arm, named, known)
    yield from _context(told["context"], known)


def _result(result: dict[str, Any], unit: str) -> str:
    cost = f"a context of {number(result['cost'][unit])} {words.unit(unit)[0]}"
    if not result["required"]:
        return f"no required facts; {cost}"
    covered = ", ".join(f"{count} in the {point}" for point, count in result["covered"].items())
    return f"required facts: {result['required']}; {covered}; {cost}"


def _stage(name: str, text: str) -> Text:
    return Text.assemble((f"\n{name}  ", "bold cyan"), text)


def _eligibility(told: dict[str, Any], known: dict[str, str]) -> Iterator[RenderableType]:
    arm, found = told["arm"], told["eligibility"]
    kept_out = ", ".join(f"{count} by {name}" for name, count in found["excluded_by"].items() if count)
    kept_out = f"; kept out: {kept_out}" if kept_out else ""
    yield _stage(
        "index", f"{arm['chunk']}, {arm['eligibility']}: {found['eligible']} of {found['chunks']} chunks{kept_out}"
    )
    holding = [item for item in told["chunks"] if item["holds"]]
    if not holding:
        yield Text("  no chunk holds any of the evidence" if told["facts"] else "  nothing to find")
        return
    table = grid("chunks that hold evidence", "holds", "of it", "eligible")
    for item in holding:
        parts = "\n".join(spans(held["parts"]) for held in item["holds"])
        excluded = f"no: {', '.join(item['excluded_by'])}" if item["excluded_by"] else "yes"
        table.add_row(Text(chunk(item)), _by_span(item["holds"], known), parts, Text(excluded))
    yield table


def _by_span(found: list[dict[str, Any]], known: dict[str, str]) -> Text:
    return Text("\n".join(f"{known[held['fact_id']]}{'' if held['covers'] else ' part'}" for held in found))


def _branch(branch: dict[str, Any], named: dict[str, Any], known: dict[str, str]) -> Iterator[RenderableType]:
    depth = "no cut" if branch["depth"] is None else f"cut at {branch['depth']}"
    what = f"{branch['scorer']} over {branch['analyzer']}, {branch['eligible']} chunks"
    yield _stage(f"retrieve {clean(branch['branch'])}", f"{what}, {branch['count']} ranked, {depth}")
    expanded = {term["term"] for term in branch["terms"] if term["expanded"]}
    terms = ", ".join(_term(term) for term in branch["terms"])
    note = f"  ({_SYNONYM} by a synonym group)" if expanded else ""
    plugin = is_plugin(branch["scorer"])
    yield Text("  the scores are the plugin's own, without parts" if plugin else f"  terms: {terms or 'none'}{note}")
    if branch["ranked"]:
        table = grid(("rank", "right"), "chunk", ("score", "right"), "made of", "holds")
        cut = False
        for entry in branch["ranked"]:
            if not (entry["above_cut"] or cut):
                cut = True
                table.add_section()
            made = "  ".join(_contributions(entry["contributions"], expanded))
            rank = str(entry["rank"]) if entry["above_cut"] else f"({entry['rank']})"
            found = named[entry["chunk_id"]]
            table.add_row(rank, Text(chunk(found)), number(entry["score"]), Text(made), holds(found["holds"], known))
        yield table
        if cut:
            yield Text(f"  ranks in brackets are below the cut at {branch['depth']}")
    yield from _left_out(branch["left_out"])
    if branch["unmatched"]:
        lacking = "; ".join(chunk(named[chunk_id]) for chunk_id in branch["unmatched"])
        yield Text(f"  holds evidence, but {'does not score above 0' if plugin else 'no searched term'}: {lacking}")


def _term(term: dict[str, Any]) -> str:
    """A term with how many chunks hold it, and its idf where the scorer has one."""
    times = f" x{term['times']}" if term["times"] > 1 else ""
    idf = f", idf {number(term['idf'])}" if "idf" in term else ""
    return f"{clean(term['term'])}{_SYNONYM if term['expanded'] else ''}{times} (in {term['df']}{idf})"


def _contributions(found: list[dict[str, Any]], expanded: set[str]) -> Iterator[str]:
    """Each term once, however often it was added, with its frequency in the chunk where that counts."""
    times: dict[str, int] = {}
    for entry in found:
        times[entry["term"]] = times.get(entry["term"], 0) + 1
    for entry in {entry["term"]: entry for entry in found}.values():
        mark = _SYNONYM if entry["term"] in expanded else ""
        if "tf_part" not in entry:
            yield f"{clean(entry['term'])}{mark}"
            continue
        tf = f" (tf {entry['tf']})" if entry["tf"] > 1 else ""
        repeated = f" x{times[entry['term']]}" if times[entry["term"]] > 1 else ""
        yield f"{clean(entry['term'])}{mark} {entry['contribution']:.4g}{repeated}{tf}"


def _candidates(
    found: dict[str, Any], arm: dict[str, Any], named: dict[str, Any], known: dict[str, str]
) -> Iterator[RenderableType]:
    merged = found["method"] == "rrf"
    reranked = found["reranker"] is not None
    how = f"reciprocal rank fusion, k = {number(found['k'])}" if merged else "the ranking of its one branch"
    again = ""
    if reranked:
        again = f", then re-ranked by {'rules' if found['weights'] is not None else clean(found['reranker'])}"
    yield _stage(f"fuse {clean(arm['fuse'])}", f"{how}{again}: {found['count']} candidates")
    if not (merged or reranked) or not found["ranked"]:
        return
    columns = [("rank", "right"), "chunk", ("score", "right")]
    columns += ["points"] if reranked else []
    columns += ["ranks in the branches"] if merged else []
    table = grid(*columns, "holds")
    for entry in found["ranked"]:
        item = named[entry["chunk_id"]]
        row = [str(entry["rank"]), Text(chunk(item)), number(entry["score"])]
        if reranked:
            row.append(Text(_points(entry)))
        if merged:
            row.append(Text(_fused(entry, arm["branches"])))
        table.add_row(*row, holds(item["holds"], known))
    yield table
    yield from _left_out(found["left_out"])


def _points(entry: dict[str, Any]) -> str:
    given = [
        f"{name} {entry['features'][name]} = {points:+g}"
        for name, points in (entry["points"] or {}).items()
        if entry["features"][name]
    ]
    if entry["points"] is not None and not given:
        given = ["none"]
    before = f"was rank {entry['rank_before']}, score {number(entry['score_before'])}"
    return "\n".join([*given, before])


def _fused(entry: dict[str, Any], branches: list[str]) -> str:
    return "\n".join(
        f"{clean(branch)} -"
        if entry["ranks"][branch] is None
        else f"{clean(branch)} {entry['ranks'][branch]}: {number(entry['rrf_terms'][branch])}"
        for branch in branches
    )


def _selection(
    found: dict[str, Any], arm: dict[str, Any], named: dict[str, Any], known: dict[str, str]
) -> Iterator[RenderableType]:
    setting = arm["parameters"]["select"]
    unit = words.unit(found["unit"])[0] if found["unit"] else ""
    limits = [f"at most {found['top_k']} passages"] if found["top_k"] is not None else []
    limits += [f"a budget of {found['budget']} {unit}"] if found["budget"] is not None else []
    if found["frame"]:
        limits[-1] += f", of which header and footer take {found['frame']}"
    ways = [f"chosen by {clean(setting['method'])}"] if is_plugin(setting.get("method")) else []
    ways += [f"mmr with weight {number(setting['mmr']['weight'])}"] if setting["mmr"] else []
    ways += ["neighbours merged"] if setting["merge"] else []
    ways += [f"parents of {clean(setting['parent'])}"] if setting["parent"] else []
    ways += ["repeats dropped"] if setting["redundancy"] == "drop" else []
    yield _stage(f"select {clean(arm['select'])}", "; ".join([*limits, *ways]))
    if not found["steps"]:
        yield Text("  no candidates")
        return
    budget = found["budget"] is not None
    columns = [("step", "right"), *([("rank", "right"), "mmr"] if setting["mmr"] else []), "chunk", "what"]
    columns += [("cost", "right"), ("left", "right")] if budget else []
    table = grid(*columns, "holds")
    for step in found["steps"]:
        item = named[step["chunk_id"]]
        row = [str(step["step"])]
        if setting["mmr"]:
            row += [
                str(step["rank"]),
                Text("{value:.4g} = relevance {relevance:.4g}, similarity {similarity:.4g}".format(**step["mmr"])),
            ]
        place = chunk(item) + (f"\nparent {spans(step['parent']['spans'])}" if step["parent"] else "")
        what = Text("taken", "green") if step["taken"] else Text(words.REASONS.get(step["reason"], step["reason"]))
        row += [Text(place), what]
        row += ["" if step[name] is None else str(step[name]) for name in ("cost", "remaining")] if budget else []
        table.add_row(*row, holds(item["holds"], known))
    yield table
    yield from _left_out(found["left_out"])


def _context(found: dict[str, Any], known: dict[str, str]) -> Iterator[RenderableType]:
    unit = words.unit(found["unit"])[0]
    yield _stage("context", f"{len(found['passages'])} passages, {number(found['cost'])} {unit}")
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for item in found["passages"]:
        body = Text(f"{passage(item)}, {item['cost']} {unit}")
        for held in item["holds"]:
            body.append(
                f"\n* {known[held['fact_id']]} {spans(held['parts'])}{'' if held['covers'] else ' part'}", "green"
            )
        body.append(f"\n{quoted(item['text'], _PASSAGE)}")
        table.add_row(f"  {item['place']}", body)
    yield table
    if found["sent"] is not None:
        yield _stage("sent", "the context as it would be sent")
        yield Text("\n".join(f"  {clean(line)}" for line in found["sent"].split("\n")))


def _left_out(count: int) -> Iterator[Text]:
    if count:
        yield Text(f"  {count} more, none of which holds evidence or was selected (--depth N shows more)")
