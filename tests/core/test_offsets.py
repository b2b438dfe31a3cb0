"""Offset maps against a twin that walks the pieces one by one; units of offset against the encodings themselves."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spanledger.core.offsets import OffsetMap, UnitOffsets, changes_of

# A text made piece by piece: kept characters, characters that were dropped, and changes of one or more characters.
PIECE = st.one_of(
    st.sampled_from("abcé").map(lambda character: (character, character)),
    st.sampled_from(["\u200b", "\ufeff\u200b"]).map(lambda raw: (raw, "")),
    st.sampled_from([("\r\n", "\n"), ("e\u0301", "é"), ("ﬀ", "ff"), ("½", "1⁄2"), ("xyz", "q")]),
)
PIECES = st.lists(PIECE, max_size=8)


class Twin:
    """Piece i stands at new[i] and bare[i]; raw[i] is bare[i] with the dropped characters that belong to it, which are
    those behind it, and for the first piece those in front of it too. They come along where the piece is not cut."""

    def __init__(self, pieces):
        self.new, self.bare, self.raw = [], [], []
        here = raw_here = 0
        for raw, new in pieces:
            end, raw_end = here + len(new), raw_here + len(raw)
            if new:
                self.new.append((here, end))
                self.bare.append((raw_here, raw_end))
                self.raw.append((raw_here if self.raw else 0, raw_end))
            elif self.raw:
                self.raw[-1] = (self.raw[-1][0], raw_end)
            here, raw_here = end, raw_end

    def to_raw(self, start, end):
        touched = [i for i, (a, b) in enumerate(self.new) if a < end and start < b]
        first, last = touched[0], touched[-1]
        whole_first, whole_last = self.new[first][0] == start, self.new[last][1] == end
        return (
            (self.raw if whole_first else self.bare)[first][0],
            (self.raw if whole_last else self.bare)[last][1],
        )

    def cuts(self, start, end):
        return any(a < edge < b for edge in (start, end) for a, b in self.new)


def texts(pieces):
    return "".join(raw for raw, _ in pieces), "".join(new for _, new in pieces)


def spans_of(text):
    return [(start, end) for start in range(len(text)) for end in range(start + 1, len(text) + 1)]


def test_changes_by_hand():
    assert changes_of([("a", "a"), ("\r\n", "\n"), ("b", "b"), ("\u200b", ""), ("½", "1⁄2")]) == (
        (1, 2, 1, 3),
        (3, 3, 4, 5),
        (3, 6, 5, 6),
    )
    assert changes_of([("a", "a"), ("b", "b")]) is None
    assert changes_of([]) is None


def test_the_identity_map_changes_nothing():
    for changes in (None, ()):
        offsets = OffsetMap(changes)
        assert offsets.to_raw((3, 9)) == (3, 9)
        assert offsets.from_raw((3, 9)) == (3, 9)


def test_crlf_by_hand():
    """raw a CR LF bb CR LF ccc, new a LF bb LF ccc."""
    offsets = OffsetMap(((1, 2, 1, 3), (4, 5, 5, 7)))
    assert offsets.to_raw((5, 8)) == (7, 10)
    assert offsets.from_raw((7, 10)) == (5, 8)
    assert offsets.to_raw((1, 2)) == (1, 3)
    assert offsets.from_raw((2, 3)) == (1, 2)  # half of the CR LF is widened to the whole
    assert offsets.to_raw((0, 5)) == (0, 7)


def test_dropped_characters_belong_to_the_one_before_and_at_the_beginning_to_the_one_after():
    """raw BOM a ZWSP b ZWSP, new a b."""
    offsets = OffsetMap(((0, 0, 0, 1), (1, 1, 2, 3), (2, 2, 4, 5)))
    assert offsets.to_raw((0, 1)) == (0, 3)
    assert offsets.to_raw((1, 2)) == (3, 5)
    assert offsets.from_raw((3, 4)) == (1, 2)
    start, end = offsets.from_raw((2, 3))
    assert start == end == 1  # all of it was dropped


@given(PIECES)
def test_spans_of_the_new_text_lead_to_the_raw_text_as_the_twin_says(pieces):
    _, new = texts(pieces)
    offsets, twin = OffsetMap(changes_of(pieces)), Twin(pieces)
    for span in spans_of(new):
        assert offsets.to_raw(span) == twin.to_raw(*span)


@given(PIECES)
def test_there_and_back_is_the_identity_where_no_change_is_cut(pieces):
    _, new = texts(pieces)
    offsets, twin = OffsetMap(changes_of(pieces)), Twin(pieces)
    for span in spans_of(new):
        back = offsets.from_raw(offsets.to_raw(span))
        if twin.cuts(*span):
            assert back[0] <= span[0] < span[1] <= back[1]  # widened to hold all of the change
        else:
            assert back == span


@given(PIECES)
def test_raw_spans_lead_to_what_is_left_of_them(pieces):
    raw, new = texts(pieces)
    offsets = OffsetMap(changes_of(pieces))
    places, here, raw_here = [], 0, 0
    for raw_piece, new_piece in pieces:
        places.append(((raw_here, raw_here + len(raw_piece)), (here, here + len(new_piece))))
        here, raw_here = here + len(new_piece), raw_here + len(raw_piece)
    for span in spans_of(raw):
        touched = [new_span for raw_span, new_span in places if raw_span[0] < span[1] and span[0] < raw_span[1]]
        assert offsets.from_raw(span) == (touched[0][0], touched[-1][1])
    assert offsets.from_raw((0, len(raw) or 1)) == (0, len(new)) or not raw


@given(PIECES, st.data())
def test_tiles_of_the_new_text_tile_the_raw_text(pieces, data):
    raw, new = texts(pieces)
    assume(new)
    twin = Twin(pieces)
    cuts = data.draw(st.sets(st.integers(0, len(new))), label="cuts") | {0, len(new)}
    edges = sorted(edge for edge in cuts if not twin.cuts(edge, edge))
    offsets = OffsetMap(changes_of(pieces))
    tiles = [offsets.to_raw(tile) for tile in zip(edges, edges[1:], strict=False)]
    assert [start for start, _ in tiles] + [len(raw)] == [0] + [end for _, end in tiles]


@given(st.text(max_size=20), st.sampled_from(["code_point", "utf16", "byte"]))
def test_unit_offsets_are_lengths_of_encoded_beginnings(text, unit):
    def length(part):
        return {
            "code_point": len(part),
            "utf16": len(part.encode("utf-16-le", "surrogatepass")) // 2,
            "byte": len(part.encode("utf-8", "surrogatepass")),
        }[unit]

    offsets = UnitOffsets(text, unit)
    boundaries = {length(text[:place]): place for place in range(len(text) + 1)}
    for offset in range(-2, length(text) + 3):
        assert offsets.to_code_point(offset) == boundaries.get(offset)


def test_an_offset_inside_a_character_or_outside_the_text_is_none():
    byte, utf16 = UnitOffsets("aé😀b", "byte"), UnitOffsets("aé😀b", "utf16")
    assert [byte.to_code_point(offset) for offset in range(-1, 10)] == [
        *(None, 0, 1, None, 2, None, None, None, 3, 4),
        None,
    ]
    assert [utf16.to_code_point(offset) for offset in range(7)] == [0, 1, 2, None, 3, 4, None]
    last_of_one, first_of_two = UnitOffsets("\uffff!", "utf16"), UnitOffsets("\U00010000!", "utf16")
    assert (last_of_one.to_code_point(1), first_of_two.to_code_point(1), first_of_two.to_code_point(2)) == (1, None, 1)


def test_an_unknown_unit_is_refused():
    with pytest.raises(ValueError, match="offset unit 'utf8': expected one of code_point, utf16, byte"):
        UnitOffsets("abc", "utf8")
