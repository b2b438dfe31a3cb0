"""Gold survives its file, and nothing that runs before score can read it."""

import ast

import orjson
import pytest

from builders import evidence, fact, gold
from spanledger.core import files
from spanledger.engine.closure import of_stage
from spanledger.gold import Gold, from_records, to_records


def test_gold_survives_its_file():
    golds = [
        gold(
            "q1",
            fact("f1", [evidence(0, 4), evidence(5, 9, "other", "v2")], [evidence(1, 2)]),
            fact("f2", [evidence(3, 4)]),
        ),
        Gold("q2", (), "unauthorized", ("multi_hop", "日")),
    ]
    written = files.lines(to_records(golds))
    assert from_records([orjson.loads(line) for line in written.splitlines()]) == golds


def test_a_line_of_facts_by_hand():
    assert to_records([gold("q", fact("f", [evidence(0, 4, "d", "v2")]))]) == [
        {
            "query_id": "q",
            "facts": [{"fact_id": "f", "support": [[{"doc_id": "d", "version": "v2", "start": 0, "end": 4}]]}],
            "no_answer": None,
            "tags": (),
        }
    ]


def imports_of(source):
    """The dotted names that a file imports, anywhere in it; `from a import b` may mean the module a.b."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{source}: a relative import, which this walk does not follow"
            yield from [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]


def closure(library, module):
    """All modules of the library that importing this one brings in, as paths without ending."""
    todo, seen = [module], set()
    while todo:
        parts = todo.pop().split(".")
        if parts[0] != "spanledger":
            continue
        for length in range(1, len(parts) + 1):  # importing a.b.c runs a and a.b first
            place = library.joinpath(*parts[1:length])
            source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            name = ".".join(parts[:length])
            if source.is_file() and name not in seen:
                seen.add(name)
                todo += imports_of(source)
    return seen


def modules_of(library, package):
    """The dotted names of all modules of a package, imported by its __init__ or not."""
    sources = (
        [library / f"{package}.py"]
        if (library / f"{package}.py").is_file()
        else library.joinpath(package).rglob("*.py")
    )
    names = (source.relative_to(library.parent).with_suffix("").parts for source in sources)
    return [".".join(parts).removesuffix(".__init__") for parts in names]


STAGES = {
    "chunking": {"chunking.structured", "chunking.piece"},
    "retrieval": {"retrieval.eligibility", "retrieval.expansion", "retrieval.indexing", "retrieval.scorers.bm25"},
    "fusion": {"fusion.rrf", "fusion.rules"},
    "selection": {"selection.selector", "selection.mmr", "selection.shelf", "selection.context"},
}
READERS = {"spanledger.gold", "spanledger.scoring", "spanledger.dataset", "spanledger.metrics", "spanledger.report"}


@pytest.mark.parametrize("package", STAGES)
def test_no_module_of_a_stage_from_chunk_to_select_can_read_gold(project, package):
    library = project / "workflow" / "spanledger"
    modules = modules_of(library, package)
    found = set().union(*(closure(library, module) for module in modules))
    assert {f"spanledger.{package}", *(f"spanledger.{name}" for name in STAGES[package])} <= set(modules) <= found
    assert "spanledger.core.records" in found
    assert [name for name in found if any(name == reader or name.startswith(f"{reader}.") for reader in READERS)] == []


@pytest.mark.parametrize("reader", ["scoring", "dataset", "report"])
def test_the_walk_does_find_gold_where_it_is(project, reader):
    library = project / "workflow" / "spanledger"
    assert any("spanledger.gold" in closure(library, module) for module in modules_of(library, reader))


@pytest.mark.parametrize("script", ["chunk", "index", "retrieve", "fuse", "select_context"])
def test_no_script_from_chunk_to_select_can_read_gold(project, script):
    source = project / "workflow" / "scripts" / f"{script}.py"
    library = project / "workflow" / "spanledger"
    found = set().union(*(closure(library, name) for name in imports_of(source)))
    assert "spanledger.core.files" in found
    assert not found & READERS


@pytest.mark.parametrize(
    ("stage", "reads"),
    [(stage, False) for stage in ("chunk", "index", "retrieve", "fuse", "select")]
    + [("score", True), ("report", True)],
)
def test_a_changed_gold_module_re_runs_score_and_report_alone(stage, reads):
    assert ("workflow/spanledger/gold.py" in of_stage(stage)) == reads
