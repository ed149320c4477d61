from __future__ import annotations

import pytest
import sqlglot

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_SHIFTS, DATE_TRUNCATIONS

DIALECTS = (DUCKDB,)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_dialect_writes_every_date_function(dialect: Dialect) -> None:
    assert set(dialect.date_parts) == set(DATE_PARTS)
    assert set(dialect.date_truncations) == set(DATE_TRUNCATIONS)
    assert set(dialect.date_shifts) == set(DATE_SHIFTS)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_sqlglot_knows_every_dialect(dialect: Dialect) -> None:
    assert sqlglot.Dialect.get_or_raise(dialect.name)
