"""What an audit may be asked about, and how far its chain goes."""

import pytest

from spanledger.audit.target import chain, parse, producer
from spanledger.core.errors import InputError

KNOWN = {"fusion", "evidence_mapping"}
ALL = ["report", "score", "select", "fuse", "retrieve", "index", "chunk", "normalise", "validate"]


@pytest.mark.parametrize(
    ("text", "stage", "path"),
    [
        ("results/fusion/queries.jsonl", "score", "results/fusion/queries.jsonl"),
        ("./results/fusion/queries.jsonl", "score", "results/fusion/queries.jsonl"),
        ("results/fusion/score/a+b.jsonl", "score", "results/fusion/score/a+b.jsonl"),
        ("results/fusion/chunk/", "chunk", "results/fusion/chunk"),
        ("results/fusion/provenance/index.json", "index", "results/fusion/provenance/index.json"),
        ("results/fusion/metrics.json", "report", "results/fusion/metrics.json"),
        ("results/fusion", "report", "results/fusion"),
    ],
)
def test_a_file_belongs_to_the_stage_that_writes_it(text, stage, path):
    target = parse(text, KNOWN)
    assert (target.experiment, target.stage, target.path, target.arm) == ("fusion", stage, path, None)


def test_an_absolute_path_into_the_project(tmp_path):
    assert parse(str(tmp_path / "results" / "fusion" / "arms.csv"), KNOWN, tmp_path).path == "results/fusion/arms.csv"


def test_a_metric_has_an_arm_of_any_name():
    target = parse("evidence_mapping/overlap+all+single+top2/macro_recall", KNOWN)
    assert (target.arm, target.metric, target.stage) == ("overlap+all+single+top2", "macro_recall", "report")
    assert str(target) == "evidence_mapping/overlap+all+single+top2/macro_recall"
    assert parse("fusion/rrf-rule-d4/mean_cost", KNOWN).arm == "rrf-rule-d4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("results/fusion/qeries.jsonl", "did you mean 'queries.jsonl'"),
        ("results/fusoin/queries.jsonl", "did you mean 'fusion'"),
        ("fusoin/a/mrr", "did you mean 'fusion'"),
        ("results", "a file below results/EXPERIMENT/"),
        ("results/../params.yaml", "a file below results/EXPERIMENT/"),
        ("fusion/a", "experiment/arm/metric"),
        ("fusion//mrr", "experiment/arm/metric"),
        ("", "experiment/arm/metric"),
    ],
)
def test_what_is_no_target_is_told(text, message):
    with pytest.raises(InputError, match=message):
        parse(text, KNOWN)


def test_a_chain_goes_back_through_what_is_read():
    assert chain("report") == ALL
    assert chain("score") == ALL[1:]
    assert chain("chunk") == ["chunk", "normalise", "validate"]
    assert chain("validate") == ["validate"]


def test_the_stage_that_makes_a_file():
    assert producer("fusion", "results/fusion/queries.jsonl") == "score"
    assert producer("fusion", "results/fusion/index/a/b/c/class-1.jsonl") == "index"
    assert producer("fusion", "fixtures/fusion/queries.jsonl") is None
    assert producer("fusion", "results/fusion/queries.jsonl.bak") is None
