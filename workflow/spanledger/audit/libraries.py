"""The versions of the libraries that a stage ran with, against those that are pinned and those that are installed."""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from spanledger.audit.evidence import Files, Unavailable
from spanledger.audit.findings import Link

_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)


def check(link: Link, files: Files) -> None:
    """Finds each library of a link whose version in its record is not that of requirements.lock, or, in the workspace, of
    this environment."""
    for name, used in link.libraries.items():
        others = {"requirements.lock": _pinned(files).get(name)}
        if files.snapshot.commit is None:
            others["this environment"] = _installed(name)
        for where, other in others.items():
            if other is not None and other != used:
                link.find("libraries_differ", name, f"the run used {used}, {where} has {other}")


@cache
def _pinned(files: Files) -> dict[str, str]:
    try:
        return dict(_PIN.findall(files.read("requirements.lock").decode("utf-8")))
    except (Unavailable, UnicodeDecodeError):
        return {}


@cache
def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
