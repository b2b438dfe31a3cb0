"""Stage chunk: cuts all documents by one chunking of params.yaml.

By hand: python workflow/scripts/chunk.py --setting '{"method": "paragraph"}' --documents FILE
  --elements FILE --chunks FILE
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger.chunking import chunk_documents
from spanledger.core import files
from spanledger.core.records import Document, Element, from_records, to_record
from spanledger.engine import command


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="one setting of the section chunk, as JSON"
    )
    command.paths(
        parser,
        documents="normalise/documents.jsonl",
        elements="normalise/elements.jsonl",
        chunks="the chunk table to write; counters go beside it",
    )
    arguments = parser.parse_args()
    documents = from_records(Document, files.read_lines(arguments.documents))
    elements = from_records(Element, files.read_lines(arguments.elements))
    chunks, counters = chunk_documents(documents, elements, arguments.setting)
    files.write(arguments.chunks, files.lines(map(to_record, chunks)))
    files.write(command.beside(arguments.chunks), files.document(counters))


if __name__ == "__main__":
    command.run(main)
