"""`spanledger export-run`: a list of one arm as a TREC run, and its qrels."""

import sys
from pathlib import Path

from spanledger.core import files
from spanledger.core.errors import Problem, raise_problems
from spanledger.exports.run import arm_run
from spanledger.snapshot import open_snapshot


def run(
    experiment: str,
    arm: str,
    out: Path,
    qrels: Path | None,
    name: str | None,
    level: str,
    listed: str,
    first: int | None,
    head: bool,
) -> int:
    """Writes the run of an arm in the workspace (None), or in a revision or DVC experiment, and its qrels where they are
    wanted; `head` is whether its ir_metadata stand in front. Warns where the chain behind it is not intact; returns 0."""
    problems = []
    if first is not None and first < 1:
        problems.append(Problem("--first", message=f"expected a number of passages from 1 on, found {first}"))
    if qrels is not None and qrels.resolve() == out.resolve():
        problems.append(Problem("--qrels", message="is the file of the run too"))
    raise_problems(problems)
    made = arm_run(open_snapshot(name), experiment, arm, level=level, listed=listed, first=first, head=head)
    files.write(out, made.run)
    print(f"{out}: {sum(not line.startswith(b'#') for line in made.run.splitlines())} lines")
    if qrels is not None:
        files.write(qrels, made.qrels)
        print(f"{qrels}: {len(made.qrels.splitlines())} lines")
    if not made.audit.intact:
        print(f"warning: its chain is not intact; see: spanledger audit {made.audit.target}", file=sys.stderr)
    return 0
