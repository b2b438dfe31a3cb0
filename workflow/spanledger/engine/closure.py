"""The static import closure of a stage: all code of this project that can change what it does.

Code is found by parsing, not by importing. A subpackage counts as a whole, with its templates and styles: what is imported
of it brings all of it, so that DVC can name its folder and dvc.lock, which DVC rewrites at each stage, stays short.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WORKFLOW = Path(__file__).resolve().parents[2]
PROJECT = WORKFLOW.parent
_LIBRARY = WORKFLOW / "spanledger"
_KINDS = (".py", ".html", ".css", ".js")


@cache
def of_stage(stage: str) -> tuple[str, ...]:
    """Every file whose change re-runs a stage's jobs: its script and that of the provenance with all they import, the
    schemas that hold defaults, and the pinned versions of the libraries. Paths relative to the project, sorted."""
    files: list[str] = []
    for path in map(PROJECT.joinpath, dependencies(stage)):
        found = [p for p in path.rglob("*") if p.suffix in _KINDS] if path.is_dir() else [path]
        files += (p.relative_to(PROJECT).as_posix() for p in found)
    return tuple(sorted(files))


@cache
def dependencies(stage: str) -> tuple[str, ...]:
    """The same as `of_stage`, with subpackages as folders."""
    schemas = [WORKFLOW / "schemas" / "params.schema.json"]
    if stage == "validate":
        schemas.append(WORKFLOW / "schemas" / "dataset.schema.json")
    # Every stage's jobs are planned by the engine, imported by its script or not.
    found = {*_reached([script(stage), script("provenance"), _LIBRARY / "engine"]), *schemas}
    return tuple(sorted(path.relative_to(PROJECT).as_posix() for path in {*found, PROJECT / "requirements.lock"}))


def script(stage: str) -> Path:
    """The script of a stage. That of select has a longer name: a select.py would hide the standard library's module of
    that name from every script in its folder."""
    return WORKFLOW / "scripts" / ("select_context.py" if stage == "select" else f"{stage}.py")


def _reached(sources: list[Path]) -> set[Path]:
    todo, seen = list(sources), set()
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            for source in path.rglob("*.py") if path.is_dir() else [path]:
                todo += (found for module in _imported(source) for found in _places(module))
    return seen


@cache
def _imported(path: Path) -> tuple[str, ...]:
    """The dotted names that a file imports; for `from a import b` both a and a.b, since b may be a module."""
    return tuple(dict.fromkeys(_names(path)))


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _places(module: str) -> list[Path]:
    """The file or subpackage of a module of this library, and the library's own __init__; nothing for any other name."""
    package, _, rest = module.partition(".")
    if package != _LIBRARY.name:
        return []
    place = _LIBRARY / rest.partition(".")[0]
    found = [_LIBRARY / "__init__.py"]
    if rest and place.is_dir():
        found.append(place)
    elif rest and place.with_suffix(".py").is_file():
        found.append(place.with_suffix(".py"))
    return found
