"""Stage report: headline numbers, tables, warnings and the page of one experiment.

By hand: take the command from: snakemake --dry-run --printshellcmds --forcerun report
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger import gold
from spanledger.core import files
from spanledger.core.records import Document, Query, from_records
from spanledger.engine import command, plan
from spanledger.gates import leaks
from spanledger.report import judgements, report


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument("--experiment", required=True, help="the experiment's name")
    parser.add_argument("--section", type=command.setting, required=True, help="its section of params.yaml, resolved")
    command.paths(
        parser,
        rows="queries.jsonl, as score wrote it",
        facts="normalise/facts.jsonl",
        queries="normalise/queries.jsonl",
        documents="validate/documents.jsonl, the raw text",
        summary="validate/dataset.json",
        judgements="what people wrote about lost facts; the file need not be there",
        results="folder of the experiment's results, for counters, lists and contexts",
        out="folder for the tables, warnings and the page",
    )
    arguments = parser.parse_args()
    section, results = arguments.section, arguments.results
    counters = {
        arm.name: {key: files.read_document(results / path) for key, path in plan.counters(section, arm).items()}
        for arm in plan.arms(section)
    }
    written = report(
        arguments.experiment,
        section,
        files.read_document(arguments.summary),
        files.read_lines(arguments.rows),
        gold.from_records(files.read_lines(arguments.facts)),
        from_records(Document, files.read_lines(arguments.documents)),
        from_records(Query, files.read_lines(arguments.queries)),
        counters,
        leaks.of_files(section, lambda path: (results / path).read_bytes()),
        judgements.read(arguments.judgements),
    )
    for name, data in written.items():
        files.write(arguments.out / name, data)


if __name__ == "__main__":
    command.run(main)
