"""The holdout: the queries that tuning never sees. Stage normalise and runs in memory split a dataset by this one rule.

Whether a query is held out depends on its id, the seed and the share, and on nothing else: no other query, their number
or their order can move it, and a greater share holds out all that a smaller one did.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from spanledger.core.errors import InputError, Problem

DEVELOPMENT, HOLDOUT, ALL = "development", "holdout", "all"
PARTS = (DEVELOPMENT, HOLDOUT, ALL)
_BITS = 256


class OfQuery(Protocol):
    """A query, or what belongs to one."""

    @property
    def query_id(self) -> str: ...


Item = TypeVar("Item", bound=OfQuery)


@dataclass(frozen=True, slots=True)
class Holdout:
    """A query is held out when the SHA-256 of the UTF-8 bytes of the seed in decimal, one LF and the query's id, read as
    a big-endian integer and divided by 2**256, is below the share. The comparison is exact."""

    share: Fraction
    seed: int

    @classmethod
    def of(cls, setting: dict[str, Any]) -> "Holdout":
        """From the resolved setting normalise.holdout: its share is decimal text."""
        return cls(Fraction(setting["share"]), setting["seed"])

    def holds(self, query_id: str) -> bool:
        """Whether the query of this id is held out."""
        digest = hashlib.sha256(f"{self.seed}\n{query_id}".encode()).digest()
        return int.from_bytes(digest) * self.share.denominator < self.share.numerator << _BITS


def take(items: Sequence[Item], setting: dict[str, Any] | None, part: str = DEVELOPMENT) -> list[Item]:
    """Those of some queries, or of what belongs to them, that are in a part; order kept.

    `setting` is the resolved normalise.holdout; where it is None, all are in the development part. Raises InputError
    where the holdout is asked for and there is none, and where all of the queries would be held out, which leaves
    nothing to tune on; and ValueError for an unknown part.
    """
    if part not in PARTS:
        raise ValueError(f"part '{part}': expected one of {', '.join(PARTS)}")
    if setting is None:
        if part == HOLDOUT:
            raise _error("normalise.holdout", "there is no holdout: set its share, as {share: 0.2}")
        return list(items)
    holdout = Holdout.of(setting)
    held = [holdout.holds(item.query_id) for item in items]
    if held and all(held):
        raise _error(
            "normalise.holdout.share",
            f"{setting['share']} with seed {setting['seed']} holds out all of the {len(held)} queries: none is left for "
            "the development part",
        )
    if part == HOLDOUT and not any(held):
        raise _error(
            "normalise.holdout.share",
            f"{setting['share']} with seed {setting['seed']} holds out none of the {len(held)} queries",
        )
    return [item for item, out in zip(items, held, strict=True) if part == ALL or out == (part == HOLDOUT)]


def _error(field: str, message: str) -> InputError:
    return InputError([Problem("params.yaml", field=field, message=message)])
