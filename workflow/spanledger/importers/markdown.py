"""Imports folders of Markdown and text files: each folder one version of the same documents, with the blocks of Markdown as
elements."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from spanledger.core.errors import Problem, nearest, raise_problems
from spanledger.core.records import DocumentKey
from spanledger.importers import quoted, versioned_facts
from spanledger.importers.folder import settings_of, target_problems, write_dataset
from spanledger.importers.markup import Block, blocks, title
from spanledger.importers.placing import Placing
from spanledger.importers.questions import VERSION
from spanledger.importers.quotes import metadata
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import TextFile, read_texts

MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
TEXT = (".txt", ".text")


def import_markdown(
    source: Sequence[Path],
    out: Path,
    *,
    versions: Sequence[str] = (),
    questions: Path | None = None,
    evidence: Path | None = None,
    gold: str | None = None,
    files: str | None = None,
    fact_mode: str = "each",
    offset_unit: str = "code_point",
    name: str | None = None,
    language: str | None = None,
    licence: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, Any]:
    """Turns folders (or tar archives) into the dataset folder `out`; returns the report written there.

    Every file is a document called by its path below its folder; the same path in two folders is one document in two
    versions. The folders stand in the order of their versions: the last one is current, and a document that it lacks has
    no current version. `versions` names them; by default one folder is version 1, and several are called by their own
    names. Taken are files with the endings MARKDOWN and TEXT, or all whose names match the shell pattern `files`. Those of
    Markdown get elements (see `markup.blocks`) and their first title as metadata.

    `questions` is a table as for `import_quotes`, in which a column `version` may name another version than the current
    one; a column `answer` is read and not kept. `evidence` are JSON lines of spans by version (see `versioned_facts`), with
    offsets in `offset_unit`, of which those of the version `gold` are taken, by default the current one's. Without either
    the dataset has no questions. Rejections are as those of `import_quotes`; the report says which documents are in some
    versions alone. Raises InputError with all problems of malformed files.
    """
    folders, out = [Path(folder) for folder in source], Path(out)
    sources = Sources(encoding)
    kinds = versioned_facts.KINDS if evidence else quoted.KINDS
    report = ImportReport("markdown", ("documents", *kinds), kinds, kinds)
    names = _names(sources, folders, list(versions))
    if questions and evidence:
        sources.problems.append(Problem("--evidence", message="expected --questions or --evidence, not both"))
    if gold is not None and not evidence:
        sources.problems.append(Problem("--gold", message="says which spans of --evidence are taken: name that too"))
    elif gold is not None and gold not in names:
        sources.problems.append(Problem("--gold", message=f"is no version of these folders: {nearest(gold, names)}"))
    endings = () if files else (*MARKDOWN, *TEXT)
    texts: dict[DocumentKey, TextFile] = {}
    for version, folder in zip(names, folders, strict=False):
        called = version if len(folders) > 1 else None
        found = read_texts(sources, folder, report, pattern=files or "*", endings=endings, name=called)
        texts |= {(text.path, version): text for text in found}
    rows = quoted.read_rows(sources, Path(questions), versioned=True) if questions else []
    spans = versioned_facts.read_versioned(sources, Path(evidence)) if evidence else []
    raise_problems(target_problems(out) + sources.problems)
    current = {doc_id: version for doc_id, version in texts if version == names[-1]}
    placings = {key: Placing(text.text, offset_unit) for key, text in texts.items()}
    if evidence:
        version = gold or names[-1]
        made = versioned_facts.versioned_questions(
            report, spans, Path(evidence).name, placings, current, version, fact_mode
        )
    else:
        made = quoted.Quoted(report, placings, current).questions(rows, Path(questions or "").name, fact_mode)
        if answers := sum(bool(row["answer"]) for _, row in rows):
            report.notes["answers"] = f"{answers} answers were read and not kept: a dataset holds evidence, no answers"
    _compare(report, texts, names)
    documents, elements = [], []
    for (doc_id, version), text in texts.items():
        found = blocks(text.text) if doc_id.lower().endswith(MARKDOWN) else []
        named = metadata(text.title or title(found))
        documents.append({"doc_id": doc_id, "version": version, "text": text.text, **named})
        elements += _elements((doc_id, version), text.text, found)
    kept = {"documents": len(documents), "elements": len(elements), **made.kept(kinds[1])}
    written = report.document(sources.digests, kept)
    called = name or folders[-1].resolve().name
    told = (
        f"Imported from {' and '.join(folder.name or folder.resolve().name for folder in folders)}: Markdown and text."
    )
    settings = settings_of(called, told, language, licence)
    if len(folders) > 1:
        settings["current_versions"] = dict(sorted(current.items()))
    write_dataset(out, settings, documents, made.queries, written, elements=elements)
    return written


def _names(sources: Sources, folders: list[Path], given: list[str]) -> list[str]:
    """The versions of the folders, with what is wrong with them noted."""
    names = given or ([VERSION] if len(folders) == 1 else [folder.resolve().name for folder in folders])
    if len(names) != len(folders):
        message = f"expected as many names as folders, {len(folders)}, found {len(names)}"
        sources.problems.append(Problem("--versions", message=message))
    for version in dict.fromkeys(version for version in names if names.count(version) > 1):
        message = f"two folders would both be version {version!r}: name the versions, in the order of the folders"
        sources.problems.append(Problem("--versions", message=message))
    for version in dict.fromkeys(names):
        if not version or "/" in version:
            sources.problems.append(Problem("--versions", message=f"expected a name without /, found {version!r}"))
    return names


def _compare(report: ImportReport, texts: dict[DocumentKey, TextFile], names: list[str]) -> None:
    """Notes which documents stand in some of the versions alone, and how many are the same in all."""
    if len(names) < 2:
        return
    known: dict[str, list[str]] = {}
    for doc_id, version in texts:
        known.setdefault(doc_id, []).append(version)
    partly = {doc_id: found for doc_id, found in sorted(known.items()) if len(found) < len(names)}
    same = [
        doc_id
        for doc_id, found in known.items()
        if len(found) == len(names) and len({texts[doc_id, version].text for version in found}) == 1
    ]
    report.notes["versions"] = {
        "current": names[-1],
        "in_all": len(known) - len(partly),
        "unchanged": len(same),
        "not_in_all": partly,
    }


def _elements(key: DocumentKey, text: str, found: list[Block]) -> Iterator[dict[str, Any]]:
    """The blocks of a document as lines of elements.jsonl, numbered from 1 in their order."""
    doc_id, version = key
    names = [f"{version}/{doc_id}#{number}" for number in range(1, len(found) + 1)]
    for element_id, block in zip(names, found, strict=True):
        yield {
            "element_id": element_id,
            "doc_id": doc_id,
            "version": version,
            "start": block.span[0],
            "end": block.span[1],
            "text": text[slice(*block.span)],
            "kind": block.kind,
            "section_path": list(block.section),
            **({} if block.header is None else {"header_id": names[block.header]}),
        }
