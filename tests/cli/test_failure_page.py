"""docs/failures.md is what the words say, and the settings that its fixes name are real ones."""

import re
from pathlib import Path

from spanledger.chunking import METHODS
from spanledger.cli import failure_page
from spanledger.core.failures import CLASSES
from spanledger.engine import schema
from spanledger.report import words

PROJECT = Path(__file__).resolve().parents[2]


def test_the_page_on_disk_is_up_to_date():
    assert (PROJECT / "docs" / "failures.md").read_text(encoding="utf-8") == failure_page.text()


def test_a_row_for_each_class_in_order():
    rows = [line for line in failure_page.text().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(CLASSES)
    assert all(len(row.split(" | ")) == 4 for row in rows)


def test_fixes_name_settings_and_methods_that_there_are():
    definitions = schema.load("params")["$defs"]
    dataset = schema.load("dataset")["$defs"]
    keys = {
        key for definition in (*definitions.values(), *dataset.values()) for key in definition.get("properties", {})
    }
    known = keys | set(METHODS) | {"char", "drop", "document", "acl", "synonym_groups"}
    named = {
        part
        for _, _, fix, _ in words.FAILURES.values()
        for quoted in re.findall(r"`([^`]+)`", fix)
        for part in re.findall(r"\w+", quoted)
    }
    assert len(named) > 20 and named - known == set()


def test_sync_writes_once(tmp_path):
    assert failure_page.sync(tmp_path) is True
    assert failure_page.sync(tmp_path) is False
