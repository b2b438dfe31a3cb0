"""Bundled experiments, run in memory from the committed params.yaml."""

from pathlib import Path

import pytest

from spanledger.dataset import load
from spanledger.engine import yaml12
from spanledger.experiment import run

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def bundled():
    """Runs an experiment of params.yaml on its own dataset or another one of fixtures/; `change` may alter the section."""
    known = {}

    def results(experiment, dataset=None, change=None):
        key = (experiment, dataset)
        if change is None and key in known:
            return known[key]
        raw = yaml12.read(PROJECT / "params.yaml")
        if change:
            change(raw[experiment])
        found = run(raw, load(PROJECT / "fixtures" / (dataset or experiment)), experiment)
        if change is None:
            known[key] = found
        return found

    return results
