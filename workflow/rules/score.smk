rule score:
    input:
        unpack(scored),
        documents="results/{experiment}/normalise/documents.jsonl",
        elements="results/{experiment}/normalise/elements.jsonl",
        queries="results/{experiment}/normalise/queries.jsonl",
        facts="results/{experiment}/normalise/facts.jsonl",
        qrels="results/{experiment}/normalise/qrels.jsonl",
        synonyms="results/{experiment}/normalise/synonyms.jsonl",
        code=lambda w: code("score"),
    output:
        "results/{experiment}/score/{arm}.jsonl",
    params:
        settings=lambda w: json.dumps(plan.arm_settings(section(w), plan.arm(section(w), w.arm))),
        branches=lambda w, input: [
            f"--{role}={branch}={path}"
            for role, paths in (("index", input.indexes), ("rankings", input.rankings))
            for branch, path in zip(plan.branches(section(w), plan.arm(section(w), w.arm).fuse), paths)
        ],
        parents=lambda w, input: [f"--parents={path}" for path in input.parents],
    shell:
        "python workflow/scripts/score.py --arm {wildcards.arm} --settings {params.settings:q}"
        " --candidates {input.candidates} --contexts {input.contexts} --chunks {input.chunks} {params.branches}"
        " {params.parents} --synonyms {input.synonyms}"
        " --documents {input.documents} --elements {input.elements} --queries {input.queries}"
        " --facts {input.facts} --qrels {input.qrels} --rows {output}"


rule score_trail:
    input:
        lambda w: [f"results/{w.experiment}/score/{arm.name}.jsonl" for arm in plan.arms(section(w))],
    output:
        "results/{experiment}/queries.jsonl",
    localrule: True
    shell:
        "cat {input} > {output}"


rule score_stage:
    input:
        rules.score_trail.output,
    output:
        "results/{experiment}/provenance/score.json",
    localrule: True
    params:
        arguments=provenance("score"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
