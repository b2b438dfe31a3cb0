"""The command `spanledger`."""

import argparse
import sys
from pathlib import Path

from spanledger.cli import export_dataset, imports, score_run
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

    command = commands.add_parser(
        "gate",
        help="judge the gates of the results on disk, baselines too",
        description="Exit status: 0 where all pass; 1 where one failed; 2 where none failed and one cannot be judged, "
        "and for names that are not known.",
    )
    command.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="these experiments alone")
    command.add_argument("--json", action="store_true", help="for machines")
    command.set_defaults(command=_gate)

    command = commands.add_parser("audit", help="walk back from a number or a file to all that made it, and check it")
    command.add_argument("target", metavar="TARGET", help="a file below results/, or experiment/arm/metric")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--revision", metavar="REV", help="in this git revision instead of the workspace")
    which.add_argument("--experiment", metavar="NAME", help="in this DVC experiment")
    command.add_argument("--json", action="store_true", help="print everything as JSON")
    command.add_argument(
        "--crate", type=Path, metavar="FOLDER", help="write an RO-Crate of the chain into this new folder"
    )
    command.set_defaults(command=_audit)

    command = commands.add_parser("export-run", help="write a list of an arm as a TREC run, and its qrels")
    command.add_argument("of", metavar="EXPERIMENT", help="of params.yaml")
    command.add_argument("--arm", required=True, metavar="ARM")
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="the run to write")
    command.add_argument("--qrels", type=Path, metavar="FILE", help="write what is relevant too")
    command.add_argument(
        "--level", choices=("document", "chunk", "fact"), default="chunk", help="what is listed (default: chunk)"
    )
    command.add_argument(
        "--list", choices=("candidates", "context"), default="candidates", help="which list (default: candidates)"
    )
    command.add_argument("--first", type=int, metavar="N", help="of the first N passages of each list alone")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--revision", metavar="REV", help="of this git revision instead of the workspace")
    which.add_argument("--experiment", metavar="NAME", help="of this DVC experiment")
    command.add_argument("--no-header", action="store_true", help="without ir_metadata: trec_eval reads no comments")
    command.set_defaults(command=_export_run)

    command = commands.add_parser(
        "export-dataset", help="write the dataset of an experiment as a BEIR folder, or with its results as Parquet"
    )
    export_dataset.add_arguments(command)
    command.set_defaults(command=export_dataset.run)

    command = commands.add_parser(
        "score-run", help="score a run of another retriever: a TREC run, or spans of documents"
    )
    score_run.add_arguments(command)
    command.set_defaults(command=score_run.run)

    command = commands.add_parser(
        "compare",
        help="what differs between two arms, revisions or DVC experiments, and how sure that is",
        description="Exit status: 0; 2 where the two must not be compared; 1 for names that are not known.",
    )
    what = "EXPERIMENT/ARM, REVISION:EXPERIMENT/ARM, a git revision, a DVC experiment, or workspace"
    command.add_argument("a", metavar="A", help=what)
    command.add_argument("b", metavar="B", help="the same; differences are B - A")
    command.add_argument("--experiment", help="of two revisions, this experiment alone")
    command.add_argument("--arm", help="of two revisions, this arm alone, in full")
    command.add_argument(
        "--common", action="store_true", help="compare the questions that other datasets have unchanged"
    )
    command.add_argument("--json", action="store_true", help="for machines: docs/compare.md has the keys")
    command.set_defaults(command=_compare)

    command = commands.add_parser("explain", help="the trail of a question: where its evidence went, and why")
    command.add_argument("experiment")
    command.add_argument("--arm", help="this arm alone")
    command.add_argument("--query", help="this question; without it, the list of all")
    command.add_argument(
        "--depth", type=int, default=10, metavar="N", help="entries of a list that are shown in any case (default: 10)"
    )
    command.add_argument("--revision", metavar="REV", help="the results of a git revision or a DVC experiment")
    command.add_argument("--json", action="store_true", help="for machines: docs/explain.md lists the keys")
    command.set_defaults(command=_explain)

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

    command = commands.add_parser(
        "reanchor",
        help="move gold from one version of the documents to another: unchanged, moved, changed, gone",
        description="Exit status: 0; 1 for bad input. Only facts that are unchanged or moved are written, of questions of "
        "which all are.",
    )
    command.add_argument("dataset", type=Path, metavar="DATASET", help="the dataset folder that has the gold")
    command.add_argument(
        "target",
        type=Path,
        nargs="?",
        metavar="TARGET",
        help="another dataset folder, or one of texts; default: the same",
    )
    command.add_argument("--from", dest="source", metavar="VERSION", help="facts of this version alone (default: all)")
    command.add_argument("--to", metavar="VERSION", help="default: the current versions; of texts: the folder's name")
    command.add_argument("--out", type=Path, metavar="FILE", help="write the moved gold, as a new queries.jsonl")
    command.add_argument("--encoding", default="utf-8", help="of a folder of texts (default: utf-8)")
    command.add_argument("--json", action="store_true", help="for machines: docs/versions.md has the keys")
    command.set_defaults(command=_reanchor)

    command = commands.add_parser("failures", help="show why facts were lost, and write a sheet to judge it in")
    command.add_argument("experiment")
    command.add_argument(
        "--out", nargs="?", const="", metavar="FILE", help="write the sheet, default: judgements/EXPERIMENT.csv"
    )
    command.set_defaults(command=_failures)

    command = commands.add_parser("holdout", help="score the queries that are held out, and record that it was done")
    command.add_argument("experiment")
    command.add_argument("--arm", nargs="+", action="extend", default=[], metavar="ARM", help="these arms alone")
    command.add_argument("--reason", metavar="TEXT", help="why; it goes into the ledger of looks")
    command.add_argument("--looks", action="store_true", help="list the looks so far, without looking")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(command=_holdout)

    command = commands.add_parser("prune", help="remove results and lock entries of experiments that are gone")
    command.set_defaults(command=_prune)

    command = commands.add_parser(
        "sync", help="write dvc.yaml and the pages of docs/ anew, from plan, imports, schemas and words"
    )
    command.set_defaults(command=_sync)
    return parser


def _repro(arguments: argparse.Namespace) -> int:
    from spanledger.cli.repro import run

    return run(arguments.rest)


def _table(arguments: argparse.Namespace) -> int:
    from spanledger.cli.terminal import show

    return show(arguments.experiments)


def _gate(arguments: argparse.Namespace) -> int:
    from spanledger.cli.gate import gate

    return gate(arguments.experiments, arguments.json)


def _audit(arguments: argparse.Namespace) -> int:
    from spanledger.cli.audit import run

    return run(arguments.target, arguments.revision or arguments.experiment, arguments.json, arguments.crate)


def _export_run(arguments: argparse.Namespace) -> int:
    from spanledger.cli.export_run import run

    snapshot = arguments.revision or arguments.experiment
    return run(
        arguments.of,
        arguments.arm,
        arguments.out,
        arguments.qrels,
        snapshot,
        arguments.level,
        arguments.list,
        arguments.first,
        not arguments.no_header,
    )


def _compare(arguments: argparse.Namespace) -> int:
    from spanledger.cli.compare import compare

    return compare(
        arguments.a, arguments.b, arguments.experiment, arguments.arm, arguments.common, as_json=arguments.json
    )


def _explain(arguments: argparse.Namespace) -> int:
    from spanledger.cli.explain import explain, show

    told = explain(arguments.experiment, arguments.arm, arguments.query, arguments.depth, arguments.revision)
    return show(told, arguments.json)


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


def _reanchor(arguments: argparse.Namespace) -> int:
    from spanledger.cli.reanchor import run

    given = arguments
    return run(given.dataset, given.target, given.source, given.to, given.out, given.json, given.encoding)


def _failures(arguments: argparse.Namespace) -> int:
    from spanledger.cli.failures import run
    from spanledger.engine import plan

    out = arguments.out
    return run(arguments.experiment, None if out is None else Path(out or plan.judgements(arguments.experiment)))


def _holdout(arguments: argparse.Namespace) -> int:
    from spanledger.cli.holdout_tables import show

    return show(arguments.experiment, arguments.arm, arguments.reason, arguments.looks, arguments.json)


def _prune(arguments: argparse.Namespace) -> int:
    from spanledger.cli.prune import prune

    for line in prune(Path()):
        print(line)
    return 0


def _sync(arguments: argparse.Namespace) -> int:
    from spanledger.cli import failure_page, pipeline, reference

    pages = (("dvc.yaml", pipeline), ("docs/reference.md", reference), ("docs/failures.md", failure_page))
    for name, module in pages:
        print(f"{name} {'was written anew' if module.sync(Path()) else 'is up to date'}")
    return 0
