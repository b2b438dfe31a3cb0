"""Which queries are held out, and that nothing of them is in what an experiment makes for tuning."""

import dataclasses
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import gold, query
from spanledger.core.errors import InputError
from spanledger.dataset import load
from spanledger.engine import params, plan, yaml12
from spanledger.experiment import run
from spanledger.holdout import ALL, DEVELOPMENT, HOLDOUT, PARTS, Holdout, take

# The first eight digits of: printf '0\nexact-identifier' | sha256sum, and so on.
DIGESTS = {
    "exact-identifier": "7147bee3",
    "synonym-only": "d3405a5b",
    "two-facts": "d50712a1",
    "negation-distractor": "19b26c58",
    "fusion-regression": "3d3db689",
    "depth-omission": "1d544ab7",
    "eligibility": "d66f24c9",
    "no-answer": "82ea11dc",
}
HELD = {"negation-distractor", "fusion-regression", "depth-omission"}  # those that begin with 0 to 3
QUARTER = {"share": "0.25", "seed": 0}

ids = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True, max_size=30)
shares = st.fractions(0, 1, max_denominator=1000)
seeds = st.integers(0, 2**40)


@pytest.mark.parametrize("digits", [*sorted({digest[:1] for digest in DIGESTS.values()}), "8", "f"])
def test_membership_is_by_the_digest_of_seed_and_id(digits):
    holdout = Holdout(Fraction(int(digits, 16), 16), 0)
    assert {name for name in DIGESTS if holdout.holds(name)} == {n for n, d in DIGESTS.items() if d < digits}


def test_another_seed_holds_out_others():
    """printf '1\\nexact-identifier' | sha256sum: 60a335ec, and so on."""
    quarter = Holdout.of({"share": "0.25", "seed": 1})
    assert {name for name in DIGESTS if quarter.holds(name)} == {"eligibility"}  # 1644a4ec
    more = {name for name in DIGESTS if Holdout.of({"share": "0.375", "seed": 1}).holds(name)}
    assert more == {"eligibility", "synonym-only", "fusion-regression"}  # 576e0738, 42a16019; 0.375 is 6 of 16


def test_the_share_is_compared_exactly():
    """printf '0\\neligibility' | sha256sum, all of it: the share that is its fraction does not hold it, the next does."""
    digest = 0xD66F24C996268B842F3AA9F069809810A52C654242C83676AAE29E1D46453E8E
    assert not Holdout(Fraction(digest, 2**256), 0).holds("eligibility")
    assert Holdout(Fraction(digest + 1, 2**256), 0).holds("eligibility")


def test_ids_are_hashed_as_utf_8():
    """printf '7\\n日志' | sha256sum, in a UTF-8 locale, begins with e3."""
    assert Holdout(Fraction(0xE3 + 1, 256), 7).holds("日志")
    assert not Holdout(Fraction(0xE3, 256), 7).holds("日志")


@given(ids, shares, shares, seeds)
def test_a_greater_share_holds_out_all_that_a_smaller_one_does(names, one, other, seed):
    small, large = (Holdout(share, seed) for share in sorted((one, other)))
    assert {name for name in names if small.holds(name)} <= {name for name in names if large.holds(name)}


@given(ids, st.sampled_from(["0.01", "0.2", "0.5", "0.99"]), seeds, st.randoms())
def test_the_parts_are_disjoint_and_all_together_whatever_else_there_is(names, share, seed, random):
    setting = {"share": share, "seed": seed}
    queries = [query(name) for name in names]
    try:
        parts = {part: take(queries, setting, part) for part in PARTS}
    except InputError:
        held = {Holdout.of(setting).holds(name) for name in names}
        assert len(held) < 2  # all are held out, or none
        return
    assert parts[ALL] == queries
    of_each = [{item.query_id for item in parts[part]} for part in (DEVELOPMENT, HOLDOUT)]
    assert of_each[0] | of_each[1] == set(names) and not of_each[0] & of_each[1] and all(of_each)
    assert [item for item in queries if item in parts[DEVELOPMENT]] == parts[DEVELOPMENT]
    # alone, among fewer and in another order each stays where it is
    some = random.sample(queries, random.randint(0, len(queries)))
    kept = {item.query_id for item in some}
    if of_each[0] & kept:
        assert {item.query_id for item in take(some, setting)} == of_each[0] & kept


def test_gold_goes_with_its_query():
    names = list(DIGESTS)
    queries, golds = [query(name) for name in names], [gold(name) for name in names]
    for part in PARTS:
        found = [item.query_id for item in take(queries, QUARTER, part)]
        assert found == [item.query_id for item in take(golds, QUARTER, part)]
        assert set(found) == {DEVELOPMENT: set(names) - HELD, HOLDOUT: HELD, ALL: set(names)}[part]


def test_without_a_holdout_all_are_in_the_development_part():
    queries = [query("a"), query("b")]
    assert take(queries, None) == take(queries, None, ALL) == queries
    with pytest.raises(InputError, match="normalise.holdout: there is no holdout"):
        take(queries, None, HOLDOUT)
    with pytest.raises(ValueError, match="part 'test': expected one of development, holdout, all"):
        take(queries, None, "test")


def test_an_empty_part():
    """A dataset without queries has no holdout to be blamed."""
    few = [query("negation-distractor"), query("depth-omission")]
    with pytest.raises(InputError, match="normalise.holdout.share: 0.25 with seed 0 holds out all of the 2 queries"):
        take(few, QUARTER)
    with pytest.raises(InputError, match="normalise.holdout.share: 0.25 with seed 0 holds out none of the 1 queries"):
        take([query("two-facts")], QUARTER, HOLDOUT)
    assert take([query("two-facts")], QUARTER) == [query("two-facts")]
    assert take([], QUARTER) == []


@pytest.fixture(scope="module")
def settings(project):
    raw = yaml12.read(project / "params.yaml")
    raw["fusion"]["normalise"]["holdout"] = {"share": 0.25}
    return raw


@pytest.fixture(scope="module")
def dataset(project):
    return load(project / "fixtures" / "fusion")


@pytest.fixture(scope="module")
def tuning(settings, dataset):
    return run(settings, dataset, "fusion")


def test_development_is_what_the_other_queries_alone_would_be(tuning, settings, dataset, project):
    """Every file after validate but those that say how many are held out."""
    whole = yaml12.read(project / "params.yaml")
    alone = dataclasses.replace(
        dataset,
        queries=[item for item in dataset.queries if item.query_id not in HELD],
        golds=[item for item in dataset.golds if item.query_id not in HELD],
    )
    expected = run(whole, alone, "fusion").files
    assert expected.keys() == tuning.files.keys()
    differing = {name for name in expected if expected[name] != tuning.files[name]}
    told = {"report.html", "diagnostics.json"}
    assert {name for name in differing if not name.startswith("validate/")} == told
    assert [row for row in tuning.rows if row["query_id"] in HELD] == []


def test_what_is_held_out_changes_no_byte_after_validate(tuning, settings, dataset):
    """Not its texts, not who asks, not its gold; the page shows nothing of it but its number."""
    other = dataclasses.replace(
        dataset,
        queries=[
            dataclasses.replace(item, text="atlas tokens", groups=("board",), versions=("v1",))
            if item.query_id in HELD
            else item
            for item in dataset.queries
        ],
        golds=[gold(item.query_id, no_answer="absent") if item.query_id in HELD else item for item in dataset.golds],
    )
    found = run(settings, other, "fusion").files
    assert {name for name in found if found[name] != tuning.files[name]} == {
        "validate/queries.jsonl",
        "validate/facts.jsonl",
    }


def test_no_id_and_no_text_of_the_holdout_is_in_any_file_after_validate(tuning, dataset):
    texts = [item.text for item in dataset.queries if item.query_id in HELD]
    facts = [fact.fact_id for item in dataset.golds if item.query_id in HELD for fact in item.facts]
    corpus = " ".join(f"{document.doc_id} {document.text}" for document in dataset.documents)
    secrets = [text.encode() for text in (*HELD, *texts, *facts) if text not in corpus]
    assert len(secrets) == 9 - 1  # "cache tokens" stands in a document
    holding = {name for name, data in tuning.files.items() for secret in secrets if secret in data}
    assert holding == {"validate/queries.jsonl", "validate/facts.jsonl"}


def test_no_stage_but_normalise_reads_queries_or_gold_of_validate():
    """What an engine does not hand to a stage cannot leak into its outputs."""
    readers = {
        stage
        for stage in plan.STAGES
        for name in plan.READS[stage]
        if name in ("validate", "validate/queries.jsonl", "validate/facts.jsonl")
    }
    assert readers == {"normalise"}


def test_the_holdout_is_run_with_the_same_parameters(tuning, settings, dataset, project):
    """Its lines are those of a run of all queries: retrieval for a query knows no other query."""
    whole = run(yaml12.read(project / "params.yaml"), dataset, "fusion").rows
    held, every = (run(settings, dataset, "fusion", part=part) for part in (HOLDOUT, ALL))
    assert held.rows == [row for row in whole if row["query_id"] in HELD]
    assert every.rows == whole
    assert tuning.rows == [row for row in whole if row["query_id"] not in HELD]
    assert not {"metrics.json", "report.html"} & {*held.files, *every.files}


def test_some_arms_alone(settings, dataset):
    names = ["rrf-d4-unfiltered", "bm25-d2"]
    held = run(settings, dataset, "fusion", part=HOLDOUT)
    some = run(settings, dataset, "fusion", part=HOLDOUT, arms=names)
    assert some.rows == [row for row in held.rows if row["arm"] in names]
    assert len(some.rows) == 2 * len(HELD)
    assert {name for name in some.files if name.startswith("score/")} == {
        *("score/bm25-d2.jsonl", "score/rrf-d4-unfiltered.jsonl"),
    }
    for wrong in (["bm25-d3"], []):
        with pytest.raises(ValueError, match="no arm"):
            run(settings, dataset, "fusion", arms=wrong)


def test_page_and_warnings_say_how_many_are_held_out(tuning):
    (first, *rest) = json.loads(tuning.files["diagnostics.json"])
    message = "development part: 5 of 8 queries; holdout not shown"
    assert first == {"code": "held_out", "message": message, "arms": []}
    assert "held_out" not in {diagnostic["code"] for diagnostic in rest}
    page = tuning.files["report.html"].decode()
    assert message in page
    assert "Development part: 5 of 8 questions. The other 3 are held out" in page
    assert "the SHA-256 of the seed 0, a line feed and its id" in page


def test_a_holdout_into_which_no_query_falls_is_warned_of(settings, dataset):
    raw = {**settings, "fusion": {**settings["fusion"], "normalise": {"holdout": {"share": "0.1", "seed": 0}}}}
    results = run(raw, dataset, "fusion")
    assert len(results.dataset.queries) == 8
    (first, *_) = json.loads(results.files["diagnostics.json"])
    assert first["code"] == "empty_holdout"
    assert "a share of 0.1 with seed 0 holds out none of 8 queries" in first["message"]
    assert "held out, and nothing" not in results.files["report.html"].decode()


def test_shares_are_one_value_however_they_are_written(settings):
    for share in (0.25, "0.25", "0.250", ".25"):
        raw = {**settings, "fusion": {**settings["fusion"], "normalise": {"holdout": {"share": share}}}}
        assert params.resolve(raw)["fusion"]["normalise"]["holdout"] == QUARTER
    raw = {**settings, "fusion": {**settings["fusion"], "normalise": {"holdout": {"share": 1e-7, "seed": 3.0}}}}
    resolved = params.resolve(raw)["fusion"]["normalise"]["holdout"]
    assert resolved == {"share": "0.0000001", "seed": 3} and isinstance(resolved["seed"], int)


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.2, "0", "0.0", "1", "1.0", "20%", "a fifth", True, None, [0.2]])
def test_shares_that_are_none(settings, share):
    raw = {**settings, "fusion": {**settings["fusion"], "normalise": {"holdout": {"share": share}}}}
    with pytest.raises(InputError) as caught:
        params.resolve(raw)
    (problem,) = caught.value.problems
    assert problem.field == "fusion.normalise.holdout.share"
    assert problem.message.startswith("expected a decimal above 0 and below 1, as 0.2, found ")


@pytest.mark.parametrize(
    ("holdout", "field", "message"),
    [
        ({}, "", "lacks share"),
        ({"share": 0.2, "seed": -1}, ".seed", "expected at least 0, found -1"),
        ({"share": 0.2, "seed": "a"}, ".seed", 'expected a whole number, found "a"'),
        ({"share": 0.2, "sed": 1}, ".sed", "unknown key: did you mean 'seed'? valid: seed, share"),
        (0.2, "", "expected a mapping or null, found 0.2"),
    ],
)
def test_settings_that_are_none(settings, holdout, field, message):
    raw = {**settings, "fusion": {**settings["fusion"], "normalise": {"holdout": holdout}}}
    with pytest.raises(InputError) as caught:
        params.resolve(raw)
    assert [(p.field, p.message) for p in caught.value.problems] == [(f"fusion.normalise.holdout{field}", message)]
