"""The bundled experiments as sides of a comparison, run in memory."""

from pathlib import Path

import pytest

from spanledger.comparison.sides import DATASET, Experiment, Side
from spanledger.core.files import sha256
from spanledger.dataset import load
from spanledger.engine import params, yaml12
from spanledger.experiment import run

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def ran():
    """Runs an experiment of params.yaml, its section or its dataset changed where that is asked for: gives the experiment
    and a function from the name of an arm to its side."""

    def experiment(name, change=None, dataset=None, place="results"):
        raw = yaml12.read(PROJECT / "params.yaml")
        if change:
            change(raw[name])
        results = run(raw, dataset or load(PROJECT / "fixtures" / name), name)
        section = params.resolve(raw)[name]
        held = results.dataset
        digests = {part: sha256(results.files[f"validate/{file}"]) for part, file in DATASET.items()}
        primary = section["report"]["primary"]["metric"]
        found = Experiment(name, f"{place}/{name}", section, digests, held.queries, held.golds, primary)

        def side(arm):
            return Side(found, found.arm(arm), [row for row in results.rows if row["arm"] == arm])

        return found, side

    return experiment


@pytest.fixture(scope="session")
def fusion(ran):
    """The sides of the experiment fusion, by arm."""
    return ran("fusion")[1]


@pytest.fixture(scope="session")
def mapping(ran):
    """Those of evidence_mapping."""
    return ran("evidence_mapping")[1]
