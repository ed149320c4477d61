"""2,000 neighbouring tables each: a measurement of clipping moves no further than declared."""

from __future__ import annotations

from random import Random

import pytest

from database.query.test_question_clipping import QUESTIONS, check_neighbours
from database.test_measured_clipping import PLAN, count
from hedgerow.privacy.unit import Unit

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_no_neighbour_moves_the_measurement_further_than_declared(relation: str) -> None:
    random = Random(f"clipping slow {relation}")
    (declared,) = PLAN.sensitivity(Unit(relation, "id"))  # type: ignore[arg-type]
    for _ in range(2_000):
        sizes = [random.randrange(1, 40) for _ in range(random.randrange(1, 6))]
        other = [0 if relation == "add-remove" else random.randrange(1, 400), *sizes[1:]]
        moved = sum(abs(a - b) for a, b in zip(count(sizes), count(other), strict=True))
        assert moved <= declared.l1


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("sql", [sql for sql, *_ in QUESTIONS])
def test_no_neighbour_moves_what_a_question_measures_of_its_own_clipping(
    sql: str, relation: str
) -> None:
    assert check_neighbours(sql, relation, 2_000) > 500
