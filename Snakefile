# The nine stages of Spanledger. `dvc repro` runs them one at a time; `snakemake --cores all` runs them as one DAG.
include: "workflow/rules/common.smk"
include: "workflow/rules/validate.smk"
include: "workflow/rules/normalise.smk"
include: "workflow/rules/chunk.smk"
include: "workflow/rules/index.smk"
include: "workflow/rules/retrieve.smk"
include: "workflow/rules/fuse.smk"
include: "workflow/rules/select.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        RECORDS,
