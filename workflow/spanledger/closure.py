"""The static import closure of a script or module: all code of this project that can change what it does.

Code is found by parsing, not by importing. Files of other kinds that lie in the folder of an imported subpackage
(templates, styles) belong to it.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WORKFLOW = Path(__file__).resolve().parents[1]
PROJECT = WORKFLOW.parent
PACKAGE = "spanledger"
# What reads params.yaml and plans the jobs, for every stage alike.
ENGINE = ("closure", "guard", "params", "plan")


@cache
def of_stage(stage: str) -> tuple[str, ...]:
    """Everything whose change re-runs a stage's jobs: its script with all it imports, the engine with all it imports,
    the schemas that hold defaults, and the pinned versions of the libraries. Paths relative to the project, sorted."""
    engine = [*(WORKFLOW / PACKAGE / f"{module}.py" for module in ENGINE), script("provenance")]
    sources = [script(stage), *engine]
    schemas = [WORKFLOW / "schemas" / "params.schema.json"]
    if stage == "validate":
        schemas.append(WORKFLOW / "schemas" / "dataset.schema.json")
    found = {*_reached(sources), *schemas, PROJECT / "requirements.lock"}
    return tuple(sorted(path.relative_to(PROJECT).as_posix() for path in found))


def script(stage: str) -> Path:
    """The script of a stage. That of select has a longer name: a select.py would hide the standard library's module of
    that name from every script in its folder."""
    return WORKFLOW / "scripts" / ("select_context.py" if stage == "select" else f"{stage}.py")


def _reached(sources: list[Path]) -> set[Path]:
    todo, seen = list(sources), set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for module in _imported(path):
            todo += _files(module)
    return seen


def _imported(path: Path) -> Iterator[str]:
    """The dotted names that a file imports; for `from a import b` both a and a.b, since b may be a module."""
    if path.suffix != ".py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files(module: str) -> list[Path]:
    """The files of a module of this package and of the packages above it; none for another library or a mere name."""
    parts = module.split(".")
    if parts[0] != PACKAGE:
        return []
    found: list[Path] = []
    for depth in range(1, len(parts) + 1):
        place = WORKFLOW.joinpath(*parts[:depth])
        if place.is_dir():
            kinds = (".html", ".css", ".js") if depth > 1 else ()
            found += [p for p in place.iterdir() if p.name == "__init__.py" or p.suffix in kinds]
        elif place.with_suffix(".py").is_file():
            found.append(place.with_suffix(".py"))
    return found
