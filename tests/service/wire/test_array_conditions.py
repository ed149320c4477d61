from __future__ import annotations

import pytest

from hedgerow.service.wire.array_conditions import write_array_conditions
from hedgerow.service.wire.command_failure import CommandFailed


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a = ANY('{1,2.5}')", "a IN (1, 2.5)"),
        ("a =any ( '{north,\"so uth\"}'::text[] )", "a IN ('north', 'so uth')"),
        ("a = ANY('{1,2}'::text[])", "a IN ('1', '2')"),
        ("a = ANY('{\"1\",NULL}'::character varying[]::text[])", "a IN ('1', NULL)"),
        ("a = ANY('{it''s}')", "a IN ('it''s')"),
        ("a <> ALL(ARRAY['x', 'y)'])", "a NOT IN ('x', 'y)')"),
        ("a != ALL (ARRAY[1, 2]::int[])", "a NOT IN (1, 2)"),
    ],
)
def test_an_array_becomes_a_list(condition: str, expected: str) -> None:
    sql = "SELECT COUNT(*) FROM t WHERE "
    assert write_array_conditions(sql + condition) == sql + expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'a = ANY(''{1}'')'",
        'SELECT "= ANY(ARRAY[1])" -- = ANY(ARRAY[1])',
        "a = ANY('{}')",
        "a = ANY(SELECT 1)",
        "a < ANY('{1}')",
        "a = ANY(ARRAY[ARRAY[1]])",
    ],
)
def test_all_else_stays_as_it_is(sql: str) -> None:
    assert write_array_conditions(sql) == sql


def test_an_array_of_arrays_is_refused() -> None:
    with pytest.raises(CommandFailed) as caught:
        write_array_conditions("a = ANY('{{1},{2}}')")
    assert caught.value.sqlstate == "22P02"
