"""dvc.yaml, written from the plan: one DVC stage for each stage and experiment, with all that it depends on."""

from pathlib import Path
from typing import Any

from spanledger.core.files import write
from spanledger.engine import closure, plan

_HEAD = """\
# Written by `make sync` from spanledger/engine/plan.py and the imports of the stage scripts; a test holds it to them.
# Each stage runs the Snakemake rules of its own name for one experiment of params.yaml.
"""
_PROFILE = "workflow/profiles/default"
# Small results that git tracks and DVC compares: never cached, never inside another output.
_PLOTS = {
    "arms.csv": {"x": "mean_cost", "y": "macro_recall", "template": "scatter", "title": "Recall against cost"},
    "frontier.csv": {"x": "mean_cost", "y": "value", "template": "linear", "title": "The primary metric against cost"},
}


def stages() -> dict[str, dict[str, Any]]:
    """The stages of dvc.yaml, by name."""
    return {stage: {"foreach": "${experiments}", "do": _stage(stage)} for stage in plan.STAGES}


def _stage(stage: str) -> dict[str, Any]:
    results = "results/${key}"
    record = f"{results}/provenance/{stage}.json"
    rules = f"{stage} score_trail" if stage == "score" else stage
    read = ["${item.dataset}"] if stage == "validate" else [f"{results}/{name}" for name in plan.READS[stage]]
    read += plan.FOLDERS.get(stage, ())
    written = [f"{results}/{name}" for name in plan.WRITES[stage]]
    code = ["Snakefile", "workflow/rules/common.smk", f"workflow/rules/{stage}.smk", *closure.dependencies(stage)]
    # Of a key that may be missing DVC takes no notice, it fails: what depends on one depends on the section as a whole.
    optional = set(plan.OPTIONAL) & set(plan.SECTIONS[stage])
    sections = ["${key}"] if optional else [f"${{key}}.{part}" for part in plan.SECTIONS[stage]]
    result: dict[str, Any] = {
        # Snakemake replaces its shell, so that the kernel kills it with DVC (see guard.die_with_parent).
        "cmd": f"exec snakemake --workflow-profile {_PROFILE} --allowed-rules {rules} {stage}_stage -- {record}",
        "deps": [*read, *code],
        "params": ["experiments.${key}"] if stage == "validate" else sections,
        "outs": [*(out for out in written if Path(out).name not in ("metrics.json", *_PLOTS)), record],
    }
    if stage == "report":
        result["metrics"] = [{f"{results}/metrics.json": {"cache": False}}]
        result["plots"] = [{f"{results}/{name}": {"cache": False, **plot}} for name, plot in _PLOTS.items()]
    return result


def text() -> str:
    """The text of dvc.yaml."""
    lines = [_HEAD, "stages:\n"]
    for name, stage in stages().items():
        do = stage["do"]
        lines += [f"  {name}:\n", f"    foreach: {stage['foreach']}\n", "    do:\n", f"      cmd: {do['cmd']}\n"]
        for key in ("deps", "params", "outs", "metrics", "plots"):
            if key in do:
                lines += [f"      {key}:\n", *(f"      - {_entry(entry)}\n" for entry in do[key])]
    return "".join(lines)


def _entry(entry: str | dict[str, dict[str, Any]]) -> str:
    if isinstance(entry, str):
        return entry
    ((path, options),) = entry.items()
    shown = ", ".join(
        f"{key}: {str(value).lower() if isinstance(value, bool) else value}" for key, value in options.items()
    )
    return f"{path}: {{{shown}}}"


def sync(project: Path) -> bool:
    """Writes dvc.yaml where it differs from the plan; returns whether it did."""
    path = project / "dvc.yaml"
    if path.is_file() and path.read_text(encoding="utf-8") == text():
        return False
    write(path, text().encode())
    return True
