"""Changes of a policy that loosen it, and changes that tighten it."""

from __future__ import annotations

from policy.helpers_page import policy

OLD = policy()


STAFF = """\
[tables.staff]
source = "{}"
unit = "person"
neighbours = "add-remove"
population = "staff"
max_units = 9
max_groups = 1
max_rows_per_group = 1
[budgets.staff]
epsilon = 1
"""


PARTITION = '[tables.visits.partition]\ncolumn = "month"\nmax_parts_per_unit = 12\n'


LOOSE = [
    (
        ("epsilon = 3.0", "epsilon = 4.5"),
        "budget of population 'patients': epsilon is raised from 3 to 4.5.",
    ),
    (
        ("delta   = 1e-9", "delta   = 2e-9"),
        "budget of population 'patients': delta is raised from 1e-09 to 2e-09.",
    ),
    (
        ("max_epsilon_per_query = 1.0", "max_epsilon_per_query = 2.0"),
        "population 'patients': max_epsilon_per_query is raised from 1 to 2.",
    ),
    (
        ("max_epsilon_per_query = 1.0\n", ""),
        "population 'patients': max_epsilon_per_query is raised from 1 to 3.",
    ),
    (
        ('"laplace"', '"gaussian"'),
        "population 'patients': noise changes from 'laplace' to 'gaussian'.",
    ),
    (
        ('"patient_id"', '"doctor_id"'),
        "table 'visits': unit changes from 'patient_id' to 'doctor_id'.",
    ),
    (
        ('"add-remove"', '"change-one"'),
        "table 'visits': neighbours changes from 'add-remove' to 'change-one'.",
    ),
    (
        ("max_units  = 2_000_000", "max_units  = 3_000_000"),
        "table 'visits': max_units is raised from 2000000 to 3000000.",
    ),
    (("max_rows   = 50_000_000\n", ""), "table 'visits': max_rows of 50000000 is dropped."),
    (("max_groups = 3", "max_groups = 4"), "table 'visits': max_groups is raised from 3 to 4."),
    (
        ("max_rows_per_group = 5", "max_rows_per_group = 6"),
        "table 'visits': max_rows_per_group is raised from 5 to 6.",
    ),
    (("max = 110", "max = 100"), "column 'age' of table 'visits': max changes from 110 to 100."),
    (
        ("min = 0, max = 110", "min = -1, max = 110"),
        "column 'age' of table 'visits': min changes from 0 to -1.",
    ),
    (
        ("step = 0.01", "step = 0.1"),
        "column 'cost' of table 'visits': step changes from 0.01 to 0.1.",
    ),
    (
        (
            '"2026-01 … 2026-12"',
            "[" + ", ".join(f"2026-{month:02}-01" for month in range(1, 13)) + "]",
        ),
        "column 'month' of table 'visits': values change.",
    ),
    ((', "west"]', "]"), "column 'region' of table 'visits': values change."),
    (
        ("note   = { hidden = true }", 'note   = { type = "text" }'),
        "column 'note' of table 'visits': is no longer hidden.",
    ),
    (("note   = { hidden = true }\n", ""), "column 'note' of table 'visits': is no longer hidden."),
    (
        ("note   =", 'more   = { type = "text" }\nnote   ='),
        "column 'more' of table 'visits': is newly declared.",
    ),
    (
        ("max_parts_per_unit = 12", "max_parts_per_unit = 2"),
        "table 'visits': max_parts_per_unit is lowered from 12 to 2.",
    ),
    (
        ('column = "month"\nmax_parts_per_unit = 12', 'column = "region"\nmax_parts_per_unit = 4'),
        "table 'visits': partition changes its column from 'month' to 'region'.",
    ),
    (
        (PARTITION, ""),
        "table 'visits': partition is dropped, which changes how queries are charged.",
    ),
    (
        ("public = true", 'public = true\nunique = ["id", "code"]'),
        "table 'regions': id, code is declared unique.",
    ),
    (
        ("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = true"),
        "table 'visits': undeclared bounds are found in the data, privately.",
    ),
    (
        ("visits.parquet", "v.csv"),
        (
            "table 'visits': source changes from 'visits.parquet' to 'v.csv' under the same"
            " version; declare a new one."
        ),
    ),
    (("max_epsilon = 1.0", "max_epsilon = 1.5"), "analyst 'ana': quota is raised from 1 to 1.5."),
    (("max_epsilon = 1.0\n", ""), "analyst 'ana': quota of 1 is dropped."),
    (("[analysts.ana]\nmax_epsilon = 1.0\n", ""), "analyst 'ana': quota of 1 is dropped."),
    (('engine = "duckdb"', "max_failures = 21"), "database: max_failures is raised from 20 to 21."),
    (
        ('"clinic.ledger"', '"other.ledger"'),
        "database: ledger changes from 'clinic.ledger' to 'other.ledger'.",
    ),
    (
        ('[tables.regions]\nsource = "regions.csv"\npublic = true\n', ""),
        "table 'regions': is removed with its rules; if it comes back, it is new.",
    ),
]


TIGHT = [
    (
        ("epsilon = 3.0", "epsilon = 2.5"),
        "budget of population 'patients': epsilon is lowered from 3 to 2.5.",
    ),
    (
        ("delta   = 1e-9", "delta   = 1e-10"),
        "budget of population 'patients': delta is lowered from 1e-09 to 1e-10.",
    ),
    (
        ("delta   = 1e-9\ndefault_epsilon = 0.1\ndefault_delta   = 1e-12", "default_epsilon = 0.1"),
        "budget of population 'patients': delta of 1e-09 is dropped.",
    ),
    (
        ("max_epsilon_per_query = 1.0", "max_epsilon_per_query = 0.5"),
        "population 'patients': max_epsilon_per_query is lowered from 1 to 0.5.",
    ),
    (
        ("default_epsilon = 0.1", "default_epsilon = 0.2"),
        "population 'patients': default_epsilon changes from 0.1 to 0.2.",
    ),
    (("max_groups = 3", "max_groups = 2"), "table 'visits': max_groups is lowered from 3 to 2."),
    (('"2026-11"', '"2026-12"'), "table 'visits': version changes from '2026-11' to '2026-12'."),
    (
        ('age    = { type = "integer", min = 0, max = 110 }', "age    = { hidden = true }"),
        "column 'age' of table 'visits': is hidden.",
    ),
    (
        ('age    = { type = "integer", min = 0, max = 110 }\n', ""),
        "column 'age' of table 'visits': is no longer declared.",
    ),
    (
        ("note   =", "more   = { hidden = true }\nnote   ="),
        "column 'more' of table 'visits': is newly hidden.",
    ),
    (("max_epsilon = 1.0", "max_epsilon = 0.5"), "analyst 'ana': quota is lowered from 1 to 0.5."),
    (("[analysts.ana]", "[analysts.bob]\n[analysts.ana]"), "analyst 'bob': is new."),
    (
        ('engine = "duckdb"', "max_failures = 19"),
        "database: max_failures is lowered from 20 to 19.",
    ),
    (
        ('name   = "clinic"', 'name   = "hospital"'),
        "database: name changes from 'clinic' to 'hospital'.",
    ),
]
