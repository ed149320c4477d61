"""What reading makes NULL stays NULL in a condition, whatever the column holds of other people.

DuckDB 2.0 takes a condition that every value of a column fulfils for "the column is not NULL", also
where the condition is about something made of the column: CASE, NULLIF. A thousand people with a
value that is not on the list of the policy were counted by ``x LIKE 'no%'``, and no longer when one
more came whose value begins otherwise.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr

POLICY = """
[database]
name = "null"
[budget]
epsilon = 10_000
[tables.t]
source = "t.{kind}"
unit = "id"
neighbours = "add-remove"
max_units = 10_000
max_groups = 1
max_rows_per_group = 1
columns.x = {{ values = ["north", "south"] }}
columns.y = {{ type = "text" }}
[tables.r]
source = "r.csv"
public = true
"""
CONDITIONS = (
    "x LIKE 'no%'",
    "STARTS_WITH(x, 'no')",
    "LEFT(x, 2) = 'no'",
    "SUBSTRING(x, 1, 1) = 'n'",
    "NULLIF(y, 'nowhere') LIKE 'no%'",
    "NULLIF(y, 'nowhere') IN ('nowhere', 'elsewhere')",
    "x LIKE 'no%' OR x LIKE 'so%'",
    "x LIKE 'no%' AND id_known",
    "NOT (x NOT LIKE 'no%')",
)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_one_more_person_moves_a_count_by_one_at_most(tmp_path: Path, kind: str) -> None:
    counts = []
    for name, more in (("without", ""), ("with", "1000,south,zzz\n")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "t.csv").write_text(
            "id,x,y\n" + "".join(f"{i},nowhere,nowhere\n" for i in range(1000)) + more
        )
        (folder / "r.csv").write_text("k\nnowhere\nnowhat\n")
        if kind == "parquet":
            pq.write_table(csv.read_csv(folder / "t.csv"), folder / "t.parquet")
        (folder / "p.toml").write_text(POLICY.format(kind=kind))
        with hr.open(folder / "p.toml", in_process=True) as db:
            asked = (
                f"SELECT COUNT(*) AS n FROM t WHERE {one}".replace("id_known", "y IS NOT NULL")
                for one in CONDITIONS
            )
            # noise is 0 but for e^-50
            counts.append([db.query(sql, epsilon=50).rows[0]["n"] for sql in asked])
    assert counts[0] == [0] * len(CONDITIONS)
    assert all(abs(a - b) <= 1 for a, b in zip(*counts, strict=True))


def test_public_tables_are_asked_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,x,y\n1,north,a\n")
    (tmp_path / "r.csv").write_text("k\nnowhere\nnowhat\n")
    (tmp_path / "p.toml").write_text(POLICY.format(kind="csv"))
    with hr.open(tmp_path / "p.toml", in_process=True) as db:
        value = "NULLIF(k, 'nowhat')"
        for condition in (
            f"{value} LIKE 'no%'",
            f"SUBSTRING({value}, 1, 2) = 'no'",
            f"{value} LIKE 'n%' AND TRUE",
        ):
            assert db.query(f"SELECT COUNT(*) AS n FROM r WHERE {condition}").rows == [{"n": 1}], (
                condition
            )
        joined = (
            "SELECT COUNT(*) AS n FROM r JOIN r s ON r.k = s.k AND NULLIF(s.k, 'nowhat') LIKE 'no%'"
        )
        assert db.query(joined).rows == [{"n": 1}]
        for condition in (
            f"{value} LIKE 'no%'",
            f"({value} LIKE 'no%' AND (k >= 'n'))",
            f"LEAST({value}, {value}) LIKE 'no%'",
        ):
            assert db.query(f"SELECT k FROM r GROUP BY k HAVING {condition}").rows == [
                {"k": "nowhere"}
            ], condition
        grouped = f"SELECT {value} AS y, COUNT(*) AS n FROM r GROUP BY y HAVING y LIKE 'no%'"
        assert db.query(grouped).rows == [{"y": "nowhere", "n": 1}]
