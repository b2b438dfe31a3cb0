# What all rules share: the resolved parameters, the code that a job depends on, and the guards of a run.
import json
import logging
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

PROJECT = Path(workflow.basedir)
sys.path.insert(0, str(PROJECT / "workflow"))
from spanledger.engine import closure, guard, plan
from spanledger.engine import params as parameters
from spanledger.core import files
from spanledger.core.errors import InputError

if config:
    raise WorkflowError("--config and --configfile are not tracked by DVC; edit params.yaml instead")
PARAMS_SHA256 = files.file_sha256("params.yaml") if Path("params.yaml").is_file() else None
try:
    PARAMS = parameters.load("params.yaml")
except InputError as error:
    raise WorkflowError(str(error))
EXPERIMENTS = list(PARAMS["experiments"])
RECORDS = expand("results/{experiment}/provenance/{stage}.json", experiment=EXPERIMENTS, stage=plan.STAGES)

# A job replaces its shell and knows who started it, so that it dies with Snakemake (see guard.die_with_parent).
shell.prefix(f"set -euo pipefail; export {guard.environment()}; exec ")

# stage@experiment, and in front of it the path of dvc.yaml where DVC runs in another folder.
UNDER_DVC = os.environ.get("DVC_STAGE", "").rpartition(":")[2]
if UNDER_DVC and workflow.is_main_process:
    guard.die_with_parent()
    if guard.is_orphan("results/{1}/provenance/{0}.json".format(*UNDER_DVC.split("@"))):
        raise WorkflowError("the DVC that started this run is gone")
    # DVC names the stage; more is of interest only when something is wrong.
    logger.setLevel(logging.WARNING)
# From the command line: Snakemake has no settings of this kind yet when it reads the Snakefile.
elif workflow.is_main_process and not {"--forceall", "-F"} & set(sys.argv):
    foreign = guard.not_made_here(map(Path, RECORDS))
    if foreign:
        raise WorkflowError(
            "these results were not made by snakemake in this folder, so it cannot tell what is stale:\n"
            + "\n".join(f"  {path}" for path in foreign)
            + "\nUse `dvc repro`, or make everything anew with `snakemake --cores all --forceall`."
        )
if workflow.is_main_process and not guard.claim(Path.cwd(), shared=bool(UNDER_DVC)):
    raise WorkflowError("another run of snakemake is at work in this folder: start again when it has ended")


def code(stage):
    """The code of a stage, and what it reads of the project's own folders. Rules ask in a function: parsing takes time."""
    beside = (path for folder in plan.FOLDERS.get(stage, ()) for path in files.below(folder))
    return [*closure.of_stage(stage), *(path.as_posix() for path in beside)]


def dataset(experiment):
    """The files of an experiment's dataset."""
    return [path.as_posix() for path in files.below(PARAMS["experiments"][experiment]["dataset"])]


def fingerprint(params):
    """What the outputs of this run depend on, results of earlier stages apart: DVC notes it when the run is over."""
    stages, experiments = ([part] for part in UNDER_DVC.split("@")) if UNDER_DVC else (plan.STAGES, EXPERIMENTS)
    paths = ["Snakefile", "workflow/rules/common.smk", *(f"workflow/rules/{stage}.smk" for stage in stages)]
    paths += [path for stage in stages for path in code(stage)]
    if "validate" in stages:
        paths += [path for experiment in experiments for path in dataset(experiment)]
    used = {name: (params["experiments"].get(name), params.get(name)) for name in experiments}
    return guard.fingerprint(used, paths)


BEFORE = fingerprint(PARAMS) if workflow.is_main_process else None
STARTED = []  # the provenance records of the stages that have jobs in this run


onstart:
    for job in workflow.dag.needrun_jobs():
        stage = job.rule.name.partition("_")[0]
        if stage in plan.STAGES:
            STARTED.append(Path("results", job.wildcards.experiment, "provenance", f"{stage}.json"))
            guard.forget(STARTED[-1])


def disown_if_changed():
    """Whether what the run depends on changed on the way. Snakemake takes no notice, so its results lose their note."""
    try:
        same = files.file_sha256("params.yaml") == PARAMS_SHA256
        changed = fingerprint(PARAMS if same else parameters.load("params.yaml")) != BEFORE
    except (InputError, OSError):
        changed = True
    for record in STARTED if changed else ():
        guard.disown(record)
    return changed


onsuccess:
    if disown_if_changed():
        raise WorkflowError(
            "params.yaml, the dataset or the code changed while this run was under way, so its results belong to "
            "neither state. Run again."
        )


onerror:
    disown_if_changed()


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


def scored(wildcards):
    """The results that the scoring of one arm reads, by role."""
    return plan.scored(wildcards.experiment, section(wildcards), plan.arm(section(wildcards), wildcards.arm))


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
