rule index:
    input:
        chunks="results/{experiment}/chunk/{chunk}.jsonl",
        documents="results/{experiment}/normalise/documents.jsonl",
        queries="results/{experiment}/normalise/queries.jsonl",
        code=lambda w: code("index"),
    output:
        directory("results/{experiment}/index/{chunk}/{eligibility}/{index}"),
    params:
        setting=setting("index"),
        eligibility=setting("eligibility"),
    shell:
        "python workflow/scripts/index.py --setting {params.setting:q} --eligibility {params.eligibility:q}"
        " --chunks {input.chunks} --documents {input.documents} --queries {input.queries} --out {output}"


rule index_stage:
    input:
        lambda w: [
            f"results/{w.experiment}/index/{chunk}/{eligibility}/{index}"
            for chunk, eligibility in plan.pairs(section(w))
            for index in section(w)["index"]
        ],
    output:
        "results/{experiment}/provenance/index.json",
    localrule: True
    params:
        arguments=provenance("index"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
