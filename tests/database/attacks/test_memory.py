"""A join that multiplies one person's rows beyond the memory ends like every failure of the engine:
charged, opaque, and without harm to the next question."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow import SourceError
from hedgerow.database import open
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.release.release import SOURCE_FAILED

PAGE = """
[database]
name = "shop"
[budget]
epsilon = 9
[tables.orders]
source = "orders.parquet"
unit = "customer"
neighbours = "add-remove"
population = "customers"
max_units = 1_000
max_rows_per_group = 5
[tables.lines]
source = "lines.parquet"
unit = "order_id -> orders.order_id, orders.customer"
neighbours = "add-remove"
population = "customers"
max_units = 1_000
max_rows_per_group = 5
columns.price = { type = "integer", min = 0, max = 50 }
"""
CUBE = (
    "SELECT MEDIAN(a.price) FROM lines a JOIN lines b USING (order_id) JOIN lines c USING"
    " (order_id)"
)


@pytest.mark.long
@pytest.mark.parametrize("in_process", [True, False])
def test_a_join_that_explodes_is_a_charged_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: bool
) -> None:
    pq.write_table(pa.table({"order_id": [7], "customer": [1]}), tmp_path / "orders.parquet")
    lines = pa.table({"order_id": [7] * 250, "price": list(range(50)) * 5})
    pq.write_table(lines, tmp_path / "lines.parquet")  # 15.6 million rows, more than a gigabyte
    (tmp_path / "shop.toml").write_text(PAGE)
    monkeypatch.setattr(EngineLimits, "max_bytes", property(lambda _: 150_000_000))
    with open(tmp_path / "shop.toml", in_process=in_process) as db:
        with pytest.raises(SourceError) as caught:
            db.query(CUBE, epsilon=1)
        assert str(caught.value) == SOURCE_FAILED
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert db.budget.spent == 1  # type: ignore[union-attr]
        assert [entry.kind for entry in db.ledger.entries()][-2:] == ["charge", "failure"]
        answer = db.query("SELECT MEDIAN(price) AS m FROM lines", epsilon=1)
        assert answer.rows[0]["m"] in range(51)  # type: ignore[union-attr]
