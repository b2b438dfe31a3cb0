"""Results on disk, as a pipeline leaves them, without running one."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

import spanledger.experiment
from spanledger.engine import params, yaml12
from spanledger.exports.stored import Stored
from spanledger.snapshot import Workspace

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def stored(tmp_path):
    """Runs an experiment of params.yaml; returns its results as stored in a project of their own, and in memory."""

    def make(experiment, dataset=None, section=None):
        raw = yaml12.read(str(PROJECT / "params.yaml"))
        folder = dataset or PROJECT / raw["experiments"][experiment]["dataset"]
        settings = {"experiments": {experiment: {"dataset": str(folder)}}, experiment: section or raw[experiment]}
        params.resolve(settings)
        results = spanledger.experiment.run(settings, folder, experiment)
        for name, data in results.files.items():
            path = tmp_path / "results" / experiment / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        with (tmp_path / "params.yaml").open("w", encoding="utf-8") as stream:
            YAML().dump(settings, stream)
        return Stored(Workspace(tmp_path), experiment), results

    return make
