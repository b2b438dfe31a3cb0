"""Scores a run of another retriever by the stages select, score and report, under the settings of an experiment."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spanledger import gold
from spanledger.chunking import chunk_documents
from spanledger.core import files, ranking
from spanledger.core.errors import Problem, nearest, raise_problems
from spanledger.core.ranking import ELSEWHERE
from spanledger.dataset import Dataset, load
from spanledger.engine import closure, params, plan, provenance, yaml12
from spanledger.foreign.passages import Candidates, Reader
from spanledger.foreign.reading import SPANS, TREC, format_of, read
from spanledger.fusion import fuse
from spanledger.gates import leaks
from spanledger.holdout import DEVELOPMENT, take
from spanledger.importers.sources import Sources
from spanledger.normalise import Policy, normalise_documents, normalise_elements
from spanledger.report import report
from spanledger.retrieval.eligibility import Eligibility
from spanledger.scoring.arm import ArmScorer, Tables
from spanledger.selection import context, select
from spanledger.selection.shelf import Shelf

BRANCH = "run"
_WHAT = {
    "document": "its items are documents, and a passage is a whole document",
    "chunk": "its items are chunks of the chunking {}",
    "span": "its items are spans of documents, offsets in {}",
}
_UNITS = {"code_point": "code points", "utf16": "UTF-16 code units", "byte": "bytes of UTF-8"}


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is read and scored. Eligibility, selector and analyzer are those of the arm `arm`, or else of the first
    arm that has the selector `select` and, where they are given, the `eligibility`. `chunk` names the chunking whose
    chunks a TREC run has; without it the items are documents. `form` is one of `reading.FORMATS` (None: by the file's
    name), `name` what the run is called (None: as its file)."""

    arm: str | None = None
    select: str | None = None
    eligibility: str | None = None
    chunk: str | None = None
    form: str | None = None
    offset_unit: str = "code_point"
    encoding: str = "utf-8"
    drop_forbidden: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """The files that were made, by name; the lines of queries.jsonl; what was read and left out; how many contexts are
    empty although there are candidates; and the measures of documents, where there are judgements."""

    files: dict[str, bytes]
    rows: list[dict[str, Any]]
    counts: dict[str, int]
    unfit: int
    measures: tuple[str, ...] = ()


def score_run(path: Path, experiment: str, options: Options, settings: Path = Path("params.yaml")) -> Scored:
    """Scores the run in a file as one arm of an experiment of `settings`.

    Its files are those of report, queries.jsonl, and provenance.json. Questions of the development part that the run does
    not have are scored with no candidates. Raises InputError with every problem of settings, dataset and file, entries that
    the asker may not have among them.
    """
    resolved = params.resolve(yaml12.read(str(settings)), str(settings))
    if experiment not in resolved["experiments"]:
        raise_problems([Problem(str(settings), field=experiment, message=nearest(experiment, resolved["experiments"]))])
    section, folder = resolved[experiment], resolved["experiments"][experiment]["dataset"]
    arm, problems = _arm(section, experiment, options)
    form = options.form or format_of(path)
    problems += _misfits(section, experiment, form, options)
    sources = Sources(options.encoding)
    entries = read(sources, path, form)
    if problems:
        raise_problems(problems + sources.problems)
    dataset = load(Path(folder))
    prepared = _Prepared(dataset, section)
    rule = section["eligibility"][arm.eligibility]
    reader = Reader(
        path,
        prepared.dataset.queries,
        frozenset(q.query_id for q in dataset.queries) - {q.query_id for q in prepared.dataset.queries},
        dataset.documents,
        prepared.documents,
        prepared.elements,
        Eligibility.of(rule),
        options.drop_forbidden,
        sources.problems,
    )
    if form == SPANS:
        level, setting = "span", {"method": "given", "offset_unit": options.offset_unit}
        found = reader.of_spans(entries, options.offset_unit)
    else:
        level = "chunk" if options.chunk else "document"
        setting = section["chunk"][options.chunk] if options.chunk else {"method": "document"}
        chunks, chunked = chunk_documents(prepared.documents, prepared.elements, setting)
        found = reader.of_items(entries, chunks, chunked, whole=not options.chunk)
    raise_problems(reader.problems)
    digest = sources.digests[path.name]
    what = _WHAT[level].format(_UNITS[options.offset_unit] if form == SPANS else options.chunk)
    free = f"{level}s" if f"{level}s" not in section["chunk"] else f"{level}s of the run"
    own = _section(section, arm, options.chunk or free, setting)
    own["retrieve"][BRANCH] |= {"file": path.name, "sha256": digest, "what": what, "order": found.order}
    own["arms"][0]["name"] = options.name or path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    made, rows, unfit = _run(experiment, own, prepared, found, level)
    made["provenance.json"] = files.document(
        {
            "experiment": experiment,
            "run": {"file": path.name, "sha256": digest, "format": form, "level": level, "order": found.order},
            "options": {name: getattr(options, name) for name in Options.__dataclass_fields__},
            "parameters": {f"experiments.{experiment}": resolved["experiments"][experiment], experiment: own},
            "counts": found.counts,
            "inputs": provenance.digests([folder, *(f for f in plan.FOLDERS["select"] if Path(f).is_dir())]),
            "outputs": {name: files.sha256(data) for name, data in sorted(made.items())},
            "code": _code(),
            **provenance.environment({f"{experiment}.{part}": value for part, value in own.items()}),
        }
    )
    measures = own["score"]["document_metrics"] if prepared.dataset.judgements else ()
    return Scored(made, rows, found.counts, unfit, tuple(measures))


class _Prepared:
    """The development part of a dataset, raw and normalised."""

    def __init__(self, dataset: Dataset, section: dict[str, Any]):
        setting = section["normalise"]
        queries = take(dataset.queries, setting["holdout"], DEVELOPMENT)
        self.dataset = replace(
            dataset,
            queries=queries,
            golds=take(dataset.golds, setting["holdout"], DEVELOPMENT),
            judgements=gold.judgements_of(dataset.judgements, (query.query_id for query in queries)),
        )
        policy = Policy.of(setting)
        self.documents = normalise_documents(dataset.documents, policy)
        self.elements = normalise_elements(dataset.elements, self.documents, policy)


def _run(
    experiment: str, section: dict[str, Any], prepared: _Prepared, found: Candidates, level: str
) -> tuple[dict[str, bytes], list[dict[str, Any]], int]:
    """The report's files and queries.jsonl, its lines, and the number of contexts that hold none of their candidates."""
    (arm,) = plan.arms(section)
    held, setting = prepared.dataset, section["select"][arm.select]
    rule = section["eligibility"][arm.eligibility]
    parents = None
    if setting["parent"] is not None:
        parents, _ = chunk_documents(prepared.documents, prepared.elements, section["chunk"][setting["parent"]])
    candidates, fused = fuse({BRANCH: found.rankings}, found.chunks, held.queries, section["fuse"][arm.fuse])
    shelf = Shelf(found.chunks, prepared.documents, parents)
    contexts, selected = select(candidates, shelf, held.queries, setting, rule)
    settings = {**plan.arm_settings(section, arm), "revisions": {BRANCH: None}}
    tables = Tables(
        found.chunks,
        prepared.documents,
        held.queries,
        held.golds,
        {},
        {},
        held.synonym_groups,
        parents,
        prepared.elements,
        held.judgements,
        searched=False,
        complete=level != "span",
    )
    rows = ArmScorer(arm.name, tables, settings).score(candidates, contexts)
    unfit = sum(bool(c.chunks) and not s.chunks for c, s in zip(candidates, contexts, strict=True))
    counters = {
        ("chunk", arm.chunk): found.chunked,
        ("retrieve", BRANCH): {**found.counts, "unfit": unfit},
        ("fuse", arm.fuse): fused,
        ("select", arm.select): selected,
    }
    if level != "span":
        counters["index", BRANCH] = {"classes": _classes(Eligibility.of(rule), prepared, found)}
    counted = leaks.count(
        found.chunks,
        held.documents,
        held.queries,
        rule,
        ranking.to_records(candidates),
        context.to_records(contexts),
    )
    made = report(
        experiment,
        section,
        held.summary,
        rows,
        held.golds,
        held.documents,
        held.queries,
        {arm.name: counters},
        {arm.name: counted},
    )
    return {**made, "queries.jsonl": files.lines(rows)}, rows, unfit


def _classes(eligibility: Eligibility, prepared: _Prepared, found: Candidates) -> list[dict[str, Any]]:
    """What could be found, by who asks; how it was indexed is not known."""
    documents = {document.key: document for document in prepared.documents}
    return [
        {
            "eligible": len(eligibility.eligible(found.chunks, documents, group.queries[0])),
            "queries": len(group.queries),
            "terms": None,
        }
        for group in eligibility.classes(prepared.dataset.queries)
    ]


def _arm(section: dict[str, Any], experiment: str, options: Options) -> tuple[plan.Arm, list[Problem]]:
    """The arm that the settings come from, and what is wrong with how it is named."""
    planned = plan.arms(section)
    problems = []
    by_name = {arm.name: arm for arm in planned}
    for flag, name, known in (
        ("--arm", options.arm, by_name),
        ("--select", options.select, section["select"]),
        ("--eligibility", options.eligibility, section["eligibility"]),
        ("--chunk", options.chunk, section["chunk"]),
    ):
        if name is not None and name not in known:
            problems.append(Problem(flag, message=f"{experiment} has no '{name}': {nearest(name, known)}"))
    if (options.arm is None) == (options.select is None):
        problems.append(Problem("--select", message="expected either --arm or --select, which name the selector"))
    if problems:
        return planned[0], problems
    if options.arm is not None:
        arm = by_name[options.arm]
        return replace(arm, eligibility=options.eligibility or arm.eligibility), []
    fitting = [
        arm for arm in planned if arm.select == options.select and options.eligibility in (None, arm.eligibility)
    ]
    kinds = {arm.eligibility for arm in fitting}
    if not fitting:
        message = f"no arm has the selector {options.select} and the eligibility {options.eligibility}"
        problems.append(Problem("--eligibility", message=message))
    elif len(kinds) > 1:
        message = f"is needed, because arms with the selector {options.select} differ in it: {', '.join(sorted(kinds))}"
        problems.append(Problem("--eligibility", message=message))
    return (fitting or planned)[0], problems


def _misfits(section: dict[str, Any], experiment: str, form: str, options: Options) -> list[Problem]:
    """Options that have no say in a format."""
    problems = []
    if form == SPANS and options.chunk is not None:
        problems.append(Problem("--chunk", message="is for a TREC run whose items are chunks; spans are their own"))
    if form == TREC and options.offset_unit != "code_point":
        problems.append(Problem("--offset-unit", message="is for spans; a TREC run has no offsets"))
    return problems


def _section(section: dict[str, Any], arm: plan.Arm, chunk: str, setting: dict[str, Any]) -> dict[str, Any]:
    """The section of an experiment with one arm: the run under the settings of an arm of ours."""
    first = next(iter(plan.branches(section, arm.fuse).values()))
    select_setting = section["select"][arm.select]
    parent = select_setting["parent"]
    chunks = {chunk: setting} | ({parent: section["chunk"][parent]} if parent is not None else {})
    found = {
        "scorer": ELSEWHERE,
        "index": first["index"],
        "depth": None,
        "expand": None,
        "keep_zero": True,
        "repeat_query_terms": False,
    }
    own = plan.Arm(BRANCH, chunk, arm.eligibility, BRANCH, arm.select)
    return {
        **{name: section[name] for name in ("normalise", "score", "report")},
        "chunk": chunks,
        "eligibility": {arm.eligibility: section["eligibility"][arm.eligibility]},
        "index": {first["index"]: section["index"][first["index"]]},
        "retrieve": {BRANCH: found},
        "fuse": {BRANCH: {"branches": [BRANCH], "method": "single", "rerank": None}},
        "select": {arm.select: select_setting},
        "arms": [{part: getattr(own, part) for part in ("name", "chunk", "eligibility", "fuse", "select")}],
        "gates": [],
    }


def _code() -> dict[str, str]:
    """The digests of the code that scores a run: that of the stages, and that of the modules that read it."""
    stages = {path for stage in ("normalise", "chunk", "select", "score", "report") for path in closure.of_stage(stage)}
    own = Path(__file__).parent
    read = {p.relative_to(closure.PROJECT).as_posix() for p in own.glob("*.py") if own.is_relative_to(closure.PROJECT)}
    return {path: files.file_sha256(closure.PROJECT / path) for path in sorted(stages | read)}
