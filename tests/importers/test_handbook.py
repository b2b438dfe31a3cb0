"""The bundled example: it imports without a fault, and moves from its first version to its second as the docs say."""

from collections import Counter
from pathlib import Path

from spanledger.dataset import load
from spanledger.importers.markdown import import_markdown
from spanledger.reanchor import reanchor

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_ten_questions_on_the_second_version(tmp_path):
    report = import_markdown([EXAMPLES / "handbook/2.0"], tmp_path / "out", questions=EXAMPLES / "ten_questions.csv")
    assert report["rejected"] == {"questions": [], "quotes": []}
    assert (report["kept"]["questions"], report["kept"]["answerable_questions"], report["kept"]["quotes"]) == (
        10,
        9,
        10,
    )


def test_both_versions(tmp_path):
    folders = [EXAMPLES / "handbook" / version for version in ("1.0", "2.0")]
    report = import_markdown(folders, tmp_path / "out", questions=EXAMPLES / "ten_questions.csv")
    assert report["notes"]["versions"] == {
        "current": "2.0",
        "in_all": 5,
        "unchanged": 0,
        "not_in_all": {"faq.md": ["1.0"], "upgrade.md": ["2.0"]},
    }


def test_gold_of_the_first_version_on_the_second(tmp_path):
    table = EXAMPLES / "ten_questions_1.0.csv"
    import_markdown([EXAMPLES / "handbook/1.0"], tmp_path / "out", versions=["1.0"], questions=table)
    dataset = load(tmp_path / "out")
    new = {path.name: ("2.0", path.read_text(encoding="utf-8")) for path in (EXAMPLES / "handbook/2.0").iterdir()}
    found = reanchor(dataset.golds, {document.key: document.text for document in dataset.documents}, new)
    assert Counter(fact.status for fact in found) == {"moved": 2, "changed": 7, "gone": 1}
    places = {}
    for fact in found:
        ((one,),) = fact.anchors
        if one.status != "gone":
            start, end = (one.new or one.nearest.place).span
            places[fact.query_id] = new[one.old.doc_id][1][start:end]
    # where a text that was written anew ends is not known, its beginning is
    assert places.pop("q6").startswith("A webhook that answers with an error is tried again after 1, 5 and 25 minutes.")
    assert places.pop("q7").startswith("The result of every check is kept for 90 days.")
    assert places == {
        "q1": "Lantern needs Python 3.11 or later",
        "q2": "| `port` | 8800 | where the page is served |",
        "q3": "| `check_interval` | 30 | seconds between two checks of a service |",
        "q4": "as down when three checks in a row failed",
        "q5": "While a maintenance window is open, checks go on and no alerts are sent.",
        "q8": "A token may make 120 requests a minute.",
        "q9": "says in `Retry-After` how many",
    }
