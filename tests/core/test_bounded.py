"""Which columns of the table of arms a gate may bound."""

from spanledger import experiment
from spanledger.core.bounded import ANSWERABLE, HIGHER, JUDGED, LOWER, NEITHER, QUERIES, UNANSWERABLE, bounded, meaning
from spanledger.core.causes import CAUSES
from spanledger.engine import params, schema

NAMES = ("arm", "chunk", "eligibility", "fuse", "select", "cost_unit")
SIZES = ("queries", "answerable_queries", "no_answer_queries", "facts")  # those of the dataset


def score(cutoffs=(), documents=()):
    given = {"cutoffs": list(cutoffs), "document_metrics": list(documents)}
    return schema.defaults(given, "params", "score")


def test_every_other_column_of_the_table_may_be_bounded(project):
    made = experiment.run(params.load(project / "params.yaml"), project / "fixtures" / "structure_lab", "structure_lab")
    columns = set(made.files["arms.csv"].decode().splitlines()[0].split(","))
    assert columns == {*NAMES, *SIZES, *bounded(score([1, 3])), *(f"lost_{cause}" for cause in CAUSES)}


def test_recall_is_better_higher_and_cost_and_losses_are_lower():
    known = bounded(score([5]))
    assert {known[name].better for name in ("macro_recall", "macro_recall_at_5", "complete_at_5", "mrr")} == {HIGHER}
    assert {known[name].better for name in ("mean_cost", "mean_duplicate_char", "index_records")} == {LOWER}
    assert {meaning({"metric": None, "loss": cause}, score()).better for cause in CAUSES} == {LOWER}


def test_a_metric_is_taken_over_the_queries_that_it_is_defined_for():
    known = bounded(score(documents=["AP"]))
    assert {known[n].queries for n in ("macro_recall", "complete_rate", "mean_cost_answerable")} == {ANSWERABLE}
    assert known["mean_cost"].queries == QUERIES and known["no_answer_accuracy"].queries == UNANSWERABLE
    assert known["char_iou"].queries == ANSWERABLE and known["AP"].queries == JUDGED


def test_the_published_kind_of_a_metric_is_no_goal():
    assert (
        bounded({**score(), "span_metrics": ["precision_omega_published"]})["precision_omega_published"].better
        == NEITHER
    )


def test_the_schema_knows_every_cause():
    assert schema.load("params")["$defs"]["gate"]["properties"]["loss"]["enum"] == [*CAUSES, None]


def test_the_page_of_the_design_says_which_way_each_is_better(project):
    text = (project / "docs" / "design.md").read_text(encoding="utf-8")
    for name, metric in bounded({**score(), "document_metrics": []}).items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| {metric.better} |")]
        assert f"`{name}`" in line
