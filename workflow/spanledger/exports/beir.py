"""A dataset as a BEIR folder: corpus.jsonl, queries.jsonl and qrels/test.tsv, of documents or of the chunks of a chunking.

Ids are those of `items`: a document version is its doc_id, or doc_id@version where the dataset has several versions of one.
A text is what stands in the dataset, a chunk's what is searched; titles are left empty, because importers wrote them into
the text already. Qrels are judgements where the dataset has any, each for every version of its document; else relevant (1)
are the documents in which there is a span of a required fact. Of chunks they are the grades of `levels`: 2 covers a whole
fact, 1 a span of one.
"""

from collections.abc import Iterable, Mapping, Sequence

from spanledger.core import files
from spanledger.core.errors import InputError, Problem
from spanledger.core.records import Chunk, Document, Query
from spanledger.exports.items import document_names, encoded
from spanledger.gold import Gold, Judgement

Grades = Mapping[str, Mapping[str, int]]  # of the items of a query that have one, by query
QRELS = "qrels/test.tsv"


def of_documents(
    documents: Sequence[Document], queries: Sequence[Query], golds: Sequence[Gold], judgements: Sequence[Judgement]
) -> dict[str, bytes]:
    """The files of the folder by name; `documents` hold raw text. Lines are in the order of the documents, of the queries,
    and in a query of the judgements, or of its documents by doc_id and version."""
    names = document_names(document.key for document in documents)
    grades: dict[str, dict[str, int]] = {query.query_id: {} for query in queries}
    if judgements:
        versions: dict[str, list[str]] = {}
        for (doc_id, _), name in sorted(names.items()):
            versions.setdefault(doc_id, []).append(name)
        for judgement in judgements:
            grades[judgement.query_id] |= dict.fromkeys(versions[judgement.doc_id], judgement.relevance)
    else:
        for gold in golds:
            keys = {e.key for fact in gold.facts for group in fact.support for e in group}
            grades[gold.query_id] = dict.fromkeys((names[key] for key in sorted(keys)), 1)
    corpus = (
        {"_id": names[d.key], "title": "", "text": d.text, "metadata": {"doc_id": d.doc_id, "version": d.version}}
        for d in sorted(documents, key=lambda document: document.order)
    )
    return _folder(corpus, queries, grades)


def of_chunks(chunks: Sequence[Chunk], queries: Sequence[Query], grades: Grades) -> dict[str, bytes]:
    """The same of the chunks of one table, in its order; `grades` are those of `levels.Exporter.qrels` at chunk level.
    Raises InputError where no query has facts."""
    if not grades:
        raise InputError([Problem("--chunk", message="no query has facts, which say what chunks are relevant")])
    corpus = (
        {
            "_id": chunk.chunk_id,
            "title": "",
            "text": chunk.searched,
            "metadata": {"doc_id": chunk.doc_id, "version": chunk.version, "spans": chunk.spans},
        }
        for chunk in chunks
    )
    return _folder(corpus, queries, grades)


def _folder(corpus: Iterable[dict], queries: Sequence[Query], grades: Grades) -> dict[str, bytes]:
    ordered = sorted(queries, key=lambda query: query.order)
    lines = ["query-id\tcorpus-id\tscore"]
    lines += [
        f"{encoded(query.query_id)}\t{item}\t{grade}"
        for query in ordered
        for item, grade in grades.get(query.query_id, {}).items()
    ]
    return {
        "corpus.jsonl": files.lines(corpus),
        "queries.jsonl": files.lines({"_id": encoded(query.query_id), "text": query.text} for query in ordered),
        QRELS: "".join(f"{line}\n" for line in lines).encode(),
    }
