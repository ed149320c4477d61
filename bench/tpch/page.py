"""The policy of the TPC-H tables: who is protected is the customer."""

from __future__ import annotations

from pathlib import Path

__all__ = ["page"]

# Bounds and lists are those of the specification of TPC-H. The caps were chosen with a look at the
# data, which a custodian must not do.
_PAGE = """\
[database]
name   = "tpch"
ledger = "tpch.ledger"

[budget]
epsilon = {budget}
delta   = 1e-7
max_epsilon_per_query = {budget}
default_delta = 1e-8

[tables.customer]
source     = "{folder}/customer.parquet"
unit       = "c_custkey"
neighbours = "add-remove"
max_units  = 1_000_000
max_groups = 1
max_rows_per_group = 1
[tables.customer.columns]
c_acctbal    = {{ type = "real", min = -1_000, max = 10_000, step = 0.01 }}
c_mktsegment = {{ values = ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"] }}
c_name       = {{ hidden = true }}
c_address    = {{ hidden = true }}
c_phone      = {{ hidden = true }}

[tables.orders]
source     = "{folder}/orders.parquet"
unit       = "o_custkey"
neighbours = "add-remove"
max_units  = 1_000_000
max_groups = 3
max_rows_per_group = 3
[tables.orders.columns]
o_totalprice    = {{ type = "real", min = 0, max = 600_000, step = 0.01 }}
o_orderstatus   = {{ values = ["F", "O", "P"] }}
o_orderpriority = {{ values = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"] }}

[tables.lineitem]
source     = "{folder}/lineitem.parquet"
unit       = "l_orderkey -> orders.o_orderkey, orders.o_custkey"
neighbours = "add-remove"
max_units  = 1_000_000
max_groups = 4
max_rows_per_group = 60
[tables.lineitem.columns]
l_quantity      = {{ type = "integer", min = 1, max = 50 }}
l_extendedprice = {{ type = "real", min = 0, max = 105_000, step = 0.01 }}
l_discount      = {{ type = "real", min = 0, max = 0.1, step = 0.01 }}
l_tax           = {{ type = "real", min = 0, max = 0.08, step = 0.01 }}
l_returnflag    = {{ values = ["A", "N", "R"] }}
l_linestatus    = {{ values = ["F", "O"] }}
l_shipmode      = {{ values = ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"] }}

[tables.part]
source = "{folder}/part.parquet"
public = true
unique = "p_partkey"

[tables.supplier]
source = "{folder}/supplier.parquet"
public = true
unique = "s_suppkey"

[tables.partsupp]
source = "{folder}/partsupp.parquet"
public = true
unique = ["ps_partkey", "ps_suppkey"]

[tables.nation]
source = "{folder}/nation.parquet"
public = true
unique = "n_nationkey"
[tables.nation.columns]
n_name = {{ values = [{nations}] }}

[tables.region]
source = "{folder}/region.parquet"
public = true
unique = "r_regionkey"
"""
NATIONS = (
    "ALGERIA", "ARGENTINA", "BRAZIL", "CANADA", "CHINA", "EGYPT", "ETHIOPIA", "FRANCE", "GERMANY",
    "INDIA", "INDONESIA", "IRAN", "IRAQ",
    "JAPAN", "JORDAN", "KENYA", "MOROCCO", "MOZAMBIQUE", "PERU", "ROMANIA", "RUSSIA",
    "SAUDI ARABIA", "UNITED KINGDOM", "UNITED STATES",
    "VIETNAM",
)  # fmt: skip


def page(folder: Path, budget: str = "10") -> str:
    """The policy for the tables in a folder."""
    return _PAGE.format(
        folder=folder, budget=budget, nations=", ".join(f'"{name}"' for name in NATIONS)
    )
