"""Explanations of results that real stages made, in the workspace and at a revision."""

import json

import pytest

from spanledger.cli.explain import explain
from spanledger.core.errors import InputError

ARM, QUERY = "overlap+current+single+chars240", "two-facts"


def test_a_revision_explains_itself_as_the_workspace_does(shared_project):
    head = explain("evidence_mapping", ARM, QUERY, revision="HEAD", project=shared_project.root)
    assert head["facts"][1]["needed"] == {"budget": 333}
    assert head.pop("revision") == shared_project.run("git", "rev-parse", "HEAD").output.strip()
    workspace = explain("evidence_mapping", ARM, QUERY, project=shared_project.root)
    assert workspace.pop("revision") is None
    assert head == workspace
    with pytest.raises(InputError, match="HEAD:results/evidence_mapping: query 'two-fact': did you mean 'two-facts'"):
        explain("evidence_mapping", ARM, "two-fact", revision="HEAD", project=shared_project.root)


def test_nothing_is_written(shared_project):
    before = shared_project.run("git", "status", "--porcelain", "--ignored").output
    told = shared_project.spanledger("explain", "evidence_mapping", "--arm", ARM, "--query", QUERY, "--json").output
    assert json.loads(told)["outdated"] == json.loads(told)["warnings"] == []
    assert shared_project.run("git", "status", "--porcelain", "--ignored").output == before
