rule validate:
    input:
        # Single files: the time of a folder does not tell that a file in it changed.
        dataset=lambda w: dataset(w.experiment),
        code=lambda w: code("validate"),
    output:
        multiext(
            "results/{experiment}/validate/",
            "documents.jsonl",
            "elements.jsonl",
            "queries.jsonl",
            "facts.jsonl",
            "qrels.jsonl",
            "synonyms.jsonl",
            "dataset.json",
        ),
    params:
        dataset=lambda w: PARAMS["experiments"][w.experiment]["dataset"],
    shell:
        "python workflow/scripts/validate.py --dataset {params.dataset:q} "
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
