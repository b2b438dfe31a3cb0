rule fuse:
    input:
        rankings=lambda w: [
            f"results/{w.experiment}/retrieve/{w.chunk}/{w.eligibility}/{branch}.jsonl"
            for branch in section(w)["fuse"][w.fuse]["branches"]
        ],
        chunks="results/{experiment}/chunk/{chunk}.jsonl",
        queries="results/{experiment}/normalise/queries.jsonl",
        code=lambda w: code("fuse"),
    output:
        candidates="results/{experiment}/fuse/{chunk}/{eligibility}/{fuse}.jsonl",
        counters="results/{experiment}/fuse/{chunk}/{eligibility}/{fuse}.counters.json",
    params:
        setting=setting("fuse"),
        branches=lambda w, input: [
            f"--branch={name}={path}" for name, path in zip(section(w)["fuse"][w.fuse]["branches"], input.rankings)
        ],
    shell:
        "python workflow/scripts/fuse.py --setting {params.setting:q} {params.branches}"
        " --chunks {input.chunks} --queries {input.queries}"
        " --candidates {output.candidates}"


rule fuse_stage:
    input:
        lambda w: [
            f"results/{w.experiment}/fuse/{chunk}/{eligibility}/{fuse}.jsonl"
            for chunk, eligibility, fuse in plan.fusions(section(w))
        ],
    output:
        "results/{experiment}/provenance/fuse.json",
    localrule: True
    params:
        arguments=provenance("fuse"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
