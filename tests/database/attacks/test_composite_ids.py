"""People whom several columns identify together: no neighbour moves an answer further than
declared, and planted mistakes in how their ids are read are found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlglot import exp

from database.attacks import stores
from database.attacks.seeking import Scene, seek
from hedgerow.engines.compile import stored_tables
from hedgerow.engines.compile.sql_builders import binary, cast_to_type

STORES = Scene(stores.Stores.draw, stores.base, stores.neighbours, stores.question)


@pytest.mark.long
def test_no_customer_of_a_store_moves_an_answer_further_than_declared() -> None:
    found = seek("stores", 50, STORES)
    assert found.violations == []
    assert found.told * 3 > found.pairs


def read_first_part(stored: Any, dialect: Any) -> tuple[exp.Expr, list[exp.Expr]]:
    """The planted mistake: a store is one person."""
    return stored_tables.compile_unit_id(*stored.parts[0], dialect)


def run_parts_together(stored: Any, dialect: Any) -> tuple[exp.Expr, list[exp.Expr]]:
    """The planted mistake: customer 1 of store 11 is customer 11 of store 1."""
    reads = [stored_tables.compile_unit_id(*part, dialect) for part in stored.parts]
    texts = [cast_to_type(value, "text") for value, _ in reads]
    return binary(texts[0], exp.DPipe, texts[1]), [test for _, tests in reads for test in tests]


@pytest.mark.parametrize("plant", [read_first_part, run_parts_together])
def test_ids_that_merge_people_are_found(
    plant: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_tables, "_compile_composite_id", plant)
    found = seek("merged 3", 16, STORES)
    assert any("distance" in one for one in found.violations)
