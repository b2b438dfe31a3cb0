"""Every published data set beside the project from `spanledger import` to its report, as a user would set it up.

What the rows say of the evidence is worked out again from the chunks by sets of characters, without the library.
"""

import csv
import io

import pytest

from spanledger.cli import main
from spanledger.dataset import load
from spanledger.experiment import run

pytestmark = pytest.mark.real

WORDS, CHINESE, ENGLISH = "unicode_words", "jieba", "english"
BUDGET = 1500

# data set -> what is imported and how, the analyzer, how many questions and facts there are
SETS = {
    "chroma": (("chroma", "chroma"), ENGLISH, 472, 790),
    "xquad_en": (("squad", "xquad/xquad.en.json.gz"), ENGLISH, 1190, 1190),
    "xquad_zh": (("squad", "xquad/xquad.zh.json.gz"), CHINESE, 1190, 1190),
    "xquad_ar": (("squad", "xquad/xquad.ar.json.gz"), WORDS, 1190, 1190),
    "cmrc2018": (("squad", "cmrc2018/cmrc2018_trial.json.gz"), CHINESE, 995, 995),
    "covidqa": (("squad", "covidqa/200421_covidQA.json.gz"), ENGLISH, 1098, 1098),
    "tydiqa": (("tydi", "tydiqa/tiny_dev.jsonl.gz", "--answers", "passage"), WORDS, 11, 6),
    "scifact": (
        ("trec", "scifact/documents.jsonl.gz", "--topics", "scifact/topics.test.tsv")
        + ("--qrels", "scifact/qrels.test.txt", "--facts", "whole-document"),
        ENGLISH,
        300,
        339,
    ),
    "cacm": (
        ("trec", "cacm/cacm.tar.gz", "--topics", "cacm/topics.cacm.txt")
        + ("--qrels", "cacm/qrels.cacm.txt", "--ignore-zeros", "--facts", "whole-document"),
        ENGLISH,
        64,
        796,
    ),
}


def section(analyzer):
    return {
        "normalise": {},
        "chunk": {"windows": {"method": "window", "unit": "char", "chunk_size": 500, "chunk_overlap": 100}},
        "eligibility": {"all": {}},
        "index": {"terms": {"analyzer": analyzer}},
        "retrieve": {"bm25": {"index": "terms", "scorer": "bm25", "k1": 0.9, "b": 0.4, "depth": 100}},
        "fuse": {"single": {"branches": ["bm25"]}},
        "select": {"chars": {"budget": BUDGET, "unit": "char"}},
        "score": {"coverage": {"rule": "span"}},
        "report": {},
        "arms": "grid",
    }


def held(fact, chunks):
    """Whether the chunks hold all characters of one of the groups of a fact's evidence."""

    def missing(one):
        places = set(range(*one.span))
        for chunk in chunks:
            if chunk.key == one.key:
                for start, end in chunk.spans:
                    places.difference_update(range(max(start, one.span[0]), min(end, one.span[1])))
        return places

    return any(not any(map(missing, group)) for group in fact.support)


@pytest.mark.parametrize("name", SETS)
def test_from_import_to_report(name, shared, tmp_path, capsys):
    (kind, source, *options), analyzer, questions, facts = SETS[name]
    data = shared / "data"
    if not (data / source).exists():
        pytest.skip(f"{source} is not in ../shared/data")
    options = [str(data / word) if "/" in word else word for word in options]
    with pytest.raises(SystemExit) as ended:
        main(["import", kind, str(data / source), *options, "--out", str(tmp_path / name)])
    assert ended.value.code == 0
    assert str(questions) in capsys.readouterr().out.replace(",", "")

    dataset = load(tmp_path / name)
    assert (len(dataset.queries), sum(len(gold.facts) for gold in dataset.golds)) == (questions, facts)
    results = run({"experiments": {name: {"dataset": str(tmp_path / name)}}, name: section(analyzer)}, dataset)

    chunks, key = results.chunks["windows"], ("windows", "all", "single")
    candidates = {ranking.query_id: ranking.chunks for ranking in results.candidates[key]}
    contexts = {context.query_id: context.chunks for context in results.contexts[*key, "chars"]}
    golds = {gold.query_id: gold for gold in dataset.golds}
    assert len(results.rows) == questions
    recalls = []
    for row in results.rows:
        query_id, wanted = row["query_id"], golds[row["query_id"]].facts
        sent = [chunks[ordinal] for ordinal in contexts[query_id]]
        assert sum(len(chunk.body) for chunk in sent) == row["cost"]["char"] <= BUDGET
        found = [chunks[ordinal] for ordinal in candidates[query_id]]
        for checkpoint, chosen in (("candidates", found), ("context", sent)):
            assert row["covered"][checkpoint] == sum(held(fact, chosen) for fact in wanted), (query_id, checkpoint)
        if wanted:
            recalls.append(row["covered"]["context"] / len(wanted))

    (arm,) = csv.DictReader(io.StringIO(results.files["arms.csv"].decode()))
    assert float(arm["macro_recall"]) == pytest.approx(sum(recalls) / len(recalls), abs=1e-12)
    page = results.files["report.html"].decode()
    assert name in page and "windows+all+single+chars" in page
    assert b"<script src" not in results.files["report.html"]
