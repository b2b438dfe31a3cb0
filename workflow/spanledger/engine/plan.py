"""The plan of an experiment: its arms, and which combinations of named settings each stage works out once."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from spanledger.core import plugins, tokenizers
from spanledger.core.errors import nearest

STAGES = ("validate", "normalise", "chunk", "index", "retrieve", "fuse", "select", "score", "report")

# Which sections of an experiment reach the outputs of a stage directly; what reaches it through another stage's files is
# not among them. dvc.yaml lists the same, and a test holds them together.
SECTIONS = {
    "validate": (),
    "normalise": ("normalise",),
    "chunk": ("chunk",),
    "index": ("index", "eligibility", "arms"),
    "retrieve": ("index", "retrieve", "arms"),
    "fuse": ("fuse", "arms"),
    "select": ("eligibility", "select", "arms"),
    "score": ("index", "eligibility", "retrieve", "fuse", "select", "score", "arms"),
    "report": (
        *("normalise", "chunk", "eligibility", "index", "retrieve", "fuse", "select", "score", "report", "arms"),
        "gates",
    ),
}
OPTIONAL = ("gates",)  # sections that an experiment need not have; only a stage that reads all the others can read one

# Which results each stage reads and writes, below results/<experiment>/: single files where another file of the folder
# must not re-run it. The facts reach score and report alone, the judgements score.
READS = {
    "validate": (),
    "normalise": ("validate",),
    "chunk": ("normalise/documents.jsonl", "normalise/elements.jsonl"),
    "index": ("chunk", "normalise/documents.jsonl", "normalise/queries.jsonl"),
    "retrieve": ("chunk", "index", "normalise/queries.jsonl", "normalise/synonyms.jsonl"),
    "fuse": ("chunk", "retrieve", "normalise/queries.jsonl"),
    "select": ("chunk", "fuse", "normalise/documents.jsonl", "normalise/queries.jsonl"),
    "score": (
        "chunk",
        "index",
        "retrieve",
        "fuse",
        "select",
        "normalise/documents.jsonl",
        "normalise/elements.jsonl",
        "normalise/queries.jsonl",
        "normalise/facts.jsonl",
        "normalise/qrels.jsonl",
        "normalise/synonyms.jsonl",
    ),
    "report": (
        "chunk",
        "index",
        "retrieve",
        "fuse",
        "select",
        "queries.jsonl",
        "validate/documents.jsonl",
        "validate/dataset.json",
        "normalise/queries.jsonl",
        "normalise/facts.jsonl",
    ),
}
JUDGEMENTS = "judgements"  # a folder of what people wrote about lost facts, a CSV an experiment
_TOKENIZERS, _PLUGINS = tokenizers.FOLDER.as_posix(), plugins.FOLDER.as_posix()
FOLDERS = {  # what a stage reads of the project's own folders; each is there, empty or not
    **dict.fromkeys(("chunk", "select", "score"), (_PLUGINS, _TOKENIZERS)),
    **dict.fromkeys(("retrieve", "fuse"), (_PLUGINS,)),
    "report": (JUDGEMENTS,),
}
WRITES = {
    **{stage: (stage,) for stage in STAGES},
    "score": ("score", "queries.jsonl"),
    "report": (
        "metrics.json",
        "arms.csv",
        "tags.csv",
        "frontier.csv",
        "failures.csv",
        "diagnostics.json",
        "gates.json",
        "report.html",
    ),
}


@dataclass(frozen=True, slots=True)
class Arm:
    """One complete setting of the pipeline: a name for each of the four choices."""

    name: str
    chunk: str
    eligibility: str
    fuse: str
    select: str


def arms(section: dict[str, Any]) -> list[Arm]:
    """The arms of an experiment's section, in its order: a list in that of params.yaml, a grid in that of its names.

    A grid is every combination of the named settings, chunk varying slowest and select fastest, each named after its
    settings, joined by +.
    """
    if section["arms"] == "grid":
        parts = (section[part] for part in ("chunk", "eligibility", "fuse", "select"))
        return [Arm("+".join(names), *names) for names in product(*parts)]
    return [Arm(a["name"], a["chunk"], a["eligibility"], a["fuse"], a["select"]) for a in section["arms"]]


def arm(section: dict[str, Any], name: str) -> Arm:
    """The arm of that name; raises KeyError when there is none."""
    for candidate in arms(section):
        if candidate.name == name:
            return candidate
    raise KeyError(f"no arm is called '{name}'")


def narrowed(section: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The section with these arms alone, in their order, and the settings that they use. What is worked out for an arm is
    the same. Raises ValueError for a name that no arm has, and where there is none."""
    every = {chosen.name: chosen for chosen in arms(section)}
    unknown = [name for name in names if name not in every]
    if unknown or not names:
        raise ValueError(f"no arm is called '{unknown[0]}': {nearest(unknown[0], every)}" if unknown else "no arm")
    kept = [chosen for name, chosen in every.items() if name in names]
    used = {part: {getattr(chosen, part) for chosen in kept} for part in ("chunk", "eligibility", "fuse", "select")}
    used["chunk"] |= {section["select"][name]["parent"] for name in used["select"]}
    used["retrieve"] = {branch for name in used["fuse"] for branch in section["fuse"][name]["branches"]}
    used["index"] = {section["retrieve"][name]["index"] for name in used["retrieve"]}
    settings = {
        part: {name: setting for name, setting in section[part].items() if name in wanted}
        for part, wanted in used.items()
    }
    return {**section, **settings, "arms": [asdict(chosen) for chosen in kept]}


def pairs(section: dict[str, Any]) -> list[tuple[str, str]]:
    """The distinct (chunk, eligibility) of the arms, in their order: an index and a ranking is made once for each."""
    return list(dict.fromkeys((a.chunk, a.eligibility) for a in arms(section)))


def fusions(section: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The distinct (chunk, eligibility, fuse) of the arms, in their order."""
    return list(dict.fromkeys((a.chunk, a.eligibility, a.fuse) for a in arms(section)))


def selections(section: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """The distinct (chunk, eligibility, fuse, select) of the arms, in their order."""
    return list(dict.fromkeys((a.chunk, a.eligibility, a.fuse, a.select) for a in arms(section)))


def branches(section: dict[str, Any], fuse: str) -> dict[str, dict[str, Any]]:
    """The retrieve settings that a fusion reads, by name, in its order."""
    return {name: section["retrieve"][name] for name in section["fuse"][fuse]["branches"]}


def arm_settings(section: dict[str, Any], chosen: Arm) -> dict[str, Any]:
    """What the score stage needs to know of one arm (see `scoring.ArmScorer`)."""
    used = branches(section, chosen.fuse)
    return {
        "eligibility": section["eligibility"][chosen.eligibility],
        "select": section["select"][chosen.select],
        "score": section["score"],
        "fuse": section["fuse"][chosen.fuse],
        "branches": used,
        "analyzers": {name: section["index"][setting["index"]]["analyzer"] for name, setting in used.items()},
        "revisions": {name: index_revision(section["index"][setting["index"]]) for name, setting in used.items()},
    }


def index_revision(setting: dict[str, Any]) -> str:
    """The revision of an index, part of the identity of its entries: its analyzer and what the setting names."""
    return f"{setting['analyzer']}/{setting['revision']}"


def counters(section: dict[str, Any], chosen: Arm) -> dict[tuple[str, str], str]:
    """Where the counters of an arm lie below results/<experiment>/, by (stage, name of the setting)."""
    used = branches(section, chosen.fuse)
    place = f"{chosen.chunk}/{chosen.eligibility}"
    return {
        ("chunk", chosen.chunk): f"chunk/{chosen.chunk}.counters.json",
        **{("index", s["index"]): f"index/{place}/{s['index']}/counters.json" for s in used.values()},
        **{("retrieve", branch): f"retrieve/{place}/{branch}.counters.json" for branch in used},
        ("fuse", chosen.fuse): f"fuse/{place}/{chosen.fuse}.counters.json",
        ("select", chosen.select): f"select/{place}/{chosen.fuse}/{chosen.select}.counters.json",
    }


def parameters(experiment: str, params: dict[str, Any], stage: str) -> dict[str, Any]:
    """The slice of the resolved parameters that reaches a stage's outputs, keyed by its path in params.yaml."""
    if stage == "validate":
        return {f"experiments.{experiment}": params["experiments"][experiment]}
    return {f"{experiment}.{part}": params[experiment][part] for part in SECTIONS[stage]}


def reads(experiment: str, params: dict[str, Any], stage: str) -> list[str]:
    """The files and folders that a stage reads: validate the dataset, every other one results of earlier stages, and some
    of the project's own folders too."""
    if stage == "validate":
        return [params["experiments"][experiment]["dataset"]]
    return [*(f"results/{experiment}/{name}" for name in READS[stage]), *FOLDERS.get(stage, ())]


def judgements(experiment: str) -> str:
    """Where people judge the lost facts of an experiment; the file need not be there."""
    return f"{JUDGEMENTS}/{experiment}.csv"


def writes(experiment: str, stage: str) -> list[str]:
    """The files and folders that a stage writes, its provenance apart."""
    return [f"results/{experiment}/{name}" for name in WRITES[stage]]


def parents(experiment: str, section: dict[str, Any], select: str) -> list[str]:
    """The chunk table that a selector takes parents from; none where it takes none."""
    parent = section["select"][select]["parent"]
    return [] if parent is None else [f"results/{experiment}/chunk/{parent}.jsonl"]


def lists(chosen: Arm) -> dict[str, str]:
    """Where the chunk table of an arm, its candidate lists and its contexts lie below results/<experiment>/, by role."""
    place = f"{chosen.chunk}/{chosen.eligibility}/{chosen.fuse}"
    return {
        "chunks": f"chunk/{chosen.chunk}.jsonl",
        "candidates": f"fuse/{place}.jsonl",
        "contexts": f"select/{place}/{chosen.select}.jsonl",
    }


def scored(experiment: str, section: dict[str, Any], chosen: Arm) -> dict[str, Any]:
    """The results of other stages that the scoring of one arm reads, by role; those of branches in the branches' order."""
    used = branches(section, chosen.fuse)
    results, place = f"results/{experiment}", f"{chosen.chunk}/{chosen.eligibility}"
    return {
        "parents": parents(experiment, section, chosen.select),
        "rankings": [f"{results}/retrieve/{place}/{branch}.jsonl" for branch in used],
        **{role: f"{results}/{path}" for role, path in lists(chosen).items()},
        "indexes": [f"{results}/index/{place}/{setting['index']}" for setting in used.values()],
    }


def counted(experiment: str, section: dict[str, Any]) -> list[str]:
    """What the report of an experiment reads for its counters; those of an index lie in the index's folder."""
    paths = (path for chosen in arms(section) for path in counters(section, chosen).values())
    return [f"results/{experiment}/{path.removesuffix('/counters.json')}" for path in dict.fromkeys(paths)]


def listed(experiment: str, section: dict[str, Any]) -> list[str]:
    """What the report of an experiment reads to count its leaks: the files of `lists`, each once."""
    paths = (path for chosen in arms(section) for path in lists(chosen).values())
    return [f"results/{experiment}/{path}" for path in dict.fromkeys(paths)]
