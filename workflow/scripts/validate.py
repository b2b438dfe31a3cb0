"""Stage validate: reads a dataset folder, checks all of it, and writes what it holds with every span resolved.

By hand: python workflow/scripts/validate.py --dataset fixtures/evidence_mapping --out FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spanledger import gold
from spanledger.core import files
from spanledger.core.records import to_record
from spanledger.dataset import load
from spanledger.engine import command


def main() -> None:
    parser = command.parser(__doc__)
    parser.add_argument("--dataset", type=Path, required=True, help="the dataset folder")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="folder for documents, elements, queries, facts, qrels (JSON lines), dataset.json",
    )
    arguments = parser.parse_args()
    dataset = load(arguments.dataset)
    for name in ("documents", "elements", "queries"):
        files.write(arguments.out / f"{name}.jsonl", files.lines(map(to_record, getattr(dataset, name))))
    files.write(arguments.out / "facts.jsonl", files.lines(gold.to_records(dataset.golds)))
    files.write(arguments.out / "qrels.jsonl", files.lines(gold.judgements_to_records(dataset.judgements)))
    files.write(arguments.out / "synonyms.jsonl", files.lines(dataset.synonym_groups))
    files.write(arguments.out / "dataset.json", files.document(dataset.summary))


if __name__ == "__main__":
    command.run(main)
