"""Rankings survive their file."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from spanledger.core import files
from spanledger.core.ranking import Ranking, from_records, to_records

RANKING = st.builds(
    lambda name, scores: Ranking(name, tuple(range(len(scores))), tuple(scores)),
    st.text(st.characters(codec="utf-8"), max_size=3),
    st.lists(st.floats(0, 9), max_size=4),
)


@given(st.lists(RANKING, max_size=4))
def test_rankings_survive_their_file_to_the_last_bit(rankings):
    written = files.lines(to_records(rankings))
    assert from_records([orjson.loads(line) for line in written.splitlines()]) == rankings


def test_a_record_is_two_lists_best_first():
    assert to_records([Ranking("q", (3, 1), (2.0, 0.5))]) == [
        {"query_id": "q", "chunks": (3, 1), "scores": (2.0, 0.5)},
    ]


def test_reasons_are_columns_beside_them_and_are_written_only_where_there_are_any():
    reasons = {"ranks": {"a": (1, None)}, "rank_before": (2, 1), "features": {"number": (0, 1)}}
    (record,) = to_records([Ranking("q", (3, 1), (2.0, 0.5), reasons)])
    assert record == {"query_id": "q", "chunks": (3, 1), "scores": (2.0, 0.5), "reasons": reasons}
    (again,) = from_records([orjson.loads(files.line(record))])
    assert (again.chunks, again.reasons["rank_before"]) == ((3, 1), [2, 1])
    assert files.lines(to_records([again])) == files.line(record)
