"""What every test shares: the Hypothesis profile, and the folder of reference material beside the project."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Derandomised: a run of the suite is repeatable, and no database of examples is kept beside the code.
settings.register_profile(
    "spanledger",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("spanledger")


PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder of this project."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared (fixtures, expected figures, real data); skips where it is absent."""
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder ../shared with the reference material is not here")
    return folder
