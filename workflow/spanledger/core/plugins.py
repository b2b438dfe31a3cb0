"""Plugins: functions of the user's own, from the folder plugins/, named in params.yaml as plugins.MODULE:FUNCTION.

A plugin is given texts, places and settings, never gold. It is called twice with its first input, and what it returns is
checked before it is believed. Whatever goes wrong is an InputError that names the plugin's file and line.

Modules are compiled from their source at every start: what decides a result is the folder as it is, no byte code beside it.
"""

import copy
import inspect
import math
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from numbers import Real
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.files import below, canonical, file_sha256, sha256

FOLDER = Path("plugins")
FORM = "plugins.MODULE:FUNCTION"
_NAME = re.compile(r"(plugins(?:\.[A-Za-z_][A-Za-z0-9_]*)+):([A-Za-z_][A-Za-z0-9_]*)")
# What a function of each kind is called with, before the options of its setting: by place, then by name.
SCORER = (("query", "passages"), ())
ROLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "chunker": (("text",), ()),
    "scorer": SCORER,
    "re-ranker": SCORER,
    "selector": (("query", "candidates"), ("budget", "top_k")),
}


def is_plugin(name: Any) -> bool:
    """Whether a method is named as a plugin, which need not exist."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def parts(name: str) -> tuple[str, str]:
    """The module (plugins.MODULE) and the function that a plugin's name stands for."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"plugin '{name}': expected {FORM}, a function of a module in the folder {FOLDER}")
    return match[1], match[2]


def source(module: str, folder: Path = FOLDER) -> Path | None:
    """The file of a module of the folder, MODULE.py or MODULE/__init__.py; None where there is none. Links to folders are
    not followed: an edit behind one would run nothing again."""
    place = folder.joinpath(*module.split(".")[1:])
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((path for path in files if path.is_file() and not _linked(path.parent, folder)), None)


def _linked(place: Path, folder: Path) -> bool:
    """Whether a folder below another one is a link, or lies behind one."""
    return any(part.is_symlink() for part in (place, *place.parents) if folder in part.parents)


def modules(folder: Path = FOLDER) -> list[str]:
    """The modules of the folder, by their dotted names."""
    found = (path.relative_to(folder).with_suffix("").parts for path in below(folder) if path.suffix == ".py")
    return sorted(".".join(("plugins", *(part for part in place if part != "__init__"))) for place in found)


def misfit(signature: inspect.Signature, role: str, options: Iterable[str]) -> str | None:
    """Why a function of this signature cannot be called as a plugin of that kind with these options; None where it can."""
    places, names = ROLES[role]
    parameters = signature.parameters
    by_place = [name for name, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    taken = {*by_place[: len(places)], *names}
    by_name = (name for name, p in parameters.items() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))
    own = [name for name in by_name if name not in taken]
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for option in options:
        if option in names or not (takes_any or option in own):
            return f"takes no option '{option}': {nearest(option, own)}"
    try:
        signature.bind(*places, **dict.fromkeys((*names, *options)))
    except TypeError as error:
        called = ", ".join((*places, *(f"{name}=..." for name in names), *(f"{option}=..." for option in options)))
        return f"cannot be called as a {role}, with ({called}): {error}"
    return None


class Plugin:
    """A function of the folder, as a plugin of a kind (a key of ROLES) with the options of its setting.

    Raises InputError where there is no such module or function, where it cannot be called like that, and where its module
    fails.
    """

    def __init__(self, name: str, role: str, options: dict[str, Any]):
        self.name = name
        self._options = options
        self._first = True
        module_name, function_name = parts(name)
        self._path = source(module_name)
        if self._path is None:
            raise self.error(f"no module of this name in {FOLDER}: {nearest(module_name, modules())}", path=FOLDER)
        module = self._guarded(lambda: _imported(module_name), "its import")
        function = getattr(module, function_name, None)
        if not callable(function):
            own = (n for n, value in vars(module).items() if inspect.isfunction(value) and not n.startswith("_"))
            raise self.error(f"no function '{function_name}': {nearest(function_name, own)}")
        self._function: Callable[..., Any] = function
        code = getattr(inspect.unwrap(function), "__code__", None)
        self._line = code.co_firstlineno if isinstance(code, CodeType) and self._is_own(code.co_filename) else 0
        try:
            why = misfit(inspect.signature(function), role, options)
        except (TypeError, ValueError):  # not told of a function in C
            why = None
        if why is not None:
            raise self.error(why)

    def items(self, given: str, *arguments: Any, **named: Any) -> list[Any]:
        """What the function returns, as a list. `given` says for messages what it was called for, as: query 'q1'.

        Texts and tuples are what arguments should be: they cannot be changed. Options are given as a copy. The first call
        is made twice, and must return the same both times.
        """
        found = self._called(given, arguments, named)
        if self._first:
            self._first = False
            again = self._called(given, arguments, named)
            if not _same(found, again):
                raise self.error(
                    f"returns other values when it is called again for {given}: {shown(found)}, then {shown(again)}"
                )
        return found

    def numbers(self, given: str, count: int, *arguments: Any) -> list[float]:
        """What the function returns, which must be `count` finite numbers."""
        found = self.items(given, *arguments)
        if len(found) != count:
            raise self.error(f"expected one number for each of {count} passages of {given}, found {len(found)}")
        numbers = []
        for place, value in enumerate(found):
            number = _number(value)
            if number is None:
                raise self.error(f"expected a finite number for passage {place} of {given}, found {shown(value)}")
            numbers.append(number + 0.0)  # no negative zero, which would be written as another number
        return numbers

    def error(self, message: str, line: int | None = None, path: Path | None = None) -> InputError:
        """What is raised for a fault of the plugin."""
        line = getattr(self, "_line", 0) if line is None else line
        return InputError([Problem((path or self._path).as_posix(), line, self.name, message=message)])

    def _called(self, given: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        def call() -> list[Any]:
            found = self._function(*arguments, **named, **copy.deepcopy(self._options))
            if isinstance(found, str | bytes | dict) or not isinstance(found, Iterable):
                raise self.error(f"expected a sequence for {given}, found {shown(found)}")
            return list(found)  # a generator runs here

        return self._guarded(call, given)

    def _guarded(self, action: Callable[[], Any], given: str) -> Any:
        try:
            with redirect_stdout(sys.stderr):  # a command's output may be read by a machine
                return action()
        except InputError:
            raise
        except SyntaxError as error:
            place = Path(error.filename) if error.filename and self._is_own(error.filename) else self._path
            raise self.error(f"{error.msg}", error.lineno or 0, _relative(place)) from None
        except (Exception, SystemExit) as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = next((frame for frame in reversed(frames) if self._is_own(frame.filename)), None)
            path, line = (_relative(Path(own.filename)), own.lineno) if own else (self._path, None)
            raise self.error(f"raised {type(error).__name__} for {given}: {_text(str, error)}", line, path) from None

    def _is_own(self, filename: str) -> bool:
        return FOLDER.resolve() in Path(filename).resolve().parents


def index_of(value: Any) -> int | None:
    """A value as a whole number, of Python's or of another library's; None for a boolean and for what is none."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    return int(value.__index__())


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _same(found: Sequence[Any], again: Sequence[Any]) -> bool:
    try:
        return len(found) == len(again) and all(
            a == b or (a != a and b != b) for a, b in zip(found, again, strict=True)
        )
    except Exception:  # values that cannot be compared are refused for what they are
        return True


def shown(value: Any) -> str:
    """A value of a plugin's for a message, cut where it is long; its own repr may fail."""
    text = _text(repr, value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _text(form: Callable[[Any], str], value: Any) -> str:
    try:
        return form(value)
    except Exception:
        return f"a {type(value).__name__} that cannot be shown"


def _relative(path: Path) -> Path:
    root = FOLDER.resolve().parent
    return path.resolve().relative_to(root) if root in path.resolve().parents else path


class _Source(SourceFileLoader):
    """Loads a module from its source, and neither reads nor leaves byte code."""

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the modules of one folder under the name plugins, and nothing else."""

    def __init__(self, folder: Path):
        self._folder = folder

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname == "plugins":
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = []
            return spec
        if not fullname.startswith("plugins."):
            return None
        found = source(fullname, self._folder)
        if found is None:
            folder = self._folder.joinpath(*fullname.split(".")[1:])
            if not folder.is_dir():
                return None
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = []
            return spec
        locations = [] if found.name == "__init__.py" else None
        return spec_from_file_location(
            fullname, found, loader=_Source(fullname, str(found)), submodule_search_locations=locations
        )


_loaded: list[str] = []  # the digest of the folder that the modules in memory are of


def _imported(module: str) -> ModuleType:
    """A module of the folder as it is now: where it changed, or is another folder, all of it is loaded anew."""
    folder = FOLDER.resolve()
    state = sha256(
        canonical([str(folder), [(str(path), file_sha256(path)) for path in below(folder) if path.is_file()]])
    )
    if _loaded != [state]:
        for name in [name for name in sys.modules if name == "plugins" or name.startswith("plugins.")]:
            del sys.modules[name]
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
        sys.meta_path.insert(0, _Finder(folder))
        _loaded[:] = [state]
    return import_module(module)
