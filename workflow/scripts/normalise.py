"""Stage normalise: changes the documents' text as params.yaml says, with the way back to the raw text, and moves the
elements along. Queries, facts and judgements pass as they are, those of the development part alone where there is a
holdout, and so do synonym groups; in a file each.

By hand: python workflow/scripts/normalise.py --setting JSON --validated FOLDER --out FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger import gold
from spanledger.core import files
from spanledger.core.records import Document, Element, Query, from_records, to_record
from spanledger.engine import command
from spanledger.holdout import take
from spanledger.normalise import Policy, normalise_documents, normalise_elements


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument(
        "--setting", type=command.setting, required=True, help="the resolved section normalise, as JSON"
    )
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
    golds = gold.from_records(files.read_lines(arguments.validated / "facts.jsonl"))
    policy = Policy.of(arguments.setting)
    documents = normalise_documents(read["documents"], policy)
    written = {
        "documents": documents,
        "elements": normalise_elements(read["elements"], documents, policy),
        "queries": take(read["queries"], arguments.setting["holdout"]),
    }
    for name, items in written.items():
        files.write(arguments.out / f"{name}.jsonl", files.lines(map(to_record, items)))
    synonyms = files.read_lines(arguments.validated / "synonyms.jsonl")
    files.write(arguments.out / "synonyms.jsonl", files.lines(synonyms))
    facts = gold.to_records(take(golds, arguments.setting["holdout"]))
    files.write(arguments.out / "facts.jsonl", files.lines(facts))
    judgements = gold.judgements_from_records(files.read_lines(arguments.validated / "qrels.jsonl"))
    kept = gold.judgements_of(judgements, (query.query_id for query in written["queries"]))
    files.write(arguments.out / "qrels.jsonl", files.lines(gold.judgements_to_records(kept)))


if __name__ == "__main__":
    command.run(main)
