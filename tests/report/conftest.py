"""Experiments to report on, run in memory with the library itself."""

from html.parser import HTMLParser

import pytest

from spanledger import experiment
from spanledger.dataset import Dataset, load
from spanledger.engine import params
from spanledger.report import report

VOID = {"meta", "wbr", "br", "input", "link", "img", "hr", "base", "embed", "source", "col"}


class Ran:
    """One experiment as the report takes it; `files` calls the report, with some arguments changed."""

    def __init__(self, name, settings, dataset):
        results = experiment.run(settings, dataset, name)
        self.rows = results.rows
        self.arguments = {
            "experiment": name,
            "section": params.resolve(settings)[name],
            "dataset_summary": dataset.summary,
            "rows": results.rows,
            "golds": dataset.golds,
            "documents": dataset.documents,
            "queries": dataset.queries,
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


@pytest.fixture(scope="session")
def evidence_mapping(request):
    """The bundled experiment: 12 arms, 4 questions, 4 facts."""
    root = request.config.rootpath
    return Ran("evidence_mapping", params.load(root / "params.yaml"), load(root / "fixtures" / "evidence_mapping"))
