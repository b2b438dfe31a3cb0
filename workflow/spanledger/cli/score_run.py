"""`spanledger score-run`: a run of another retriever through select, score and report."""

import csv
import io
import shutil
from argparse import ArgumentParser, Namespace
from pathlib import Path

from spanledger.core import files
from spanledger.core.errors import InputError, Problem

_SHOWN = (
    "facts",
    "facts_in_candidates",
    "facts_in_context",
    "macro_recall_candidates",
    "macro_recall",
    "mrr",
    "mean_cost",
)


def add_arguments(command: ArgumentParser) -> None:
    """The arguments of the command."""
    command.add_argument(
        "file", type=Path, metavar="FILE", help="a TREC run; or spans: .csv, .tsv, .jsonl; gzipped or not"
    )
    command.add_argument("--experiment", required=True, metavar="NAME", help="of params.yaml: its dataset and settings")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new or empty folder")
    command.add_argument("--arm", metavar="ARM", help="select, and filter, as this arm does")
    command.add_argument("--select", metavar="NAME", help="select by this setting")
    command.add_argument("--eligibility", metavar="NAME", help="filter by this setting instead of the arm's")
    command.add_argument("--chunk", metavar="NAME", help="the run's items are chunks of this chunking, not documents")
    command.add_argument("--format", choices=("trec", "spans"), help="where the name of the file does not say it")
    command.add_argument(
        "--offset-unit",
        choices=("code_point", "utf16", "byte"),
        default="code_point",
        help="what the offsets of spans count (default: code_point)",
    )
    command.add_argument("--encoding", default="utf-8", help="of the file (default: utf-8)")
    command.add_argument(
        "--drop-forbidden", action="store_true", help="drop, and count, what the asker may not have, instead of failing"
    )
    command.add_argument("--name", help="what the run is called (default: as the file)")


def run(arguments: Namespace) -> int:
    """Writes the folder, which appears as a whole, and prints the headline numbers and what was left out; returns 0."""
    from spanledger.foreign.scored import Options, score_run
    from spanledger.report import words

    out = arguments.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError([Problem(str(out), message="expected a new or empty folder")])
    options = Options(
        arguments.arm,
        arguments.select,
        arguments.eligibility,
        arguments.chunk,
        arguments.format,
        arguments.offset_unit,
        arguments.encoding,
        arguments.drop_forbidden,
        arguments.name,
    )
    scored = score_run(arguments.file, arguments.experiment, options)
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name, data in scored.files.items():
        files.write(partial / name, data)
    if out.exists():
        out.rmdir()
    partial.rename(out)
    counts = {**scored.counts, "unfit": scored.unfit}
    print(f"{arguments.file}: {counts['entries']} entries for {counts['queries']} of {len(scored.rows)} questions")
    for key, sentence in words.READ.items():
        if counts[key]:
            print(f"  {sentence.format(counts[key])}")
    (row,) = csv.DictReader(io.StringIO(scored.files["arms.csv"].decode()))
    for name in (*_SHOWN, *scored.measures):
        print(f"  {name}: {row[name] or 'null'}")
    print(f"report: {out / 'report.html'}")
    return 0
