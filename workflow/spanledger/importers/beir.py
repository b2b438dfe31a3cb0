"""Imports a BEIR folder: corpus.jsonl, queries.jsonl and qrels/*.tsv."""

from pathlib import Path
from typing import Any

from spanledger.core.errors import nearest, raise_problems
from spanledger.importers.folder import settings_of, target_problems
from spanledger.importers.judged import Collection, new_report
from spanledger.importers.judged_files import Named, read_json_documents, read_qrels
from spanledger.importers.sources import Sources

_QUERY = {"_id": (str, int), "text": (str,)}


def import_beir(
    source: Path,
    out: Path,
    *,
    split: str = "test",
    questions: str = "judged",
    fact_mode: str = "none",
    relevant: int = 1,
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, Any]:
    """Turns the folder `source` into the dataset folder `out`, with judgements in qrels.jsonl; returns the report written
    there.

    The files may be gzipped. `split` names the file of qrels/. queries.jsonl holds the questions of all splits: those
    without a judgement in this one are left out and counted, unless `questions` is all. A document's text is its title, on
    a line of its own, and its text. Facts and rejections are as in `trec.import_trec`. Raises InputError with all problems
    of malformed files.
    """
    source, out = Path(source), Path(out)
    sources, report = Sources(encoding), new_report("beir")
    found = read_json_documents(sources, _file(source / "corpus.jsonl"), report)
    path = _file(source / "queries.jsonl")
    asked = [
        Named(str(value["_id"]), value["text"], path.name, line) for line, value in sources.json_lines(path, _QUERY)
    ]
    splits = sorted({file.name.split(".tsv")[0] for file in (source / "qrels").glob("*.tsv*")})
    judged = []
    if split in splits:
        judged = read_qrels(sources, _file(source / "qrels" / f"{split}.tsv"))
    else:
        sources.problem(source / "qrels", f"there is no split '{split}': {nearest(split, splits)}")
    raise_problems(target_problems(out) + sources.problems)
    report.read["questions"], report.read["judgements"] = len(asked), len(judged)
    collection = Collection(report)
    collection.add_documents(found)
    collection.add_questions(asked, judged, only_judged=questions == "judged", fact_mode=fact_mode, relevant=relevant)
    name = source.resolve().name
    settings = settings_of(name, f"Imported from the BEIR folder {name}, split {split}.", language, licence)
    return collection.write(out, settings, sources)


def _file(path: Path) -> Path:
    """The path, or that of the gzipped file where only that is there."""
    zipped = path.with_name(f"{path.name}.gz")
    return zipped if zipped.is_file() and not path.exists() else path
