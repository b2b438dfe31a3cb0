rule validate:
    input:
        dataset=lambda w: PARAMS["experiments"][w.experiment]["dataset"],
        code=closure.of_stage("validate"),
    output:
        multiext(
            "results/{experiment}/validate/",
            "documents.jsonl",
            "elements.jsonl",
            "queries.jsonl",
            "facts.jsonl",
            "dataset.json",
        ),
    shell:
        "python workflow/scripts/validate.py --dataset {input.dataset:q} "
        "--out results/{wildcards.experiment}/validate"


rule validate_stage:
    input:
        rules.validate.output,
    output:
        "results/{experiment}/provenance/validate.json",
    localrule: True
    params:
        arguments=provenance("validate"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
