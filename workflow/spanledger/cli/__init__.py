"""The command `spanledger`."""

import argparse
import sys
from pathlib import Path

from spanledger.cli import imports
from spanledger.core.errors import InputError


def main(arguments: list[str] | None = None) -> None:
    """Runs one subcommand; bad input ends it with one message and status 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parsed, unknown = _parser().parse_known_args(arguments)
    if parsed.command is _repro:
        parsed.rest = arguments[1:]
    elif unknown:
        _parser().error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        sys.exit(parsed.command(parsed))
    except (InputError, OSError) as error:
        sys.exit(f"spanledger: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spanledger", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("repro", help="run what is stale (dvc repro) and show the headline numbers")
    command.add_argument("rest", nargs="*", metavar="ARGUMENT", help="passed on to dvc repro, as score@NAME or --force")
    command.set_defaults(command=_repro)

    command = commands.add_parser("table", help="show the headline numbers of the results on disk")
    command.add_argument("experiments", nargs="*", help="these experiments alone")
    command.set_defaults(command=_table)

    command = commands.add_parser("import", help="turn foreign data into a dataset folder")
    kinds = command.add_subparsers(required=True, metavar="KIND")
    imports.add_kinds(kinds)

    command = commands.add_parser("add-experiment", help="write the section of a new experiment into params.yaml")
    command.add_argument("name")
    command.add_argument("--dataset", type=Path, required=True, metavar="FOLDER", help="its dataset folder")
    command.add_argument("--like", metavar="EXPERIMENT", help="copy the section of this experiment")
    command.add_argument("--analyzer", help="default: cjk_bigrams for zh, ja and ko, else ascii_words")
    command.add_argument(
        "--chunk-size", type=int, nargs="+", default=[128, 256, 512, 1024], metavar="N", help="characters"
    )
    command.add_argument(
        "--overlap-percent", type=int, nargs="+", default=[0, 20], metavar="N", help="of the chunk size"
    )
    command.add_argument("--depth", type=int, default=200, metavar="N", help="candidates a query")
    command.add_argument("--top-k", type=int, default=10, metavar="N", help="chunks of the first selector")
    command.add_argument("--budget", type=int, default=1024, metavar="N", help="characters of the second selector")
    command.set_defaults(command=_add_experiment)

    command = commands.add_parser("prune", help="remove results and lock entries of experiments that are gone")
    command.set_defaults(command=_prune)

    command = commands.add_parser(
        "sync", help="write dvc.yaml and docs/reference.md anew, from plan, imports and schemas"
    )
    command.set_defaults(command=_sync)
    return parser


def _repro(arguments: argparse.Namespace) -> int:
    from spanledger.cli.repro import run

    return run(arguments.rest)


def _table(arguments: argparse.Namespace) -> int:
    from spanledger.cli.terminal import show

    return show(arguments.experiments)


def _add_experiment(arguments: argparse.Namespace) -> int:
    from spanledger.cli.add_experiment import Windows, add

    windows = Windows(
        arguments.analyzer,
        tuple(arguments.chunk_size),
        tuple(arguments.overlap_percent),
        arguments.depth,
        arguments.top_k,
        arguments.budget,
    )
    add(Path("params.yaml"), arguments.name, arguments.dataset, arguments.like or windows)
    print(f"{arguments.name} is in params.yaml; run it with: make repro")
    return 0


def _prune(arguments: argparse.Namespace) -> int:
    from spanledger.cli.prune import prune

    for line in prune(Path()):
        print(line)
    return 0


def _sync(arguments: argparse.Namespace) -> int:
    from spanledger.cli import pipeline, reference

    for name, module in (("dvc.yaml", pipeline), ("docs/reference.md", reference)):
        print(f"{name} {'was written anew' if module.sync(Path()) else 'is up to date'}")
    return 0
