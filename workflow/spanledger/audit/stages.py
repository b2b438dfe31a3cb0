"""One link of the chain: a stage's outputs, inputs, code, parameters and libraries, held against its provenance record and
its entry in dvc.lock."""

from collections.abc import Iterator
from typing import Any

from spanledger.audit import libraries, parameters, plan_file
from spanledger.audit.evidence import Cache, Unavailable
from spanledger.audit.findings import Link
from spanledger.audit.ledger import FIELDS, Ledger
from spanledger.audit.target import producer
from spanledger.core.errors import InputError
from spanledger.core.files import file_sha256
from spanledger.engine import closure, plan

_SCHEMA = "workflow/schemas/params.schema.json"
_CODE = (".py", ".html", ".css", ".js")


class Stages:
    """Checks the stages of one experiment, each into a Link."""

    def __init__(self, ledger: Ledger, cache: Cache):
        self.ledger = ledger
        self.cache = cache
        self.files = ledger.files
        self._in_workspace = ledger.files.snapshot.commit is None
        self._broken: dict[str, set[str]] = {}  # outputs of each stage whose object in the cache is told of already

    def check(self, stage: str, section: dict[str, Any] | None, arm: str | None) -> Link:
        """The link of a stage. `section` is the experiment's as its run used it, `arm` the one whose number is asked."""
        link = Link(stage)
        entry, written = self.ledger.entry(stage), plan.writes(self.ledger.experiment, stage)
        path = self.ledger.record_path(stage)
        places = (*written, path) if self._in_workspace else ()  # elsewhere outputs are found by dvc.lock alone
        if entry is None and not self.ledger.lock[1] and not any(map(self.files.snapshot.exists, places)):
            reason = f"dvc.lock has no entry of {stage}@{self.ledger.experiment}"
            link.find("never_ran", path, reason + (", and there are no outputs" if places else ""))
            return link
        if entry is None:
            why = self.ledger.lock[1] or f"dvc.lock has no entry of {stage}@{self.ledger.experiment}"
            link.find("lock_differs", "dvc.lock", why)
        self._check_cache(link, stage)
        self._check_record(link, stage)
        record = self.ledger.record(stage)
        self._check_outputs(link, stage, written)
        self._check_inputs(link, stage)
        self._check_code(link, stage)
        if record is not None:
            for name in FIELDS:
                setattr(link, name, record.content[name])
            if record.sound or entry is None:  # else it says nothing that could be relied on
                libraries.check(link, self.files)
            self._check_parameters(link, stage, section, arm)
        link.locked = {place: out["md5"] for place, out in self.ledger.outs(stage).items() if "md5" in out}
        return link

    def _check_record(self, link: Link, stage: str) -> None:
        path = self.ledger.record_path(stage)
        expected = self.ledger.outs(stage).get(path, {}).get("md5")
        try:
            self.files.read(path)
        except Unavailable as error:
            link.find("missing", path, f"the stage's provenance record {self._gone(str(error))}")
            return
        if self.ledger.entry(stage) is not None and expected is None:
            link.find("lock_differs", "dvc.lock", f"the entry of {stage}@{self.ledger.experiment} does not name {path}")
        elif expected is not None and self.files.md5(path) != expected:
            self._changed(link, stage, path, f"dvc.lock names MD5 {expected}, its bytes have {self.files.md5(path)}")
        elif self.ledger.record(stage) is None:
            link.find("changed", path, "is no provenance record")

    def _gone(self, why: str) -> str:
        return "is not there: `dvc checkout` brings it back from DVC's cache" if self._in_workspace else why

    def _changed(self, link: Link, stage: str, path: str, reason: str) -> None:
        """Bytes that are not those of dvc.lock: on disk, or in DVC's cache where a revision is read from it."""
        if self._in_workspace or self.ledger.in_git(stage, path):
            link.find("changed", path, reason)
        elif path not in self._broken.get(stage, ()):
            link.find("cache_corrupt", path, reason)

    def _check_outputs(self, link: Link, stage: str, written: list[str]) -> None:
        record, outs = self.ledger.record(stage), self.ledger.outs(stage)
        for out in written:
            recorded = _under(record.content["outputs"], out) if record else {}
            try:
                there = self.files.below(out)
            except Unavailable as error:
                link.find("missing", out, str(error))
                continue
            if not there:
                link.find("missing", out, f"this output {self._gone('is not there')}")
                continue
            if self.ledger.entry(stage) is not None and out not in outs:
                link.find(
                    "lock_differs", "dvc.lock", f"the entry of {stage}@{self.ledger.experiment} does not name {out}"
                )
            for path in there:
                if self.files.sha256(path) is None:
                    link.find("missing", path, self._why_unreadable(path))
            expected = outs.get(out, {}).get("md5")
            same = None if expected is None else self.files.md5(out) == expected
            manifest = self.cache.manifest(expected) if expected and expected.endswith(".dir") else None
            by_record = dict(self._against(out, recorded))
            if same:
                for path, how in by_record.items() if record and record.sound else ():
                    link.find("record_disagrees", path, f"{how} by the record, and as dvc.lock has it")
                continue
            if same is None and expected is None:
                culprits = by_record
            elif manifest is not None:
                listed = {f"{out}/{name}": md5 for name, md5 in manifest.items()}
                culprits = dict(self._against(out, listed, md5=True))
            elif expected is not None and not expected.endswith(".dir"):
                culprits = {out: f"dvc.lock names MD5 {expected}, its bytes have {self.files.md5(out)}"}
            else:
                culprits = by_record or {out: f"its files are not those of MD5 {expected}, which dvc.lock names"}
            for path, how in culprits.items():
                if self.files.sha256(path) is None and path in there:
                    continue  # told as missing
                agrees = recorded.get(path) == self.files.sha256(path) is not None
                more = "; the provenance record was changed to agree with it" if agrees and not record.sound else ""
                self._changed(link, stage, path, how + more)

    def _why_unreadable(self, path: str) -> str:
        try:
            self.files.read(path)
        except Unavailable as error:
            return str(error)
        return "cannot be read"

    def _against(self, place: str, expected: dict[str, str], md5: bool = False) -> Iterator[tuple[str, str]]:
        """(file, what is wrong with it) for the files of a place against their expected digests."""
        witness = "dvc.lock's list" if md5 else "the record"
        try:
            there = set(self.files.below(place))
        except Unavailable:
            there = set()
        for path in sorted(there | set(expected)):
            found = (self.files.md5 if md5 else self.files.sha256)(path) if path in there else None
            if path not in there:
                yield path, f"is gone; {witness} has it"
            elif path not in expected:
                yield path, f"was added; {witness} does not have it"
            elif found is not None and found != expected[path]:
                kind = "MD5" if md5 else "SHA-256"
                yield path, f"{witness} names {kind} {expected[path]}, its bytes have {found}"

    def _check_inputs(self, link: Link, stage: str) -> None:
        record, deps = self.ledger.record(stage), self.ledger.deps(stage)
        recorded = record.content["inputs"] if record and (record.sound or not deps) else None
        for place in self._read_places(stage, deps):
            self._compare(link, "inputs_changed", place, deps.get(place, {}), recorded, stage)

    def _read_places(self, stage: str, deps: dict[str, Any]) -> list[str]:
        if stage != "validate":
            return plan.reads(self.ledger.experiment, {}, stage)
        dataset = self.ledger.dataset()
        return [] if dataset is None else [dataset]

    def check_dataset(self, link: Link, folder: str) -> None:
        """The files of the dataset folder against what validate read of it."""
        record, dep = self.ledger.record("validate"), self.ledger.deps("validate").get(folder, {})
        recorded = record.content["inputs"] if record and (record.sound or not dep) else None
        self._compare(link, "changed", folder, dep, recorded, "validate")

    def _check_code(self, link: Link, stage: str) -> None:
        record, deps = self.ledger.record(stage), self.ledger.deps(stage)
        recorded = record.content["code"] if record and (record.sound or not deps) else None
        read = set(self._read_places(stage, deps))
        places = [place for place in deps if place not in read]
        for place in places:
            self._compare(link, "code_changed", place, deps[place], recorded, stage)
        alone = [path for path in recorded or () if not any(path == p or path.startswith(f"{p}/") for p in places)]
        for path in alone:
            self._compare(link, "code_changed", path, {}, recorded, stage)
        plan_file.check(link, self.ledger, stage)

    def _compare(
        self, link: Link, verdict: str, place: str, dep: dict[str, Any], recorded: dict[str, str] | None, stage: str
    ) -> None:
        """One file or folder that a stage depends on, against dvc.lock's digest of it and the record's of its files."""
        try:
            there = self.files.below(place)
        except Unavailable as error:
            link.find(verdict, place, str(error))
            return
        expected = dep.get("md5")
        held = None if recorded is None else _under(recorded, place)
        named = dict(self._against(place, held)) if held is not None else {}
        if verdict == "code_changed" and held is not None:
            # A folder of code may hold files that no run executes; dvc.lock's digest has them.
            named = {p: how for p, how in named.items() if p in held or p.endswith(_CODE)}
        for path, how in named.items():
            link.find(verdict, path, how + self._maker(stage, path))
        if named or expected is None:
            return
        if not there:
            link.find(verdict, place, "is gone; dvc.lock has it")
        elif self.files.md5(place) not in (None, expected) and dep.get("nfiles") in (None, len(there)):
            # The number of files, because DVC's digest of a folder has hidden ones in it, which no stage reads.
            found = self.files.md5(place)
            link.find(verdict, place, f"dvc.lock names MD5 {expected}, it has {found}" + self._maker(stage, place))

    def _maker(self, stage: str, path: str) -> str:
        """What is to be added where an input was made again by its own stage, and the later stage did not run."""
        maker = producer(self.ledger.experiment, path)
        record = self.ledger.record(maker) if maker else None
        if record and record.sound and record.content["outputs"].get(path) == self.files.sha256(path):
            return f": {maker} ran again since"
        return ""

    def _check_cache(self, link: Link, stage: str) -> None:
        absent, broken = [], self._broken.setdefault(stage, set())
        for out, entry in self.ledger.outs(stage).items():
            if "md5" not in entry or self.ledger.in_git(stage, out):
                continue
            for path, digest in self.cache.objects(out, entry["md5"]).items():
                data, sound = self.cache.object(digest)
                if data is None:
                    absent.append(path)
                elif not sound:
                    broken.add(path)
                    reason = f"stands for {path} and does not hold the bytes that it is named after: remove it, then "
                    again = f"`dvc fetch` or `dvc repro --force {stage}@{self.ledger.experiment}`"
                    link.find("cache_corrupt", self.cache.place(digest), reason + again)
        if absent and self._in_workspace:
            link.notes.append(f"not in DVC's cache, so it could not be brought back: {', '.join(sorted(absent))}")

    def _check_parameters(self, link: Link, stage: str, section: dict[str, Any] | None, arm: str | None) -> None:
        (_, why), entry = self.ledger.params, self.ledger.entry(stage)
        used, record = link.parameters, self.ledger.record(stage)
        link.reaching = (
            dict(used) if section is None else parameters.reaching(section, self.ledger.experiment, arm, used)
        )
        # Keys that this version's rules added have no value in a record that was made by older ones.
        same_rules = link.code.get(_SCHEMA) == file_sha256(closure.PROJECT / _SCHEMA)
        if entry is not None and not record.sound:  # then what dvc.lock noted stands for it
            try:
                used = self.ledger.resolver.locked(stage, self.ledger.noted(stage))
            except InputError:
                return
        for name, resolve in (
            ("params.yaml", lambda: self.ledger.resolver.planned(stage)),
            ("dvc.lock", lambda: self.ledger.resolver.locked(stage, self.ledger.noted(stage))),
        ):
            if name == "dvc.lock" and entry is None:
                continue
            if name == "params.yaml" and self.ledger.experiment not in (self.ledger.experiments or ()):
                link.find("parameters_differ", name, why or f"no longer names the experiment {self.ledger.experiment}")
                continue
            try:
                now = resolve()
            except InputError as error:
                if name == "params.yaml":
                    link.find("parameters_differ", name, f"is not valid: {error.problems[0]}")
                continue
            for path, recorded, other in parameters.differences(used, now):
                if parameters.is_new(recorded) and not same_rules:
                    continue
                reach = "" if parameters.touches(path, link.reaching) else "; no setting of this arm"
                link.find("parameters_differ", path, f"the run used {recorded}, {name} says {other}{reach}")


def _under(digests: dict[str, str], place: str) -> dict[str, str]:
    return {path: digest for path, digest in digests.items() if path == place or path.startswith(f"{place}/")}
