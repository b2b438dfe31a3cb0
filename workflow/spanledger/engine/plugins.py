"""What of the plugins that params.yaml names can be told without running them: that module and function are there, and take
their options."""

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from spanledger.core import plugins
from spanledger.core.errors import nearest
from spanledger.core.plugins import is_plugin

# (section, key) of a setting that may be a plugin's name, and what kind of plugin it is then.
_KEYS = {"chunk": ("method", "chunker"), "retrieve": ("scorer", "scorer"), "select": ("method", "selector")}


def named(section: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """(field, kind, name, options) of each plugin that the resolved section of an experiment names."""
    for part, (key, role) in _KEYS.items():
        for name, setting in section[part].items():
            if is_plugin(setting[key]):
                yield f"{part}.{name}.{key}", role, setting[key], setting["options"]
    for name, setting in section["fuse"].items():
        if setting["rerank"] is not None and is_plugin(setting["rerank"]["method"]):
            yield f"fuse.{name}.rerank.method", "re-ranker", setting["rerank"]["method"], setting["rerank"]["options"]


def problems(experiment: str, section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, message) for each plugin that is not there, is no Python, or does not take its options."""
    for field, role, name, options in named(section):
        if (message := _problem(role, name, options)) is not None:
            yield f"{experiment}.{field}", message


def _problem(role: str, name: str, options: dict[str, Any]) -> str | None:
    module, function = plugins.parts(name)
    path = plugins.source(module)
    if path is None:
        known = plugins.modules()
        return f"no module '{module}' in the folder {plugins.FOLDER}: {nearest(module, known)}"
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return f"{path.as_posix()}{f':{line}' if line else ''}: {getattr(error, 'msg', error)}"
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if function in own and not own[function].decorator_list:
        return _prefixed(path.as_posix(), own[function], plugins.misfit(_signature(own[function]), role, options))
    # What is made in another way (imported, assigned, decorated) is looked at by the stage that calls it.
    if function in own or any(function in _bound(node) for node in ast.walk(tree)):
        return None
    return f"{path.as_posix()}: no function '{function}': {nearest(function, own)}"


def _prefixed(path: str, node: ast.FunctionDef, message: str | None) -> str | None:
    return None if message is None else f"{path}:{node.lineno}: {node.name} {message}"


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ("*" if alias.name == "*" else (alias.asname or alias.name).split(".")[0] for alias in node.names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.ClassDef | ast.FunctionDef):
        yield node.name


def _signature(node: ast.FunctionDef) -> inspect.Signature:
    kinds, given = inspect.Parameter, node.args
    places = [*given.posonlyargs, *given.args]
    required = len(places) - len(given.defaults)
    found = [
        kinds(
            argument.arg,
            kinds.POSITIONAL_ONLY if number < len(given.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD,
            default=kinds.empty if number < required else None,
        )
        for number, argument in enumerate(places)
    ]
    found += [kinds(given.vararg.arg, kinds.VAR_POSITIONAL)] if given.vararg else []
    found += [
        kinds(argument.arg, kinds.KEYWORD_ONLY, default=kinds.empty if default is None else None)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    found += [kinds(given.kwarg.arg, kinds.VAR_KEYWORD)] if given.kwarg else []
    return inspect.Signature(found)
