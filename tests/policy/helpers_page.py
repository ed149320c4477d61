"""A whole policy page to vary, and what is said about a page that is wrong."""

from __future__ import annotations

import re

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy import Policy, parse_policy

CLINIC = """\
[database]
name   = "clinic"
engine = "duckdb"
ledger = "clinic.ledger"

[budget]
epsilon = 3.0
delta   = 1e-9
default_epsilon = 0.1
default_delta   = 1e-12
max_epsilon_per_query = 1.0
noise   = "laplace"

[tables.visits]
source     = "visits.parquet"
unit       = "patient_id"
neighbours = "add-remove"
population = "patients"
version    = "2026-11"
max_units  = 2_000_000
max_rows   = 50_000_000
max_groups = 3
max_rows_per_group = 5
[tables.visits.columns]
age    = { type = "integer", min = 0, max = 110 }
cost   = { type = "real", min = 0, max = 10_000, step = 0.01 }
region = { values = ["north", "south", "east", "west"] }
month  = { type = "date", values = "2026-01 … 2026-12" }
note   = { hidden = true }

[tables.visits.partition]
column = "month"
max_parts_per_unit = 12

[tables.regions]
source = "regions.csv"
public = true

[analysts.ana]
max_epsilon = 1.0
"""

SHOP = """\
[database]
name = "shop"
[budget]
epsilon = 1

[tables.accounts]
source = "accounts.csv"
unit = "customer_id"
neighbours = "add-remove"
max_units = 100
max_groups = 1
max_rows_per_group = 1
columns.id = { type = "integer" }

[tables.orders]
source = "orders.csv"
unit = "account -> accounts.id, accounts.customer_id"
neighbours = "add-remove"
max_units = 100
max_groups = 2
max_rows_per_group = 2
columns.account = { type = "integer" }

[tables.items]
source = "items.csv"
unit = "order -> orders.id, orders.account -> accounts.id, accounts.customer_id"
neighbours = "add-remove"
max_units = 100
max_groups = 3
max_rows_per_group = 3

[tables.regions]
source = "regions.csv"
public = true
unique = [["id"], ["name", "country"]]
"""


def edited(*changes: tuple[str, str]) -> str:
    """The page with pieces replaced; each must be there exactly once, so that no edit silently
    does nothing.
    """
    text = CLINIC
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def policy(*changes: tuple[str, str]) -> Policy:
    return parse_policy(edited(*changes))


def line(piece: str, text: str = CLINIC) -> int:
    """The line on which a piece of the page stands."""
    assert text.count(piece) == 1, piece
    return text[: text.index(piece)].count("\n") + 1


def mistakes(text: str) -> list[tuple[int, str]]:
    """(line, sentence) of every mistake."""
    with pytest.raises(InvalidArgument) as caught:
        parse_policy(text)
    return [
        (int(number), says)
        for number, says in re.findall(r"^  line (\d+): (.*?)\.?$", str(caught.value), re.MULTILINE)
    ]
