"""Stage retrieve: ranks the chunks of one index for every query, by one branch of params.yaml.

By hand: python workflow/scripts/retrieve.py --setting JSON --analyzer ascii_words --index FOLDER --chunks FILE
  --queries FILE --synonyms FILE --rankings FILE
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger.core import files, ranking
from spanledger.core.records import Chunk, Query, from_records
from spanledger.engine import command
from spanledger.retrieval import indexing, retrieve


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="one setting of the section retrieve, as JSON"
    )
    parser.add_argument("--analyzer", required=True, help="the analyzer that the index was made with")
    command.paths(
        parser,
        index="the folder that index wrote",
        chunks="the chunk table",
        queries="normalise/queries.jsonl",
        synonyms="normalise/synonyms.jsonl",
        rankings="the rankings to write; counters go beside them",
    )
    arguments = parser.parse_args()
    indexes = indexing.read(arguments.index)
    chunks = from_records(Chunk, files.read_lines(arguments.chunks))
    queries = from_records(Query, files.read_lines(arguments.queries))
    synonyms = files.read_lines(arguments.synonyms)
    rankings, counters = retrieve(indexes, chunks, queries, arguments.analyzer, arguments.setting, synonyms)
    files.write(arguments.rankings, files.lines(ranking.to_records(rankings)))
    files.write(command.beside(arguments.rankings), files.document(counters))


if __name__ == "__main__":
    command.run(main)
