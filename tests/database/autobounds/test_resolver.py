"""Bounds that are found: paid for first, kept for all, told in answers and explanations;
refusals cost nothing.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import fmean

import pyarrow as pa
import pytest

from database import clinic, shop
from database.searching import SUM, SURE, ask, charges, finding, only_opened, people, policy_of
from hedgerow.answers.explanation import Explanation
from hedgerow.database import open, open_frame
from hedgerow.errors import (
    BudgetExceeded,
    Refused,
    Unbounded,
    Unsupported,
)
from hedgerow.ledger import verify


def test_bounds_are_found_first_and_paid_out_of_the_question() -> None:
    with finding() as db:
        answer = ask(db, SUM)
        assert charges(db) == [
            ("bounds of data.income", Fraction(SURE, 4)),
            ("SUM(income)", Fraction(3 * SURE, 4)),
        ]
        assert db.budget.spent == SURE  # type: ignore[union-attr]
        assert answer.cost.epsilon == SURE
        exact = sum(people()["income"].to_pylist())
        # noise of scale 2.7: two rows of at most 2,048, at epsilon 1,500
        assert answer.rows[0]["s"] == pytest.approx(exact, abs=200)
        assert (
            "Found privately, not declared: bounds of data.income, 0 to 2,048 (ledger entry 3)."
            in answer.notes
        )
        assert not any(row["note"] for row in db.query("SELECT note FROM hedgerow.ledger").rows)


def test_the_same_question_is_free_and_another_one_needs_no_new_bounds() -> None:
    with finding() as db:
        first = ask(db, SUM, analyst="ana")
        again = ask(db, "select sum(INCOME) as s from data", analyst="bob")
        assert again.receipt.reused
        assert again.rows == first.rows
        assert db.budget.spent == SURE  # type: ignore[union-attr]
        other = ask(db, "SELECT town, AVG(income) AS m FROM data GROUP BY town", analyst="bob")
        assert charges(db)[2:] == [("AVG(income)", Fraction(SURE))]
        assert other.cost.epsilon == SURE
        assert any("0 to 2,048 (ledger entry 3)" in note for note in other.notes)


def test_a_larger_epsilon_is_a_new_answer_under_the_old_bounds() -> None:
    with finding() as db:
        ask(db, SUM)
        better = ask(db, SUM, 2 * SURE)
        assert not better.receipt.reused
        assert charges(db)[2:] == [("SUM(income)", Fraction(2 * SURE))]
        assert any("averaged" in note for note in better.notes)


def test_several_columns_share_the_part_of_the_bounds() -> None:
    with finding() as db:
        answer = ask(
            db,
            "SELECT SUM(income) AS s, SUM(change) AS c, SUM(income * change) AS p, COUNT(*) AS n"
            " FROM data",
        )
        assert charges(db)[:2] == [
            ("bounds of data.income", Fraction(SURE, 8)),
            ("bounds of data.change", Fraction(SURE, 8)),
        ]
        assert db.budget.spent == SURE  # type: ignore[union-attr]
        table = people()
        exact = sum(
            a * b
            for a, b in zip(table["income"].to_pylist(), table["change"].to_pylist(), strict=True)
        )
        assert answer.rows[0]["c"] == pytest.approx(sum(table["change"].to_pylist()), abs=50)
        assert answer.rows[0]["p"] == pytest.approx(exact, abs=2048 * 128 / 2)
        assert answer.rows[0]["n"] == pytest.approx(1200, abs=5)
        assert any("-128 to 128" in note for note in answer.notes)
        ask(db, "SELECT SUM(age) FROM data")
        assert len(charges(db)) == 4


def test_questions_that_need_no_bounds_read_the_column_as_it_is() -> None:
    with finding() as db:
        sql = "SELECT COUNT(*) AS n FROM data WHERE income > 3000 OR income < 500"
        before = ask(db, sql)
        assert len(charges(db)) == 1
        ask(db, SUM)
        assert ask(db, sql).receipt == replace(before.receipt, reused=True)


def test_a_new_version_of_the_data_has_bounds_of_its_own(tmp_path: Path) -> None:
    page = clinic.POLICY.replace(
        "max_rows_per_group = 3", 'max_rows_per_group = 3\nauto_bounds = true\nversion = "1"'
    )
    page = page.replace("epsilon = 3.0", "epsilon = 9000").replace(
        "max_epsilon_per_query = 1.0", "max_epsilon_per_query = 4000"
    )
    page = page.replace('cost = { type = "real", min = 0, max = 1000, step = 0.01 }\n', "")
    path = clinic.write(tmp_path, page)
    with open(path, in_process=True) as db:
        ask(db, "SELECT SUM(cost) FROM visits")
        assert len(charges(db)) == 2
    with open(path, in_process=True) as db:
        assert any("0 to 256" in note for note in ask(db, "SELECT AVG(cost) FROM visits").notes)
        assert len(charges(db)) == 3
    path.write_text(page.replace('version = "1"', 'version = "2"'))
    with open(path, in_process=True) as db:
        ask(db, "SELECT SUM(cost) FROM visits")
        assert [what for what, _ in charges(db)[3:]] == ["bounds of visits.cost", "SUM(cost)"]
    report = verify(tmp_path / "clinic.ledger")
    assert report.problem == ""
    assert report.spent["people"]["epsilon"] == 3 * SURE


@pytest.mark.parametrize("unit", ["id", "row"])
@pytest.mark.parametrize("neighbours", ["add-remove", "change-one"])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_every_unit_relation_and_noise(unit: str, neighbours: str, noise: str) -> None:
    caps = {"max_groups": 1, "max_rows_per_group": 1 if unit == "row" else 2}
    with finding(unit=unit, neighbours=neighbours, noise=noise, delta=1e-9, **caps) as db:
        answer = ask(db, "SELECT AVG(change) AS m, SUM(income) AS s FROM data")
        assert any("-128 to 128" in note for note in answer.notes)
        assert any("0 to 2,048" in note for note in answer.notes)
        assert [what for what, _ in charges(db)] == [
            "bounds of data.change",
            "bounds of data.income",
            "AVG(change), SUM(income)",
        ]
        assert answer.rows[0]["m"] == pytest.approx(fmean(people()["change"].to_pylist()), abs=5)


def test_linked_tables_and_parts(tmp_path: Path) -> None:
    page = shop.POLICY.replace('quantity = { type = "integer", min = 0, max = 9 }\n', "").replace(
        'price = { type = "integer", min = 0, max = 200 }\n', ""
    )
    page = page.replace("max_rows_per_group = 6", "max_rows_per_group = 6\nauto_bounds = true")
    page = page.replace("max_rows_per_group = 2\n", "max_rows_per_group = 2\nauto_bounds = true\n")
    with open(shop.write(tmp_path, page), in_process=True) as db:
        answer = ask(db, "SELECT SUM(quantity) FROM items")
        assert any("items.quantity" in note and "0 to 8" in note for note in answer.notes)
        ask(db, "SELECT SUM(price) FROM orders WHERE month = DATE '2026-01-01'")
        bodies = [entry.body for entry in db.ledger.entries() if entry.kind == "charge"]
        # the bounds are charged to all parts
        assert ["parts" in body for body in bodies] == [False, False, False, True]
        # it leads items to their customer
        with pytest.raises(Unbounded, match=r"SUM\(number\) needs bounds"):
            db.query("SELECT SUM(number) FROM orders", epsilon=1)


def test_per_unit_sums_are_found_bounds_too() -> None:
    with finding() as db:
        sql = (
            "SELECT AVG(t) AS m FROM (SELECT id, LEAST(GREATEST(SUM(income), 0), 4000) AS t FROM"
            " data GROUP BY id)"
        )
        table = people()
        assert ask(db, sql).rows[0]["m"] == pytest.approx(
            2 * fmean(table["income"].to_pylist()), abs=20
        )
        assert charges(db)[0] == ("bounds of data.income", Fraction(SURE, 4))


# What is told before


def test_explain_before_bounds_are_found_touches_no_data_and_costs_nothing() -> None:
    with finding() as db:
        for told in (
            db.explain("SELECT SUM(income), COUNT(*) FROM data", epsilon=4),
            db.query(f"EXPLAIN PRIVACY {SUM}", epsilon=4),
        ):
            assert isinstance(told, Explanation)
            assert told.epsilon == told.cost.epsilon == 4
            assert told.covered
            assert not told.free
            assert told.questions_left == 2500
            assert (
                "Found privately first, once for all questions, for 25 % of epsilon (1): bounds of"
                " data.income." in repr(told)
            )
            assert (told.lines[0].scale, told.lines[0].expected_error) == (None, None)
            assert told.lines[0].note == "its error is unknown until the bounds are found"
            # nothing of the stand-in
            assert not any("-1" in said or "-4" in said for said in (*told.steps, *told.notes))
        first = db.explain("SELECT SUM(income), COUNT(*) FROM data", epsilon=4)
        # two rows at half of three quarters of 4
        assert first.lines[1].expected_error == pytest.approx(1.33, abs=0.2)
        assert db._engine is None
        assert [entry.kind for entry in db.ledger.entries()] == ["open", "policy"]


def test_explain_shows_found_bounds_and_the_error() -> None:
    with finding() as db:
        ask(db, SUM)
        told = db.explain("SELECT SUM(income) FROM data WHERE age > 30", epsilon=4)
        assert told.lines[0].expected_error == pytest.approx(2 * 2048 / 4, rel=0.01)
        assert any("0 to 2,048 (ledger entry 3)" in note for note in told.notes)
        assert db.explain(SUM, epsilon=SURE).free
        assert not db.explain(SUM, epsilon=SURE + 1).free
        assert db.explain(SUM, error=100).epsilon == pytest.approx(40.96, rel=0.01)


def test_an_error_cannot_be_asked_for_before() -> None:
    with (
        finding() as db,
        pytest.raises(
            Refused,
            match=r"unknown until its bounds are found\. Name an epsilon instead",
        ),
    ):
        db.explain(SUM, error=5)


def test_explain_warns_when_the_budget_does_not_cover_both() -> None:
    with finding(epsilon=1) as db:
        assert db.explain(SUM, epsilon=1).covered
        db.query("SELECT COUNT(*) FROM data", epsilon=0.5)
        told = db.explain(SUM, epsilon=0.6)
        assert (told.covered, told.questions_left) == (False, 0)


# Refusals


def test_without_the_word_of_the_policy_bounds_are_declared() -> None:
    with finding(finds=False) as db:
        with pytest.raises(Unbounded, match=r"Pass bounds to protect: columns="):
            db.query(SUM, epsilon=1)
        assert only_opened(db)


@pytest.mark.parametrize("sql", ["SELECT SUM(town) FROM data", "SELECT MEDIAN(town) FROM data"])
def test_bounds_of_text_are_refused(sql: str) -> None:
    with finding() as db:
        with pytest.raises(Unsupported):
            db.query(sql, epsilon=1)
        assert only_opened(db)


def test_a_question_refused_for_another_reason_searches_for_no_bounds() -> None:
    with finding() as db:
        for sql in (
            "SELECT SUM(income) / SUM(nothing) FROM data",
            "SELECT SUM(age / income) FROM data",
            "SELECT income, SUM(change) FROM data",
        ):
            with pytest.raises(Refused):
                db.query(sql, epsilon=1)
        assert only_opened(db)


def test_both_must_be_affordable_before_either_is_paid() -> None:
    with finding(epsilon=2 * SURE) as db:
        db.query("SELECT COUNT(*) FROM data", epsilon=SURE)
        with pytest.raises(
            BudgetExceeded,
            match=r"The budget does not cover this question.*This is the budget of the population",
        ):
            db.query(SUM, epsilon=SURE + 1)  # the bounds alone would fit
        assert [what for what, _ in charges(db)] == ["COUNT(*)"]
        ask(db, SUM)
        assert db.budget.left == 0  # type: ignore[union-attr]


def test_a_quota_and_the_limit_of_one_question_cover_search_and_answer(tmp_path: Path) -> None:
    page = clinic.POLICY.replace(
        "max_rows_per_group = 3", "max_rows_per_group = 3\nauto_bounds = true"
    )
    page = page.replace('cost = { type = "real", min = 0, max = 1000, step = 0.01 }\n', "")
    with open(clinic.write(tmp_path, page), in_process=True) as db:
        with pytest.raises(
            BudgetExceeded,
            match=(
                r"The quota of analyst 'ana' does not cover this question: it asks for epsilon 0\.6"
            ),
        ):
            db.query("SELECT SUM(cost) FROM visits", epsilon=0.6, analyst="ana")
        with pytest.raises(Refused, match="at most epsilon 1 "):
            db.query("SELECT SUM(cost) FROM visits", epsilon=1.2)
        assert only_opened(db)


def test_the_whole_counts_towards_a_quota(tmp_path: Path) -> None:
    page = clinic.POLICY.replace(
        "max_rows_per_group = 3", "max_rows_per_group = 3\nauto_bounds = true"
    )
    page = page.replace('cost = { type = "real", min = 0, max = 1000, step = 0.01 }\n', "").replace(
        "max_epsilon = 0.5", f"max_epsilon = {SURE}"
    )
    page = page.replace("epsilon = 3.0", "epsilon = 9000").replace(
        "max_epsilon_per_query = 1.0", "max_epsilon_per_query = 4000"
    )
    with open(clinic.write(tmp_path, page), in_process=True) as db:
        ask(db, "SELECT SUM(cost) FROM visits", analyst="ana")
        assert db.ledger.state.asked_epsilon("ana") == SURE
        with pytest.raises(BudgetExceeded):
            db.query("SELECT AVG(cost) FROM visits", epsilon=0.1, analyst="ana")


def test_too_few_people_for_a_search_are_reported() -> None:
    """Among nobody every point is as good, and 93 of 100,093 are magnitudes: that three searches
    find one has a chance below 10^-9.
    """
    told = set()
    for _ in range(3):
        with finding(people().slice(0, 0)) as db:
            try:
                ask(db, SUM)
            except Refused as refused:
                told.add(str(refused))
                assert charges(db) == [("bounds of data.income", Fraction(SURE, 4))]
    assert told == {
        "Not found: bounds of data.income. Too few people have a value for this epsilon. The"
        f" search cost epsilon {SURE // 4}. Ask with a larger epsilon, or declare the bounds in the"
        " policy."
    }


# What goes wrong on the way


# What it is good for


def _lost(table: pa.Table, incomes: list[float]) -> float:
    """What clamping takes from a sum under the bounds that are found, and the expected noise;
    the answer is no farther off than that.
    """
    with open_frame(table, policy_of(table, columns={}, max_rows_per_group=1)) as db:
        answer = ask(db, SUM, 1)
        found = db.resolver.find_result(db.resolver.find_bounds_search(("data", "income")))
        assert found is not None
        clamped = sum(max(income - float(found.values[1]), 0) for income in incomes)
        noise = float(found.values[1]) / 0.75
        # Laplace noise is farther with a chance below 10^-10
        assert abs(answer.rows[0]["s"] - sum(incomes)) <= clamped + 25 * noise
        return clamped + noise


@pytest.mark.long
def test_found_bounds_of_a_heavy_tail_cut_the_error_a_hundredfold() -> None:
    """A bound a thousand times too large puts noise a thousand times too large on a sum. What is
    found at epsilon 1 loses a little to clamping and a little to noise, in all hundreds of times
    less. Of five searches the middle one: one in 30,000 goes astray."""
    random = Random("heavy")
    incomes = [random.lognormvariate(10, 1) for _ in range(5000)]
    table = pa.table({"id": list(range(5000)), "income": incomes})
    careless = policy_of(
        table, columns={"income": (0, max(incomes) * 1000)}, max_rows_per_group=1, finds=False
    )
    with open_frame(table, careless) as db:
        declared = db.explain(SUM, epsilon=1).lines[0].expected_error
    found = sorted(_lost(table, incomes) for _ in range(5))[2]
    assert declared is not None
    assert declared > 200 * found
    assert found < 0.02 * sum(incomes)
