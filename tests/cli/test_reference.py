"""docs/reference.md is what the schemas say."""

from pathlib import Path

from spanledger.cli import reference

PROJECT = Path(__file__).resolve().parents[2]


def test_the_page_on_disk_is_up_to_date():
    assert (PROJECT / "docs" / "reference.md").read_text(encoding="utf-8") == reference.text()


def test_a_row_for_each_key_with_its_default():
    text = reference.text()
    assert "| `chunk_overlap` | integer from 0 | `0` |" in text
    assert "| `b` | number from 0 to 1 | `0.75` |" in text
    assert "| `cost.text` | `body`, `retrieval` | `body` |" in text
    units = (
        "char, word, lexical, byte, or a tokenizer: tiktoken/cl100k_base, or tokenizer/NAME for the file "
        "tokenizers/NAME.json"
    )
    assert f"| `cost.unit` | {units}; or analyzer | `char` |" in text
    assert "| `doc_id` | string | required |" in text


def test_every_key_says_what_it_means():
    rows = [line for line in reference.text().splitlines() if line.startswith("| `")]
    assert len(rows) > 50
    assert [row for row in rows if row.split("|")[-2].strip() == ""] == []


def test_sync_writes_once(tmp_path):
    assert reference.sync(tmp_path) is True
    assert reference.sync(tmp_path) is False
