"""Real keys: grouped by whole numbers of steps, and shown as what the statement wrote."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from database.clinic import answered, exactly
from hedgerow.database import open as open_database
from hedgerow.errors import Refused
from sql.helpers_fixtures import ask
from sql.helpers_three_readers import open_readers


def test_real_keys_mean_what_duckdb_says() -> None:
    with open_readers() as readers:
        for key in (
            "Cost",
            "ROUND(Cost, 1)",
            "ROUND(Cost, -2)",
            "TRUNC(Cost, 1)",
            "FLOOR(Cost / 100) * 2.5",
            "CAST(age AS DOUBLE)",
        ):
            where = "WHERE age IS NOT NULL GROUP BY k HAVING COUNT(*) > 0"
            readers.read(f"SELECT {key} AS k, COUNT(*) AS n FROM visits {where}")


def test_zeros_and_sums_on_the_grid_are_one_group() -> None:
    values = [0.0, -0.0, 0.1 + 0.2, 0.3, 0.30000001, 1.0, 7.0, None] * 50
    table = pa.table({"patient_id": list(range(400)), "x": values})
    columns = {"x": {"type": "real", "min": 0, "max": 1, "step": 0.1}}
    with exactly(table, columns=columns) as db:
        answer = answered(db, "SELECT x, COUNT(*) AS n FROM data GROUP BY x HAVING n > 10", 4500)
    found = {row["x"]: row["n"] for row in answer.rows}
    assert found == {0.0: 100, 0.3: 150, 1.0: 100}
    assert all(type(key) is float for key in found)
    assert answer.keys == {"x"}


@pytest.mark.parametrize("key", ["weight", "SQRT(age)", "age / 10", "LN(age + 1)", "Cost * 0.7"])
def test_reals_that_are_on_no_declared_grid_are_refused(key: str) -> None:
    with pytest.raises(Refused, match="Cannot group by real numbers"):
        ask(f"SELECT COUNT(*) FROM visits GROUP BY {key}")


def test_the_grid_of_a_derived_table_is_that_of_its_column() -> None:
    inner = "(SELECT patient_id, Cost AS c FROM visits WHERE age > 3) AS t"
    keys = ask(f"SELECT c, COUNT(*) FROM {inner} GROUP BY c").keys
    assert [key.text for key in keys] == ["c"]


def test_a_public_column_is_grouped_by_its_decimals(tmp_path: Path) -> None:
    prices = [0.1, 0.25, 12.34, 99.99]
    pq.write_table(pa.table({"item": list(range(4)), "price": prices}), tmp_path / "items.parquet")
    sold = pa.table({"who": list(range(400)), "item": [n % 4 for n in range(400)]})
    pq.write_table(sold, tmp_path / "sold.parquet")
    (tmp_path / "shop.toml").write_text(SHOP, encoding="utf-8")
    with open_database(tmp_path / "shop.toml", in_process=True) as db:
        answer = answered(
            db,
            "SELECT price, COUNT(*) AS n FROM sold JOIN items USING (item) GROUP BY price"
            " ORDER BY price",
            4500,
        )
    assert answer.rows == [{"price": price, "n": 100} for price in prices]


SHOP = """\
[database]
name = "shop"
[budget]
epsilon = 10_000
delta = 1e-9
[tables.sold]
source = "sold.parquet"
unit = "who"
neighbours = "add-remove"
max_units = 1000
max_groups = 1
max_rows_per_group = 1
columns.item = { type = "integer" }
[tables.items]
source = "items.parquet"
public = true
unique = ["item"]
"""
