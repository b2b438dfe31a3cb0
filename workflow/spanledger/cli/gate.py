"""`spanledger gate`: judges every gate of the results on disk, baselines too.

It ends with 0 where all pass, with 1 where one failed, and with 2 where none failed and one cannot be judged: the results
are missing or stale, the baseline is, it has another dataset, or the queries are too few. Bad input ends with 2 as well, so
that 1 says one thing alone.
"""

import sys
from functools import cache
from typing import Any

from spanledger import gates
from spanledger.cli.on_record import OnRecord, on_record
from spanledger.cli.terminal import gate_lines
from spanledger.core import files
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.engine import params
from spanledger.gates import Baseline
from spanledger.gates.leaks import Leaks, of_files
from spanledger.snapshot import Snapshot, open_snapshot

_NOT_COUNTED = "not counted again, the lists are not here; score, which fails on a leak, made these results"


def gate(experiments: list[str], as_json: bool = False) -> int:
    """Prints the verdicts on these experiments (none named: all of params.yaml), and returns the exit status."""
    try:
        settings = params.load("params.yaml")
        known = settings["experiments"]
        unknown = [name for name in experiments if name not in known]
        if unknown:
            raise InputError(Problem("params.yaml", field=name, message=nearest(name, known)) for name in unknown)
    except InputError as error:
        print(f"spanledger: {error}", file=sys.stderr)
        return 2
    verdicts = {name: judge(settings[name], name) for name in dict.fromkeys(experiments or known)}
    status = gates.status([verdict for found in verdicts.values() for verdict in found])
    if as_json:
        sys.stdout.write(files.document({"status": status, "experiments": verdicts}).decode())
        return status
    for name, found in verdicts.items():
        print(f"{name}:")
        if found[0]["found"] == gates.STALE:
            print(f"  {gates.STALE}: {found[0]['not_passed'][0]['reason']}")
        for verdict, line in zip(found, gate_lines(found), strict=True):
            print(line)
            failed = [entry for entry in verdict["not_passed"] if entry["status"] == gates.FAILED]
            for entry in failed if len(failed) > 1 else ():
                print(f"             {entry['arm']}: {entry['reason']}")
    print(_summary([verdict["status"] for found in verdicts.values() for verdict in found]))
    return status


def judge(section: dict[str, Any], experiment: str) -> list[dict[str, Any]]:
    """The verdicts on one experiment's results on disk; `section` is its resolved section of params.yaml."""
    workspace = open_snapshot()
    own = on_record(workspace, experiment)
    untrusted = own.untrusted and f"{own.untrusted}: run make repro"
    leaks: dict[str, Leaks] | str = _NOT_COUNTED
    if untrusted is None:
        try:
            leaks = _leaks(workspace, experiment, section)
        except (ValueError, LookupError, TypeError) as error:
            untrusted = f"the lists of its candidates and contexts cannot be read: {error}"

    @cache
    def baseline(name: str) -> Baseline:
        return _baseline(name, experiment, own, section)

    return gates.evaluate(section, own.rows, leaks, baseline, untrusted)


def _leaks(workspace: Snapshot, experiment: str, section: dict[str, Any]) -> dict[str, Leaks] | str:
    try:
        return of_files(section, lambda path: workspace.read(f"results/{experiment}/{path}"))
    except InputError:
        return _NOT_COUNTED


def _baseline(name: str, experiment: str, own: OnRecord, section: dict[str, Any]) -> Baseline:
    try:
        other = on_record(open_snapshot(name), experiment)
    except InputError as error:
        return Baseline(untrusted=str(error.problems[0]))
    if other.untrusted is not None:
        return Baseline(untrusted=f"at {name}: {other.untrusted}")
    if not own.datasets & other.datasets:
        return Baseline(untrusted=f"{name} has another dataset")
    if other.section["normalise"]["holdout"] != section["normalise"]["holdout"]:
        return Baseline(untrusted=f"{name} holds out other queries")
    return Baseline(other.rows, other.section["score"])


def _summary(statuses: list[str]) -> str:
    counts = ", ".join(f"{statuses.count(known)} {known}" for known in gates.STATUSES if known in statuses)
    return f"{len(statuses)} gate{'s' * (len(statuses) != 1)}: {counts}"
