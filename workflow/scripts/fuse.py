"""Stage fuse: makes one candidate list a query of the rankings of one or more branches.

By hand: python workflow/scripts/fuse.py --setting '{"branches": ["bm25"]}' --branch bm25=FILE --chunks FILE
  --queries FILE --candidates FILE
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger.core import files, ranking
from spanledger.core.records import Chunk, Query, from_records
from spanledger.engine import command
from spanledger.fusion import fuse


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="one setting of the section fuse, as JSON"
    )
    parser.add_argument(
        "--branch",
        type=command.named_path,
        action="append",
        required=True,
        metavar="NAME=FILE",
        help="the rankings of a branch, in the order of the setting",
    )
    command.paths(
        parser,
        chunks="the chunk table",
        queries="normalise/queries.jsonl",
    )
    parser.add_argument(
        "--candidates", type=Path, required=True, help="the candidate lists to write; counters go beside them"
    )
    arguments = parser.parse_args()
    branches = {name: ranking.from_records(files.read_lines(path)) for name, path in arguments.branch}
    chunks = from_records(Chunk, files.read_lines(arguments.chunks))
    queries = from_records(Query, files.read_lines(arguments.queries))
    candidates, counters = fuse(branches, chunks, queries, arguments.setting)
    files.write(arguments.candidates, files.lines(ranking.to_records(candidates)))
    files.write(command.beside(arguments.candidates), files.document(counters))


if __name__ == "__main__":
    command.run(main)
