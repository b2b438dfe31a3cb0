"""Stage select: which candidates make the context of each query, by one selector of params.yaml.

By hand: python workflow/scripts/select_context.py --setting '{"top_k": 2}' --candidates FILE --chunks FILE
  --documents FILE --queries FILE --contexts FILE
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger.core import files, ranking
from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.engine import command
from spanledger.selection import select
from spanledger.selection.context import to_records
from spanledger.selection.shelf import Shelf


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="one setting of the section select, as JSON"
    )
    command.paths(
        parser,
        candidates="the candidate lists",
        chunks="the chunk table",
    )
    parser.add_argument("--parents", type=Path, help="the chunk table that parents are taken from")
    command.paths(
        parser,
        documents="normalise/documents.jsonl",
        queries="normalise/queries.jsonl",
    )
    parser.add_argument("--eligibility", type=command.setting, default={}, help="the arm's eligibility, as JSON")
    parser.add_argument("--contexts", type=Path, required=True, help="the contexts to write; counters go beside them")
    arguments = parser.parse_args()
    candidates = ranking.from_records(files.read_lines(arguments.candidates))
    shelf = Shelf(
        from_records(Chunk, files.read_lines(arguments.chunks)),
        from_records(Document, files.read_lines(arguments.documents)),
        from_records(Chunk, files.read_lines(arguments.parents)) if arguments.parents else None,
    )
    queries = from_records(Query, files.read_lines(arguments.queries))
    contexts, counters = select(candidates, shelf, queries, arguments.setting, arguments.eligibility)
    files.write(arguments.contexts, files.lines(to_records(contexts)))
    files.write(command.beside(arguments.contexts), files.document(counters))


if __name__ == "__main__":
    command.run(main)
