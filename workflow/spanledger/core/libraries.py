"""Libraries of the extras whose version decides chunks: that they are there, and which version is."""

from importlib.metadata import PackageNotFoundError, version

from spanledger.core.errors import InputError, Problem

# By the chunk method that is run by it: the library that params.yaml names the version of, and what it has its text cut
# or counted by.
OF_METHOD = {
    "langchain": ("langchain-text-splitters", "langchain-core"),
    "chonkie": ("chonkie", "chonkie-core", "tokenizers"),
    "semchunk": ("semchunk",),
}


def check(method: str, wanted: str) -> None:
    """Raises InputError where the library of a chunk method is not installed, or not in the version that is wanted."""
    name = OF_METHOD[method][0]
    found = installed(name)
    if found is None:
        raise error(method, f"needs {name} {wanted}, in the extra: pip install 'spanledger[{method}]'")
    if found != wanted:
        raise error(method, f"expected {name} {wanted} as params.yaml says, found {found} installed")


def error(method: str, message: str) -> InputError:
    """What is raised for a fault of the library of a chunk method."""
    return InputError([Problem("params.yaml", 0, f"chunk method '{method}'", message=message)])


def installed(name: str) -> str | None:
    """The version of a library that is installed; None where it is not."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def versions(method: str) -> dict[str, str]:
    """The versions of the libraries of a chunk method that are installed."""
    return {name: found for name in OF_METHOD[method] if (found := installed(name)) is not None}
