"""Experiments to report on, run in memory with the library itself."""

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import orjson
import pytest

from builders import document, evidence, fact, gold, query
from spanledger import experiment
from spanledger.dataset import Dataset, load
from spanledger.engine import params, plan
from spanledger.gates.leaks import Leaks
from spanledger.report import page, report

# Windows of three words, two of them shared, in code points: 0 (0,7), 1 (2,10), 2 (5,14), 3 (8,17), 4 (12,20).
SELECTED = "\U0001f600 a1 b2 c3\n\nd4 e5 f6"
SELECTORS = {
    "normalise": {},
    "chunk": {
        "windows": {"method": "window", "unit": "word", "chunk_size": 3, "chunk_overlap": 2},
        "paragraph": {"method": "paragraph"},
    },
    "eligibility": {"all": {}},
    "index": {"words": {"analyzer": "ascii_words"}},
    "retrieve": {
        "every": {"index": "words", "scorer": "term_overlap"},
        "first": {"index": "words", "scorer": "term_overlap", "depth": 2},
    },
    "fuse": {
        "single": {"branches": ["every"]},
        "both": {"branches": ["first", "every"], "method": "rrf"},
        "ranked": {
            "branches": ["first", "every"],
            "method": "rrf",
            "rerank": {"method": "rule", "constraint_words": ["f6"], "navigation_words": ["a1"]},
        },
    },
    "select": {
        "drop": {"top_k": 4, "redundancy": "drop"},
        "merged": {"budget": 12, "merge": True},
        "parents": {"top_k": 4, "parent": "paragraph"},
        "mmr": {"top_k": 2, "mmr": {"weight": 0.5}},
        "first": {"top_k": 1},
    },
    "score": {"cutoffs": [1, 2]},
    "report": {},
    "arms": [
        {"name": name, "chunk": "windows", "eligibility": "all", "fuse": fuse, "select": select}
        for name, fuse, select in (
            ("drop", "both", "drop"),
            ("merged", "both", "merged"),
            ("parents", "both", "parents"),
            ("mmr", "single", "mmr"),
            ("ranked", "ranked", "first"),
        )
    ],
}
VOID = {"meta", "wbr", "br", "input", "link", "img", "hr", "base", "embed", "source", "col"}


class Ran:
    """One experiment as the report takes it; `files` calls the report, with some arguments changed."""

    def __init__(self, name, settings, dataset):
        results = experiment.run(settings, dataset, name)
        section = params.resolve(settings)[name]
        self.rows = results.rows
        self.arguments = {
            "experiment": name,
            "section": section,
            "dataset_summary": dataset.summary,
            "rows": results.rows,
            "golds": dataset.golds,
            "documents": dataset.documents,
            "queries": dataset.queries,
            "counters": {
                arm.name: {key: orjson.loads(results.files[path]) for key, path in plan.counters(section, arm).items()}
                for arm in plan.arms(section)
            },
            "leaks": {arm.name: Leaks(0, 1) for arm in plan.arms(section)},
        }

    def files(self, **changed):
        return report(**{**self.arguments, **changed})


class Node:
    """An element of a parsed page: its tag, attributes, and children (elements and strings)."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, attributes, []

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, tag=None, **wanted):
        for child in self.children:
            if isinstance(child, Node):
                if tag in (None, child.tag) and all(child.attributes.get(name) == v for name, v in wanted.items()):
                    yield child
                yield from child.all(tag, **wanted)

    def one(self, tag, **wanted):
        (node,) = self.all(tag, **wanted)
        return node


class Tree(HTMLParser):
    """Parses a page into nodes; an element that is closed out of turn is an error."""

    def __init__(self, page):
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(page)
        self.close()
        assert self.open == [self.root], [node.tag for node in self.open]

    def handle_starttag(self, tag, attributes):
        node = Node(tag, dict(attributes))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attributes):
        self.open[-1].children.append(Node(tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop().tag == tag

    def handle_data(self, data):
        self.open[-1].children.append(data)


@pytest.fixture(scope="session")
def parsed():
    """From the bytes of a page to its root node."""
    return lambda page: Tree(page.decode()).root


@pytest.fixture(scope="session")
def ran():
    """Runs an experiment: from its name, its section as it stands in params.yaml, and lists of records."""

    def run(name, section, documents, queries, golds, summary=None):
        settings = {"experiments": {name: {"dataset": "in-memory"}}, name: section}
        return Ran(name, settings, Dataset(documents, [], queries, golds, (), summary or {"name": name}))

    return run


def bundled(name, request):
    root = request.config.rootpath
    return Ran(name, params.load(root / "params.yaml"), load(root / "fixtures" / name))


@pytest.fixture(scope="session")
def evidence_mapping(request):
    """The bundled experiment: 12 arms, 4 questions, 4 facts."""
    return bundled("evidence_mapping", request)


@pytest.fixture(scope="session")
def fusion(request):
    """The bundled experiment: 10 arms over two branches, with and without RRF and re-ranking, 8 questions, 8 facts."""
    return bundled("fusion", request)


@pytest.fixture(scope="session")
def structure_lab(request):
    """The bundled experiment: 2 chunkings, 9 questions of which 2 have no answer."""
    return bundled("structure_lab", request)


@pytest.fixture(scope="session")
def granularity(request):
    """The bundled experiment: 5 chunkings, 14 questions with tags."""
    return bundled("granularity", request)


@pytest.fixture(scope="session")
def selectors(ran):
    """Six windows of 4 of `abcd efgh ...` under the four selectors that do more than walk by rank; two branches."""
    return ran(
        "selectors",
        SELECTORS,
        [document("doc", SELECTED)],
        [query("q", "b2 d4 e5")],
        [
            gold(
                "q",
                fact("middle", [evidence(5, 10)]),
                fact("end", [evidence(12, 17)], [evidence(0, 4), evidence(18, 20)]),
            )
        ],
    )


@pytest.fixture(scope="session")
def node():
    """Evaluates an expression after the scripts that read and draw, with `value` as a variable. With an `address`
    page.js has run as well, on a page with that address and `value` as its data."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("Node.js is not installed; the page's scripts are plain JavaScript that only a browser needs")

    def run(expression, value=None, address=None):
        names = page.SCRIPTS if address is not None else page.SCRIPTS[:-1]
        stub, *scripts = (
            path.read_text(encoding="utf-8")
            for path in (
                Path(__file__).with_name("document.js"),
                *(Path(page.__file__).parent / name for name in names),
            )
        )
        given = [
            f"const value = {json.dumps(value)};",
            f"location.hash = {json.dumps(address or '')};",
            "document.getElementById('data').textContent = JSON.stringify(value);",
        ]
        source = "\n".join([stub, *given, *scripts, f"console.log(JSON.stringify({expression}));"])
        done = subprocess.run([program, "-"], input=source.encode(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def carried(parsed):
    return lambda ran: json.loads(parsed(ran.files()["report.html"]).one("script", type="application/json").text)
