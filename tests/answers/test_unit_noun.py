"""The noun of a privacy unit follows from the policy."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.answers.unit_noun import UnitNoun, name_unit
from hedgerow.privacy.unit import Unit


@pytest.mark.parametrize(
    ("population", "owner", "noun"),
    [
        ("people", "id", UnitNoun("person", "people")),
        ("patients", "id", UnitNoun("patient", "patients")),
        ("companies", "id", UnitNoun("company", "companies")),
        ("churches", "id", UnitNoun("church", "churches")),
        ("boxes", "id", UnitNoun("box", "boxes")),
        ("businesses", "id", UnitNoun("business", "businesses")),
        ("houses", "id", UnitNoun("house", "houses")),
        ("staff", "id", UnitNoun("member of staff", "staff")),
        ("Children", "id", UnitNoun("child", "Children")),
        ("clinic", "id", UnitNoun("unit", "units")),
        ("business", "id", UnitNoun("unit", "units")),
        ("s", "id", UnitNoun("unit", "units")),
        ("patients", "row", UnitNoun("row", "rows")),
    ],
)
def test_the_noun_follows_from_population_and_unit(
    population: str, owner: str, noun: UnitNoun
) -> None:
    assert name_unit(population, Unit("add-remove", owner)) == noun


def test_hidden_groups_are_counted_in_the_noun_of_the_policy() -> None:
    table = pa.table({"id": list(range(400)), "city": [f"c{n % 3}" for n in range(400)]})
    for unit, noun in (("id", "people"), ("row", "rows")):
        with protect(
            table,
            unit=unit,
            max_groups=1,
            max_rows_per_group=1,
            neighbours="add-remove",
            columns={},
            epsilon=2,
            delta=1e-5,
            max_units=1000,
        ) as db:
            notes = db.explain("SELECT city, COUNT(*) FROM data GROUP BY city", epsilon=1).notes
        assert any(f" {noun} are hidden" in note for note in notes)
