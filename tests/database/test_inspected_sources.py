"""A policy over tables of a server is a database like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

import hedgerow as hr
from engines.postgresql.helpers_server import ROLE, get_server
from engines.spark.helpers_cluster import get_address
from engines.spark.helpers_worlds import DEADLINE, write_table
from hedgerow.cli import main
from hedgerow.errors import Refused, SourceError

TABLES = f"""
CREATE TABLE visits AS
SELECT g % 500 AS patient_id, 20 + g % 60 AS age, (g % 97) * 1.5::numeric(10, 2) AS cost,
    (ARRAY['north', 'south', 'east', 'west'])[1 + g % 4] AS region
FROM generate_series(1, 2000) AS g;
CREATE TABLE regions AS
SELECT * FROM (VALUES ('north', 1), ('south', 2), ('east', 3), ('west', 4)) AS v(region, code);
GRANT SELECT ON visits, regions TO {ROLE};
"""
POLICY = """
[database]
name = "clinic"
engine = "{address}"
[budget]
epsilon = 10000
default_epsilon = 1
[tables.visits]
source = "visits"
unit = "patient_id"
neighbours = "add-remove"
max_groups = 4
max_rows_per_group = 4
max_units = 1000
max_rows = 10_000
[tables.visits.columns]
age = {{ type = "integer", min = 0, max = 110 }}
cost = {{ type = "real", min = 0, max = 200, step = 0.01 }}
region = {{ values = ["north", "south", "east", "west"] }}
[tables.regions]
source = "public.regions"
public = true
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with get_server().new_database() as name:
        with get_server().connect(name) as owner:
            owner.execute(TABLES)
        yield name


@pytest.fixture
def policy(database: str, tmp_path: Path) -> Path:
    path = tmp_path / "clinic.toml"
    path.write_text(POLICY.format(address=get_server().address(database)))
    return path


EPSILON = 2000  # noise below a hundredth of what is asked


def test_questions_are_answered_in_the_server(policy: Path) -> None:
    with hr.open(policy) as db:
        rows = db.query(
            "SELECT region, COUNT(*) AS n, SUM(cost) AS cost FROM visits GROUP BY region",
            epsilon=EPSILON,
        ).rows
        assert [row["region"] for row in rows] == ["east", "north", "south", "west"]
        assert all(abs(row["n"] - 500) < 5 for row in rows)
        median = db.query("SELECT MEDIAN(age) AS m FROM visits", epsilon=EPSILON).rows[0]["m"]
        assert 45 <= median <= 55
        assert db.budget.spent == 2 * EPSILON


def test_joins_with_public_tables_run_in_the_server_and_questions_about_them_are_free(
    policy: Path,
) -> None:
    with hr.open(policy) as db:
        joined = db.query(
            "SELECT r.code, COUNT(*) AS n FROM visits v JOIN regions r ON v.region = r.region"
            " GROUP BY r.code",
            epsilon=EPSILON,
        )
        assert [row["code"] for row in joined.rows] == [1, 2, 3, 4]
        free = db.query("SELECT MAX(code) AS most FROM regions")
        assert free.rows == [{"most": 4}]
        shares = db.query(
            "WITH n AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region)"
            " SELECT region, n / SUM(n) OVER () AS share FROM n",
            epsilon=EPSILON,
        )
        assert all(abs(row["share"] - 0.25) < 0.01 for row in shares.rows)


def test_stored_answers_are_free_after_the_tables_were_opened_again(policy: Path) -> None:
    sql = "SELECT r.code, COUNT(*) AS n FROM visits v JOIN regions r USING (region) GROUP BY r.code"
    with hr.open(policy) as db:
        first = db.query(sql, epsilon=1)
    with hr.open(policy) as db:
        again = db.query(sql, epsilon=1)
        assert again.rows == first.rows
        assert again.receipt.reused


def test_publications_are_made_of_tables_of_a_server(policy: Path, tmp_path: Path) -> None:
    with hr.open(policy) as db:
        draft = db.publish.histogram("visits", "region", epsilon=EPSILON)
        publication = draft.to(tmp_path / "published")
    assert abs(sum([row["count"] for row in publication.rows]) - 2000) < 20


def test_one_table_has_one_budget(policy: Path, tmp_path: Path) -> None:
    with hr.open(policy) as db:
        db.query("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    other = tmp_path / "other.toml"
    other.write_text(
        policy.read_text()
        .replace('name = "clinic"', 'name = "second"')
        .replace('source = "visits"', 'source = "PUBLIC.visits"')
    )
    with pytest.raises(Refused, match="already holds the budget"):
        hr.open(other)


def test_a_column_that_the_server_lacks_is_refused_before_a_ledger_exists(policy: Path) -> None:
    policy.write_text(policy.read_text().replace("cost = {", "price = {"))
    with pytest.raises((SourceError, Refused, ValueError), match="price"):
        hr.open(policy)
    assert not policy.with_name("clinic.ledger").exists()


def test_a_failing_server_is_one_opaque_charged_failure(policy: Path, database: str) -> None:
    with hr.open(policy) as db, get_server().connect(database) as owner:
        db.query("SELECT COUNT(*) AS n FROM visits", epsilon=1)
        with psycopg.connect(get_server().address(database, "postgres")) as blocker:
            blocker.execute("ALTER TABLE visits RENAME TO moved")
            blocker.commit()
            with pytest.raises(SourceError, match="was charged"):
                db.query("SELECT COUNT(*) AS n FROM visits WHERE age > 30", epsilon=1)
        owner.execute("ALTER TABLE moved RENAME TO visits")
        assert db.budget.spent == 2


def read_blocks(heading: str) -> dict[str, str]:
    """The blocks of a section of the page on engines, by language."""
    page = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = dict(re.findall(r"```(sql|toml|text)\n(.*?)```", section, re.DOTALL))
    assert sum(len(block.splitlines()) for block in blocks.values()) < 40
    return blocks


def ask_as_on_the_page(blocks: dict[str, str], folder: Path) -> None:
    lines = [line.removeprefix(">>> ") for line in blocks["text"].splitlines()]
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec("\n".join(lines[:-1]), names)
        answer = eval(lines[-1], names)
        names["db"].close()
    assert {row["region"] for row in answer.rows} == {"north", "south", "east", "west"}


def test_the_page_on_engines_leads_to_a_first_answer(tmp_path: Path) -> None:
    blocks = read_blocks("A first answer on PostgreSQL")
    server = get_server()
    with server.new_database() as name:
        with server.connect(name) as owner:
            owner.execute(TABLES)
            owner.execute(blocks["sql"])
        address = server.address(name, "hedgerow")
        policy = blocks["toml"].replace("postgresql://hedgerow@localhost/clinic", address)
        (tmp_path / "clinic.toml").write_text(policy)
        ask_as_on_the_page(blocks, tmp_path)
        with server.connect(name) as owner:
            owner.execute("DROP OWNED BY hedgerow")
            owner.execute("DROP ROLE hedgerow")


@pytest.mark.long
def test_the_page_on_engines_leads_to_a_first_answer_on_spark(clinic: Path, tmp_path: Path) -> None:
    blocks = read_blocks("A first answer on Spark")
    policy = blocks["toml"].replace("sc://localhost:15002", get_address())
    (tmp_path / "clinic.toml").write_text(policy.replace("/data/visits", f"{clinic}/visits"))
    ask_as_on_the_page(blocks, tmp_path)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tables as folders of files."""
    folder = tmp_path_factory.mktemp("clinic")
    regions = ["north", "south", "east", "west"]
    visits = [
        {
            "patient_id": g % 500,
            "age": 20 + g % 60,
            "cost": Decimal(g % 97) * Decimal("1.5"),
            "region": regions[g % 4],
        }
        for g in range(1, 2001)
    ]
    write_table(pa.Table.from_pylist(visits), folder / "visits", files=3)
    codes = [{"region": name, "code": place} for place, name in enumerate(regions, 1)]
    write_table(pa.Table.from_pylist(codes), folder / "regions")
    return folder


@pytest.mark.long
def test_all_kinds_of_questions_run_in_a_cluster(clinic: Path, tmp_path: Path) -> None:
    policy = tmp_path / "clinic.toml"
    policy.write_text(
        POLICY.format(address=get_address())
        .replace('"visits"\nunit', f'"{clinic}/visits"\nunit')
        .replace("public.regions", f"{clinic}/regions")
    )
    joined = (
        "SELECT r.code, COUNT(*) AS n FROM visits v JOIN regions r ON v.region = r.region"
        " GROUP BY r.code"
    )
    with hr.open(policy, deadline=DEADLINE) as db:
        rows = db.query(
            "SELECT region, COUNT(*) AS n, SUM(cost) AS cost FROM visits GROUP BY region",
            epsilon=EPSILON,
        ).rows
        assert [row["region"] for row in rows] == ["east", "north", "south", "west"]
        assert all(abs(row["n"] - 500) < 5 for row in rows)
        median = db.query("SELECT MEDIAN(age) AS m FROM visits", epsilon=EPSILON).rows[0]["m"]
        assert 45 <= median <= 55
        first = db.query(joined, epsilon=EPSILON)
        assert [row["code"] for row in first.rows] == [1, 2, 3, 4]
        assert db.query("SELECT MAX(code) AS most FROM regions").rows == [{"most": 4}]
        publication = db.publish.histogram("visits", "region", epsilon=EPSILON).to(tmp_path / "out")
        assert abs(sum([row["count"] for row in publication.rows]) - 2000) < 20
        spent = db.budget.spent
        moved = (clinic / "visits").rename(tmp_path / "moved")
        with pytest.raises(SourceError, match="was charged"):
            db.query("SELECT COUNT(*) AS n FROM visits WHERE age > 30", epsilon=1)
        moved.rename(clinic / "visits")
        assert db.budget.spent == spent + 1
    with hr.open(policy, deadline=DEADLINE) as db:
        again = db.query(joined, epsilon=EPSILON)
        assert again.rows == first.rows
        assert again.receipt.reused
    assert main(["check", str(policy)]) == 0
