"""Writes the dataset folder of an import: it appears complete or not at all."""

import io
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from spanledger.core import files
from spanledger.core.errors import Problem
from spanledger.dataset import DESCRIPTION, DOCUMENTS, ELEMENTS, QRELS, QUERIES

REPORT = "import_report.json"


def target_problems(out: Path) -> list[Problem]:
    """What keeps `out` from being written: it must not exist yet, or be an empty folder."""
    try:
        empty = not any(out.iterdir())
    except FileNotFoundError:
        empty = True
    except OSError:
        return [Problem(str(out), message="expected a folder to write to, or a name that is free: it is neither")]
    return (
        [] if empty else [Problem(str(out), message="is not empty: expected an empty folder, or a name that is free")]
    )


def settings_of(name: str, description: str, language: str | None, licence: str | None) -> dict[str, Any]:
    """What dataset.yaml says of an import, whose spans count code points whatever those of the source do."""
    return {
        "name": name,
        "description": description,
        "language": language or None,
        "licence": licence or None,
        "offset_unit": "code_point",
    }


def write_dataset(
    out: Path,
    settings: dict[str, Any],
    documents: Iterable[dict[str, Any]],
    queries: Iterable[dict[str, Any]],
    report: dict[str, Any],
    judgements: Iterable[dict[str, Any]] | None = None,
    elements: Iterable[dict[str, Any]] | None = None,
) -> None:
    """Writes dataset.yaml from `settings` (what is None is left out), the tables and the report of the import."""
    text = io.StringIO()
    yaml = YAML()
    yaml.width = 4096  # a folded line would be hard to search
    yaml.dump({key: value for key, value in settings.items() if value is not None}, text)
    out = out.resolve()
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)  # what a killed run left behind
    try:
        files.write(partial / DESCRIPTION, text.getvalue().encode("utf-8"))
        files.write(partial / DOCUMENTS, files.lines(documents))
        files.write(partial / QUERIES, files.lines(queries))
        if elements is not None:
            files.write(partial / ELEMENTS, files.lines(elements))
        if judgements is not None:
            files.write(partial / QRELS, files.lines(judgements))
        files.write(partial / REPORT, files.document(report))
        partial.replace(out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def free_names(names: list[str]) -> Iterator[str]:
    """Each name; where an earlier one is the same, with the first number that makes it free: T, T_2, T_3."""
    taken, used, last = set(names), set(), dict.fromkeys(names, 1)
    for name in names:
        free = name
        while free in used or (free != name and free in taken):
            last[name] += 1
            free = f"{name}_{last[name]}"
        used.add(free)
        yield free
