"""Stage score: what the contexts of one arm hold of the gold, where the rest was lost, and what they cost.

By hand: take the command from: snakemake --dry-run --printshellcmds --forcerun score
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger import gold
from spanledger.core import files, ranking
from spanledger.core.records import Chunk, Document, Element, Query, from_records
from spanledger.engine import command
from spanledger.retrieval import indexing
from spanledger.scoring.arm import ArmScorer, Tables
from spanledger.selection import context


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument("--arm", required=True, help="the arm's name")
    parser.add_argument("--settings", type=command.setting, required=True, help="the arm's resolved settings, as JSON")
    for name, metavar in (("index", "BRANCH=FOLDER"), ("rankings", "BRANCH=FILE")):
        parser.add_argument(f"--{name}", type=command.named_path, action="append", required=True, metavar=metavar)
    parser.add_argument("--parents", type=Path, help="the chunk table that the selector takes parents from")
    command.paths(
        parser,
        candidates="the candidate lists",
        contexts="the contexts",
        chunks="the chunk table",
        synonyms="normalise/synonyms.jsonl",
        documents="normalise/documents.jsonl",
        elements="normalise/elements.jsonl",
        queries="normalise/queries.jsonl",
        facts="normalise/facts.jsonl",
        qrels="normalise/qrels.jsonl",
        rows="the file to write, one line a query",
    )
    arguments = parser.parse_args()
    tables = Tables(
        from_records(Chunk, files.read_lines(arguments.chunks)),
        from_records(Document, files.read_lines(arguments.documents)),
        from_records(Query, files.read_lines(arguments.queries)),
        gold.from_records(files.read_lines(arguments.facts)),
        {branch: indexing.read(folder) for branch, folder in arguments.index},
        {branch: ranking.from_records(files.read_lines(path)) for branch, path in arguments.rankings},
        files.read_lines(arguments.synonyms),
        from_records(Chunk, files.read_lines(arguments.parents)) if arguments.parents else None,
        from_records(Element, files.read_lines(arguments.elements)),
        gold.judgements_from_records(files.read_lines(arguments.qrels)),
    )
    candidates = ranking.from_records(files.read_lines(arguments.candidates))
    contexts = context.from_records(files.read_lines(arguments.contexts))
    rows = ArmScorer(arguments.arm, tables, arguments.settings).score(candidates, contexts)
    files.write(arguments.rows, files.lines(rows))


if __name__ == "__main__":
    command.run(main)
