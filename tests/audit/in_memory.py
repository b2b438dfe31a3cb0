"""A snapshot whose files are in memory: an experiment's results as `spanledger.run` makes them."""

from dataclasses import dataclass
from typing import Any

from spanledger.core.errors import InputError, Problem


@dataclass
class InMemory:
    """A snapshot of some files by path; `commit` None: a workspace."""

    files: dict[str, bytes]
    name: str = "workspace"
    commit: str | None = None

    @property
    def lock(self) -> dict[str, Any]:
        return {}

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise InputError([Problem(path, message="no such file")])
        return self.files[path]

    def exists(self, path: str) -> bool:
        return path in self.files or bool(self.below(path))

    def below(self, folder: str) -> list[str]:
        return sorted(path for path in self.files if path.startswith(f"{folder}/"))
