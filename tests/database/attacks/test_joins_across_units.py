"""Where rows of different people meet, no neighbour moves an answer further than declared."""

from __future__ import annotations

import pytest

from database.attacks import forum
from database.attacks.seeking import Scene, seek

FORUM = Scene(forum.Forum.draw, forum.base, forum.neighbours, forum.question)


@pytest.mark.long
def test_no_author_moves_a_join_of_different_people_further_than_declared() -> None:
    found = seek("forum", 50, FORUM)
    assert found.violations == []
    assert found.told * 3 > found.pairs
