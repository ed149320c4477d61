"""The database end to end, in process: meaning of answers, prices, reuse, refusals that cost
nothing.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from database import shop
from database.clinic import answered, ask, exactly, visits, write
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.database import open
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.loss import compute_pure_rho


def test_without_noise_it_is_plain_sql() -> None:
    with exactly() as db:
        rows = ask(
            db,
            "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age, SUM(cost) AS total FROM data GROUP"
            " BY region",
        )
    assert [row["region"] for row in rows] == ["east", "north", "south", "west"]
    assert [row["n"] for row in rows] == [266, 268, 266, 0]
    table = visits().to_pylist()
    for row in rows[:3]:
        mine = [visit for visit in table if visit["region"] == row["region"]]
        assert row["mean_age"] == pytest.approx(
            sum(visit["age"] for visit in mine) / len(mine), abs=0.1
        )
        # thirty times the scale of the noise
        assert row["total"] == pytest.approx(sum(visit["cost"] for visit in mine), abs=120)


def test_caps_hold_and_rows_are_scaled() -> None:
    many = pa.table(
        {
            "patient_id": [1] * 10 + [2],
            "age": [10] * 5 + [20] * 5 + [50],
            "cost": [1.0] * 11,
            "region": ["north"] * 11,
        }
    )
    with exactly(many) as db:
        assert ask(db, "SELECT COUNT(*) AS n, COUNT(region) AS r FROM data") == [{"n": 4, "r": 4}]
        # forty times the scale
        assert ask(db, "SELECT SUM(age) AS s FROM data")[0]["s"] == pytest.approx(45 + 50, abs=3)
    wide = pa.table(
        {
            "patient_id": [7] * 4,
            "age": [1] * 4,
            "cost": [1.0] * 4,
            "region": ["north", "south", "east", "west"],
        }
    )
    with exactly(wide) as db:
        assert (
            sum(
                row["n"]
                for row in ask(db, "SELECT region, COUNT(*) AS n FROM data GROUP BY region")
            )
            == 2
        )


def test_nobodys_rows_are_dropped() -> None:
    table = pa.table(
        {
            "patient_id": [1, None, None],
            "age": [5, 6, 7],
            "cost": [1.0] * 3,
            "region": ["north"] * 3,
        }
    )
    with exactly(table) as db:
        assert ask(db, "SELECT COUNT(*) AS n FROM data") == [{"n": 1}]


def test_results_can_be_worked_on() -> None:
    with exactly() as db:
        rows = ask(
            db,
            "SELECT region AS r, COUNT(*) * 2 AS twice FROM data GROUP BY region HAVING COUNT(*) >"
            " 100 ORDER BY r DESC LIMIT 2",
        )
        assert rows == [{"r": "south", "twice": 532}, {"r": "north", "twice": 536}]
        assert db.budget.epsilon.spent == 4500  # type: ignore[union-attr]
        assert ask(
            db, "select count(*) as n, region from data group by region order by n, region"
        ) == [
            {"n": 0, "region": "west"},
            {"n": 266, "region": "east"},
            {"n": 266, "region": "south"},
            {"n": 268, "region": "north"},
        ]
        assert db.budget.epsilon.spent == 4500  # type: ignore[union-attr]


def test_the_budget_runs_out_to_the_last_unit() -> None:
    with exactly(epsilon=1, delta=None) as db:
        for bound in range(10):
            db.query(f"SELECT COUNT(*) FROM data WHERE age > {bound}", epsilon=0.1)
        assert db.budget.left == 0  # type: ignore[union-attr]
        with pytest.raises(BudgetExceeded, match=r"asks for epsilon 0\.1 with 0 left"):
            db.query("SELECT COUNT(*) FROM data", epsilon=0.1)
        db.query("SELECT COUNT(*) FROM data WHERE age > 3", epsilon=0.1)  # was answered before


def test_pure_and_dual_budgets_look_as_promised() -> None:
    with exactly(delta=None) as db:
        assert isinstance(db.budget, Balance)
    with exactly() as db:
        assert isinstance(db.budget, DualBalance)


def test_the_policy_caps_one_question_and_names_its_defaults(tmp_path: Path) -> None:
    with open(write(tmp_path), in_process=True) as db:
        with pytest.raises(Refused, match="max_epsilon_per_query"):
            db.query("SELECT COUNT(*) FROM visits", epsilon=1.5)
        answer = db.query("SELECT COUNT(*) FROM visits")
        assert isinstance(answer, Answer)
        assert answer.cost.epsilon == Fraction(1, 10)
        with pytest.raises(InvalidArgument, match="given twice"):
            db.query(
                "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) FROM visits",
                epsilon=0.2,
            )
        answer = db.query(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) FROM visits",
            epsilon=0.5,
        )
        assert isinstance(answer, Answer)
        assert answer.cost.epsilon == Fraction(1, 2)
        for bad in (0, -1, math.nan, math.inf, True, "1", Fraction(1, 3), Fraction(1, 10**19)):
            with pytest.raises(InvalidArgument):
                db.query("SELECT COUNT(*) FROM visits", epsilon=bad)
        with pytest.raises(InvalidArgument, match="120 digits"):
            db.query("SELECT COUNT(*) FROM visits", delta=Fraction(1, 3**400))


def test_an_analyst_has_a_quota_inside_the_budget(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, analyst="ana", in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=0.5)
        with pytest.raises(BudgetExceeded, match="ana"):
            db.query("SELECT SUM(age) FROM visits", epsilon=0.1)
        db.query("SELECT SUM(age) FROM visits", epsilon=0.1, analyst="bob")
        # free, whoever asks
        assert isinstance(db.query("SELECT SUM(age) FROM visits", epsilon=0.1), Answer)
        with pytest.raises(InvalidArgument, match="ana, bob"):
            db.query("SELECT SUM(age) FROM visits", analyst="eve")
    with pytest.raises(InvalidArgument, match="ana, bob"):
        open(path, analyst="eve", in_process=True)


def test_the_best_noise_is_chosen_for_each_question_and_leaves_both_branches_open() -> None:
    """30 groups a unit: Gaussian noise for the groups, Laplace noise for the whole; epsilons and
    rhos add up all the same.
    """
    many = pa.table({"who": [n for n in range(200) for _ in range(30)], "g": list(range(30)) * 200})
    price = {"epsilon": 1, "delta": 1e-7}
    with protect(
        many,
        unit="who",
        neighbours="add-remove",
        columns={"g": list(range(30))},
        epsilon=8,
        delta=1e-6,
        noise="best",
        max_groups=30,
        max_rows_per_group=30,
        max_units=1000,
    ) as db:
        by_group, whole = (
            "SELECT g, COUNT(DISTINCT who) AS n FROM data GROUP BY g",
            "SELECT COUNT(DISTINCT who) AS n FROM data",
        )
        assert [db.explain(sql, **price).lines[0].mechanism for sql in (by_group, whole)] == [
            "Gaussian",
            "Laplace",
        ]
        first = db.query(by_group, **price)
        assert isinstance(first, Answer)
        assert first.cost.epsilon == 1
        assert Fraction(99, 10**9) < first.cost.delta <= Fraction(1, 10**7)
        assert first.cost.rho < Fraction(1, 20)
        again = db.query(by_group, **price)
        assert isinstance(again, Answer)
        assert again.rows == first.rows
        assert again.cost.epsilon == 0
        db.query(whole, **price)
        assert db.budget.epsilon.spent == 2  # type: ignore[union-attr]
        assert db.budget.delta.spent == first.cost.delta  # type: ignore[union-attr]
        other = db.query(by_group, epsilon=1, delta=2e-7)  # another delta is another question
        assert isinstance(other, Answer)
        assert other.cost.epsilon == 1


def test_gaussian_noise_leaves_only_the_rho_branch() -> None:
    with exactly(epsilon=8, delta=1e-6, noise="gaussian", max_units=1000) as db:
        answer = db.query("SELECT city, COUNT(*) FROM data GROUP BY city", epsilon=1)
        assert isinstance(answer, Answer)
        assert answer.cost.epsilon == math.inf
        assert db.budget.epsilon.left == 0  # type: ignore[union-attr]
        assert db.budget.rho.left > 0  # type: ignore[union-attr]
        told = str(db.explain("SELECT COUNT(*) FROM data", epsilon=1))
        assert "This question would cost rho 0.462118 (no pure epsilon)." in told
        for text in (told, str(answer)):
            assert "infinite" not in text
            assert re.search(
                r"Gaussian noise is charged in rho: [0-9.]+ of [0-9.]+, which is what epsilon 8 at"
                r" delta 5e-7 allows\.",
                text,
            )
        again = db.query("SELECT city, COUNT(*) FROM data GROUP BY city", epsilon=1)
        assert "charged in rho" not in str(again)
        assert "charged in rho" not in str(
            db.explain("SELECT city, COUNT(*) FROM data GROUP BY city", epsilon=1)
        )


def test_a_median_costs_its_price_under_gaussian_noise_too(tmp_path: Path) -> None:
    """It has a pure epsilon, which the cap on one question holds for."""
    policy = write(tmp_path)
    policy.write_text(policy.read_text().replace("[budget]", '[budget]\nnoise = "gaussian"'))
    with open(policy, in_process=True) as db:
        for asked in (
            "MEDIAN(age) FROM visits",
            "MIN(age), MAX(age) FROM visits",
            "region, MEDIAN(age) FROM visits GROUP BY region",
        ):
            answer = db.query(f"SELECT {asked}", epsilon=1)
            assert isinstance(answer, Answer)
            assert Fraction(99, 100) <= answer.cost.epsilon <= 1
            assert answer.cost.rho <= compute_pure_rho(1)
        with pytest.raises(Refused, match="max_epsilon_per_query"):
            db.query("SELECT MEDIAN(cost) FROM visits", epsilon=1.5)


def test_several_populations_have_several_budgets(tmp_path: Path) -> None:
    policy = write(tmp_path).read_text()
    more = (
        policy + '\n[budgets.staff]\nepsilon = 1\n[tables.rota]\nsource = "rota.csv"\nunit ='
        ' "row"\nneighbours = "change-one"\npopulation = "staff"\nmax_units = 100\n'
    )
    (tmp_path / "rota.csv").write_text("nurse,day\n1,2\n2,3\n")
    path = tmp_path / "clinic.toml"
    path.write_text(more)
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM rota", epsilon=0.5)
        with pytest.raises(InvalidArgument, match="staff"):
            _ = db.budget
        assert db.budgets["staff"].spent == Fraction(1, 2)  # type: ignore[union-attr]
        assert db.budgets["people"].epsilon.spent == 0  # type: ignore[union-attr]
        # public, so nobody pays
        assert db.query("SELECT COUNT(*) AS n FROM regions").cost.epsilon == 0


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_frames_of_every_kind(kind: str) -> None:
    table = visits()
    frame = (
        table
        if kind == "arrow"
        else table.to_pandas()
        if kind == "pandas"
        else __import__("polars").from_arrow(table)
    )
    with protect(
        frame,
        unit="patient_id",
        max_groups=3,
        neighbours="add-remove",
        columns={"age": (0, 110)},
        epsilon=10_000,
        max_rows_per_group=3,
    ) as db:
        assert ask(db, "SELECT COUNT(*) AS n FROM data") == [{"n": 800}]


def test_tables_of_different_versions_are_joined(tmp_path: Path) -> None:
    path = shop.write(tmp_path)
    spent = (
        "SELECT SUM(quantity) AS n FROM items JOIN orders ON order_number = number JOIN customers"
        " ON customers.customer = orders.customer"
    )
    with open(path, in_process=True) as db:
        # 300 customers in two months each: 1200 items, of 1 to 4
        assert ask(db, spent) == [{"n": 3000}]
        assert [
            entry.body["version"] for entry in db.ledger.entries() if entry.kind == "charge"
        ] == ["customers 3, items 1, orders 7"]
        assert answered(db, spent, 4500).receipt.reused
        assert any(
            step.startswith(
                "Reads the table items, version 1: the unit is customer of the table orders"
            )
            for step in db.explain(spent).steps
        )
    path.write_text(shop.POLICY.replace('version = "7"', 'version = "8"'), encoding="utf-8")
    with open(path, in_process=True) as db:
        assert not answered(db, spent, 4500).receipt.reused


BY_LAND = (
    "SELECT land, COUNT(*) AS n FROM customers JOIN cities ON customers.city = cities.city GROUP BY"
    " land"
)


def test_values_of_a_public_table_need_no_declaration(tmp_path: Path) -> None:
    cities = [
        *shop.CITIES.slice(0, 2).to_pylist(),
        {"city": "Dorf", "land": "nowhere", "people": 10},
    ]
    with open(shop.write(tmp_path, cities=pa.Table.from_pylist(cities)), in_process=True) as db:
        # all of them, empty ones as well
        assert ask(db, BY_LAND, 1000) == [{"land": "nowhere", "n": 0}, {"land": "west", "n": 200}]
        assert db.explain(BY_LAND).threshold is None
        total = answered(
            db,
            "SELECT SUM(people) AS n FROM customers JOIN cities ON customers.city = cities.city",
            5000,
        )
        assert "clamps values to [10, 330]" in total.notes[-1]
        assert total.rows[0]["n"] == pytest.approx(58_000, abs=5)
