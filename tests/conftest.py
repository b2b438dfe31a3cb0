"""What every test shares: the Hypothesis profile, and the folder of reference material beside the project."""

import textwrap
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


@pytest.fixture
def plugins_in(tmp_path, monkeypatch):
    """A function that writes modules, by name, into the folder plugins of a new folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugins").mkdir()

    def write(**modules: str) -> None:
        for name, text in modules.items():
            (tmp_path / "plugins" / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")

    return write


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow files first, so that two workers end at about the same time."""
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("pipeline", "real")])
