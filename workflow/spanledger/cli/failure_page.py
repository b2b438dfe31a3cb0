"""docs/failures.md, written from the words of the report: every failure class with its rule, fix and side effect."""

from pathlib import Path

from spanledger.core.failures import CLASSES
from spanledger.core.files import write
from spanledger.report import words

_HEAD = """\
# Failure classes

Written by `make sync` from `workflow/spanledger/report/words.py`; a test holds it to them. The rules are in
`workflow/spanledger/scoring/failures.py`.

The first cause says in which stage a required fact was lost, its failure class why, and so what to change. Classes stand
here in the order of precedence: what is proven before what is inferred, and what happens earlier in the pipeline before
what happens later. Several can hold for a fact; the first is the primary one, by which it is counted. A fact with several
support groups is judged by the group that came furthest: through the filter, into the index, among the candidates; of
equals by the one whose primary class stands last here. Spans that the context covers are not judged.

Terms are those of the arm's own analyzers, with synonyms where a branch expands. A title is the `title` of a document's
metadata (else its id), the `section_path` of an element, and the last element of the kind `heading` in front. What is a
table or code only elements say (`table_header`, `table_row`, `code`); a row that names no header has the first of its run.

| class | rule | fix | side effect |
|---|---|---|---|
"""
_TAIL = """
## Judgements

A class follows from rules, and rules err. `spanledger failures EXPERIMENT --out` writes `judgements/EXPERIMENT.csv`, a line
for each lost fact and primary class, with the arms, the question and the evidence. Write the class that you find right
into `judgement` (`unclassified`: none of them) and anything else into `note`; add columns as you like. Running the command
again brings the lines up to date and keeps all that was written: a line whose fact no arm loses to that class any more
stays at the end, without arms, as long as somebody wrote in it. The report shows judgements beside the classes and how
many agree, and refuses a sheet with an unknown class, a line twice or a missing column, each with line and column. DVC and
Snakemake know the folder as an input of the report: an edited sheet makes the reports anew and nothing else.

The file is UTF-8 with a byte order mark. Cells that begin with `=`, `+`, `-`, `@`, their full-width forms, a tab or a line
end are written with an apostrophe in front, so that no spreadsheet takes them for formulas, and read without it.
"""


def text() -> str:
    """The text of docs/failures.md."""
    rows = []
    for name in CLASSES:
        short, rule, fix, side_effect = words.FAILURES[name]
        rows.append(f"| `{name}` ({short}) | {rule} | {fix} | {side_effect} |\n")
    return _HEAD + "".join(rows) + _TAIL


def sync(project: Path) -> bool:
    """Writes docs/failures.md where it differs from the words; returns whether it did."""
    path = project / "docs" / "failures.md"
    if path.is_file() and path.read_text(encoding="utf-8") == text():
        return False
    write(path, text().encode())
    return True
