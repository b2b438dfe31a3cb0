"""YAML 1.2, read as DVC reads it: `yes` and `010` are no booleans and no octals, and a key stands once."""

import os
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from spanledger.core.errors import InputError, Problem


def read(path: str | os.PathLike) -> Any:
    """The value of a YAML file. Raises InputError, with the line, for a file that is missing, no UTF-8 or no YAML."""
    path = Path(path)
    try:
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, IsADirectoryError):
        raise InputError([Problem(str(path), message="no such file")]) from None
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), message=f"is no UTF-8 at byte {error.start}")]) from None
    except DuplicateKeyError as error:
        text = str(error.problem).split("\n")[0]
        raise InputError([Problem(str(path), error.problem_mark.line + 1, message=text)]) from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise InputError([Problem(str(path), line, message=f"is no YAML: {error.problem}")]) from None
    except YAMLError as error:
        raise InputError([Problem(str(path), message=f"is no YAML: {str(error).splitlines()[0]}")]) from None
