"""Provenance: what made the outputs of one stage of one experiment.

The record holds nothing that differs between two runs of the same thing. What does (interpreter, host, time, commit)
goes into a run record outside the results, which nothing depends on.
"""

import platform
import socket
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from spanledger.core import libraries, plugins, tokenizers
from spanledger.core.files import below, file_sha256
from spanledger.core.tokenizers import is_tokenizer, tokenizer

LIBRARIES = ("jinja2", "jsonschema", "numpy", "orjson", "pystemmer", "regex", "rjieba", "ruamel.yaml", "tiktoken")
_OWN = tuple(f"{module.FOLDER.as_posix()}/" for module in (plugins, tokenizers))


def record(
    experiment: str,
    stage: str,
    parameters: dict[str, Any],
    inputs: Iterable[str],
    outputs: Iterable[str],
    code: Iterable[str],
) -> dict[str, Any]:
    """The provenance of a stage: its resolved parameters, the SHA-256 of every input, output and code file (folders are
    listed file by file), the digests of the tokenizers that count lengths, and the versions of the libraries that can
    change a result."""
    return {
        "experiment": experiment,
        "stage": stage,
        "parameters": parameters,
        "inputs": digests(inputs),
        "outputs": digests(outputs),
        "code": digests(code),
        **environment(parameters),
    }


def environment(parameters: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The versions of the `libraries` that can change a result, those of a chunking's extra among them, and the digests of
    the `tokenizers` that count lengths; `parameters` is keyed by paths in params.yaml, a section each."""
    return {
        "libraries": {**installed(), **_of_extras(parameters)},
        "tokenizers": {name: tokenizer(name).digest for name in sorted(set(_tokenizers(parameters)))},
    }


def code(record: dict[str, Any]) -> dict[str, str]:
    """The digests of all code that a stage ran by its record: its own, and plugins and tokenizers, which are inputs."""
    own = {path: digest for path, digest in record["inputs"].items() if path.startswith(_OWN)}
    return {**record["code"], **own}


def installed() -> dict[str, str]:
    """The versions of the libraries that can change a result, by name."""
    return {name: version(name) for name in LIBRARIES}


def _of_extras(parameters: dict[str, Any]) -> dict[str, str]:
    """The versions of the libraries that a chunking among the parameters is made by."""
    chunkings = (s for place, part in parameters.items() if place.endswith(".chunk") for s in part.values())
    methods = sorted({setting["method"] for setting in chunkings} & set(libraries.OF_METHOD))
    return {name: found for method in methods for name, found in libraries.versions(method).items()}


def _tokenizers(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _tokenizers(inner, name)
    elif key == "unit" and isinstance(value, str) and is_tokenizer(value):
        yield value


def digests(paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each file; a folder stands for all files below it except hidden ones. Sorted by path."""
    files = {file.as_posix(): file for path in paths for file in below(path)}
    return {name: file_sha256(files[name]) for name in sorted(files)}


def run_record() -> dict[str, Any]:
    """Where and when this run took place: what a result must not depend on, and an audit may want to know."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "commit": _git("rev-parse", "HEAD"),
        "changed_files": (_git("status", "--porcelain", "--untracked-files=no") or "").splitlines(),
    }


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
