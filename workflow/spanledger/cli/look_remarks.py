"""What the looks at a holdout mean for its numbers: repeats, tuning, and queries that changed sides."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spanledger.cli.looks import Look, described
from spanledger.core import files
from spanledger.holdout import Holdout

Remark = tuple[str, str]  # a code and a sentence


def query_ids(experiment: str) -> list[str] | None:
    """The ids of all queries of the dataset, as validate has found them; None without results."""
    path = Path("results", experiment, "validate", "queries.jsonl")
    return [record["query_id"] for record in files.read_lines(path)] if path.is_file() else None


def of_look(looks: list[Look]) -> Iterator[Remark]:
    """On the last look, in view of those before it."""
    *earlier, now = looks
    same = ("parameters", "dataset", "code", "query_ids")
    for look in earlier:
        if all(look[key] == now[key] for key in same) and set(now["arms"]) <= set(look["arms"]):
            yield (
                "repeat",
                f"the same as look {look['look']} of {look['time']}, with the same parameters, data and code: it says "
                "nothing new",
            )
            break
    for key, what in (("dataset", "the dataset"), ("code", "the code")):
        if earlier and earlier[-1][key] != now[key]:
            yield f"other_{key}", f"{what} has changed since look {earlier[-1]['look']}"
    if now["dirty"]:
        yield "uncommitted", "tracked files differ from the commit, which alone does not make these numbers again"


def of_ledger(looks: list[Look], setting: dict[str, Any] | None, ids: Iterable[str] | None) -> Iterator[Remark]:
    """On all looks, in view of the present setting normalise.holdout and the ids of the queries (None: not known)."""
    if len({look["parameters"] for look in looks}) > 1:
        yield (
            "tuning",
            f"{described(looks)}: the holdout is used for tuning, and its numbers are no longer those of unseen queries",
        )
    yield from _moved(looks, setting, ids)


def _moved(looks: list[Look], setting: dict[str, Any] | None, ids: Iterable[str] | None) -> Iterator[Remark]:
    splits = [look for look in looks if look["holdout"] != setting]
    if not splits:
        return
    before = [Holdout.of(look["holdout"]) for look in splits]
    if setting is None:
        what = "there is no holdout any more"
    else:
        last = splits[-1]
        share, seed = (last["holdout"][key] for key in ("share", "seed"))
        what = f"the split has changed since look {last['look']} (then share {share}, seed {seed})"
    if ids is None:
        yield "split_changed", f"{what}: queries have changed sides between tuning and holdout"
        return
    ids = list(ids)
    now = None if setting is None else Holdout.of(setting)
    held = [name for name in ids if now is not None and now.holds(name)]
    others = set(ids) - set(held)
    seen = sum(any(old.holds(name) for old in before) for name in others)
    tuned = sum(not all(old.holds(name) for old in before) for name in held)
    parts = [f"{tuned} of the {len(held)} queries of this holdout were in the development part"] if held else []
    parts.append(f"{seen} of the {len(others)} queries of the development part were looked at")
    yield "split_changed", f"{what}: {', and '.join(parts)}"
