"""A shop for the tests of the database: customers, their orders in parts, items by way of the
orders, and a public list of cities.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

POLICY = """
[database]
name = "shop"

[budget]
epsilon = 10_000
delta = 1e-9
default_epsilon = 1
noise = "laplace"

[tables.customers]
source = "customers.parquet"
unit = "customer"
neighbours = "add-remove"
version = "3"
max_units = 1000
max_groups = 1
max_rows_per_group = 1
[tables.customers.columns]
age = { type = "integer", min = 0, max = 110 }

[tables.orders]
source = "orders.parquet"
unit = "customer"
neighbours = "add-remove"
version = "7"
max_units = 1000
max_groups = 3
max_rows_per_group = 2
[tables.orders.columns]
month = { type = "date", values = "2026-01 … 2026-03" }
price = { type = "integer", min = 0, max = 200 }
[tables.orders.partition]
column = "month"
max_parts_per_unit = 2

[tables.items]
source = "items.parquet"
unit = "order_number -> orders.number, orders.customer"
neighbours = "add-remove"
max_units = 1000
max_groups = 1
max_rows_per_group = 6
[tables.items.columns]
quantity = { type = "integer", min = 0, max = 9 }

[tables.cities]
source = "cities.parquet"
public = true
unique = "city"
"""
CITIES = pa.table(
    {
        "city": ["Aachen", "Bonn", "Celle"],
        "land": ["west", "west", "north"],
        "people": [250, 330, 70],
    }
)


def write(
    folder: Path, policy: str = POLICY, cities: pa.Table = CITIES, customers: int = 300
) -> Path:
    """A customer orders in two months that follow each other (March in all three), two items
    each time; gives the path of the policy.
    """
    ids = list(range(customers))
    orders = [
        (3 * n + m, n, date(2026, 1 + (n + m) % 3, 15), n % 100)
        for n in ids
        for m in range(2 if n % 3 else 3)
    ]
    columns = list(zip(*orders, strict=True))
    tables = {
        "customers": pa.table(
            {
                "customer": ids,
                "city": [CITIES["city"][n % 3].as_py() for n in ids],
                "age": [20 + n % 60 for n in ids],
            }
        ),
        "orders": pa.table(
            dict(zip(("number", "customer", "month", "price"), map(list, columns), strict=True))
        ),
        "items": pa.table(
            {
                "order_number": [n for n in columns[0] for _ in range(2)],
                "quantity": [1 + n % 4 for n in columns[0] for _ in range(2)],
            }
        ),
        "cities": cities,
    }
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    (folder / "shop.toml").write_text(policy, encoding="utf-8")
    return folder / "shop.toml"
