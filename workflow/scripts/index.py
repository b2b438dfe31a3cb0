"""Stage index: postings and statistics of one chunking under one eligibility, a file for each class of queries that the
eligibility treats alike.

By hand: python workflow/scripts/index.py --setting '{"analyzer": "ascii_words"}'
  --eligibility '{"versions": "current"}' --chunks FILE --documents FILE --queries FILE --out FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger.core import files
from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.engine import command
from spanledger.retrieval.indexing import build_indexes, to_records


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="one setting of the section index, as JSON"
    )
    parser.add_argument(
        "--eligibility", type=command.setting, required=True, help="one setting of the section eligibility, as JSON"
    )
    command.paths(
        parser,
        chunks="the chunk table",
        documents="normalise/documents.jsonl",
        queries="normalise/queries.jsonl",
        out="the folder to write: class-1.jsonl ..., counters.json",
    )
    arguments = parser.parse_args()
    chunks = from_records(Chunk, files.read_lines(arguments.chunks))
    documents = from_records(Document, files.read_lines(arguments.documents))
    queries = from_records(Query, files.read_lines(arguments.queries))
    indexes, counters = build_indexes(chunks, documents, queries, arguments.eligibility, arguments.setting)
    for index in indexes:
        files.write(arguments.out / f"{index.name}.jsonl", files.lines(to_records(index)))
    files.write(arguments.out / "counters.json", files.document(counters))


if __name__ == "__main__":
    command.run(main)
