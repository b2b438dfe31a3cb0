"""The same input gives the same bytes, however, wherever and in whatever order of records it is run."""

import json
import random

import pytest

from spanledger import experiment
from spanledger.engine import yaml12

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
DATASET = f"fixtures/{NAME}"
TABLES = ("documents.jsonl", "queries.jsonl")
# Run in a fresh interpreter: the digests of all that an experiment makes in memory.
IN_MEMORY = """\
import json, sys
from pathlib import Path
from spanledger import run
from spanledger.core.files import sha256
from spanledger.engine import yaml12
made = run(yaml12.read(Path("params.yaml"))).files
print(json.dumps({name: sha256(data) for name, data in sorted(made.items())}))
"""


def shuffled(project, seed):
    """Puts the lines of the dataset's tables in another order."""
    for table in TABLES:
        lines = project.read(f"{DATASET}/{table}").splitlines(keepends=True)
        before = list(lines)
        while lines == before:
            random.Random(seed).shuffle(lines)
            seed += 1
        project.write(f"{DATASET}/{table}", "".join(lines))


def without_provenance(results):
    return {path: data for path, data in results.items() if not path.startswith("provenance/")}


def test_in_memory(shared_project):
    made = experiment.run(yaml12.read(shared_project.root / "params.yaml"), shared_project.root / DATASET).files
    written = without_provenance(shared_project.results())
    assert sorted(made) == sorted(written)
    assert [path for path in made if made[path] != written[path]] == []


def test_a_text_of_any_characters_reaches_every_stage_as_it_is(project):
    """Quotes, braces, dollars and line ends on their way through YAML, DVC, Snakemake and the shell."""
    template = "[{rank}] \"{title}\" ${{HOME}} $(x) `y` \\ {{}} '%s' é\n{body}\n"
    sent = json.dumps({"top_k": 2, "template": template, "separator": "'\n'", "footer": "{}"})
    project.edit("params.yaml", "{top_k: 2}", sent)
    params = yaml12.read(project.root / "params.yaml")
    assert template in [setting.get("template") for setting in params[NAME]["select"].values()]
    project.repro()
    made = experiment.run(params, project.root / DATASET).files
    assert {path: project.results()[path] for path in made} == made


def test_snakemake_alone_in_a_clone_with_one_job_at_a_time(shared_project, tmp_path):
    """Another hash seed, locale and time zone too. The clone has no results but those in git, and no cache."""
    shared_project.git("clone", "--quiet", ".", str(tmp_path / "clone" / "project"))
    clone = type(shared_project)(tmp_path / "clone" / "project")
    assert set(clone.results()) == {"metrics.json", "arms.csv", "frontier.csv"}
    environment = {"PYTHONHASHSEED": "0", "LC_ALL": "C", "LANG": "C", "TZ": "Asia/Shanghai", "PYTHONUTF8": "0"}
    clone.snakemake("--cores", "1", environment=environment)
    assert clone.results() == shared_project.results()
    assert clone.git("status", "--porcelain").output == ""


def test_shuffled_records_with_two_jobs_at_a_time(project, shared_project):
    """Another hash seed, no locale and a time zone beyond the date line too. Provenance tells of other input files."""
    shuffled(project, 1)
    environment = {"PYTHONHASHSEED": "1", "LC_ALL": "", "LANG": "", "TZ": "Pacific/Kiritimati"}
    project.snakemake("--cores", "2", "--forceall", environment=environment)
    here, there = project.results(), shared_project.results()
    assert without_provenance(here) == without_provenance(there)
    differing = {path for path in there if here[path] != there[path]}
    assert differing == {"provenance/validate.json"}
    new, old = (json.loads(results["provenance/validate.json"]) for results in (here, there))
    for table in TABLES:
        assert new["inputs"].pop(f"{DATASET}/{table}") != old["inputs"].pop(f"{DATASET}/{table}")
    assert new == old


@pytest.mark.parametrize("seed", ["0", "1", "2", "random"])
def test_hash_seeds_locales_and_orders_in_memory(seed, project, shared_project):
    shuffled(project, len(seed) + ord(seed[0]))
    environment = {"PYTHONHASHSEED": seed, "LC_ALL": "POSIX" if seed == "1" else "C.utf8"}
    there = json.loads(shared_project.python("-c", IN_MEMORY).output)
    assert len(there) > 70
    assert json.loads(project.python("-c", IN_MEMORY, environment=environment).output) == there


def test_a_forced_run_in_a_clone_leaves_git_clean(shared_project, tmp_path):
    """Every stage runs again, and dvc.lock comes out as it was committed, to the byte."""
    shared_project.git("clone", "--quiet", ".", str(tmp_path / "clone" / "project"))
    clone = type(shared_project)(tmp_path / "clone" / "project")
    assert clone.repro("--force").ran == clone.stages()
    assert clone.git("status", "--porcelain").output == ""
    assert clone.read("dvc.lock") == shared_project.read("dvc.lock")
    assert clone.results() == shared_project.results()
