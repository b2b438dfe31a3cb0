"""The documents of an import that lie in a folder or a tar archive, one text or HTML file each."""

import io
import tarfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from spanledger.core import files
from spanledger.importers.html_text import STATED, html_text
from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources

_HTML = (".html", ".htm", ".xhtml")
_LINKS = "links to folders or to nothing"
ARCHIVES = (".tar", ".tar.gz", ".tgz")


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file: its path below the folder, with / between its parts, its text, and the title of an HTML page."""

    path: str
    text: str
    title: str = ""

    @property
    def stem(self) -> str:
        """The file's name without its folders and its ending."""
        return PurePosixPath(self.path).stem


def read_texts(
    sources: Sources,
    root: Path,
    report: ImportReport,
    only: set[str] | None = None,
    pattern: str = "*",
    endings: tuple[str, ...] = (),
    name: str | None = None,
) -> list[TextFile]:
    """The files below a folder, or in a tar archive, in the order of their paths; hidden ones are passed over. `pattern` is
    a shell pattern for their names, `only` the paths to take, and of other `endings` (in lower case; none: any) they are
    counted as left out, and so are links to folders, which are not followed, or to nothing. `name` is what the digests
    call the folder, unlike its own. HTML becomes text, which the report states. The text of any other file is taken as it
    stands: line ends and a byte order mark stay, and offsets count them."""
    name = name or root.name or root.resolve().name
    if root.is_dir():
        found = {path.relative_to(root).as_posix(): path for path in files.below(root)}
        if links := sum(_leads_nowhere(path, root) for path in root.rglob("*")):
            report.left_out[_LINKS] = report.left_out.get(_LINKS, 0) + links
    elif root.name.lower().endswith(ARCHIVES):
        found = _members(sources, root, name)
    else:
        sources.problem(root, "expected a folder, or a tar archive, of documents")
        return []
    texts, digests, pages = [], [], 0
    for path in sorted(found):
        parts = PurePosixPath(path).parts
        if any(part.startswith(".") for part in parts) or not fnmatchcase(parts[-1], pattern):
            continue
        if only is not None and path not in only:
            continue
        if endings and not path.lower().endswith(endings):
            report.left_out["files of other kinds"] = report.left_out.get("files of other kinds", 0) + 1
            continue
        data = sources.bytes(found[path], f"{name}/{path}") if isinstance(found[path], Path) else found[path]
        text = None if data is None else sources.decoded(data, root / path if root.is_dir() else root, path)
        if text is None:
            continue
        title = ""
        if path.lower().endswith(_HTML):
            pages += 1
            text, title = html_text(text.removeprefix("\ufeff"))
        texts.append(TextFile(path, text, title))
        if isinstance(found[path], Path):
            digests.append((path, sources.digests.pop(f"{name}/{path}")))
    if root.is_dir():  # one digest for all: paths and contents
        sources.digests[f"{name}/"] = files.sha256(files.canonical(digests))
    if not texts and not sources.problems:
        sources.problem(root, "holds no document")
    if pages:
        report.notes["html"] = f"{pages} pages: {STATED}"
    report.read["documents"] += len(texts)
    return texts


def _leads_nowhere(path: Path, root: Path) -> bool:
    """Whether a path below a folder is a link that is not followed: to a folder, or to nothing."""
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return path.is_symlink() and not path.is_file() and not hidden


def _members(sources: Sources, root: Path, name: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    data = sources.bytes(root, name)
    if data is None:
        return found
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if not member.isfile():
                    continue
                path = PurePosixPath(member.name).as_posix()
                if not sources.is_named(root, path):
                    continue
                if path in found:
                    sources.problem(root, "the archive holds two files of this name", record=path)
                found[path] = archive.extractfile(member).read()
    except (tarfile.TarError, EOFError):
        sources.problem(root, "is a damaged tar archive")
    return found
