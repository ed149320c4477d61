"""One question, two populations: what each pays, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.database import Database, open
from hedgerow.database.query.run import read_count_question
from hedgerow.database.query.second_population_charging import (
    calibrate_noise_for_both,
    combine_limits,
)
from hedgerow.errors import BudgetExceeded, Refused, Unsupported
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.privacy.unit import Unit
from plan import meetings

POLICY = """
[database]
name = "clinic"

[budgets.patients]
epsilon = 3
default_epsilon = 0.25
{patients}

[budgets.doctors]
epsilon = {epsilon}
default_epsilon = 0.5
max_epsilon_per_query = 1.5
{doctors}

[tables.visits]
source     = "visits.csv"
unit       = "patient"
neighbours = "add-remove"
population = "patients"
max_units  = 10_000
max_groups = 3
max_rows_per_group = 2
auto_bounds = true
columns.doctor = {{ type = "integer" }}
columns.month  = {{ values = ["may", "june"] }}
columns.cost   = {{ type = "integer", min = 0, max = 100 }}
columns.tip    = {{ type = "integer" }}

[tables.doctors]
source     = "doctors.csv"
unit       = "doctor"
neighbours = "change-one"
population = "doctors"
max_units  = 100
max_groups = 1
max_rows_per_group = 50
columns.doctor = {{ type = "integer" }}
columns.ward   = {{ values = ["a", "b"] }}

[analysts.ana]
max_epsilon = 1

[analysts.bea]
"""
BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits JOIN doctors USING (doctor) GROUP BY ward"


def write(folder: Path, epsilon: float = 1.6, patients: str = "", doctors: str = "") -> Path:
    random = Random(3)
    lines = [
        f"{who},{random.randint(1, 9)},{random.choice(('may', 'june'))},{random.randint(0, 99)},1"
        for who in range(300)
        for _ in "ab"
    ]
    (folder / "visits.csv").write_text("patient,doctor,month,cost,tip\n" + "\n".join(lines))
    (folder / "doctors.csv").write_text(
        "doctor,ward\n" + "\n".join(f"{who},{'ab'[who % 2]}" for who in range(1, 9))
    )
    path = folder / "clinic.toml"
    path.write_text(POLICY.format(epsilon=epsilon, patients=patients, doctors=doctors))
    return path


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with open(write(tmp_path), in_process=True) as opened:
        yield opened


def answered(db: Database, sql: str, **how: Any) -> Answer:
    answer = db.query(sql, **how)
    assert isinstance(answer, Answer)
    return answer


def spent(db: Database) -> dict[str, Any]:
    return {name: account.spent for name, account in db.budgets.items()}  # type: ignore[union-attr]


def test_each_population_pays_its_own_loss(db: Database) -> None:
    answer = answered(db, BY_WARD, epsilon=1)
    # Replaced, a doctor moves 50 rows out of one ward and 50 into another; a patient moves 3 bonds
    # of 2 rows.
    assert spent(db) == {"patients": Fraction(6, 100), "doctors": 1}
    assert answer.cost.epsilon == 1
    assert answer.notes[-1].startswith("Charged to both populations: epsilon 1, rho ")
    assert "to doctors and epsilon 0.06" in answer.notes[-1]
    assert answer.notes[:2] == (
        (
            "Each patient contributes rows about at most 3 doctors (whether or not they are in the"
            " data), and at most 2 rows about each."
        ),
        "Each doctor contributes at most 50 rows to a group, and is joined by one row.",
    )
    entries = db.ledger.entries()
    assert [entry.kind for entry in entries[-2:]] == ["charge", "answer"]
    assert set(entries[-2].body["charges"]) == {"patients", "doctors"}


def test_the_same_question_again_is_free_for_both(db: Database) -> None:
    first = answered(db, BY_WARD, epsilon=1)
    paid = spent(db)
    again = answered(
        db,
        "SELECT d.ward, COUNT(*) AS n FROM doctors d, visits v WHERE d.doctor = v.doctor GROUP BY"
        " d.ward",
        epsilon=1,
    )
    assert again.receipt.reused
    assert again.rows == first.rows
    assert not any(note.startswith("Charged") for note in again.notes)
    assert spent(db) == paid


def test_neither_population_pays_when_one_budget_is_short(db: Database) -> None:
    answered(db, BY_WARD, epsilon=1)
    paid = spent(db)
    with pytest.raises(BudgetExceeded, match="'doctors'"):
        db.query(
            "SELECT month, COUNT(*) FROM visits JOIN doctors USING (doctor) GROUP BY month",
            epsilon=1,
        )
    assert spent(db) == paid
    explained = db.explain(
        "SELECT month, COUNT(*) FROM visits JOIN doctors USING (doctor) GROUP BY month", epsilon=1
    )
    assert not explained.covered
    assert explained.questions_left == 0


def test_the_terms_are_the_stricter_ones(db: Database) -> None:
    assert answered(db, BY_WARD).receipt.epsilon == Fraction(1, 4)  # the default of the patients
    with pytest.raises(Refused, match=r"at most epsilon 1\.5"):
        db.query(BY_WARD, epsilon=2)


def test_a_quota_counts_a_question_about_two_populations_once(db: Database) -> None:
    answered(db, BY_WARD, epsilon=0.75, analyst="ana")
    with pytest.raises(BudgetExceeded, match="quota of analyst 'ana'"):
        db.query(
            "SELECT month, COUNT(*) FROM visits JOIN doctors USING (doctor) GROUP BY month",
            epsilon=0.5,
            analyst="ana",
        )
    (line,) = db.query("SELECT population, epsilon FROM hedgerow.ledger WHERE kind = 'charge'").rows
    assert line == {"population": "doctors, patients", "epsilon": 0.75}


def test_a_request_sent_twice_is_charged_once_to_both(db: Database) -> None:
    one, two = (answered(db, BY_WARD, epsilon=0.5, request="r1") for _ in range(2))
    assert one.rows == two.rows
    assert spent(db) == {"patients": Fraction(3, 100), "doctors": Fraction(1, 2)}


def test_explain_shows_the_price_for_each_population(db: Database) -> None:
    explained = db.query(f"EXPLAIN PRIVACY {BY_WARD}", epsilon=0.5)
    assert isinstance(explained, Explanation)
    assert explained.cost.epsilon == Fraction(1, 2)
    assert explained.covered
    assert explained.questions_left == 3  # of the doctors, who have less left and pay more
    assert explained.notes[-1].startswith("Would be charged to both populations: epsilon 0.03,")
    assert explained.steps[-2:] == (
        (
            "COUNT(*): adding or removing one unit changes at most 3 numbers, by at most 6 in all"
            " and 6 each."
        ),
        (
            "COUNT(*): Replacing one doctor can change 2 numbers by 100 steps in all, and none by"
            " more than 50."
        ),
    )
    assert spent(db) == {"patients": 0, "doctors": 0}
    answered(db, BY_WARD, epsilon=0.5)
    free = db.explain(BY_WARD, epsilon=0.1)
    assert free.free
    assert free.covered
    assert free.cost.epsilon == 0
    assert free.lines == explained.lines  # as it was answered, not as it would be at this epsilon
    assert not any("charged" in note for note in free.notes)


def test_the_epsilon_for_an_error_is_that_of_the_larger_noise(db: Database) -> None:
    explained = db.explain(BY_WARD, error=200)
    assert float(explained.epsilon) == pytest.approx(0.5, rel=1e-3)
    assert explained.lines[0].expected_error == pytest.approx(200, rel=1e-3)


def test_bounds_are_not_found_for_two_populations_at_once(db: Database) -> None:
    with pytest.raises(Refused, match="about that population alone"):
        db.query("SELECT SUM(tip) FROM visits JOIN doctors USING (doctor)", epsilon=0.5)
    with pytest.raises(Refused, match="about that population alone"):
        db.explain("SELECT SUM(tip) FROM visits JOIN doctors USING (doctor)", epsilon=0.5)
    assert spent(db) == {"patients": 0, "doctors": 0}


def test_mechanisms_of_ones_own_are_about_one_population(db: Database) -> None:
    with pytest.raises(Refused, match="about one population"):
        read_count_question(db, BY_WARD)


def test_with_negligible_noise_the_answer_agrees_with_sql(tmp_path: Path) -> None:
    """Caps that bind nobody."""
    path = write(tmp_path)
    big = (
        path.read_text()
        .replace("epsilon = 3\n", "epsilon = 9999\n")
        .replace("epsilon = 1.6\n", "epsilon = 9999\n")
    )
    big = big.replace("max_epsilon_per_query = 1.5\n", "").replace(
        "max_rows_per_group = 50", "max_rows_per_group = 60"
    )
    path.write_text(big)
    visits = [line.split(",") for line in (tmp_path / "visits.csv").read_text().split("\n")[1:]]
    with open(path, in_process=True) as db:
        found = answered(
            db,
            "SELECT ward, month, COUNT(*) AS n FROM visits JOIN doctors USING (doctor) GROUP BY"
            " ward, month",
            epsilon=9_900,
        )
    for row in found.rows:
        wanted = [
            v
            for v in visits
            if v[2] == row["month"] and int(v[1]) < 9 and "ab"[int(v[1]) % 2] == row["ward"]
        ]
        assert row["n"] == len(wanted)


def test_gaussian_noise_needs_the_consent_of_both_populations(tmp_path: Path) -> None:
    delta, gaussian = "delta = 1e-6\n", 'delta = 1e-6\nnoise = "gaussian"\n'
    for name, patients, doctors, law in (
        ("one", gaussian, delta, "Laplace"),
        ("two", gaussian, gaussian, "Gaussian"),
    ):
        (tmp_path / name).mkdir()
        with open(
            write(tmp_path / name, patients=patients, doctors=doctors), in_process=True
        ) as db:
            assert (
                db.explain(
                    "SELECT ward, COUNT(*), SUM(cost) FROM visits JOIN doctors USING (doctor) GROUP"
                    " BY ward"
                )
                .lines[0]
                .mechanism
                == law
            )
            rules = db.policy.budgets
            assert combine_limits(rules).noise == law.lower()


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_noise_is_for_whichever_takes_more(law: Any) -> None:
    patient, doctor = Unit("add-remove", "id"), Unit("add-remove", "id")
    for most in (1, 50):
        plan = meetings.asked(
            ("ward",),
            (Measure("rows"), Measure("total", "cost", ClampedGrid(Fraction(1), -2, 5))),
            bonds=3,
            rows=2,
            most=most,
        )
        plan, noise = calibrate_noise_for_both(plan, patient, doctor, epsilon=Fraction(1), law=law)
        mine, theirs = (
            noise.loss(plan.sensitivity(patient)),
            noise.loss(plan.second_population_sensitivity(doctor)),
        )
        assert all(
            isinstance(one, Laplace if law == "laplace" else Gaussian) for one in noise.mechanisms
        )
        more, less = (mine, theirs) if most == 1 else (theirs, mine)
        if law == "laplace":
            assert (more.epsilon, less.epsilon < 1) == (1, True)
        assert less.rho < more.rho


def test_noise_that_cannot_be_drawn_is_refused() -> None:
    plan = meetings.asked(most=2**61)
    with pytest.raises(Unsupported, match="outside the supported range"):
        calibrate_noise_for_both(
            plan,
            Unit("add-remove", "id"),
            Unit("add-remove", "id"),
            epsilon=Fraction(1, 10**9),
            law="laplace",
        )
