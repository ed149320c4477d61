"""The policy and the column types of the shop's tables."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

# order numbers: of many, of nobody yet, and from here on of one alone
SHARED, LOOSE, OWN = tuple(range(1, 13)), tuple(range(90, 96)), 100


ITEMS, OWN_ITEMS = tuple(range(1, 31)), 1000


ARROW: Mapping[str, Mapping[str, pa.DataType | None]] = {
    "orders": {
        "customer": None,
        "number": pa.int64(),
        "amount": pa.int64(),
        "region": pa.string(),
        "note": pa.string(),
    },
    "items": {
        "order_number": pa.int64(),
        "item": pa.int64(),
        "price": pa.float64(),
        "kind": pa.string(),
    },
    "returns": {"item": pa.int64(), "days": pa.int64(), "reason": pa.string()},
    "visits": {
        "customer": None,
        "minutes": pa.int64(),
        "region": pa.string(),
        "month": pa.int64(),
        "day": pa.date32(),
    },
}


POLICY = """
[database]
name = "shop"
[budget]
epsilon = 10_000
delta = 0.1
noise = "{noise}"
[tables.orders]
source = "orders.parquet"
unit = "customer"
{caps}
[tables.orders.columns]
amount = {{ type = "integer", min = 0, max = 50 }}
region = {{ values = ["north", "south", "east", "west"] }}
[tables.items]
source = "items.parquet"
unit = "order_number -> orders.number, orders.customer"
{caps}
[tables.items.columns]
price = {{ type = "real", min = -2, max = 20, step = 0.5 }}
kind = {{ values = ["book", "lamp", "rope", "soap"] }}
{part_items}
[tables.returns]
source = "returns.parquet"
unit = "item -> items.item, items.order_number -> orders.number, orders.customer"
{caps}
[tables.returns.columns]
days = {{ type = "integer", min = 0, max = 30 }}
[tables.visits]
source = "visits.parquet"
unit = "customer"
{caps}
[tables.visits.columns]
minutes = {{ type = "integer", min = 0, max = 90 }}
region = {{ values = ["north", "south", "east", "west"] }}
month = {{ values = [1, 2, 3, 4, 5] }}
day = {{ type = "date", values = "2024-02-25 … 2024-03-03" }}
{part_visits}
[tables.towns]
source = "towns.parquet"
public = true
[tables.towns.columns]
zone = {{ values = ["a", "b"] }}
people = {{ type = "integer", min = 0, max = 50 }}
"""


PARTED = {"visits": "month", "items": "kind"}
