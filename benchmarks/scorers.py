"""BM25 by arrays against the same formula in plain Python, on a made-up corpus: equal bits, and the ratio of times.

python benchmarks/scorers.py [CHUNKS] [QUERIES]
"""

import math
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from spanledger.core.ordering import tie_ranks
from spanledger.core.records import Chunk, Document, Query
from spanledger.retrieval import Retriever
from spanledger.retrieval.indexing import build_indexes

SETTING = {"index": "words", "scorer": "bm25", "k1": 1.2, "b": 0.75, "depth": 200, "tie": "document"}


def plain(index, terms: list[str], k1: float, b: float) -> dict[int, float]:
    """The scores of one query, term by term and chunk by chunk, in the operations' stated order."""
    scores: dict[int, float] = {}
    lengths = dict(zip(index.eligible, index.lengths, strict=True))
    count, average = len(index.eligible), index.average_length
    for term in terms:
        if term not in index.postings:
            continue
        ordinals, frequencies = index.postings[term]
        idf = math.log(1 + (count - len(ordinals) + 0.5) / (len(ordinals) + 0.5))
        for ordinal, tf in zip(ordinals, frequencies, strict=True):
            part = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[ordinal] / average))
            scores[ordinal] = scores.get(ordinal, 0.0) + part
    return scores


def main() -> None:
    chunks_wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    queries_wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    rng = random.Random(7)
    words = [f"w{int(rng.paretovariate(0.6))}" for _ in range(200_000)]
    texts = [" ".join(rng.choices(words, k=rng.randint(10, 60))) for _ in range(chunks_wanted)]
    documents = [Document(f"d{n:06}", "1", text, "", "") for n, text in enumerate(texts)]
    chunks = [Chunk(str(n), n, d.doc_id, "1", ((0, len(d.text)),), d.text, {}) for n, d in enumerate(documents)]
    queries = [Query(f"q{n}", " ".join(rng.choices(words, k=8)), position=n) for n in range(queries_wanted)]
    (index,), _ = build_indexes(chunks, documents, queries, {}, {"analyzer": "ascii_words"})
    retriever = Retriever(index, tie_ranks(chunks, "document"), "ascii_words", SETTING)

    start = time.perf_counter()
    by_arrays = [retriever.rank(query) for query in queries]
    arrays = time.perf_counter() - start

    start = time.perf_counter()
    by_loops = []
    for query in queries:
        scores = plain(index, retriever.terms(query), SETTING["k1"], SETTING["b"])
        by_loops.append(sorted(scores.items(), key=lambda item: (-item[1], chunks[item[0]].doc_id))[: SETTING["depth"]])
    loops = time.perf_counter() - start

    same = all(
        list(zip(r.chunks, r.scores, strict=True)) == found for r, found in zip(by_arrays, by_loops, strict=True)
    )
    print(f"{chunks_wanted} chunks, {queries_wanted} queries; equal to the last bit: {same}")
    print(f"arrays {arrays:.2f} s, plain Python {loops:.2f} s: {loops / arrays:.1f} times as fast")


if __name__ == "__main__":
    main()
