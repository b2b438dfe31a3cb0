"""Contexts as they would be sent: by hand, and against a selection that writes the whole text down at every step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chunk, document, query
from spanledger.core import units
from spanledger.core.ranking import Ranking
from spanledger.selection import select
from spanledger.selection.context import Context, Skipped
from spanledger.selection.rendering import Rendering
from spanledger.selection.selector import Selector
from spanledger.selection.shelf import Shelf

CL100K = "tiktoken/cl100k_base"
ALL = {"redundancy": "keep", "mmr": None, "parent": None, "merge": False, "top_k": None}


def chosen(bodies, **setting):
    """What select makes of these bodies, each of a document of its own, in this order."""
    chunks = [chunk(n, body, f"d{n}") for n, body in enumerate(bodies)]
    shelf = Shelf(chunks, [document(f"d{n}", body) for n, body in enumerate(bodies)])
    ranking = Ranking("q", tuple(range(len(bodies))), (1.0,) * len(bodies))
    ((context,), _) = select([ranking], shelf, [query()], {**ALL, **setting}, {})
    return context


def test_separators_count_between_passages_and_nowhere_else():
    """Three bodies of 4 characters with two between them are 4, 10 and 16."""
    bodies = ["aaaa", "bbbb", "cccc"]

    def taken(budget, **sent):
        return chosen(bodies, budget=budget, unit="char", **sent).chunks

    assert [len(taken(n, separator="--")) for n in (3, 4, 9, 10, 15, 16)] == [0, 1, 1, 2, 2, 3]
    assert [len(taken(n)) for n in (3, 4, 7, 8, 11, 12)] == [0, 1, 1, 2, 2, 3]
    # header and footer are there before anything else: 3 more
    framed = {"separator": "--", "header": "H:", "footer": "."}
    assert [len(taken(n, **framed)) for n in (6, 7, 12, 13, 18, 19)] == [0, 1, 1, 2, 2, 3]
    context = chosen(bodies, budget=14, unit="char", **framed)
    assert context.skipped == (Skipped("does-not-fit", 1, (2,)),)


def test_the_number_of_a_tenth_passage_has_a_digit_more():
    """Nine passages of "1 x" are 27 characters, the tenth has 4."""
    ten = ["x"] * 10
    assert len(chosen(ten, budget=30, unit="char", template="{rank} {body}").chunks) == 9
    assert len(chosen(ten, budget=31, unit="char", template="{rank} {body}").chunks) == 10


def test_tokens_that_join_are_counted_once():
    """By cl100k_base "hel" and "lo" are a token each, and "hello" is one."""
    assert chosen(["hel", "lo"], budget=1, unit=CL100K).chunks == (0,)  # apart: two
    assert chosen(["hel", "lo"], budget=1, unit=CL100K, separator="").chunks == (0, 1)
    context = chosen(["hel", "p p p", "lo"], budget=2, unit=CL100K, separator="")
    assert (context.chunks, context.skipped) == ((0, 2), (Skipped("does-not-fit", 1, (1,)),))
    assert chosen(["one", "two"], budget=1, unit="word", separator="").chunks == (0, 1)
    assert chosen(["one", "two"], budget=1, unit="word", separator=" ").chunks == (0,)


def test_a_whole_text_by_its_template():
    documents = [document("d", "Beta.", metadata={"title": "Guide {1}"}), document("e", "Alpha", metadata={"title": 3})]
    chunks = [chunk(0, "Beta.", "d", retrieval_text="Part 1\nBeta."), chunk(1, "Alpha", "e", "v1")]
    sent = Rendering(
        "\n", "{{{rank}}} {title}|{doc_id}@{version}\n{heading}{body}", header="Use {this}:\n", footer="\nQ?"
    )
    measure = Shelf(chunks, documents).measure(sent, "char")
    text = "Use {this}:\n{1} Guide {1}|d@v1\nPart 1\nBeta.\n{2} |e@v1\nAlpha\nQ?"
    assert measure.render(chunks) == text
    assert measure.of(chunks) == len(text)
    assert measure.render([]) == "Use {this}:\n\nQ?"


def test_a_merged_passage_has_the_heading_of_the_chunk_it_begins_with_and_a_parent_its_own():
    text = "abcdefgh"
    chunks = [
        chunk(0, "def", spans=[(3, 6)], retrieval_text="second\ndef"),
        chunk(1, "abcd", spans=[(0, 4)], retrieval_text="first\nabcd"),
    ]
    parent = chunk(0, text, retrieval_text="whole\nabcdefgh")
    ranking = Ranking("q", (0, 1), (2.0, 1.0))
    sent = {"template": "{heading}{body}", "separator": "\n", "unit": "char"}
    merged = Selector(budget=12, merge=True, **sent).select(ranking, Shelf(chunks, [document(text=text)]), query())
    assert [(piece.heading, piece.body, piece.chunks) for piece in merged.pieces] == [("first\n", "abcdef", (0, 1))]
    shelf = Shelf(chunks, [document(text=text)], [parent])
    given = Selector(budget=14, parent="big", **sent).select(ranking, shelf, query())
    assert [(piece.heading, piece.body, piece.chunks) for piece in given.pieces] == [("whole\n", text, (0,))]


def test_a_template_with_a_fault_is_refused():
    with pytest.raises(ValueError, match="unknown placeholder 'text'"):
        Selector(top_k=1, template="{text}")


def by_writing_it_down(bodies, budget, unit, top_k, separator, template, header, footer):
    """The walk of the simplest selector: a candidate is taken when the whole text with it is short enough."""
    taken, skipped = [], []

    def text(of):
        filled = [template.replace("{rank}", str(n)).replace("{body}", bodies[o]) for n, o in enumerate(of, 1)]
        return header + separator.join(filled) + footer

    for ordinal in range(len(bodies)):
        if len(taken) == top_k:
            reason = "outside-top-k"
        elif units.count(text([*taken, ordinal]), unit) > budget:
            reason = "does-not-fit"
        else:
            taken.append(ordinal)
            continue
        skipped.append((reason, budget - units.count(text(taken), unit), ordinal))
    return taken, skipped


WORDS = st.text(st.sampled_from("ab1. \n'日é\u0301-"), min_size=1, max_size=8)
SEPARATORS = st.sampled_from(["", " ", "\n", "\n\n", "\n---\n", "a", "1", ".", "\n ", " \n\n"])
TEMPLATES = st.sampled_from(
    ["{body}", "{body}\n", "[{rank}] {body}", "{rank}{body}", "{body}{rank}", "({rank}) {body}\n\n", "a{body}b"]
)
FRAMES = st.sampled_from(["", "Q\n", "a", "\n", "日", "Answer: ", "1"])
UNITS = st.sampled_from(["char", "byte", "word", "lexical", CL100K, CL100K])


@given(
    st.lists(WORDS, max_size=12),
    st.integers(1, 60),
    UNITS,
    st.none() | st.integers(1, 5),
    SEPARATORS,
    TEMPLATES,
    FRAMES,
    FRAMES,
)
def test_a_selection_is_that_of_whole_texts(bodies, budget, unit, top_k, separator, template, header, footer):
    setting = {"separator": separator, "template": template, "header": header, "footer": footer}
    if units.count(header + footer, unit) > budget:
        budget += 20
    context = chosen(bodies, budget=budget, unit=unit, **{**setting, "top_k": top_k})
    taken, skipped = by_writing_it_down(bodies, budget, unit, top_k, **setting)
    assert list(context.chunks) == taken
    assert [(run.reason, run.remaining, o) for run in context.skipped for o in run.chunks] == skipped
    assert context == Context("q", tuple(taken), context.skipped)


@given(st.lists(WORDS, min_size=1, max_size=6), UNITS, SEPARATORS, TEMPLATES, FRAMES, FRAMES, st.data())
def test_weights_are_exact_where_they_are_said_to_add_up_and_never_too_much(
    bodies, unit, separator, template, header, footer, data
):
    chunks = [chunk(n, body) for n, body in enumerate(bodies)]
    measure = Shelf(chunks).measure(Rendering(separator, template, header, footer), unit)
    order = data.draw(st.permutations(chunks))[: data.draw(st.integers(1, len(chunks)))]
    summed = measure.floor + sum(measure.weight(one) for one in order)
    assert summed == measure.of(order) if measure.adds_up else summed <= measure.of(order)
    sent = measure.empty
    for one in order:
        sent = measure.add(sent, one)
    assert measure.total(sent) == measure.of(order)


def test_which_contexts_add_up():
    chunks = [chunk(0, "One two."), chunk(1, " three, four")]

    def adds_up(unit, *sent):
        return Shelf(chunks).measure(Rendering(*sent), unit).adds_up

    assert [adds_up(unit) for unit in ("char", "word", CL100K)] == [True] * 3  # apart
    assert [adds_up(unit, "\n\n") for unit in ("char", "byte", "word", "lexical")] == [True] * 4
    assert [adds_up(unit, "") for unit in ("char", "word", "lexical")] == [True, False, False]  # fourOne
    assert [adds_up(unit, "\n", "{rank} {body}") for unit in ("char", "word")] == [False, False]
    assert not adds_up(CL100K, "\n\n")  # ".\n\n" is one token
    held = Shelf(chunks).measure(Rendering("\n\n"), CL100K)
    # [One][ two][.\n\n][ three][,][ four]: the last full stop is a token by itself, and at least that is counted
    assert (held.of(chunks), held.floor, [held.weight(one) for one in chunks]) == (6, 0, [3, 3])


def test_what_a_later_text_can_join_is_no_weight():
    """By cl100k_base " togeth" has three tokens, and " together" is one; "2" never joins, nor does the space before it."""
    for bodies, weights, whole in ((["1 togeth", "er"], [0, 0], 2), (["1 2 togeth", "er"], [2, 0], 4)):
        chunks = [chunk(n, body) for n, body in enumerate(bodies)]
        measure = Shelf(chunks).measure(Rendering(""), CL100K)
        assert ([measure.weight(one) for one in chunks], measure.of(chunks)) == (weights, whole)
