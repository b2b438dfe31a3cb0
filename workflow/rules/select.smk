rule select:
    input:
        parents=lambda w: plan.parents(w.experiment, section(w), w.select),
        documents="results/{experiment}/normalise/documents.jsonl",
        queries="results/{experiment}/normalise/queries.jsonl",
        candidates="results/{experiment}/fuse/{chunk}/{eligibility}/{fuse}.jsonl",
        chunks="results/{experiment}/chunk/{chunk}.jsonl",
        code=lambda w: code("select"),
    output:
        contexts="results/{experiment}/select/{chunk}/{eligibility}/{fuse}/{select}.jsonl",
        counters="results/{experiment}/select/{chunk}/{eligibility}/{fuse}/{select}.counters.json",
    params:
        setting=setting("select"),
        eligibility=setting("eligibility"),
        parents=lambda w, input: [f"--parents={path}" for path in input.parents],
    shell:
        "python workflow/scripts/select_context.py --setting {params.setting:q} --candidates {input.candidates}"
        " --chunks {input.chunks} {params.parents} --documents {input.documents}"
        " --queries {input.queries} --eligibility {params.eligibility:q} --contexts {output.contexts}"


rule select_stage:
    input:
        lambda w: [
            f"results/{w.experiment}/select/{chunk}/{eligibility}/{fuse}/{select}.jsonl"
            for chunk, eligibility, fuse, select in plan.selections(section(w))
        ],
    output:
        "results/{experiment}/provenance/select.json",
    localrule: True
    params:
        arguments=provenance("select"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
