"""A made-up survey of twenty-four students, with questions nobody wants to answer by name.

It shows how quickly people become unique: by age 4 of 24, by sex and age 7, with the first semester
15, with the worst grade 16, and with the number of siblings 18. And it shows differencing: one
student is 21 and male, and one is 21, male and has taken drugs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMNS", "students"]

COLUMNS: Final = (
    "age",
    "sex",
    "siblings",
    "first_semester",
    "best_grade",
    "worst_grade",
    "cheated",
    "drugs",
)

# Grades go from 1.0, the best, to 4.0; in tenths here. Comments name the column that makes a row
# unique.
_ROWS: Final = (
    (20, "f", 1, "2006 autumn", 13, 27, False, False),
    (21, "f", 0, "2004 autumn", 10, 30, False, True),  # by the first semester
    (21, "f", 1, "2005 autumn", 17, 33, True, False),  # with the next one: by siblings
    (21, "f", 2, "2005 autumn", 20, 33, False, False),
    (21, "f", 1, "2006 spring", 13, 37, True, True),  # with the next one: never
    (21, "f", 1, "2006 spring", 20, 37, False, False),
    (21, "m", 0, "2005 autumn", 17, 40, True, True),
    (22, "f", 1, "2004 autumn", 10, 23, False, False),
    (22, "f", 3, "2005 autumn", 13, 30, False, True),
    (22, "m", 1, "2003 autumn", 20, 37, True, False),
    (22, "m", 0, "2005 spring", 23, 40, True, True),
    (23, "m", 2, "2002 autumn", 13, 33, False, False),  # by the first semester
    (23, "m", 1, "2003 autumn", 10, 27, False, True),  # with the next two: by the worst grade
    (23, "m", 1, "2003 autumn", 17, 33, True, False),  # with the next one: never
    (23, "m", 1, "2003 autumn", 23, 33, False, True),
    (24, "f", 0, "2003 spring", 10, 30, True, False),
    (25, "f", 2, "2002 autumn", 13, 37, False, False),
    (25, "m", 1, "2004 autumn", 17, 40, True, True),
    (26, "m", 1, "2001 autumn", 20, 40, False, False),
    (27, "f", 0, "2000 autumn", 10, 23, False, False),
    (27, "f", 1, "2002 spring", 17, 37, True, True),
    (27, "m", 2, "2001 autumn", 20, 40, True, False),  # with the next one: never
    (27, "m", 2, "2001 autumn", 27, 40, False, True),
    (31, "f", 3, "2004 spring", 10, 20, False, False),
)


def students() -> pa.Table:
    """Return the survey as an Arrow table, one row per student."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {}
    for name, values in zip(COLUMNS, zip(*_ROWS, strict=True), strict=True):
        is_grade = name.endswith("grade")
        columns[name] = [value / 10 if is_grade else value for value in values]
    return pa.table(columns)
