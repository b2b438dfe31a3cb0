rule report:
    input:
        rows="results/{experiment}/queries.jsonl",
        facts="results/{experiment}/normalise/facts.jsonl",
        queries="results/{experiment}/normalise/queries.jsonl",
        documents="results/{experiment}/validate/documents.jsonl",
        summary="results/{experiment}/validate/dataset.json",
        counters=lambda w: plan.counted(w.experiment, section(w)),
        lists=lambda w: plan.listed(w.experiment, section(w)),
        code=lambda w: code("report"),
    output:
        multiext("results/{experiment}/", *plan.WRITES["report"]),
    params:
        section=lambda w: json.dumps(section(w)),
        judgements=lambda w: plan.judgements(w.experiment),
    shell:
        "python workflow/scripts/report.py --experiment {wildcards.experiment} --section {params.section:q}"
        " --rows {input.rows} --facts {input.facts} --queries {input.queries} --documents {input.documents}"
        " --summary {input.summary} --judgements {params.judgements:q} --results results/{wildcards.experiment}"
        " --out results/{wildcards.experiment}"


rule report_stage:
    input:
        rules.report.output,
    output:
        "results/{experiment}/provenance/report.json",
    localrule: True
    params:
        arguments=provenance("report"),
    shell:
        "python workflow/scripts/provenance.py --record {output} {params.arguments:q}"
