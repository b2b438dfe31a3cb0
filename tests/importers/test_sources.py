"""Files of an import: encodings, gzip, JSON, JSON lines, tables, folders and archives, each with all of its faults."""

import gzip
import hashlib
import io
import tarfile

import pytest

from spanledger.importers.report import ImportReport
from spanledger.importers.sources import Sources
from spanledger.importers.texts import read_texts

DECLARE = "if it has another encoding, name it by --encoding"


def told(sources):
    return [(p.line, p.record, p.field, p.message) for p in sources.problems]


def texts(sources, root, **options):
    report = ImportReport("test", ["documents"], [], [])
    return [(text.path, text.text) for text in read_texts(sources, root, report, **options)], report


def packed(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("encoding", "data", "message"),
    [
        ("utf-8", b"ab\xff", "is no UTF-8 at byte 2; if it has another encoding, name it by --encoding"),
        ("utf-8", "é".encode()[:1], "is no UTF-8 at byte 0; if it has another encoding, name it by --encoding"),
        ("gb18030", b"a\xffb", "is no gb18030 at byte 1: illegal multibyte sequence"),
        ("ascii", "aé".encode(), "is no ascii at byte 1: ordinal not in range(128)"),
        ("utf-7", b"+2AA-", "holds half a character (a lone surrogate) at character 0"),
    ],
)
def test_bytes_that_are_not_in_the_declared_encoding(tmp_path, encoding, data, message):
    (tmp_path / "f").write_bytes(data)
    sources = Sources(encoding)
    assert sources.text(tmp_path / "f") is None
    assert told(sources) == [(0, "", "", message)]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "gb18030", "UTF8", "cp1252"])
def test_a_declared_encoding_is_read(tmp_path, encoding):
    (tmp_path / "f").write_bytes("é, x".encode(encoding))
    assert Sources(encoding).text(tmp_path / "f") == "é, x"


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "base64", "a\0b"])
def test_what_is_no_encoding(encoding):
    assert told(Sources(encoding)) == [(0, "", "", f"no encoding is called {encoding!r}")]


def test_a_gzipped_file_is_unpacked_and_its_digest_is_that_of_the_file(tmp_path):
    data = gzip.compress(b"\xef\xbb\xbfab")
    (tmp_path / "f.gz").write_bytes(data)
    sources = Sources()
    assert sources.text(tmp_path / "f.gz") == "ab"  # a table has no use for a byte order mark
    assert sources.digests == {"f.gz": hashlib.sha256(data).hexdigest()}
    (tmp_path / "f.gz").write_bytes(data[:-6])
    assert sources.text(tmp_path / "f.gz") is None
    assert told(sources)[-1][-1] == "is a damaged gzip file"


def test_json_lines_tell_every_fault_of_what_matters(tmp_path):
    lines = [
        '\ufeff{"a": "x", "big": 99999999999999999999, "b": "\\ud800"}',
        "",
        '{"a": 1}',
        "[]",
        "{",
        '{"a": "y", "a": "z"}',
    ]
    (tmp_path / "f").write_text("\n".join([*lines, '{"a": "\u2028"}\r']), encoding="utf-8", newline="")
    sources = Sources()
    assert sources.json_lines(tmp_path / "f", {"a": (str,)}) == [
        (1, {"a": "x", "big": 0, "b": "?"}),
        (7, {"a": "\u2028"}),
    ]
    assert told(sources) == [
        (3, "", "a", "expected a string, found 1"),
        (4, "", "", "expected an object, found []"),
        (5, "", "", "is no JSON: Expecting property name enclosed in double quotes at column 2"),
        (6, "", "a", "the key stands more than once"),
    ]


def test_tables(tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes('\ufeffa,b\r\n1,"x\r\ny"\r\n\r\n2,"q""q"\r\n'.encode())
    assert Sources().table(path, ("a", "b")) == [(2, {"a": "1", "b": "x\r\ny"}), (5, {"a": "2", "b": 'q"q'})]
    (tmp_path / "f.tsv").write_text('a\tb\n1\t"x,y"\n')
    assert Sources().table(tmp_path / "f.tsv", ("a",), ("b",)) == [(2, {"a": "1", "b": "x,y"})]
    path.write_text("a,b\n" + "1," + "x" * 200_000)
    assert len(Sources().table(path, ("a", "b"))[0][1]["b"]) == 200_000


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", [(0, "is empty: expected a header")]),
        ("a\n", [(1, "the column 'b' is missing")]),
        ("a,c,a,b\n", [(1, "the column 'a' stands twice"), (1, "unknown column 'c': valid: a, b")]),
        ("a,b\n1\n1,2,3\n", [(2, "expected 2 cells, found 1"), (3, "expected 2 cells, found 3")]),
        ('a,b\n1,"x', [(2, "is no table of comma or tab separated values: unexpected end of data")]),
    ],
)  # fmt: skip
def test_tables_that_are_none(tmp_path, text, problems):
    path = tmp_path / "f.csv"
    path.write_text(text)
    sources = Sources()
    sources.table(path, ("a", "b"))
    assert [(line, message) for line, _, _, message in told(sources)] == problems


def test_a_folder_of_texts_keeps_line_ends_and_byte_order_marks(tmp_path):
    for name, data in {"b.txt": b"x\r\ny\r", "A/c.md": "\ufeffé".encode(), ".git/d": b"no", "A/.e": b"no"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    sources = Sources()
    found, report = texts(sources, tmp_path / "in")
    assert found == [("A/c.md", "\ufeffé"), ("b.txt", "x\r\ny\r")]
    assert (report.read, report.notes, list(sources.digests)) == ({"documents": 2}, {}, ["in/"])
    assert texts(Sources(), tmp_path / "in", pattern="*.md")[0] == [("A/c.md", "\ufeffé")]
    assert texts(Sources(), tmp_path / "in", only={"b.txt", "gone"})[0] == [("b.txt", "x\r\ny\r")]


def test_a_folder_and_an_archive_of_the_same_files_are_the_same(tmp_path):
    members = {"a/x.html": b"<title>T</title><p>one &amp; two", "b.txt": b"three"}
    for name, data in members.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    archive = packed(tmp_path / "in.tgz", [(f"./{name}", data) for name, data in reversed(members.items())])
    expected = [("a/x.html", "one & two"), ("b.txt", "three")]
    for root in (tmp_path / "in", archive):
        found, report = texts(Sources(), root)
        assert found == expected
        assert report.notes["html"].startswith("1 pages: tags, comments, ")


def test_faulty_folders_and_archives(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_bytes(b"\x80")
    (tmp_path / "in/b.txt").write_bytes(b"x\xff")
    sources = Sources()
    texts(sources, tmp_path / "in")
    assert [(problem.file, problem.message[:22]) for problem in sources.problems] == [
        (str(tmp_path / "in/a.txt"), "is no UTF-8 at byte 0;"),
        (str(tmp_path / "in/b.txt"), "is no UTF-8 at byte 1;"),
    ]
    archive = packed(tmp_path / "x.tgz", [("a", b"1"), ("a", b"2"), ("b", b"\xff")])
    (tmp_path / "y.tar").write_bytes(b"no archive")
    (tmp_path / "empty").mkdir()
    for root, messages in [
        (archive, ["the archive holds two files of this name", f"is no UTF-8 at byte 0; {DECLARE}"]),
        (tmp_path / "y.tar", ["is a damaged tar archive"]),
        (tmp_path / "empty", ["holds no document"]),
        (tmp_path / "none", ["expected a folder, or a tar archive, of documents"]),
    ]:  # fmt: skip
        sources = Sources()
        assert texts(sources, root)[0] in ([], [("a", "2")])
        assert [message for *_, message in told(sources)] == messages


def test_names_that_are_no_utf8(tmp_path):
    (tmp_path / "in").mkdir()
    try:
        (tmp_path / "in" / "b\udcff.txt").write_bytes(b"x")
    except OSError:
        pytest.skip("this file system has UTF-8 names alone")
    (tmp_path / "in" / "a.txt").write_bytes(b"x")
    archive = packed(tmp_path / "x.tgz", [("a.txt", b"x"), ("b\udcff.txt", b"x")])
    for root, record in ((tmp_path / "in", "in/b\\udcff.txt"), (archive, "b\\udcff.txt")):
        sources = Sources()
        assert texts(sources, root)[0] == [("a.txt", "x")]
        assert told(sources) == [(0, record, "", "the name is no UTF-8: rename it")]


def test_links_are_read_or_counted(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.txt").write_text("b")
    (tmp_path / "in" / "sub").mkdir(parents=True)
    for name, target in [("f.txt", "../other/b.txt"), ("d", "../other"), ("none.txt", "x"), (".hidden", "../other")]:
        (tmp_path / "in" / name).symlink_to(target)
    (tmp_path / "in" / "sub" / "round").symlink_to("..")
    found, report = texts(Sources(), tmp_path / "in")
    assert found == [("f.txt", "b")]
    assert report.left_out == {"links to folders or to nothing": 3}
