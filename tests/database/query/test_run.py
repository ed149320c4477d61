"""The stages of a question: what is free, what is charged, and what is averaged."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from database import shop
from database.clinic import answered, exactly, stored, write
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.database import open
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import InvalidArgument, Refused, Unsupported


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "SELECT COUNT(*) FROM data WHERE age > 30 AND region = 'north'",
            "select  count(*) as n from data where 'north' = region and 30 < age",
        ),
        ("SELECT SUM(age) FROM data", "SELECT SUM(age + 0) AS total FROM DATA"),
        ("SELECT AVG(age) FROM data", "SELECT ROUND(AVG(age)) FROM data -- a comment"),
        (
            "SELECT region, COUNT(*) FROM data GROUP BY 1",
            "SELECT COUNT(*), region FROM data GROUP BY region ORDER BY 1 LIMIT 1",
        ),
    ],
)
def test_the_same_question_is_free(one: str, other: str) -> None:
    with exactly(epsilon=10) as db:
        first = db.query(one, epsilon=1)
        again = db.query(other, epsilon=Fraction(1, 2))
        assert isinstance(first, Answer)
        assert isinstance(again, Answer)
        assert again.receipt.entry == first.receipt.entry
        assert (first.receipt.reused, again.receipt.reused) == (False, True)
        assert again.cost.epsilon == 0
        assert db.budget.epsilon.spent == 1  # type: ignore[union-attr]
        larger = db.query(other, epsilon=2)
        assert isinstance(larger, Answer)
        assert not larger.receipt.reused
        assert db.budget.epsilon.spent == 3  # type: ignore[union-attr]
        best = db.query(one, epsilon=1)
        assert isinstance(best, Answer)
        assert best.receipt.entry == larger.receipt.entry


@pytest.mark.parametrize(
    "other",
    [
        "SELECT COUNT(*) FROM data WHERE age > 31",
        "SELECT COUNT(*) FROM data WHERE age >= 30",
        "SELECT COUNT(age) FROM data WHERE age > 30 OR region = 'north'",
        "SELECT SUM(age) FROM data WHERE age > 30",
        "SELECT region, COUNT(*) FROM data WHERE age > 30 GROUP BY region",
    ],
)
def test_another_question_is_charged(other: str) -> None:
    with exactly(epsilon=10) as db:
        db.query("SELECT COUNT(*) FROM data WHERE age > 30", epsilon=1)
        db.query(other, epsilon=1)
        assert db.budget.epsilon.spent == 2  # type: ignore[union-attr]


def test_a_new_version_is_a_new_question(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits")
    path.write_text(
        path.read_text().replace(
            'neighbours = "add-remove"', 'neighbours = "add-remove"\nversion = "2"'
        )
    )
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits")
        assert db.budget.epsilon.spent == Fraction(2, 10)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT * FROM data", Unsupported),
        ("SELECT COUNT(*) FROM nowhere", Unsupported),
        ("SELECT SUM(patient_id) FROM data", Unsupported),
        ("SELECT note, COUNT(*) FROM data GROUP BY note", Unsupported),
        ("SELECT COUNT(*) FROM data; SELECT 1", Unsupported),
    ],
)
def test_a_refusal_costs_nothing(sql: str, kind: type[Exception]) -> None:
    with exactly(columns={"note": {"hidden": True}, "age": (0, 110)}) as db:
        with pytest.raises(kind):
            db.query(sql)
        with pytest.raises(kind):
            db.explain(sql)
        assert db.budget.epsilon.spent == 0  # type: ignore[union-attr]
        assert len(db.ledger.entries()) == 2


def test_a_request_is_charged_once() -> None:
    with exactly(epsilon=10) as db:
        first = db.query("SELECT COUNT(*) FROM data", epsilon=1, request="r1")
        again = db.query("SELECT COUNT(*) FROM data", epsilon=1, request="r1")
        assert isinstance(first, Answer)
        assert isinstance(again, Answer)
        assert first.rows == again.rows
        assert db.budget.epsilon.spent == 1  # type: ignore[union-attr]


def test_two_analysts_may_use_one_request_key(tmp_path: Path) -> None:
    with open(write(tmp_path), in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=0.1, request="r1", analyst="ana")
        db.query("SELECT SUM(age) FROM visits", epsilon=0.1, request="r1", analyst="bob")
        assert db.budget.epsilon.spent == Fraction(1, 5)  # type: ignore[union-attr]


def test_a_larger_epsilon_is_charged_in_full_and_averaged_with_stored_answers() -> None:
    with exactly(epsilon=10) as db:
        first = answered(db, "SELECT COUNT(*) AS n FROM data", 1)
        second = answered(db, "SELECT COUNT(*) AS n FROM data", 2)
        one, two = (held["numbers"][0][0] for held in stored(db))
        assert first.rows == [{"n": one}]
        # half the noise counts four times
        assert second.rows == [{"n": round(Fraction(one + 4 * two, 5))}]
        assert (second.cost.epsilon, db.budget.epsilon.spent) == (2, 3)  # type: ignore[union-attr]
        assert (
            second.notes[-1]
            == "Sums are averaged with an earlier answer to this question (ledger entry 3),"
            " weighted by inverse variance."
        )
        again = answered(db, "SELECT COUNT(*) AS n FROM data", 1)
        assert (again.rows, again.receipt.entry, again.receipt.reused) == (
            second.rows,
            second.receipt.entry,
            True,
        )
        third = answered(db, "SELECT COUNT(*) AS n FROM data", 3)
        assert "(ledger entries 5, 3)" in third.notes[-1]
        assert db.budget.epsilon.spent == 6  # type: ignore[union-attr]


def test_averaged_intervals_are_narrower() -> None:
    with exactly(epsilon=10) as db:
        answered(db, "SELECT COUNT(*) AS n FROM data", Fraction(1, 10))
        alone = (
            db.explain("SELECT COUNT(*) AS n FROM data", epsilon=Fraction(1, 5)).lines[0].error_95
        )
        second = answered(db, "SELECT COUNT(*) AS n FROM data", Fraction(1, 5))
        ((low, high),) = second.interval("n")  # type: ignore[misc]
        assert high - low < 2 * alone  # type: ignore[operator]
        assert low <= second.rows[0]["n"] <= high


def test_counts_from_the_middle_are_averaged_too() -> None:
    sql = "SELECT COUNT(*) AS n, SUM(age) AS s FROM data"
    with exactly(epsilon=8, delta=1e-6, noise="gaussian", max_units=1000) as db:
        answered(db, sql, Fraction(1, 4))
        told = db.explain(sql, epsilon=Fraction(1, 2))
        second = answered(db, sql, Fraction(1, 2))
        holdings = stored(db)
    values, variances = [], []
    for held in holdings:
        units, bounds = held["centre"]
        # at most three rows of a unit
        ((place, bound),) = [pair for pair in bounds if pair[1] == 3]
        z, p = held["numbers"][place][0], held["numbers"][units][0]
        values.append(Fraction(z + bound * p, 2))
        scales = [Fraction(held["laws"][index][1]) for index in (place, units)]
        variances.append(scales[0] ** 2 / 4 + bound**2 * scales[1] ** 2 / 4)
    shares = [1 / variance for variance in variances]
    mean = sum(share * value for share, value in zip(shares, values, strict=True)) / sum(shares)
    assert abs(second.rows[0]["n"] - mean) <= Fraction(51, 100)
    assert min(values) - 1 <= second.rows[0]["n"] <= max(values) + 1
    assert "(ledger entry 3)" in second.notes[-1]
    ((low, high),) = second.interval("n")  # type: ignore[misc]
    assert high - low < 2 * told.lines[0].error_95  # type: ignore[operator]


def test_means_are_computed_from_averaged_sums() -> None:
    with exactly(epsilon=10) as db:
        answered(db, "SELECT AVG(age) AS a FROM data", 1)
        second = answered(db, "SELECT AVG(age) AS a FROM data", 2)
        # Each in parts of a step of its own.
        (above, below), (more, less) = (
            [Fraction(column[0], held["fine"][0][0]) for column in held["numbers"]]
            for held in stored(db)
        )
    above, below = above + 4 * more, below + 4 * less
    assert second.rows[0]["a"] == pytest.approx(float(110 * above / (above + below)), rel=1e-5)


def test_undeclared_keys_keep_the_answer_with_the_larger_epsilon() -> None:
    sql = "SELECT city, COUNT(*) AS n FROM data GROUP BY city"
    with exactly(epsilon=10) as db:
        answered(db, sql, 2)
        second = answered(db, sql, 3)
        held = stored(db)[-1]
        assert [row["n"] for row in second.rows] == held["numbers"][0]
        assert not any("averaged" in note for note in second.notes)
        assert answered(db, sql, 1).rows == second.rows


def test_selected_values_are_not_averaged() -> None:
    with exactly(epsilon=100) as db:
        answered(db, "SELECT MEDIAN(age) AS m FROM data", 1)
        chosen = answered(db, "SELECT MEDIAN(age) AS m FROM data", 2)
        assert chosen.rows == [{"m": stored(db)[-1]["numbers"][0][0]}]
        assert not any("averaged" in note for note in chosen.notes)
        answered(db, "SELECT MEDIAN(age) AS m, COUNT(*) AS n FROM data", 1)
        both = answered(db, "SELECT MEDIAN(age) AS m, COUNT(*) AS n FROM data", 2)
        held = stored(db)[-1]
        place = next(index for index, (law, _) in enumerate(held["laws"]) if law == "pick")
        assert both.rows[0]["m"] == held["numbers"][place][0]
        assert "averaged" in both.notes[-1]


def test_a_withheld_release_is_null_with_a_reason() -> None:
    table = pa.table(
        {"patient_id": [1, 2], "age": [0, 110], "cost": [1.0, 2.0], "region": ["north", "south"]}
    )
    with exactly(table, epsilon=10) as db:
        answer = answered(
            db,
            "SELECT MEDIAN(age, method => 'propose', bound => 1) AS m, MODE(region, method =>"
            " 'stable') AS r FROM data",
            1,
        )
        assert answer.rows == [{"m": None, "r": None}]
        for asked, method in (
            ("MEDIAN(age, method => 'propose', bound => 1)", "propose"),
            ("MODE(region, method => 'stable')", "stable"),
        ):
            why = (
                f"{asked} is NULL where the test of method '{method}' fails; the test is charged"
                " all the same."
            )
            assert why in answer.notes
        assert answer.interval("m") == [None]
        assert answer.cost.delta > 0
        assert answer.to_arrow().num_rows == 1
        assert "NULL" in repr(answer)


def test_system_tables_are_asked_like_any_other(tmp_path: Path) -> None:
    with open(write(tmp_path), analyst="ana", in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=0.25)
        db.query("SELECT SUM(age) FROM visits", epsilon=0.25, analyst="bob")
        before = len(db.ledger.entries())
        own = db.query("SELECT kind, analyst FROM hedgerow.ledger")
        assert isinstance(own, ExactTable)
        assert own.rows == [
            {"kind": "charge", "analyst": "ana"},
            {"kind": "answer", "analyst": "ana"},
        ]
        others = db.query("SELECT COUNT(*) AS n FROM hedgerow.ledger", analyst="bob")
        assert isinstance(others, ExactTable)
        assert others.rows == [{"n": 2}]
        assert len(db.ledger.entries()) == before
        with pytest.raises(Refused, match="nothing to explain"):
            db.explain("SELECT * FROM hedgerow.budget")
        with pytest.raises(InvalidArgument, match="ana, bob"):
            db.query("SELECT * FROM hedgerow.ledger", analyst="eve")
    with open(tmp_path / "clinic.toml", in_process=True) as db:
        every = db.query("SELECT kind FROM hedgerow.ledger WHERE analyst IS NULL")
        assert isinstance(every, ExactTable)
        assert [row["kind"] for row in every.rows] == ["open", "policy"]


BY_LAND = (
    "SELECT land, COUNT(*) AS n FROM customers JOIN cities ON customers.city = cities.city GROUP BY"
    " land"
)


def test_another_public_file_is_another_question(tmp_path: Path) -> None:
    """Also where its columns hold the same values as before."""
    path = shop.write(tmp_path)
    with open(path, in_process=True) as db:
        first = answered(db, BY_LAND, 500)
        assert answered(db, BY_LAND, 500).receipt.reused
        answered(db, "SELECT COUNT(*) FROM customers", 500)
    turned = shop.CITIES.set_column(1, "land", pa.array(["north", "west", "west"]))
    pq.write_table(turned, tmp_path / "cities.parquet")
    with open(path, in_process=True) as db:
        assert not db.explain(BY_LAND, epsilon=500).free
        second = answered(db, BY_LAND, 500)
        assert not second.receipt.reused
        assert (first.rows[0]["n"], second.rows[0]["n"]) == (100, 100)
        assert not any("averaged" in note for note in second.notes)
        # it reads no city
        assert answered(db, "SELECT COUNT(*) FROM customers", 500).receipt.reused


def test_answers_that_were_cut_to_whole_steps_are_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay in the ledger, labelled, and are neither reused nor averaged with new ones;
    whatever could not be cut stays free.
    """
    visits = pa.table(
        {"id": [i // 4 for i in range(4000)], "x": [int(i % 10 < 3) for i in range(4000)]}
    )
    with protect(
        visits,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"x": (0, 1)},
        epsilon=1000,
    ) as db:
        mean, count = (
            "SELECT AVG(x) AS a, COUNT(*) AS n FROM data",
            "SELECT COUNT(*) AS n FROM data",
        )
        with monkeypatch.context() as before:  # as version 0.1.0 did
            before.setattr(
                "hedgerow.plan.contribution_limits.can_exceed_row_bound", lambda _: False
            )
            before.setattr("hedgerow.plan.canonical_plans.can_exceed_row_bound", lambda _: False)
            before.setattr("hedgerow.database.query.charging.PLAN_FORM_FIELD", "before")
            false = answered(db, mean, 20)
            right = answered(db, count, 20)
            for asked in (
                "COUNT(DISTINCT id)",
                "SUM(x, contribution_bounds_per_group => (0, 3))",
                "COUNT(DISTINCT x)",
                "MODE(x)",
            ):
                answered(db, f"SELECT {asked} AS n FROM data", 20)
        assert false.rows[0]["a"] < 0.1
        assert abs(false.rows[0]["n"] - 1000) > 500
        again = answered(db, mean, 20)
        assert again.cost.epsilon == 20
        assert again.rows[0]["a"] == pytest.approx(0.3, abs=0.01)
        assert again.rows[0]["n"] == pytest.approx(1000, abs=5)
        assert not any("averaged" in note for note in again.notes)
        assert answered(db, count, 20).rows == right.rows
        assert answered(db, mean, 20).rows == again.rows
        listed = db.query(
            "SELECT entry, note FROM hedgerow.ledger WHERE kind = 'charge' ORDER BY entry"
        )
    notes = [row["note"] for row in listed.rows]
    assert [note is None for note in notes] == [False, True, True, True, False, False, True]
    assert notes[0].startswith("not reused where a unit may have more rows")
