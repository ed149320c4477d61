"""The fractions that the survey was built for."""

from __future__ import annotations

from collections import Counter

from hedgerow.risk.table.sample_students import COLUMNS, students
from hedgerow.risk.table.uniqueness import uniqueness

# How many are of each sex and age.
AGES = {
    ("f", 20): 1, ("f", 21): 5, ("m", 21): 1, ("f", 22): 2, ("m", 22): 2, ("m", 23): 4,
    ("f", 24): 1, ("f", 25): 1, ("m", 25): 1, ("m", 26): 1, ("f", 27): 2, ("m", 27): 2,
    ("f", 31): 1,
}  # fmt: skip


def test_sexes_and_ages() -> None:
    table = students()
    assert tuple(table.column_names) == COLUMNS
    assert Counter(zip(table["sex"].to_pylist(), table["age"].to_pylist(), strict=True)) == AGES


def test_each_column_makes_more_of_them_unique() -> None:
    found = uniqueness(students(), ["age", "sex", "first_semester", "worst_grade", "siblings"])
    assert [step.unique for step in found.steps] == [4, 7, 15, 16, 18]
    assert found.rows == 24
    assert float(uniqueness(students(), ["sex", "age"]).unique_fraction) == 7 / 24


def test_one_is_male_and_21_and_so_is_one_who_took_drugs() -> None:
    rows = students().to_pylist()
    chosen = [row for row in rows if row["age"] == 21 and row["sex"] == "m"]
    assert len(chosen) == 1
    assert [row for row in chosen if row["drugs"]] == chosen


def test_grades_are_grades() -> None:
    for row in students().to_pylist():
        assert 1.0 <= row["best_grade"] <= row["worst_grade"] <= 4.0
