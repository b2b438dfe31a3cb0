"""`spanledger failures`, on results as a run leaves them."""

import csv
import io
import shutil

import pytest

from spanledger.cli import main
from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.engine import yaml12
from spanledger.experiment import run

SHEET = "judgements/evidence_mapping.csv"


@pytest.fixture
def place(tmp_path, monkeypatch, project):
    """A folder with the results of one experiment."""
    shutil.copy(project / "params.yaml", tmp_path)
    raw = yaml12.read(project / "params.yaml")
    made = run(raw, load(project / "fixtures" / "evidence_mapping"), "evidence_mapping").files
    for name, data in made.items():
        path = tmp_path / "results" / "evidence_mapping" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["failures", *arguments])
    return ended.value.code, capsys.readouterr().out


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def test_the_table_fits_a_log_and_tells_fix_and_side_effect(place, capsys):
    status, out = command(capsys, "evidence_mapping")
    assert status == 0 and "\x1b" not in out and max(map(len, out.splitlines())) <= 100
    assert out.startswith("evidence_mapping: 3 facts lost by some arm, by failure class\n")
    assert "fixed+all+single+chars240             1     0     1" in out
    assert "[1] cut_condition, 4 over all arms\n    fix: More `chunk_overlap`" in out and "\n    but: Overlap" in out
    assert out.endswith("to judge them: spanledger failures evidence_mapping --out\n")
    assert not (place / "judgements").exists()


def test_a_sheet_is_written_judged_and_brought_up_to_date(place, capsys):
    assert command(capsys, "evidence_mapping", "--out")[1].endswith(f"4 lines to judge in {SHEET}\n")
    path = place / SHEET
    first = path.read_bytes()
    assert first.startswith(b"\xef\xbb\xbfquery_id,") and first.count(b"\r\n") == 5
    assert command(capsys, "evidence_mapping", "--out")[0] == 0 and path.read_bytes() == first
    edited = first.decode("utf-8-sig").replace('is idempotent.",,\r\n', 'is idempotent.",cut_condition,断条件\r\n', 1)
    path.write_bytes(edited.encode() + b"old,fact,acl,,,,,,version,=1+1\r\n")
    status, out = command(capsys, "evidence_mapping", "--out")
    assert "judged: 1 of 4 lines, 1 as the rules have it\n" in out
    assert "no longer applies: old, fact, acl (judged version)\n" in out
    kept = rows(path)
    assert [(row["judgement"], row["note"]) for row in kept] == [
        ("cut_condition", "断条件"),
        *[("", "")] * 3,
        ("version", "'=1+1"),
    ]
    assert "no longer applies: old" in command(capsys, "evidence_mapping")[1]


def test_a_sheet_elsewhere_is_told_not_to_be_read(place, capsys):
    out = command(capsys, "evidence_mapping", "--out", "mine.csv")[1]
    assert (
        out.endswith(f"4 lines to judge in mine.csv\nthe report reads {SHEET}\n") and len(rows(place / "mine.csv")) == 4
    )


def test_a_bad_sheet_is_left_as_it_is(place, capsys):
    path = place / SHEET
    path.parent.mkdir()
    path.write_text("query_id,fact_id,class,judgement,note\nq,f,acl,cut,\n")
    before = path.read_bytes()
    status, _ = command(capsys, "evidence_mapping", "--out")
    assert f"{SHEET}:2: judgement: 'cut' is no class: did you mean 'cut_table'? valid: acl" in status
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "told"),
    [("evidence_maping", "did you mean 'evidence_mapping'?"), ("fusion", "results/fusion: there are no results yet")],
)
def test_what_is_not_there_is_told(place, capsys, name, told):
    assert told in command(capsys, name)[0]


def test_results_from_before_the_classes_are_told(place, capsys):
    path = place / "results/evidence_mapping/queries.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"failures"', b'"other"'))
    assert "was made before there were failure classes: run make repro" in command(capsys, "evidence_mapping")[0]


def test_the_headline_names_the_lost_facts(place, capsys):
    from spanledger.cli.terminal import show

    show(["evidence_mapping"])
    told = "  lost, all arms together: 4 cut_condition, 4 repeated_text, 8 top_k_too_small; see the report\n"
    assert told in capsys.readouterr().out


def test_input_errors_are_what_the_library_raises(place):
    from spanledger.cli.failures import run as show

    with pytest.raises(InputError):
        show("nothing", None)
