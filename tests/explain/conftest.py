"""Projects of the bundled experiments, each made once."""

import pytest
from explain_projects import make_project


@pytest.fixture(scope="session")
def projects(tmp_path_factory):
    """The folder of a bundled experiment's project, made once; tests leave it as it is."""
    made = {}

    def of(experiment):
        if experiment not in made:
            made[experiment] = make_project(tmp_path_factory.mktemp(experiment), experiment)
        return made[experiment]

    return of
