from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from engines.postgresql.helpers_server import ROLE, get_server
from hedgerow.engines.postgresql.engine import inspect_tables

ROWS = "('north', 1, 0.5, DATE '2026-01-02'), ('süd', NULL, 'NaN', NULL), ('east', 3, -0.0, NULL)"
TABLE = "CREATE TABLE {} (region text, code integer, share double precision, since date, j jsonb)"


def test_a_copy_has_all_readable_columns_and_the_same_digest_in_any_order(tmp_path: Path) -> None:
    server = get_server()
    with server.new_database() as database:
        with server.connect(database) as owner:
            for name, order in (("a", "1"), ("b", "1 DESC")):
                owner.execute(TABLE.format(name))
                owner.execute(
                    f"INSERT INTO {name} SELECT * FROM (VALUES {ROWS}) AS v ORDER BY {order}"
                )
                owner.execute(f"GRANT SELECT ON {name} TO {ROLE}")
        copies = {name: tmp_path / f"{name}.parquet" for name in "ab"}
        columns, digests = inspect_tables(
            server.address(database), {name: ("public", name) for name in "ab"}, copies, deadline=9
        )
        with server.connect(database) as owner:
            owner.execute("UPDATE b SET code = 4 WHERE code = 3")
        _, later = inspect_tables(
            server.address(database), {"b": ("public", "b")}, {"b": copies["b"]}, deadline=9
        )
    assert digests["a"] == digests["b"] != later["b"]
    assert [column.type for column in columns["a"]] == ["text", "integer", "real", "date", None]
    found = pq.read_table(copies["a"])
    assert found.column_names == ["region", "code", "share", "since"]
    assert found["region"].to_pylist() == ["east", "north", "süd"]
    assert found["code"].to_pylist() == [3, 1, None]
