"""Stage select: which candidates make the context of each query, by one selector of params.yaml.

By hand: python workflow/scripts/select_context.py --setting '{"top_k": 2}' --candidates FILE --chunks FILE
  --contexts FILE
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger import ranking, selection
from spanledger.core import files
from spanledger.core.records import Chunk, from_records
from spanledger.engine import command


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="one setting of the section select, as JSON"
    )
    parser.add_argument("--candidates", type=Path, required=True, help="the candidate lists")
    parser.add_argument("--chunks", type=Path, required=True, help="the chunk table")
    parser.add_argument("--contexts", type=Path, required=True, help="the contexts to write; counters go beside them")
    arguments = parser.parse_args()
    candidates = ranking.from_records(files.read_lines(arguments.candidates))
    chunks = from_records(Chunk, files.read_lines(arguments.chunks))
    contexts, counters = selection.select(candidates, chunks, arguments.setting)
    files.write(arguments.contexts, files.lines(selection.to_records(contexts)))
    files.write(command.beside(arguments.contexts), files.document(counters))


if __name__ == "__main__":
    command.run(main)
