from __future__ import annotations

from collections.abc import Sequence

import pytest

from hedgerow.service.wire.parameter_types import infer_parameter_types, write_stand_ins


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("SELECT $1", (), (1700,)),
        ("SELECT $1", (23,), (23,)),
        ("SELECT $1::text, CAST($2 AS pg_catalog.int8)", (), (25, 20)),
        ("SELECT a = ANY($1)", (), (1009,)),
        ("SELECT a = ANY($1::oid[])", (), (1028,)),
        ("SELECT $1::double precision", (), (701,)),
        ("SELECT 1", (23, 23), ()),
    ],
)
def test_casts_and_the_client_come_first(
    text: str, declared: Sequence[int], expected: tuple[int, ...]
) -> None:
    assert infer_parameter_types(text, declared, lambda _: True, is_catalog=False) == expected


@pytest.mark.parametrize(
    ("accepted", "is_catalog", "oid"),
    [
        ("'a'", False, 25),
        ("DATE '2000-01-01'", False, 1082),
        ("TIMESTAMP '2000-01-01 00:00:00'", False, 1114),
        ("'a'", True, 25),
        ("1", True, 20),
        ("nothing", False, 25),
    ],
)
def test_else_the_first_type_that_can_be_read(accepted: str, is_catalog: bool, oid: int) -> None:
    found = infer_parameter_types(
        "SELECT x WHERE x = $1",
        (),
        lambda sql: sql.endswith(f"= {accepted}"),
        is_catalog=is_catalog,
    )
    assert found == (oid,)


def test_a_value_of_its_type_replaces_each_parameter() -> None:
    assert write_stand_ins("$1 $2 $3", (16, 1009, 705)) == "TRUE '{a}' 'a'"
