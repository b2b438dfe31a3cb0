rule chunk:
    input:
        documents="results/{experiment}/normalise/documents.jsonl",
        elements="results/{experiment}/normalise/elements.jsonl",
        code=lambda w: code("chunk"),
    output:
        chunks="results/{experiment}/chunk/{chunk}.jsonl",
        counters="results/{experiment}/chunk/{chunk}.counters.json",
    params:
        setting=setting("chunk"),
    shell:
        "python workflow/scripts/chunk.py --setting {params.setting:q} --documents {input.documents}"
        " --elements {input.elements} --chunks {output.chunks}"


rule chunk_stage:
    input:
        lambda w: expand("results/{{experiment}}/chunk/{chunk}.jsonl", chunk=section(w)["chunk"]),
    output:
        "results/{experiment}/provenance/chunk.json",
    localrule: True
    params:
        arguments=provenance("chunk"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
