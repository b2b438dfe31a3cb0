"""The number itself: as it stands in the tables, and worked out anew from queries.jsonl and the stages' counters."""

import csv
import io
import json
from typing import Any

import orjson

from spanledger import gold
from spanledger.audit.evidence import Files, Unavailable
from spanledger.audit.findings import Link
from spanledger.audit.target import Target
from spanledger.core.errors import InputError, Problem, nearest
from spanledger.core.files import file_sha256
from spanledger.core.records import Document, Query, from_records
from spanledger.engine import closure, plan
from spanledger.gates import leaks
from spanledger.report import judgements, report, tables

_NO_TABLE = "there is no arms.csv: run `make repro` first"
_CHOICES = ("arm", "chunk", "eligibility", "fuse", "select")


def named(target: Target, files: Files, section: dict[str, Any] | None) -> Any:
    """The value of a metric as arms.csv has it (metrics.json where there is no arms.csv); None where it is null, or where
    neither is there but the experiment is planned with this arm.

    Raises InputError for an arm or a metric that the tables do not have, with the nearest that they have.
    """
    cells, headline = table(target.experiment, files), headlines(target.experiment, files)
    arms = (
        set(cells) | set(headline) or {arm.name for arm in plan.arms(section)}
        if section
        else set(cells) | set(headline)
    )
    if not arms:
        raise InputError([Problem(str(target), message=_NO_TABLE)])
    if target.arm not in arms:
        message = f"no arm of {target.experiment} is called '{target.arm}': {nearest(target.arm, arms)}"
        raise InputError([Problem(str(target), message=message)])
    held = {**headline.get(target.arm, {}), **cells.get(target.arm, {})}
    metrics = [name for name in held if name not in _CHOICES]
    if metrics and target.metric not in metrics:
        message = f"no metric is called '{target.metric}': {nearest(target.metric, metrics)}"
        raise InputError([Problem(str(target), message=message)])
    return held.get(target.metric)


def table(experiment: str, files: Files) -> dict[str, dict[str, Any]]:
    """The rows of arms.csv by arm, each value a number, text, or None for an empty field; none where it cannot be read."""
    try:
        text = files.read(f"results/{experiment}/arms.csv").decode("utf-8")
    except (Unavailable, UnicodeDecodeError):
        return {}
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return {row["arm"]: {key: _value(cell) for key, cell in row.items() if key} for row in rows if row.get("arm")}


def headlines(experiment: str, files: Files) -> dict[str, dict[str, Any]]:
    """The arms of metrics.json with their numbers; none where it cannot be read."""
    try:
        held = json.loads(files.read(f"results/{experiment}/metrics.json"))
    except (Unavailable, ValueError):
        return {}
    arms = held.get(experiment) if isinstance(held, dict) else None
    return {arm: row for arm, row in arms.items() if isinstance(row, dict)} if isinstance(arms, dict) else {}


def _value(cell: Any) -> Any:
    if not isinstance(cell, str) or cell == "":
        return None
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


class Recount:
    """Works out what the report says from what it reads, with the section that its run used."""

    def __init__(self, files: Files, experiment: str, section: dict[str, Any] | None, report_code: dict[str, str]):
        self._files = files
        self._experiment = experiment
        self._section = section
        self._foreign = [
            path
            for path, digest in report_code.items()
            if path.startswith("workflow/spanledger/") and _here(path) != digest
        ]

    def check_metric(self, link: Link, target: Target) -> None:
        """Compares a metric's value in arms.csv, in metrics.json where it is there, and worked out anew."""
        cells = table(self._experiment, self._files).get(target.arm)
        place = f"results/{self._experiment}"
        if cells is None:
            link.find("missing", f"{place}/arms.csv", f"has no row of {target.arm} that could be read")
            return
        value = cells.get(target.metric)
        headline = headlines(self._experiment, self._files).get(target.arm, {})
        said = [f"arms.csv: {_shown(value)}"]
        if target.metric in headline:
            said.append(f"metrics.json: {_shown(headline[target.metric])}")
            if headline[target.metric] != value:
                reason = f"says {_shown(headline[target.metric])}, arms.csv {_shown(value)}"
                link.find("number_differs", f"{place}/metrics.json", reason)
        row = self._anew(link, self._arm_rows)
        if row is None:
            link.notes += said
            return
        again = next((each for each in row if each["arm"] == target.arm), {})
        if target.metric not in again:
            link.notes.append(f"this version of the code knows no metric {target.metric}")
        elif again[target.metric] != value or isinstance(again[target.metric], float) != isinstance(value, float):
            reason = f"says {_shown(value)}, its lines of queries.jsonl make {_shown(again[target.metric])}"
            self._differs(link, f"{place}/arms.csv", reason)
        else:
            said.append(f"worked out anew from queries.jsonl: {_shown(again[target.metric])}")
        link.notes += said

    def check_files(self, link: Link, path: str) -> None:
        """Compares the report's files, or one of them, with those made anew from what the report reads."""
        made = self._anew(link, self._report)
        place = f"results/{self._experiment}"
        wanted = {name: data for name, data in (made or {}).items() if path in (place, f"{place}/{name}")}
        same = []
        for name, data in wanted.items():
            try:
                held = self._files.read(f"{place}/{name}")
            except Unavailable:
                continue  # told by the report's own link
            if held == data:
                same.append(name)
            else:
                self._differs(
                    link, f"{place}/{name}", "made anew from queries.jsonl, counters and texts it has other bytes"
                )
        if same:
            link.notes.append(
                f"made anew from queries.jsonl, counters and texts, with the same bytes: {', '.join(same)}"
            )

    def _differs(self, link: Link, path: str, reason: str) -> None:
        if self._foreign:
            link.notes.append(f"{path}: {reason}; but by other code than its run's ({self._foreign[0]})")
        else:
            link.find("number_differs", path, reason)

    def _anew(self, link: Link, make: Any) -> Any:
        """What `make` makes; None, with a note, where something that it needs is missing or of another version."""
        if self._section is None:
            link.notes.append(
                "not worked out anew: the report's record does not hold its parameters as this version has them"
            )
            return None
        try:
            return make()
        except Unavailable as error:
            link.notes.append(f"not worked out anew: {error}")
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            reason = f"cannot be worked out anew ({type(error).__name__}: {error})".replace("\n", " ")
            self._differs(link, f"results/{self._experiment}/queries.jsonl", reason)
        return None

    def _arm_rows(self) -> list[dict[str, Any]]:
        return tables.arm_rows(self._section, self._lines("queries.jsonl"), self._counters())

    def _report(self) -> dict[str, bytes]:
        return report(
            self._experiment,
            self._section,
            orjson.loads(self._bytes("validate/dataset.json")),
            self._lines("queries.jsonl"),
            gold.from_records(self._lines("normalise/facts.jsonl")),
            from_records(Document, self._lines("validate/documents.jsonl")),
            from_records(Query, self._lines("normalise/queries.jsonl")),
            self._counters(),
            leaks.of_files(self._section, self._bytes),
            self._judgements(),
        )

    def _judgements(self) -> judgements.Sheet:
        path = plan.judgements(self._experiment)
        return (
            judgements.parse(self._files.read(path), path) if self._files.snapshot.exists(path) else judgements.Sheet()
        )

    def _counters(self) -> dict[str, dict[tuple[str, str], dict[str, Any]]]:
        return {
            arm.name: {key: orjson.loads(self._bytes(path)) for key, path in plan.counters(self._section, arm).items()}
            for arm in plan.arms(self._section)
        }

    def _bytes(self, name: str) -> bytes:
        return self._files.read(f"results/{self._experiment}/{name}")

    def _lines(self, name: str) -> list[Any]:
        return [orjson.loads(line) for line in self._bytes(name).splitlines()]


def _here(path: str) -> str | None:
    place = closure.PROJECT / path
    return file_sha256(place) if place.is_file() else None


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)
