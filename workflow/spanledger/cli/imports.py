"""`spanledger import KIND`: the options of each kind, and what runs it."""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_UNITS = ("code_point", "utf16", "byte")
_FACTS = ("each", "all", "any")


def add_kinds(kinds: Any) -> None:
    """Adds the sub-parsers of `spanledger import`. Nothing of an importer is loaded before it runs."""
    kind = _kind(kinds, "squad", "SQuAD-format JSON, .json or .json.gz, version 1 or 2", "FILE")
    _offset_unit(kind, "answer_start")

    kind = _kind(kinds, "chroma", "Chroma's chunking evaluation: corpora/*.md and a CSV of questions", "FOLDER")
    kind.add_argument(
        "--questions", type=Path, metavar="FILE", help="the CSV file; default: the only one of the folder"
    )
    _facts(kind, "reference")
    _offset_unit(kind, "start_index and end_index")

    kind = _kind(kinds, "beir", "a BEIR folder: corpus.jsonl, queries.jsonl, qrels/*.tsv", "FOLDER")
    kind.add_argument("--split", default="test", help="the file of qrels/ (default: test)")
    _judged(kind, "judged")

    kind = _kind(kinds, "trec", "TREC topics and qrels, with documents of several forms", "DOCUMENTS")
    kind.description = (
        "DOCUMENTS is a JSON lines file, TREC SGML, or a folder or tar archive of text, HTML or SGML files. Files may be "
        "gzipped."
    )
    kind.add_argument("--topics", type=Path, required=True, metavar="FILE", help="id and text by tabs, or TREC SGML")
    kind.add_argument("--qrels", type=Path, required=True, metavar="FILE", help="query, 0, document, grade")
    kind.add_argument(
        "--topic-fields",
        nargs="+",
        choices=("title", "desc", "narr"),
        default=["title"],
        help="of SGML (default: title)",
    )
    kind.add_argument(
        "--doc-ids", choices=("stem", "path"), default="stem", help="what files are called (default: stem, CACM-0001)"
    )
    kind.add_argument(
        "--ignore-zeros", action="store_true", help="qrels may lack the leading zeros of ids: CACM-46 is CACM-0046"
    )
    kind.add_argument("--name", help="of the dataset; default: that of DOCUMENTS")
    _judged(kind, "all")

    kind = _kind(kinds, "tydi", "TyDi QA's JSON lines, with offsets in bytes", "FILE")
    kind.add_argument("--answers", choices=("minimal", "passage"), default="minimal", help="default: minimal")
    kind.add_argument(
        "--annotators",
        type=_positive,
        default=1,
        metavar="N",
        help="how many must have an answer (default: 1; TyDi: 2)",
    )

    kind = _kind(kinds, "legalbench-rag", "LegalBench-RAG's JSON, with a folder of documents", "FILE", nargs="+")
    kind.add_argument("--corpus", type=Path, required=True, metavar="FOLDER", help="its documents")
    kind.add_argument(
        "--documents", choices=("referenced", "all"), default="referenced", help="of the corpus (default: referenced)"
    )
    _facts(kind, "snippet")
    _offset_unit(kind, "span")

    kind = _kind(kinds, "quotes", "CSV or JSON lines of question, document, quote, with a folder of documents", "FILE")
    kind.description = (
        "Columns: question, document (its path below the corpus folder), quote; optional: question_id, and occurrence "
        "(from 1) where a quote occurs several times."
    )
    kind.add_argument("--corpus", type=Path, required=True, metavar="FOLDER", help="the documents; a tar archive too")
    kind.add_argument("--files", default="*", metavar="PATTERN", help="which files of it, as '*.md' (default: all)")
    _facts(kind, "quote")

    kind = _kind(kinds, "markdown", "folders of Markdown and text files: versions of the same documents", "FOLDER", "+")
    kind.description = (
        "Several folders are versions of the same documents, in their order: the last one is current. Columns of "
        "--questions: question, document (its path below the folder), quote; optional: question_id, occurrence (from 1), "
        "version (default: the current one), answer (not kept)."
    )
    kind.add_argument(
        "--versions", nargs="+", default=[], metavar="NAME", help="of the folders (default: 1; of several: their names)"
    )
    kind.add_argument("--questions", type=Path, metavar="FILE", help="CSV or JSON lines of questions with quotes")
    kind.add_argument("--evidence", type=Path, metavar="FILE", help="or JSON lines of questions with spans by version")
    kind.add_argument(
        "--gold", metavar="VERSION", help="of --evidence, the spans of this version (default: the current)"
    )
    kind.add_argument(
        "--files", metavar="PATTERN", help="which files, as '*.md' (default: Markdown and text by ending)"
    )
    kind.add_argument("--name", help="of the dataset; default: that of the last folder")
    _facts(kind, "quote or span")
    _offset_unit(kind, "start and end of --evidence")


def _kind(kinds: Any, name: str, told: str, source: str, nargs: str | None = None) -> argparse.ArgumentParser:
    parser = kinds.add_parser(name, help=told)
    parser.add_argument("source", type=Path, metavar=source, nargs=nargs)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the dataset folder to make")
    parser.add_argument("--language", help="of documents and questions, as en or zh")
    parser.add_argument("--licence", help="of the data")
    parser.add_argument("--encoding", default="utf-8", help="of all files read (default: utf-8)")
    parser.set_defaults(command=_run(name))
    return parser


def _offset_unit(parser: argparse.ArgumentParser, fields: str) -> None:
    parser.add_argument(
        "--offset-unit", choices=_UNITS, default="code_point", help=f"what {fields} count (default: code_point)"
    )


def _facts(parser: argparse.ArgumentParser, span: str) -> None:
    parser.add_argument(
        "--facts",
        dest="fact_mode",
        choices=_FACTS,
        default="each",
        help=f"each {span} a fact, all of them one fact, or any of them one fact (default: each)",
    )


def _judged(parser: argparse.ArgumentParser, questions: str) -> None:
    parser.add_argument(
        "--questions", choices=("judged", "all"), default=questions, help=f"which to take (default: {questions})"
    )
    parser.add_argument(
        "--facts",
        dest="fact_mode",
        choices=("none", "whole-document"),
        default="none",
        help="whole-document: each relevant document is a fact, and all of it its span (default: none)",
    )
    parser.add_argument(
        "--relevant", type=int, default=1, metavar="N", help="the least grade of a relevant document (default: 1)"
    )


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, found '{text}'")
    return int(text)


def _run(name: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        from spanledger.cli.tracking import track

        module = name.replace("-", "_")
        importer = getattr(import_module(f"spanledger.importers.{module}"), f"import_{module}")
        options = {key: value for key, value in vars(arguments).items() if key not in ("command", "source", "out")}
        return track(arguments.out, importer(arguments.source, arguments.out, **options))

    return run
