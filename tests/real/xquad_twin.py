"""XQuAD by loops over plain tuples: a twin that shares no code with the library."""

import gzip
import json
import math
import re
from collections import Counter
from dataclasses import dataclass


def terms_of(language: str, text: str) -> list[str]:
    if language == "en":
        return re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text.lower())
    text = text.lower()
    pairs = [a + b for a, b in zip(text, text[1:], strict=False) if all("\u4e00" <= c <= "\u9fff" for c in a + b)]
    return pairs + re.findall(r"[a-z0-9]+", text)


@dataclass
class Articles:
    """`paragraphs` and `texts` (paragraphs joined by a blank line) by title; a question is (id, text, answer), an answer
    and a paragraph's place (title, start, end)."""

    texts: dict[str, str]
    paragraphs: dict[str, list[str]]
    questions: list[tuple[str, str, tuple[str, int, int]]]

    def places(self, title: str) -> list[tuple[str, int, int]]:
        """Where the paragraphs of an article stand."""
        found, start = [], 0
        for paragraph in self.paragraphs[title]:
            found.append((title, start, start + len(paragraph)))
            start += len(paragraph) + 2
        return found


def read(path) -> Articles:
    with gzip.open(path) as stream:
        articles = json.load(stream)["data"]
    texts, paragraphs, questions = {}, {}, []
    for article in articles:
        title, parts = article["title"], [p["context"] for p in article["paragraphs"]]
        texts[title], paragraphs[title] = "\n\n".join(parts), parts
        for place, paragraph in enumerate(article["paragraphs"]):
            shift = sum(len(p) + 2 for p in parts[:place])
            for question in paragraph["qas"]:
                start = shift + question["answers"][0]["answer_start"]
                answer = (title, start, start + len(question["answers"][0]["text"]))
                questions.append((question["id"], question["question"], answer))
    return Articles(texts, paragraphs, questions)


def windows(articles: Articles, size: int, overlap: int) -> list[tuple[str, int, int]]:
    """Windows of characters over every article as (title, start, end)."""
    chunks = []
    for title in sorted(articles.texts):
        text, start = articles.texts[title], 0
        while True:
            chunks.append((title, start, min(start + size, len(text))))
            if start + size >= len(text):
                break
            start += size - overlap
    return chunks


class Bm25:
    """Ranks chunks for a question: k1 1.2, b 0.75, the first 200."""

    def __init__(self, articles: Articles, language: str, chunks: list[tuple[str, int, int]]):
        self.language, self.chunks = language, chunks
        self.counted = [Counter(terms_of(language, articles.texts[t][s:e])) for t, s, e in chunks]
        self.lengths = [sum(c.values()) for c in self.counted]
        self.average = sum(self.lengths) / len(self.lengths)
        self.holders: dict[str, list[int]] = {}
        for number, counts in enumerate(self.counted):
            for term in counts:
                self.holders.setdefault(term, []).append(number)

    def rank(self, question: str) -> list[tuple[int, float]]:
        """(chunk, score), best first; equal scores by (title, start, end)."""
        scores: dict[int, float] = {}
        for term in sorted(set(terms_of(self.language, question))):
            df = len(self.holders.get(term, ()))
            idf = math.log(1 + (len(self.chunks) - df + 0.5) / (df + 0.5))
            for n in self.holders.get(term, ()):
                tf = self.counted[n][term]
                part = idf * tf * (1.2 + 1) / (tf + 1.2 * (1 - 0.75 + 0.75 * self.lengths[n] / self.average))
                scores[n] = scores.get(n, 0.0) + part
        return sorted(scores.items(), key=lambda pair: (-pair[1], self.chunks[pair[0]]))[:200]


def positions(chunks: list[tuple[str, int, int]]) -> set[tuple[str, int]]:
    """Every (title, place) that some of the chunks hold."""
    return {(title, place) for title, start, end in chunks for place in range(start, end)}
