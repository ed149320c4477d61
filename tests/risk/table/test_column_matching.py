"""What means the same is equal, however two files hold it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.risk.table.column_matching import compile_common_terms
from hedgerow.risk.table.encoded_tables import open_tables
from hedgerow.risk.table.linkage import linkage

DAY = date(2001, 5, 17)
MOMENT = datetime(2001, 5, 17, 8, 30, tzinfo=UTC)


SAME: list[tuple[Any, Any]] = [
    (21, 21),
    (21, 21.0),
    (21, "21"),
    (21, " 21.0 "),
    (0.1, "0.10"),
    (2**53 + 1, str(2**53 + 1)),
    ("21", "21.00"),
    ("007", "7"),
    ("ann", " ann"),
    (True, "yes"),
    (False, "F"),
    (True, True),
    (DAY, "2001-05-17"),
    (DAY, MOMENT),
    (MOMENT, "2001-05-17 08:30:00"),
    (DAY, DAY),
    (b"ann", "ann"),
]
DIFFERENT: list[tuple[Any, Any]] = [
    (21, 22),
    (21, "unknown"),
    (21, 21.5),
    (2**53, str(2**53 + 1)),
    ("ann", "anne"),
    ("21", "ann"),
    (True, "no"),
    (DAY, "2001-05-18"),
    (DAY, "soon"),
    ("", ""),
    ("  ", "  "),
]


@pytest.mark.parametrize("turned", [False, True])
def test_the_same_in_two_ways_is_equal_and_nothing_else_is(turned: bool) -> None:
    """A column for each case, with one value in each of the two files."""
    cases = [case[::-1] if turned else case for case in SAME + DIFFERENT]
    frames = [pa.table({f"x{i}": [case[side]] for i, case in enumerate(cases)}) for side in (0, 1)]
    names = [(name, name) for name in frames[0].column_names]
    with open_tables(*frames) as opened:
        terms = compile_common_terms(
            opened, (opened.list_columns(0), opened.list_columns(1)), names
        )
        relations = [opened.load_terms(side, terms[side]) for side in (0, 1)]
        (here, there), _, missing = opened.encode_columns(relations, len(cases))
    equal = [
        int(a[0]) == int(b[0]) != null for a, b, null in zip(here, there, missing, strict=True)
    ]
    assert [case for case, found in zip(cases, equal, strict=True) if found] == cases[: len(SAME)]


def test_one_non_numeric_entry_makes_the_column_text() -> None:
    found = linkage(pa.table({"x": ["7", "A3"]}), pa.table({"x": ["007", "A3"]}))
    assert found.pairs.tolist() == [[1, 1]]


def test_a_file_of_text_beside_one_of_numbers(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text('age,"a ""name"""\n21,x\n,y\n"",z\n')
    other = pa.table({"AGE": [21.0, None, 30.0], 'a "name"': ["x", "y", "z"]})
    found = linkage(tmp_path / "people.csv", other)
    assert found.on == ("age", 'a "name"')
    assert (found.certain_count, found.incomplete) == (1, (2, 1))
