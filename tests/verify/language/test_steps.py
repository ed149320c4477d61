"""The steps of the front ends."""

from __future__ import annotations

from hedgerow.verify.language.program import (
    find_assigned_names,
)
from verify.language.reading import read


def test_fresh_names_are_not_those_of_the_program() -> None:
    program = read(
        "broken = 0\nfor i in range(n):\n    if i == 1:\n        break\noutput(broken)",
        "n: public[int], eps: public[float]",
    )
    assert {"broken", "broken2"} <= find_assigned_names(program.body)
