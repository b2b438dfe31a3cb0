"""The dataset and the results of an experiment as Parquet files with typed columns.

corpus       a document version a row, with its raw text
queries      a question a row
facts        a span of evidence a row: of a fact any group is enough (OR), of a group every span is needed (AND); spans are
             half-open, in code points of the raw text
judgements   a judged document a row
chunks       a chunk of a chunking a row, in the order of its table
candidates   a candidate a row: the lists of each chunking, eligibility and fusion, in the order of queries and ranks
contexts     a passage a row: the contexts of each chunking, eligibility, fusion and selector
rows         an arm and question a row: the numbers of queries.jsonl, and in `measures` its span metrics and measures of
             documents by name, those that it has
outcomes     an arm, question and fact a row: at which checkpoints it is covered, where it was lost and what would keep it
             (`needed_unknown`: what may, and is not worked out, see `scoring.needed`)

Rows stand in the order of params.yaml and of the results. Every writer setting is fixed, so that one version of pyarrow
makes the same bytes of the same results.
"""

import importlib.util
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spanledger.core.errors import InputError, Problem
from spanledger.core.span_measures import span_measure
from spanledger.engine import plan
from spanledger.exports.stored import Stored
from spanledger.metrics import rounded

Row = dict[str, Any]
_ROW_GROUP = 2**17
_SPANS = "spans"
_STRINGS = "strings"
_NUMBERS, _COUNTS = "numbers", "counts"  # by name
_TYPES = {  # the columns of each file; names of types as `_type` reads them
    "corpus": {
        **{"doc_id": "string", "version": "string", "text": "string", "raw_sha256": "string", "current": "bool"},
        **{"visibility": "string", "acl": _STRINGS, "position": "int64"},
    },
    "queries": {
        **{"query_id": "string", "text": "string", "groups": _STRINGS, "versions": _STRINGS, "position": "int64"},
        **{"tags": _STRINGS, "no_answer": "string"},
    },
    "facts": {
        **{"query_id": "string", "fact_id": "string", "group": "int64", "doc_id": "string", "version": "string"},
        **{"start": "int64", "end": "int64"},
    },
    "judgements": {"query_id": "string", "doc_id": "string", "relevance": "int64"},
    "chunks": {
        **{"chunk": "string", "ordinal": "int64", "chunk_id": "string", "doc_id": "string", "version": "string"},
        **{"spans": _SPANS, "body": "string", "retrieval_text": "string", "acl": _STRINGS, "char": "int64"},
    },
    "candidates": {
        **{"chunk": "string", "eligibility": "string", "fuse": "string", "query_id": "string", "rank": "int64"},
        **{"chunk_id": "string", "score": "float64"},
    },
    "contexts": {
        **{"chunk": "string", "eligibility": "string", "fuse": "string", "select": "string", "query_id": "string"},
        **{"place": "int64", "doc_id": "string", "version": "string", "spans": _SPANS, "body": "string"},
        **{"chunk_ids": _STRINGS},
    },
    "rows": {
        **{"arm": "string", "query_id": "string", "required": "int64", "covered_index": "int64"},
        **{"covered_candidates": "int64", "covered_context": "int64", "recall": "float64", "first_rank": "int64"},
        **{"best_single": "int64", "candidate_count": "int64", "candidate_char": "int64", "not_current": "int64"},
        **{"cost_unit": "string", "cost": "int64", "unique_char": "int64", "duplicate_char": "int64"},
        **{"measures": _NUMBERS},
    },
    "outcomes": {
        **{"arm": "string", "query_id": "string", "fact_id": "string", "index": "bool", "candidates": "bool"},
        **{"context": "bool", "cause": "string", "needed_budget": "int64", "needed_top_k": "int64"},
        **{"needed_depth": _COUNTS, "needed_unknown": _STRINGS, "failures": _STRINGS},
    },
}
FILES = tuple(f"{name}.parquet" for name in _TYPES)


def ready() -> None:
    """Raises InputError where pyarrow is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError([Problem("--format", message="parquet needs pyarrow: pip install '.[parquet]'")])


def of_results(stored: Stored) -> dict[str, bytes]:
    """The files by name. Raises InputError as `ready` does, and where the experiment has not run."""
    ready()
    makers: dict[str, Callable[[Stored], Iterable[Row]]] = {
        "corpus": lambda stored: stored.lines("validate/documents.jsonl"),
        "queries": _queries,
        "facts": _facts,
        "judgements": lambda stored: stored.lines("normalise/qrels.jsonl"),
        "chunks": _chunks,
        "candidates": _candidates,
        "contexts": _contexts,
        "rows": _rows,
        "outcomes": _outcomes,
    }
    return {f"{name}.parquet": _written(name, makers[name](stored)) for name in _TYPES}


def _written(name: str, rows: Iterable[Row]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(column, _type(kind)) for column, kind in _TYPES[name].items()])
    columns: dict[str, list[Any]] = {column: [] for column in _TYPES[name]}
    for row in rows:
        for column, values in columns.items():
            values.append(row.get(column))
    for column, kind in _TYPES[name].items():
        if kind == _SPANS:
            columns[column] = [[{"start": start, "end": end} for start, end in spans] for spans in columns[column]]
    sink = io.BytesIO()
    parquet.write_table(
        pa.table(columns, schema=schema),
        sink,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        use_dictionary=True,
        write_statistics=True,
        row_group_size=_ROW_GROUP,
    )
    return sink.getvalue()


def _type(kind: str) -> Any:
    import pyarrow as pa

    if kind == _SPANS:
        return pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))
    if kind in (_NUMBERS, _COUNTS):
        return pa.map_(pa.string(), pa.float64() if kind == _NUMBERS else pa.int64())
    return pa.list_(pa.string()) if kind == _STRINGS else getattr(pa, {"bool": "bool_"}.get(kind, kind))()


def _queries(stored: Stored) -> Iterator[Row]:
    golds = {gold["query_id"]: gold for gold in stored.lines("normalise/facts.jsonl")}
    for query in stored.lines("normalise/queries.jsonl"):
        gold = golds[query["query_id"]]
        yield {**query, "tags": gold["tags"], "no_answer": gold["no_answer"]}


def _facts(stored: Stored) -> Iterator[Row]:
    for gold in stored.lines("normalise/facts.jsonl"):
        for fact in gold["facts"]:
            for number, group in enumerate(fact["support"], 1):
                for evidence in group:
                    place = {"query_id": gold["query_id"], "fact_id": fact["fact_id"], "group": number}
                    yield {**place, **evidence}


def _tables(stored: Stored) -> dict[str, list[Row]]:
    return {name: stored.lines(f"chunk/{name}.jsonl") for name in stored.section["chunk"]}


def _chunks(stored: Stored) -> Iterator[Row]:
    for name, chunks in _tables(stored).items():
        for chunk in chunks:
            yield {**chunk, "chunk": name, "char": chunk["lengths"]["char"]}


def _candidates(stored: Stored) -> Iterator[Row]:
    tables = _tables(stored)
    for key in plan.fusions(stored.section):
        place = dict(zip(("chunk", "eligibility", "fuse"), key, strict=True))
        for listed in stored.lines(f"fuse/{'/'.join(key)}.jsonl"):
            for rank, (ordinal, score) in enumerate(zip(listed["chunks"], listed["scores"], strict=True), 1):
                chunk_id = tables[key[0]][ordinal]["chunk_id"]
                yield {**place, "query_id": listed["query_id"], "rank": rank, "chunk_id": chunk_id, "score": score}


def _contexts(stored: Stored) -> Iterator[Row]:
    tables = _tables(stored)
    for key in plan.selections(stored.section):
        place = dict(zip(("chunk", "eligibility", "fuse", "select"), key, strict=True))
        chunks = tables[key[0]]
        for context in stored.lines(f"select/{'/'.join(key)}.jsonl"):
            pieces = context.get("pieces")
            passages = [chunks[o] | {"chunks": [o]} for o in context["chunks"]] if pieces is None else pieces
            for number, passage in enumerate(passages, 1):
                ids = [chunks[ordinal]["chunk_id"] for ordinal in passage["chunks"]]
                yield {**passage, **place, "query_id": context["query_id"], "place": number, "chunk_ids": ids}


def _rows(stored: Stored) -> Iterator[Row]:
    score = stored.section["score"]
    unit, spans = score["cost"]["unit"], score["span_metrics"]
    for row in stored.lines("queries.jsonl"):
        covered = {f"covered_{point}": number for point, number in row["covered"].items()}
        cost = {**row["cost"], "cost": row["cost"][unit], "cost_unit": unit}
        yield {**row, **covered, **cost, "measures": _measures(row, spans)}


def _measures(row: Row, spans: Iterable[str]) -> dict[str, float]:
    """The values by name: none of span metrics without facts, of documents without judgements, and of an unknown index."""
    counted = row.get("characters")
    found = {} if counted is None else {name: rounded(span_measure(name, counted)) for name in spans}
    return {name: value for name, value in {**found, **(row.get("documents") or {})}.items() if value is not None}


def _outcomes(stored: Stored) -> Iterator[Row]:
    for row in stored.lines("queries.jsonl"):
        for fact in row["facts"]:
            needed = {f"needed_{name}": value for name, value in (fact["needed"] or {}).items()}
            failures = [found["class"] for found in fact["failures"]]
            yield {**fact, **needed, "failures": failures, "arm": row["arm"], "query_id": row["query_id"]}
