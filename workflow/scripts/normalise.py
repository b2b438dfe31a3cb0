"""Stage normalise: changes the documents' text as params.yaml says, with the way back to the raw text, and moves the
elements along. Queries, facts, judgements and synonym groups pass as they are, in a file each.

By hand: python workflow/scripts/normalise.py --setting '{"newlines": "lf"}' --validated FOLDER --out FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger import gold
from spanledger.core import files
from spanledger.core.records import Document, Element, Query, from_records, to_record
from spanledger.engine import command
from spanledger.normalise import Policy, normalise_documents, normalise_elements


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument("--setting", type=command.setting, required=True, help="the section normalise, as JSON")
    parser.add_argument("--validated", type=Path, required=True, help="the folder that validate wrote")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for documents, elements, queries, facts, qrels (JSON lines)"
    )
    arguments = parser.parse_args()
    kinds = {"documents": Document, "elements": Element, "queries": Query}
    read = {
        name: from_records(kind, files.read_lines(arguments.validated / f"{name}.jsonl"))
        for name, kind in kinds.items()
    }
    documents = normalise_documents(read["documents"], Policy(**arguments.setting))
    written = {**read, "documents": documents, "elements": normalise_elements(read["elements"], documents)}
    for name, items in written.items():
        files.write(arguments.out / f"{name}.jsonl", files.lines(map(to_record, items)))
    synonyms = files.read_lines(arguments.validated / "synonyms.jsonl")
    files.write(arguments.out / "synonyms.jsonl", files.lines(synonyms))
    golds = gold.from_records(files.read_lines(arguments.validated / "facts.jsonl"))
    files.write(arguments.out / "facts.jsonl", files.lines(gold.to_records(golds)))
    judgements = gold.judgements_from_records(files.read_lines(arguments.validated / "qrels.jsonl"))
    files.write(arguments.out / "qrels.jsonl", files.lines(gold.judgements_to_records(judgements)))


if __name__ == "__main__":
    command.run(main)
