"""Reads the files of an import: gzip, a declared encoding, JSON, JSON lines and tables, each with all of its faults."""

import codecs
import csv
import gzip
import io
import zlib
from pathlib import Path
from typing import Any

from spanledger.core import files
from spanledger.core.errors import Problem, nearest
from spanledger.dataset import strict_json
from spanledger.importers.shape import concerns, malformed

_GZIP = b"\x1f\x8b"
_BOM = "\ufeff"
_CELL = 2**31 - 1  # characters; csv alone would stop at 131,072


class Sources:
    """The files that an import reads, in the encoding that the user declares (UTF-8 unless said otherwise).

    What cannot be read adds to `problems` and comes back as None, or is left out. `digests` holds the SHA-256 of every
    file as it lies on the disk, by its name.
    """

    def __init__(self, encoding: str = "utf-8"):
        self.problems: list[Problem] = []
        self.digests: dict[str, str] = {}
        try:
            info = codecs.lookup(encoding)
            if not getattr(info, "_is_text_encoding", True):
                raise LookupError
            self.encoding = info.name
        except (LookupError, ValueError):
            self.problems.append(Problem("--encoding", message=f"no encoding is called {encoding!r}"))
            self.encoding = "utf-8"

    def problem(self, path: Path, message: str, line: int = 0, record: str = "", field: str = "") -> None:
        """Notes a fault of a file."""
        self.problems.append(Problem(str(path), line, record, field, message))

    def bytes(self, path: Path, name: str | None = None) -> bytes | None:
        """The content of a file, unpacked where it is gzipped. `name` is what `digests` calls it, unlike its own."""
        name = name or path.name
        if not self.is_named(path, name):
            return None
        try:
            data = path.read_bytes()
            self.digests[name] = files.sha256(data)
            return gzip.decompress(data) if data.startswith(_GZIP) else data
        except (gzip.BadGzipFile, zlib.error, EOFError):
            self.problem(path, "is a damaged gzip file")
        except OSError as error:
            self.problem(path, strict_json.unreadable(error))
        return None

    def is_named(self, path: Path, name: str) -> bool:
        """Whether a name can be written down; notes it where it is no UTF-8, as names of files need not be."""
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            shown = name.encode("utf-8", "backslashreplace").decode()
            self.problem(path, "the name is no UTF-8: rename it", record=shown)
            return False
        return True

    def decoded(self, data: bytes, path: Path, member: str = "") -> str | None:
        """Bytes as text, a byte order mark included; `member` names a file inside `path`."""
        try:
            text = data.decode(self.encoding)
            text.encode("utf-8")
            return text
        except UnicodeDecodeError as error:
            if self.encoding == "utf-8":
                message = f"is no UTF-8 at byte {error.start}; if it has another encoding, name it by --encoding"
            else:
                message = f"is no {self.encoding} at byte {error.start}: {error.reason}"
        except UnicodeEncodeError as error:
            message = f"holds half a character (a lone surrogate) at character {error.start}"
        except UnicodeError as error:  # UTF-16 without a byte order mark has a class of its own
            message = f"is no {self.encoding}: {error}"
        self.problem(path, message, record=member)
        return None

    def text(self, path: Path, name: str | None = None) -> str | None:
        """The text of a table or JSON file, without a byte order mark."""
        data = self.bytes(path, name)
        text = None if data is None else self.decoded(data, path)
        return None if text is None else text.removeprefix(_BOM)

    def json(self, path: Path, shape: Any, name: str | None = None) -> Any:
        """The value of a JSON file that has the shape; None where it has faults."""
        text = self.text(path, name)
        if text is None:
            return None
        try:
            value, faults = parsed(text, shape)
        except ValueError as error:
            self.problem(path, str(error))
            return None
        for field, message in faults:
            self.problem(path, message, field=field)
        return None if faults else value

    def json_lines(self, path: Path, shape: Any, name: str | None = None) -> list[tuple[int, dict[str, Any]]]:
        """(line number, object) of each line of a JSON lines file that has the shape; blank lines are passed over."""
        found = []
        for number, line in enumerate((self.text(path, name) or "").split("\n"), 1):
            if not (line := line.strip(" \t\r")):
                continue
            try:
                value, faults = parsed(line, shape)
            except ValueError as error:
                value, faults = None, [("", str(error))]
            for field, message in faults:
                self.problem(path, message, number, field=field)
            if not faults:
                found.append((number, value))
        return found

    def table(
        self, path: Path, needed: tuple[str, ...], optional: tuple[str, ...] = (), strict: bool = True
    ) -> list[tuple[int, dict[str, str]]]:
        """(line number, cells by column) of each row of a CSV file with a header (.tsv: tabs), which must have the `needed`
        columns; by `strict` no others but the `optional` ones. A row's line is the one on which it begins."""
        text = self.text(path)
        if text is None:
            return []
        csv.field_size_limit(_CELL)
        plain = path.name.lower().removesuffix(".gz")
        reader = csv.reader(
            io.StringIO(text, newline=""), "excel-tab" if plain.endswith(".tsv") else "excel", strict=True
        )
        rows: list[tuple[int, dict[str, str]]] = []
        header, line = None, 1
        try:
            for cells in reader:
                if header is None:
                    header = cells
                    if not self._header(path, header, needed, optional, strict):
                        return []
                elif len(cells) == len(header):
                    rows.append((line, dict(zip(header, cells, strict=True))))
                elif cells:
                    self.problem(path, f"expected {len(header)} cells, found {len(cells)}", line)
                line = reader.line_num + 1
        except csv.Error as error:
            self.problem(path, f"is no table of comma or tab separated values: {error}", line)
        if header is None:
            self.problem(path, "is empty: expected a header")
        return rows

    def _header(
        self, path: Path, header: list[str], needed: tuple[str, ...], optional: tuple[str, ...], strict: bool
    ) -> bool:
        faults = [f"the column '{name}' is missing" for name in needed if name not in header]
        faults += [f"the column '{name}' stands twice" for name in dict.fromkeys(header) if header.count(name) > 1]
        if strict:
            known = (*needed, *optional)
            faults += [f"unknown column '{name}': {nearest(name, known)}" for name in header if name not in known]
        for fault in faults:
            self.problem(path, fault, 1)
        return not faults


def parsed(text: str, shape: Any) -> tuple[Any, list[strict_json.Fault]]:
    """A JSON value and what is wrong with those parts of it that the shape names. Raises ValueError for what is no JSON."""
    value, faults = strict_json.parse(text)
    return value, [fault for fault in faults if concerns(fault[0], shape)] + list(malformed(value, shape))
