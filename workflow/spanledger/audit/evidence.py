"""The bytes of a snapshot, digested once, and DVC's cache, whose objects DVC itself never digests again."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from spanledger.core.errors import InputError
from spanledger.engine import yaml12
from spanledger.snapshot import Snapshot


class Unavailable(Exception):
    """A file that is not there, or whose bytes are not; the text says what to do."""


class Files:
    """The files of a snapshot with their digests."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        self.below = cache(self._below)
        self.yaml = cache(self._yaml)
        self._digests = cache(self._digest)  # not the bytes: results may be large

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises Unavailable."""
        try:
            return self.snapshot.read(path)
        except InputError as error:
            raise Unavailable(error.problems[0].message) from None

    def _yaml(self, path: str) -> tuple[Any, str]:
        """The value of a YAML file, and where there is none why."""
        try:
            return yaml12.parse(self.read(path).decode("utf-8-sig"), path), ""
        except Unavailable as error:
            return None, str(error)
        except UnicodeDecodeError:
            return None, f"{path}: is no UTF-8"
        except InputError as error:
            return None, str(error.problems[0])

    def _below(self, path: str) -> tuple[str, ...]:
        """The files that a path stands for: itself, or those below a folder that DVC takes notice of; none where it is
        not there. Raises Unavailable where a folder's list of files is not at hand."""
        try:
            listed = self.snapshot.below(path)
            there = listed or self.snapshot.exists(path)
        except Exception as error:  # DVC's own, of several kinds, for a list that is not in the cache or is no list
            raise Unavailable(f"its list of files is not in DVC's cache ({error}): `dvc fetch --all-commits`") from None
        kept = tuple(name for name in listed if "__pycache__" not in Path(name).parts and not name.endswith(".pyc"))
        return kept if listed else (path,) if there else ()

    def sha256(self, path: str) -> str | None:
        """The digest of a file as a provenance record has it; None where its bytes are not at hand."""
        return self._digests(path)[0]

    def md5(self, path: str) -> str | None:
        """The digest of a file or folder as dvc.lock has it; None where its bytes, or some of them, are not at hand.
        Hidden files are left out, which DVC takes in."""
        if self.below(path) in ((path,), ()):
            return self._digests(path)[1]
        digests = {name.removeprefix(f"{path}/"): self._digests(name)[1] for name in self.below(path)}
        if None in digests.values():
            return None
        entries = [{"md5": digests[name], "relpath": name} for name in sorted(digests)]
        return f"{hashlib.md5(json.dumps(entries, sort_keys=True).encode(), usedforsecurity=False).hexdigest()}.dir"

    def _digest(self, path: str) -> tuple[str | None, str | None]:
        try:
            data = self.read(path)
        except Unavailable:
            return None, None
        return hashlib.sha256(data).hexdigest(), hashlib.md5(data, usedforsecurity=False).hexdigest()


class Cache:
    """DVC's local cache. DVC trusts an object by its name and its mode; here its bytes count."""

    def __init__(self, project: Path):
        self._project = project
        self.object = cache(self._object)

    def _object(self, digest: str) -> tuple[bytes | None, bool]:
        """The bytes of an object, None where it is not there, and whether they are those that it is named after."""
        path = self._folder / digest[:2] / digest[2:]
        try:
            data = path.read_bytes()
        except OSError:
            return None, False
        return data, hashlib.md5(data, usedforsecurity=False).hexdigest() == digest.removesuffix(".dir")

    def place(self, digest: str) -> str:
        """Where the cache keeps an object, below the project where it lies there."""
        path = self._folder / digest[:2] / digest[2:]
        try:
            return path.relative_to(self._project.resolve()).as_posix()
        except ValueError:
            return path.as_posix()

    def manifest(self, digest: str) -> dict[str, str] | None:
        """The MD5 of each file of a folder, by its path in it; None where the cache has no sound list of them."""
        data, sound = self._object(digest)
        if data is None or not sound:
            return None
        return {entry["relpath"]: entry["md5"] for entry in json.loads(data)}

    def objects(self, path: str, digest: str) -> dict[str, str]:
        """The digests of the objects that hold an output, by the path of the file; a folder's list stands under the
        folder's own path."""
        listed = (self.manifest(digest) or {}) if digest.endswith(".dir") else {}
        return {path: digest, **{f"{path}/{name}": md5 for name, md5 in listed.items()}}

    @property
    def _folder(self) -> Path:
        return _cache_folder(self._project) / "files" / "md5"


@cache
def _cache_folder(project: Path) -> Path:
    from dvc.config import Config

    folder = project.resolve() / ".dvc"
    configured = Config(str(folder)).get("cache", {}).get("dir") if folder.is_dir() else None
    return Path(configured) if configured else folder / "cache"
