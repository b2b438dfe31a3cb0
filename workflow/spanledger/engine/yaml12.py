"""YAML 1.2, read as DVC reads it: `yes` and `010` are no booleans and no octals, and a key stands once."""

import os
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from spanledger.core.errors import InputError, Problem


def read(path: str | os.PathLike, for_dvc: bool = False) -> Any:
    """The value of a YAML file. Raises InputError, with the line where there is one, for a file that is missing, no
    UTF-8 or no YAML, and for a value that holds itself; with `for_dvc` also for the few forms of YAML 1.2 that DVC's
    parser does not take."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise InputError([Problem(str(path), message="no such file")]) from None
    except OSError as error:
        raise InputError([Problem(str(path), message=f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), message=f"is no UTF-8 at byte {error.start}")]) from None
    return parse(text, str(path), for_dvc)


def parse(text: str, file: str, for_dvc: bool = False) -> Any:
    """The value of a YAML text; `file` is named in the messages. Raises InputError as `read` does."""
    try:
        value = _parsed(text, for_dvc)
        if _holds_itself(value, set()):
            raise InputError([Problem(file, message="an anchor stands inside its own value")])
        return value
    except DuplicateKeyError as error:
        problem = str(error.problem).split("\n")[0]
        raise InputError([Problem(file, error.problem_mark.line + 1, message=problem)]) from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise InputError([Problem(file, line, message=f"is no YAML: {error.problem}")]) from None
    except YAMLError as error:
        raise InputError([Problem(file, message=f"is no YAML: {str(error).splitlines()[0]}")]) from None
    except ValueError as error:  # what looks like a date or a number and is none
        raise InputError([Problem(file, message=f"is no YAML: {error}")]) from None
    except RecursionError:
        raise InputError([Problem(file, message="is nested too deeply")]) from None


def _parsed(text: str, for_dvc: bool) -> Any:
    try:
        return YAML(typ="safe").load(text)  # the C parser, which is DVC's too, and eight times as fast
    except (YAMLError, ValueError):
        value = YAML(typ="safe", pure=True).load(text)  # its messages say more, and it takes more
        if for_dvc:
            raise
        return value


def _holds_itself(value: Any, above: set[int]) -> bool:
    if not isinstance(value, dict | list):
        return False
    if id(value) in above:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(_holds_itself(item, above | {id(value)}) for item in inner)
