rule retrieve:
    input:
        index=lambda w: (
            f"results/{w.experiment}/index/{w.chunk}/{w.eligibility}/{section(w)['retrieve'][w.retrieve]['index']}"
        ),
        chunks="results/{experiment}/chunk/{chunk}.jsonl",
        queries="results/{experiment}/normalise/queries.jsonl",
        synonyms="results/{experiment}/normalise/synonyms.jsonl",
        code=lambda w: code("retrieve"),
    output:
        rankings="results/{experiment}/retrieve/{chunk}/{eligibility}/{retrieve}.jsonl",
        counters="results/{experiment}/retrieve/{chunk}/{eligibility}/{retrieve}.counters.json",
    params:
        setting=setting("retrieve"),
        analyzer=lambda w: section(w)["index"][section(w)["retrieve"][w.retrieve]["index"]]["analyzer"],
    shell:
        "python workflow/scripts/retrieve.py --setting {params.setting:q} --analyzer {params.analyzer}"
        " --index {input.index} --chunks {input.chunks} --queries {input.queries} --synonyms {input.synonyms}"
        " --rankings {output.rankings}"


rule retrieve_stage:
    input:
        lambda w: [
            f"results/{w.experiment}/retrieve/{chunk}/{eligibility}/{branch}.jsonl"
            for chunk, eligibility in plan.pairs(section(w))
            for branch in section(w)["retrieve"]
        ],
    output:
        "results/{experiment}/provenance/retrieve.json",
    localrule: True
    params:
        arguments=provenance("retrieve"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
