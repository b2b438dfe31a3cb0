"""What all stage scripts share: their arguments, and how they end."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spanledger.core.errors import InputError
from spanledger.engine.guard import die_with_snakemake


def parser(description: str | None) -> argparse.ArgumentParser:
    """An argument parser whose help begins with the script's docstring."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def setting(text: str) -> dict[str, Any]:
    """The type of an argument that holds a resolved setting of params.yaml as a JSON object."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("expected a JSON object")
    return value


def named_path(text: str) -> tuple[str, Path]:
    """The type of an argument NAME=PATH."""
    name, sign, path = text.partition("=")
    if not sign or not name or not path:
        raise argparse.ArgumentTypeError(f"expected NAME=PATH, found '{text}'")
    return name, Path(path)


def paths(parser: argparse.ArgumentParser, **helps: str) -> None:
    """Adds a required argument for each path, named by its keyword; the value is what its help says."""
    for name, text in helps.items():
        parser.add_argument(f"--{name}", type=Path, required=True, help=text)


def beside(path: Path) -> Path:
    """Where a stage writes its counters: x.jsonl has them in x.counters.json."""
    return path.with_suffix(".counters.json")


def run(main: Callable[[], None]) -> None:
    """Runs a script: its process dies with Snakemake, and bad input ends it with a message and status 1."""
    die_with_snakemake()
    try:
        main()
    except (InputError, ValueError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
