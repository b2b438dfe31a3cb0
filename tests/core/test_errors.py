"""How bad input is told."""

import pytest

from spanledger.core.errors import InputError, Problem, nearest, raise_problems


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            Problem("a.jsonl", 3, "query 'q'", "facts[0]", "lacks support"),
            "a.jsonl:3: query 'q': facts[0]: lacks support",
        ),
        (Problem("params.yaml", field="x.chunk", message="lacks method"), "params.yaml: x.chunk: lacks method"),
        (Problem("a.jsonl", message="no such file"), "a.jsonl: no such file"),
    ],
)
def test_a_problem_is_one_line_without_its_empty_parts(problem, text):
    assert str(problem) == text


def test_all_problems_are_told_once_in_the_order_of_the_input():
    problems = [
        Problem("b", 1, message="m"),
        Problem("a", 10, message="m"),
        Problem("a", 9, message="n"),
        Problem("b", 1, message="m"),
    ]
    with pytest.raises(InputError) as caught:
        raise_problems(iter(problems))
    assert str(caught.value) == "3 problems found:\n  a:9: n\n  a:10: m\n  b:1: m"
    assert caught.value.problems == [problems[2], problems[1], problems[0]]


def test_one_problem_is_one_problem():
    assert str(InputError([Problem("a", message="m")])) == "1 problem found:\n  a: m"


def test_nothing_wrong_raises_nothing():
    raise_problems([])
    raise_problems(iter(()))


@pytest.mark.parametrize(
    ("name", "valid", "text"),
    [
        ("windw", ["window", "document", "paragraph"], "did you mean 'window'? valid: document, paragraph, window"),
        ("xyz", {"window", "paragraph"}, "valid: paragraph, window"),
        (3, ["window"], "valid: window"),
        ("any", [], "valid: none"),
    ],
)
def test_the_nearest_name_is_offered_and_all_are_listed_in_order(name, valid, text):
    assert nearest(name, valid) == text
