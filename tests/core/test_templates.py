"""Templates of a passage."""

import pytest

from spanledger.core import templates


def test_text_and_placeholders_in_turn():
    assert templates.parts("{{{rank}}} {body}!") == (("{", None), ("", "rank"), ("}", None), (" ", "body"), ("!", None))
    assert templates.parts("{body}") == (("", "body"),)


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{body", ["a brace stands alone: expected {placeholder}, or {{ and }} for braces themselves"]),
        ("{body} }", ["a brace stands alone: expected {placeholder}, or {{ and }} for braces themselves"]),
        ("{titel}: {body}", ["unknown placeholder 'titel': did you mean 'title'? valid: "]),
        ("", ["lacks {body}"]),
        ("{{body}}", ["lacks {body}"]),
        ("{body.upper}", ["unknown placeholder 'body.upper'", "lacks {body}"]),
        ("{body[0]}", ["unknown placeholder 'body[0]'", "lacks {body}"]),
        ("{body:>9}", ["placeholder 'body': expected the name alone in the braces, without a format"]),
        ("{body!r}", ["placeholder 'body': expected the name alone in the braces, without a format"]),
        ("{} {0}", ["unknown placeholder ''", "unknown placeholder '0'", "lacks {body}"]),
        ("{section} {rank:03}", ["'rank': expected the name alone", "placeholder 'section'", "lacks {body}"]),
    ],
)
def test_every_fault_is_told(template, told):
    found = list(templates.faults(template))
    assert len(found) == len(told)
    assert all(part in fault for part, fault in zip(told, found, strict=True))
    with pytest.raises(ValueError, match=r"\w"):
        templates.parts(template)
