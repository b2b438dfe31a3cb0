"""The audit on a project that the real dvc and snakemake ran: one byte of any file of a chain is found, and told apart."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from spanledger.audit import audit
from spanledger.audit.evidence import Files
from spanledger.audit.target import producer
from spanledger.core.errors import InputError
from spanledger.engine import plan
from spanledger.snapshot import open_snapshot

NAME = "evidence_mapping"
RESULTS = f"results/{NAME}"
ARM = "overlap+all+single+top2"
TARGET = f"{NAME}/{ARM}/macro_recall"


def audited(project, target=TARGET, name=None):
    return audit(target, open_snapshot(name, project.root), project.root)


def told(found):
    """(link, verdict, path) of every finding."""
    return {(link.name, f.verdict, f.path) for link in found.links for f in link.findings}


@pytest.fixture
def flip(shared_project):
    """Changes one bit of a file until the test ends."""
    kept = {}

    def change(path, place):
        file = shared_project.root / path
        data = kept.setdefault(file, file.read_bytes())
        changed = bytearray(data)
        changed[place] ^= 1
        file.write_bytes(changed)

    def restore():
        for file, data in kept.items():
            file.write_bytes(data)
        kept.clear()

    change.back = restore
    yield change
    restore()


def somewhere(path, data):
    """A place in a file that is not the same in all files, always in range."""
    return int(hashlib.sha256(path.encode()).hexdigest(), 16) % len(data)


def chain_files(project, which):
    links = {link.name: link for link in audited(project).links}
    if which == "dataset":
        return set(links["validate"].inputs)
    if which == "code":
        return {path for link in links.values() for path in link.code}
    return {*links[which].outputs, f"{RESULTS}/provenance/{which}.json"}


def test_a_chain_as_it_was_run_is_intact(shared_project):
    found = audited(shared_project)
    assert told(found) == set() and found.intact
    assert [link.name for link in found.links] == ["number", *reversed(plan.STAGES), "dataset"]
    assert all(link.verdicts == ["intact"] for link in found.links)
    assert found.value == 0.5  # two of the four facts: 0, 1/2 and 1 of the three answerable questions
    assert found.rebuild == f"dvc repro report@{NAME}"
    assert found.anchor["commit"] == shared_project.git("rev-parse", "HEAD").output.strip()
    assert found.orphans == [] and found.changed_files == []
    assert found.link("chunk").reaching == {
        f"{NAME}.chunk.overlap": found.link("chunk").parameters[f"{NAME}.chunk"]["overlap"]
    }
    for path in (f"{RESULTS}/queries.jsonl", f"./{RESULTS}/metrics.json", RESULTS, f"{RESULTS}/provenance/index.json"):
        assert audited(shared_project, path).intact


@pytest.mark.parametrize("stage", plan.STAGES)
def test_one_bit_of_any_output_or_record(shared_project, flip, stage):
    files = sorted(chain_files(shared_project, stage))
    assert len(files) > 2
    read = {link.name: link.inputs for link in audited(shared_project).links}
    for path in files:
        data = (shared_project.root / path).read_bytes()
        if not data:
            continue
        flip(path, somewhere(path, data))
        found = told(audited(shared_project))
        assert (stage, "changed", path) in found, path
        assert {verdict for _, verdict, _ in found} <= {"changed", "inputs_changed", "number_differs"}, path
        readers = {name for name, inputs in read.items() if path in inputs}
        assert {link for link, verdict, place in found if (verdict, place) == ("inputs_changed", path)} == readers
        assert {place for link, _, place in found if link != "number"} == {path}
        flip.back()
    assert audited(shared_project).intact


def test_one_bit_of_any_file_of_the_dataset(shared_project, flip):
    for path in sorted(chain_files(shared_project, "dataset")):
        flip(path, somewhere(path, (shared_project.root / path).read_bytes()))
        assert told(audited(shared_project)) == {("dataset", "changed", path), ("validate", "inputs_changed", path)}
        flip.back()


def test_one_bit_of_any_file_of_the_code(shared_project, flip):
    links = audited(shared_project).links
    for path in sorted(chain_files(shared_project, "code")):
        flip(path, somewhere(path, (shared_project.root / path).read_bytes()))
        found = told(audited(shared_project))
        runs = {link.name for link in links if path in link.code}
        assert {(link, place) for link, verdict, place in found if verdict == "code_changed"} == {
            (name, path) for name in runs
        }, path
        flip.back()


def test_one_bit_of_dvc_lock_at_any_place(shared_project, flip):
    data = (shared_project.root / "dvc.lock").read_bytes()
    for place in [*range(0, len(data), 911), len(data) - 1]:
        flip("dvc.lock", place)
        assert not audited(shared_project).intact, data[place - 20 : place + 20]


def test_a_command_or_dependency_that_was_changed_in_dvc_yaml(project):
    project.edit("dvc.yaml", "--allowed-rules fuse fuse_stage", "--allowed-rules fuse fuse_stage --quiet")
    project.edit(
        "dvc.yaml",
        "- workflow/spanledger/selection\n      params:\n      - ${key}.elig",
        "- x\n      params:\n      - ${key}.elig",
    )
    found = audited(project)
    assert {(link, verdict, path) for link, verdict, path in told(found)} == {
        ("fuse", "code_changed", "dvc.yaml"),
        ("select", "code_changed", "dvc.yaml"),
    }
    assert len(found.link("select").findings) == 2
    project.edit("dvc.yaml", "      params:\n      - ${key}.chunk\n", "      params:\n")
    (reason,) = [finding.reason for finding in audited(project).link("chunk").findings]
    assert reason == f"{NAME}.chunk is among the params of dvc.lock alone"


def test_files_that_were_added_or_removed(project):
    (project.root / RESULTS / "chunk" / "more.jsonl").write_bytes(b"")
    (project.root / "fixtures" / NAME / "elements.jsonl").write_bytes(b"")
    (project.root / "workflow" / "spanledger" / "chunking" / "extra.py").write_bytes(b"")
    (project.root / RESULTS / "tags.csv").unlink()
    shutil.rmtree(project.root / RESULTS / "fuse")
    (project.root / RESULTS / "provenance" / "retrieve.json").unlink()
    found = told(audited(project))
    assert {
        ("chunk", "changed", f"{RESULTS}/chunk/more.jsonl"),
        ("index", "inputs_changed", f"{RESULTS}/chunk/more.jsonl"),
        ("dataset", "changed", f"fixtures/{NAME}/elements.jsonl"),
        ("chunk", "code_changed", "workflow/spanledger/chunking/extra.py"),
        ("report", "missing", f"{RESULTS}/tags.csv"),
        ("fuse", "missing", f"{RESULTS}/fuse"),
        ("select", "inputs_changed", f"{RESULTS}/fuse/overlap/all/single.jsonl"),
        ("retrieve", "missing", f"{RESULTS}/provenance/retrieve.json"),
    } <= found


def rewrite(project, path, old, new):
    """Changes a file by hand; its old and new SHA-256 and MD5."""
    file = project.root / path
    before = file.read_bytes()
    assert old in before
    after = before.replace(old, new)
    file.chmod(0o644)
    file.write_bytes(after)
    return [(hashlib.new(kind, before).hexdigest(), hashlib.new(kind, after).hexdigest()) for kind in ("sha256", "md5")]


def test_a_number_that_was_changed_with_all_that_vouches_for_it(project):
    """First the table alone, then its provenance record too, then dvc.lock too, then all of it committed."""
    arms, record = f"{RESULTS}/arms.csv", f"{RESULTS}/provenance/report.json"
    before = f"{ARM},overlap,all,single,top2,4,3,1,4,4,4,2,1.0,1.0,0.5,".encode()
    digests, md5s = rewrite(project, arms, before, before[:-4] + b"0.9,")
    found = audited(project)
    assert found.value == 0.9
    assert {("number", "number_differs", arms), ("report", "changed", arms)} <= told(found)

    _, record_md5s = rewrite(project, record, *(text.encode() for text in digests))
    found = audited(project)
    assert {("report", "changed", arms), ("report", "changed", record)} <= told(found)
    assert any("record was changed to agree with it" in finding.reason for finding in found.link("report").findings)

    for old, new in (md5s, record_md5s):
        rewrite(project, "dvc.lock", old.encode(), new.encode())
    found = audited(project)
    assert ("report", "uncommitted", "dvc.lock") in told(found)
    (reason,) = [f.reason for f in found.link("report").findings if f.verdict == "uncommitted"]
    assert arms in reason and record in reason
    assert found.anchor["commit"] is None

    project.commit("Better results")
    found = audited(project)
    assert not any(verdict in ("changed", "uncommitted") for _, verdict, _ in told(found))
    assert ("number", "number_differs", arms) in told(found)


def test_parameters_that_were_edited(project):
    project.edit("params.yaml", "chunk_overlap: 60", "chunk_overlap: 30")
    project.edit("params.yaml", "budget: 240", "budget: 230")
    found = audited(project)
    path, other = f"{NAME}.chunk.overlap.chunk_overlap", f"{NAME}.select.chars240.budget"
    assert told(found) == {
        *((stage, "parameters_differ", path) for stage in ("chunk", "report")),
        *((stage, "parameters_differ", other) for stage in ("select", "score", "report")),
    }
    reasons = {finding.path: finding.reason for finding in found.link("report").findings}
    assert reasons[path] == "the run used 60, params.yaml says 30"
    assert reasons[other] == "the run used 240, params.yaml says 230; no setting of this arm"
    assert found.changed_files == ["params.yaml"]
    assert audited(project, name="HEAD").intact


def test_what_says_the_same_in_other_words_is_no_difference(project):
    project.edit("params.yaml", "chunk_overlap: 60", "tail: drop, chunk_overlap: 60.0")
    assert audited(project).intact


def test_params_yaml_that_is_not_valid_or_lost_the_experiment(project):
    text = project.read("params.yaml")
    project.edit("params.yaml", "chunk_overlap: 60", "chunk_overlap: lots")
    assert ("chunk", "parameters_differ", "params.yaml") in told(audited(project))
    project.write("params.yaml", text.replace(NAME, "renamed"))
    found = audited(project)
    assert ("report", "parameters_differ", "params.yaml") in told(found)
    assert f"results/{NAME}" in found.orphans and f"dvc.lock: index@{NAME}" in found.orphans
    assert found.value == 0.5 and found.link("number").findings == []


def test_a_stage_that_ran_again_leaves_the_later_ones_behind(project):
    project.edit("params.yaml", "chunk_overlap: 60", "chunk_overlap: 30")
    project.repro(f"chunk@{NAME}")
    found = audited(project)
    assert {link.name for link in found.links if "inputs_changed" in link.verdicts} >= {"index", "score", "report"}
    reasons = [f.reason for f in found.link("index").findings if f.path == f"{RESULTS}/chunk/overlap.jsonl"]
    assert len(reasons) == 1 and reasons[0].endswith(": chunk ran again since")
    assert "changed" not in found.link("chunk").verdicts
    assert found.link("chunk").verdicts == ["uncommitted"]


def test_versions_of_libraries(project, monkeypatch):
    rewrite(project, "requirements.lock", b"\nnumpy==2.4.6", b"\nnumpy==2.4.5")
    found = audited(project)
    assert ("score", "libraries_differ", "numpy") in told(found)
    (reason,) = [f.reason for f in found.link("score").findings if f.verdict == "libraries_differ"]
    assert reason.startswith("the run used ") and reason.endswith("requirements.lock has 2.4.5")


def cached(project, stage, output):
    outs = open_snapshot(None, project.root).lock[f"{stage}@{NAME}"]["outs"]
    digest = next(out["md5"] for out in outs if out["path"] == output)
    return project.root / ".dvc" / "cache" / "files" / "md5" / digest[:2] / digest[2:]


@pytest.mark.parametrize("name", [None, "HEAD"])
def test_objects_of_the_cache_that_dvc_would_trust(project, name):
    whole = cached(project, "score", f"{RESULTS}/queries.jsonl")
    inner = json.loads(cached(project, "chunk", f"{RESULTS}/chunk").read_bytes())[0]
    inner_path = whole.parents[1] / inner["md5"][:2] / inner["md5"][2:]
    for stage, file in (("score", whole), ("chunk", inner_path)):
        data = file.read_bytes()
        file.chmod(0o644)
        file.write_bytes(data[:-1])
        file.chmod(0o444)
        place = file.relative_to(project.root).as_posix()
        assert (stage, "cache_corrupt", place) in told(audited(project, name=name))
        assert "changed" not in audited(project, name=name).link(stage).verdicts
        file.unlink()
        found = audited(project, name=name)
        if name is None:
            assert found.intact and any("not in DVC's cache" in note for note in found.link(stage).notes)
        else:
            assert "missing" in found.link(stage).verdicts
        file.write_bytes(data)
        file.chmod(0o444)


def test_a_revision_and_an_experiment(project):
    first = project.git("rev-parse", "HEAD").output.strip()
    project.dvc("exp", "run", "--temp", "-n", "smaller", "-S", f"{NAME}.chunk.overlap.chunk_overlap=0")
    project.edit("params.yaml", "chunk_overlap: 60", "chunk_overlap: 30")
    project.commit("Settings that did not run")
    found = audited(project, name="HEAD")
    assert {verdict for _, verdict, _ in told(found)} == {"parameters_differ"}
    assert {"60", "30"} <= set(found.link("chunk").findings[0].reason.replace(",", "").split())
    found = audited(project, name="HEAD~1")
    assert found.intact and found.commit == first and found.value == 0.5
    assert found.rebuild == f"git checkout {first} && dvc repro report@{NAME}"
    found = audited(project, name="smaller")
    assert found.intact and found.value == pytest.approx(1 / 3)  # without an overlap it is the arm of fixed windows
    assert found.rebuild == f"dvc exp apply smaller && dvc repro report@{NAME}"
    found = audited(project, f"{RESULTS}/queries.jsonl", "HEAD~2")
    assert {link.verdicts[0] for link in found.links if link.name in plan.STAGES} == {"never_ran"}


def test_what_never_ran_and_what_was_not_checked_out(fresh_project, project):
    found = audited(fresh_project)
    assert found.value is None and not found.intact
    assert {link.verdicts[0] for link in found.links if link.name in plan.STAGES} == {"never_ran"}
    project.git("clean", "-dfxq", "results")
    found = audited(project)
    assert found.value == 0.5
    assert {link.verdicts[0] for link in found.links if link.name in plan.STAGES} == {"missing"}


def test_the_command(project):
    done = project.spanledger("audit", TARGET)
    lines = done.output.splitlines()
    assert lines[0] == f"{TARGET} = 0.5, in the workspace"
    assert lines[-1] == "verdict   intact" and "\x1b" not in done.output
    assert all(len(line) <= 100 for line in lines if line[:1] in "├│└")
    (project.root / RESULTS / "fuse" / "overlap" / "all" / "single.jsonl").write_bytes(b"{}\n")
    found = json.loads(project.spanledger("audit", f"./{RESULTS}/arms.csv", "--json", status=1).output)
    verdicts = {link["link"]: link["verdicts"] for link in found["links"]}
    assert (found["verdict"], verdicts["fuse"], verdicts["chunk"]) == ("not intact", ["changed"], ["intact"])
    assert project.spanledger("audit", TARGET, "--revision", "HEAD").output.splitlines()[-1] == "verdict   intact"
    done = project.spanledger("audit", TARGET, "--revision", "HEAT", status=1)
    assert "is no git revision" in done.output and "Traceback" not in done.output


def test_the_crate(project):
    rocrate = pytest.importorskip("rocrate.rocrate")
    for folder in ("one", "two"):
        project.spanledger("audit", TARGET, "--crate", folder)
    held = {
        p.relative_to(project.root / "one"): p.read_bytes() for p in (project.root / "one").rglob("*") if p.is_file()
    }
    again = {
        p.relative_to(project.root / "two"): p.read_bytes() for p in (project.root / "two").rglob("*") if p.is_file()
    }
    assert held == again
    crate = rocrate.ROCrate(project.root / "one")
    for entity in crate.data_entities:
        if "sha256" in entity.properties():
            path = Path(entity["name"])
            assert entity["sha256"] == hashlib.sha256((project.root / path).read_bytes()).hexdigest()
            assert held[path] == (project.root / path).read_bytes()
    assert Path(f"{RESULTS}/score/{ARM}.jsonl") in held
    assert crate.mainEntity["name"] == "dvc.yaml"
    action = crate.dereference("#chunk")
    assert action["instrument"]["name"] == "workflow/scripts/chunk.py"
    assert f"{RESULTS}/chunk/overlap.jsonl" in {file["name"] for file in action["result"]}
    assert crate.dereference(f"#chunk/{NAME}.chunk.overlap.chunk_overlap")["value"] == 60
    assert crate.dereference("#number")["value"] == 0.5
    date = project.git("log", "-1", "--format=%cI").output.strip()
    assert crate.root_dataset["datePublished"] == date
    done = project.spanledger("audit", TARGET, "--crate", "one", status=1)
    assert "expected a new or empty folder" in done.output


def test_a_run_with_its_provenance(project):
    project.spanledger("export-run", NAME, "--arm", ARM, "--out", "a.run")
    project.spanledger("export-run", NAME, "--arm", ARM, "--out", "b.run", "--revision", "HEAD")
    project.spanledger("export-run", NAME, "--arm", ARM, "--out", "c.run", "--no-header")
    text = project.read("a.run")
    assert text == project.read("b.run")
    assert text.endswith(project.read("c.run")) and not project.read("c.run").startswith("#")
    rows = [json.loads(line) for line in project.read(f"{RESULTS}/queries.jsonl").splitlines()]
    expected = [(r["query_id"], c["chunk_id"]) for r in rows if r["arm"] == ARM for c in r["candidates"]]
    assert [tuple(line.split()[::2][:2]) for line in project.read("c.run").splitlines()] == expected
    assert f"commit: {project.git('rev-parse', 'HEAD').output.strip()}" in text
    facts = ("--level", "fact", "--list", "context", "--first", "1", "--qrels", "f.qrels")
    project.spanledger("export-run", NAME, "--arm", ARM, "--out", "f.run", *facts)
    assert "context at fact level, the first 1 passages" in project.read("f.run")
    required = [(r["query_id"], fact["fact_id"]) for r in rows if r["arm"] == ARM for fact in r["facts"]]
    assert [tuple(line.split()[::2]) for line in project.read("f.qrels").splitlines()] == required
    (project.root / RESULTS / "validate" / "facts.jsonl").write_bytes(b"")
    done = project.spanledger("export-run", NAME, "--arm", ARM, "--out", "d.run")
    assert "its chain is not intact" in done.output
    assert "did you mean" in project.spanledger("export-run", NAME, "--arm", f"{ARM}0", "--out", "e", status=1).output


def test_a_folder_has_the_digest_that_dvc_gives_it(shared_project):
    files = Files(open_snapshot(None, shared_project.root))
    lock = open_snapshot(None, shared_project.root).lock
    for stage in plan.STAGES:
        for entry in (*lock[f"{stage}@{NAME}"]["outs"], *lock[f"{stage}@{NAME}"]["deps"]):
            assert files.md5(entry["path"]) == entry["md5"], entry["path"]
    assert producer(NAME, f"{RESULTS}/arms.csv") == "report"


def test_a_target_that_is_none_is_told(shared_project):
    with pytest.raises(InputError, match="did you mean 'macro_recall'"):
        audited(shared_project, f"{NAME}/{ARM}/macro_recal")
