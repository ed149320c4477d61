"""A small file of visits and the answers that make a policy of it; and a shop of several tables."""

from __future__ import annotations

from pathlib import Path

ANSWERS = """
[budget]
epsilon = 1.0
delta = 1e-9
default_epsilon = 0.25

[tables.visits]
unit = "patient_id"
neighbours = "add-remove"
max_units = 100_000
max_groups = 2
max_rows_per_group = 1

[tables.visits.columns]
age = { type = "integer", min = 0, max = 110 }
cost = { type = "real", min = 0, max = 1000, step = 0.01 }
region = { values = ["north", "south"] }
"""


def write_visits(path: Path, patients: int = 400) -> None:
    """Patients in turn, north and south."""
    rows = [
        f"{n},{20 + n % 60},{n % 90}.5,{('north', 'south')[n % 2]},private" for n in range(patients)
    ]
    path.write_text("patient_id,age,cost,region,note\n" + "\n".join(rows) + "\n", encoding="utf-8")


def write_clinic(folder: Path) -> Path:
    """The file and its policy."""
    write_visits(folder / "visits.csv")
    policy = folder / "clinic.toml"
    policy.write_text(
        '[database]\nname = "clinic"\n'
        + ANSWERS.replace("[tables.visits]\n", '[tables.visits]\nsource = "visits.csv"\n')
    )
    return policy


SHOP = """
[database]
name = "shop"

[budget]
epsilon = 4.0
delta = 1e-9
default_epsilon = 0.5
max_epsilon_per_query = 4.0

[tables.orders]
source = "orders.csv"
unit = "customer"
neighbours = "add-remove"
version = "7"
max_units = 100_000
max_groups = 2
max_rows_per_group = 2
[tables.orders.columns]
number = { hidden = true }
month = { type = "date", values = "2026-01 … 2026-03" }
price = { type = "real", min = 0, max = 200, step = 0.5 }
[tables.orders.partition]
column = "month"
max_parts_per_unit = 2

[tables.items]
source = "items.csv"
unit = "order_number -> orders.number, orders.customer"
neighbours = "add-remove"
max_units = 100_000
max_groups = 1
max_rows_per_group = 4
[tables.items.columns]
quantity = { type = "integer", min = 0, max = 9 }

[tables.customers]
source = "customers.csv"
unit = "customer"
neighbours = "add-remove"
max_units = 100_000
max_groups = 1
max_rows_per_group = 1

[tables.cities]
source = "cities.csv"
public = true
unique = "city"
"""


def write_shop(folder: Path, customers: int = 300) -> Path:
    """Customers with orders in two months, items that belong to orders, and a public list of
    cities.
    """
    towns, orders, items = ("Aachen", "Bonn", "Celle"), [], []
    for n in range(customers):
        for m in range(2):
            orders.append(f"{2 * n + m},{n},2026-0{1 + (n + m) % 3}-15,{n % 100}.5")
            items.append(f"{2 * n + m},{1 + n % 4}")
    tables = {
        "orders.csv": ["number,customer,month,price", *orders],
        "items.csv": ["order_number,quantity", *items],
        "customers.csv": ["customer,city", *(f"{n},{towns[n % 3]}" for n in range(customers))],
        "cities.csv": ["city,land,people", "Aachen,west,250", "Bonn,west,330", "Celle,north,70"],
    }
    for name, lines in tables.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "shop.toml").write_text(SHOP, encoding="utf-8")
    return folder / "shop.toml"
