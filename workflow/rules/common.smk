# What all rules share: the resolved parameters, the code that a job depends on, and the guards of a run.
import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

PROJECT = Path(workflow.basedir)
sys.path.insert(0, str(PROJECT / "workflow"))
from spanledger.engine import closure, guard, plan
from spanledger.engine import params as parameters
from spanledger.core.errors import InputError

if config:
    raise WorkflowError("--config and --configfile are not tracked by DVC; edit params.yaml instead")
try:
    PARAMS = parameters.load("params.yaml")
except InputError as error:
    raise WorkflowError(str(error))
EXPERIMENTS = list(PARAMS["experiments"])

# A job replaces its shell, so that the kernel kills it with Snakemake (see guard.die_with_parent).
shell.prefix("set -euo pipefail; exec ")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

UNDER_DVC = os.environ.get("DVC_STAGE")  # stage@experiment
if UNDER_DVC and workflow.is_main_process:
    guard.die_with_parent()
    guard.drop_stale_lock(Path.cwd())
elif workflow.is_main_process and not getattr(workflow.dag_settings, "forceall", False):
    foreign = guard.not_made_here(
        Path("results", experiment, "provenance", f"{stage}.json")
        for experiment in EXPERIMENTS
        for stage in plan.STAGES
    )
    if foreign:
        raise WorkflowError(
            "these results were not made by snakemake in this folder, so it cannot tell what is stale:\n"
            + "\n".join(f"  {path}" for path in foreign)
            + "\nUse `dvc repro`, or make everything anew with `snakemake --cores all --forceall`."
        )


def fingerprint():
    """What the outputs of this run depend on beside its inputs: DVC notes it when the run is over."""
    experiments = [UNDER_DVC.partition("@")[2]] if UNDER_DVC else EXPERIMENTS
    try:
        now = parameters.load("params.yaml")
        used = {name: (now["experiments"].get(name), now.get(name)) for name in experiments}
    except InputError:
        used = None
    stages = [UNDER_DVC.partition("@")[0]] if UNDER_DVC else plan.STAGES
    rules = ["Snakefile", "workflow/rules/common.smk", *(f"workflow/rules/{stage}.smk" for stage in stages)]
    return guard.fingerprint(used, [*rules, *(path for stage in stages for path in closure.of_stage(stage))])


BEFORE = fingerprint() if workflow.is_main_process else None


onsuccess:
    if fingerprint() != BEFORE:
        raise WorkflowError(
            "params.yaml or the code changed while this run was under way, so its results belong to neither state. "
            "Run again."
        )


wildcard_constraints:
    experiment="[A-Za-z0-9_-]+",
    chunk="[A-Za-z0-9_-]+",
    eligibility="[A-Za-z0-9_-]+",
    index="[A-Za-z0-9_-]+",
    retrieve="[A-Za-z0-9_-]+",
    fuse="[A-Za-z0-9_-]+",
    select="[A-Za-z0-9_-]+",
    arm="[A-Za-z0-9_+-]+",


def section(wildcards):
    """The resolved section of the wildcards' experiment."""
    return PARAMS[wildcards.experiment]


def setting(part):
    """A params function: the resolved setting of a section that the wildcard of the same name picks, as JSON."""
    return lambda wildcards: json.dumps(section(wildcards)[part][wildcards[part]])


def provenance(stage):
    """A params function: the arguments of the provenance script for a stage."""

    def arguments(wildcards):
        slice = plan.parameters(wildcards.experiment, PARAMS, stage)
        return [
            *("--experiment", wildcards.experiment, "--stage", stage, "--parameters", json.dumps(slice)),
            *("--inputs", *plan.reads(wildcards.experiment, PARAMS, stage)),
            *("--outputs", *plan.writes(wildcards.experiment, stage)),
            *("--code", "Snakefile", "workflow/rules/common.smk", f"workflow/rules/{stage}.smk"),
            *closure.of_stage(stage),
        ]

    return arguments
