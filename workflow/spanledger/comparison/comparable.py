"""Whether two arms may be compared at all, and what must be said if so."""

from dataclasses import dataclass

from spanledger.comparison.sides import Side
from spanledger.metrics import mean, rounded

# What a change of each part of the dataset does: a changed question or its gold can be left out, the others reach all.
_QUESTIONS = ("queries", "gold", "judgements")
_CORPUS = ("documents", "elements")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a comparison is refused or doubtful: a stable `code`, and a sentence."""

    code: str
    message: str


def refusals(a: Side, b: Side, common: bool) -> list[Reason]:
    """Why the figures of A and B must not be held against each other; none where they may. `common` allows other
    questions and other gold, because only the unchanged ones are then compared."""
    found = []
    for side in (a, b):
        if not side.intact:
            message = f"the scores of {side.name} in {side.experiment.place} are not those that its provenance names"
            found.append(Reason("changed_scores", message))
    changed = [part for part in a.experiment.dataset if a.experiment.dataset[part] != b.experiment.dataset[part]]
    corpus = [part for part in changed if part in _CORPUS]
    questions = [part for part in changed if part in _QUESTIONS]
    if corpus:
        found.append(Reason("dataset", f"other datasets: {_listed(corpus)} differ"))
    if questions and not common:
        hint = "" if corpus else "; the questions that both have unchanged can be compared with --common"
        found.append(Reason("questions", f"other questions: {_listed(questions)} differ{hint}"))
    if a.coverage != b.coverage:
        message = f"other coverage rules: A counts a fact by {_setting(a.coverage)}, B by {_setting(b.coverage)}"
        found.append(Reason("coverage", message))
    if a.cost != b.cost:
        found.append(Reason("cost", f"other costs: A counts {_setting(a.cost)}, B {_setting(b.cost)}"))
    return found


def warnings(a: Side, b: Side) -> list[Reason]:
    """What must be known to read the figures, in the order in which it matters."""
    found = []
    for experiment in {side.experiment.place: side.experiment for side in (a, b) if side.experiment.stale}.values():
        message = f"params.yaml has other settings than {experiment.place} was made with: make repro"
        found.append(Reason("stale", message))
    limits_a, limits_b = ({key: side.select.get(key) for key in ("top_k", "budget", "unit")} for side in (a, b))
    if limits_a != limits_b:
        found.append(Reason("budget", f"other budgets: A takes {_limits(limits_a)}, B {_limits(limits_b)}"))
    elif limits_a["budget"] is None and a.cost == b.cost:
        costs = [rounded(mean(row["cost"][side.cost["unit"]] for row in side.rows)) for side in (a, b)]
        if None not in costs and costs[0] != costs[1]:
            message = f"equal k is not an equal budget: a context costs {costs[0]:.1f} {a.cost['unit']} on average in A"
            found.append(Reason("unequal_cost", f"{message}, {costs[1]:.1f} in B"))
    if a.experiment.dataset["synonyms"] != b.experiment.dataset["synonyms"]:
        found.append(Reason("synonyms", "the synonym groups of the datasets differ"))
    if a.experiment.primary != b.experiment.primary:
        message = f"A's arms are compared by {a.experiment.primary}, B's by {b.experiment.primary}"
        found.append(Reason("primary", message))
    return found


def _listed(parts: list[str]) -> str:
    return " and ".join(parts)


def _setting(values: dict) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


def _limits(limits: dict) -> str:
    parts = [f"{limits['top_k']} chunks"] if limits["top_k"] is not None else []
    parts += [f"{limits['budget']} {limits['unit']}"] if limits["budget"] is not None else []
    return " and ".join(parts)
