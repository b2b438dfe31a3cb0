"""Writes a new experiment into params.yaml; all that stands there already stays as it is, comments included."""

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.files import read_lines, write
from spanledger.engine import params, yaml12

_CJK_LANGUAGES = ("zh", "ja", "ko")


@dataclass(frozen=True, slots=True)
class Windows:
    """The section of an experiment that compares windows: every size with every overlap, BM25 to a depth, and two
    selectors, by number and by budget. Sizes, overlaps and the budget count characters; an overlap is that percentage of
    its size, rounded down. `analyzer` None is chosen by the dataset's language. A dataset with elements is also cut by
    them, at every size, and one with versions also searched in the current ones alone."""

    analyzer: str | None
    chunk_sizes: tuple[int, ...]
    overlap_percents: tuple[int, ...]
    depth: int
    top_k: int
    budget: int

    def section(self, language: str | None, elements: bool = False, versions: bool = False) -> dict[str, Any]:
        """The section as it stands in params.yaml, for a dataset in a language, with or without elements and versions."""
        chunk: dict[str, Any] = {"defaults": {"method": "window", "unit": "char"}}
        for chunk_size in self.chunk_sizes:
            for percent in self.overlap_percents:
                overlap = chunk_size * percent // 100
                name = f"window{chunk_size}_overlap{overlap}" if overlap else f"window{chunk_size}"
                chunk[name] = {"chunk_size": chunk_size, "chunk_overlap": overlap}
            if elements:
                chunk[f"structured{chunk_size}"] = {
                    "method": "structured",
                    "chunk_size": chunk_size,
                    "chunk_overlap": 0,
                }
        cjk = (language or "").lower().split("-")[0] in _CJK_LANGUAGES
        analyzer = self.analyzer or ("cjk_bigrams" if cjk else "ascii_words")
        bm25 = {"index": "terms", "scorer": "bm25", "k1": 1.2, "b": 0.75, "depth": self.depth, "tie": "document"}
        return {
            "normalise": {"newlines": "keep", "unicode": "keep"},
            "chunk": chunk,
            "eligibility": {"all": {}, **({"current": {"versions": "current"}} if versions else {})},
            "index": {"terms": {"analyzer": analyzer}},
            "retrieve": {"bm25": bm25},
            "fuse": {"single": {"branches": ["bm25"]}},
            "select": {
                f"top{self.top_k}": {"top_k": self.top_k},
                f"chars{self.budget}": {"budget": self.budget, "unit": "char"},
            },
            "score": {"coverage": {"rule": "span"}, "cost": {"unit": "char"}, "trail": self.top_k},
            "report": {"primary": {"metric": "macro_recall"}},
            "arms": "grid",
        }


def add(path: Path, name: str, dataset: Path, source: Windows | str) -> None:
    """Adds an experiment to the params.yaml at `path`. `source` is what its section holds: windows, or the name of the
    experiment whose section is copied. Windows are compared by macro recall, or by nDCG@10 where the dataset's gold is
    judgements of documents alone.

    Raises InputError, and leaves the file alone, when the name is taken or not allowed, when the dataset has no
    dataset.yaml, or when the result would not be valid.
    """
    present = yaml12.read(path)
    params.resolve(present, str(path))
    found = []
    if name in present:
        found.append(Problem(str(path), field=name, message="there is an experiment of this name already"))
    if isinstance(source, str) and source not in present["experiments"]:
        found.append(Problem(str(path), field=source, message=nearest(source, present["experiments"])))
    if not (dataset / "dataset.yaml").is_file():
        found.append(Problem(str(dataset), message="is no dataset folder: it has no dataset.yaml"))
    if found:
        raise InputError(found)
    if isinstance(source, str):
        section = present[source]
    else:
        told = yaml12.read(dataset / "dataset.yaml")
        elements = (dataset / "elements.jsonl").is_file()
        section = source.section(told.get("language"), elements, "current_versions" in told)
        if _judged_alone(dataset):
            section["report"] = {"primary": {"metric": "nDCG@10"}}
    entry = {"dataset": dataset.as_posix()}
    wanted = {**present, "experiments": {**present["experiments"], name: entry}, name: section}
    params.resolve(wanted, str(path))
    text = _inserted(path.read_text(encoding="utf-8"), name, entry, section)
    if text is None or YAML(typ="safe", pure=True).load(text) != wanted:
        raise InputError([Problem(str(path), field="experiments", message="expected one experiment a line, indented")])
    write(path, text.encode())


def _judged_alone(dataset: Path) -> bool:
    """Whether the gold of a dataset is judgements of documents and no facts, so that there is no recall to compare by."""
    queries = dataset / "queries.jsonl"
    if not (dataset / "qrels.jsonl").is_file() or not queries.is_file():
        return False
    try:
        return not any(query.get("facts") for query in read_lines(queries))
    except (ValueError, AttributeError):  # validate says what is wrong with it
        return False


def _inserted(text: str, name: str, entry: dict[str, Any], section: dict[str, Any]) -> str | None:
    """The text with a line after the last one of the block `experiments`, and the section at the end; None where the
    block has no lines of its own."""
    block = re.search(r"^experiments:[^\S\n]*(?:#.*)?\n(?:(?:[ \t]+.*|[ \t]*#.*)?\n)*?(?=\S|\Z)", text, re.MULTILINE)
    entries = list(re.finditer(r"^([ ]+)\S.*\n", block[0], re.MULTILINE)) if block else []
    if not entries:
        return None
    place = block.start() + entries[-1].end()
    line = f"{entries[0][1]}{name}: {_flow(entry)}\n"
    return f"{text[:place]}{line}{text[place:].rstrip()}\n\n{_block(name, section)}"


def _block(name: str, section: dict[str, Any]) -> str:
    lines = [f"{name}:"]
    for part, value in section.items():
        settings = isinstance(value, dict) and part in (*params.NAMED_SECTIONS, "score", "report")
        if settings or isinstance(value, list):
            lines.append(f"  {part}:")
            items = value.items() if settings else ((None, item) for item in value)
            lines += [f"    {key}: {_flow(item)}" if key is not None else f"    - {_flow(item)}" for key, item in items]
        else:
            lines.append(f"  {part}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _flow(value: Any) -> str:
    """A value on one line, as YAML that reads back to the same."""
    yaml = YAML()
    yaml.default_flow_style = True
    yaml.width = 10**6
    stream = io.StringIO()
    yaml.dump(_flowing(value), stream)
    return stream.getvalue().removesuffix("\n").removesuffix("\n...")


def _flowing(value: Any) -> Any:
    if isinstance(value, dict):
        mapping = CommentedMap((key, _flowing(item)) for key, item in value.items())
        mapping.fa.set_flow_style()
        return mapping
    return [_flowing(item) for item in value] if isinstance(value, list) else value
