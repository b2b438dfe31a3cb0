"""Every code has its words, and every cause of loss its colour."""

import re
from pathlib import Path

from spanledger import gates
from spanledger.core.bounded import PRIMARY
from spanledger.core.causes import CAUSES
from spanledger.core.failures import CLASSES
from spanledger.core.span_measures import SPAN_MEASURES
from spanledger.engine import schema
from spanledger.fusion import rules as reranking
from spanledger.report import diagnostics, words
from spanledger.selection import context


def test_every_code_and_setting_has_plain_words():
    definitions = schema.load("params")["$defs"]
    assert set(words.CAUSES) == set(CAUSES)
    assert list(words.FAILURES) == list(CLASSES)
    assert all(len(told) == 4 and all(told) for told in words.FAILURES.values())
    assert set(words.REASONS) == {*context.REASONS, context.NOT_CHOSEN}
    assert set(words.FEATURES) == set(reranking.FEATURES)
    source = Path(diagnostics.__file__).read_text(encoding="utf-8")
    codes = set(re.findall(r'Diagnostic\(\s*"(\w+)"', source))
    assert set(words.WARNINGS) == codes and len(codes) == 17
    units = {*definitions["score"]["properties"]["cost"]["properties"]["unit"]["anyOf"][0]["enum"]}
    assert set(words.UNITS) >= units | {*definitions["select_walk"]["properties"]["unit"]["anyOf"][0]["enum"]} - {None}
    assert words.measured("tiktoken/cl100k_base") == "tokens (of cl100k_base, by tiktoken)"
    assert words.measured("tokenizer/mine") == "tokens (of tokenizers/mine.json)"
    assert set(words.METRICS) == set(PRIMARY)
    spans = definitions["score"]["properties"]["span_metrics"]["items"]["enum"]
    assert list(SPAN_MEASURES) == spans and all(words.metric(name)[0] for name in spans)
    assert all(words.metric(name)[0] == name for name in ("P@1", "R@5", "AP", "AP@7", "RR", "RR@2", "nDCG", "nDCG@3"))
    assert set(words.PARTS) == set(definitions["experiment"]["properties"]) - {"arms", "gates"}
    assert list(words.GATES) == list(gates.STATUSES)


def test_every_cause_has_its_colour_in_both_themes():
    style = (Path(words.__file__).parent / "page.css").read_text(encoding="utf-8")
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    for cause in ("context", *CAUSES):
        colour = f"--part-{cause.replace('_', '-')}"
        assert f".part-{cause} {{ fill: var({colour}); background: var({colour}); }}" in style
        found = [re.findall(rf"{colour}: (#[0-9a-f]{{6}});", theme) for theme in (light, dark)]
        assert [len(colours) for colours in found] == [1, 1], cause
    for theme in (light, dark):
        colours = re.findall(r"--part-[a-z-]+: (#[0-9a-f]{6});", theme)
        assert len(set(colours)) == len(colours) == len(CAUSES) + 1
