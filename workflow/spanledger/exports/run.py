"""The TREC run of one arm and its qrels, read from the results of a snapshot."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spanledger import gold
from spanledger.audit import audit
from spanledger.audit.findings import Audit
from spanledger.audit.history import History
from spanledger.core import ranking
from spanledger.core.records import Chunk, Document, Query, from_records
from spanledger.engine import plan
from spanledger.exports import ir_metadata, levels, trec
from spanledger.exports.stored import Stored, vouched_for
from spanledger.selection import context
from spanledger.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Exported:
    """The bytes of a run and of its qrels, and the audit of the file that the run's list comes from."""

    run: bytes
    qrels: bytes
    audit: Audit


def arm_run(
    snapshot: Snapshot,
    experiment: str,
    name: str,
    *,
    level: str = "chunk",
    listed: str = "candidates",
    first: int | None = None,
    project: Path = Path(),
    head: bool = True,
) -> Exported:
    """A list of an arm (`levels.LISTS`) at a level (`levels.LEVELS`), cut to its `first` passages, as a TREC run with its
    ir_metadata in comment lines in front unless `head` is false.

    Raises InputError for an unknown experiment or arm, and where the arm has not run.
    """
    stored = Stored(snapshot, experiment)
    arm = stored.arm(name)
    places = plan.lists(arm)
    place = places["candidates" if listed == "candidates" else "contexts"]
    audited = audit(stored.path(place), snapshot, project)
    with vouched_for(audited):
        chunks = from_records(Chunk, stored.lines(places["chunks"]))
        lists = (
            levels.of_candidates(ranking.from_records(stored.lines(place)), chunks)
            if listed == "candidates"
            else levels.of_contexts(context.from_records(stored.lines(place)), chunks)
        )
        exporter = levels.Exporter(
            chunks,
            from_records(Document, stored.lines("normalise/documents.jsonl")),
            from_records(Query, stored.lines("normalise/queries.jsonl")),
            gold.from_records(stored.lines("normalise/facts.jsonl")),
            gold.judgements_from_records(stored.lines("normalise/qrels.jsonl")),
            stored.section["score"]["coverage"],
        )
        made = exporter.run(lists, level, first)
        qrels = exporter.qrels(lists, level)
    tag = f"{experiment}.{arm.name}"
    lines = trec.run_lines(made, tag)
    if head:
        stage = "fuse" if listed == "candidates" else "select"
        records = stored.records(stage)
        (dataset,) = stored.values("validate/dataset.json")
        commit = audited.link(stage).commit
        if commit is not None:
            author = History(project, snapshot.commit or "HEAD").author(commit["hash"])
            commit = {"hash": commit["hash"], "author": author}
        what = ir_metadata.Listed(listed, level, first, stage)
        told = ir_metadata.metadata(tag, experiment, stored.section, arm, records, dataset, commit, what)
        lines = [*ir_metadata.header(told), *lines]
    return Exported(_text(lines), _text(trec.qrels_lines(qrels)), audited)


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
