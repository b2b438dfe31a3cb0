"""`spanledger compare` on a project that real git and DVC keep."""

import json

import pytest

pytestmark = pytest.mark.pipeline

NAME = "evidence_mapping"
ARM = "overlap+current+single+top2"


def test_a_revision_an_experiment_and_the_workspace(project):
    project.dvc("exp", "run", "--temp", "--name", "wider", "-S", f"{NAME}.chunk.overlap.chunk_overlap=45")
    done = project.spanledger("compare", "HEAD", "wider")
    print(done.output)
    print(project.spanledger("compare", "workspace", "wider", "--arm", ARM).output)
    print(project.spanledger("compare", f"{NAME}/{ARM}", "wider").output)
    print(project.spanledger("compare", f"wider:{NAME}/{ARM}", "workspace", "--json").output)
    assert 0
