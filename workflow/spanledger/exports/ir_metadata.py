"""The ir_metadata header of a run (ir-metadata.org, schema 0.1): platform, research goal, implementation, method, actor and
data (PRIMAD) as YAML in comment lines, taken from the provenance of the run. It holds nothing that differs between two
runs of the same thing, so neither hardware nor dates."""

import io
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from ruamel.yaml import YAML

from spanledger.core.files import canonical, sha256
from spanledger.engine import plan, provenance

START, END = "# ir_metadata.start", "# ir_metadata.end"


@dataclass(frozen=True, slots=True)
class Listed:
    """What a run lists: candidates or the context, of which level, cut to how many first passages (None: all), and the
    last stage that made it."""

    name: str = "candidates"
    level: str = "chunk"
    first: int | None = None
    stage: str = "fuse"

    def __str__(self) -> str:
        cut = "" if self.first is None else f", the first {self.first} passages"
        return f"{self.name} at {self.level} level{cut}"


def header(metadata: dict[str, Any]) -> list[str]:
    """The comment lines of a run's head."""
    text = io.StringIO()
    yaml = YAML()
    yaml.width = 10**6  # a line folded by the writer would lose its comment sign
    yaml.default_flow_style = False
    yaml.dump(metadata, text)
    return [START, *(f"# {line}" for line in text.getvalue().splitlines()), END]


def metadata(
    tag: str,
    experiment: str,
    section: dict[str, Any],
    arm: plan.Arm,
    records: dict[str, dict[str, Any]],
    dataset: dict[str, Any],
    commit: dict[str, str] | None,
    listed: Listed = Listed(),
) -> dict[str, Any]:
    """The metadata of a list of one arm.

    `section` is the resolved one of the experiment, `records` are the provenance records from validate to `listed.stage`,
    `dataset` is the content of validate/dataset.json, `commit` the hash and author of the commit whose dvc.lock names the
    list (None: there is none, and what it says is left out).
    """
    libraries = {name: number for record in records.values() for name, number in record["libraries"].items()}
    source = {"lang": ["python"]} | ({"commit": commit["hash"]} if commit else {})
    folder = records["validate"]["parameters"][f"experiments.{experiment}"]["dataset"]
    return {
        "schema-version": 0.1,
        "run-version": 1.0,
        "tag": tag,
        "platform": {
            "software": {
                "libraries": {"python": [f"{name}=={number}" for name, number in libraries.items()]},
                "retrieval toolkit": [f"spanledger=={version('spanledger')}"],
            }
        },
        "research goal": {
            "description": f"experiment {experiment}, arm {arm.name}: {listed}",
            "evaluation": {"reported measures": [section["report"]["primary"]["metric"]]},
        },
        "implementation": {
            "executable": {"cmd": f"dvc repro {listed.stage}@{experiment}"},
            "source": source,
            "code sha256": {stage: sha256(canonical(provenance.code(record))) for stage, record in records.items()},
        },
        "method": _method(section, arm, listed),
        "actor": ({"name": commit["author"]} if commit else {}) | {"role": "experimenter"},
        "data": {
            "test collection": {
                "name": dataset.get("name", folder),
                "source": folder,
                "topics": f"{folder}/queries.jsonl",
                **{key: dataset[key] for key in ("language", "licence") if dataset.get(key) is not None},
                "files sha256": records["validate"]["inputs"],
            }
        },
    }


def _method(section: dict[str, Any], arm: plan.Arm, listed: Listed) -> dict[str, Any]:
    used = plan.branches(section, arm.fuse)
    fuse = dict(section["fuse"][arm.fuse])
    branches, rerank = fuse.pop("branches"), fuse.pop("rerank", None)
    retrieval: list[dict[str, Any]] = [
        {"name": name, "method": setting["scorer"], **_given(setting, "scorer")} for name, setting in used.items()
    ]
    if len(branches) > 1 or fuse["method"] != "single":
        retrieval.append({"name": arm.fuse, **_given(fuse), "interpolates": list(branches)})
    if rerank:
        name = f"{arm.fuse}.rerank"
        retrieval.append({"name": name, **_given(rerank), "reranks": retrieval[-1]["name"]})
    selection = {"name": arm.select, **_given(section["select"][arm.select])}
    indexes = {setting["index"]: section["index"][setting["index"]] for setting in used.values()}
    return {
        "automatic": True,
        "score ties": "as ranked: scores decrease strictly in single precision",
        "indexing": {
            "tokenizer": ", ".join(dict.fromkeys(setting["analyzer"] for setting in indexes.values())),
            "chunking": {"name": arm.chunk, **_given(section["chunk"][arm.chunk])},
            "eligibility": {"name": arm.eligibility, **_given(section["eligibility"][arm.eligibility])},
            "normalise": _given(section["normalise"]),
        },
        "retrieval": retrieval,
        **({"selection": selection} if listed.name == "context" else {}),
    }


def _given(setting: dict[str, Any], *apart: str) -> dict[str, Any]:
    """A setting without what is null and what is told elsewhere."""
    return {key: value for key, value in setting.items() if value is not None and key not in apart}
