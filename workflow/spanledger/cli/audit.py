"""`spanledger audit`: the chain behind a number as a tree in the terminal, as JSON, and as an RO-Crate."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from spanledger.audit import INTACT, VERDICTS, Audit, Finding, Link, audit
from spanledger.core.files import canonical, document, sha256
from spanledger.engine.params import NAMED_SECTIONS
from spanledger.snapshot import open_snapshot

_LOG_WIDTH = 100
_SHOWN = 6  # findings of one verdict and link; the others are counted, and --json has them all


def run(target: str, name: str | None, as_json: bool, crate: Path | None) -> int:
    """Audits a target in the workspace (None) or in a revision or DVC experiment and prints what it found; `crate` is a
    folder to write an RO-Crate into. Returns 0 where every link is intact, else 1. Raises InputError as `audit` does."""
    if crate is not None:
        from spanledger.exports.crate import ready, write_crate

        ready(crate)
    found = audit(target, open_snapshot(name))
    if as_json:
        sys.stdout.buffer.write(document(found.told()))
        sys.stdout.buffer.flush()
    else:
        show(found, Console(width=None if sys.stdout.isatty() else _LOG_WIDTH))
    if crate is not None:
        write_crate(found, open_snapshot(name), crate)
        print(f"RO-Crate: {crate}", file=sys.stderr if as_json else sys.stdout)
    return 0 if found.intact else 1


def show(found: Audit, console: Console) -> None:
    """Prints the tree and, below it, what vouches for the chain and how to make it anew. A parameter stands at the first
    stage that it reaches; what all stages have in common stands below the tree."""
    where = "the workspace" if found.commit is None else f"{found.snapshot} (commit {found.commit[:12]})"
    tree = Tree(Text(f"{_headline(found)}, in {where}", style="bold"))
    shared = _shared_libraries(found)
    shown: set[str] = {f"{found.experiment}.arms"}
    below: dict[str, list[tuple[str, str]]] = {}
    for link in reversed(found.links):
        below[link.name] = list(_lines(found, link, shown, shared))
        shown |= {*(path for path, _ in _settings(found, link)), *_others(link)}
    for link in found.links:
        branch = tree.add(_title(link))
        for line, style in below[link.name]:
            branch.add(Text(line, style=style))
    console.print(tree, highlight=False)
    for name, text in _footer(found, shared):
        console.print(Text.assemble((f"{name:9} ", "bold"), text), highlight=False, soft_wrap=True)


def _headline(found: Audit) -> str:
    if found.target.startswith("results/"):
        return found.target
    return f"{found.target} = {'null' if found.value is None else found.value}"


def _title(link: Link) -> Text:
    sound = link.verdicts == [INTACT]
    words = "; ".join(VERDICTS.get(verdict, verdict) for verdict in link.verdicts)
    since = f"  since commit {link.commit['hash'][:12]}" if link.commit else ""
    if link.run and link.run.get("time"):
        since += f"{',' if since else ' '} ran here {link.run['time']}"
    return Text.assemble((f"{link.name:10}", "bold"), (words, "green" if sound else "bold red"), (since, "dim"))


def _lines(found: Audit, link: Link, shown: set[str], shared: dict[str, str]) -> Iterator[tuple[str, str]]:
    """What stands below a link, each line with its style; `shown` are the parameters that stand elsewhere."""
    for verdict in VERDICTS:
        findings = [finding for finding in link.findings if finding.verdict == verdict]
        for finding in findings[:_SHOWN]:
            yield f"{VERDICTS[verdict]}: {finding.path}: {_reason(found, link, finding)}", "red"
        if len(findings) > _SHOWN:
            yield f"{VERDICTS[verdict]}: {len(findings) - _SHOWN} more, with --json", "red"
    if link.notes:
        yield "; ".join(link.notes), ""
    own = f"{found.experiment}."
    for path, value in _settings(found, link):
        if path not in shown:
            yield f"{path.removeprefix(own)}: {_value(value)}", ""
    others = [path for path in _others(link) if path not in shown]
    if others:
        yield f"of other arms: {', '.join(path.removeprefix(own) for path in others)}", "dim"
    files = [
        f"{kind} {len(held)} file{'s' * (len(held) != 1)} {sha256(canonical(held))[:12]}"
        for kind, held in (
            ("read", link.inputs),
            ("wrote" if link.code else "holds", link.outputs),
            ("code", link.code),
        )
        if held
    ]
    if files:
        yield ", ".join(files), "dim"
    if link.libraries and link.libraries != shared:
        yield _versions(link.libraries), "dim"


def _reason(found: Audit, link: Link, finding: Finding) -> str:
    """The reason of a finding with digests cut short, and only where to look for a file that another link tells of."""
    if finding.verdict == "inputs_changed":
        for other in found.links:
            if other is not link and any(
                f.path == finding.path and f.verdict != "inputs_changed" for f in other.findings
            ):
                return f"see {other.name}"
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]{20,}", r"\1", finding.reason)


def _settings(found: Audit, link: Link) -> Iterator[tuple[str, Any]]:
    """The parameters that reach the number, by their path in params.yaml; those of a section of named settings by name."""
    for path, value in link.reaching.items():
        if path.removeprefix(f"{found.experiment}.") in NAMED_SECTIONS and isinstance(value, dict):
            yield from ((f"{path}.{name}", setting) for name, setting in value.items())
        else:
            yield path, value


def _others(link: Link) -> list[str]:
    """The named settings of a stage that do not reach the number, by their path in params.yaml, sorted."""
    apart = {path: value for path, value in link.parameters.items() if path not in link.reaching}
    held = (f"{path}.{name}" for path, value in apart.items() if isinstance(value, dict) for name in value)
    return sorted(path for path in held if path not in link.reaching)


def _shared_libraries(found: Audit) -> dict[str, str]:
    """The versions that most stages have."""
    held = [link.libraries for link in found.links if link.libraries]
    return max(held, key=held.count, default={})


def _versions(libraries: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in libraries.items())


def _value(value: Any) -> str:
    """A parameter on one line, without what is at null: a setting that is not there."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inner(inner)}" for key, inner in value.items() if inner is not None) or "{}"
    return _inner(value)


def _inner(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _footer(found: Audit, shared: dict[str, str]) -> Iterator[tuple[str, str]]:
    arms = [link.reaching.get(f"{found.experiment}.arms") for link in found.links]
    arm = next((held for held in arms if isinstance(held, dict)), None)
    if arm is not None:
        yield "arm", _value({key: value for key, value in arm.items() if key != "name"})
    if shared:
        yield "libraries", _versions(shared)
    commits = found.anchor["commits"]
    if commits:
        newest, more = commits[0], len(commits) - 1
        others = f" (and {more} other{'s' * (more != 1)})" if more else ""
        told = f"{newest['hash']} of {newest['date'][:10]}, {newest['subject']}{others}"
        yield "commit", f"{told}: its dvc.lock names the whole chain"
    else:
        yield "commit", "no commit's dvc.lock names the whole chain"
    if found.changed_files:
        shown = ", ".join(found.changed_files[:_SHOWN])
        more = f" and {len(found.changed_files) - _SHOWN} more" if len(found.changed_files) > _SHOWN else ""
        yield "changed", f"since the last commit: {shown}{more}"
    if found.orphans:
        yield "orphans", f"of no experiment in params.yaml, `make prune` removes them: {', '.join(found.orphans)}"
    yield "rebuild", found.rebuild
    yield "rests on", found.proof
    broken = [link.name for link in found.links if link.findings]
    yield "verdict", INTACT if not broken else f"not intact: {', '.join(broken)}"
