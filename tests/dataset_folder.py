"""Writes small dataset folders, and tells the problems that loading one finds."""

import json
from pathlib import Path

import pytest

from spanledger.core.errors import InputError
from spanledger.dataset import load


def write(folder: Path, documents=(), queries=(), elements=None, settings=None, qrels=None) -> Path:
    """A dataset folder of these records. A table may be bytes, which are written as they are; settings too."""
    settings = {"name": "test"} if settings is None else settings
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in (("documents", documents), ("queries", queries), ("elements", elements), ("qrels", qrels)):
        if records is not None:
            data = records if isinstance(records, bytes) else b"".join(map(line, records))
            (folder / f"{name}.jsonl").write_bytes(data)
    data = settings if isinstance(settings, bytes) else json.dumps({"name": "test", **settings}).encode()
    (folder / "dataset.yaml").write_bytes(data)
    return folder


def line(record: dict) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def document(text=None, doc_id="d", version="v1", **rest) -> dict:
    return {"doc_id": doc_id, "version": version, **({} if text is None else {"text": text}), **rest}


def query(*evidence, query_id="q", **rest) -> dict:
    """A query with one fact, which every piece of `evidence` supports alone; without evidence it has no facts."""
    facts = [{"fact_id": "f", "support": [[one] for one in evidence]}] if evidence else []
    return {"query_id": query_id, "text": "what?", "facts": facts, **rest}


def span(start, end, doc_id="d", version="v1", **rest) -> dict:
    return {"doc_id": doc_id, "version": version, "start": start, "end": end, **rest}


def quote(text, doc_id="d", version="v1") -> dict:
    return {"doc_id": doc_id, "version": version, "quote": text}


def element(element_id="e", doc_id="d", version="v1", **rest) -> dict:
    return {"element_id": element_id, "doc_id": doc_id, "version": version, **rest}


def judgement(relevance=1, query_id="q", doc_id="d") -> dict:
    return {"query_id": query_id, "doc_id": doc_id, "relevance": relevance}


def problems(folder: Path) -> list[tuple[str, int, str, str, str]]:
    """(file name, line, record, field, message) of each problem, in the order in which they are told."""
    with pytest.raises(InputError) as caught:
        load(folder)
    found = caught.value.problems
    assert all(Path(problem.file).parent == folder or Path(problem.file) == folder for problem in found)
    return [(Path(p.file).name, p.line, p.record, p.field, p.message) for p in found]
