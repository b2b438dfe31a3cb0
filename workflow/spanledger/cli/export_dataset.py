"""`spanledger export-dataset`: an experiment's dataset as a BEIR folder, or with its results as Parquet files."""

import shutil
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from spanledger.core import files
from spanledger.core.errors import InputError, Problem, nearest, raise_problems


def add_arguments(command: ArgumentParser) -> None:
    """The arguments of the command."""
    command.add_argument("of", metavar="EXPERIMENT", help="of params.yaml, and run")
    command.add_argument("--format", choices=("beir", "parquet"), required=True)
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new or empty folder")
    command.add_argument("--chunk", metavar="NAME", help="for beir: the chunks of this chunking instead of documents")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--revision", metavar="REV", help="of this git revision instead of the workspace")
    which.add_argument("--experiment", metavar="NAME", help="of this DVC experiment")


def run(arguments: Namespace) -> int:
    """Writes the folder, which appears as a whole. Warns where the chain behind it is not intact; returns 0."""
    from spanledger.audit import audit
    from spanledger.exports import parquet
    from spanledger.exports.stored import Stored, vouched_for
    from spanledger.snapshot import open_snapshot

    out = arguments.out
    problems = []
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        problems.append(Problem(str(out), message="expected a new or empty folder"))
    if arguments.format == "parquet" and arguments.chunk is not None:
        problems.append(Problem("--chunk", message="is for beir; parquet has all chunkings"))
    raise_problems(problems)
    snapshot = open_snapshot(arguments.revision or arguments.experiment)
    stored = Stored(snapshot, arguments.of)
    last = "normalise/qrels.jsonl" if arguments.chunk is None else f"chunk/{arguments.chunk}.jsonl"
    audited = audit(stored.path("queries.jsonl" if arguments.format == "parquet" else last), snapshot)
    with vouched_for(audited):
        made = parquet.of_results(stored) if arguments.format == "parquet" else beir_files(stored, arguments.chunk)
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name, data in made.items():
        files.write(partial / name, data)
    if out.exists():
        out.rmdir()
    partial.rename(out)
    print(f"{out}: {', '.join(made)}")
    if not audited.intact:
        print(f"warning: its chain is not intact; see: spanledger audit {audited.target}", file=sys.stderr)
    return 0


def beir_files(stored, chunk: str | None) -> dict[str, bytes]:
    """The files of a BEIR folder of documents, or of the chunks of a chunking. Raises InputError for an unknown one."""
    from spanledger import gold
    from spanledger.core.records import Chunk, Document, Query, from_records
    from spanledger.exports import beir
    from spanledger.exports.levels import Exporter

    queries = from_records(Query, stored.lines("normalise/queries.jsonl"))
    golds = gold.from_records(stored.lines("normalise/facts.jsonl"))
    judgements = gold.judgements_from_records(stored.lines("normalise/qrels.jsonl"))
    if chunk is None:
        documents = from_records(Document, stored.lines("validate/documents.jsonl"))
        return beir.of_documents(documents, queries, golds, judgements)
    known = stored.section["chunk"]
    if chunk not in known:
        message = f"{stored.experiment} has no '{chunk}': {nearest(chunk, known)}"
        raise InputError([Problem("--chunk", message=message)])
    documents = from_records(Document, stored.lines("normalise/documents.jsonl"))
    chunks = from_records(Chunk, stored.lines(f"chunk/{chunk}.jsonl"))
    exporter = Exporter(chunks, documents, queries, golds, judgements, stored.section["score"]["coverage"])
    return beir.of_chunks(chunks, queries, exporter.qrels({}, "chunk"))
