from __future__ import annotations

from collections.abc import Sequence

import pytest

from hedgerow.service.wire.parameter_types import (
    guess_parameter_types,
    infer_parameter_types,
    write_stand_ins,
)
from hedgerow.service.wire.parameter_uses import ParameterUse


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("SELECT $1", (), (25,)),
        ("SELECT $1", (23,), (23,)),
        ("SELECT $1::text, CAST($2 AS pg_catalog.int8)", (), (25, 20)),
        ("SELECT a = ANY($1::oid[])", (), (1028,)),
        ("SELECT $1::double precision", (), (701,)),
        ("OPTIONS(epsilon = $1, delta=$2)", (), (1700, 1700)),
        ("SELECT 1", (23, 23), ()),
    ],
)
def test_the_client_comes_first_and_casts_next(
    text: str, declared: Sequence[int], expected: tuple[int, ...]
) -> None:
    assert infer_parameter_types(text, declared, {}) == expected


def test_then_what_a_parameter_is_compared_with() -> None:
    uses = {2: ParameterUse(1082, "'2026-01-31'")}
    text = "SELECT x WHERE a = $1 AND day > $2"
    assert infer_parameter_types(text, (), uses) == (25, 1082)
    assert infer_parameter_types(text, (23, 1114), uses) == (23, 1114)
    assert write_stand_ins(text, (25, 1082), uses) == (
        "SELECT x WHERE a = 'a' AND day > '2026-01-31'"
    )


@pytest.mark.parametrize(
    ("text", "accepted", "oid"),
    [
        ("SELECT x WHERE x = $1", "= 'a'", 25),
        ("SELECT x WHERE x = $1", "= 1", 20),
        ("SELECT x WHERE x = $1", "nothing", 25),
        ("SELECT x WHERE x = ANY($1)", "ANY('{a}')", 1009),
    ],
)
def test_a_catalogue_statement_takes_the_first_type_that_can_be_read(
    text: str, accepted: str, oid: int
) -> None:
    assert guess_parameter_types(text, (), lambda sql: sql.endswith(accepted)) == (oid,)


def test_a_value_of_its_type_replaces_each_parameter() -> None:
    assert write_stand_ins("$1 $2 $3", (16, 1009, 705)) == "TRUE '{a}' 'a'"
