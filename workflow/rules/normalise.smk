rule normalise:
    input:
        validated=rules.validate.output,
        code=lambda w: code("normalise"),
    output:
        multiext(
            "results/{experiment}/normalise/",
            "documents.jsonl",
            "elements.jsonl",
            "queries.jsonl",
            "facts.jsonl",
            "qrels.jsonl",
            "synonyms.jsonl",
        ),
    params:
        setting=lambda w: json.dumps(section(w)["normalise"]),
    shell:
        "python workflow/scripts/normalise.py --setting {params.setting:q}"
        " --validated results/{wildcards.experiment}/validate --out results/{wildcards.experiment}/normalise"


rule normalise_stage:
    input:
        rules.normalise.output,
    output:
        "results/{experiment}/provenance/normalise.json",
    localrule: True
    params:
        arguments=provenance("normalise"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
