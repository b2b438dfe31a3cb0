"""One branch passes as it is."""

import pytest

from spanledger.core.ranking import Ranking
from spanledger.fusion import fuse

BRANCH = [Ranking("q1", (3, 1), (2.0, 1.0)), Ranking("q2", (), ())]


def test_a_single_branch_passes_as_it_is():
    candidates, counters = fuse({"words": BRANCH}, {"branches": ["words"]})
    assert candidates == BRANCH
    assert counters == {"queries": 2, "candidates": 2}


def test_branches_that_do_not_match_the_setting_are_refused():
    with pytest.raises(ValueError, match=r"expected the branches \['words'\], found \['other'\]"):
        fuse({"other": BRANCH}, {"branches": ["words"]})
    with pytest.raises(ValueError, match="expected the branches"):
        fuse({}, {"branches": ["words"]})
    with pytest.raises(ValueError, match="takes one branch, found 2"):
        fuse({"words": BRANCH, "other": BRANCH}, {"branches": ["words", "other"]})
