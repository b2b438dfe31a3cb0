"""`spanledger export-run`: the candidates of one arm as a TREC run."""

import sys
from pathlib import Path

from spanledger.core import files
from spanledger.exports.run import arm_run
from spanledger.snapshot import open_snapshot


def run(experiment: str, arm: str, out: Path, name: str | None, head: bool) -> int:
    """Writes the run of an arm in the workspace (None), or in a revision or DVC experiment; `head` is whether its
    ir_metadata stand in front. Warns where the chain behind it is not intact; returns 0."""
    data, audited = arm_run(open_snapshot(name), experiment, arm, head=head)
    files.write(out, data)
    lines = sum(not line.startswith(b"#") for line in data.splitlines())
    print(f"{out}: {lines} lines")
    if not audited.intact:
        print(f"warning: its chain is not intact; see: spanledger audit {audited.target}", file=sys.stderr)
    return 0
