"""Writes the provenance of one stage beside its outputs, and an untracked record of the run.

Snakemake calls it at the end of each stage.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger.core import files
from spanledger.engine import command, guard, provenance


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument("--experiment", required=True, help="the experiment's name")
    parser.add_argument("--stage", required=True, help="the stage's name")
    parser.add_argument(
        "--parameters", type=command.setting, required=True, help="the resolved parameters that reach it, as JSON"
    )
    parser.add_argument("--inputs", nargs="+", required=True, help="files and folders that it reads")
    parser.add_argument("--outputs", nargs="+", required=True, help="files and folders that it wrote")
    parser.add_argument("--code", nargs="+", required=True, help="the files that made them")
    parser.add_argument("--record", type=Path, required=True, help="the record to write")
    arguments = vars(parser.parse_args())
    path = arguments.pop("record")
    data = files.document(provenance.record(**arguments))
    guard.note_made(path, data)
    files.write(path, data)
    run = Path(".spanledger", "runs", arguments["experiment"], f"{arguments['stage']}.json")
    files.write(run, files.document(provenance.run_record()))


if __name__ == "__main__":
    command.run(main)
